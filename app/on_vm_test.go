//go:build vm && linux

package app_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"piwork/app"
)

// A program changes, moves and deletes files of another computer, in a sandbox there; undo from
// here brings them back, and redo does it again.
func TestRealOnAnotherComputer(t *testing.T) {
	program := os.Getenv(envBin)
	if program == "" {
		t.Fatalf("%s does not name the program", envBin)
	}
	s, there, here := other(t, func(t *testing.T) *computer {
		c := newComputer(t, "", app.SandboxOptions(t))
		c.program = program
		return c
	})
	dir := filepath.Join(s.Home, "Letters")
	for name, text := range map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c/d.txt": "d\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	was := app.FilesOf(t, dir)
	said := here.does("--on", "lab", "exec", "--runtime", "sandbox", "--folder", "~/Letters:rw", "--yes", "--", "sh", "-c", "echo more >>a.txt; rm b.txt; mv c/d.txt e.txt; rmdir c; echo it is done")
	changed := app.FilesOf(t, dir)
	if changed["a.txt"] != "a\nmore\n" || len(changed) != 2 {
		t.Fatalf("%v: %s", changed, said)
	}
	id := here.newest("--on", "lab")
	if there.newest() != id {
		t.Error("it is another task there")
	}
	here.does("--on", "lab", "task", "undo", id, "--yes")
	if now := app.FilesOf(t, dir); !maps.Equal(now, was) {
		t.Errorf("undone: %v", now)
	}
	here.does("--on", "lab", "task", "redo", id, "--yes")
	if now := app.FilesOf(t, dir); !maps.Equal(now, changed) {
		t.Errorf("redone: %v", now)
	}
}
