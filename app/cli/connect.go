package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/task"
)

// closeWithin is how long the controller gets to end.
const closeWithin = 20 * time.Second

// session is a controller to talk to, for one command.
type session struct {
	*client.Session
	*env
}

// logger writes to stderr when asked to.
func (e *env) logger() *slog.Logger {
	if !e.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (e *env) appOptions() app.Options {
	return app.Options{Version: version, Developer: Developer(), Log: e.logger()}
}

func (e *env) connect(ctx context.Context, o app.Options) (*session, error) {
	s, err := client.Open(ctx, client.SessionOptions{App: o, Shell: api.TestShell(), Open: e.options.Open})
	if err != nil {
		return nil, err
	}
	return &session{Session: s, env: e}, nil
}

// close gives the data directory back. Tasks that others started here go on
// until they are over, or until ctx ends.
func (s *session) close(ctx context.Context) error {
	if s.Own != nil {
		s.waitForOthers(ctx)
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer stop()
	return s.Close(end)
}

// waitForOthers returns when no task runs, or ctx ends.
func (s *session) waitForOthers(ctx context.Context) {
	events, cancel := s.Own.Subscribe(0)
	defer cancel()
	for said := false; ctx.Err() == nil; {
		n, err := s.Running(ctx)
		if n == 0 || err != nil {
			return
		}
		if !said {
			s.HintText("others-run", "count", n)
			said = true
		}
		for over := false; !over; {
			select {
			case <-ctx.Done():
				return
			case ev, open := <-events:
				if !open {
					return
				}
				state, _ := ev.Data.(task.StateData)
				over = state.State.Final()
			}
		}
	}
}

// with connects, calls f, and closes.
func (e *env) with(ctx context.Context, f func(ctx context.Context, s *session) error) error {
	return e.withOptions(ctx, e.appOptions(), f)
}

// withAccel is with for commands that boot a workroom themselves: in the mode of --accel,
// when this process is the controller.
func (e *env) withAccel(ctx context.Context, f func(ctx context.Context, s *session) error) error {
	o := e.appOptions()
	o.Accel = e.accel
	return e.withOptions(ctx, o, func(ctx context.Context, s *session) error {
		if s.Own == nil && e.accel != "" {
			e.HintText("accel-other")
		}
		return f(ctx, s)
	})
}

func (e *env) withOptions(ctx context.Context, o app.Options, f func(ctx context.Context, s *session) error) error {
	s, err := e.connect(ctx, o)
	if err != nil {
		return err
	}
	err = f(ctx, s)
	if cerr := s.close(ctx); err == nil {
		err = cerr
	}
	return err
}

// command is a command that talks to a controller.
type command = func(ctx context.Context, s *session, args []string) error

// connected makes a cobra function of a command.
func (e *env) connected(f command) func(*cobra.Command, []string) error {
	return do(func(ctx context.Context, args []string) error {
		session := func(ctx context.Context, s *session) error { return f(ctx, s, args) }
		return e.with(ctx, session)
	})
}

// booting is connected for a command that opens a workroom by itself (see withAccel).
func (e *env) booting(f command) func(*cobra.Command, []string) error {
	return do(func(ctx context.Context, args []string) error {
		session := func(ctx context.Context, s *session) error { return f(ctx, s, args) }
		return e.withAccel(ctx, session)
	})
}
