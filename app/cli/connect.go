package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
)

const (
	connectWithin = 8 * time.Second // the holder of the data directory may be starting or ending
	connectPause  = 100 * time.Millisecond
	healthWithin  = 2 * time.Second
	closeWithin   = 20 * time.Second
)

// session is a controller to talk to, of this process or of another.
type session struct {
	*client.Client
	ctrl  Controller // nil when another process has it
	api   *api.API
	env   *env
	end   context.CancelFunc // of the socket
	ended chan struct{}      // the socket is closed
}

// logger writes to stderr when asked to.
func (e *env) logger() *slog.Logger {
	if !e.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (e *env) appOptions() app.Options {
	return app.Options{Version: version, Developer: Developer(), Log: e.logger()}
}

// connect opens the controller or finds the process that has it.
func (e *env) connect(ctx context.Context, o app.Options) (*session, error) {
	deadline, stop := context.WithTimeout(ctx, connectWithin)
	defer stop()
	for {
		ctrl, err := e.Open(ctx, o)
		if err == nil {
			return e.own(ctx, ctrl), nil
		}
		var locked *app.LockedError
		if !errors.As(err, &locked) {
			return nil, err
		}
		why := errors.New("it does not say where it answers")
		if locked.Socket != "" {
			c := client.New(client.Socket(locked.Socket), o.Log)
			if why = healthy(deadline, c); why == nil {
				return &session{Client: c, env: e}, nil
			}
		}
		select {
		case <-time.After(connectPause):
		case <-deadline.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, problem.New(problem.CodeControllerInUse).With("pid", locked.PID).
				Because(fmt.Errorf("%w, and its process does not answer: %w", err, why))
		}
	}
}

func healthy(ctx context.Context, c *client.Client) error {
	ctx, stop := context.WithTimeout(ctx, healthWithin)
	defer stop()
	_, err := c.Health(ctx)
	return err
}

// own makes a session of a controller that this process has, and lets others
// in on its socket. Without a socket this process works all the same.
func (e *env) own(ctx context.Context, ctrl Controller) *session {
	a := api.New(api.Options{Service: ctrl, Shell: api.TestShell(), Version: version, Developer: Developer(), Log: e.logger()})
	s := &session{
		Client: client.New(client.InProcess(a.Handler()), e.logger()),
		ctrl:   ctrl, api: a, env: e, end: func() {}, ended: make(chan struct{}),
	}
	ln, err := api.ListenSocket(ctrl.Socket())
	if err != nil {
		e.logger().Warn("others cannot use this piwork", "error", err)
		close(s.ended)
		return s
	}
	serve, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	go func() {
		defer close(s.ended)
		if err := api.Serve(serve, ln, a.Handler()); err != nil {
			e.logger().Warn("the socket ended", "error", err)
		}
	}()
	return s
}

// close gives the data directory back. Tasks that others started here go on
// until they are over, or until ctx ends.
func (s *session) close(ctx context.Context) error {
	if s.ctrl == nil {
		return nil
	}
	s.waitForOthers(ctx)
	s.end()
	<-s.ended
	s.api.Close()
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer stop()
	return s.ctrl.Close(end)
}

// waitForOthers returns when no task runs, or ctx ends.
func (s *session) waitForOthers(ctx context.Context) {
	events, cancel := s.ctrl.Subscribe(0)
	defer cancel()
	for said := false; ctx.Err() == nil; {
		n := s.running(ctx)
		if n == 0 {
			return
		}
		if !said {
			s.env.hint("%s started elsewhere still runs in this piwork. It waits; Ctrl-C stops %s.",
				count(n, "task"), plural(n, "it", "them"))
			said = true
		}
		for over := false; !over; {
			select {
			case <-ctx.Done():
				return
			case ev, open := <-events:
				state, _ := ev.Data.(task.StateData)
				over = state.State.Final()
				if !open {
					return
				}
			}
		}
	}
}

func (s *session) running(ctx context.Context) int {
	tasks, err := s.ctrl.Tasks(ctx)
	if err != nil {
		return 0
	}
	n := 0
	for _, t := range tasks {
		if !t.State.Final() {
			n++
		}
	}
	return n
}

// with connects, calls f, and closes.
func (e *env) with(ctx context.Context, f func(ctx context.Context, s *session) error) error {
	return e.withOptions(ctx, e.appOptions(), f)
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
