package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/app/api" //nolint:depguard // what the controller says is followed to where it is read
	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// Whatever happens to a machine, before it is ready or while it works: its task
// fails and says why, nothing of the machine is left, what the task changed can be
// taken back, and the next task gets the room.
func TestMachineFaults(t *testing.T) {
	rows := []struct {
		reason vmhost.Reason
		code   string
	}{
		{vmhost.ReasonStart, problem.CodeVMFailed},
		{vmhost.ReasonExited, problem.CodeVMFailed}, // also: killed
		{vmhost.ReasonPanic, problem.CodeVMFailed},
		{vmhost.ReasonStalled, problem.CodeVMFailed},
		{vmhost.ReasonHung, problem.CodeVMFailed},
		{vmhost.ReasonClosed, problem.CodeVMFailed},
		{vmhost.ReasonProtocol, problem.CodeVMFailed},
		{vmhost.ReasonVersion, problem.CodeVMFailed},
		{vmhost.ReasonRefused, problem.CodeVMFailed},
		{vmhost.ReasonHost, problem.CodeVMFailed},
		{vmhost.ReasonShare, problem.CodeShareFailed},
		{vmhost.ReasonDiskFull, problem.CodeDiskFull},
		{vmhost.ReasonDamaged, problem.CodePackCorrupt},
	}
	told := map[string]vmhost.Reason{}
	for _, r := range rows {
		for _, when := range []string{"connecting", "working"} {
			t.Run(string(r.reason)+" while "+when, func(t *testing.T) {
				w := newWorld(t)
				fault := &vmhost.FailedError{Runtime: "vm", Reason: r.reason, Detail: "evidence", Err: errors.New("of the test")}
				c := w.open()
				wait := w.listen(c)
				if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 1}); err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				left := ""
				w.onMachine = func(rt *choretest.Runtime) error {
					if when == "connecting" {
						rt.OnConnect = func(context.Context) error { return fault }
						return nil
					}
					rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
						left = filepath.Join(dir, "half")
						return wire.ExecResult{}, errors.Join(os.WriteFile(left, []byte("done until then"), 0o644), fault)
					}
					return nil
				}
				request := execRequestOf("work")
				request.Folders = []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
				got := wait(w.start(c, request).ID, task.StateFailed)
				if got.Error.Code != r.code || got.Error.Cause != string(r.reason) || !strings.Contains(got.Error.Details, "evidence") || len(got.Error.Fix) == 0 {
					t.Errorf("%+v", got.Error)
				}
				for _, language := range []string{"en", "de"} {
					said := language + ": " + failureInWords(t, c, got.ID, language)
					if before, twice := told[said]; twice && before != r.reason || strings.Contains(said, ": \n") || strings.HasSuffix(said, "\n") {
						t.Errorf("it says %q, as for %q", said, before)
					}
					told[said] = r.reason
				}
				if failureInWords(t, c, got.ID, "en") == failureInWords(t, c, got.ID, "de") {
					t.Error("the same in both languages")
				}
				for _, m := range w.all() {
					if m.Closed() != 1 {
						t.Errorf("a machine was closed %d times", m.Closed())
					}
				}
				if left != "" {
					if rep, err := c.Undo(t.Context(), got.ID, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
						t.Errorf("%+v, %v", rep, err)
					}
				}
				w.onMachine = nil
				wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
				if rep, err := c.AuditVerify(t.Context()); err != nil || !rep.OK {
					t.Errorf("%+v, %v", rep, err)
				}
			})
		}
	}
}

// failureInWords is what whoever asks the API in a language reads of a task that failed:
// the title, and what follows from it.
func failureInWords(t *testing.T, c *Controller, id, language string) string {
	t.Helper()
	ask := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/tasks/"+id, nil)
	ask.Header.Set("Accept-Language", language)
	answer := httptest.NewRecorder()
	api.New(api.Options{Service: c}).Handler().ServeHTTP(answer, ask)
	var got task.Task
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || got.Error == nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return got.Error.Title + "\n" + got.Error.Detail
}

// The computer sleeps for a day in the middle of a task, or its clock is set back:
// the task goes on, its record and the audit log hold, and what was checked before
// is checked again.
func TestClockJumps(t *testing.T) {
	for name, jump := range map[string]time.Duration{"asleep": 24 * time.Hour, "set back": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			end := w.endless()
			c := w.open()
			wait := w.listen(c)
			planned := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}}).ID
			wait(planned, task.StateWaiting)
			id := w.start(c, execRequestOf("sleep")).ID
			wait(id, task.StateRunning)
			checks := w.verified
			w.ahead.Store(int64(jump))
			close(end)
			wait(id, task.StateDone)
			if _, err := c.AcceptPlan(t.Context(), planned); err != nil {
				t.Fatal(err)
			}
			if got := wait(planned, task.StateDone); got.Ended == nil {
				t.Errorf("%+v", got)
			}
			if w.verified == checks {
				t.Error("a check from before the jump was good enough")
			}
			if rep, err := c.AuditVerify(t.Context()); err != nil || !rep.OK {
				t.Errorf("%+v, %v", rep, err)
			}
		})
	}
}

