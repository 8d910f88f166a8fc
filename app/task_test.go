package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

func (w *world) audit(c *Controller) (out []audit.Record) {
	w.t.Helper()
	rep, err := audit.Verify(filepath.Join(c.o.DataDir, auditDir, audit.LogName), func(r audit.Record) { out = append(out, r) })
	if err != nil || !rep.OK() {
		w.t.Fatalf("%+v, %v", rep, err)
	}
	return out
}

func TestExecTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("a.png")
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: append([]byte("in: "), p.Stdin...)})
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stderr, Data: []byte("\xff")})
			return wire.ExecResult{ExitCode: 3, WallMS: 5}, nil
		}
		return nil
	}
	c := w.open()
	events, stop := c.Subscribe(0)
	defer stop()
	wait := w.listen(c)
	began := w.start(c, StartRequest{
		Kind: task.KindExec, Argv: []string{"/bin/grep", "x y"}, Stdin: []byte("secret stdin"),
		Folders: []FolderRequest{{Path: dir}},
	})
	if began.State != task.StateQueued || began.Title != "grep x y" || began.Network != task.NetworkOff || began.Folders[0].Mode != task.ModeReadOnly {
		t.Errorf("%+v", began)
	}
	got := wait(began.ID, task.StateFailed)
	if *got.ExitCode != 3 || got.Error.Code != problem.CodeExitStatus || got.Pack != "0.9.0" || got.Accel == "" || got.Started == nil || got.Ended == nil {
		t.Errorf("%+v", got)
	}
	want := "state:queued state:preparing step:verify step:boot step:kernel step:mount state:running step:run state:failed"
	if k := strings.Join(w.kinds(c, began.ID), " "); k != want {
		t.Errorf("timeline %s", k)
	}
	var stdout, stderr []byte
	for len(stderr) == 0 {
		e := <-events
		if d, ok := e.Data.(task.OutputData); ok {
			if e.Seq != 0 || e.Task != began.ID {
				t.Errorf("%+v", e)
			}
			if d.Stream == "stdout" {
				stdout = append(stdout, d.Data...)
			} else {
				stderr = append(stderr, d.Data...)
			}
		}
	}
	if string(stdout) != "in: secret stdin" || string(stderr) != "\xff" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	records := w.audit(c)
	if len(records) != 2 {
		t.Fatalf("%+v", records)
	}
	b, e := records[0], records[1]
	if b.Event != audit.EventBegin || b.Task != began.ID || b.Action != "exec" || !slices.Equal(b.Argv, []string{"/bin/grep", "x y"}) ||
		b.Runtime != "vm" || b.Isolation != "hardware" || b.Domain != "vm" || b.Network != "off" || b.Pack != "0.9.0" || b.Accel != got.Accel ||
		len(b.Folders) != 1 || b.Folders[0] != (audit.Folder{Path: dir, Mode: "ro"}) {
		t.Errorf("begin %+v", b)
	}
	if e.Event != audit.EventEnd || e.Exec != b.Exec || *e.Exit != 3 || e.WallMS != 5 {
		t.Errorf("end %+v", e)
	}
	log, err := os.ReadFile(filepath.Join(c.o.DataDir, auditDir, audit.LogName))
	if err != nil || bytes.Contains(log, []byte("secret")) {
		t.Errorf("the log holds standard input: %s, %v", log, err)
	}
	if m := w.all()[0]; m.Closed() != 1 {
		t.Errorf("closed %d times", m.Closed())
	}
	if left, _ := os.ReadDir(c.runs.base); len(left) > 1 {
		t.Errorf("left among the sockets: %v", left)
	}
}

func TestChoreTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("2.png", "10.png")
	if err := os.WriteFile(filepath.Join(dir, "broken.jpg"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []FolderRequest{{Path: dir}}}).ID
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
	if len(m) != 1 || m[0].Closed() != 1 || len(m[0].spec.env.WritableRoots) != 0 || !m[0].spec.folders[0].ReadOnly {
		t.Errorf("%d machines, %+v", len(m), m[0].spec)
	}
	if changes, err := c.Changes(t.Context(), id); err != nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
	if _, err := c.Undo(t.Context(), id, UndoRequest{}); codeOf(err) != problem.CodeTaskRunning {
		t.Error(err)
	}
	if err := c.DeleteTask(t.Context(), id); codeOf(err) != problem.CodeTaskRunning {
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
	if m = w.all(); len(m) != 2 || m[1].Closed() != 1 || len(m[1].spec.env.WritableRoots) != 1 {
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
	rep, err := c.Undo(t.Context(), id, UndoRequest{IDs: []string{changes[0].ID}})
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
	got := wait(w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []FolderRequest{{Path: w.pictures("1.png"), Mode: task.ModeReadOnly}}}).ID, task.StateFailed)
	if got.Error.Code != problem.CodeOutputDenied || len(w.all()) != 0 {
		t.Errorf("%+v", got.Error)
	}
}

func TestPlanOnlyAndAccept(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	only := w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", PlanOnly: true, Folders: []FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}})
	if only.Folders[0].Mode != task.ModeReadOnly {
		t.Errorf("%+v", only)
	}
	wait(only.ID, task.StateDone)
	if _, err := c.Plan(t.Context(), only.ID); err != nil || len(w.all()) != 1 {
		t.Errorf("%d machines, %v", len(w.all()), err)
	}
	accepted := w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": "x"}, Folders: []FolderRequest{{Path: dir}}})
	if got := wait(accepted.ID, task.StateDone); len(got.Results) != 1 || got.Results[0].Path != "x.pdf" {
		t.Errorf("%+v", got)
	}
	if k := strings.Join(w.kinds(c, accepted.ID), " "); strings.Contains(k, "waiting") || !strings.Contains(k, "decision:allow") {
		t.Error(k)
	}
}

// What goes wrong with a chore is its problem, with the files as they were.
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
				return os.WriteFile(filepath.Join(filepath.Dir(name), partPrefix+"ABC"+partSuffix), data[:1], 0o600)
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
			got := wait(w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Params: r.params, Accept: true, Folders: []FolderRequest{{Path: dir}}}).ID, task.StateFailed)
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

// A task can be ended in every state, by everybody who may.
func TestEndingTasks(t *testing.T) {
	stages := map[string]func(*world){
		"proving": func(w *world) {
			w.onProve = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		},
		"connecting": func(w *world) {
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.OnConnect = func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
				return nil
			}
		},
		"working": func(w *world) {
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Before = func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
					if p.Op != "image.convert" {
						return nil, nil
					}
					<-ctx.Done()
					return nil, context.Cause(ctx)
				}
				return nil
			}
		},
		"waiting": func(*world) {},
	}
	states := map[string]task.State{"proving": task.StatePreparing, "connecting": task.StateRunning, "working": task.StateRunning, "waiting": task.StateWaiting}
	ends := map[string]string{"person": "person", "caller": "caller-gone", "closing": "closing"}
	for stage, prepare := range stages {
		for by, cause := range ends {
			t.Run(stage+" by "+by, func(t *testing.T) {
				w := newWorld(t)
				prepare(w)
				dir := w.pictures("1.png")
				c := w.open()
				wait := w.listen(c)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				began, err := c.StartTask(ctx, StartRequest{
					Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: stage == "working", Folders: []FolderRequest{{Path: dir}},
				})
				if err != nil {
					t.Fatal(err)
				}
				wait(began.ID, states[stage])
				if stage == "working" || stage == "connecting" {
					for n := map[string]int{"working": 2, "connecting": 1}[stage]; len(w.all()) < n; {
						time.Sleep(time.Millisecond)
					}
				}
				switch by {
				case "person":
					if got, err := c.CancelTask(t.Context(), began.ID); err != nil || got.State != task.StateCancelled {
						t.Errorf("%+v, %v", got, err)
					}
				case "caller":
					leave()
					wait(began.ID, task.StateCancelled)
				case "closing":
					if err := c.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				got, err := c.store.Get(began.ID)
				if err != nil || got.State != task.StateCancelled || got.Error.Code != problem.CodeCancelled || got.Error.Cause != cause || got.Ended == nil {
					t.Errorf("%+v, %v", got, err)
				}
				for _, m := range w.all() {
					if m.Closed() != 1 {
						t.Errorf("a machine was closed %d times", m.Closed())
					}
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
					t.Errorf("left: %v, %v", left, err)
				}
				if by == "person" { // ending what is over changes nothing
					if again, err := c.CancelTask(t.Context(), began.ID); err != nil || !again.Ended.Equal(*got.Ended) {
						t.Errorf("%+v, %v", again, err)
					}
				}
			})
		}
	}
}

