package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/pack/trust"
)

// Exit codes of every command.
const (
	ExitDone      = 0
	ExitFailed    = 1
	ExitUsage     = 2
	ExitSetup     = 3 // setup required
	ExitDenied    = 4 // by policy or by the person
	ExitVerify    = 5 // a verification failed
	ExitConflict  = 6 // something changed since
	ExitCancelled = 130
)

// Set by the build, see scripts: -ldflags "-X piwork/app/cli.version=1.2.3".
var version = "0.0.0"

// Version of this program.
func Version() string { return version }

// Developer reports whether this is a build for developers, which trusts the
// keys of the developer key ring too.
func Developer() bool { return trust.DeveloperBuild }

// Options are what main knows. The zero value is the ordinary program.
type Options struct {
	Stdin          io.Reader // nil is os.Stdin; and so on
	Stdout, Stderr io.Writer
	Pages          fs.FS // the built front end, for serve --http
	NoWindow       bool  // this build has none: said where a window was to be expected

	// Open takes the data directory, in this process; nil is that of a process in the
	// background, and app.Open for serve.
	Open func(ctx context.Context, o app.Options) (background.Controller, error)

	// IsTerminal reports whether a stream is a terminal; nil looks at it.
	IsTerminal func(stream any) bool
}

// Main runs the command that args name and returns its exit code. SIGINT,
// SIGTERM and SIGHUP cancel it; a second one ends the program at once.
func Main(args []string, o Options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, args, o)
}

func run(ctx context.Context, args []string, o Options) int {
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	if o.IsTerminal == nil {
		o.IsTerminal = terminal.IsTerminal
	}
	e := newEnv(o)
	root := e.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code := e.finish(cmd, err)
	var said *ended
	if cmd.Name() == "exec" && code != ExitDone && code != ExitCancelled && !errors.As(err, &said) {
		return ExitOwn // else it could be the program's
	}
	return code
}

// env is one run of the program.
type env struct {
	*terminal.Terminal
	options Options
	accel   string
}

func newEnv(o Options) *env {
	return &env{
		Terminal: &terminal.Terminal{Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr, IsTerminal: o.IsTerminal},
		options:  o,
	}
}

func (e *env) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "piwork",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if e.options.NoWindow {
				e.HintText("no-window")
			}
			return c.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if e.accel != "" && e.accel != "tcg" {
				return flags.Usage("accel", "value", e.accel)
			}
			return nil
		},
	}
	root.SetVersionTemplate("piwork {{.Version}}\n")
	f := root.PersistentFlags()
	f.BoolVar(&e.JSON, "json", false, "")
	f.BoolVarP(&e.Quiet, "quiet", "q", false, "")
	f.BoolVarP(&e.Yes, "yes", "y", false, "")
	f.BoolVar(&e.Verbose, "verbose", false, "")
	f.StringVar(&e.accel, "accel", "", "")
	for _, g := range []struct {
		id       string
		commands []*cobra.Command
	}{
		{"group-files", []*cobra.Command{runCommand(e), choreCommand(e), askCommand(e), execCommand(e), toolCommand(e), taskCommand(e)}},
		{"group-permissions", []*cobra.Command{keyCommand(e), networkCommand(e), rulesCommand(e)}},
		{"group-computer", []*cobra.Command{doctorCommand(e), healthCommand(e), settingsCommand(e), prepareCommand(e), packCommand(e), storageCommand(e)}},
		{"group-logs", []*cobra.Command{logsCommand(e), auditCommand(e), diagnosticsCommand(e), statusCommand(e), serveCommand(e), licencesCommand(e), versionCommand(e)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: terminal.Text(g.id)})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("group-logs")
	root.SetCompletionCommandGroupID("group-logs")
	root.SetIn(e.options.Stdin)
	root.SetOut(e.options.Stdout)
	root.SetErr(e.options.Stderr)
	inWords(root)
	flags.PlainArguments(root)
	return root
}

// ended is a failure that was already shown.
type ended struct{ code int }

func (e *ended) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// ran marks errors of a command that cobra started. Every other error is about the
// command line.
type ran struct{ err error }

func (r *ran) Error() string { return r.err.Error() }
func (r *ran) Unwrap() error { return r.err }

// do makes a cobra function of one that may use a context.
func do(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := f(c.Context(), args); err != nil {
			return &ran{err}
		}
		return nil
	}
}

// started marks the errors of a command's own RunE (see ran).
func started(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = do(func(_ context.Context, args []string) error { return run(cmd, args) })
	return cmd
}

// finish says what went wrong and returns the exit code.
func (e *env) finish(cmd *cobra.Command, err error) int {
	if err == nil {
		return ExitDone
	}
	var (
		said    *ended
		misused *flags.UsageError
		started *ran
		prob    *problem.Problem
	)
	switch {
	case errors.As(err, &said):
		return said.code
	case errors.As(err, &misused) || !errors.As(err, &started):
		if e.JSON {
			e.Document(map[string]any{"error": problem.New(problem.CodeBadRequest).Because(err)})
			return ExitUsage
		}
		fmt.Fprintln(e.Stderr, "piwork: "+terminal.PrintableLines(err.Error()))
		fmt.Fprintln(e.Stderr, terminal.Text("see-help", "command", cmd.CommandPath()))
		return ExitUsage
	case errors.As(err, &prob):
	case client.IsUnreachable(err):
		prob = problem.New(codeUnreachable).Because(err)
	default:
		prob = problem.From(err)
	}
	e.problem(*prob)
	return exitCode(*prob)
}

// codeUnreachable is of this package: only a client of another process can
// see it.
const codeUnreachable = "unreachable"

func exitCode(p problem.Problem) int { return problem.ClassOf(p.Code).ExitCode() }

// group is a command that has others below it.
func group(use string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(sub...)
	return cmd
}
