package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
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
// Command line.
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
	if err == nil {
		return ExitDone
	}
	var (
		said    *Ended
		misused *flags.UsageError
		started *ran
		prob    *problem.Problem
	)
	switch {
	case errors.As(err, &said):
		return said.Code
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
	e.Problem(*prob)
	return ExitCode(*prob)
}

// codeUnreachable is of this package: only a client of another process can
// see it.
const codeUnreachable = "unreachable"

// ExitCode is that of a command which ends with a problem.
func ExitCode(p problem.Problem) int { return problem.ClassOf(p.Code).ExitCode() }

// Group is a command that has others below it.
func Group(use string, sub ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(sub...)
	return cmd
}
