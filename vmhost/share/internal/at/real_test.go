package at

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A directory is opened by its real path alone, whoever put a link or another one there.
func TestOpenReal(t *testing.T) {
	base, err := RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	chosen, other := filepath.Join(base, "up", "chosen"), filepath.Join(base, "other")
	for _, dir := range []string{chosen, filepath.Join(other, "chosen")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root, err := OpenReal(chosen)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	away := filepath.Join(base, "away")
	for _, row := range []struct {
		name string
		do   func() error
		err  error // of opening it now
	}{
		{"as it was", func() error { return nil }, nil},
		{"a link in its place", func() error { return errors.Join(os.Rename(chosen, away), os.Symlink(other, chosen)) }, ErrMoved},
		{"another in its place", func() error { return errors.Join(os.Remove(chosen), os.Mkdir(chosen, 0o700)) }, nil},
		{"a link on the way", func() error {
			return errors.Join(os.Rename(filepath.Join(base, "up"), filepath.Join(base, "up2")), os.Symlink(other, filepath.Join(base, "up")))
		}, ErrMoved},
		{"nothing there", func() error { return os.Remove(filepath.Join(base, "up")) }, os.ErrNotExist},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		now, err := OpenReal(chosen)
		if !errors.Is(err, row.err) || row.err == nil && err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if err == nil {
			now.Close()
		}
		// What is open is the directory at its path no more.
		for how, err := range map[string]error{"opened": unmoved(chosen, root), "by names": compared(chosen, root)} {
			if (err == nil) != (row.name == "as it was") {
				t.Errorf("%s, %s: %v", row.name, how, err)
			}
		}
	}
}
