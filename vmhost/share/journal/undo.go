package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// Reason says why undo left a change alone.
type Reason string

// Reasons of a [Conflict].
const (
	ReasonChanged  Reason = "changed-since"   // a person changed it after the task
	ReasonGone     Reason = "gone"            // what was changed or moved is not there any more
	ReasonInTheWay Reason = "in-the-way"      // something else has the name now
	ReasonNoImage  Reason = "no-before-image" // the journal has lost what was there before
	ReasonIO       Reason = "io"              // the disk or its permissions refused
	ReasonRights   Reason = "rights"          // it is back, but may not have the owner or the access rights that it had
	ReasonDamaged  Reason = "damaged"         // of a change that waits: its content was lost, in a power cut for example
)

// Conflict is a change that undo did not touch, and why.
type Conflict struct {
	Change Change `json:"change"`
	Reason Reason `json:"reason"`
	Said   string `json:"said,omitempty" words:"shown"` // the reason
	Detail string `json:"detail,omitempty"`             // for a log or a fold-out, in English
}

// Report is what came of an undo.
type Report struct {
	Undone    []Change          `json:"undone"` // with Undone set; also what had to be undone along with them
	Conflicts []Conflict        `json:"conflicts"`
	Kept      []Change          `json:"kept,omitempty"`   // left alone because [Keep] was asked for
	Beside    map[string]string `json:"beside,omitempty"` // id of a change → where [Both] put what was before, or where what it moved is now; a path in the folder
	Redone    []Change          `json:"-"`                // of a Redo: with the id under which they were undone
	Lacking   []Conflict        `json:"-"`                // undone, but for owner, group or access rights: [ReasonRights]
}

// Undo takes changes back: those with the given ids, or all of them. What they
// depend on is taken back too (a deleted directory comes back for a file in it,
// a created one takes what was put into it along). Content, mode and time of
// each become exactly what they were; directories get their time back when
// nothing else in them differs from before.
//
// A change whose file a person changed since, or whose place is taken, is left
// alone and reported as a conflict; the others are undone all the same. Tasks
// wait while it runs. When ctx ends Undo stops between two files and reports
// what it did, with the error of ctx. It may be called again with the same ids. The rest is given
// up, unless the cause of ctx is ErrLater: then it is pending, as after a crash.
//
// An undo or a redo that was interrupted is finished first, and is in the report. While that
// cannot be done, the error is ErrUnfinished.
func (j *Journal) Undo(ctx context.Context, ids []string, o UndoOptions) (Report, error) {
	return j.afterPending(ctx, func(ctx context.Context) (Report, error) { return j.undo(ctx, ids, o) })
}

// Redo does again what undo took back: the changes with the given ids, or all
// that were undone, with what they depend on. They are in the list again, under other ids,
// and can be undone again. It is the undo of what undo did, with the same conflicts.
// A change for whose content the journal of undos had no room is a conflict, too.
func (j *Journal) Redo(ctx context.Context, ids []string) (Report, error) {
	return j.RedoIf(ctx, ids, nil)
}

// RedoIf is Redo of what may be made again: may is asked before anything is done.
func (j *Journal) RedoIf(ctx context.Context, ids []string, may May) (Report, error) {
	return j.afterPending(ctx, func(ctx context.Context) (Report, error) { return j.redo(ctx, ids, may) })
}

// afterPending finishes what was interrupted before it does something.
func (j *Journal) afterPending(ctx context.Context, do func(ctx context.Context) (Report, error)) (Report, error) {
	ctx, done, err := j.rec.Alone(ctx)
	if err != nil {
		return Report{}, err
	}
	defer done()
	waited, err := j.finishPending(ctx)
	if err != nil {
		return waited.report(), err
	}
	report, err := do(ctx)
	return with(report, waited), err
}

// undo is Undo while nothing is pending; the caller is Alone.
func (j *Journal) undo(ctx context.Context, ids []string, o UndoOptions) (Report, error) {
	back, err := j.openUndos()
	if err != nil {
		return Report{}, err
	}
	if _, _, err := j.rec.List(ctx, false); err != nil { // hash while tasks may go on
		return Report{}, err
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return Report{}, err
	}
	defer start()
	x, list, err := j.prepare(ctx, j.rec, back)
	if err != nil {
		return Report{}, err
	}
	defer x.close()
	chosen, already, err := j.choose(list, ids)
	if err != nil || len(chosen) == 0 && len(ids) > 0 {
		return Report{Undone: already}, err
	}
	if err := o.May.Ask(changesOf(chosen, o.Resolve)); err != nil {
		return Report{}, err
	}
	x.opts = o
	report, err := x.run(ctx, chosen, len(ids) == 0)
	report.Undone = append(report.Undone, already...)
	slices.SortFunc(report.Undone, ledger.ByPath)
	return report, err
}

// changesOf are the changes that steps take back, but those that are to be left alone.
func changesOf(list []*ledger.Step, answers map[string]Resolution) []Change {
	out := make([]Change, 0, len(list))
	for _, n := range list {
		if answers[n.Change.ID] != Keep {
			out = append(out, n.Change)
		}
	}
	return out
}

