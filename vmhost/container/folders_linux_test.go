package container

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
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// shared gives a container a folder that may be changed and one that may not, and a state.
func shared(t testing.TB, c Config) (_ Config, dir string, j *journal.Journal) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{"rw/a.txt": "first\n", "ro/b.txt": "second\n", "secret": "third\n"} {
		err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	t.Cleanup(func() { set.Close(); j.Close() })
	for _, f := range []share.Folder{{ID: "1", Path: filepath.Join(dir, "rw")}, {ID: "2", Path: filepath.Join(dir, "ro"), ReadOnly: true}} {
		added, err := set.Add(f, j)
		if err != nil {
			t.Fatal(err)
		}
		c.Folders = append(c.Folders, vmhost.FolderInView{Path: wire.FoldersDir + "/" + added.Name, ReadOnly: added.ReadOnly})
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := set.AddState(state, 1<<20); err != nil {
		t.Fatal(err)
	}
	c.State = true
	c.ServeFUSE = func(ctx context.Context, device *os.File, owner int) error {
		return virtiofs.ServeFUSE(ctx, device, set, virtiofs.Options{Log: c.Log, Owner: owner})
	}
	return c, dir, j
}

// The folders are those of the person, with the journal behind them: what a program
// changed is undone, and what it must not change it cannot.
func TestFolders(t *testing.T) {
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
		"echo x >/folders/ro/b.txt", "rm /folders/ro/b.txt", "mkdir /folders/ro/d", "echo x >/folders/x", "mkdir /folders/d", "echo x >" + proofPath + "/a.txt",
		"cat /folders/rw/../../secret", "ln -s " + dir + "/secret s; cat s", "ln /folders/ro/b.txt hard", "mv /folders/ro/b.txt .",
	} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	if got := run(t, r, "echo kept >/state/f && cat /folders/.state/f"); string(got.Stdout) != "kept\n" {
		t.Errorf("the state: %+v", got)
	}
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

// failures returns where a container says that it failed.
func failures(c *Config) <-chan vmhost.Status {
	failed := make(chan vmhost.Status, 1)
	c.OnStatus = func(s vmhost.Status) {
		if s.State == vmhost.StateFailed {
			failed <- s
		}
	}
	return failed
}

// A file server that ends takes the container along.
func TestFoldersEnd(t *testing.T) {
	c, _, _ := shared(t, config(t))
	serve, end, served := c.ServeFUSE, make(chan struct{}), make(chan error, 1)
	c.ServeFUSE = func(ctx context.Context, device *os.File, owner int) error {
		fd, err := syscall.Dup(int(device.Fd()))
		if err != nil {
			return err
		}
		own := os.NewFile(uintptr(fd), "device")
		go func() { defer own.Close(); served <- serve(ctx, own, owner) }()
		<-end
		return errors.New("no more")
	}
	failed := failures(&c)
	r := connected(t, c)
	close(end)
	var f *vmhost.FailedError
	if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonShare {
		t.Errorf("%+v", s)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Errorf("ServeFUSE: %v", err)
	}
}

// What an engine does not see of what is mounted is refused: programs would work on an
// empty directory.
func TestFoldersThatTheEngineDoesNotSee(t *testing.T) {
	c, _, _ := shared(t, config(t))
	c.State = false
	c.Folders[0].Path = "/folders/another"
	var unsupported *vmhost.UnsupportedError
	if err := open(t, c).Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "folders") {
		t.Errorf("Connect: %v", err)
	}
}

// whenKilled is the test that is killed: its container runs, with folders.
const whenKilled = "PIWORK_TEST_KILLED"

// A program that is killed leaves a container that ends by itself; its mount goes with the
// next container of the same owner.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(whenKilled); dir != "" {
		made.once.Do(func() {
			made.tree, made.agent = filepath.Join(dir, "../tree"), filepath.Join(dir, "../guest")
			made.podman = &service{socket: filepath.Join(dir, "../podman/sock")}
		})
		c, _, _ := shared(t, config(t))
		c.Dir, c.Owner = filepath.Join(dir, "first"), "who is killed"
		r := connected(t, c)
		go r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh", "-c", "echo x >/work/x; trap '' TERM; sleep 600"}, Cwd: "/work"}, OnOutput: func(wire.ExecOutput) {}})
		for run(t, r, "cat /work/x").ExitCode != 0 {
			<-time.After(10 * time.Millisecond)
		}
		fmt.Println("ready")
		select {}
	}
	c := config(t)
	dir := filepath.Join(made.dir, "of one who is killed")
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), whenKilled+"="+dir, "TMPDIR="+t.TempDir())
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
	for began := time.Now(); made.podman.podman("ps", "--all", "--quiet") != ""; <-time.After(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("still there: %s", made.podman.podman("ps", "--all"))
		}
	}
	c.Dir, c.Owner = filepath.Join(dir, "second"), "who is killed"
	connected(t, c)
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || len(mounted(string(b), dir)) > 0 {
		t.Errorf("%q %v", mounted(string(b), dir), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "first")); err == nil {
		t.Error("its directory is left")
	}
}

// Containers that another process of the same owner left are removed, and nobody else's.
func TestSweep(t *testing.T) {
	c := config(t)
	connected(t, c)
	image := strings.Fields(made.podman.podman("images", "--quiet"))[0]
	create := func(owner string) string {
		return made.podman.podman("create", "--network", "none", "--label", labelOwner+"="+owner, "--label", labelProcess+"=another", "--entrypoint", agentPath, image, "serve")
	}
	left, others := create(c.Owner), create("somebody else")
	c.Dir = filepath.Join(t.TempDir(), "container")
	connected(t, c)
	all := made.podman.podman("ps", "--all", "--quiet", "--no-trunc")
	if strings.Contains(all, left) || !strings.Contains(all, others) || len(strings.Fields(all)) != 3 {
		t.Errorf("left %s, of others %s: %s", left, others, all)
	}
	made.podman.podman("rm", "--force", others)
}

// An engine that ends in the middle is a failure of its own.
func TestEngineIsLost(t *testing.T) {
	c := config(t)
	failed := failures(&c)
	own := service{args: made.podman.args, dir: made.podman.dir}
	own.socket = filepath.Join(t.TempDir(), "sock")
	if err := own.start(); err != nil {
		t.Fatal(err)
	}
	c.Engine = own.socket
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}, OnOutput: func(wire.ExecOutput) {}})
		done <- err
	}()
	own.stop()
	var f *vmhost.FailedError
	if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonEngineLost {
		t.Errorf("%+v", s)
	}
	if err := <-done; !errors.As(err, &f) {
		t.Errorf("Execute: %v", err)
	}
	if err := r.Close(soon(t)); err == nil {
		t.Error("nobody removed the container, and nobody says so")
	}
	for began := time.Now(); made.podman.podman("ps", "--all", "--quiet") != ""; <-time.After(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("it does not end with its input: %s", made.podman.podman("ps", "--all"))
		}
	}
}

// An agent that is killed is the end of its container.
func TestAgentIsKilled(t *testing.T) {
	c := config(t)
	failed := failures(&c)
	connected(t, c)
	made.podman.podman("kill", "--all")
	var f *vmhost.FailedError
	if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonExited && f.Reason != vmhost.ReasonClosed {
		t.Errorf("%+v", s)
	}
}
