package conformance

import (
	"fmt"
	"path/filepath"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// Review is the Sharing of a folder in front of which changes wait: what the
// guest did is not in the folder, until it is accepted whole.
func Review(t *testing.T, set *share.Set, f share.Folder, j *journal.Journal) func() error {
	t.Helper()
	l, err := review.Open(filepath.Join(t.TempDir(), "review"), f.Path, review.Options{Folder: f.ID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		set.Close()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := set.AddStore(f, l.Store()); err != nil {
		t.Fatal(err)
	}
	return func() error {
		r, err := l.Apply(t.Context(), j, nil, review.ApplyOptions{})
		if err == nil && len(r.Conflicts) > 0 {
			err = fmt.Errorf("conflicts: %+v", r.Conflicts)
		}
		return err
	}
}
