package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

func TestChoreTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("2.png", "10.png")
	if err := os.WriteFile(filepath.Join(dir, "broken.jpg"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir}}}).ID
	waiting := wait(id, task.StateWaiting)
	if waiting.Folders[0].Mode != task.ModeReadWrite || len(waiting.Problems) != 1 || waiting.Problems[0].Code != "input-broken" {
		t.Errorf("%+v", waiting)
	}
	plan, err := c.Plan(t.Context(), id)
	if err != nil || len(plan.Operations) != 1 || len(plan.Operations[0].In) != 2 || len(plan.Skipped) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	// While a person thinks, no machine waits; and planning saw nothing writable.
	m := w.all()
	if len(m) != 1 || m[0].Closed() != 1 || len(m[0].spec.Env.WritableRoots) != 0 || !m[0].spec.Folders[0].ReadOnly {
		t.Errorf("%d machines, %+v", len(m), m[0].spec)
	}
	if changes, err := c.Changes(t.Context(), id); err != nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
	if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); codeOf(err) != problem.CodeTaskRunning {
		t.Error(err)
	}
	if err := c.DeleteTask(t.Context(), id, false); codeOf(err) != problem.CodeTaskRunning {
		t.Error(err)
	}
	accepted, err := c.AcceptPlan(t.Context(), id)
	if err != nil || accepted.State != task.StateRunning {
		t.Fatalf("%+v, %v", accepted, err)
	}
	if _, err := c.AcceptPlan(t.Context(), id); codeOf(err) != problem.CodeTaskNotWaiting {
		t.Error(err)
	}
	done := wait(id, task.StateDone)
	if len(done.Results) != 1 || done.Results[0].Path != "Pictures.pdf" || done.Results[0].Folder != "f1" || done.Error != nil {
		t.Errorf("%+v", done)
	}
	f, r, err := c.OpenResult(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := io.ReadAll(f)
	if pages := choretest.Pages(pdf); err != nil || f.Close() != nil || int64(len(pdf)) != r.Size || !slices.Equal(pages, []string{"2.png", "10.png"}) {
		t.Errorf("%q, %v", pages, err)
	}
	if m = w.all(); len(m) != 2 || m[1].Closed() != 1 || len(m[1].spec.Env.WritableRoots) != 1 {
		t.Errorf("%d machines", len(m))
	}
	var decisions, begins, ends int
	for _, r := range w.audit(c) {
		switch r.Event {
		case audit.EventDecision:
			decisions++
			if r.By != "person" || r.Answer != "allow" || begins == 0 {
				t.Errorf("%+v", r)
			}
		case audit.EventBegin:
			begins++
			if decisions == 0 && r.Folders[0].Mode != "ro" || decisions == 1 && r.Folders[0].Mode != "rw" {
				t.Errorf("%+v", r)
			}
		case audit.EventEnd:
			ends++
		}
	}
	if decisions != 1 || begins != ends || begins < 3 {
		t.Errorf("%d decisions, %d begins, %d ends", decisions, begins, ends)
	}
	kinds := strings.Join(w.kinds(c, id), " ")
	for _, want := range []string{"plan:", "state:waiting step:accept decision:allow state:running step:run", "problem:input-broken", "result:Pictures.pdf", "state:done"} {
		if !strings.Contains(kinds, want) {
			t.Errorf("no %q in %s", want, kinds)
		}
	}
	testUndo(t, w, c, id, dir)
}

// testUndo takes back what a task did, in another run of the program.
func testUndo(t *testing.T, w *world, c *Controller, id, dir string) {
	t.Helper()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	changes, err := c.Changes(t.Context(), id)
	if err != nil || len(changes) != 1 || changes[0].Path != "Pictures.pdf" {
		t.Fatalf("%+v, %v", changes, err)
	}
	rep, err := c.Undo(t.Context(), id, history.UndoRequest{IDs: []string{changes[0].ID}})
	if err != nil || len(rep.Undone) != 1 || rep.Conflicts == nil {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "Pictures.pdf")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the result is still there")
	}
	if kinds := w.kinds(c, id); kinds[len(kinds)-1] != "undo:" {
		t.Errorf("%q", kinds)
	}
	if _, _, err := c.OpenResult(t.Context(), id, 0); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
}

