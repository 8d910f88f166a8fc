package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/words"

	"piwork/app/cli/wording"
)

func packRollbackCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "rollback",
		Short: "Go back to the previous version",
		Long: "Tasks that run finish on the version they started with. What was in use is kept,\n" +
			"and not updated to again by itself. Exit code 6 when there is no version before.",
		Args: cobra.NoArgs,
		RunE: e.booting(func(ctx context.Context, s *session, _ []string) error {
			p, err := s.RollbackPack(ctx)
			return e.Reply(p, err, func() { e.Print("Version %s is in use again.", words.Printable(p.Version)) })
		}),
	}
}

func packRemoveCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:               "remove VERSION",
		Short:             "Delete a version that is not in use",
		Long:              "Exit code 6 when it is the version in use, or a task still works on it.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: e.complete(versions(removable), cobra.ShellCompDirectiveNoFileComp),
		RunE: e.connected(func(ctx context.Context, s *session, args []string) error {
			p, err := findPack(ctx, s, []string{args[0]})
			if err != nil {
				return err
			}
			return e.Reply(p, s.RemovePack(ctx, p.Version), func() {
				e.Print("Version %s is deleted. %s are free again.", words.Printable(p.Version), terminal.Size(p.Bytes))
			})
		}),
	}
}

func packRepairCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "repair [FILE]",
		Short: "Repair the runtime and its add-ons",
		Long: "From a pack or a bundle; without FILE from a bundle that lies beside the program,\n" +
			"or from the update channel.",
		Args: cobra.MaximumNArgs(1),
		RunE: do(func(ctx context.Context, args []string) error {
			file := ""
			if len(args) == 1 {
				var err error
				if file, err = flags.FilePath(args[0]); err != nil {
					return err
				}
			}
			return e.withAccel(ctx, func(ctx context.Context, s *session) error {
				bar := e.StartProgress("Repairing")
				stop := watchPack(s, bar)
				p, err := s.RepairPack(ctx, file)
				stop()
				bar.Stop()
				return e.Reply(p, err, func() {
					e.Print("Repaired: %s.", wording.PackWords(p))
					printPackFacts(e, p)
				})
			})
		}),
	}
}

// watchPack shows on bar what is heard of packs and updates from now on, until the
// function it returns is called.
func watchPack(s *session, bar *terminal.Progress) (stop func()) {
	began := time.Now()
	events, cancel := s.Subscribe(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			if ev.Time.Before(began) {
				continue
			}
			switch d := ev.Data.(type) {
			case task.PackData:
				bar.Bytes(d.Done, d.Total)
			case updater.State:
				updateProgress(s.env, bar, d)
			}
		}
	}()
	return func() { cancel(); <-done }
}
