package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/problem"
	"piwork/app/upkeep"
)

func licencesCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "licences [NAME]",
		Short: "What piwork and its runtime are made of, and under which licences",
		Long: "Without a name, lists the parts of the program, of its window and of the runtime\n" +
			"in use. With a name, prints the licence of that part.",
		Args: cobra.MaximumNArgs(1),
		RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
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
			return e.reply(all, nil, func() {
				for _, l := range all.Items {
					e.say("%-8s %s", l.Of, strings.TrimRight(printable(l.Name)+" "+printable(l.Version)+"  "+printable(l.Licence), " "))
				}
			})
		}),
	}
}

func printLicence(e *env, all upkeep.Licences, name string) error {
	for _, l := range all.Items {
		if l.Name != name {
			continue
		}
		return e.reply(l, nil, func() {
			if l.Text == "" {
				e.say("%s", printable(l.File))
				return
			}
			e.say("%s", printableLines(l.Text))
		})
	}
	return problem.New(problem.CodeNotFound).With("name", name)
}
