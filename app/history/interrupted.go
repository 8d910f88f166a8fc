package history

import (
	"context"
	"errors"
	"fmt"

	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
)

// finishInterrupted finishes the undos and redos in the middle of which an earlier run of the
// program died: folders are half undone until then. What cannot be finished, because a drive is
// not there for example, waits for the next time, and hinders nothing else; finishInterrupted
// reports whether there is such.
func (h *History) finishInterrupted(ctx context.Context) (waits bool) {
	tasks, _, err := h.o.Store.List()
	if err != nil {
		h.o.Log.Error("interrupted undos could not be looked for", "error", err)
		return true
	}
	for _, t := range tasks {
		if ctx.Err() != nil {
			return false
		}
		if !journal.Unfinished(h.o.Store.JournalDir(t.ID)) {
			continue
		}
		err := h.finish(ctx, t.ID)
		if ctx.Err() != nil {
			return false // the next start goes on
		}
		switch {
		case err == nil || problem.From(err).Code == problem.CodeTaskRunning: // its own journal is open
		case errors.Is(err, journal.ErrUnfinished):
			waits = true
			h.o.Log.Info("an interrupted undo waits for its folder", "task", t.ID, "error", err)
		default: // the program that was ended just now holds the journal, for example
			waits = true
			h.o.Log.Error("an interrupted undo could not be finished", "task", t.ID, "error", err)
		}
	}
	return waits
}

// finish finishes the undo or redo of one task.
func (h *History) finish(ctx context.Context, id string) error {
	ctx, done, err := h.o.Registry.UseFor(ctx, registry.Use{What: registry.UseUndo, Task: id})
	if err != nil {
		return err
	}
	defer done()
	t, release, err := h.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	return h.FinishHeld(ctx, t)
}

var errLeft = errors.New("an undo or redo was left behind")

// FinishHeld finishes the undo or redo of a task that is held, if one was interrupted: before its
// journal is removed, without which the folder would be half undone for ever. When a drive of it
// does not answer, FinishHeld leaves that behind, which then goes on when the drive does.
func (h *History) FinishHeld(ctx context.Context, t task.Task) error {
	dir := h.o.Store.JournalDir(t.ID)
	if !journal.Unfinished(dir) { // an undo was at work
		return nil
	}
	dirs := task.Paths(t.Folders)
	var rep journal.Resumed
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		rep, failed = journal.Finish(ctx, dir, journal.Options{Log: h.o.Log})
	}()
	// The journal leaves a silent drive behind, too, and is let say so first: then nothing is at work.
	err := drive.Wait(ctx, done, drive.Silence()+drive.Farewell(), dirs...)
	if ctx.Err() != nil { // it stops between two files
		err = drive.Wait(context.WithoutCancel(ctx), done, drive.Farewell(), dirs...)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLeft, err)
	}
	u, r := undoReport(rep.Undo), rep.Redo
	if len(u.Undone)+len(u.Conflicts) > 0 {
		h.o.Registry.Record(t.ID, task.EventUndo, task.UndoData{Undone: changeIDs(u.Undone), Conflicts: conflictIDs(u.Conflicts)})
	}
	if len(r.Redone)+len(r.Conflicts) > 0 {
		h.o.Registry.Record(t.ID, task.EventRedo, task.RedoData{Redone: changeIDs(r.Redone), Conflicts: conflictIDs(r.Conflicts)})
	}
	return failed
}

// FinishOrAbandon is FinishHeld for who removes the journal. With abandon, an undo that cannot be
// finished is given up: the folder stays half undone, and the audit log says so.
func (h *History) FinishOrAbandon(ctx context.Context, t task.Task, abandon bool) error {
	given, err := h.finishUnless(ctx, t, abandon)
	if given {
		return h.abandoned(ctx, t.ID)
	}
	return err
}

// finishUnless is FinishHeld, and reports whether the undo is given up instead. What was left
// behind is not: it goes on when its drive answers.
func (h *History) finishUnless(ctx context.Context, t task.Task, abandon bool) (given bool, err error) {
	err = h.FinishHeld(ctx, t)
	if err == nil || !abandon || ctx.Err() != nil || errors.Is(err, errLeft) || errors.Is(err, journal.ErrLocked) {
		return false, problemOf(t.ID, err)
	}
	return journal.Unfinished(h.o.Store.JournalDir(t.ID)), nil // it may have come to its end with an error
}

func (h *History) abandoned(ctx context.Context, id string) error {
	return h.decide(ctx, id, undoData, "abandoned")
}

// problemOf is the problem of an error about the journal of a task. That an undo waits names the
// task: the next step is a command about it.
func problemOf(id string, err error) error {
	if err == nil {
		return nil
	}
	p := problem.From(err)
	if p.Code == problem.CodeUndoWaits {
		p.With("task", id)
	}
	return p
}
