package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/health"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/spec"
	"piwork/vmhost/qemu"
)

func TestOneControllerPerDataDirectory(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	_, err := open(t.Context(), w.options(), w.seams)
	if locked, is := errors.AsType[*lock.HeldError](err); !is || locked.PID != os.Getpid() || locked.Socket != c.Socket() {
		t.Fatalf("%+v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}); codeOf(err) != problem.CodeShuttingDown {
		t.Error(err)
	}
	again := w.open()
	if again.Socket() != c.Socket() {
		t.Errorf("the socket moved from %s to %s", c.Socket(), again.Socket())
	}
	other := w.options()
	other.DataDir += "2"
	if second := w.openWith(other); second.Socket() == again.Socket() {
		t.Error("two controllers on one socket")
	}
}

// A holder that has not said who it is yet is waited for, a moment.
func TestLockWithoutAHolder(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	file := filepath.Join(c.o.DataDir, lock.HolderFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	var late sync.WaitGroup
	late.Go(func() {
		stacks := make([]byte, 1<<22)
		for !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("lock.lockedBy(")) { // it waits
			select {
			case <-opened:
				t.Error("nobody waited")
				return
			case <-time.After(time.Millisecond):
			}
		}
		_ = os.WriteFile(file, data, 0o600)
	})
	_, err = open(t.Context(), w.options(), w.seams)
	close(opened)
	late.Wait()
	var locked *lock.HeldError
	if !errors.As(err, &locked) || locked.Socket != c.Socket() {
		t.Errorf("%+v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err = open(ctx, w.options(), w.seams); !errors.As(err, &locked) || locked.PID != 0 {
		t.Errorf("%+v", err)
	}
}

// When something fails while a controller opens, nothing stays taken.
func TestOpenFails(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("broken")
	if _, err := open(t.Context(), w.options(), func(context.Context, Options) (seams, error) { return seams{}, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	config := filepath.Join(w.options().ConfigDir, settings.ConfigName)
	if err := os.WriteFile(config, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), w.options(), w.seams); err == nil {
		t.Error("damaged settings are ignored")
	}
	if data, err := os.ReadFile(config); err != nil || string(data) != "{" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	w.open()
}

// A program that was killed leaves tasks, executions and machines behind; the
// next one brings them into order.
func TestRecovery(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	store, err := task.OpenStore(filepath.Join(o.DataDir, tasksDir))
	if err != nil {
		t.Fatal(err)
	}
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create(task.Task{V: 1, ID: id, Kind: task.KindExec, State: task.StateRunning, Folders: []task.Folder{}}); err != nil {
		t.Fatal(err)
	}
	key, err := audit.OpenKey(o.ConfigDir)
	if err != nil {
		t.Fatal(err)
	}
	log, _, _, err := audit.Open(filepath.Join(o.DataDir, auditDir), audit.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(audit.Record{Event: audit.EventBegin, Exec: id + "/1", Task: id}), log.Close()); err != nil {
		t.Fatal(err)
	}
	vm := filepath.Join(o.DataDir, machineDir)
	for _, f := range []string{id + "/overlay.qcow2", id + "/console.log", id + "/qemu.log", "gone/overlay.qcow2", "gone/console.log", id + "/work/shut/of a program.log", "gone/work/shut/file"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(vm, f)), 0o700), os.WriteFile(filepath.Join(vm, f), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, shut := range []string{id, "gone"} { // as programs of a sandbox can leave it
		if err := os.Chmod(filepath.Join(vm, shut, "work", "shut"), 0o100); err != nil {
			t.Fatal(err)
		}
	}
	first := w.open()
	stale := filepath.Join(first.runs.Base, "t1")
	if err := errors.Join(first.Close(t.Context()), os.MkdirAll(stale, 0o700)); err != nil { // a killed one's sockets
		t.Fatal(err)
	}
	c := w.open()
	if _, err := os.Lstat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Error("sockets of a killed controller are left")
	}
	got, err := c.Task(t.Context(), id)
	if err != nil || got.State != task.StateFailed || got.Error.Code != problem.CodeInterrupted {
		t.Errorf("%+v, %v", got, err)
	}
	records := w.audit(c)
	if len(records) != 2 || records[1].Exec != id+"/1" || records[1].Ended != audit.EndedInterrupted {
		t.Errorf("%+v", records)
	}
	var left []string
	err = filepath.WalkDir(vm, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(p, vm+"/"))
		}
		return err
	})
	if want := []string{id + "/console.log", id + "/qemu.log"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%q, %v", left, err)
	}
	if changes, err := c.Changes(t.Context(), id); err != nil || changes == nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
}

