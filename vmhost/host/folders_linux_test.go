package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// shared gives a place a folder that may be changed and one that may not, and a state.
func shared(t testing.TB, c Config) (_ Config, dir string, j *journal.Journal) {
	t.Helper()
	dir = hostedtest.Files(t)
	c, j = sharing(t, c, filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	return c, dir, j
}

// sharing gives a place two directories as folders, of which programs may change the first,
// and a state.
func sharing(t testing.TB, c Config, rw, ro string) (Config, *journal.Journal) {
	t.Helper()
	hostedtest.NeedFUSE(t)
	f := hostedtest.Share(t, rw, ro)
	c.Folders, c.State = append(c.Folders, f.View...), true
	c.ServeFUSE = func(ctx context.Context, device *os.File) error {
		return f.ServeFUSEAs(c.Log)(ctx, device, os.Getuid())
	}
	return c, f.Journal
}

// The folders are those of the person, with the journal behind them: what a program
// changed is undone, and what it must not change it cannot.
func TestFolders(t *testing.T) {
	c, dir, j := shared(t, config(t))
	r := connected(t, c)
	if d := r.InitData(); d.Cwd != c.Dir+"/folders/rw" || d.Folders[1].Path != c.Dir+"/folders/ro" {
		t.Errorf("%+v", d)
	}
	got := run(t, r, "pwd; cat a.txt; echo changed >a.txt; mkdir d; echo new >d/n; mv d/n d/m; cat $PIWORK_FOLDERS/ro/b.txt; echo kept >../.state/f")
	if lines := strings.Split(string(got.Stdout), "\n"); got.ExitCode != 0 || len(lines) < 3 || lines[0] != c.Dir+"/folders/rw" || lines[1] != "first" || lines[2] != "second" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	for name, want := range map[string]string{"rw/a.txt": "changed\n", "rw/d/m": "new\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"cat", "/folders/rw/a.txt", "/state/f"}, Cwd: "/folders/ro"}})
	if err != nil || string(obs.Exec.Stdout) != "changed\nkept\n" {
		t.Errorf("%+v %v", obs.Exec, err)
	}
	for _, script := range []string{"echo x >../ro/b.txt", "rm ../ro/b.txt", "mkdir ../ro/d", "echo x >../x", "mv ../ro/b.txt ."} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	if err := r.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	report, err := j.Undo(t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(report.Conflicts) > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "rw"))
	if b, rerr := os.ReadFile(filepath.Join(dir, "rw/a.txt")); err != nil || rerr != nil || len(entries) != 1 || string(b) != "first\n" {
		t.Errorf("undone: %v, %q", entries, b)
	}
}

// A file server that ends takes the place along.
func TestFoldersEnd(t *testing.T) {
	c, _, _ := shared(t, config(t))
	end := make(chan struct{})
	serve := c.ServeFUSE
	c.ServeFUSE = func(ctx context.Context, device *os.File) error {
		fd, err := unix.FcntlInt(device.Fd(), unix.F_DUPFD_CLOEXEC, 0) // whoever returns loses the device
		if err != nil {
			return err
		}
		own := os.NewFile(uintptr(fd), "FUSE")
		go func() {
			_ = serve(ctx, own)
			own.Close()
		}()
		<-end
		return errors.New("no more")
	}
	failed := make(chan vmhost.Status, 1)
	c.OnStatus = func(s vmhost.Status) {
		if s.State == vmhost.StateFailed {
			failed <- s
		}
	}
	connected(t, c)
	close(end)
	s := <-failed
	if f, is := errors.AsType[*vmhost.FailedError](s.Err); !is || f.Reason != vmhost.ReasonShare {
		t.Errorf("%+v", s)
	}
}

// Folders that can't be mounted are refused: what is done in them could not be undone.
func TestFoldersRefused(t *testing.T) {
	c := config(t)
	c.ServeFUSE = func(context.Context, *os.File) error { return nil }
	p := &place{cfg: &c, done: make(chan struct{})}
	if err := errors.Join(p.lay(t.Context()), os.Mkdir(p.at(wire.FoldersDir), 0o700)); err != nil {
		t.Fatal(err)
	}
	// A directory that is there already is not this place's.
	if err := p.serveFolders(t.Context()); err == nil {
		t.Error("it served all the same")
	}
	if err := p.clear(); err != nil {
		t.Error(err)
	}
}
