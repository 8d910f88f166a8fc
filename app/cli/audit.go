package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
	"piwork/app/words"
)

func auditCommand(e *env) *cobra.Command {
	return group("audit", "Check the log of everything that ran", "",
		&cobra.Command{
			Use:   "verify",
			Short: "Check the log for damaged, changed or missing lines",
			Long: "Finds damage and careless editing. It is no proof against somebody who can write your\n" +
				"files: they can write the whole log anew, or delete the log or its end with the file\n" +
				"audit.head.json beside it.",
			Args: cobra.NoArgs,
			RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
				r, err := s.AuditVerify(ctx)
				if err != nil {
					return err
				}
				e.Show(r, func() {
					if r.OK {
						e.Print("The log is whole: %s.", terminal.Count(int(r.Records), "record"))
						return
					}
					e.Print("The log is NOT whole: line %d (%s).", r.BadLine, words.Printable(r.Reason))
				})
				if !r.OK {
					return &ended{ExitVerify}
				}
				return nil
			}),
		},
	)
}
