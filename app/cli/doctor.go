package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"piwork/app/setup"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func doctorCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this computer is ready, and what to do if not",
		Long: "Looks at the runtime pack and opens the workroom once for a test. Exit code 0\n" +
			"when piwork is ready, 3 when something has to be set up first.",
		Args: cobra.NoArgs,
		RunE: e.booting(func(ctx context.Context, s *session, _ []string) error {
			bar := e.StartProgress("Opening the workroom for a test")
			report, err := s.Status(ctx, true)
			bar.Stop()
			if err != nil {
				return err
			}
			e.Show(report, func() {
				printReport(e, report)
				if report.Ready {
					printWarmStart(ctx, s)
				}
			})
			if !report.Ready {
				return &ended{ExitSetup}
			}
			return nil
		}),
	}
}

// printReport writes a line for each check, a card for each problem, and the answer.
func printReport(e *env, r setup.Report) {
	e.Print("piwork %s on %s/%s", words.Printable(r.Version), words.Printable(r.OS), words.Printable(r.Arch))
	for _, c := range r.Checks {
		line := fmt.Sprintf("  %-4s %s", wording.Word(wording.CheckMarks, c.State), wording.Name("check", c.Code))
		if extra := wording.CheckExtra(c); extra != "" {
			line += ", " + extra
		}
		e.Print("%s", line)
	}
	if r.Pack.Developer {
		e.Print("       The runtime pack is signed by a developer's key of this computer.")
	}
	if len(r.Pack.Missing) > 0 {
		e.Print("       The runtime pack is of the flavour %s, with a plainer kernel and QEMU:", words.Printable(r.Pack.Flavour))
		for _, ability := range r.Pack.Missing {
			e.Print("       - %s", wording.Name("pack-missing", ability))
		}
	}
	for _, p := range r.Problems {
		e.Print("")
		e.card(e.Stdout, "", p)
	}
	e.Print("")
	switch {
	case r.Ready && r.Accel.SlowMode:
		e.Print("Ready, in slow mode.")
	case r.Ready:
		e.Print("Ready.")
	default:
		e.Print("Not ready yet.")
	}
}
