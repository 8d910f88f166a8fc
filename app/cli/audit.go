package cli

import (
	"piwork/app/cli/command"

	"context"

	"github.com/spf13/cobra"
)

func auditCommand(e *env) *cobra.Command {
	return command.Group("audit",
		e.Command("verify", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
			r, err := s.AuditVerify(ctx)
			if err != nil {
				return err
			}
			e.Show(r, func() {
				if r.OK {
					e.PrintText("log-whole", "count", r.Records)
					return
				}
				e.PrintText("log-broken", "line", r.BadLine, "reason", r.Reason)
			})
			if !r.OK {
				return &command.Ended{Code: ExitVerify}
			}
			return nil
		}),
	)
}
