package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/upkeep"
	"piwork/app/words"
)

func licencesCommand(e *env) *cobra.Command {
	return e.Command("licences [NAME]", cobra.MaximumNArgs(1), func(ctx context.Context, s *session, args []string) error {
		all, err := s.Licences(ctx)
		if err != nil {
			return err
		}
		if len(args) == 1 {
			return printLicence(e, all, args[0])
		}
		for i := range all.Items {
			all.Items[i].Text = "" // of one that is named
		}
		return e.Reply(all, nil, func() {
			for _, l := range all.Items {
				e.Print("%-8s %s", l.Of, strings.TrimRight(words.Printable(l.Name)+" "+words.Printable(l.Version)+"  "+words.Printable(l.Licence), " "))
			}
		})
	})
}

func printLicence(e *env, all upkeep.Licences, name string) error {
	for _, l := range all.Items {
		if l.Name != name {
			continue
		}
		return e.Reply(l, nil, func() {
			if l.Text == "" {
				e.Print("%s", words.Printable(l.File))
				return
			}
			e.Print("%s", terminal.PrintableLines(l.Text))
		})
	}
	return problem.New(problem.CodeNotFound).With("name", name)
}
