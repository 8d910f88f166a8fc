package app

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
	instantSettle = 2 * time.Second  // without a task at work, before it begins
	instantUnused = 15 * time.Minute // without a task, before a waiting machine is ended
	instantExpect = 5 * time.Minute  // likewise, where one can be restored instead
	instantAgain  = 2 * time.Minute  // until memory, disk or battery are looked at again
	instantDiskMB = 4 << 10          // that are to be left on the disk, besides the machine's memory
)

// instant sees to it that machines are there at once: it has the factory for what
// tasks run on now, and has it work when nobody needs the computer for something
// else. One goroutine (run) decides; the others only tell it what changed.
//
// Nothing waits for it: without a factory, or when that is not ready, a machine
// starts the ordinary way.
type instant struct {
	c     *Controller
	share *fastShare
	poke  chan struct{} // holds one: look again

	mu     sync.Mutex
	settle time.Duration // without a task at work, before it begins
	basis  *basis        // what tasks run on, nil while that is not known
	lost   bool          // it was known, and something changed
	made   factory
	of     factoryKey         // of made
	broken error              // why there is no factory of that kind
	old    []factory          // to be closed
	swept  factory            // what the disk was swept for last
	clean  bool               // it was swept for none
	stop   context.CancelFunc // of an ensure that runs
	asked  bool               // a person asked for it: now
	shed   bool               // a waiting machine is in the way
	used   time.Time          // by the wall clock
	shown  Instant
	passed chan struct{} // closed when run has looked again
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
}

func (b *basis) key(size capacity.Size) factoryKey {
	m := b.machine
	return factoryKey{image: m.Pack.Image.ID, version: m.Pack.State.Version, accel: m.Proof.Accel, cpu: m.Proof.CPU, size: size}
}

// keyOf tells what factory could make a machine.
func keyOf(c vm.Config) factoryKey {
	return factoryKey{image: c.Image.ID, version: c.PackVersion, accel: c.Accel, cpu: c.CPU, size: capacity.Size{MemoryMB: c.MemoryMB, CPUs: c.CPUs}}
}

func newInstant(c *Controller) *instant {
	return &instant{
		c: c, share: &fastShare{c: c}, poke: make(chan struct{}, 1), settle: instantSettle, used: c.now().Round(0),
		shown: Instant{State: InstantPending, Reason: InstantSetup}, passed: make(chan struct{}),
	}
}

// look has run look again.
func (in *instant) look() {
	select {
	case in.poke <- struct{}{}:
	default:
	}
}

// now says how things stand.
func (in *instant) now() Instant {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.shown
}

// runsOn is told what tasks run on, whenever that was looked at; a report that is
// not ready says that they cannot. What an earlier run of the program left is
// known at once.
func (in *instant) runsOn(rep setup.Report, m setup.Machine) {
	in.mu.Lock()
	in.basis, in.lost = nil, false
	var found factory
	if rep.Ready {
		in.basis = &basis{report: rep, machine: m}
		found = in.get(in.basis.key(in.c.machineSize()))
	}
	in.mu.Unlock()
	if found != nil {
		if s := found.state(); s.ready {
			in.show(Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes})
		}
	}
	in.look()
}

// retry has what failed tried again.
func (in *instant) retry() {
	in.share.again()
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.shown.State == InstantFailed {
		in.broken = nil
		in.drop()
	}
}

// forget is told that what tasks run on may be something else now.
func (in *instant) forget() {
	in.mu.Lock()
	in.lost = in.lost || in.basis != nil
	in.basis = nil
	in.halt()
	in.mu.Unlock()
	in.look()
}

// taskBegins makes room for a task: making something ready can wait.
func (in *instant) taskBegins() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.used = in.c.now().Round(0)
	in.halt()
	in.look()
}

// taskRests is told that a task ended, or waits for a person.
func (in *instant) taskRests() {
	in.mu.Lock()
	in.used = in.c.now().Round(0)
	in.mu.Unlock()
	in.look()
}

// expect has a machine wait for a task that will start when its person says so:
// the answer to that click is to be there at once. Nothing depends on it.
func (in *instant) expect() {
	in.mu.Lock()
	b := in.basis
	var f factory
	if b != nil {
		f = in.get(b.key(in.c.machineSize()))
	}
	in.mu.Unlock()
	if f == nil || !f.state().restores() {
		return
	}
	in.c.work.Go(func() {
		err := in.c.reverify(in.c.base, b.machine, true)
		if err == nil && in.room(in.c.base, in.c.machineSize()) == "" {
			err = f.expect(in.c.base)
		}
		if err != nil && in.c.base.Err() == nil {
			in.c.log.Warn("no machine waits for a task that is expected", "error", err)
		}
		in.look()
	})
}

