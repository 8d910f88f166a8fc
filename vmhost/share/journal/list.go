package journal

import (
	"context"
	"piwork/vmhost/share/journal/internal/ledger"
	"slices"
)

// Changes returns what the task changed: the difference between before the
// task and how it left things, sorted by path, and what was undone. It reads
// files that were changed since the last call to hash them: called when a task
// has ended, it lets a later undo tell what a person changed from what only
// looks changed. While the task runs the list is of this moment.
func (j *Journal) Changes(ctx context.Context) ([]Change, error) {
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	list, _, err := j.list(ctx, false)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(list))
	seen := map[string]bool{}
	for _, n := range list {
		out = append(out, n.Change)
		seen[n.Change.ID] = true
	}
	j.mu.Lock()
	for id, c := range j.tables.Undone {
		if !seen[id] {
			out = append(out, c)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(out, ledger.ByPath)
	return out, nil
}

// list brings the tables up to date and computes the changes; j.undoMu is held.
// It also returns the states of files that are open at this moment. stopped
// says that tasks are stopped already.
func (j *Journal) list(ctx context.Context, stopped bool) ([]*ledger.Step, map[*ledger.Object]ledger.State, error) {
	r := j.openRoots()
	defer r.close()
	start := func() {}
	if !stopped {
		start = j.stop()
	}
	err := j.decide(r)
	start()
	if err != nil {
		return nil, nil, err
	}
	live, err := j.refresh(ctx, r, stopped)
	if err != nil {
		return nil, nil, err
	}
	j.stale = false
	if err := j.sync(j.file.Position()); err != nil {
		return nil, nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tables.Changes(live), live, nil
}

// spot and gained are those of the tables, for who does not hold j.mu.
func (j *Journal) spot(o *ledger.Object) (dir *ledger.Object, name string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tables.Spot(o)
}

func (j *Journal) gained(o *ledger.Object) *ledger.Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return o.Gained()
}

// rewrite replaces the log by the shortest one that says the same; j.mu is
// held.
func (j *Journal) rewrite() error {
	if err := ledger.Replace(j.file, j.tables.LastT, j.tables.Records()); err != nil {
		return err
	}
	j.compact, j.marked = j.file.Length(), 0 // a mark comes next
	return nil
}

// compactAt is the length in bytes from which on a log is rewritten when most
// of it is about things that came and went.
const compactAt = 64 << 20
