package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/setup"
)

func doctorCommand(e *env) *cobra.Command {
	return e.BootingCommand("doctor", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		bar := e.StartProgress(terminal.Text("progress-test"))
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
			return &command.Ended{Code: ExitSetup}
		}
		return nil
	})
}

// printReport writes a line for each check, a card for each problem, and the answer.
func printReport(e *env, r setup.Report) {
	e.PrintText("version-on", "version", r.Version, "os", r.OS, "arch", r.Arch)
	for _, c := range r.Checks {
		line := fmt.Sprintf("  %-4s %s", wording.Name("check-mark", c.State), wording.Name("check", c.Code))
		if extra := wording.CheckExtra(c); extra != "" {
			line += ", " + extra
		}
		e.Print("%s", line)
	}
	if r.Pack.Developer {
		e.Print("       %s", terminal.Text("signed-here"))
	}
	if len(r.Pack.Missing) > 0 {
		e.Print("       %s", terminal.Text("flavour", "flavour", r.Pack.Flavour))
		for _, ability := range r.Pack.Missing {
			e.Print("       - %s", wording.Name("pack-missing", ability))
		}
	}
	for _, p := range r.Problems {
		e.Print("")
		e.Card(e.Stdout, "", p)
	}
	e.Print("")
	switch {
	case r.Ready && r.Accel.SlowMode:
		e.PrintText("is-ready-slow")
	case r.Ready:
		e.PrintText("is-ready")
	default:
		e.PrintText("not-ready")
	}
}
