package app

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/health"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// works is where the factories of a test are made, and what they do.
type works struct {
	w        *world
	mode     machines.WarmMode
	onEnsure func(context.Context) error // nil succeeds
	found    bool                        // what an earlier run left
	breaks   bool                        // restored machines boot after all

	mu   sync.Mutex
	made []*scriptedFactory
}

type scriptedFactory struct {
	of   *works
	spec vm.FactoryOptions

	mu                                  sync.Mutex
	now                                 machines.FactoryState
	ensures, restored, released, closed int
	expects, taken                      int
}

// instantWorld is a world whose machines can be there at once.
func instantWorld(t *testing.T) (*world, *works) {
	w := newWorld(t)
	f := &works{w: w, mode: machines.WarmTemplate}
	w.factoryMaker = f.make
	return w, f
}

func (k *works) make(s vm.FactoryOptions) (machines.Factory, error) {
	f := &scriptedFactory{of: k, spec: s, now: machines.FactoryState{Mode: k.mode, Ready: k.found, Found: k.found}}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made = append(k.made, f)
	return f, nil
}

func (k *works) all() []*scriptedFactory {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.made)
}

func (f *scriptedFactory) set(change func(*machines.FactoryState)) {
	f.mu.Lock()
	change(&f.now)
	f.mu.Unlock()
	f.spec.OnState(vm.FactoryState{})
}

func (f *scriptedFactory) Ensure(ctx context.Context) error {
	f.mu.Lock()
	f.ensures++
	ready := f.now.Ready
	f.mu.Unlock()
	if ready {
		f.set(func(s *machines.FactoryState) { s.Found = false })
		return nil
	}
	err := f.spec.BeforeBoot(ctx)
	if err == nil && f.of.onEnsure != nil {
		err = f.of.onEnsure(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.set(func(s *machines.FactoryState) { s.Ready, s.Err = err == nil, err; s.Bytes = 300 })
	return err
}

func (f *scriptedFactory) Make(s vm.Config) (vmhost.Runtime, error) {
	f.mu.Lock()
	restored := f.now.Ready
	if restored {
		f.restored++
	}
	if f.now.Waits {
		f.now.Waits = false
		f.taken++
	}
	if f.now.Mode == machines.WarmSpare {
		f.now.Ready = false
	}
	f.mu.Unlock()
	rt, err := f.of.w.machine(s)
	if err == nil && restored && f.of.breaks {
		rt.(*choretest.Runtime).OnConnect = s.BeforeBoot
	}
	return rt, err
}

func (f *scriptedFactory) State() machines.FactoryState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *scriptedFactory) Expect(ctx context.Context) error {
	f.mu.Lock()
	f.expects++
	f.mu.Unlock()
	f.set(func(s *machines.FactoryState) { s.Waits = true })
	return nil
}

func (f *scriptedFactory) Release() {
	f.mu.Lock()
	f.released++
	f.mu.Unlock()
	f.set(func(s *machines.FactoryState) { s.Ready, s.Waits = s.Mode == machines.WarmTemplate, false })
}

func (f *scriptedFactory) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

func (f *scriptedFactory) counts() (ensures, restored, released, closed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ensures, f.restored, f.released, f.closed
}

// openInstant opens a controller that waits for no calm.
func (w *world) openInstant() *Controller {
	w.t.Helper()
	c := w.open()
	w.settle.Store(0)
	return c
}

func (w *world) becomes(c *Controller, s machines.WarmState, r machines.WarmReason) machines.WarmStart {
	w.t.Helper()
	w.until("instant "+string(s)+" "+string(r), func() bool { i := c.Pool.State(); return i.State == s && i.Reason == r })
	return c.Pool.State()
}

// When the computer is ready and nobody needs it, what lets machines be there at
// once is made, once, of files that were checked, and tasks use it.
func TestWarmPool(t *testing.T) {
	w, k := instantWorld(t)
	c := w.openInstant()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	w.becomes(c, machines.WarmPending, machines.WarmSetup)
	if len(k.all()) != 0 {
		t.Error("something is made before this computer was looked at")
	}
	if _, err := c.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if i := w.becomes(c, machines.WarmReady, ""); i.Mode != machines.WarmTemplate || i.Bytes != 300 {
		t.Errorf("%+v", i)
	}
	for told := false; !told; {
		select {
		case e := <-events:
			m, ok := e.Data.(machines.Machines)
			told = ok && m.Instant.State == machines.WarmReady && m.Size.MemoryMB == 2048
		case <-time.After(time.Minute):
			t.Fatal("nobody was told")
		}
	}
	f := k.all()[0]
	if f.spec.MemoryMB != 2048 || f.spec.CPUs != 4 || f.spec.PackVersion != "0.9.0" || len(f.spec.Image.AddOns) != 0 || f.spec.Accel == "" {
		t.Errorf("%+v", f.spec)
	}
	w.until("the sweep", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.kept) == 1 && w.kept[0] == machines.Factory(f)
	})
	checks, looks := w.verified, len(w.proved)
	wait := w.listen(c)
	for range 3 {
		wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	}
	r := execRequestOf("true")
	r.MemoryMB = 1000 // no machine of the factory's
	wait(w.start(c, r).ID, task.StateDone)
	if ensures, restored, _, _ := f.counts(); ensures != 1 || restored != 3 || len(k.all()) != 1 {
		t.Errorf("made %d times, restored %d times, %d factories", ensures, restored, len(k.all()))
	}
	// What runs of the pack was checked right before; what a restored machine does
	// not read was not.
	if w.verifiedRestore != 3 || w.verified-checks > 2 || len(w.proved) != looks {
		t.Errorf("checked to restore %d times, else %d times, %d looks", w.verifiedRestore, w.verified-checks, len(w.proved)-looks)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, _, closed := f.counts(); closed != 1 {
		t.Errorf("closed %d times", closed)
	}
}

