//go:build linux

package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/background"
	"piwork/app/client"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/scripts/lib/tier"
)

const (
	deathsEach = 20               // of each row, in ./scripts/test all
	goneWithin = 10 * time.Second // what a program that died leaves behind: it promises a second, a busy computer takes longer
	stallAfter = 3 * time.Minute  // of what is waited for
)

// computer is a data directory, and what runs on it: this binary as the program, in
// processes of its own.
type computer struct {
	*testing.T
	app.Options
	base, program string
	disk          string // base is a file system of its own, mounted there
	env           []string
	known         []string // ids of all tasks that were ever made
}

func newComputer(t *testing.T, as string, o app.Options) *computer {
	c := &computer{T: t, Options: o, base: filepath.Dir(o.DataDir), program: os.Args[0]}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PIWORK_") {
			c.env = append(c.env, v)
		}
	}
	c.env = append(c.env, envProgram+"="+as, "LC_ALL=C", "DBUS_SESSION_BUS_ADDRESS=disabled:", "GORACE=atexit_sleep_ms=0", app.EnvDataDir+"="+o.DataDir,
		app.EnvConfigDir+"="+o.ConfigDir, app.EnvCacheDir+"="+o.CacheDir, app.EnvRuntimeDir+"="+o.PackDir, app.EnvAccel+"="+o.Accel)
	t.Cleanup(func() {
		c.run("serve", "--stop", "--cancel")
		c.nothingLeft()
	})
	return c
}

// standIns is a computer whose machines come to no end.
func standIns(t *testing.T) *computer {
	base, err := os.MkdirTemp("", "pw-deaths") // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	c := newComputer(t, "stand-in", app.Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"), Version: "0.0.0",
	})
	c.stall(true)
	return c
}

func (c *computer) stall(on bool) {
	c.Helper()
	file := filepath.Join(c.base, app.StallFile)
	err := os.Remove(file)
	if on {
		err = os.WriteFile(file, nil, 0o600)
	}
	if err != nil {
		c.Fatal(err)
	}
}

// command is the program with arguments; it does not end with the test.
func (c *computer) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), c.program, args...)
	cmd.Env = c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as a shell does it
	return cmd
}

func (c *computer) start(cmd *exec.Cmd) *exec.Cmd {
	c.Helper()
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	return cmd
}

// run is a command to its end.
func (c *computer) run(args ...string) (int, string) {
	cmd := c.command(args...)
	out, err := cmd.CombinedOutput()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		c.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// controller is a client of the one that runs, which the command line starts.
func (c *computer) controller() (*client.Client, int) {
	c.Helper()
	if code, said := c.run("task", "list"); code != 0 {
		c.Fatalf("%d: %s", code, said)
	}
	return c.running()
}

// running is a client of the controller that is there already.
func (c *computer) running() (*client.Client, int) {
	c.Helper()
	cl, s := c.find()
	if cl == nil {
		c.Fatal("no controller answers")
	}
	return cl, s.PID
}

// find is the controller that is there, nil without one. One that is too slow to answer is
// asked again.
func (c *computer) find() (*client.Client, api.ProcessStatus) {
	c.Helper()
	for limit := time.Now().Add(time.Minute); ; {
		cl, s, err := background.Find(c.Context(), c.Options)
		if err == nil {
			return cl, s
		}
		if time.Now().After(limit) {
			c.Fatal(err)
		}
	}
}

func (c *computer) await(what string, done func() bool) {
	c.Helper()
	for limit := time.Now().Add(stallAfter); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			c.Fatalf("not: %s", what)
		}
	}
}

// chore begins one that stalls when it has made some results; nobody waits for it.
func (c *computer) chore(cl *client.Client) (id, folder string) {
	c.Helper()
	folder, err := os.MkdirTemp(c.base, "Scans")
	if err != nil {
		c.Fatal(err)
	}
	app.Scans(c.T, folder)
	before := len(app.FilesOf(c.T, folder))
	made, err := cl.StartTask(c.Context(), app.Compress(folder))
	if err != nil {
		c.Fatal(err)
	}
	c.known = append(c.known, made.ID)
	c.await("a chore is half done", func() bool { return app.HalfDone(c.T, folder, before) })
	c.await("that is in its journal", func() bool { // else a death takes back what was just made
		list, err := cl.Changes(c.Context(), made.ID)
		return err == nil && len(list) == app.KillAfter
	})
	return made.ID, folder
}

