package machines

import (
	"context"
	"errors"
	"sync"
	"time"

	"piwork/app/capacity"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// When what lets machines be there at once is made.
const (
	WarmSettle = 2 * time.Second  // without a task at work, before it begins
	warmUnused = 15 * time.Minute // without a task, before a waiting machine is ended
	WarmExpect = 5 * time.Minute  // likewise, where one can be restored instead
	warmAgain  = 2 * time.Minute  // until memory, disk or battery are looked at again
	warmDiskMB = 4 << 10          // that are to be left on the disk, besides the machine's memory
)

// WarmPool sees to it that machines are there at once: it has the factory for what
// tasks run on now, and has it work when nobody needs the computer for something
// else. One goroutine (run) decides; the others only tell it what changed.
//
// Nothing waits for it: without a factory, or when that is not ready, a machine
// starts the ordinary way.
type WarmPool struct {
	f    *Fleet
	poke chan struct{} // holds one: look again

	mu        sync.Mutex
	basis     *basis // what tasks run on, nil while that is not known
	lost      bool   // it was known, and something changed
	made      Factory
	of        factoryKey         // of made
	broken    error              // why there is no factory of that kind
	old       []Factory          // to be closed
	swept     Factory            // what the disk was swept for last
	clean     bool               // it was swept for none
	stop      context.CancelFunc // of an ensure that runs
	asked     int                // persons that asked for it, now, and wait
	evictable bool               // a waiting machine is in the way
	used      time.Time          // by the wall clock
	shown     WarmStart
	passed    chan struct{} // closed when the next look of run is over
}

// basis is what tasks run on now.
type basis struct {
	report  setup.Report
	machine setup.Machine
}

// factoryKey tells machines apart that one factory cannot make.
type factoryKey struct {
	image, version string
	accel          qemu.Accel
	cpu            string
	size           capacity.Size
	noOther        bool // folders are virtio-fs or nothing
}

func (b *basis) key(size capacity.Size) factoryKey {
	m := b.machine
	return factoryKey{image: m.Pack.Image.ID, version: m.Pack.State.Version, accel: m.Proof.Accel, cpu: m.Proof.CPU, size: size, noOther: m.Pack.Image.Limits.No9PDevice}
}

// keyOf tells what factory could make a machine.
func keyOf(c vm.Config) factoryKey {
	return factoryKey{image: c.Image.ID, version: c.PackVersion, accel: c.Accel, cpu: c.CPU, size: capacity.Size{MemoryMB: c.MemoryMB, CPUs: c.CPUs}, noOther: c.Image.Limits.No9PDevice}
}

func newWarmPool(f *Fleet) *WarmPool {
	return &WarmPool{
		f: f, poke: make(chan struct{}, 1), used: f.o.Now().Round(0),
		shown: WarmStart{State: WarmPending, Reason: WarmSetup}, passed: make(chan struct{}),
	}
}

// Wake has run look again.
func (in *WarmPool) Wake() {
	select {
	case in.poke <- struct{}{}:
	default:
	}
}

// State says how things stand.
func (in *WarmPool) State() WarmStart {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.shown
}

// SetBasis is told what tasks run on, whenever that was looked at; a report that is
// not ready says that they cannot. What an earlier run of the program left is
// known at once.
func (in *WarmPool) SetBasis(rep setup.Report, m setup.Machine) {
	in.mu.Lock()
	in.basis, in.lost = nil, false
	var found Factory
	if rep.Ready {
		in.basis = &basis{report: rep, machine: m}
		found = in.get(in.basis.key(in.f.DefaultSize()))
	}
	in.mu.Unlock()
	if found != nil {
		if s := found.State(); s.Ready {
			in.show(WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes})
		}
	}
	in.Wake()
}

// Retry has what failed tried again.
func (in *WarmPool) Retry() {
	in.f.Share.Again()
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.shown.State == WarmFailed {
		in.broken = nil
		in.drop()
	}
}

// Invalidate is told that what tasks run on may be something else now.
func (in *WarmPool) Invalidate() {
	in.mu.Lock()
	in.lost = in.lost || in.basis != nil
	in.basis = nil
	in.halt()
	in.mu.Unlock()
	in.Wake()
}

// TaskStarted makes room for a task: making something ready can wait.
func (in *WarmPool) TaskStarted() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.used = in.f.o.Now().Round(0)
	in.halt()
	in.Wake()
}

// TaskResting is told that a task ended, or waits for a person.
func (in *WarmPool) TaskResting() {
	in.mu.Lock()
	in.used = in.f.o.Now().Round(0)
	in.mu.Unlock()
	in.Wake()
}

// Expect has a machine wait for a task that will start when its person says so:
// the answer to that click is to be there at once. Nothing depends on it.
func (in *WarmPool) Expect() {
	in.mu.Lock()
	b := in.basis
	var f Factory
	if b != nil {
		f = in.get(b.key(in.f.DefaultSize()))
	}
	in.mu.Unlock()
	if f == nil || !f.State().Restores() {
		return
	}
	in.f.work.Go(func() {
		err := in.f.o.Reverify(in.f.life, b.machine, true)
		if err == nil && in.Room(in.f.life, in.f.DefaultSize()) == "" {
			err = f.Expect(in.f.life)
		}
		if err != nil && in.f.life.Err() == nil {
			in.f.o.Log.Warn("no machine waits for a task that is expected", "error", err)
		}
		in.Wake()
	})
}

