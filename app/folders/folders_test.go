package folders

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/history"
	"piwork/app/task"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// layered is a journal with the one layer of its folder.
type layered struct {
	history.Journal
	layer *review.Layer
}

func (layered) Files() *journal.Journal               { return nil }
func (j layered) Layer(string) (*review.Layer, error) { return j.layer, nil }

// TestReviewTakesRoom: what waits for a review changes nothing, so that nobody is asked about
// it, but for how much it is.
func TestReviewTakesRoom(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), []byte("the person's"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := review.Open(filepath.Join(t.TempDir(), "layer"), dir, review.Options{Folder: "f"})
	if err != nil {
		t.Fatal(err)
	}
	g := guard.New(guard.Policy{Writes: guard.NameBytes + 100}, guard.Options{})
	t.Cleanup(g.Close)
	made, err := Sharing(slog.New(slog.DiscardHandler), nil)([]task.Folder{{ID: "f", Path: dir, Name: "dir", Mode: task.ModeReview}}, layered{layer: l}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	tree := made.(*server).set.Lookup("dir")
	if err := tree.Remove("old"); err != nil {
		t.Errorf("a change that waits for a review was asked about: %v", err)
	}
	f, _, err := tree.Create("new", 0o600, true, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 100), 0); err != nil {
		t.Error(err)
	}
	if _, err := f.WriteAt(make([]byte, 1), 100); !errors.Is(err, guard.ErrDenied) {
		t.Errorf("more than a task may write unasked: %v", err)
	}
}
