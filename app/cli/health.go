package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
)

func healthCommand(e *env) *cobra.Command {
	return e.Command("health", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		bar := e.StartProgress(terminal.Text("progress-computer"))
		page, err := s.HealthPage(ctx)
		bar.Stop()
		return e.Reply(page, err, func() {
			e.PrintText("uptime", "version", page.Version, "time", (time.Duration(page.UptimeMS) * time.Millisecond).Round(time.Second))
			if page.Status != nil {
				printReport(e, *page.Status)
			}
			if m := page.Machines; m != nil {
				e.PrintText("workrooms", "open", m.Running, "waiting", m.Queued, "most", m.AtOnce)
			}
			if a := page.Audit; a != nil && a.OK {
				e.PrintText("log-whole", "count", a.Records)
			} else if a != nil {
				e.PrintText("log-broken", "record", a.BadLine, "reason", "")
			}
			if st := page.Storage; st != nil {
				total := int64(0)
				for _, i := range st.Items {
					total += i.Bytes
				}
				e.PrintText("on-disk", "bytes", total)
			}
			for _, p := range page.Problems {
				e.Card(e.Stdout, "", *p)
			}
		})
	})
}