// A record that cannot be read is shown as such and can be deleted.
func TestDamagedTaskIsListed(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	if err := os.WriteFile(filepath.Join(c.store.Dir(id), "task.json"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := c.Tasks(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != id || list[0].Error.Code != problem.CodeRecordDamaged || time.Since(list[0].Created) > time.Minute {
		t.Errorf("%+v, %v", list, err)
	}
	if events, err := c.Timeline(t.Context(), id, 0); err != nil || len(events) == 0 {
		t.Errorf("%v, %v", events, err)
	}
	if _, err := c.Changes(t.Context(), id); codeOf(err) != problem.CodeRecordDamaged {
		t.Error(err)
	}
	if err := c.DeleteTask(t.Context(), id, false); err != nil {
		t.Error(err)
	}
}

func TestStatusAndSettings(t *testing.T) {
	w := newWorld(t)
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
	o := w.options()
	config := filepath.Join(o.ConfigDir, settings.ConfigName)
	if err := errors.Join(os.MkdirAll(o.ConfigDir, 0o700), os.WriteFile(config, []byte(`{"v":1,"theme":"dark"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	for range 3 {
		if rep, err := c.Status(t.Context(), false); err != nil || rep.Ready {
			t.Errorf("%+v, %v", rep, err)
		}
	}
	// The slow mode is measured where it is what is left to offer.
	if !slices.Equal(w.proved, []qemu.Accel{qemu.AccelKVM, qemu.AccelTCG}) {
		t.Errorf("proved %v", w.proved)
	}
	if _, err := c.Status(t.Context(), true); err != nil || len(w.proved) != 4 {
		t.Errorf("proved %v, %v", w.proved, err)
	}
	if rep, err := c.SetSlowMode(t.Context(), health.SlowMode{On: true}); err != nil || !rep.Ready || rep.Accel.Kind != "tcg" {
		t.Errorf("%+v, %v", rep, err)
	}
	for n := 0; n < 3; {
		if e := <-events; e.Kind == task.EventStatus {
			n++
			if rep := e.Data.(setup.Report); rep.Ready != (n == 3) {
				t.Errorf("report %d: %+v", n, rep)
			}
		}
	}
	var saved map[string]any
	data, err := os.ReadFile(config)
	if err != nil || json.Unmarshal(data, &saved) != nil || saved["theme"] != "dark" || saved["slowMode"] != true {
		t.Errorf("%s, %v", data, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Accel.ChosenBy != setup.BySettings {
		t.Errorf("%+v, %v", rep, err)
	}
	if rep, err := c.SetSlowMode(t.Context(), health.SlowMode{On: false}); err != nil || rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvAccel, "tcg")
	c = w.openWith(w.options())
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Accel.ChosenBy != setup.ByEnvironment {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestInstallPack(t *testing.T) {
	w := newWorld(t)
	w.packErr = runtimepack.ErrNoPack
	c := w.open()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Problems[0].Code != problem.CodePackMissing {
		t.Errorf("%+v, %v", rep, err)
	}
	w.onInstall = func(progress func(done, total int64)) error {
		return &spec.VerifyError{Kind: spec.KindBadSignature}
	}
	if _, err := c.InstallPack(t.Context(), anyFile(t), nil); codeOf(err) != problem.CodePackInvalid {
		t.Error(err)
	}
	w.onInstall = func(progress func(done, total int64)) error {
		for i := range 10_001 {
			progress(int64(i), 10_000)
		}
		return nil
	}
	calls := 0
	if info, err := c.InstallPack(t.Context(), anyFile(t), func(int64, int64) { calls++ }); err != nil || !info.Current || calls != 10_001 {
		t.Errorf("%+v, %v, %d calls", info, err, calls)
	}
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	var told []task.PackData
	for _, e := range queued(events) {
		if d, ok := e.Data.(task.PackData); ok {
			told = append(told, d)
		}
	}
	if len(told) < 2 || len(told) > 1000 || told[len(told)-1] != (task.PackData{Done: 10_000, Total: 10_000}) {
		t.Errorf("%d events", len(told))
	}
}

// A controller that is closed while a machine hangs does not wait for ever.
func TestCloseWithoutPatience(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	hung, gaveUp := make(chan struct{}), make(chan error, 1)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.OnClose = func(ctx context.Context) error {
			close(hung)
			<-ctx.Done() // a guest that does not power off; then it is killed
			gaveUp <- ctx.Err()
			return nil
		}
		return nil
	}
	id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}}).ID
	<-hung
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := <-gaveUp; !errors.Is(err, context.Canceled) { // not its own, longer time
		t.Errorf("the machine was given up with %v", err)
	}
	if got := wait(id, task.StateCancelled); got.Error.Cause != "closing" {
		t.Errorf("%+v", got.Error)
	}
}