// The program is killed with tasks in every state: the next run has all of them,
// none is taken for done, nothing of their machines is left, and their room is free.
func TestKilledWithAQueue(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	store, err := task.OpenStore(filepath.Join(o.DataDir, tasksDir))
	if err != nil {
		t.Fatal(err)
	}
	was := map[string]task.State{}
	for _, path := range [][]task.State{
		{}, {task.StatePreparing}, {task.StatePreparing, task.StateRunning},
		{task.StatePreparing, task.StateRunning, task.StateWaiting}, {task.StatePreparing, task.StateRunning, task.StateDone},
		{task.StateCancelled},
	} {
		id, err := task.NewID()
		if err != nil {
			t.Fatal(err)
		}
		at := task.StateQueued
		err = store.Create(task.Task{V: 1, ID: id, Kind: task.KindExec, State: at, Folders: []task.Folder{}, Network: task.NetworkOff, Argv: []string{"x"}})
		for _, s := range path {
			_, uerr := store.Update(id, func(t *task.Task) error { t.State = s; return nil })
			err, at = errors.Join(err, uerr), s
		}
		dir := filepath.Join(o.DataDir, machineDir, id)
		err = errors.Join(err, os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "overlay.qcow2"), nil, 0o600), os.WriteFile(filepath.Join(dir, "qemu.log.1"), nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}
		was[id] = at
	}
	// Machines that outlived the program are ended; what holds one up holds up no
	// other, and keeps its files.
	for name, mark := range map[string]string{"trial": "alive", "stuck": "undead", "gone": "alive"} {
		dir := filepath.Join(o.DataDir, machineDir, name)
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, mark), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.open()
	for name, there := range map[string]bool{"trial": false, "stuck": true, "gone": false} {
		if _, err := os.Lstat(filepath.Join(o.DataDir, machineDir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	tasks, err := c.Tasks(t.Context())
	if err != nil || len(tasks) != len(was) {
		t.Fatalf("%d tasks of %d, %v", len(tasks), len(was), err)
	}
	for _, now := range tasks {
		switch before := was[now.ID]; {
		case before.Final() && now.State != before:
			t.Errorf("%s became %s", before, now.State)
		case !before.Final() && (now.State != task.StateFailed || now.Error.Code != problem.CodeInterrupted || now.Ended == nil):
			t.Errorf("%s became %s: %+v", before, now.State, now.Error)
		}
		files, err := os.ReadDir(filepath.Join(o.DataDir, machineDir, now.ID))
		if err != nil || len(files) != 1 || files[0].Name() != "qemu.log.1" {
			t.Errorf("left: %v, %v", files, err)
		}
	}
	wait := w.listen(c)
	if m, err := c.Machines(t.Context()); err != nil || m.Running != 0 || m.Queued != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
}

// Folders that cannot be shared end their task with their own reason, whatever the
// machine says of it; the runtime is not suspected.
func TestFilesThatCannotBeOpened(t *testing.T) {
	for _, what := range []string{"journal", "share"} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			c := w.open()
			wait := w.listen(c)
			full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
			if what == "journal" {
				c.s.journal = func(string, []task.Folder, history.Room) (history.Journal, error) { return nil, full }
			} else {
				c.s.share = func([]task.Folder, history.Journal, *guard.Guard, folders.Lost) (folders.Share, error) {
					return nil, full
				}
			}
			make := c.s.machine
			c.s.machine = func(s vm.Config) (vmhost.Runtime, error) {
				rt, err := make(s)
				rt.(*choretest.Runtime).OnConnect = func(ctx context.Context) error {
					return &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonShare, Err: s.ServeFS(ctx, nil)}
				}
				return rt, err
			}
			request := execRequestOf("true")
			request.Folders = []task.FolderRequest{{Path: t.TempDir(), Mode: task.ModeReadWrite}}
			got := wait(w.start(c, request).ID, task.StateFailed)
			if got.Error.Code != problem.CodeDiskFull || w.healings != 0 || len(w.proved) != 1 {
				t.Errorf("%+v, %d healings", got.Error, w.healings)
			}
			for _, m := range w.all() {
				if m.Closed() != 1 {
					t.Errorf("a machine was closed %d times", m.Closed())
				}
			}
		})
	}
}

// A disk that is full when a task begins stops it before anything is executed.
func TestNothingRunsUnwritten(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	ran := false
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			ran = true
			return wire.ExecResult{}, nil
		}
		return nil
	}
	release := make(chan struct{})
	w.onProve = func(context.Context) error { <-release; return nil }
	id := w.start(c, execRequestOf("x")).ID
	wait(id, task.StatePreparing)
	l := c.Live(id)
	l.NotWritten(syscall.ENOSPC)
	close(release)
	got := wait(id, task.StateFailed)
	if ran || got.Error.Code != problem.CodeDiskFull {
		t.Errorf("ran: %v, %+v", ran, got.Error)
	}
}
