package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/background"
)

// closeWithin is how long the controller gets to end.
const closeWithin = 20 * time.Second

// session is a controller to talk to, for one command.
type session struct {
	*background.Session
	*env
	here *background.Here // this process has it; nil for another
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
	s := &session{env: e}
	so := background.SessionOptions{App: o}
	if e.options.Open != nil {
		s.here = &background.Here{Server: background.ServerOptions{Open: e.options.Open}}
		so.Launch = s.here.Launch
	}
	var err error
	if s.Session, err = background.Open(ctx, so); err != nil {
		return nil, err
	}
	if s.Launched && s.here == nil && e.IsTerminal(e.Stderr) {
		e.HintText("background-began", "minutes", minutes(s.Process.IdleEnd))
	}
	if s.Outdated {
		e.HintText("background-other")
	}
	return s, nil
}

// close ends what this process has.
func (s *session) close() error {
	s.Session.Close()
	if s.here == nil {
		return nil
	}
	return s.here.Close()
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
	return e.withOptions(ctx, o, f)
}

func (e *env) withOptions(ctx context.Context, o app.Options, f func(ctx context.Context, s *session) error) error {
	s, err := e.connect(ctx, o)
	if err != nil {
		return err
	}
	err = f(ctx, s)
	if cerr := s.close(); err == nil {
		err = cerr
	}
	return err
}

// command is a command that talks to a controller.
type command = func(ctx context.Context, s *session, args []string) error

// connected makes a cobra function of a command.
func (e *env) connected(f command) func(*cobra.Command, []string) error {
	return do(func(ctx context.Context, args []string) error {
		return e.with(ctx, func(ctx context.Context, s *session) error { return f(ctx, s, args) })
	})
}

// command makes a command of the program of one that talks to a controller.
func (e *env) command(use string, args cobra.PositionalArgs, f command) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: e.connected(f)}
}

// bootingCommand is command for one that opens a workroom by itself (see withAccel).
func (e *env) bootingCommand(use string, args cobra.PositionalArgs, f command) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: do(func(ctx context.Context, args []string) error {
		return e.withAccel(ctx, func(ctx context.Context, s *session) error { return f(ctx, s, args) })
	})}
}