// makeRoom has a machine end that waits to be used. It returns at once.
func (in *instant) makeRoom() {
	in.mu.Lock()
	in.shed = true
	in.mu.Unlock()
	in.look()
}

// halt ends an ensure that runs. in.mu is held.
func (in *instant) halt() {
	if in.stop != nil && !in.asked {
		in.stop()
	}
}

// known is what tasks run on, where a machine of it can be restored: then nothing
// that happened since it was looked at makes another look necessary, and nothing of
// the pack is run but QEMU.
func (in *instant) known() (setup.Report, setup.Machine, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.basis == nil {
		return setup.Report{}, setup.Machine{}, false
	}
	f := in.get(in.basis.key(in.c.machineSize()))
	if f == nil || !f.state().restores() {
		return setup.Report{}, setup.Machine{}, false
	}
	return in.basis.report, in.basis.machine, true
}

// restores reports whether a machine would be restored.
func (in *instant) restores(s vm.Config) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	f := in.get(keyOf(s))
	return f != nil && f.state().restores()
}

// machine makes a machine of a task, in the best way that there is.
func (in *instant) machine(s vm.Config) (vmhost.Runtime, error) {
	in.mu.Lock()
	f := in.get(keyOf(s))
	in.mu.Unlock()
	if f == nil {
		return in.c.s.machine(s)
	}
	return f.make(s)
}

// get returns the factory for machines of this kind, and makes it where that is
// what tasks run on now. in.mu is held.
func (in *instant) get(k factoryKey) factory {
	if in.of == k && (in.made != nil || in.broken != nil) {
		return in.made
	}
	if in.off() || in.basis == nil || in.basis.key(in.c.machineSize()) != k {
		return nil
	}
	in.drop()
	machine := in.basis.machine
	image := machine.Pack.Image
	image.AddOns = nil
	f, err := in.c.s.factory(vm.FactoryOptions{
		Image: image, Accel: machine.Proof.Accel, CPU: machine.Proof.CPU, BootTime: machine.Proof.Ready,
		MemoryMB: k.size.MemoryMB, CPUs: k.size.CPUs, PackVersion: k.version,
		RunDir: in.c.runs.task, OnState: func(vm.FactoryState) { in.look() },
		ForDevice:  func() bool { return in.share.stands(k).Kind == ShareVirtioFS },
		BeforeBoot: func(ctx context.Context) error { return in.c.reverify(ctx, machine, false) },
	})
	in.of, in.broken = k, err
	if err != nil {
		in.c.log.Error("machines of this runtime cannot be made in advance", "error", err)
		return nil
	}
	in.made, in.clean = f, false
	return f
}

// drop has the factory closed. in.mu is held.
func (in *instant) drop() {
	if in.made != nil {
		in.halt()
		in.old = append(in.old, in.made)
		in.made = nil
		in.look()
	}
}

// off reports whether nobody wants it.
func (in *instant) off() bool {
	return in.c.s.factory == nil || !in.c.config.Get().Machines.Instant
}

// prepare has it made ready now, and waits for that.
func (in *instant) prepare(ctx context.Context) error {
	defer func() {
		in.mu.Lock()
		in.asked = false
		in.mu.Unlock()
	}()
	for {
		in.mu.Lock()
		in.asked = true
		passed := in.passed
		in.mu.Unlock()
		in.look()
		select {
		case <-passed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-in.c.base.Done():
			return problem.New(problem.CodeShuttingDown)
		}
		switch s := in.now(); {
		case s.State == InstantReady, s.State == InstantOff:
			return nil
		case s.State == InstantFailed:
			return s.Problem
		case s.Reason == InstantDisk:
			return problem.New(problem.CodeDiskFull)
		case s.Reason == InstantMemory:
			p := problem.New(problem.CodeNoRoom)
			p.Cause = "now"
			return p
		}
	}
}

// stands says how folders reach machines of a size.
func (in *instant) stands(size capacity.Size) Share {
	in.mu.Lock()
	b := in.basis
	in.mu.Unlock()
	if b == nil {
		return in.share.stands(factoryKey{})
	}
	return in.share.stands(b.key(size))
}

// show says how things stand, to everybody when that is news.
func (in *instant) show(s Instant) {
	in.mu.Lock()
	same := in.shown.State == s.State && in.shown.Reason == s.Reason && in.shown.Mode == s.Mode && in.shown.Bytes == s.Bytes
	in.shown = s
	in.mu.Unlock()
	if !same {
		in.c.tellMachines()
	}
}

// pass tells those that wait that run has looked again.
func (in *instant) pass() {
	in.mu.Lock()
	defer in.mu.Unlock()
	close(in.passed)
	in.passed = make(chan struct{})
}

// errHalted is the cause of the end of an ensure that makes room for a task.
var errHalted = errors.New("a task needs the computer")
