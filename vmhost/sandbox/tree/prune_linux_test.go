package tree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/pack/durable"
)

// What was not used for a while goes, whole; what is used now, what is somebody else's, and
// the one that is asked to stay do not.
func TestPrune(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	const old, used, kept = "00000000000000aa", "00000000000000bb", "00000000000000cc"
	for _, digest := range []string{old, used, kept} {
		tree := filepath.Join(dir, digest)
		err := errors.Join(os.MkdirAll(filepath.Join(tree, "usr"), 0o700), os.WriteFile(filepath.Join(tree, "usr", "x"), nil, 0o400),
			os.WriteFile(filepath.Join(dir, "agent-"+digest), nil, 0o700), os.Chmod(filepath.Join(tree, "usr"), 0o500))
		if err == nil {
			err = Used(t.Context(), dir, digest, now.Add(-48*time.Hour))
		}
		if err == nil && digest == old { // as an earlier version of this program left it
			past := now.Add(-48 * time.Hour)
			err = errors.Join(os.Remove(filepath.Join(dir, usedPrefix+digest)), os.Chtimes(tree, past, past), os.Chtimes(filepath.Join(dir, "agent-"+digest), past, past))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600), os.Chtimes(filepath.Join(dir, "notes"), time.Time{}, now.Add(-48*time.Hour)), Used(t.Context(), dir, used, now)); err != nil {
		t.Fatal(err)
	}
	if err := Prune(t.Context(), dir, kept, now.Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{used, kept, "agent-" + used, "agent-" + kept, "lock", "notes", "used-" + used, "used-" + kept}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%v %v", left, err)
	}
	for _, digest := range []string{used, kept} {
		if err := durable.RemoveAll(filepath.Join(dir, digest)); err != nil {
			t.Error(err)
		}
	}
}
