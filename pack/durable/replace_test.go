package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file that cannot be written is named, and not the hidden one beside it.
func TestErrorNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "report.zip")
	for name, write := range map[string]func() error{
		"replaced": func() error { return ReplaceFile(path, []byte("x")) },
		"written":  func() error { return WriteFile(path, []byte("x"), 0o600) },
	} {
		var at *fs.PathError
		if err := write(); !errors.As(err, &at) || at.Path != path || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	f, err := CreateBeside(filepath.Join(dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 || all[0].Name()[:7] != ".a.txt-" {
		t.Errorf("%v %v", all, err)
	}
}
