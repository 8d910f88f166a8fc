package apitest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"time"

	"piwork/app/changes"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/vmhost/share/journal"
)

// Changed is what every task changed. What is asked for with it changes nothing
// of it.
type Changed struct {
	List      []journal.Change
	Conflicts []journal.Conflict                  // what undo, redo and apply leave alone
	Contents  map[string]map[changes.Which][]byte // by id of the change
}

func (c Changed) conflict(id string) int {
	return slices.IndexFunc(c.Conflicts, func(u journal.Conflict) bool { return u.Change.ID == id })
}

// edits are the changes of tasks.
type edits struct{ *runs }

func (f edits) Changes(_ context.Context, id string) ([]journal.Change, error) {
	if _, err := f.called("Changes", id); err != nil {
		return nil, err
	}
	return slices.Clone(f.Changed.List), nil
}

// decide notes a request and splits the changes that it names, of those that
// wanted says, into what is done and what is left alone.
func (f edits) decide(id string, request any, ids []string, answered func(string) bool, wanted func(journal.Change) bool) (done []journal.Change, left []journal.Conflict, err error) {
	if _, err := f.find(id); err != nil {
		return nil, nil, err
	}
	_ = f.asked("", request)
	for _, want := range ids {
		if !slices.ContainsFunc(f.Changed.List, func(c journal.Change) bool { return c.ID == want }) {
			return nil, nil, notFound(id + ", change " + want)
		}
	}
	left = []journal.Conflict{}
	for _, c := range f.Changed.List {
		if len(ids) > 0 && !slices.Contains(ids, c.ID) || !wanted(c) {
			continue
		}
		if bad := f.Changed.conflict(c.ID); bad >= 0 && !answered(c.ID) {
			left = append(left, f.Changed.Conflicts[bad])
			continue
		}
		done = append(done, c)
	}
	return done, left, nil
}

// Preview is of the service: nothing goes along with another change.
func (f edits) Preview(ctx context.Context, id string, r history.PreviewRequest) (history.Preview, error) {
	all, err := f.Changes(ctx, id)
	out := history.Preview{Changes: []journal.Change{}, Digest: "digest"}
	for _, c := range all {
		fits := c.Undone == nil && !c.Staged
		switch r.How {
		case history.ByRedo:
			fits = c.Undone != nil
		case history.ByApply, history.ByDiscard:
			fits = c.Staged
		}
		if fits && (len(r.IDs) == 0 || slices.Contains(r.IDs, c.ID)) {
			out.Changes = append(out.Changes, c)
		}
	}
	return out, err
}

func (f edits) Undo(_ context.Context, id string, u history.UndoRequest) (journal.Report, error) {
	answer := func(id string) journal.Resolution { return cmp.Or(u.Resolve[id], u.OnConflict) }
	done, left, err := f.decide(id, u, u.IDs, func(id string) bool { return answer(id) != "" },
		func(c journal.Change) bool { return c.Undone == nil && !c.Staged })
	report := journal.Report{Undone: []journal.Change{}, Conflicts: left}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range done {
		conflict := f.Changed.conflict(c.ID) >= 0
		switch {
		case conflict && answer(c.ID) == journal.Keep:
			report.Kept = append(report.Kept, c)
			continue
		case conflict && answer(c.ID) == journal.Both:
			report.Beside = map[string]string{c.ID: c.Path + " (before)"}
		}
		c.Undone = &now
		report.Undone = append(report.Undone, c)
	}
	return report, err
}

func (f edits) Redo(_ context.Context, id string, r history.RedoRequest) (history.RedoReport, error) {
	done, left, err := f.decide(id, r, r.IDs, func(string) bool { return false },
		func(c journal.Change) bool { return c.Undone != nil })
	report := history.RedoReport{Redone: []journal.Change{}, Conflicts: left}
	for _, c := range done {
		c.Undone = nil
		report.Redone = append(report.Redone, c)
	}
	return report, err
}

func (f edits) Apply(_ context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error) {
	done, left, err := f.decide(id, r, r.IDs, func(id string) bool { return r.Discard || r.OnConflict != "" || r.Resolve[id] != "" },
		func(c journal.Change) bool { return c.Staged })
	report := history.ApplyReport{Applied: []journal.Change{}, Discarded: []journal.Change{}, Conflicts: left}
	if r.Discard {
		report.Discarded = append(report.Discarded, done...)
		return report, err
	}
	for _, c := range done {
		c.Staged = false
		report.Applied = append(report.Applied, c)
	}
	return report, err
}

// held is a content in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

func (f edits) change(id, change string) (journal.Change, error) {
	list, err := f.Changes(context.Background(), id)
	for _, c := range list {
		if c.ID == change {
			return c, nil
		}
	}
	return journal.Change{}, cmp.Or(err, notFound(id+", change "+change))
}

func (f edits) CompareChange(ctx context.Context, id, change string) (changes.Comparison, error) {
	c, err := f.change(id, change)
	if err != nil {
		return changes.Comparison{}, err
	}
	return changes.Compare(ctx, c, func(_ context.Context, side changes.Which) (changes.Content, error) {
		if data, there := f.Changed.Contents[change][side]; there {
			return held{bytes.NewReader(data)}, nil
		}
		return nil, changes.ErrGone
	}, changes.Limits{})
}

func (f edits) OpenChange(_ context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error) {
	c, err := f.change(id, change)
	data, there := f.Changed.Contents[change][side]
	if err != nil || !there {
		return nil, history.ChangeFile{}, cmp.Or(err, notFound(id+", change "+change))
	}
	return held{bytes.NewReader(data)}, history.ChangeFile{Name: path.Base(c.Path), Size: int64(len(data)), Type: changes.ImageType(data)}, nil
}

func (f edits) SetUndoKeeping(_ context.Context, s history.UndoSettings) (history.UndoKeeping, error) {
	if err := f.asked("SetUndoKeeping", s); err != nil {
		return history.UndoKeeping{}, err
	}
	return change(f.core, func(k *history.UndoKeeping) { k.Settings = s }), nil
}

// ForgetUndo is of the service.
func (f edits) ForgetUndo(_ context.Context, id string, abandonUndo bool) (history.UndoSpace, error) {
	out, err := about[history.UndoSpace](f.runs, "ForgetUndo", id, abandonUndo)
	return out, unlessAbandoned(err, abandonUndo)
}

// unlessAbandoned is err, but that an undo waits where that is given up.
func unlessAbandoned(err error, abandonUndo bool) error {
	if p, is := errors.AsType[*problem.Problem](err); is && abandonUndo && p.Code == problem.CodeUndoWaits {
		return nil
	}
	return err
}
