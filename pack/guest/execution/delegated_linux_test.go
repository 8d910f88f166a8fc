package execution

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write makes a file of a fake cgroup.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOwnGroup(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"0::/\n": "/",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope\n": "/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope",
		"9:name=systemd:/a\n4:memory:/b\n0::/c\n":                              "/c",
		"4:memory:/b\n":     "",
		"0::/../../other\n": "",
	} {
		if got := ownGroup(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// A process that is to be in a cgroup waits for that, and not for ever.
func TestAwaitGroup(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	write(t, dir, "own", "0::/user.slice/session-2.scope\n")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got, err := AwaitGroup(ctx, "/groups", own, "x.scope"); err == nil {
		t.Errorf("it is in %s", got)
	}
	got := make(chan string, 1)
	go func() {
		at, err := AwaitGroup(t.Context(), "/groups", own, "x.scope")
		if err != nil {
			t.Error(err)
		}
		got <- at
	}()
	other := filepath.Join(dir, "other")
	write(t, dir, "other", "0::/user.slice/app.slice/x.scope\n")
	if err := os.Rename(other, own); err != nil {
		t.Fatal(err)
	}
	if at := <-got; at != "/groups/user.slice/app.slice/x.scope" {
		t.Error(at)
	}
	if _, err := AwaitGroup(t.Context(), "/groups", filepath.Join(dir, "none"), "x.scope"); err == nil {
		t.Error("there is no such file")
	}
}

// A cgroup is divided: this process is in one child, and the other, which programs get, has
// less memory than both. A directory plays the cgroup: it shows what is written, and not that
// a kernel takes it.
func TestDivideGroup(t *testing.T) {
	for name, row := range map[string]struct{ max, want string }{
		"bounded":   {"8000\n", "7000"},
		"unbounded": {"max\n", ""},
	} {
		dir := t.TempDir()
		write(t, dir, "memory.max", row.max)
		write(t, dir, "cgroup.subtree_control", "")
		got, err := DivideGroup(dir)
		if err != nil || got != filepath.Join(dir, programsGroup) {
			t.Errorf("%s: %s %v", name, got, err)
		}
		for file, want := range map[string]string{"agent/cgroup.procs": "0", "cgroup.subtree_control": "+io", "programs/memory.max": row.want} {
			file = filepath.Join(dir, file)
			_ = os.Chmod(file, 0o600) // a kernel makes files, and writing makes these
			if b, _ := os.ReadFile(file); string(b) != want {
				t.Errorf("%s: %s is %q", name, file, b)
			}
		}
		if got, err := DivideGroup(dir); err == nil {
			t.Errorf("%s: it is divided twice: %s", name, got)
		}
	}
	if got, err := DivideGroup(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error(got)
	}
}
