package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/upkeep"

	"piwork/app/cli/wording"
)

func storageCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "storage",
		Short: "Show disk usage",
		Args:  cobra.NoArgs,
		RunE: e.connected(func(ctx context.Context, s *session, _ []string) error {
			all, err := s.Storage(ctx)
			return e.Reply(all, err, func() { printStorage(e, all) })
		}),
	}
	loseUndo := false
	clean := &cobra.Command{
		Use:   "clean WHAT...",
		Short: "Free disk space",
		Long: "WHAT is runtime, downloads, logs or journals. The runtime in use and the one\n" +
			"before it stay, and so does everything that a task at work needs.\n\n" +
			"journals is what undo needs: afterwards the changes of tasks that are over\n" +
			"can no longer be undone. It takes --lose-undo.",
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: []string{string(upkeep.StorageRuntime), string(upkeep.StorageDownloads), string(upkeep.StorageLogs), string(upkeep.StorageJournals)},
		RunE: do(func(ctx context.Context, args []string) error {
			r := upkeep.CleanRequest{LoseUndo: loseUndo}
			for _, what := range args {
				r.What = append(r.What, upkeep.StorageKind(what))
			}
			if slices.Contains(r.What, upkeep.StorageJournals) && !loseUndo {
				return flags.Usage("without journals the changes of tasks that are over can no longer be undone; say so by --lose-undo")
			}
			return e.with(ctx, func(ctx context.Context, s *session) error {
				done, err := s.CleanStorage(ctx, r)
				return e.Reply(done, err, func() { e.Print("Freed: %s", terminal.Size(done.Freed)) })
			})
		}),
	}
	clean.Flags().BoolVar(&loseUndo, "lose-undo", false, "also delete the undo data of finished tasks")
	cmd.AddCommand(clean, storageMoveCommand(e))
	return cmd
}

func printStorage(e *env, all upkeep.Storage) {
	total := int64(0)
	for _, i := range all.Items {
		total += i.Bytes
		note := ""
		switch {
		case i.LosesUndo:
			note = "  (" + terminal.Size(i.Frees) + " can be freed, and undo is lost: piwork storage clean " + string(i.What) + " --lose-undo)"
		case i.Cleanable:
			note = "  (" + terminal.Size(i.Frees) + " can be freed: piwork storage clean " + string(i.What) + ")"
		}
		e.Print("%10s  %s%s", terminal.Size(i.Bytes), wording.Name("storage", i.What), note)
	}
	e.Print("%10s  together", terminal.Size(total))
	if all.FreeBytes >= 0 {
		e.Print("%10s  free on this disk", terminal.Size(all.FreeBytes))
	}
}