// A folder that results cannot go to is known before anything is started.
func TestChoreOnReadOnlyFolder(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	got := wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: w.pictures("1.png"), Mode: task.ModeReadOnly}}}).ID, task.StateFailed)
	if got.Error.Code != problem.CodeOutputDenied || len(w.all()) != 0 {
		t.Errorf("%+v", got.Error)
	}
}

func TestPlanOnlyAndAccept(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	only := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", PlanOnly: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}})
	if only.Folders[0].Mode != task.ModeReadOnly {
		t.Errorf("%+v", only)
	}
	wait(only.ID, task.StateDone)
	if _, err := c.Plan(t.Context(), only.ID); err != nil || len(w.all()) != 1 {
		t.Errorf("%d machines, %v", len(w.all()), err)
	}
	accepted := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": "x"}, Folders: []task.FolderRequest{{Path: dir}}})
	if got := wait(accepted.ID, task.StateDone); len(got.Results) != 1 || got.Results[0].Path != "x.pdf" {
		t.Errorf("%+v", got)
	}
	if k := strings.Join(w.kinds(c, accepted.ID), " "); strings.Contains(k, "waiting") || !strings.Contains(k, "decision:allow") {
		t.Error(k)
	}
}

// What goes wrong with a chore is its problem, with the files as they were.
// A chore that was given a time is stopped when that is over, and says so.
func TestChoreTakesTooLong(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Before = func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			if p.Op != "pdf.merge" {
				return nil, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{
		Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Limits: wire.Limits{WallMS: 50}, Folders: []task.FolderRequest{{Path: dir}},
	}).ID
	if got := wait(id, task.StateFailed); got.Error.Code != problem.CodeTimeout {
		t.Errorf("%+v", got.Error)
	}
}

func TestChoreFails(t *testing.T) {
	full := func(string, []byte) error { return syscall.ENOSPC }
	rows := []struct {
		name    string
		params  map[string]any
		machine func(*choretest.Runtime)
		before  func(dir string)
		code    string
	}{
		{"empty folder", nil, nil, func(dir string) { _ = os.Remove(filepath.Join(dir, "1.png")) }, problem.CodeNoPictures},
		{"bad name", map[string]any{"name": "a/b"}, nil, nil, problem.CodeBadRequest},
		{"full disk", nil, func(rt *choretest.Runtime) { rt.WriteFile = full }, nil, problem.CodeDiskFull},
		{"the machine does not come up", nil, func(rt *choretest.Runtime) {
			rt.OnConnect = func(context.Context) error {
				return &vmhost.FailedError{Runtime: "vm", Step: "kernel", Reason: vmhost.ReasonStalled}
			}
		}, nil, problem.CodeVMFailed},
		{"the machine dies while it writes", nil, func(rt *choretest.Runtime) {
			rt.WriteFile = func(name string, data []byte) error {
				if rt.Folders[0].ReadOnly || filepath.Dir(name) != rt.Folders[0].Path {
					return os.WriteFile(name, data, 0o600)
				}
				return os.WriteFile(filepath.Join(filepath.Dir(name), ".piwork-ABC.part"), data[:1], 0o600)
			}
			rt.After = func(p wire.ToolParams) error {
				if p.Op == "pdf.merge" {
					return &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonExited}
				}
				return nil
			}
		}, nil, problem.CodeVMFailed},
		{"changed meanwhile", nil, func(rt *choretest.Runtime) {
			if !rt.Folders[0].ReadOnly {
				_ = os.WriteFile(filepath.Join(rt.Folders[0].Path, "1.png"), []byte("else"), 0o600)
			}
		}, nil, problem.CodeChangedSince},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			dir := w.pictures("1.png")
			if r.before != nil {
				r.before(dir)
			}
			w.onMachine = func(rt *choretest.Runtime) error {
				if r.machine != nil {
					r.machine(rt)
				}
				return nil
			}
			c := w.open()
			wait := w.listen(c)
			got := wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Params: r.params, Accept: true, Folders: []task.FolderRequest{{Path: dir}}}).ID, task.StateFailed)
			if got.Error.Code != r.code || len(got.Results) != 0 {
				t.Errorf("%+v", got.Error)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 1 {
				t.Errorf("left: %v, %v", left, err)
			}
			for _, m := range w.all() {
				if m.Closed() != 1 {
					t.Errorf("a machine was closed %d times", m.Closed())
				}
			}
		})
	}
}
