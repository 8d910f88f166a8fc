package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What programs left goes, whatever they made of it, and nothing that it leads to.
func TestEmptyFollowsNothing(t *testing.T) {
	dir, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept")
	deep := filepath.Join(dir, strings.Repeat("d/", 200))
	for _, err := range []error{
		os.MkdirAll(kept, 0o700), os.WriteFile(filepath.Join(kept, "letter"), nil, 0o600), os.MkdirAll(deep, 0o700),
		os.Symlink(kept, filepath.Join(dir, "away")), os.Symlink(kept, filepath.Join(deep, "away")),
		os.MkdirAll(filepath.Join(dir, "closed", "within"), 0o700), os.Chmod(filepath.Join(dir, "closed", "within"), 0), os.Chmod(filepath.Join(dir, "closed"), 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Empty(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(kept, "letter")); err != nil {
		t.Error(err)
	}
}
