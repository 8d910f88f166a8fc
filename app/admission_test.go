package app

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// endless has programs run until they are cancelled, or until told to end.
func (w *world) endless() (end chan struct{}) {
	end = make(chan struct{})
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			select {
			case <-end:
				return wire.ExecResult{}, nil
			case <-ctx.Done():
				return wire.ExecResult{}, context.Cause(ctx)
			}
		}
		return nil
	}
	return end
}

func execRequestOf(argv ...string) tasks.StartRequest {
	return tasks.StartRequest{Kind: task.KindExec, Argv: argv, Detached: true}
}

// until waits for something that has no event.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	for limit := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			w.t.Fatalf("%s did not happen", what)
		}
	}
}

// waitsFor until a task has said what it waits for.
func (w *world) waitsFor(c *Controller, id, step string) {
	w.t.Helper()
	w.until(id+" waits for "+step, func() bool { return slices.Contains(w.kinds(c, id), "step:"+step) })
}

// Several tasks work at once, each in its own machine; the others wait in their
// order, and everybody can see it.
func TestTasksQueue(t *testing.T) {
	w := newWorld(t)
	end := w.endless()
	c := w.open()
	wait := w.listen(c)
	if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 2, Instant: true}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 5 { // whichever of them runs first
		ids = append(ids, w.start(c, execRequestOf("sleep")).ID)
	}
	for _, id := range ids[:2] {
		wait(id, task.StateRunning)
	}
	for _, id := range ids[2:] {
		w.waitsFor(c, id, "turn")
		if got := wait(id, task.StateQueued); got.Started != nil {
			t.Errorf("%+v", got)
		}
	}
	if m, err := c.Machines(t.Context()); err != nil || m.Running != 2 || m.Queued != 3 || m.AtOnce != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	// One that waits can be given up; the next in the line is the next.
	if got, err := c.CancelTask(t.Context(), ids[2]); err != nil || got.State != task.StateCancelled {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.CancelTask(t.Context(), ids[0]); err != nil {
		t.Error(err)
	}
	wait(ids[3], task.StateRunning)
	if got := wait(ids[4], task.StateQueued); got.Started != nil {
		t.Errorf("the last overtook: %+v", got)
	}
	if n := len(w.all()); n != 3 {
		t.Errorf("%d machines", n)
	}
	// More room lets the rest in.
	if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 3}); err != nil {
		t.Fatal(err)
	}
	wait(ids[4], task.StateRunning)
	close(end)
	for _, id := range []string{ids[1], ids[3], ids[4]} {
		wait(id, task.StateDone)
	}
	if got := w.kinds(c, ids[4]); !slices.Equal(got[:3], []string{"state:queued", "step:turn", "state:preparing"}) {
		t.Errorf("%q", got)
	}
	if held, waiting := c.Queue.Counts(); held != 0 || waiting != 0 {
		t.Errorf("%d places are held, %d wait", held, waiting)
	}
}

// Tasks without a machine take no memory from machines, and wait for processors: a hundred do
// not work at once.
func TestTasksInSandboxesQueue(t *testing.T) {
	w := newPlaceWorld(t)
	end := make(chan struct{})
	w.placeSeams[0].make = func(_ context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
		rt := machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})
		rt.Exec = func(ctx context.Context, _ wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
			select {
			case <-end:
				return wire.ExecResult{}, nil
			case <-ctx.Done():
				return wire.ExecResult{}, context.Cause(ctx)
			}
		}
		return sandboxed{rt}, nil
	}
	w.host.CPUs = 3
	c := w.open()
	wait := w.listen(c)
	r := execRequestOf("sleep")
	r.Runtime = vmhost.KindSandbox
	var ids []string
	for range 5 {
		ids = append(ids, w.start(c, r).ID)
	}
	for _, id := range ids[:3] {
		wait(id, task.StateRunning)
	}
	for _, id := range ids[3:] {
		w.waitsFor(c, id, "cores")
		wait(id, task.StateQueued)
	}
	if held, waiting := c.Queue.Counts(); held != 0 || waiting != 0 {
		t.Errorf("%d places of machines are held, %d wait", held, waiting)
	}
	if _, err := c.CancelTask(t.Context(), ids[0]); err != nil {
		t.Error(err)
	}
	wait(ids[3], task.StateRunning)
	close(end)
	for _, id := range ids[1:] {
		wait(id, task.StateDone)
	}
	if held, waiting := c.Places.Counts(); held != 0 || waiting != 0 {
		t.Errorf("%d places are held, %d wait", held, waiting)
	}
}

