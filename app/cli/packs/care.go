package packs

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/completion"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
)

func packRollbackCommand(e *command.Env) *cobra.Command {
	return e.BootingCommand("rollback", cobra.NoArgs, func(ctx context.Context, s *command.Session, _ []string) error {
		p, err := s.RollbackPack(ctx)
		return e.Reply(p, err, func() { e.PrintText("pack-back", "version", p.Version) })
	})
}

func packRemoveCommand(e *command.Env) *cobra.Command {
	cmd := e.EachCommand("remove VERSION...", func(ctx context.Context, s *command.Session, version string) error {
		p, err := findPack(ctx, s, []string{version})
		if err != nil {
			return err
		}
		return e.Reply(p, s.RemovePack(ctx, p.Version), func() {
			e.PrintText("pack-deleted", "version", p.Version, "bytes", p.Bytes)
		})
	})
	cmd.ValidArgsFunction = e.CompleteEach(completion.Versions(completion.Removable), cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

func packRepairCommand(e *command.Env) *cobra.Command {
	return &cobra.Command{
		Use:  "repair [FILE]",
		Args: cobra.MaximumNArgs(1),
		RunE: command.Do(func(ctx context.Context, args []string) error {
			file := ""
			if len(args) == 1 {
				var err error
				if file, err = e.Paths(ctx).File(args[0]); err != nil {
					return err
				}
			}
			return e.WithAccel(ctx, func(ctx context.Context, s *command.Session) error {
				bar := e.StartProgress(terminal.Text("progress-repair"))
				stop := watchPack(s, bar)
				p, err := s.RepairPack(ctx, file)
				stop()
				bar.Stop()
				return e.Reply(p, err, func() {
					e.PrintText("pack-repaired", "pack", wording.PackWords(p))
					printPackFacts(e, p)
				})
			})
		}),
	}
}

// watchPack shows on bar what is heard of packs and updates from now on, until the
// function it returns is called.
func watchPack(s *command.Session, bar *terminal.Progress) (stop func()) {
	events, cancel := s.Subscribe(task.EventFilter{After: task.OnlyNew, Kinds: []task.EventKind{task.EventPack, task.EventUpdate}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range events {
			switch d := ev.Data.(type) {
			case task.PackData:
				bar.Bytes(d.Done, d.Total)
			case updater.State:
				updateProgress(s.Env, bar, d)
			}
		}
	}()
	return func() { cancel(); <-done }
}
