package background

import (
	"context"
	"errors"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/background/atlogin"
	"piwork/app/executable"
	"piwork/app/problem"
)

// AtLogin says whether the system starts the controller when the person logs in.
func AtLogin(o app.Options) (api.AtLogin, error) {
	m, err := loginService(o)
	if errors.Is(err, atlogin.ErrNone) || !o.Usual() {
		return api.AtLogin{}, nil
	}
	if err != nil {
		return api.AtLogin{}, problem.New(problem.CodeAtLogin).Because(err)
	}
	return api.AtLogin{On: m.On(), Possible: true}, nil
}

// SetAtLogin has the system do so from the next login on, or not. What the system starts has
// no flags and not this environment: one whose data is elsewhere has nothing to choose.
func SetAtLogin(ctx context.Context, o app.Options, r api.AtLoginChoice) (api.AtLogin, error) {
	if !o.Usual() {
		return api.AtLogin{}, problem.New(problem.CodeAtLoginElsewhere).With("path", o.WithDefaults().DataDir)
	}
	m, err := loginService(o)
	if err == nil {
		err = m.Set(ctx, r.On)
	}
	if err != nil {
		return api.AtLogin{}, problem.New(problem.CodeAtLogin).Because(err)
	}
	return api.AtLogin{On: m.On(), Possible: true}, nil
}

func loginService(o app.Options) (*atlogin.Manager, error) {
	program, err := executable.Path()
	if err != nil {
		return nil, err
	}
	return atlogin.Of(program, o.WithDefaults().ConfigDir)
}

// AtLogin implements api.Process.
func (s *Server) AtLogin(context.Context) (api.AtLogin, error) { return AtLogin(s.o.App) }

// SetAtLogin implements api.Process.
func (s *Server) SetAtLogin(ctx context.Context, r api.AtLoginChoice) (api.AtLogin, error) {
	return SetAtLogin(ctx, s.o.App, r)
}
