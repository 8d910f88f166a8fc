package journal

import (
	"context"
	"errors"
	"slices"

	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// Changes returns what the task changed: the difference between before the
// task and how it left things, sorted by path, and what was undone. It reads
// files that were changed since the last call to hash them: called when a task
// has ended, it lets a later undo tell what a person changed from what only
// looks changed. While the task runs the list is of this moment.
func (j *Journal) Changes(ctx context.Context) ([]Change, error) {
	ctx, done, err := j.rec.Alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	list, _, err := j.rec.List(ctx, false)
	if err != nil {
		return nil, err
	}
	return j.withUndone(list), nil
}

// Recorded returns the changes of the journal in dir as they are written down. It looks into no
// folder, whatever drive that is on, and finishes no undo that was interrupted.
func Recorded(ctx context.Context, dir string, o Options) ([]Change, error) {
	r, err := recorder.Open(dir, o, nil)
	if err != nil {
		return nil, err
	}
	j := &Journal{rec: r}
	list, _, err := recorder.ListIn(ctx, r, &recorder.Roots{}, false)
	if err := errors.Join(err, j.Close()); err != nil {
		return nil, err
	}
	return j.withUndone(list), nil
}

// withUndone returns what is listed, and what was undone.
func (j *Journal) withUndone(list []*ledger.Step) []Change {
	out := make([]Change, 0, len(list))
	seen := map[string]bool{}
	for _, n := range list {
		out = append(out, n.Change)
		seen[n.Change.ID] = true
	}
	j.rec.Mu.Lock()
	for id, u := range j.rec.Tables.Undone {
		if !seen[id] {
			out = append(out, u.Change)
		}
	}
	j.rec.Mu.Unlock()
	slices.SortFunc(out, ledger.ByPath)
	return out
}
