//go:build vm && linux

package app_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app"
	"piwork/app/client"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// envBin is the program, which has the version that a pack asks for.
const envBin = "PIWORK_BIN"

// The rows of TestDeaths that need a real machine. An ordinary run kills everything but QEMU,
// which is the most that a controller can leave behind.
func TestRealDeaths(t *testing.T) {
	program := os.Getenv(envBin)
	if program == "" {
		t.Fatalf("%s does not name the program", envBin)
	}
	for _, row := range []struct {
		name, stays string
		dies        func(c *computer, work realWork)
	}{
		{"all but QEMU", "", allButQEMUDie},
		{"the controller", "all but QEMU, and TestRealKill", realControllerDies},
		{"QEMU", "the tests of vmhost/vm", qemuDies},
	} {
		eachDeath(t, row.name, row.stays, func(t *testing.T) *computer {
			c := newComputer(t, "", app.WarmOptions(t))
			c.program = program
			return c
		}, func(c *computer) { row.dies(c, c.realWork()) })
	}
}

// realWork is a task that changed a folder in a real machine, and works on.
type realWork struct {
	cl         *client.Client
	controller int
	id, dir    string
}

func (c *computer) realWork() (w realWork) {
	c.Helper()
	w.cl, w.controller = c.controller()
	dir, err := os.MkdirTemp(c.base, "folder")
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "old"), []byte("before"), 0o600), os.WriteFile(filepath.Join(dir, "gone"), []byte("before"), 0o600))
	}
	if err != nil {
		c.Fatal(err)
	}
	if w.dir = dir; c.disk != "" { // what the person had is older than the task
		if err := exec.CommandContext(c.Context(), "sync", "-f", dir).Run(); err != nil {
			c.Fatal(err)
		}
	}
	made, err := w.cl.StartTask(c.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-c", "echo changed > old; echo new > new; rm gone; sleep 3600"}, Detached: true,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		c.Fatal(err)
	}
	w.id = made.ID
	c.known = append(c.known, made.ID)
	c.await("the folder was changed", func() bool {
		if s := c.task(w.cl, made.ID); s.State.Final() {
			c.Fatalf("%s, %+v", s.State, s.Error)
		}
		_, err := os.Lstat(filepath.Join(dir, "gone"))
		return errors.Is(err, fs.ErrNotExist)
	})
	if len(c.qemus()) == 0 {
		c.Fatal("no machine is seen, so that its end proves nothing")
	}
	return w
}

// qemus are the machines that run.
func (c *computer) qemus() (pids []int) {
	for pid, line := range c.processes() {
		if strings.Contains(line, "qemu-system") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// undone says that the records are there, and that what the task changed is listed and undone.
func (c *computer) undone(cl *client.Client, w realWork) {
	c.Helper()
	for _, k := range c.known {
		if _, err := cl.Task(c.Context(), k); err != nil {
			c.Errorf("the record of %s is lost: %v", k, err)
		}
	}
	list, err := cl.Changes(c.Context(), w.id)
	var got []string
	for _, ch := range list {
		got = append(got, string(ch.Effect)+" "+ch.Path)
	}
	if slices.Sort(got); err != nil || !slices.Equal(got, []string{"change old", "create new", "delete gone"}) {
		c.Errorf("%q, %v", got, err)
	}
	if rep, err := cl.Undo(c.Context(), w.id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 {
		c.Errorf("%+v, %v", rep, err)
	}
	if now := app.FilesOf(c.T, w.dir); len(now) != 2 || now["old"] != "before" || now["gone"] != "before" {
		c.Errorf("undo left %v", now)
	}
}

// after is what the next controller has of a task whose one died.
func (c *computer) after(w realWork) {
	c.Helper()
	c.nothingLeft()
	cl, pid := c.controller()
	if pid == w.controller {
		c.Error("it was not killed")
	}
	if was := c.task(cl, w.id); was.State != task.StateFailed || was.Error == nil || was.Error.Code != problem.CodeInterrupted {
		c.Errorf("it was interrupted, and is %s, %+v", was.State, was.Error)
	}
	c.undone(cl, w)
}

func realControllerDies(c *computer, w realWork) {
	c.kill(w.controller)
	c.after(w)
}

// Everything but the machine, a command line that waits first, since it would start another
// controller: the machine goes by itself.
func allButQEMUDie(c *computer, w realWork) {
	waits := c.start(c.command("exec", "--", "sleep", "3600"))
	c.await("it waits for its task", func() bool {
		all := c.tasks(w.cl)
		return len(all) > len(c.known)
	})
	for _, t := range c.tasks(w.cl) {
		if !slices.Contains(c.known, t.ID) {
			c.known = append(c.known, t.ID)
		}
	}
	_ = waits.Process.Kill()
	_ = waits.Wait()
	machines := c.qemus()
	for pid := range c.processes() {
		if !slices.Contains(machines, pid) {
			c.kill(pid)
		}
	}
	c.after(w)
}

// The machine: its task fails and says so; the controller and what else there is go on.
func qemuDies(c *computer, w realWork) {
	for _, pid := range c.qemus() {
		c.kill(pid)
	}
	c.await("its task is over", func() bool { return c.task(w.cl, w.id).State.Final() })
	if was := c.task(w.cl, w.id); was.State != task.StateFailed || was.Error == nil {
		c.Errorf("%s, %+v", was.State, was.Error)
	}
	if _, pid := c.running(); pid != w.controller {
		c.Error("the controller is another one")
	}
	c.undone(w.cl, w)
}
