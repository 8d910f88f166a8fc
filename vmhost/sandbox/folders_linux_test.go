package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/person"
	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// shared gives a sandbox a folder that may be changed and one that may not, and a state.
func shared(t testing.TB, c Config) (_ Config, dir string, j *journal.Journal) {
	t.Helper()
	hostedtest.NeedFUSE(t)
	dir = hostedtest.Files(t)
	c, j = sharing(t, c, filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	return c, dir, j
}

// sharing gives a sandbox two folders of this computer, and a state.
func sharing(t testing.TB, c Config, rw, ro string) (Config, *journal.Journal) {
	t.Helper()
	f := hostedtest.Share(t, rw, ro)
	c.Folders, c.State = append(c.Folders, f.View...), true
	c.ServeFUSE = f.ServeFUSE(c.Log)
	return c, f.Journal
}

// The folders are those of the person, with the journal behind them: what a program
// changed is undone, and what it must not change it cannot.
func TestFolders(t *testing.T) { folders(t) }

// So are those of a person who may use FUSE, as nearly everywhere.
func TestFoldersOfAPerson(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Fatal(err) // util-linux has it, which every Debian has
	}
	if !unprivileged(t, true) {
		return
	}
	folders(t)
}

func folders(t *testing.T) {
	t.Helper()
	c, dir, j := shared(t, config(t))
	r := connected(t, c)
	got := run(t, r, "pwd; cat a.txt; echo changed >a.txt; mkdir d; echo new >d/n; mv d/n d/m; chmod 600 a.txt; ln -s a.txt link; cat link; ls -n a.txt; cat ../ro/b.txt")
	lines := strings.Split(string(got.Stdout), "\n")
	if got.ExitCode != 0 || len(lines) < 5 || lines[0] != "/folders/rw" || lines[1] != "first" || lines[2] != "changed" || !strings.Contains(lines[3], " 1000 1000 ") || lines[4] != "second" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	for name, want := range map[string]string{"rw/a.txt": "changed\n", "rw/d/m": "new\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	for _, script := range []string{
		"echo x >/folders/ro/b.txt", "rm /folders/ro/b.txt", "mkdir /folders/ro/d", "echo x >/folders/x", "mkdir /folders/d",
		"cat /folders/rw/../../secret", "ln -s " + dir + "/secret s; cat s", "ln /folders/ro/b.txt hard", "mv /folders/ro/b.txt .",
	} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	if got := run(t, r, "echo kept >/state/f && cat /folders/.state/f"); string(got.Stdout) != "kept\n" {
		t.Errorf("the state: %+v", got)
	}
	// A large file comes and goes whole.
	if got := run(t, r, "head -c 5000000 /dev/zero >large && wc -c <large && rm large"); strings.TrimSpace(string(got.Stdout)) != "5000000" {
		t.Errorf("%+v", got)
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

// A file server that ends takes the sandbox along.
func TestFoldersEnd(t *testing.T) {
	c, _, _ := shared(t, config(t))
	serve, end, served := c.ServeFUSE, make(chan struct{}), make(chan error, 1)
	c.ServeFUSE = func(ctx context.Context, device *os.File) error {
		fd, err := syscall.Dup(int(device.Fd()))
		if err != nil {
			return err
		}
		own := os.NewFile(uintptr(fd), "device")
		go func() { defer own.Close(); served <- serve(ctx, own) }()
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
	var f *vmhost.FailedError
	if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonShare {
		t.Errorf("%+v", s)
	}
	if err := <-served; err != nil {
		t.Errorf("ServeFUSE: %v", err)
	}
}

// A program that waits for a person, whom the kernel cannot end, does not hold up the end.
func TestCloseWhileAPersonIsAsked(t *testing.T) {
	hostedtest.NeedFUSE(t)
	asked := make(chan struct{}, 10)
	g := guard.New(guard.Policy{}, guard.Options{Window: time.Millisecond, Ask: func(ctx context.Context, _ vmhost.Question, _ <-chan vmhost.Question) (guard.Answer, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return guard.Answer{}, ctx.Err()
	}})
	t.Cleanup(g.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("original"), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	t.Cleanup(func() { set.Close(); j.Close() })
	if _, err := set.Add(share.Folder{ID: "1", Path: dir, Name: "asked", Guard: g}, j); err != nil {
		t.Fatal(err)
	}
	c := config(t)
	c.Timing.Shutdown = time.Second
	c.ServeFUSE = func(ctx context.Context, device *os.File) error {
		return virtiofs.ServeFUSE(ctx, device, set, virtiofs.Options{Log: c.Log})
	}
	r := connected(t, c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"rm", "-f", "/folders/asked/a.txt"}, Cwd: "/work"}})
		if err == nil && obs.Exec.ExitCode == 0 {
			t.Error("the file was removed")
		}
	}()
	<-asked
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	<-done
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err != nil {
		t.Error(err)
	}
}

