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

// A new file takes no name that there is, also where the disk has no hard links.
func TestMoveNew(t *testing.T) {
	for how, move := range map[string]func(file, name string) error{"by a link": MoveNew, "over an empty file": moveOver} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		for _, name := range []string{"one", "two"} {
			if err := os.WriteFile(at(name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := move(at("one"), at("two")); !os.IsExist(err) {
			t.Errorf("%s, over another: %v", how, err)
		}
		if err := move(at("one"), at("three")); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		for name, want := range map[string]string{"two": "two", "three": "one"} {
			if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
				t.Errorf("%s: %s has %q, %v", how, name, got, err)
			}
		}
		if _, err := os.Stat(at("one")); !os.IsNotExist(err) {
			t.Errorf("%s: it has its old name, too: %v", how, err)
		}
		if err := move(at("gone"), at("four")); err == nil {
			t.Errorf("%s: what is not there was moved", how)
		}
		if _, err := os.Stat(at("four")); !os.IsNotExist(err) {
			t.Errorf("%s: left: %v", how, err)
		}
	}
}
