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

	// Open takes the data directory; nil is app.Open.
	Open func(ctx context.Context, o app.Options) (client.Controller, error)

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
	root.SetIn(o.Stdin)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
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
		Use:   "piwork",
		Short: "Do chores on your folders in a closed workroom, with undo",
		Long: "piwork does chores on folders that you choose. The work happens in a closed\n" +
			"workroom on this computer that sees only those folders; you see the plan\n" +
			"before anything is changed, and can undo everything.",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if e.options.NoWindow {
				e.Hint("This piwork is the command line only; the window is in the desktop build.\n")
			}
			return c.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if e.accel != "" && e.accel != "tcg" {
				return flags.Usage("--accel knows only tcg, the slow mode, not %q", e.accel)
			}
			return nil
		},
	}
	root.SetVersionTemplate("piwork {{.Version}}\n")
	f := root.PersistentFlags()
	f.BoolVar(&e.JSON, "json", false, "answer as JSON: one document, or one event a line")
	f.BoolVarP(&e.Quiet, "quiet", "q", false, "no progress and no hints")
	f.BoolVarP(&e.Yes, "yes", "y", false, "answer piwork's own questions with yes, but for those about the network")
	f.BoolVar(&e.Verbose, "verbose", false, "show the details of problems, and a log on stderr")
	f.StringVar(&e.accel, "accel", "", "tcg: work slowly, without acceleration")
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Work on your files:", []*cobra.Command{runCommand(e), choreCommand(e), askCommand(e), execCommand(e), toolCommand(e), taskCommand(e)}},
		{"Permissions and AI:", []*cobra.Command{keyCommand(e), networkCommand(e), rulesCommand(e)}},
		{"This computer:", []*cobra.Command{doctorCommand(e), healthCommand(e), settingsCommand(e), prepareCommand(e), packCommand(e), storageCommand(e)}},
		{"Logs and programs:", []*cobra.Command{logsCommand(e), auditCommand(e), diagnosticsCommand(e), serveCommand(e), licencesCommand(e), versionCommand(e)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("Logs and programs:")
	root.SetCompletionCommandGroupID("Logs and programs:")
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
		fmt.Fprintln(e.Stderr, "See: "+cmd.CommandPath()+" --help")
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
func group(use, short, long string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(sub...)
	return cmd
}
