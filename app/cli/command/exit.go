package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/vmhost/share"
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

// Ended is a failure that was already shown.
type Ended struct{ Code int }

func (e *Ended) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ran marks errors of a command that cobra started. Every other error is about the
// command line.
type ran struct{ err error }

func (r *ran) Error() string { return r.err.Error() }
func (r *ran) Unwrap() error { return r.err }

// Do makes a cobra function of one that may use a context.
func Do(f func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := f(c.Context(), args); err != nil {
			return &ran{err}
		}
		return nil
	}
}

// Started marks the errors of a command's own RunE (see ran).
func Started(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = Do(func(_ context.Context, args []string) error { return run(cmd, args) })
	return cmd
}

// Finish says what went wrong and returns the exit code.
func (e *Env) Finish(cmd *cobra.Command, err error) int {
	var started *ran
	if err == nil && e.WriteError() != nil {
		err = flags.Usage("format", "error", e.WriteError())
	}
	if err != nil && !errors.As(err, &started) && !isUsage(err) {
		err = inWords(err)
	}
	return e.fail("", terminal.Text("see-help", "command", cmd.CommandPath()), err)
}

// What cobra says of flags that exclude one another, of those that need one another, and of those
// of which one is needed.
var (
	exclusive = regexp.MustCompile(`; \[(\S+) (\S+).*\] were all set$`)
	together  = regexp.MustCompile(`the group \[(.+)\] are set they must all be set; missing \[(\S+).*\]$`)
	either    = regexp.MustCompile(`flags in the group \[(.+)\] is required$`)
)

// inWords is what cobra says of a command line, in words where there are some.
func inWords(err error) error {
	if both := exclusive.FindStringSubmatch(err.Error()); both != nil {
		return flags.Usage("exclude", "one", "--"+both[1], "other", "--"+both[2])
	}
	if lacks := together.FindStringSubmatch(err.Error()); lacks != nil {
		for name := range strings.FieldsSeq(lacks[1]) {
			if name != lacks[2] {
				return flags.Usage("together", "one", "--"+name, "other", "--"+lacks[2])
			}
		}
	}
	if one := either.FindStringSubmatch(err.Error()); one != nil {
		return flags.Usage("either", "flags", "--"+strings.Join(strings.Fields(one[1]), ", --"))
	}
	return misused{err}
}

// Unread reports whether an error is of a command line that no command could be made of.
func Unread(err error) bool {
	var started *ran
	return err != nil && !errors.As(err, &started)
}

// misused is what cobra says of a command line.
type misused struct{ error }

func isUsage(err error) bool {
	var of *flags.UsageError
	var said misused
	return errors.As(err, &of) || errors.As(err, &said)
}

// fail says what went wrong with about, "" for the command as a whole, and returns the exit
// code of that.
func (e *Env) fail(about, help string, err error) int {
	var said *Ended
	var prob *problem.Problem
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &said):
		return said.Code
	case isUsage(err):
		e.misuse(about, help, err)
		return ExitUsage
	case errors.As(err, &prob):
	case e.otherProblem(err) != nil:
		prob = e.otherProblem(err)
	case client.IsUnreachable(err):
		prob = problem.New(codeUnreachable).Because(err)
	default:
		prob = problem.From(err)
	}
	e.failed(about, *prob)
	return ExitCode(*prob)
}

// Told says an error before the command ends, and returns that it was said.
func (e *Env) Told(err error) error { return &Ended{e.fail("", "", err)} }

// Each calls f for each argument. What fails is said with the argument that it is about, and
// the others are done all the same; the command ends with the worst exit code, which is the
// highest. As JSON the answers of several arguments are one list.
func (e *Env) Each(args []string, f func(arg string) error) error {
	if len(args) == 1 {
		return f(args[0])
	}
	var err error
	e.Together(func() { err = e.Remaining(args, f) })
	return err
}

// Remaining is Each for arguments that the person did not name: f answers nothing.
func (e *Env) Remaining(args []string, f func(arg string) error) error {
	worst := ExitDone
	for _, arg := range args {
		worst = max(worst, e.fail(arg, "", f(arg)))
	}
	if worst != ExitDone {
		return &Ended{worst}
	}
	return nil
}

// codeUnreachable is of this package: only a client of another process can
// see it.
const codeUnreachable = "unreachable"

// ExitCode is that of a command which ends with a problem. A folder that is none was
// mistyped; every other one that is refused is for a reason.
func ExitCode(p problem.Problem) int {
	if (p.Code == problem.CodeFolderRefused || p.Code == problem.CodeMoveRefused) && (p.Cause == string(share.RefusedMissing) || p.Cause == string(share.RefusedNotAFolder)) {
		return ExitUsage
	}
	return p.Class().ExitCode()
}

// Group is a command that has others below it.
func Group(use string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(sub...)
	return cmd
}