func TestDetachedTaskOutlivesItsCaller(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	ctx, leave := context.WithCancel(t.Context())
	began, err := c.StartTask(ctx, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []FolderRequest{{Path: w.pictures("1.png")}}})
	if err != nil {
		t.Fatal(err)
	}
	wait(began.ID, task.StateWaiting)
	leave()
	if _, err := c.AcceptPlan(t.Context(), began.ID); err != nil {
		t.Fatal(err)
	}
	wait(began.ID, task.StateDone)
}

func TestToolTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	if err := os.WriteFile(filepath.Join(dir, "broken.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	wait := w.listen(c)
	run := func(p wire.ToolParams, mode task.Mode, want task.State) task.Task {
		t.Helper()
		return wait(w.start(c, StartRequest{Kind: task.KindTool, Tool: &p, Folders: []FolderRequest{{Path: dir, Mode: mode}}}).ID, want)
	}
	in := []string{"/folders/Fotos ä/1.png", "/folders/Fotos ä/broken.png", "/folders/Fotos ä/2.png"}
	pdf := map[string]any{"format": "pdf"}

	got := run(wire.ToolParams{Op: "image.info", In: in}, "", task.StateDone)
	if len(got.Info) != 2 || len(got.Problems) != 1 || len(got.Results) != 0 {
		t.Errorf("%+v", got)
	}
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/Fotos ä/x.pdf", Params: pdf}, task.ModeReadWrite, task.StateDone)
	if len(got.Results) != 1 || got.Results[0].Folder != "f1" || got.Results[0].Path != "x.pdf" || len(got.Problems) != 1 {
		t.Errorf("%+v", got)
	}
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/Fotos ä/y.pdf", Params: pdf}, task.ModeReadOnly, task.StateFailed)
	if got.Error.Code != problem.CodeOutputDenied {
		t.Errorf("%+v", got.Error)
	}
	got = run(wire.ToolParams{Op: "image.info", In: in[1:2]}, "", task.StateFailed)
	if got.Error.Code != problem.CodeNothingLeft {
		t.Errorf("%+v", got.Error)
	}
	got = run(wire.ToolParams{Op: "no.such", In: in}, "", task.StateFailed)
	if got.Error.Code != problem.CodeUnsupported {
		t.Errorf("%+v", got.Error)
	}
	// A result that is in no folder is brought to the task's own results.
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/work/out/a b.pdf", Params: pdf}, "", task.StateDone)
	if len(got.Results) != 1 || got.Results[0].Folder != "" || got.Results[0].Path != "a b.pdf" {
		t.Fatalf("%+v", got)
	}
	f, r, err := c.OpenResult(t.Context(), got.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil || f.Close() != nil || int64(len(data)) != r.Size || len(choretest.Pages(data)) != 2 {
		t.Errorf("%q, %v", data, err)
	}
	if left, err := os.ReadDir(c.store.ResultsDir(got.ID)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// What comes out of a runtime is only taken as the operation said it is.
func TestBringOutIsHostile(t *testing.T) {
	good := []byte("content")
	rows := []struct {
		name string
		file wire.ToolFile
		exec func(out func([]byte)) int
	}{
		{"more than announced", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good); out(good); return 0 }},
		{"less", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good[:3]); return 0 }},
		{"other content", toolFile("/work/out/x", good), func(out func([]byte)) int { out([]byte("CONTENT")); return 0 }},
		{"the program fails", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good); return 1 }},
		{"too large", wire.ToolFile{Path: "/work/out/x", Size: maxKept + 1, SHA256: toolFile("", good).SHA256}, func(func([]byte)) int { return 0 }},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Before = func(context.Context, wire.ToolParams) (*wire.ToolResult, error) {
					return &wire.ToolResult{Out: []wire.ToolFile{r.file}}, nil
				}
				rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
					code := r.exec(func(b []byte) { out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: b}) })
					return wire.ExecResult{ExitCode: code}, nil
				}
				rt.Cat = true
				return nil
			}
			c := w.open()
			wait := w.listen(c)
			got := wait(w.start(c, StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "x.y", Out: "/work/out/x"}}).ID, task.StateFailed)
			if len(got.Results) != 0 {
				t.Errorf("%+v", got)
			}
			if left, err := os.ReadDir(c.store.ResultsDir(got.ID)); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
	for name, want := range map[string]string{"a b.pdf": "a b.pdf", "..": "result", ".x": "result", "": "result", "a/b": "a_b", "x\n": "x_", strings.Repeat("x", 300): "result", "CON?.": "CON_", "\xff": "_"} {
		if got := resultName(name, 0); got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	if got := resultName("x", 2); got != "3 x" {
		t.Error(got)
	}
}

