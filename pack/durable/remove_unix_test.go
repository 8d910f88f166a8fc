//go:build unix

package durable

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRemoveAllWithoutRights: what programs leave behind is removed, and nothing that they
// point at is touched.
func TestRemoveAllWithoutRights(t *testing.T) {
	base := t.TempDir()
	dir, other := filepath.Join(base, "left"), filepath.Join(base, "other")
	for _, d := range []string{filepath.Join(dir, "a", "b", "c"), other} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(dir, "a", "b", "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(other, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"a/b/c", "a/b", "a", "."} {
		if err := os.Chmod(filepath.Join(dir, filepath.FromSlash(d)), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveAll(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
	if fi, err := os.Stat(other); err != nil || fi.Mode().Perm()&0o200 != 0 {
		t.Errorf("what it pointed at: %v, %v", fi, err)
	}
	if err := RemoveAll(filepath.Join(base, "none", "at", "all")); err != nil {
		t.Error(err)
	}
}
