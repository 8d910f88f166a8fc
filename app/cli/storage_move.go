package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/upkeep"
	"piwork/app/words"
)

// movePoll is how often a move is looked at.
const movePoll = 200 * time.Millisecond

func storageMoveCommand(e *env) *cobra.Command {
	dryRun := false
	cmd := &cobra.Command{
		Use:   "move DIR",
		Short: "Move piwork's data to another folder or disk",
		Long: "Makes a folder piwork in DIR with everything that piwork keeps: tasks with what\n" +
			"undo needs, results, the runtime, logs. What can be made again is not copied.\n" +
			"Your own files and the settings stay where they are.\n\n" +
			"No task may be at work. Everything is copied first; only then is the new place\n" +
			"used and the old one removed. Whatever interrupts it, nothing is lost. DIR has\n" +
			"to be on a disk of this computer that knows rights: no network, no memory, no\n" +
			"FAT. A deleted file that undo would bring back, and that has a further name\n" +
			"outside of the folder, comes back as a file of its own.\n\n" +
			"With " + app.EnvDataDir + " or " + app.EnvCacheDir + " set, those say where the data is, and\n" +
			"nothing can be moved.",
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be moved, and what it needs")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return flags.Usage("%v", err)
		}
		var s upkeep.StorageMove
		err = e.with(ctx, func(ctx context.Context, c *session) (err error) {
			s, err = moveData(ctx, c, upkeep.MoveRequest{Dir: dir, DryRun: dryRun})
			return err
		})
		if err == nil && s.Phase == upkeep.MoveDone {
			err = app.FinishMove(ctx, e.appOptions())
		}
		return e.Reply(s, err, func() { printMove(e, s) })
	})
	return cmd
}

// moveData moves, and waits for the end. When ctx ends it is cancelled.
func moveData(ctx context.Context, c *session, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	s, err := c.MoveStorage(ctx, r)
	if err != nil || r.DryRun {
		return s, err
	}
	bar := c.StartProgress("Copying")
	defer bar.Stop()
	for s.Phase == upkeep.MoveCopying {
		bar.Counts("Copying", s.Done, s.Bytes, terminal.Size(s.Done)+" of "+terminal.Size(s.Bytes))
		select {
		case <-time.After(movePoll):
			before := s
			if s, err = c.StorageMove(ctx); err != nil && c.appOptions().WithDefaults().DataDir == filepath.Join(before.To, "data") {
				before.Phase, before.Done = upkeep.MoveDone, before.Bytes
				s, err = before, nil // it moved, and ended
			}
		case <-ctx.Done():
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
			defer stop()
			s, err = c.CancelMove(end)
		}
		if err != nil {
			return s, err
		}
	}
	switch s.Phase {
	case upkeep.MoveFailed:
		return s, s.Problem
	case upkeep.MoveCancelled:
		p := problem.New(problem.CodeCancelled)
		p.Fix = []problem.Fix{} // everything is as it was
		return s, p
	}
	return s, nil
}

func printMove(e *env, s upkeep.StorageMove) {
	_, there := os.Lstat(s.From)
	switch {
	case s.Phase == upkeep.MovePlanned:
		e.Print("%s in %s would be moved", terminal.Size(s.Bytes), terminal.Count(s.Files, "file"))
		e.Print("  from  %s", words.Printable(s.From))
		e.Print("  to    %s", words.Printable(s.To))
		e.Print("It needs %s there; %s are free.", terminal.Size(s.NeedBytes), terminal.Size(s.FreeBytes))
	case there != nil:
		e.Print("The data of piwork is in %s now.", words.Printable(s.To))
	default:
		e.Print("The data of piwork is in %s now. The old place is removed when piwork next starts.", words.Printable(s.To))
	}
}
