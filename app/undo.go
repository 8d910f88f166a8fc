package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// Changes lists what a task changed in its folders, also while it runs and for
// tasks of earlier runs of the program.
func (c *Controller) Changes(ctx context.Context, id string) ([]journal.Change, error) {
	var out []journal.Change
	err := c.withChanges(ctx, id, func(j changeJournal) (err error) {
		out, err = j.changes(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	before, err := c.forgottenChanges(id)
	if err != nil {
		return nil, problem.From(err)
	}
	return nonNil(append(before, out...)), nil
}

// Undo takes changes back; see Service. A task that runs has to end first.
func (c *Controller) Undo(ctx context.Context, id string, r UndoRequest) (UndoReport, error) {
	if err := checkResolutions(r.OnConflict, r.Resolve); err != nil {
		return UndoReport{}, err
	}
	ctx, done, err := c.registry.Use(ctx)
	if err != nil {
		return UndoReport{}, err
	}
	defer done()
	all := len(r.IDs) == 0
	given, err := c.givenUp(id, &r)
	if err != nil {
		return UndoReport{}, err
	}
	rep := UndoReport{Undone: []journal.Change{}, Conflicts: []UndoConflict{}}
	if all || len(r.IDs) > 0 {
		err = c.withEnded(ctx, id, func(j changeJournal) (err error) {
			rep, err = j.undo(ctx, r)
			return err
		})
	}
	rep.Conflicts = append(rep.Conflicts, given...)
	rep.Undone, rep.Conflicts = nonNil(rep.Undone), nonNil(rep.Conflicts)
	if len(rep.Undone)+len(rep.Conflicts)+len(rep.Kept) > 0 {
		c.recordOver(id, task.EventUndo, task.UndoData{Undone: changeIDs(rep.Undone), Conflicts: conflictIDs(rep.Conflicts)})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

// givenUp takes those changes out of a request whose undo was given up, and
// returns them as conflicts: what they were before is not kept.
func (c *Controller) givenUp(id string, r *UndoRequest) ([]UndoConflict, error) {
	if _, err := c.store.Get(id); err != nil {
		return nil, registry.Problem(id, err)
	}
	list, err := c.forgottenChanges(id)
	if err != nil {
		return nil, problem.From(err)
	}
	var out []UndoConflict
	for _, change := range list {
		if change.Undone == nil && (len(r.IDs) == 0 || slices.Contains(r.IDs, change.ID)) {
			out = append(out, UndoConflict{Change: change, Reason: string(journal.ReasonNoImage)})
		}
	}
	r.IDs = slices.DeleteFunc(slices.Clone(r.IDs), func(id string) bool {
		return slices.ContainsFunc(list, func(c journal.Change) bool { return c.ID == id })
	})
	return out, nil
}

// Redo brings back what was taken back; see Service.
func (c *Controller) Redo(ctx context.Context, id string, r RedoRequest) (RedoReport, error) {
	ctx, done, err := c.registry.Use(ctx)
	if err != nil {
		return RedoReport{}, err
	}
	defer done()
	rep := RedoReport{Redone: []journal.Change{}, Conflicts: []UndoConflict{}}
	err = c.withEnded(ctx, id, func(j changeJournal) (err error) {
		rep, err = j.redo(ctx, r)
		return err
	})
	rep.Redone, rep.Conflicts = nonNil(rep.Redone), nonNil(rep.Conflicts)
	if len(rep.Redone)+len(rep.Conflicts) > 0 {
		c.recordOver(id, task.EventRedo, task.RedoData{Redone: changeIDs(rep.Redone), Conflicts: conflictIDs(rep.Conflicts)})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

// Apply decides about changes that wait; see Service.
func (c *Controller) Apply(ctx context.Context, id string, r ApplyRequest) (ApplyReport, error) {
	if err := checkResolutions(r.OnConflict, r.Resolve); err != nil {
		return ApplyReport{}, err
	}
	ctx, done, err := c.registry.Use(ctx)
	if err != nil {
		return ApplyReport{}, err
	}
	defer done()
	rep := ApplyReport{Applied: []journal.Change{}, Discarded: []journal.Change{}, Conflicts: []UndoConflict{}}
	err = c.withEnded(ctx, id, func(j changeJournal) (err error) {
		rep, err = j.apply(ctx, r)
		return err
	})
	rep.Applied, rep.Discarded, rep.Conflicts = nonNil(rep.Applied), nonNil(rep.Discarded), nonNil(rep.Conflicts)
	if len(rep.Applied)+len(rep.Discarded)+len(rep.Conflicts) > 0 {
		c.recordOver(id, task.EventApply, task.ApplyData{
			Applied: changeIDs(rep.Applied), Discarded: changeIDs(rep.Discarded), Conflicts: conflictIDs(rep.Conflicts),
		})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

func checkResolutions(all Resolution, by map[string]Resolution) error {
	known := func(r Resolution) bool { return r == ResolveKeep || r == ResolveRestore || r == ResolveBoth }
	if all != "" && !known(all) {
		return problem.BadRequest("onConflict", "%q is no answer", all)
	}
	for _, r := range by {
		if !known(r) {
			return problem.BadRequest("resolve", "%q is no answer", r)
		}
	}
	return nil
}

func changeIDs(list []journal.Change) []string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

func conflictIDs(list []UndoConflict) []string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, c.Change.ID)
	}
	return out
}

// recordOver writes down, and tells, what was done with a task that is over.
func (c *Controller) recordOver(id string, kind task.EventKind, data any) {
	e, err := c.store.Append(id, kind, data)
	c.store.Release(id)
	if err != nil {
		c.log.Error("what was done with a task could not be written to the timeline", "task", id, "kind", kind, "error", err)
		e = task.Event{Task: id, Kind: kind, Data: data}
	}
	c.events.Publish(e)
}

// withChanges uses the journal of a task, also of one that runs: the journal
// stays open meanwhile. Without a journal do is not called.
func (c *Controller) withChanges(ctx context.Context, id string, do func(changeJournal) error) error {
	if _, err := c.store.Get(id); err != nil {
		return registry.Problem(id, err)
	}
	l := c.liveTask(id)
	if l == nil {
		return c.withEnded(ctx, id, do)
	}
	l.journalMu.RLock()
	defer l.journalMu.RUnlock()
	if l.journal == nil {
		return nil
	}
	if err := do(l.journal); err != nil {
		return problem.From(err)
	}
	return nil
}

// withEnded uses the journal of a task that is over.
func (c *Controller) withEnded(ctx context.Context, id string, do func(changeJournal) error) error {
	t, err := c.store.Get(id)
	if err != nil {
		return registry.Problem(id, err)
	}
	release, err := c.registry.Hold(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	if err := c.withJournal(t, do); err != nil {
		return problem.From(err)
	}
	return nil
}

// withJournal opens the journal of a task that is held, where it has one or changes
// wait for a yes.
func (c *Controller) withJournal(t task.Task, do func(changeJournal) error) error {
	dir, room := c.store.JournalDir(t.ID), undoRoom{}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		// Its undo was given up; what waits for a yes waits on.
		if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), reviewDir)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		room.late = true
	}
	j, err := c.s.journal(dir, t.Folders, room)
	if err != nil {
		return err
	}
	return errors.Join(do(j), j.close())
}

// findChange returns the change of an id; a problem when there is none.
func findChange(ctx context.Context, j changeJournal, id string) (journal.Change, error) {
	list, err := j.changes(ctx)
	if err != nil {
		return journal.Change{}, err
	}
	i := slices.IndexFunc(list, func(c journal.Change) bool { return c.ID == id })
	if i < 0 {
		return journal.Change{}, problem.New(problem.CodeNotFound).With("change", id)
	}
	return list[i], nil
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
