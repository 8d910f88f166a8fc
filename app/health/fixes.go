package health

import (
	"context"
	"errors"
	"os/user"
	"strings"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/setup/elevate"
)

// MendRequest asks for what an administrator has to do.
type MendRequest struct {
	Fix string `json:"fix" minLength:"1" maxLength:"64" pattern:"^[a-z-]+$" doc:"code of a fix that the last report says can be run"`
}

// Mended is how that went.
type Mended struct {
	// Declined is a person who did not want it in the end: nothing was run.
	Declined bool         `json:"declined"`
	Report   setup.Report `json:"report"` // of a new look, after it was run
}

// Mend has the system run what stands in the last report. A request
// that goes away does not look again, and what an administrator agreed to is done
// all the same.
func (h *Health) Mend(ctx context.Context, r MendRequest) (Mended, error) {
	if !h.mending.TryLock() {
		return Mended{}, problem.BadRequest("fix", "an administrator is being asked already")
	}
	err := h.setup.Mend(ctx, r.Fix)
	h.mending.Unlock()
	switch {
	case err == nil:
	case errors.Is(err, setup.ErrNotOffered):
		return Mended{}, problem.BadRequest("fix", "%q: %w", r.Fix, err)
	case errors.Is(err, elevate.ErrDeclined):
		rep, err := h.Status(ctx, false)
		return Mended{Declined: true, Report: rep}, err
	case ctx.Err() != nil:
		return Mended{}, problem.From(err)
	default:
		return Mended{}, problem.New(problem.CodeNotMended).Because(err)
	}
	h.o.Log.Info("an administrator let the system be changed", "fix", r.Fix)
	rep, err := h.Status(ctx, true)
	return Mended{Report: rep}, err
}

// accountName is the name of the person's account, without the domain that Windows
// puts before it; "" when it is not known.
func accountName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:]
}
