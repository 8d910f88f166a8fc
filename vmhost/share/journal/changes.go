package journal

import (
	"context"
	"slices"

	"piwork/vmhost/share/journal/internal/ledger"
)

// Changes returns what the task changed: the difference between before the
// task and how it left things, sorted by path, and what was undone. It reads
// files that were changed since the last call to hash them: called when a task
// has ended, it lets a later undo tell what a person changed from what only
// looks changed. While the task runs the list is of this moment.
func (j *Journal) Changes(ctx context.Context) ([]Change, error) {
	j.rec.UndoMu.Lock()
	defer j.rec.UndoMu.Unlock()
	list, _, err := j.rec.List(ctx, false)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(list))
	seen := map[string]bool{}
	for _, n := range list {
		out = append(out, n.Change)
		seen[n.Change.ID] = true
	}
	j.rec.Mu.Lock()
	for id, c := range j.rec.Tables.Undone {
		if !seen[id] {
			out = append(out, c)
		}
	}
	j.rec.Mu.Unlock()
	slices.SortFunc(out, ledger.ByPath)
	return out, nil
}