// Memory that other programs have is waited for, and asked for again.
func TestTasksWaitForMemory(t *testing.T) {
	w := newWorld(t)
	w.host.FreeMB = 900
	c := w.open()
	c.Queue.Again = time.Millisecond
	wait := w.listen(c)
	id := w.start(c, execRequestOf("true")).ID
	w.waitsFor(c, id, "memory")
	wait(id, task.StateQueued)
	w.set(func() { w.hostErr = errors.New("no answer") }) // then it counts as a small computer, with memory
	wait(id, task.StateDone)
	w.set(func() { w.hostErr, w.host.FreeMB = nil, 4000 })
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
}

// What never fits is said at once, and does not hold up the others.
func TestTaskThatNeverFits(t *testing.T) {
	w := newWorld(t)
	end := w.endless()
	c := w.open()
	wait := w.listen(c)
	if _, err := c.SetMachines(t.Context(), machines.Settings{TotalMB: 2500, Instant: true}); err != nil {
		t.Fatal(err)
	}
	first := w.start(c, execRequestOf("sleep")).ID
	wait(first, task.StateRunning)
	second := w.start(c, execRequestOf("sleep")).ID
	w.waitsFor(c, second, "turn")
	r := execRequestOf("true")
	r.MemoryMB = 3000
	got := wait(w.start(c, r).ID, task.StateFailed)
	if got.Error.Code != problem.CodeNoRoom || got.Error.Cause != "settings" || got.Error.Fix[0].Code != problem.FixMachines || got.Error.Params["haveMb"] == nil {
		t.Errorf("%+v", got.Error)
	}
	// Those that waited while the settings changed are told, too.
	if _, err := c.SetMachines(t.Context(), machines.Settings{TotalMB: 2000, MemoryMB: 1024}); err != nil {
		t.Fatal(err)
	}
	if got := wait(second, task.StateFailed); got.Error.Code != problem.CodeNoRoom {
		t.Errorf("%+v", got.Error)
	}
	close(end)
	wait(first, task.StateDone)
	// A computer that is too small for the smallest.
	w.set(func() { w.host = capacity.Host{MemoryMB: 900, FreeMB: 800, CPUs: 1} })
	if _, err := c.SetMachines(t.Context(), machines.Settings{}); err != nil {
		t.Fatal(err)
	}
	if got := wait(w.start(c, execRequestOf("true")).ID, task.StateFailed); got.Error.Code != problem.CodeNoRoom || got.Error.Cause != "computer" {
		t.Errorf("%+v", got.Error)
	}
}

// A plan that waits for its person holds no room; when it is accepted, its task is
// the oldest and comes next.
func TestWaitingPlanGivesItsRoom(t *testing.T) {
	w := newWorld(t)
	end := w.endless()
	c := w.open()
	wait := w.listen(c)
	if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 1, Instant: true}); err != nil {
		t.Fatal(err)
	}
	planned := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true, Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}}).ID
	wait(planned, task.StateWaiting)
	busy := w.start(c, execRequestOf("sleep")).ID
	wait(busy, task.StateRunning)
	later := w.start(c, execRequestOf("sleep")).ID
	w.waitsFor(c, later, "turn")
	if _, err := c.AcceptPlan(t.Context(), planned); err != nil {
		t.Fatal(err)
	}
	w.waitsFor(c, planned, "turn")
	if _, err := c.CancelTask(t.Context(), busy); err != nil {
		t.Fatal(err)
	}
	wait(planned, task.StateDone)
	wait(later, task.StateRunning)
	close(end)
	wait(later, task.StateDone)
}