// What an earlier run of the program left is used by the first task of the next.
func TestWarmPoolOfAnEarlierRun(t *testing.T) {
	w, k := instantWorld(t)
	k.found = true
	c := w.open()
	wait := w.listen(c)
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	if _, restored, _, _ := k.all()[0].counts(); restored != 1 {
		t.Error("it was not used")
	}
	w.settle.Store(0)
	c.Pool.Wake()
	w.until("a look at it", func() bool { n, _, _, _ := k.all()[0].counts(); return n == 1 })
}

// Who wants it prepared now does not wait for calm, and has it looked at.
func TestPrepareLooksAtWhatAnEarlierRunLeft(t *testing.T) {
	w, k := instantWorld(t)
	k.found = true
	c := w.open()
	if m, err := c.PrepareMachines(t.Context()); err != nil || m.Instant.State != machines.WarmReady {
		t.Fatalf("%+v, %v", m.Instant, err)
	}
	if n, _, _, _ := k.all()[0].counts(); n != 1 || k.all()[0].State().Found {
		t.Errorf("looked at %d times", n)
	}
}

// Everything that a restored machine runs is checked before, and everything else
// before one boots after all.
func TestRestoredMachinesAreVerified(t *testing.T) {
	w, k := instantWorld(t)
	k.breaks = true
	c := w.openInstant()
	wait := w.listen(c)
	if _, err := c.PrepareMachines(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ahead.Store(int64(time.Hour)) // since the last check of everything
	before := w.verified
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	if w.verifiedRestore != 1 || w.verified != before+1 {
		t.Errorf("checked %d and %d times", w.verifiedRestore, w.verified-before)
	}
	w.set(func() { w.verifyErr = errors.New("flipped") })
	got := wait(w.start(c, execRequestOf("true")).ID, task.StateFailed)
	if n := len(w.all()); n != 1 || got.Error == nil {
		t.Errorf("%d machines, %+v", n, got.Error)
	}
	if _, _, ok := c.Pool.Known(); ok {
		t.Error("a pack that does not verify is still relied on")
	}
}

// A task comes first: what is being made is given up, and made afterwards.
func TestWarmPoolMakesRoom(t *testing.T) {
	w, k := instantWorld(t)
	begun := make(chan struct{}, 10)
	k.onEnsure = func(ctx context.Context) error {
		begun <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	end := w.endless()
	c := w.openInstant()
	wait := w.listen(c)
	if _, err := c.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	<-begun
	w.becomes(c, machines.WarmMaking, "")
	id := w.start(c, execRequestOf("sleep")).ID
	wait(id, task.StateRunning)
	w.becomes(c, machines.WarmPending, machines.WarmTasks)
	if _, _, _, closed := k.all()[0].counts(); closed != 1 {
		t.Error("what was given up goes on")
	}
	select {
	case <-begun:
		t.Error("it is made beside a task")
	default:
	}
	close(end)
	wait(id, task.StateDone)
	<-begun
	// A person who asks for it wants it whatever else is done.
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, f := range k.all() {
		if _, _, _, closed := f.counts(); closed != 1 {
			t.Error("a factory is left")
		}
	}
}

// Nothing is made that would cost more than it is worth; each reason is told, and
// gone when it is.
func TestWarmPoolWaits(t *testing.T) {
	rows := map[machines.WarmReason]struct{ spoil, mend func(*world) }{
		machines.WarmBattery: {func(w *world) { w.power = capacity.Power{Battery: true, Percent: 10} }, func(w *world) { w.power = capacity.Power{} }},
		machines.WarmDisk:    {func(w *world) { w.diskMB = 1000 }, func(w *world) { w.diskMB = 100_000 }},
		machines.WarmMemory:  {func(w *world) { w.host.FreeMB = 100 }, func(w *world) { w.host.FreeMB = 9000 }},
	}
	for reason, r := range rows {
		t.Run(string(reason), func(t *testing.T) {
			w, k := instantWorld(t)
			r.spoil(w)
			c := w.openInstant()
			if _, err := c.Status(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			w.becomes(c, machines.WarmPending, reason)
			if n, _, _, _ := k.all()[0].counts(); n != 0 {
				t.Error("it was made")
			}
			_, err := c.PrepareMachines(t.Context())
			if want := map[machines.WarmReason]string{machines.WarmDisk: problem.CodeDiskFull, machines.WarmMemory: problem.CodeNoRoom}[reason]; codeOf(err) != want {
				t.Errorf("asked for it: %v, want %q", err, want)
			}
			w.set(func() { r.mend(w) })
			c.Pool.Wake()
			w.becomes(c, machines.WarmReady, "")
		})
	}
}

// It is a choice.
func TestWarmPoolOff(t *testing.T) {
	w, k := instantWorld(t)
	c := w.openInstant()
	if _, err := c.PrepareMachines(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err := c.SetMachines(t.Context(), machines.Settings{}); err != nil || m.Settings.Instant {
		t.Errorf("%+v, %v", m, err)
	}
	w.becomes(c, machines.WarmOff, "")
	w.until("the sweep of all", func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.kept[len(w.kept)-1] == nil })
	if _, _, _, closed := k.all()[0].counts(); closed != 1 {
		t.Error("the factory is left")
	}
	wait := w.listen(c)
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	if _, restored, _, _ := k.all()[0].counts(); restored != 0 {
		t.Error("it is used all the same")
	}
	if m, err := c.PrepareMachines(t.Context()); err != nil || m.Instant.State != machines.WarmOff {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := c.SetMachines(t.Context(), machines.Settings{Instant: true}); err != nil {
		t.Fatal(err)
	}
	w.becomes(c, machines.WarmReady, "")
}

// What cannot be is said once, hinders nothing, and is tried again when a person
// looks again.
func TestWarmPoolFails(t *testing.T) {
	w, k := instantWorld(t)
	k.onEnsure = func(context.Context) error { return errors.New("the devices cannot be saved") }
	c := w.openInstant()
	_, err := c.PrepareMachines(t.Context())
	if codeOf(err) != problem.CodeNoInstant {
		t.Errorf("%v", err)
	}
	i := w.becomes(c, machines.WarmFailed, "")
	if i.Problem == nil || i.Problem.Severity != problem.Warning || i.Problem.Details != "the devices cannot be saved" {
		t.Errorf("%+v", i.Problem)
	}
	wait := w.listen(c)
	for range 3 {
		wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	}
	if n, _, _, _ := k.all()[0].counts(); n != 1 || len(k.all()) != 1 {
		t.Errorf("tried %d times", n)
	}
	k.onEnsure = nil
	if _, err := c.Status(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	w.becomes(c, machines.WarmReady, "")
}

// Another pack means another factory; the old one goes, as does what it left.
func TestWarmPoolFollowsThePack(t *testing.T) {
	w, k := instantWorld(t)
	c := w.openInstant()
	if _, err := c.PrepareMachines(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.set(func() { w.version = "1.0.0" })
	if _, err := c.InstallPack(t.Context(), anyFile(t), nil); err != nil { // it is in use now
		t.Fatal(err)
	}
	w.until("a new factory", func() bool { all := k.all(); return len(all) == 2 && all[1].State().Ready })
	if _, _, _, closed := k.all()[0].counts(); closed != 1 {
		t.Error("the old factory is left")
	}
	if s := k.all()[1].spec; s.PackVersion != "1.0.0" {
		t.Errorf("%+v", s)
	}
	w.until("the sweep", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.kept[len(w.kept)-1] == machines.Factory(k.all()[1])
	})
	// And so do other settings.
	if _, err := c.SetMachines(t.Context(), machines.Settings{MemoryMB: 700, Instant: true}); err != nil {
		t.Fatal(err)
	}
	w.until("a third", func() bool { all := k.all(); return len(all) == 3 && all[2].spec.MemoryMB == 700 })
}

// Where nothing can be restored one machine waits: in bounds, and not for ever.
func TestWarmPoolSpare(t *testing.T) {
	w, k := instantWorld(t)
	k.mode = machines.WarmSpare
	c := w.openInstant()
	wait := w.listen(c)
	if _, err := c.PrepareMachines(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := k.all()[0]
	if i := c.Pool.State(); i.Mode != machines.WarmSpare {
		t.Errorf("%+v", i)
	}
	// It is somebody's, and another one is made after that.
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	w.until("the next", func() bool { n, _, _, _ := f.counts(); return n == 2 && f.State().Ready })
	if w.verifiedRestore != 0 {
		t.Error("what was booted is taken for restored")
	}
	// Somebody needs the memory.
	w.set(func() { w.host.FreeMB = 500 })
	id := w.start(c, execRequestOf("true")).ID
	w.until("its end", func() bool { _, _, released, _ := f.counts(); return released == 1 })
	w.set(func() { w.host.FreeMB = 9000 })
	c.Queue.Reconsider()
	wait(id, task.StateDone)
	w.until("the next but one", func() bool { return f.State().Ready })
	// Nobody needs it: an idle program holds no machine.
	w.ahead.Store(int64(time.Hour))
	c.Pool.Wake()
	w.becomes(c, machines.WarmPending, machines.WarmUnused)
	if f.State().Ready {
		t.Error("it waits on")
	}
	wait(w.start(c, execRequestOf("true")).ID, task.StateDone)
	w.becomes(c, machines.WarmReady, "")
}

// A controller that closes while something is made does not wait for it.
func TestCloseWhileWarmPoolIsMade(t *testing.T) {
	w, k := instantWorld(t)
	begun := make(chan struct{})
	k.onEnsure = func(ctx context.Context) error { close(begun); <-ctx.Done(); return context.Cause(ctx) } // once
	c := w.openInstant()
	asked := make(chan error)
	go func() {
		_, err := c.PrepareMachines(context.Background())
		asked <- err
	}()
	<-begun
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; codeOf(err) != problem.CodeShuttingDown {
		t.Error(err)
	}
	if left, err := os.ReadDir(c.runs.Base); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", left, err)
	}
}

// A computer that cannot work has nothing to make ready.
func TestPrepareBeforeSetup(t *testing.T) {
	w, k := instantWorld(t)
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
	c := w.openInstant()
	if _, err := c.PrepareMachines(t.Context()); codeOf(err) != problem.CodeAccelUnavailable || len(k.all()) != 0 {
		t.Errorf("%v, %d factories", err, len(k.all()))
	}
	if rep, err := c.SetSlowMode(t.Context(), health.SlowMode{On: true}); err != nil || rep.Accel.ChosenBy != setup.BySettings {
		t.Fatalf("%+v, %v", rep, err)
	}
	w.becomes(c, machines.WarmReady, "")
	if a := k.all()[0].spec.Accel; a != qemu.AccelTCG {
		t.Errorf("made with %s", a)
	}
}

// While a person reads a plan a machine waits for the answer: checked before it
// runs, used by the task, and ended when the answer does not come.
func TestWarmPoolExpects(t *testing.T) {
	w, k := instantWorld(t)
	c := w.openInstant()
	wait := w.listen(c)
	if _, err := c.PrepareMachines(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := k.all()[0]
	dir := w.pictures("1.png")
	plan := func() string {
		t.Helper()
		id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}}).ID
		wait(id, task.StateWaiting)
		w.until("a machine that waits", func() bool { return f.State().Waits })
		return id
	}
	id := plan()
	if w.verifiedRestore < 2 { // the machine that planned, and the one that waits
		t.Errorf("checked %d times", w.verifiedRestore)
	}
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateDone)
	f.mu.Lock()
	expects, taken := f.expects, f.taken
	f.mu.Unlock()
	if expects != 1 || taken != 1 {
		t.Errorf("%d machines waited, %d were used", expects, taken)
	}

	id = plan()
	w.ahead.Store(int64(machines.WarmExpect))
	c.Pool.Wake()
	w.until("its end", func() bool { return !f.State().Waits })
	if !f.State().Ready {
		t.Error("the template is gone with it")
	}
	if _, err := c.CancelTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// A machine that is to wait needs room beside those that work.
func TestWarmPoolCountsWhatRuns(t *testing.T) {
	w, _ := instantWorld(t)
	c := w.openInstant()
	size := c.DefaultSize()
	if why := c.Pool.Room(t.Context(), size); why != "" {
		t.Fatalf("without a task: %s", why)
	}
	for i := 0; ; i++ {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		mine := c.Queue.Request(string(rune('a'+i)), size)
		defer mine.Release()
		err := mine.Wait(ctx, func(capacity.Verdict) {})
		cancel()
		if err != nil {
			mine.Release()
			break // the computer is full
		}
	}
	if why := c.Pool.Room(t.Context(), size); why != machines.WarmMemory {
		t.Errorf("with as many as fit: %q", why)
	}
}
