package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/container/enginetest"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/share/copied"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// shared gives a container a folder that may be changed and one that may not, and a state.
func shared(t testing.TB, c Config) (_ Config, dir string, j *journal.Journal) {
	t.Helper()
	dir = hostedtest.Files(t)
	f := hostedtest.Share(t, filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	c.Folders, c.State = append(c.Folders, f.View...), true
	c.ServeFUSE = f.ServeFUSEAs(c.Log)
	return c, dir, f.Journal
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

// Containers of one owner do not touch each other, also when they begin at once.
func TestTwoAtOnce(t *testing.T) {
	c := config(t)
	var both [2]*hosted.Runtime
	var connecting sync.WaitGroup
	for i := range both {
		c.Dir = filepath.Join(t.TempDir(), "container")
		both[i] = open(t, c)
		connecting.Go(func() {
			if err := both[i].Connect(soon(t)); err != nil {
				t.Errorf("Connect: %v", err)
			}
		})
	}
	connecting.Wait()
	for i, r := range both {
		if got := run(t, r, fmt.Sprintf("echo %d >/work/x; ls /work; cat /work/x", i)); string(got.Stdout) != fmt.Sprintf("out\nx\n%d\n", i) {
			t.Errorf("%d: %s %s", i, got.Stdout, got.Stderr)
		}
	}
	if err := both[0].Close(soon(t)); err != nil {
		t.Error(err)
	}
	if got := run(t, both[1], "cat /work/x"); string(got.Stdout) != "1\n" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
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

// An engine that has the directories of this computer, but not what is mounted on them
// later, is refused: programs would work on an empty directory. Where they may, they work on
// copies.
func TestFoldersThatTheEngineDoesNotSee(t *testing.T) {
	c := config(t)
	dir := hostedtest.Files(t)
	f := hostedtest.Share(t, filepath.Join(dir, "rw"), filepath.Join(dir, "ro"))
	c.Folders, c.State, c.ServeFUSE = f.View, true, f.ServeFUSEAs(c.Log)
	if os.Getuid() != 0 || made.engine.Server[0] != "podman" {
		t.Skip("another engine is started for this")
	}
	blind := &enginetest.Engine{Client: made.engine.Client, Dir: made.engine.Dir, Socket: filepath.Join(t.TempDir(), "sock")}
	blind.Server = append([]string{
		"unshare", "--mount", "--propagation", "private", "sh", "-euc", `mount --bind "$0" "$0"; mount --make-shared "$0"; exec "$@"`, filepath.Dir(c.Dir),
	}, append(slices.Clone(blind.Client), "system", "service", "--time", "0", "unix://"+blind.Socket)...)
	if err := blind.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blind.Signal(syscall.SIGTERM) })
	c.Engine = blind.Socket
	r := open(t, c)
	var unsupported *vmhost.UnsupportedError
	if err := r.Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "does not see") {
		t.Errorf("Connect: %v", err)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	onCopies(t, c, dir, f)
}

// onCopies holds a container at an engine that shows it no folders to what holds where it is
// shown them: the folders are worked on, guarded and undone.
func onCopies(t *testing.T, c Config, dir string, f hostedtest.Folders) {
	t.Helper()
	c.Copy = func(large string) (hosted.Folders, error) {
		return copied.New(f.Set, copied.Options{Name: runtimeName, Dir: large}), nil
	}
	c.Dir = filepath.Join(t.TempDir(), "container")
	r := connected(t, c)
	got := run(t, r, "pwd; cat a.txt ../ro/b.txt; echo changed >a.txt; mkdir d; echo new >d/n; echo kept >/state/f; head -c 3000000 /dev/zero >large")
	if got.ExitCode != 0 || string(got.Stdout) != "/folders/rw\nfirst\nsecond\n" {
		t.Errorf("%+v %s", got, got.Stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "rw/meanwhile"), []byte("of the person\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := run(t, r, "cat meanwhile /state/f"); string(got.Stdout) != "of the person\nkept\n" {
		t.Errorf("%+v %s", got, got.Stderr)
	}
	for _, script := range []string{"echo x >/folders/ro/b.txt", "rm /folders/ro/b.txt", "cat " + dir + "/secret", "echo x >/x"} {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s", script, got.Stdout)
		}
	}
	for name, want := range map[string]string{"rw/a.txt": "changed\n", "rw/d/n": "new\n", "ro/b.txt": "second\n", "rw/large": string(make([]byte, 3_000_000))} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %.20q %v", name, b, err)
		}
	}
	if err := r.Close(soon(t)); err != nil {
		t.Fatal(err)
	}
	report, err := f.Journal.Undo(t.Context(), nil, journal.UndoOptions{})
	if b, rerr := os.ReadFile(filepath.Join(dir, "rw/a.txt")); err != nil || rerr != nil || len(report.Conflicts) > 0 || string(b) != "first\n" {
		t.Errorf("undone: %+v %v, %q", report, err, b)
	}
}