// Closing ends those that wait like those that work.
func TestCloseWithAQueue(t *testing.T) {
	w := newWorld(t)
	w.endless()
	c := w.open()
	wait := w.listen(c)
	if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 1}); err != nil {
		t.Fatal(err)
	}
	wait(w.start(c, execRequestOf("sleep")).ID, task.StateRunning)
	id := w.start(c, execRequestOf("sleep")).ID
	w.waitsFor(c, id, "turn")
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := c.store.Get(id)
	if err != nil || got.State != task.StateCancelled || got.Error.Cause != "closing" || got.Started != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMachineSettings(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	m, err := c.Machines(t.Context())
	want := machines.Machines{
		Host: w.host, Size: capacity.Size{MemoryMB: 2048, CPUs: 4}, TotalMB: 12 << 10, AtOnce: 8,
		Instant: machines.WarmStart{State: machines.WarmOff}, Settings: machines.Settings{Instant: true, Share: machines.ShareAuto},
		Share: machines.Share{Kind: machines.Share9P, Reason: machines.ShareNotHere},
	}
	m.Instant = machines.WarmStart{State: machines.WarmOff} // in a moment
	if err != nil || m != want {
		t.Errorf("%+v, %v", m, err)
	}
	for _, r := range []struct {
		s     machines.Settings
		cause string
	}{
		{machines.Settings{MemoryMB: 100}, "memoryMb"},
		{machines.Settings{MemoryMB: 13 << 10}, "memoryMb"},
		{machines.Settings{CPUs: 9}, "cpus"},
		{machines.Settings{TotalMB: -5}, "totalMb"},
		{machines.Settings{CacheMB: 63}, "cacheMb"},
		{machines.Settings{CacheMB: -1}, "cacheMb"},
		{machines.Settings{CacheMB: 16<<10 + 1}, "cacheMb"}, // its disk holds no more
		{machines.Settings{AtOnce: 1000}, "machines"},
	} {
		_, err := c.SetMachines(t.Context(), r.s)
		if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeMachineSettings || p.Cause != r.cause || p.Params["max"] == nil {
			t.Errorf("%+v: %v", r.s, err)
		}
	}
	for _, r := range []tasks.StartRequest{{Kind: task.KindExec, Argv: []string{"x"}, MachineChoice: tasks.MachineChoice{MemoryMB: 1}}, {Kind: task.KindExec, Argv: []string{"x"}, MachineChoice: tasks.MachineChoice{CPUs: 100}}} {
		if _, err := c.StartTask(t.Context(), r); codeOf(err) != problem.CodeMachineSettings {
			t.Errorf("%+v: %v", r, err)
		}
	}
	chosen := machines.Settings{MemoryMB: 1000, CPUs: 2, TotalMB: 5000, AtOnce: 3, Share: machines.ShareAuto}
	if m, err := c.SetMachines(t.Context(), chosen); err != nil || m.Settings != chosen || m.Size != (capacity.Size{MemoryMB: 1000, CPUs: 2}) || m.TotalMB != 5000 || m.AtOnce != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	wait := w.listen(c)
	if m, err := c.Machines(t.Context()); err != nil || m.Settings != chosen {
		t.Errorf("%+v, %v", m, err)
	}
	// A task asks for more than the settings say, and gets it.
	r := execRequestOf("true")
	r.MemoryMB = 3000
	wait(w.start(c, r).ID, task.StateDone)
	if got := w.all()[0].size(); got != (capacity.Size{MemoryMB: 3000, CPUs: 2}) {
		t.Errorf("%+v", got)
	}
}
