package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
	"piwork/app/words"
)

func healthCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Show the state of piwork in a few lines",
		Long:  "Does not look anew where that was done before: piwork doctor does.",
		Args:  cobra.NoArgs,
		RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
			bar := e.StartProgress("Looking at this computer")
			page, err := s.HealthPage(ctx)
			bar.Stop()
			return e.Reply(page, err, func() {
				e.Print("piwork %s, for %s", words.Printable(page.Version), (time.Duration(page.UptimeMS) * time.Millisecond).Round(time.Second))
				if page.Status != nil {
					printReport(e, *page.Status)
				}
				if m := page.Machines; m != nil {
					e.Print("Workrooms: %d open, %d waiting, at most %d", m.Running, m.Queued, m.AtOnce)
				}
				if a := page.Audit; a != nil && a.OK {
					e.Print("The log of what was run is whole: %s.", terminal.Count(int(a.Records), "record"))
				} else if a != nil {
					e.Print("The log of what was run is NOT whole: line %d.", a.BadLine)
				}
				if st := page.Storage; st != nil {
					total := int64(0)
					for _, i := range st.Items {
						total += i.Bytes
					}
					e.Print("On the disk: %s (piwork storage)", terminal.Size(total))
				}
				for _, p := range page.Problems {
					e.card(e.Stdout, "", *p)
				}
			})
		}),
	}
}
