package command

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/pack/trust"
)

// Session is a controller to talk to, for one command.
type Session struct {
	*background.Session
	*Env
	here  *background.Here // this process has it; nil for another
	leave func()           // ends its connections to another computer; nil for this one
}

// logger writes to stderr when asked to.
func (e *Env) logger() *slog.Logger {
	if !e.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// AppOptions says where the controller lives.
func (e *Env) AppOptions() app.Options {
	return app.Options{DataDir: e.DataDir, Version: e.Version, Developer: trust.DeveloperBuild, Log: e.logger()}
}

// Connect finds the controller, or starts it; with --on that of another computer.
func (e *Env) Connect(ctx context.Context, o app.Options) (*Session, error) {
	if e.On != "" {
		return e.connectOther(ctx)
	}
	s := &Session{Env: e}
	so := background.SessionOptions{App: o, Door: cmp.Or(e.Door, task.DoorCLI)}
	if e.Options.Open != nil {
		s.here = &background.Here{Server: background.ServerOptions{Open: e.Options.Open}}
		so.Launch = s.here.Launch
	}
	var err error
	if s.Session, err = background.Open(ctx, so); err != nil {
		return nil, err
	}
	if s.Launched && s.here == nil && e.IsTerminal(e.Stderr) {
		e.HintText("background-began", "minutes", Minutes(s.Process.IdleEnd))
	}
	if s.Outdated {
		e.HintText("background-other")
	}
	return s, nil
}

// Close ends what this process has.
func (s *Session) Close() error {
	s.Session.Close()
	if s.leave != nil {
		s.leave()
	}
	if s.here == nil {
		return nil
	}
	return s.here.Close()
}

// With connects, calls f, and closes.
func (e *Env) With(ctx context.Context, f func(ctx context.Context, s *Session) error) error {
	return e.WithOptions(ctx, e.AppOptions(), f)
}

// WithAccel is With for commands that boot a workroom themselves: in the mode of --accel,
// where it starts the controller.
func (e *Env) WithAccel(ctx context.Context, f func(ctx context.Context, s *Session) error) error {
	o := e.AppOptions()
	o.Accel = e.Accel
	return e.WithOptions(ctx, o, f)
}

// WithOptions is With for the controller of these options.
func (e *Env) WithOptions(ctx context.Context, o app.Options, f func(ctx context.Context, s *Session) error) error {
	ctx, span := telemetry.BeginCommand(ctx)
	s, err := e.Connect(ctx, o)
	if err != nil {
		return err
	}
	err = f(ctx, s)
	if span.Traced() {
		span.Failed = err != nil
		s.traced(ctx, span)
	}
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}

// traced tells the controller of the span of this command. Nobody waits for one that hangs.
func (s *Session) traced(ctx context.Context, span telemetry.Command) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = s.EndCommand(ctx, span) // it may be gone; the command has its own end
}

// Func is a command that talks to a controller.
type Func = func(ctx context.Context, s *Session, args []string) error

// Connected makes a cobra function of a command.
func (e *Env) Connected(f Func) func(*cobra.Command, []string) error {
	return Do(func(ctx context.Context, args []string) error {
		return e.With(ctx, func(ctx context.Context, s *Session) error { return f(ctx, s, args) })
	})
}

// Command makes a command of the program of one that talks to a controller.
func (e *Env) Command(use string, args cobra.PositionalArgs, f Func) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: e.Connected(f)}
}

// EachCommand makes a command of what it does with one argument; it takes several.
func (e *Env) EachCommand(use string, f func(ctx context.Context, s *Session, arg string) error) *cobra.Command {
	return e.Command(use, cobra.MinimumNArgs(1), func(ctx context.Context, s *Session, args []string) error {
		return e.Each(args, func(arg string) error { return f(ctx, s, arg) })
	})
}

// BootingCommand is Command for one that opens a workroom by itself (see WithAccel).
func (e *Env) BootingCommand(use string, args cobra.PositionalArgs, f Func) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: Do(func(ctx context.Context, args []string) error {
		return e.WithAccel(ctx, func(ctx context.Context, s *Session) error { return f(ctx, s, args) })
	})}
}

// Prompt asks, with a text, for a line that nobody sees. It says where that goes: another computer
// may say that its keys are locked, to get what opens those of this one.
func (e *Env) Prompt(ctx context.Context, id string, about ...any) (string, error) {
	text := terminal.Text(id, about...)
	if e.On != "" {
		text = terminal.Text("prompt-there", "name", e.On, "prompt", text)
	}
	return e.Secret(ctx, text+" ")
}

// Consent asks on a terminal; without one only --yes is a yes.
func (e *Env) Consent(ctx context.Context, question string) error {
	if e.Yes || e.CanAsk() && e.Ask(ctx, question) {
		return nil
	}
	if ctx.Err() != nil {
		return &Ended{Code: ExitCancelled}
	}
	if e.JSON {
		e.Problem(*problem.New(problem.CodeDenied))
		return &Ended{Code: ExitDenied}
	}
	if !e.CanAsk() { // what would be agreed to is said all the same
		e.Hint("%s", question)
	}
	e.PrintText("cancelled")
	if !e.CanAsk() {
		e.HintText("with-yes")
	}
	return &Ended{Code: ExitDenied}
}

// Minutes rounds seconds up.
func Minutes(seconds int) int { return (seconds + 59) / 60 }
