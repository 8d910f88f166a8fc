package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"piwork/app/cli/auditlog"
	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/config"
	"piwork/app/cli/door"
	"piwork/app/cli/flags"
	"piwork/app/cli/help"
	"piwork/app/cli/mcpserver"
	"piwork/app/cli/packs"
	"piwork/app/cli/place"
	"piwork/app/cli/policy"
	"piwork/app/cli/service"
	sessioncommand "piwork/app/cli/session"
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/pack/trust"
)

// Exit codes of every command.
const (
	ExitDone      = command.ExitDone
	ExitFailed    = command.ExitFailed
	ExitUsage     = command.ExitUsage
	ExitSetup     = command.ExitSetup
	ExitDenied    = command.ExitDenied
	ExitVerify    = command.ExitVerify
	ExitConflict  = command.ExitConflict
	ExitCancelled = command.ExitCancelled
)

// Set by the build, see scripts: -ldflags "-X piwork/app/cli.version=1.2.3".
var version = "0.0.0"

// Version of this program.
func Version() string { return version }

// Developer reports whether this is a build for developers, which trusts the
// keys of the developer key ring too.
func Developer() bool { return trust.DeveloperBuild }

// Options are what main knows. The zero value is the ordinary program.
type Options = command.Options

type (
	env     = command.Env
	session = command.Session
)

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
	root := newRoot(e)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	defer e.Leave()
	if command.Unread(err) {
		e.JSON = flags.ForPrograms(args)
	}
	code := e.Finish(cmd, err)
	if _, is := errors.AsType[*command.Ended](err); (cmd.Name() == "exec" || cmd.Name() == "attach" || cmd.CommandPath() == "piwork session run") && !is {
		code = command.OwnStatus(code)
	}
	return code
}

func newEnv(o Options) *env {
	return &env{
		Terminal: &terminal.Terminal{Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr, IsTerminal: o.IsTerminal},
		Options:  o, Version: version,
	}
}

func newRoot(e *env) *cobra.Command {
	var format flags.Format
	var newWindow bool
	root := &cobra.Command{
		Use:           "piwork",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case newWindow && e.Options.NoWindow:
				return flags.Usage("no-window")
			case newWindow: // alone it never comes here
				return flags.Usage("new-window")
			case e.Options.NoWindow:
				e.HintText("no-window")
			}
			return c.Help()
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) (err error) {
			if e.Out, err = format.Chosen(); err != nil {
				return err
			}
			e.JSON = e.Out.Programs()
			if dir := c.Flag("data-dir"); dir.Changed && e.DataDir == "" {
				return flags.Usage("flag-value", "flag", "--data-dir")
			}
			if e.DataDir, err = flags.DataDir(e.DataDir); err != nil {
				return err
			}
			if err := chooseComputer(e, c); err != nil {
				return err
			}
			if kind, requires := c.Flag("runtime"), c.Flag("requires"); kind != nil && requires != nil {
				for _, o := range flags.OldOverrides(kind.Value.String(), requires.Changed) {
					e.HintText("old-override", "name", o.Name, "value", o.Value, "requires", o.Requires)
				}
			}
			if e.Accel != "" && e.Accel != "tcg" {
				return flags.Usage("accel", "value", e.Accel)
			}
			return nil
		},
	}
	root.Flags().BoolVar(&newWindow, "new-window", false, "")
	root.SetVersionTemplate("piwork {{.Version}}\n")
	f := root.PersistentFlags()
	f.BoolVarP(&e.Quiet, "quiet", "q", false, "")
	f.BoolVarP(&e.Yes, "yes", "y", false, "")
	f.BoolVar(&e.Verbose, "verbose", false, "")
	f.StringVar(&e.Accel, "accel", "", "")
	f.StringVar(&e.DataDir, "data-dir", "", "")
	f.StringVar(&e.On, "on", "", "")
	format.Add(root)
	_ = root.MarkPersistentFlagDirname("data-dir")
	for _, g := range []struct {
		id       string
		commands []*cobra.Command
	}{
		{"group-start", []*cobra.Command{doctorCommand(e), runCommand(e), choreCommand(e), askCommand(e), execCommand(e), toolCommand(e)}},
		{"group-tasks", []*cobra.Command{taskCommand(e), sessioncommand.Command(e)}},
		{"group-runtime", []*cobra.Command{statusCommand(e), serveCommand(e), healthCommand(e), prepareCommand(e), packs.Command(e), place.Command(e), place.Remote(e), storageCommand(e)}},
		{"group-settings", []*cobra.Command{settingsCommand(e), config.Command(e), keyCommand(e), service.Command(e), networkCommand(e), rulesCommand(e), policy.Command(e), mcpserver.Command(e)}},
		{"group-programs", []*cobra.Command{door.MCP(e), door.ACP(e), door.Token(e), dialStdioCommand(e)}},
		{"group-more", []*cobra.Command{logsCommand(e), auditlog.Command(e), diagnosticsCommand(e), licencesCommand(e), versionCommand(e)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("group-more")
	root.SetCompletionCommandGroupID("group-more")
	root.SetIn(e.Options.Stdin)
	root.SetOut(e.Options.Stdout)
	root.SetErr(e.Options.Stderr)
	completion.Add(e, root)
	help.Add(root)
	flags.PlainArguments(root)
	return root
}

// Commands are the program's, with their texts in a language, for who describes them.
func Commands(texts *words.Catalogue) *cobra.Command {
	root := newRoot(newEnv(Options{}))
	help.Describe(root, texts, "help.")
	return root
}
