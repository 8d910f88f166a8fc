package app

import (
	"context"
	"errors"
	"os/user"
	"strings"

	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/setup/elevate"
)

// Mend has the system run what stands in the last report; see Service. A request
// that goes away does not look again, and what an administrator agreed to is done
// all the same.
func (c *Controller) Mend(ctx context.Context, r MendRequest) (Mended, error) {
	if !c.mending.TryLock() {
		return Mended{}, problem.BadRequest("fix", "an administrator is being asked already")
	}
	err := c.setup.Mend(ctx, r.Fix)
	c.mending.Unlock()
	switch {
	case errors.Is(err, setup.ErrNotOffered):
		return Mended{}, problem.BadRequest("fix", "%q: %w", r.Fix, err)
	case errors.Is(err, elevate.ErrDeclined):
		rep, err := c.Status(ctx, false)
		return Mended{Declined: true, Report: rep}, err
	case ctx.Err() != nil:
		return Mended{}, problem.From(err)
	case err != nil:
		return Mended{}, problem.New(problem.CodeNotMended).Because(err)
	}
	c.log.Info("an administrator let the system be changed", "fix", r.Fix)
	rep, err := c.Status(ctx, true)
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
