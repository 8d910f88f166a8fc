package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/chore"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/words"
)

func choreCommand(e *env) *cobra.Command {
	return command.Group("chore",
		e.Command("list", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
			all, err := s.Chores(ctx)
			return e.Reply(all, err, func() {
				for _, c := range all {
					terminal.Texts().Chore(&c)
					e.Print("%-18s %s", words.Printable(c.Name), c.About)
				}
			})
		}),
		e.EachCommand("show NAME...", func(ctx context.Context, s *session, name string) error {
			c, err := findChore(ctx, s, name)
			return e.Reply(c, err, func() { choreShow(e, c) })
		}),
	)
}

// findChore returns a chore by name; the problem names those that there are.
func findChore(ctx context.Context, s *session, name string) (chore.Info, error) {
	all, err := s.Chores(ctx)
	if err != nil {
		return chore.Info{}, err
	}
	var names []string
	for _, c := range all {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	p := problem.New(problem.CodeUnknownChore).With("chore", name)
	p.Details = terminal.Text("the-chores", "similar", flags.Similar(name, names), "names", names)
	return chore.Info{}, p
}

// parameters are the names of what a chore can be set to.
func parameters(c chore.Info) (out []string) {
	for _, p := range c.Params {
		out = append(out, p.Name)
	}
	return out
}

// knownChoices refuses a value of a setting that is none of those that it has.
func knownChoices(c chore.Info, set map[string]any) error {
	for _, p := range c.Params {
		if value, given := set[p.Name].(string); given && len(p.Choices) > 0 && !slices.Contains(p.Choices, value) {
			return flags.Usage("set-choice", "name", p.Name, "value", value, "choices", p.Choices)
		}
	}
	return nil
}

func choreShow(e *env, c chore.Info) {
	terminal.Texts().Chore(&c)
	e.Print("%s: %s", words.Printable(c.Name), c.About)
	e.Print("  piwork run %s --folder PATH%s", words.Printable(c.Name), setExample(c))
	if len(c.Params) > 0 {
		e.PrintText("chore-settings")
	}
	for _, p := range c.Params {
		line := fmt.Sprintf("  %-12s %s", words.Printable(p.Name), labelled(p))
		if p.Type == chore.TypePassword {
			e.Print("%s", line) // it is no --set, and there is none otherwise
			continue
		}
		if p.Min != nil && p.Max != nil {
			line += " [" + terminal.Text("range", "min", *p.Min, "max", *p.Max) + "]"
		}
		if len(p.Choices) > 0 {
			line += " [" + words.Printable(strings.Join(p.Choices, " "+terminal.Text("or")+" ")) + "]"
		}
		e.Print("%s; %s", line, terminal.Text("default", "value", wording.Shown(p.Default)))
	}
	if len(c.Needs) > 0 {
		e.PrintText("needs", "list", c.Needs)
	}
}

// labelled is what a parameter is called, and what there is to know of it.
func labelled(p chore.ParamInfo) string {
	if p.Words.Hint == "" {
		return p.Words.Label
	}
	return p.Words.Label + " (" + strings.TrimSuffix(p.Words.Hint, ".") + ")"
}

func setExample(c chore.Info) string {
	for _, p := range c.Params {
		if p.Type == "bool" {
			return " [--set " + words.Printable(p.Name) + "=true]"
		}
	}
	return ""
}
