package remote

import (
	"os"
	"path/filepath"
	"testing"
)

// Everything goes, whatever programs made of its rights.
func TestRemoveAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "a"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeAll(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
}

// Only a directory of this user alone is used.
func TestOwn(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, err := runs()
	if err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o700: true, 0o750: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := runs(); (err == nil) != good {
			t.Errorf("%o: %v", mode, err)
		}
	}
	for _, id := range []string{"", "..", "../..", "0123456789abcdef/..", "0123"} {
		if err := enter(id); err == nil {
			t.Errorf("%q is entered", id)
		}
	}
}