// whenKilled is the test that is killed: its container runs, with folders.
const whenKilled = "PIWORK_TEST_KILLED"

// A program that is killed leaves a container that ends by itself; its mount goes with the
// next container of the same owner.
func TestKilled(t *testing.T) {
	if of := filepath.SplitList(os.Getenv(whenKilled)); len(of) > 0 {
		dir := of[0]
		made.once.Do(func() { made.tree, made.agent, made.engine = of[1], of[2], &enginetest.Engine{Socket: of[3]} })
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
	of := strings.Join([]string{dir, made.tree, made.agent, made.engine.Socket}, string(filepath.ListSeparator))
	cmd.Env = append(os.Environ(), whenKilled+"="+of, "TMPDIR="+t.TempDir())
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
	for began := time.Now(); len(made.engine.Containers()) > 0; <-time.After(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("still there: %s", made.engine.Run("ps", "--all"))
		}
	}
	c.Dir, c.Owner = filepath.Join(dir, "second"), "who is killed"
	connected(t, c)
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || len(durable.MountsIn(string(b), dir)) > 0 {
		t.Errorf("%+v %v", durable.MountsIn(string(b), dir), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "first")); err == nil {
		t.Error("its directory is left")
	}
}

// Containers that another process of the same owner left are removed, and nobody else's.
func TestSweep(t *testing.T) {
	c := config(t)
	connected(t, c)
	image := strings.Fields(made.engine.Run("images", "--quiet"))[0]
	create := func(owner string) string {
		return made.engine.Run("create", "--network", "none", "--label", labelOwner+"="+owner, "--entrypoint", agentPath, image, "serve")
	}
	left, others := create(c.Owner), create("somebody else")
	c.Dir = filepath.Join(t.TempDir(), "container")
	connected(t, c)
	all := made.engine.Containers()
	if slices.Contains(all, left) || !slices.Contains(all, others) || len(all) != 3 {
		t.Errorf("left %s, of others %s: %s", left, others, all)
	}
	made.engine.Run("rm", "--force", others)
}

// An engine that ends in the middle is a failure of its own. The container ends by itself;
// when the engine is back, what is left of it goes with the next one.
func TestEngineIsLost(t *testing.T) {
	c := config(t)
	failed := failures(&c)
	dir, err := os.MkdirTemp(made.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	own, err := enginetest.Start(made.engine.Server[0], dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(own.Remove)
	c.Engine = own.Socket
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
	own.Kill()
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
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	c.Dir = filepath.Join(t.TempDir(), "container")
	c.OnStatus = nil
	connected(t, c)
	if all := own.Containers(); len(all) != 1 {
		t.Errorf("left: %s", own.Run("ps", "--all"))
	}
}

// An agent that is killed is the end of its container.
func TestAgentIsKilled(t *testing.T) {
	c := config(t)
	failed := failures(&c)
	connected(t, c)
	made.engine.Run(append([]string{"kill"}, made.engine.Containers()...)...)
	var f *vmhost.FailedError
	if s := <-failed; !errors.As(s.Err, &f) || f.Reason != vmhost.ReasonExited && f.Reason != vmhost.ReasonClosed {
		t.Errorf("%+v", s)
	}
}
