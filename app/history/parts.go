package history

import (
	"context"
	"errors"
	"slices"
	"strings"

	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// Names of the temporary files that the operations in the guest make beside
// their result (pack/guest/operate). They remove them themselves, unless their
// machine was ended first.
const (
	partPrefix = ".piwork-"
	partSuffix = ".part"
)

// isPart reports whether a change is a temporary file or folder that the task
// left, or is of something in one.
func isPart(c journal.Change) bool {
	if c.Effect != journal.EffectCreate || c.Undone != nil {
		return false
	}
	for name := range strings.SplitSeq(c.Path, "/") {
		if strings.HasPrefix(name, partPrefix) && strings.HasSuffix(name, partSuffix) {
			return true
		}
	}
	return false
}

// ClearParts takes back the temporary files that a task left in its folders
// when it was ended in the middle of something. Nothing of it runs any more.
func (h *History) ClearParts(t task.Task) {
	if !slices.ContainsFunc(t.Folders, func(f task.Folder) bool { return f.Mode != task.ModeReadOnly }) {
		return
	}
	ctx, cancel := context.WithTimeout(h.o.Registry.Grace(), h.o.CloseWithin)
	defer cancel()
	err := h.WithJournal(t, func(j Journal) error { return undoParts(ctx, j) })
	if err != nil {
		h.o.Log.Warn("temporary files of a task could not be cleared", "task", t.ID, "error", err)
	}
}

func undoParts(ctx context.Context, j Journal) error {
	changes, err := j.Changes(ctx)
	if err != nil {
		return err
	}
	var ids, staged []string
	for _, change := range changes {
		switch {
		case !isPart(change):
		case change.Staged:
			staged = append(staged, change.ID)
		default:
			ids = append(ids, change.ID)
		}
	}
	if len(ids) > 0 {
		_, err = j.Undo(ctx, UndoRequest{IDs: ids})
	}
	if len(staged) > 0 {
		_, thrown := j.Apply(ctx, ApplyRequest{IDs: staged, Discard: true})
		err = errors.Join(err, thrown)
	}
	return err
}
