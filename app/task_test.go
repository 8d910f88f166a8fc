package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/health"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

func (w *world) audit(c *Controller) (out []audit.Record) {
	w.t.Helper()
	rep, err := audit.Verify(filepath.Join(c.o.DataDir, auditDir, audit.LogName), c.audit.Public(), func(r audit.Record) { out = append(out, r) })
	if err != nil || !rep.OK {
		w.t.Fatalf("%+v, %v", rep, err)
	}
	return out
}

func TestExecTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("a.png")
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: append([]byte("in: "), string(p.Stdin)+p.Env["TOKEN"]...)})
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stderr, Data: []byte("\xff")})
			return wire.ExecResult{ExitCode: 3, WallMS: 5}, nil
		}
		return nil
	}
	c := w.open()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	wait := w.listen(c)
	began := w.start(c, tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"/bin/grep", "x y"}, StreamsRequest: tasks.StreamsRequest{Stdin: []byte("secret stdin")}, Env: map[string]string{"TOKEN": "secret variable"},
		Folders: []task.FolderRequest{{Path: dir}},
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
	if string(stdout) != "in: secret stdinsecret variable" || string(stderr) != "\xff" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	records := w.audit(c)
	if len(records) != 2 {
		t.Fatalf("%+v", records)
	}
	b, e := records[0], records[1]
	if b.Event != audit.EventBegin || b.Task != began.ID || b.Action != "exec" || b.Program != "grep" || b.Args != c.audit.Digest("/bin/grep\x00x y\x00") ||
		b.Runtime != "vm" || b.Isolation != "hardware" || b.Domain != "vm" || b.Network != "off" || b.Pack != "0.9.0" || b.Accel != got.Accel ||
		len(b.Folders) != 1 || b.Folders[0] != (audit.Folder{Path: c.audit.Digest(dir), Mode: "ro"}) {
		t.Errorf("begin %+v", b)
	}
	if e.Event != audit.EventEnd || e.Exec != b.Exec || *e.Exit != 3 || e.WallMS != 5 {
		t.Errorf("end %+v", e)
	}
	log, err := os.ReadFile(filepath.Join(c.o.DataDir, auditDir, audit.LogName))
	for _, secret := range []string{"secret", "x y", dir, filepath.Base(dir)} {
		if err != nil || bytes.Contains(log, []byte(secret)) {
			t.Errorf("the log holds %q: %s, %v", secret, log, err)
		}
	}
	record, err := os.ReadFile(filepath.Join(c.o.DataDir, tasksDir, began.ID, "task.json"))
	if err != nil || bytes.Contains(record, []byte("secret")) {
		t.Errorf("the record holds what is kept nowhere: %s, %v", record, err)
	}
	if m := w.all()[0]; m.Closed() != 1 {
		t.Errorf("closed %d times", m.Closed())
	}
	if left, _ := os.ReadDir(c.runs.Base); len(left) > 1 {
		t.Errorf("left among the sockets: %v", left)
	}
}

func TestNotReady(t *testing.T) {
	w := newWorld(t)
	w.packErr = runtimepack.ErrNoPack
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
	c := w.open()
	wait := w.listen(c)
	req := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	if got := wait(w.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodePackMissing {
		t.Errorf("%+v", got.Error)
	}
	pack := filepath.Join(t.TempDir(), "x.piworkpack")
	if err := os.WriteFile(pack, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.InstallPack(t.Context(), pack, nil); err != nil {
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
	got := wait(w.start(c, slow).ID, task.StateDone)
	if got.Accel != "tcg" {
		t.Errorf("%+v", got)
	}
	if log := w.audit(c); len(log) == 0 || log[0].Event != audit.EventBegin || log[0].Task != got.ID || log[0].Accel != "tcg" {
		t.Errorf("the log does not say that it ran in the slow mode: %+v", log)
	}
	if got := wait(w.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodeAccelUnavailable {
		t.Errorf("one task's slow mode became everybody's: %+v", got)
	}
	if rep, err := c.SetSlowMode(t.Context(), health.SlowMode{On: true}); err != nil || !rep.Ready || rep.Accel.ChosenBy != setup.BySettings {
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
	got := wait(w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}}).ID, task.StateFailed)
	if got.Error.Code != problem.CodeAuditFailed || ran {
		t.Errorf("%+v, ran %v", got.Error, ran)
	}
}

func TestManyTasksAtOnce(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	var wg sync.WaitGroup
	dir := w.pictures("1.png", "2.png")
	for i := range 6 {
		wg.Go(func() {
			r := tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": fmt.Sprint("n", i)}, Folders: []task.FolderRequest{{Path: dir}}}
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

func TestRecordsAreWholeJSON(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	data, err := os.ReadFile(filepath.Join(c.store.Dir(id), "task.json"))
	if err != nil || !json.Valid(data) || !bytes.Contains(data, []byte(`"state": "done"`)) {
		t.Errorf("%s, %v", data, err)
	}
}
