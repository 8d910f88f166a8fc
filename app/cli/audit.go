package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func auditCommand(e *env) *cobra.Command {
	return group("audit",
		e.command("verify", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
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
				return &ended{ExitVerify}
			}
			return nil
		}),
	)
}