// This computer may not let people use FUSE: then there are no folders, and that is said.
func TestFoldersRefused(t *testing.T) {
	if !unprivileged(t, false) {
		return
	}
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err == nil {
		f.Close()
		t.Skip("this computer lets people use FUSE: TestFoldersOfAPerson plays that")
	}
	c := config(t)
	c.ServeFUSE = func(context.Context, *os.File) error { t.Error("there is nothing to serve"); return nil }
	r := open(t, c)
	var unsupported *vmhost.UnsupportedError
	if err := r.Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "/dev/fuse") {
		t.Errorf("Connect: %v", err)
	}
}

// What was not made by a sandbox stays, whatever is where the folders are mounted.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"work/locked/x", "folders/rw/of-the-person", "log"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "work/locked"), 0); err != nil {
		t.Fatal(err)
	}
	if err := sweep(dir); err == nil {
		t.Error("the folders are not empty, and nobody says so")
	}
	for name, stays := range map[string]bool{"work": false, "folders/rw/of-the-person": true, "log": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// whenKilled is the test that is killed: its sandbox runs, with folders.
const whenKilled = "PIWORK_TEST_KILLED"

// A program that is killed leaves no process and no mount; the next sandbox in the same
// place removes its files.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(whenKilled); dir != "" {
		c, _, _ := shared(t, config(t))
		c.Dir = dir
		r := connected(t, c)
		go r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh", "-c", "echo x >/work/x; trap '' TERM; sleep 600"}, Cwd: "/work"}, OnOutput: func(wire.ExecOutput) {}})
		for run(t, r, "cat /work/x").ExitCode != 0 {
			<-time.After(10 * time.Millisecond)
		}
		fmt.Println("ready")
		select {}
	}
	tree, _ := parts(t)
	dir := filepath.Join(t.TempDir(), "sandbox-of-one-who-is-killed")
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), whenKilled+"="+dir, "TMPDIR="+t.TempDir(), madeParts+"="+filepath.Dir(tree))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 6)
	if _, err := io.ReadFull(out, b); err != nil || string(b) != "ready\n" {
		cmd.Process.Kill()
		rest, _ := io.ReadAll(out)
		t.Fatalf("%q %v %s", b, err, rest)
	}
	cmd.Process.Kill()
	cmd.Wait()
	nobody(t, dir)
	c := config(t)
	c.Dir = dir
	r := connected(t, c)
	if got := run(t, r, "ls /work"); string(got.Stdout) != "out\n" {
		t.Errorf("of the one before: %+v", got)
	}
}

// ownUser is the person of this package's tests: what bounds the number of their processes
// counts all of a user.
const ownUser = person.ID - 2

// unprivileged reports whether the test that calls it is run by somebody who is not root.
// Otherwise it has it run as one, in another process, before it returns; with fuse that
// one may use FUSE.
func unprivileged(t *testing.T, fuse bool) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	tree, _ := parts(t)
	dir := filepath.Dir(tree)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return person.Again(t, person.Options{User: ownUser, Env: []string{madeParts + "=" + dir}, Plain: !fuse})
}