func TestNotReady(t *testing.T) {
	w := newWorld(t)
	w.packErr = errNoPack
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
	c := w.open()
	wait := w.listen(c)
	req := StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	if got := wait(w.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodePackMissing {
		t.Errorf("%+v", got.Error)
	}
	if _, err := c.InstallPack(t.Context(), "x", nil); err != nil {
		t.Fatal(err)
	}
	if got := wait(w.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodeAccelUnavailable {
		t.Errorf("%+v", got.Error)
	}
	if len(w.all()) != 0 || len(w.audit(c)) != 0 {
		t.Error("something was executed")
	}
	slow := req
	slow.Accel = "tcg"
	if got := wait(w.start(c, slow).ID, task.StateDone); got.Accel != "tcg" {
		t.Errorf("%+v", got)
	}
	if got := wait(w.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodeAccelUnavailable {
		t.Errorf("one task's slow mode became everybody's: %+v", got)
	}
	if rep, err := c.SetSlowMode(t.Context(), true); err != nil || !rep.Ready || rep.Accel.ChosenBy != setup.BySettings {
		t.Errorf("%+v, %v", rep, err)
	}
	if got := wait(w.start(c, req).ID, task.StateDone); got.Accel != "tcg" {
		t.Errorf("%+v", got)
	}
}

// What cannot be recorded is not executed.
func TestNothingRunsWithoutTheAuditLog(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	if err := c.audit.Close(); err != nil {
		t.Fatal(err)
	}
	ran := false
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			ran = true
			return wire.ExecResult{}, nil
		}
		return nil
	}
	got := wait(w.start(c, StartRequest{Kind: task.KindExec, Argv: []string{"x"}}).ID, task.StateFailed)
	if got.Error.Code != problem.CodeAuditFailed || ran {
		t.Errorf("%+v, ran %v", got.Error, ran)
	}
}

// A task whose end cannot be written is over all the same, as long as the
// program runs.
func TestEndThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(_ context.Context, p wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			file := filepath.Join(c.store.Dir(p.ID), "task.json")
			return wire.ExecResult{}, errors.Join(os.Remove(file), os.Mkdir(file, 0o700))
		}
		return nil
	}
	id := w.start(c, StartRequest{Kind: task.KindExec, Argv: []string{"x"}}).ID
	for c.liveTask(id) != nil {
		time.Sleep(time.Millisecond)
	}
	got := wait(id, task.StateFailed)
	if got.Title != "x" || got.Ended == nil {
		t.Errorf("%+v", got)
	}
	if list, err := c.Tasks(t.Context()); err != nil || len(list) != 1 || list[0].Title != "x" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDeleteTask(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	vm := filepath.Join(c.o.DataDir, machineDir, id)
	if err := os.MkdirAll(vm, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{vm, c.store.Dir(id)} {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left", dir)
		}
	}
	for name, err := range map[string]error{
		"task":     second(c.Task(t.Context(), id)),
		"delete":   c.DeleteTask(t.Context(), id),
		"cancel":   second(c.CancelTask(t.Context(), id)),
		"accept":   second(c.AcceptPlan(t.Context(), id)),
		"plan":     second(c.Plan(t.Context(), id)),
		"changes":  second(c.Changes(t.Context(), id)),
		"undo":     second(c.Undo(t.Context(), id, UndoRequest{})),
		"timeline": second(c.Timeline(t.Context(), id, 0)),
		"escape":   second(c.Task(t.Context(), "../../etc")),
	} {
		if codeOf(err) != problem.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestManyTasksAtOnce(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	var wg sync.WaitGroup
	dir := w.pictures("1.png", "2.png")
	for i := range 6 {
		wg.Go(func() {
			r := StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": fmt.Sprint("n", i)}, Folders: []FolderRequest{{Path: dir}}}
			began, err := c.StartTask(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := c.Tasks(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := c.Status(t.Context(), false); err != nil {
				t.Error(err)
			}
			if _, err := c.Changes(t.Context(), began.ID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := c.Tasks(t.Context())
	if err != nil || len(list) != 6 {
		t.Fatalf("%d tasks, %v", len(list), err)
	}
	for _, began := range list {
		if got := wait(began.ID, task.StateDone); len(got.Results) != 1 {
			t.Errorf("%+v", got)
		}
	}
	if rep, err := c.AuditVerify(t.Context()); err != nil || !rep.OK || rep.Records < 30 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestOpenResultStaysInside(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	secret := filepath.Join(w.base, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"abs": secret, "rel": "../../secret", "self": "self", "pipe": ""} {
		var err error
		if target == "" {
			err = makePipe(filepath.Join(dir, link))
		} else {
			err = os.Symlink(target, filepath.Join(dir, link))
		}
		if err != nil {
			t.Skip(err)
		}
	}
	c := w.open()
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	rec := task.Task{V: 1, ID: id, Kind: task.KindTool, State: task.StateDone, Folders: []task.Folder{{ID: "f1", Path: dir, Name: "x"}}}
	paths := []string{"abs", "rel", "self", "pipe", "../../../../etc/passwd", "/etc/passwd", ".", "gone"}
	for _, p := range paths {
		rec.Results = append(rec.Results, task.Result{Folder: "f1", Path: p})
	}
	rec.Results = append(rec.Results, task.Result{Folder: "f9", Path: "1.png"}, task.Result{Folder: "f1", Path: "1.png"})
	if err := c.store.Create(rec); err != nil {
		t.Fatal(err)
	}
	for i := range len(rec.Results) - 1 {
		if f, r, err := c.OpenResult(t.Context(), id, i); err == nil {
			t.Errorf("%+v was opened", r)
			_ = f.Close()
		}
	}
	for _, i := range []int{-1, len(rec.Results)} {
		if _, _, err := c.OpenResult(t.Context(), id, i); codeOf(err) != problem.CodeNotFound {
			t.Error(err)
		}
	}
	f, _, err := c.OpenResult(t.Context(), id, len(rec.Results)-1)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

func TestRecordsAreWholeJSON(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	data, err := os.ReadFile(filepath.Join(c.store.Dir(id), "task.json"))
	if err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"state": "done"`)) {
		t.Errorf("%s, %v", data, err)
	}
}
