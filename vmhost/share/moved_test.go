package share_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/review"
)

// No task gets a folder to which a link leads that was made after the folder was chosen, neither
// itself nor with a layer in front of it.
func TestMovedFolder(t *testing.T) {
	base, err := share.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	chosen, other := filepath.Join(base, "chosen"), filepath.Join(base, "other")
	if err := errors.Join(os.Mkdir(other, 0o700), os.Symlink(other, chosen)); err != nil {
		t.Fatal(err)
	}
	s := share.NewSet(share.Options{})
	defer s.Close()
	if _, err := s.Add(share.Folder{ID: "f1", Path: chosen, ReadOnly: true}, nil); !errors.Is(err, share.ErrMoved) {
		t.Errorf("itself: %v", err)
	}
	if l, err := review.Open(filepath.Join(base, "layer"), chosen, review.Options{Folder: "f1"}); !errors.Is(err, share.ErrMoved) {
		t.Errorf("with a layer: %v, %v", l, err)
	}
	if _, err := s.Add(share.Folder{ID: "f1", Path: other, ReadOnly: true}, nil); err != nil {
		t.Error(err)
	}
}
