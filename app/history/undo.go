package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
)

// Changes lists what a task changed in its folders, also while it runs and for
// tasks of earlier runs of the program.
func (h *History) Changes(ctx context.Context, id string) ([]journal.Change, error) {
	var out []journal.Change
	err := h.withChanges(ctx, id, func(j Journal) (err error) {
		out, err = j.Changes(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	before, err := h.Forgotten(id, out)
	if err != nil {
		return nil, problem.From(err)
	}
	return nonNil(append(before, out...)), nil
}

// Undo takes changes back. A task that runs has to end first.
func (h *History) Undo(ctx context.Context, id string, r UndoRequest) (journal.Report, error) {
	if err := checkResolutions(r.OnConflict, r.Resolve); err != nil {
		return journal.Report{}, err
	}
	ctx, done, err := h.o.Registry.UseFor(ctx, registry.Use{What: registry.UseUndo, Task: id})
	if err != nil {
		return journal.Report{}, err
	}
	defer done()
	all := len(r.IDs) == 0
	given, err := h.givenUp(ctx, id, &r)
	if err != nil {
		return journal.Report{}, err
	}
	rep := journal.Report{Undone: []journal.Change{}, Conflicts: []journal.Conflict{}}
	if all || len(r.IDs) > 0 {
		r.may = agree(r.IDs, r.Digest, h.may(ctx, id, ByUndo))
		rep, err = ended(ctx, h, id, func(j Journal) (journal.Report, error) {
			if err := h.decide(ctx, id, ByUndo, vmhost.AnswerAllow); err != nil {
				return journal.Report{}, err
			}
			return j.Undo(ctx, r)
		})
	}
	rep.Conflicts = append(rep.Conflicts, given...)
	rep.Undone, rep.Conflicts = nonNil(rep.Undone), nonNil(rep.Conflicts)
	if len(rep.Undone)+len(rep.Conflicts)+len(rep.Kept) > 0 {
		h.o.Registry.Record(id, task.EventUndo, task.UndoData{Undone: changeIDs(rep.Undone), Conflicts: conflictIDs(rep.Conflicts), By: audit.By(ctx)})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

// givenUp takes those changes out of a request whose undo was given up, and
// returns them as conflicts: what they were before is not kept.
func (h *History) givenUp(ctx context.Context, id string, r *UndoRequest) ([]journal.Conflict, error) {
	if _, err := h.o.Store.Get(id); err != nil {
		return nil, registry.Problem(id, err)
	}
	list, err := h.Forgotten(id, nil)
	if err != nil {
		return nil, problem.From(err)
	}
	if len(list) == 0 {
		return nil, nil
	}
	var now []journal.Change
	err = h.withChanges(ctx, id, func(j Journal) (err error) {
		now, err = j.Changes(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if list, err = h.Forgotten(id, now); err != nil {
		return nil, problem.From(err)
	}
	var out []journal.Conflict
	for _, change := range list {
		if change.Undone == nil && (len(r.IDs) == 0 || slices.Contains(r.IDs, change.ID)) {
			out = append(out, journal.Conflict{Change: change, Reason: journal.ReasonNoImage})
		}
	}
	r.IDs = slices.DeleteFunc(slices.Clone(r.IDs), func(id string) bool {
		return slices.ContainsFunc(list, func(c journal.Change) bool { return c.ID == id })
	})
	return out, nil
}

// Redo brings back what was taken back.
func (h *History) Redo(ctx context.Context, id string, r RedoRequest) (RedoReport, error) {
	ctx, done, err := h.o.Registry.UseFor(ctx, registry.Use{What: registry.UseRedo, Task: id})
	if err != nil {
		return RedoReport{}, err
	}
	defer done()
	r.may = agree(r.IDs, r.Digest, h.may(ctx, id, ByRedo))
	rep, err := ended(ctx, h, id, func(j Journal) (RedoReport, error) {
		if err := h.decide(ctx, id, ByRedo, vmhost.AnswerAllow); err != nil {
			return RedoReport{}, err
		}
		return j.Redo(ctx, r)
	})
	rep.Redone, rep.Conflicts = nonNil(rep.Redone), nonNil(rep.Conflicts)
	if len(rep.Redone)+len(rep.Conflicts) > 0 {
		h.o.Registry.Record(id, task.EventRedo, task.RedoData{Redone: changeIDs(rep.Redone), Conflicts: conflictIDs(rep.Conflicts), By: audit.By(ctx)})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

// Apply decides about changes that wait.
func (h *History) Apply(ctx context.Context, id string, r ApplyRequest) (ApplyReport, error) {
	if err := checkResolutions(r.OnConflict, r.Resolve); err != nil {
		return ApplyReport{}, err
	}
	ctx, done, err := h.o.Registry.UseFor(ctx, registry.Use{What: registry.UseApply, Task: id})
	if err != nil {
		return ApplyReport{}, err
	}
	defer done()
	answer, may := "discarded", journal.May(nil) // which leaves the folder as it is
	if !r.Discard {
		answer, may = vmhost.AnswerAllow, h.may(ctx, id, ByApply)
	}
	r.may = agree(r.IDs, r.Digest, may)
	rep, err := ended(ctx, h, id, func(j Journal) (ApplyReport, error) {
		if err := h.decide(ctx, id, ByApply, answer); err != nil {
			return ApplyReport{}, err
		}
		return j.Apply(ctx, r)
	})
	rep.Applied, rep.Discarded, rep.Conflicts = nonNil(rep.Applied), nonNil(rep.Discarded), nonNil(rep.Conflicts)
	if len(rep.Applied)+len(rep.Discarded)+len(rep.Conflicts) > 0 {
		h.o.Registry.Record(id, task.EventApply, task.ApplyData{
			Applied: changeIDs(rep.Applied), Discarded: changeIDs(rep.Discarded), Conflicts: conflictIDs(rep.Conflicts), By: audit.By(ctx),
		})
	}
	if err != nil {
		return rep, problem.From(err)
	}
	return rep, nil
}

// decide records who has changes of a task taken back, done again, applied or given up, before
// anything is done.
func (h *History) decide(ctx context.Context, id, topic, answer string) error {
	return h.o.Audit.Decide(ctx, id, audit.Decision{Topic: topic, Answer: answer})
}

func checkResolutions(all journal.Resolution, by map[string]journal.Resolution) error {
	known := func(r journal.Resolution) bool { return r == journal.Keep || r == journal.Restore || r == journal.Both }
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

func conflictIDs(list []journal.Conflict) []string {
	out := make([]string, 0, len(list))
	for _, c := range list {
		out = append(out, c.Change.ID)
	}
	return out
}

// withChanges uses the journal of a task, also of one that runs: the journal
// stays open meanwhile. Without a journal do is not called.
func (h *History) withChanges(ctx context.Context, id string, do func(Journal) error) error {
	for {
		if l, ok := h.o.Registry.Live(id).(Live); ok {
			if open, err := l.WithJournal(do); err != nil {
				return problem.From(err)
			} else if open || !l.Ending() {
				return nil
			}
		}
		err := h.withEnded(ctx, id, do)
		if _, on := h.o.Registry.Live(id).(Live); !on || err == nil || problem.From(err).Code != problem.CodeTaskRunning {
			return err
		} // it went on meanwhile
	}
}

// withEnded uses the journal of a task that is over, or ending. When ctx ends, do has a moment to stop
// between two files; else withEnded returns without it, which errLeft tells, and the task stays held
// until do returns. What do sets must not be read then.
func (h *History) withEnded(ctx context.Context, id string, do func(Journal) error) error {
	if _, hangs := h.left.Load(id); hangs {
		return hanging(id)
	}
	t, release, err := h.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		err := h.WithJournal(t, do)
		release()
		done <- err
	}()
	select {
	case err = <-done:
		return problemOf(id, err)
	case <-ctx.Done():
	}
	patience := time.NewTimer(drive.Farewell())
	defer patience.Stop()
	select {
	case err = <-done:
		return problemOf(id, err)
	case <-patience.C:
	}
	h.o.Log.Error("what is done with the changes of a task does not stop, and is left behind", "task", id)
	h.left.Store(id, true)
	go func() {
		err := <-done
		h.o.Log.Info("what was left behind came to its end", "task", id, "err", err)
		h.left.Delete(id)
	}()
	return hanging(id)
}

// hanging is the problem of a task whose journal somebody left behind at work.
func hanging(id string) error {
	return problem.New(problem.CodeUndoWaits).By("hangs").With("task", id).Because(errLeft)
}

// ended is withEnded for what returns a value: the zero one where it is left behind.
func ended[T any](ctx context.Context, h *History, id string, do func(Journal) (T, error)) (T, error) {
	var out, none T
	err := h.withEnded(ctx, id, func(j Journal) (err error) { out, err = do(j); return err })
	if errors.Is(err, errLeft) {
		return none, err
	}
	return out, err
}

// WithJournal opens the journal of a task that is held, where it has one or changes
// wait for a yes.
func (h *History) WithJournal(t task.Task, do func(Journal) error) error {
	dir, room := h.o.Store.JournalDir(t.ID), Room{}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		// Its undo was given up; what waits for a yes waits on.
		if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), reviewDir)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		room.late = true
	}
	j, err := h.o.Open(dir, t.Folders, room)
	if err != nil {
		return err
	}
	return errors.Join(do(j), j.Close())
}

// findChange returns the change of an id; a problem when there is none.
func findChange(ctx context.Context, j Journal, id string) (journal.Change, error) {
	list, err := j.Changes(ctx)
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
