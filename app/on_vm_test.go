//go:build vm && linux

package app_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

	// Its input, its status, and a session go over the connection, too.
	cat := here.command("--on", "lab", "exec", "--runtime", "sandbox", "-i", "--yes", "--", "sh", "-c", "cat; exit 7")
	cat.Stdin = strings.NewReader("typed here")
	if out, err := cat.Output(); string(out) != "typed here" || cat.ProcessState.ExitCode() != 7 {
		t.Errorf("%q %v", out, err)
	}
	var session struct{ ID string }
	out, err := here.command("--on", "lab", "session", "create", "--runtime", "sandbox", "--folder", "~/Letters:ro", "--yes", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &session)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said := here.does("--on", "lab", "session", "run", session.ID, "--", "cat e.txt"); !strings.Contains(said, "d\n") {
		t.Errorf("the session says %q", said)
	}
	here.does("--on", "lab", "session", "close", session.ID)
}

// The program sends itself to a computer that has none, works there, and is removed again with
// its process; what it did stays.
func TestRealInstallOnAnotherComputer(t *testing.T) {
	program := os.Getenv(envBin)
	if program == "" {
		t.Fatalf("%s does not name the program", envBin)
	}
	s, _, here := other(t, standIns)
	here.does("serve", "--stop") // it is that of the tests
	here.program = program
	if err := os.Remove(filepath.Join(s.Home, ".local/bin/piwork")); err != nil {
		t.Fatal(err)
	}
	if code, said := here.run("--on", "lab", "task", "list"); code == 0 || !strings.Contains(said, "piwork remote install lab") {
		t.Fatalf("%d: %s", code, said)
	}
	if code, said := here.run("remote", "install", "lab"); code == 0 || !strings.Contains(said, "cancelled") && !strings.Contains(said, "--yes") {
		t.Errorf("nobody said yes: %d: %s", code, said)
	}
	said := here.does("remote", "install", "lab", "--yes")
	if !strings.Contains(said, ".cache/piwork/program/piwork") {
		t.Errorf("%s", said)
	}
	here.does("--on", "lab", "task", "list")
	here.does("--on", "lab", "rules", "list")
	if said := here.does("remote", "install", "lab"); !strings.Contains(said, "is installed there") {
		t.Errorf("again: %s", said)
	}
	here.does("remote", "clean", "lab")
	if _, err := os.Lstat(filepath.Join(s.Home, ".cache/piwork/program")); err == nil {
		t.Error("the program is still there")
	}
	if _, err := os.Stat(filepath.Join(s.Home, ".local/share/piwork")); err != nil {
		t.Errorf("its data is gone: %v", err)
	}
	here.await("its process is gone", func() bool {
		programs, err := filepath.Glob("/proc/[0-9]*/exe")
		return err == nil && !slices.ContainsFunc(programs, func(exe string) bool {
			at, err := os.Readlink(exe)
			return err == nil && strings.HasPrefix(at, s.Home)
		})
	})
}
