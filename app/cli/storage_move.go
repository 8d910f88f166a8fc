package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/upkeep"
	"piwork/app/words"
)

const (
	movePoll    = 200 * time.Millisecond // how often a move is looked at
	closeWithin = 20 * time.Second       // how long its cancelling may take
)

func storageMoveCommand(e *env) *cobra.Command {
	dryRun := false
	cmd := &cobra.Command{Use: "move DIR", Args: cobra.ExactArgs(1)}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "")
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return flags.Usage("raw", "error", err)
		}
		var s upkeep.StorageMove
		err = e.With(ctx, func(ctx context.Context, c *session) (err error) {
			s, err = moveData(ctx, c, upkeep.MoveRequest{Dir: dir, DryRun: dryRun})
			return err
		})
		if err == nil && s.Phase == upkeep.MoveDone {
			if err = background.AwaitEnd(ctx, e.AppOptions()); err == nil {
				err = app.FinishMove(ctx, e.AppOptions())
			}
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
	bar := c.StartProgress(terminal.Text("progress-copy"))
	defer bar.Stop()
	for s.Phase == upkeep.MoveCopying {
		bar.Counts("", s.Done, s.Bytes, terminal.Text("progress-of", "done", terminal.Size(s.Done), "total", terminal.Size(s.Bytes)))
		select {
		case <-time.After(movePoll):
			before := s
			if s, err = c.StorageMove(ctx); err != nil && c.AppOptions().WithDefaults().DataDir == filepath.Join(before.To, "data") {
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
		e.PrintText("would-move", "bytes", s.Bytes, "count", s.Files)
		e.Print("  %-4s  %s", terminal.Text("move-from"), words.Printable(s.From))
		e.Print("  %-4s  %s", terminal.Text("move-to"), words.Printable(s.To))
		e.PrintText("move-needs", "bytes", s.NeedBytes, "free", s.FreeBytes)
	case there != nil:
		e.PrintText("moved", "path", s.To)
	default:
		e.PrintText("moved-later", "path", s.To)
	}
}