// evict has a machine end that waits to be used. It returns at once.
func (in *WarmPool) evict() {
	in.mu.Lock()
	in.evictable = true
	in.mu.Unlock()
	in.Wake()
}

// halt ends an ensure that runs. in.mu is held.
func (in *WarmPool) halt() {
	if in.stop != nil && in.asked == 0 {
		in.stop()
	}
}

// Known is what tasks run on, where a machine of it can be restored: then nothing
// that happened since it was looked at makes another look necessary, and nothing of
// the pack is run but QEMU.
func (in *WarmPool) Known() (setup.Report, setup.Machine, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.basis == nil {
		return setup.Report{}, setup.Machine{}, false
	}
	f := in.get(in.basis.key(in.f.DefaultSize()))
	if f == nil || !f.State().Restores() {
		return setup.Report{}, setup.Machine{}, false
	}
	return in.basis.report, in.basis.machine, true
}

// Restores reports whether a machine would be restored.
func (in *WarmPool) Restores(s vm.Config) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	f := in.get(keyOf(s))
	return f != nil && f.State().Restores()
}

// machine makes a machine of a task, in the best way that there is.
func (in *WarmPool) machine(s vm.Config) (vmhost.Runtime, error) {
	in.mu.Lock()
	f := in.get(keyOf(s))
	in.mu.Unlock()
	if f == nil {
		return in.f.o.Machine(s)
	}
	return f.Make(s)
}

// get returns the factory for machines of this kind, and makes it where that is
// what tasks run on now. in.mu is held.
func (in *WarmPool) get(k factoryKey) Factory {
	if in.of == k && (in.made != nil || in.broken != nil) {
		return in.made
	}
	if in.off() || in.basis == nil || in.basis.key(in.f.DefaultSize()) != k {
		return nil
	}
	in.drop()
	machine := in.basis.machine
	image := machine.Pack.Image
	image.AddOns = nil
	f, err := in.f.o.Factory(vm.FactoryOptions{
		Hardware: vm.Hardware{
			Image: image, Accel: machine.Proof.Accel, CPU: machine.Proof.CPU, BootTime: machine.Proof.Ready,
			MemoryMB: k.size.MemoryMB, CPUs: k.size.CPUs, PackVersion: k.version, AppVersion: in.f.o.Version,
		},
		Log:    in.f.o.Log,
		RunDir: in.f.o.RunDirs.New, OnState: func(vm.FactoryState) { in.Wake() },
		ForDevice:  func() bool { return in.f.Share.stands(k).Kind == ShareVirtioFS },
		BeforeBoot: func(ctx context.Context) error { return in.f.o.Reverify(ctx, machine, false) },
	})
	in.of, in.broken = k, err
	if err != nil {
		in.f.o.Log.Error("machines of this runtime cannot be made in advance", "error", err)
		return nil
	}
	in.made, in.clean = f, false
	return f
}

// drop has the factory closed. in.mu is held.
func (in *WarmPool) drop() {
	if in.made != nil {
		in.halt()
		in.old = append(in.old, in.made)
		in.made = nil
		in.Wake()
	}
}

// off reports whether nobody wants it.
func (in *WarmPool) off() bool {
	return in.f.o.Factory == nil || !in.f.o.Choice.Get().Instant
}

// prepare has it made ready now, and waits for that. Whoever changes something wakes run, but
// for a task that begins to wait for a person: therefore the ticks.
func (in *WarmPool) prepare(ctx context.Context) error {
	in.mu.Lock()
	in.asked++
	passed := in.passed
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		in.asked--
		in.mu.Unlock()
	}()
	in.Wake()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-passed:
		case <-tick.C:
			in.Wake()
			continue
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-in.f.life.Done():
			return problem.New(problem.CodeShuttingDown)
		}
		in.mu.Lock()
		s := in.shown
		passed = in.passed
		in.mu.Unlock()
		switch {
		case s.State == WarmReady, s.State == WarmOff:
			return nil
		case s.State == WarmFailed:
			return s.Problem
		case s.Reason == WarmDisk:
			return problem.New(problem.CodeDiskFull)
		case s.Reason == WarmMemory:
			return problem.New(problem.CodeNoRoom).By("now")
		case s.Reason == WarmSetup:
			if err := in.f.usable(ctx); err != nil {
				return err
			}
		}
	}
}

// stands says how folders reach machines of a size.
func (in *WarmPool) stands(size capacity.Size) Share {
	in.mu.Lock()
	b := in.basis
	in.mu.Unlock()
	if b == nil {
		return in.f.Share.stands(factoryKey{})
	}
	return in.f.Share.stands(b.key(size))
}

// show says how things stand, to everybody when that is news.
func (in *WarmPool) show(s WarmStart) {
	in.mu.Lock()
	same := in.shown.State == s.State && in.shown.Reason == s.Reason && in.shown.Mode == s.Mode && in.shown.Bytes == s.Bytes
	in.shown = s
	in.mu.Unlock()
	if !same {
		in.f.tell()
	}
}

// errHalted is the cause of the end of an ensure that makes room for a task.
var errHalted = errors.New("a task needs the computer")
