package apitest

import (
	"bytes"
	"context"
	"io"
	"path"
	"slices"
	"time"

	"piwork/app/changes"
	"piwork/app/history"
	"piwork/vmhost/share/journal"
)

// Changed is what every task changed. What is asked for with it changes nothing
// of it.
type Changed struct {
	List      []journal.Change
	Conflicts []journal.Conflict                  // what undo, redo and apply leave alone
	Contents  map[string]map[changes.Which][]byte // by id of the change
}

// Changes is of the service.
func (f *Fake) Changes(_ context.Context, id string) ([]journal.Change, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.Changed.List), f.refused("Changes")
}

// decide notes a request and splits the changes that it names, of those that
// wanted says, into what is done and what is left alone.
//
// f.mu is held.
func (f *Fake) decide(id string, request any, ids []string, answered func(string) bool, wanted func(journal.Change) bool) (done []journal.Change, left []journal.Conflict, err error) {
	if !slices.ContainsFunc(f.records.tasks, func(r *running) bool { return r.t.ID == id }) {
		return nil, nil, notFound(id)
	}
	left = []journal.Conflict{}
	f.wishes = append(f.wishes, request)
	for _, want := range ids {
		if !slices.ContainsFunc(f.Changed.List, func(c journal.Change) bool { return c.ID == want }) {
			return nil, nil, notFound(id + ", change " + want)
		}
	}
	for _, c := range f.Changed.List {
		if len(ids) > 0 && !slices.Contains(ids, c.ID) || !wanted(c) {
			continue
		}
		bad := slices.IndexFunc(f.Changed.Conflicts, func(u journal.Conflict) bool { return u.Change.ID == c.ID })
		if bad >= 0 && !answered(c.ID) {
			left = append(left, f.Changed.Conflicts[bad])
			continue
		}
		done = append(done, c)
	}
	return done, left, nil
}

// Undo is of the service.
func (f *Fake) Undo(_ context.Context, id string, u history.UndoRequest) (journal.Report, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := func(id string) journal.Resolution {
		if r := u.Resolve[id]; r != "" {
			return r
		}
		return u.OnConflict
	}
	done, left, err := f.decide(id, u, u.IDs, func(id string) bool { return answer(id) != "" },
		func(c journal.Change) bool { return c.Undone == nil && !c.Staged })
	report := journal.Report{Undone: []journal.Change{}, Conflicts: left}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range done {
		conflict := slices.ContainsFunc(f.Changed.Conflicts, func(u journal.Conflict) bool { return u.Change.ID == c.ID })
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

// Redo is of the service.
func (f *Fake) Redo(_ context.Context, id string, r history.RedoRequest) (history.RedoReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done, left, err := f.decide(id, r, r.IDs, func(string) bool { return false },
		func(c journal.Change) bool { return c.Undone != nil })
	report := history.RedoReport{Redone: []journal.Change{}, Conflicts: left}
	for _, c := range done {
		c.Undone = nil
		report.Redone = append(report.Redone, c)
	}
	return report, err
}

// Apply is of the service.
func (f *Fake) Apply(_ context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done, left, err := f.decide(id, r, r.IDs, func(id string) bool { return r.Discard || r.OnConflict != "" || r.Resolve[id] != "" },
		func(c journal.Change) bool { return c.Staged })
	report := history.ApplyReport{Applied: []journal.Change{}, Discarded: []journal.Change{}, Conflicts: left}
	for _, c := range done {
		if r.Discard {
			report.Discarded = append(report.Discarded, c)
			continue
		}
		c.Staged = false
		report.Applied = append(report.Applied, c)
	}
	return report, err
}

// held is a content in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

// CompareChange is of the service.
func (f *Fake) CompareChange(ctx context.Context, id, change string) (changes.Comparison, error) {
	list, err := f.Changes(ctx, id)
	if err != nil {
		return changes.Comparison{}, err
	}
	for _, c := range list {
		if c.ID == change {
			return changes.Compare(ctx, c, func(_ context.Context, side changes.Which) (changes.Content, error) {
				data, ok := f.Changed.Contents[change][side]
				if !ok {
					return nil, changes.ErrGone
				}
				return held{bytes.NewReader(data)}, nil
			}, changes.Limits{})
		}
	}
	return changes.Comparison{}, notFound(id + ", change " + change)
}

// OpenChange is of the service.
func (f *Fake) OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error) {
	list, err := f.Changes(ctx, id)
	if err != nil {
		return nil, history.ChangeFile{}, err
	}
	data, ok := f.Changed.Contents[change][side]
	for _, c := range list {
		if c.ID == change && ok {
			return nopCloser{bytes.NewReader(data)}, history.ChangeFile{Name: path.Base(c.Path), Size: int64(len(data)), Type: changes.ImageType(data)}, nil
		}
	}
	return nil, history.ChangeFile{}, notFound(id + ", change " + change)
}

// SetUndoKeeping is of the service.
func (f *Fake) SetUndoKeeping(_ context.Context, s history.UndoSettings) (history.UndoKeeping, error) {
	k, err := answered[history.UndoKeeping](f, "SetUndoKeeping", s)
	k.Settings = s
	return k, err
}
