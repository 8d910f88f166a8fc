package file

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/actions"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost/wire"
)

// Fetch gets what is at an address of the web, in a task.
func Fetch(e *command.Env) *cobra.Command {
	var r actions.FetchRequest
	cmd := command.OnTask(e, "fetch ID URL", cobra.ExactArgs(2), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		r.URL = rest[0]
		got, err := s.Fetch(ctx, t.ID, r)
		if err != nil || s.JSON {
			return s.Reply(got, err, func() {})
		}
		if got.Info != nil {
			s.PrintText("file-written", "path", got.Info.Path, "size", terminal.Size(got.Size))
		} else if _, err := s.Answers().Write(got.Data); err != nil {
			return err
		}
		if got.Status >= 400 {
			s.HintText("fetch-status", "status", got.Status)
		}
		return nil
	})
	cmd.Flags().StringVar(&r.Into, "into", "", "")
	flags.Requires(cmd, &r.RequiresRuntime)
	cmd.Flags().Int64Var(&r.Limit, "limit", 0, "")
	return cmd
}

// Visit does something with pages of the web, in a task.
func Visit(e *command.Env) *cobra.Command {
	var r actions.VisitRequest
	cmd := command.OnTask(e, "visit ID STEP [, STEP]...", cobra.MinimumNArgs(3), func(ctx context.Context, s *command.Session, t task.Task, rest []string) error {
		var err error
		if r.Steps, err = steps(rest); err != nil {
			return err
		}
		got, err := s.Visit(ctx, t.ID, r)
		return s.Reply(got, err, func() {
			for _, done := range got.Steps {
				for line := range strings.Lines(done.Text) {
					s.Print("%s", words.Printable(strings.TrimRight(line, "\r\n")))
				}
				if done.File != nil {
					s.PrintText("file-written", "path", done.File.Path, "size", terminal.Size(done.File.Size))
				}
			}
		})
	})
	cmd.Flags().IntVar(&r.Seconds, "seconds", 0, "")
	flags.Requires(cmd, &r.RequiresRuntime)
	return cmd
}

// steps reads what is done with pages: words, and a comma of its own between two steps.
func steps(given []string) ([]wire.PageStep, error) {
	var out []wire.PageStep
	for len(given) > 0 {
		one := given
		if i := slices.Index(given, ","); i >= 0 {
			one, given = given[:i], given[i+1:]
		} else {
			given = nil
		}
		s, ok := step(one)
		if !ok {
			return nil, flags.Usage("visit-step", "step", one)
		}
		out = append(out, s)
	}
	return out, nil
}

// step reads one step.
func step(given []string) (s wire.PageStep, ok bool) {
	if len(given) == 0 {
		return s, false
	}
	s.Do = given[0]
	into := map[string][]*string{
		wire.PageOpen: {&s.URL}, wire.PageClick: {&s.Selector}, wire.PageType: {&s.Selector, &s.Text}, wire.PageText: {&s.Selector},
		wire.PageScreenshot: {&s.Into}, wire.PagePDF: {&s.Into},
	}[s.Do]
	if len(given)-1 > len(into) || len(given)-1 < len(into) && s.Do != wire.PageText {
		return s, false
	}
	for i, word := range given[1:] {
		*into[i] = word
	}
	return s, into != nil
}