// choose returns the changes to undo and those of ids that are undone already.
func (j *Journal) choose(list []*ledger.Step, ids []string) ([]*ledger.Step, []Change, error) {
	if len(ids) == 0 {
		return list, nil, nil
	}
	byID := map[string]*ledger.Step{}
	for _, n := range list {
		byID[n.Change.ID] = n
	}
	chosen := map[*ledger.Step]bool{}
	var already []Change
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	for _, id := range ids {
		if n := byID[id]; n != nil {
			chosen[n] = true
		} else if u, ok := j.rec.Tables.Undone[id]; ok {
			already = append(already, u.Change)
		} else {
			return nil, nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
	}
	j.rec.Tables.Spread(list, chosen)
	return picked(list, chosen), already, nil
}

// picked returns the steps of a list that are chosen, in its order.
func picked(list []*ledger.Step, chosen map[*ledger.Step]bool) []*ledger.Step {
	return slices.DeleteFunc(slices.Clone(list), func(n *ledger.Step) bool { return !chosen[n] })
}

// redo is RedoIf while nothing is pending; the caller is Alone.
func (j *Journal) redo(ctx context.Context, ids []string, may May) (Report, error) {
	back, err := j.openUndos()
	if err != nil {
		return Report{}, err
	}
	if _, _, err := j.rec.List(ctx, false); err != nil {
		return Report{}, err
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return Report{}, err
	}
	defer start()
	if _, _, err := j.rec.List(ctx, true); err != nil { // undo may bring back what it has now
		return Report{}, err
	}
	x, list, err := j.prepare(ctx, back, j.rec)
	if err != nil {
		return Report{}, err
	}
	defer x.close()
	chosen := map[*ledger.Step]bool{}
	asked := map[string]bool{}
	for _, id := range ids {
		u, ok := j.undone(id)
		if !ok {
			return Report{}, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
		asked[id] = true
		for _, n := range list {
			chosen[n] = chosen[n] || u.Marks.Has(n)
		}
	}
	if len(ids) == 0 {
		for _, n := range list {
			chosen[n] = true
		}
	}
	for n, is := range chosen {
		if !is {
			delete(chosen, n)
		}
	}
	back.Mu.Lock()
	back.Tables.Spread(list, chosen)
	back.Mu.Unlock()
	x.undone, x.lost = j.undoneBy(back, list, chosen, func(id string) bool { return len(ids) == 0 || asked[id] })
	var again []Change
	for _, u := range x.undone {
		again = append(again, u.Change)
	}
	slices.SortFunc(again, ledger.ByPath)
	if err := may.Ask(again); err != nil || len(again) == 0 {
		return Report{}, err
	}
	return x.run(ctx, picked(list, chosen), len(ids) == 0)
}

func (j *Journal) undone(id string) (ledger.Undone, bool) {
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	u, ok := j.rec.Tables.Undone[id]
	return u, ok
}

// undoneBy returns the undone changes that steps of the journal of undos do again, by id, with those
// asked for of which nothing is left to be done, and those that it has lost by damage.
func (j *Journal) undoneBy(back *recorder.Recorder, list []*ledger.Step, chosen map[*ledger.Step]bool, asked func(id string) bool) (again map[string]ledger.Undone, lost []Change) {
	j.rec.Mu.Lock()
	defer j.rec.Mu.Unlock()
	again = map[string]ledger.Undone{}
	for id, u := range j.rec.Tables.Undone {
		known := false
		for _, n := range list {
			if u.Marks.Has(n) {
				if known = true; chosen[n] {
					again[id] = u
				}
			}
		}
		if !known && asked(id) {
			again[id] = u
			if back.File.Lost() > 0 {
				lost = append(lost, u.Change)
			}
		}
	}
	return again, lost
}

// ConflictOf is a change that is left alone because of an error that its step met.
func ConflictOf(c Change, err error) Conflict {
	r := Conflict{Change: c, Reason: reasonOf(err), Detail: fmt.Sprintf("%q: %v", c.Path, err)}
	switch {
	case errors.Is(err, syscall.ENOTEMPTY):
		r.Reason, r.Detail = ReasonChanged, fmt.Sprintf("the directory %q has something else in it", c.Path)
	case errors.Is(err, fs.ErrExist):
		r.Reason, r.Detail = ReasonInTheWay, fmt.Sprintf("something else is at %q", c.Path)
	case errors.Is(err, steps.ErrWait):
		r.Reason = ReasonInTheWay
	case errors.Is(err, steps.ErrGone):
		r.Reason = ReasonGone
	}
	return r
}

// reasonOf is what an error that a step met is to a person.
func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, ErrRaced), errors.Is(err, ErrChangedSince):
		return ReasonChanged
	case errors.Is(err, ErrNoImage), errors.Is(err, ErrNoContent):
		return ReasonNoImage
	case errors.Is(err, fs.ErrNotExist):
		return ReasonGone
	}
	return ReasonIO
}
