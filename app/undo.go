package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// Changes lists what a task changed in its folders, also while it runs and for
// tasks of earlier runs of the program.
func (c *Controller) Changes(ctx context.Context, id string) ([]journal.Change, error) {
	t, err := c.store.Get(id)
	if err != nil {
		return nil, taskProblem(id, err)
	}
	if l := c.liveTask(id); l != nil {
		return l.changes(ctx)
	}
	release, err := c.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	out := []journal.Change{}
	err = c.withJournal(t, func(j changeJournal) (err error) {
		out, err = j.changes(ctx)
		return err
	})
	if err != nil {
		return nil, problem.From(err)
	}
	return nonNil(out), nil
}

// changes of a task that runs. The lock keeps the journal open meanwhile.
func (l *liveTask) changes(ctx context.Context) ([]journal.Change, error) {
	l.journalMu.RLock()
	defer l.journalMu.RUnlock()
	if l.journal == nil {
		return []journal.Change{}, nil
	}
	out, err := l.journal.changes(ctx)
	if err != nil {
		return nil, problem.From(err)
	}
	return nonNil(out), nil
}

// Undo takes changes back; see Service. A task that runs has to end first.
func (c *Controller) Undo(ctx context.Context, id string, r UndoRequest) (UndoReport, error) {
	t, err := c.store.Get(id)
	if err != nil {
		return UndoReport{}, taskProblem(id, err)
	}
	release, err := c.hold(ctx, id)
	if err != nil {
		return UndoReport{}, err
	}
	defer release()
	rep := UndoReport{Undone: []journal.Change{}, Conflicts: []UndoConflict{}}
	err = c.withJournal(t, func(j changeJournal) (err error) {
		rep, err = j.undo(ctx, r.IDs)
		return err
	})
	rep.Undone, rep.Conflicts = nonNil(rep.Undone), nonNil(rep.Conflicts)
	if len(rep.Undone)+len(rep.Conflicts) > 0 {
		c.recordUndo(id, rep)
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

func (c *Controller) recordUndo(id string, rep UndoReport) {
	data := task.UndoData{Undone: []string{}, Conflicts: []string{}}
	for _, u := range rep.Undone {
		data.Undone = append(data.Undone, u.ID)
	}
	for _, u := range rep.Conflicts {
		data.Conflicts = append(data.Conflicts, u.Change.ID)
	}
	e, err := c.store.Append(id, task.EventUndo, data)
	c.store.Release(id)
	if err != nil {
		c.log.Error("an undo could not be written to the timeline", "task", id, "error", err)
		e = task.Event{Task: id, Kind: task.EventUndo, Data: data}
	}
	c.hub.publish(e)
}

// withJournal opens the journal of a task that is over, where it has one.
func (c *Controller) withJournal(t task.Task, do func(changeJournal) error) error {
	dir := c.store.JournalDir(t.ID)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	j, err := c.s.journal(dir, t.Folders)
	if err != nil {
		return err
	}
	return errors.Join(do(j), j.close())
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
