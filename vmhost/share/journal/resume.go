package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// resume finishes an undo or a redo in the middle of which the program died. What is left when
// ctx ends is finished by the next one.
func (j *Journal) resume(ctx context.Context) (done Resumed, err error) {
	ctx, end, err := j.rec.Alone(ctx)
	if err != nil {
		return done, err
	}
	defer end()
	if !j.pending() {
		recorder.End(j.rec) // it died between the record and this
		return done, nil
	}
	return j.finishPending(ctx)
}

// pending reports whether an undo or a redo was interrupted.
func (j *Journal) pending() bool {
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	return j.rec.Tables.Undoing || len(j.rec.Tables.RedoIDs) > 0
}

// finishPending is resume, for who is Alone. The log has one undo at a time: the next
// one would end what is pending before it was done.
func (j *Journal) finishPending(ctx context.Context) (done Resumed, err error) {
	if !j.pending() {
		return done, nil
	}
	if j.rec.Held { // the tables have what an undo did, and neither the log nor the disk may
		return done, fmt.Errorf("%w: the journal has to be opened again", ErrUnfinished)
	}
	if err := recorder.Begin(j.rec); err != nil { // begun by an older program
		j.rec.Log.Warn("journal: an interrupted undo is not noted", "err", err)
	}
	r := j.rec.OpenRoots()
	away := r.Away // the list would be without what is in them
	if away == nil {
		away = recorder.StillLost(j.rec, r)
	}
	r.Close()
	if away != nil {
		return done, fmt.Errorf("%w: %w", ErrUnfinished, away)
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return done, err
	}
	defer start()
	ids := slices.Clone(j.rec.Tables.UndoIDs)
	list, live, err := j.rec.List(ctx, true)
	if err != nil {
		return done, err
	}
	if redo := j.rec.Tables.RedoIDs; len(redo) > 0 {
		chosen := map[string]Change{}
		for _, id := range redo {
			if c, ok := j.rec.Tables.Undone[id]; ok {
				chosen[id] = c
			}
		}
		if done.Redo, err = j.runRedo(ctx, chosen, true); errors.Is(err, ErrUnfinished) {
			return done, err
		}
		j.rec.Log.Info("journal: an interrupted redo was finished", "redone", len(done.Redo.Redone), "conflicts", len(done.Redo.Conflicts), "err", err)
	}
	if !j.rec.Tables.Undoing {
		return done, err
	}
	if len(ids) > 0 {
		asked := map[string]bool{}
		for _, id := range ids {
			asked[id] = true
		}
		list = slices.DeleteFunc(list, func(n *ledger.Step) bool { return !asked[n.Change.ID] })
	}
	var undoErr error
	if done.Undo, undoErr = j.runUndo(ctx, list, live, j.rec.Tables.Answers, len(ids) == 0, true); errors.Is(undoErr, ErrUnfinished) {
		return done, errors.Join(err, undoErr)
	}
	j.rec.Log.Info("journal: an interrupted undo was finished", "undone", len(done.Undo.Undone), "conflicts", len(done.Undo.Conflicts), "err", undoErr)
	return done, errors.Join(err, undoErr)
}

// report is all that was finished.
func (r Resumed) report() Report {
	out := r.Undo
	out.Redone = append(out.Redone, r.Redo.Redone...)
	out.Conflicts = append(out.Conflicts, r.Redo.Conflicts...)
	return out
}

// with is a report with what was finished before, but for its conflicts: whoever asks now answers
// those of what they asked for only.
func with(r Report, before Resumed) Report {
	was := before.report()
	r.Redone = append(was.Redone, r.Redone...)
	r.Lacking = append(was.Lacking, r.Lacking...)
	here := map[string]bool{}
	for _, c := range r.Undone {
		here[c.ID] = true
	}
	for _, c := range was.Undone {
		if !here[c.ID] {
			here[c.ID] = true
			r.Undone = append(r.Undone, c)
		}
	}
	for id, path := range was.Beside {
		if r.Beside == nil {
			r.Beside = map[string]string{}
		}
		r.Beside[id] = path
	}
	slices.SortFunc(r.Undone, ledger.ByPath)
	return r
}