// waiting begins a command line that waits for its task, which is at work.
func (c *computer) waiting(cl *client.Client) (cmd *exec.Cmd, id string) {
	c.Helper()
	cmd = c.start(c.command("exec", "--", "work"))
	c.await("its task is at work", func() bool {
		for _, t := range c.tasks(cl) {
			if t.Kind == task.KindExec && t.State == task.StateRunning {
				id = t.ID
			}
		}
		return id != ""
	})
	c.known = append(c.known, id)
	return cmd, id
}

func (c *computer) tasks(cl *client.Client) []task.Task {
	c.Helper()
	all, err := cl.Tasks(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return all
}

func (c *computer) task(cl *client.Client, id string) task.Task {
	c.Helper()
	t, err := cl.Task(c.Context(), id)
	if err != nil {
		c.Fatal(err)
	}
	return t
}

// processes are those of this computer, by their command line and environment.
func (c *computer) processes() (all map[int]string) {
	c.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		c.Fatal(err)
	}
	all = map[int]string{}
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, eerr := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && eerr == nil && len(line) > 0 && pid != os.Getpid() && bytes.Contains(append(env, line...), []byte(c.base)) {
			all[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
	return all
}

// nothingLeft is promise 7: no process and no mount a moment after the controller is gone.
func (c *computer) nothingLeft() {
	c.Helper()
	began := time.Now()
	left := c.processes()
	for ; len(left) > 0 && time.Since(began) < goneWithin; left = c.processes() {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		c.Errorf("left behind: %v", left)
	}
	c.Logf("all of it was gone after %v", time.Since(began))
	mounts, err := os.ReadFile("/proc/mounts")
	if c.disk != "" {
		mounts = bytes.Replace(mounts, []byte(" "+c.disk+" "), nil, 1)
	}
	if err != nil || bytes.Contains(mounts, []byte(c.base)) {
		c.Errorf("mounts are left behind: %v\n%s", err, mounts)
	}
}

// kill has a process die at once, if it did not with another one, and returns when it is gone.
func (c *computer) kill(pid int) {
	c.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		c.Fatal(err)
	}
	c.await("a killed process is gone", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

// nothingLost says that every task that there ever was has its record, and that one which was
// interrupted goes on when it is told to: in the end all of it is there, and is undone.
func (c *computer) nothingLost(cl *client.Client, id, folder string) {
	c.Helper()
	there := map[string]bool{}
	for _, t := range c.tasks(cl) {
		there[t.ID] = true
	}
	for _, k := range c.known {
		if !there[k] {
			c.Errorf("the record of %s is lost", k)
		}
	}
	if was := c.task(cl, id); was.State != task.StateFailed || was.Error == nil || was.Error.Code != problem.CodeInterrupted {
		c.Fatalf("it was interrupted, and is %s, %+v", was.State, was.Error)
	}
	half := app.FilesOf(c.T, folder)
	if list, err := cl.Changes(c.Context(), id); err != nil || len(list) != app.KillAfter {
		c.Errorf("changes: %+v, %v", list, err)
	}
	c.stall(false)
	defer c.stall(true)
	if _, err := cl.ResumeTask(c.Context(), id); err != nil {
		c.Fatal(err)
	}
	c.await("the resumed chore is done", func() bool { return c.task(cl, id).State.Final() })
	if now := c.task(cl, id); now.State != task.StateDone || len(now.Results) != 4 {
		c.Errorf("resumed: %s, %+v, %+v", now.State, now.Error, now.Results)
	}
	for name, content := range half {
		if app.FilesOf(c.T, folder)[name] != content {
			c.Errorf("%s was made twice", name)
		}
	}
	if rep, err := cl.Undo(c.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 {
		c.Errorf("%+v, %v", rep, err)
	}
	if left := app.FilesOf(c.T, folder); len(left) != len(half)-app.KillAfter {
		c.Errorf("undo left %d files", len(left))
	}
}

// over waits for the end of tasks that are cancelled.
func (c *computer) over(cl *client.Client, ids ...string) {
	c.Helper()
	for _, id := range ids {
		if _, err := cl.CancelTask(c.Context(), id); err != nil && !c.task(cl, id).State.Final() {
			c.Fatal(err)
		}
		c.await("a cancelled task is over", func() bool { return c.task(cl, id).State.Final() })
	}
}

// Who dies, and how: nothing is lost, nothing is left, and the others are not affected. Each
// row is played again and again on one computer, whose tasks become more and more. An ordinary
// run has the controller, sixteen starts and the window; the real window is in
// frontend/e2e/window.mjs, a real machine in TestRealDeaths, a disk whose power fails in
// TestPowerOfADisk, a power cut in the middle of each write of the journal in the crash tests of
// vmhost/share.
func TestDeaths(t *testing.T) {
	tier.Unraced(t)
	for _, row := range []struct {
		name  string
		stays string // the test that holds it in an ordinary run; "" is this one
		dies  func(c *computer)
	}{
		{"the controller", "", controllerDies},
		{"sixteen starts after a death", "", sixteenStart},
		{"the window", "", windowDies},
		{"the command line", "TestDeaths of app/background", commandLineDies}, // it may come back for seconds
		{"the session", "TestOwnSession", sessionEnds},
		{"the power", "the crash tests of vmhost/share", powerFails},
		{"an upgrade under load", "TestReplacedProgram", upgraded},
	} {
		eachDeath(t, row.name, row.stays, standIns, row.dies)
	}
}

// eachDeath plays a row on one computer. stays is for tier.Rest; "" is played in every run.
func eachDeath(t *testing.T, name, stays string, on func(*testing.T) *computer, dies func(*computer)) {
	t.Run(name, func(t *testing.T) {
		if stays != "" {
			tier.Rest(t, stays)
		}
		c := on(t)
		for range tier.Pick(1, 1, deathsEach) {
			if dies(c); t.Failed() {
				return
			}
		}
	})
}

// The controller: who waited hears of it, its tasks are interrupted, and the next one goes on.
func controllerDies(c *computer) {
	cl, pid := c.controller()
	id, folder := c.chore(cl)
	waits, other := c.waiting(cl)
	c.kill(pid)
	if err := waits.Wait(); err == nil {
		c.Error("a command line whose controller died succeeds")
	}
	c.nothingLeft()
	cl, next := c.controller()
	if next == pid {
		c.Error("it was not killed")
	}
	if was := c.task(cl, other); was.State != task.StateFailed || was.Error.Code != problem.CodeInterrupted {
		c.Errorf("the other one is %s, %+v", was.State, was.Error)
	}
	c.nothingLost(cl, id, folder)
}

// A command line: its task ends, and nobody else's.
func commandLineDies(c *computer) {
	cl, pid := c.controller()
	id, _ := c.chore(cl)
	other, stays := c.waiting(cl)
	one := c.start(c.command("exec", "--", "work"))
	mine := ""
	c.await("its task is at work", func() bool {
		for _, t := range c.tasks(cl) {
			if t.Kind == task.KindExec && t.State == task.StateRunning && t.ID != stays {
				mine = t.ID
			}
		}
		return mine != ""
	})
	_ = one.Process.Kill()
	_ = one.Wait()
	c.await("its task is over", func() bool { return c.task(cl, mine).State == task.StateCancelled })
	for _, id := range []string{id, stays} {
		if t := c.task(cl, id); t.State != task.StateRunning {
			c.Errorf("another task is %s", t.State)
		}
	}
	if _, now := c.running(); now != pid {
		c.Error("another process has the data")
	}
	c.over(cl, id, stays)
	_ = other.Wait()
}

// Sixteen that start at once where one died have one controller, and all are served.
func sixteenStart(c *computer) {
	cl, pid := c.controller()
	id, folder := c.chore(cl)
	c.kill(pid)
	c.nothingLeft()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if code, said := c.run("task", "show", id); code != 0 || !strings.Contains(said, id) {
				c.Errorf("%d: %s", code, said)
			}
		})
	}
	all.Wait()
	c.await("one controller is left of those that started", func() bool {
		n := 0
		for _, line := range c.processes() {
			if strings.Contains(line, "serve --background") {
				n++
			}
		}
		return n == 1
	})
	cl, _ = c.running()
	c.nothingLost(cl, id, folder)
}

// A window: tasks go on, and so do others.
func windowDies(c *computer) {
	cl, pid := c.controller()
	window := c.command()
	window.Env = append(window.Env, envProgram+"=window")
	c.start(window)
	windows := func(n int) bool {
		cl, s := c.find()
		return cl != nil && s.Windows == n
	}
	c.await("the window follows", func() bool { return windows(1) })
	id, _ := c.chore(cl)
	other, stays := c.waiting(cl)
	_ = window.Process.Kill()
	_ = window.Wait()
	c.await("the controller knows", func() bool { return windows(0) })
	for _, id := range []string{id, stays} {
		if t := c.task(cl, id); t.State != task.StateRunning {
			c.Errorf("a task is %s", t.State)
		}
	}
	if _, now := c.running(); now != pid {
		c.Error("another process has the data")
	}
	c.over(cl, id, stays)
	_ = other.Wait()
}

// The session: a terminal that is closed (SIGHUP) ends what it waits for. A log-out, which
// tells every process of the person (SIGTERM, as systemd-logind's KillUserProcesses), ends the
// tasks in order.
func sessionEnds(c *computer) {
	cl, pid := c.controller()
	id, _ := c.chore(cl)
	closed, its := c.waiting(cl)
	if err := syscall.Kill(-closed.Process.Pid, syscall.SIGHUP); err != nil {
		c.Fatal(err)
	}
	_ = closed.Wait()
	c.await("the task of a closed terminal is over", func() bool { return c.task(cl, its).State == task.StateCancelled })
	if t := c.task(cl, id); t.State != task.StateRunning {
		c.Errorf("another task is %s", t.State)
	}
	waits, other := c.waiting(cl)
	c.stall(false) // what is told to end does
	defer c.stall(true)
	for _, p := range []int{waits.Process.Pid, pid} {
		if err := syscall.Kill(p, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
			c.Fatal(err)
		}
	}
	_ = waits.Wait()
	c.await("the controller ends", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	c.nothingLeft()
	cl, _ = c.controller()
	for _, id := range []string{id, other} {
		if t := c.task(cl, id); !t.State.Final() {
			c.Errorf("a task is %s after a log-out", t.State)
		}
	}
}

// The power, for the records: what was written last is cut in the middle of a line, and
// staged files stay where they were.
func powerFails(c *computer) {
	cl, pid := c.controller()
	id, folder := c.chore(cl)
	c.kill(pid)
	c.nothingLeft()
	torn := 0
	err := filepath.WalkDir(filepath.Join(c.DataDir, "tasks", id), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		torn++
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(`{"v":1,"seq":99,"ti`)
		return errors.Join(err, f.Close(), os.WriteFile(path+".tmp", []byte("{"), 0o600))
	})
	if err != nil || torn == 0 {
		c.Fatalf("%d files are torn: %v", torn, err)
	}
	cl, _ = c.controller()
	c.nothingLost(cl, id, folder)
}

// A program that is replaced while tasks are at work: they go on, everybody is served, and
// once they are over the new program takes its place.
func upgraded(c *computer) {
	c.program = filepath.Join(c.base, "piwork")
	install := func() {
		c.Helper()
		data, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = errors.Join(os.WriteFile(c.program+".new", data, 0o700), os.Rename(c.program+".new", c.program)) //nolint:gosec // it is run
		}
		if err != nil {
			c.Fatal(err)
		}
	}
	install()
	cl, old := c.controller()
	id, _ := c.chore(cl)
	waits, stays := c.waiting(cl)
	install()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if code, said := c.run("task", "list"); code != 0 || !strings.Contains(said, "is an older version") {
				c.Errorf("%d: %s", code, said)
			}
		})
	}
	all.Wait()
	for _, id := range []string{id, stays} {
		if t := c.task(cl, id); t.State != task.StateRunning {
			c.Errorf("a task is %s", t.State)
		}
	}
	c.over(cl, id, stays)
	_ = waits.Wait()
	cl, now := c.controller()
	if now == old {
		c.Error("the old program is still used")
	}
	there := fmt.Sprint(c.tasks(cl))
	for _, k := range c.known {
		if !strings.Contains(there, k) {
			c.Errorf("the record of %s is lost", k)
		}
	}
}
