package app

import (
	"context"
	"errors"
	"time"

	"piwork/app/capacity"
	"piwork/app/problem"
)

// run decides what is done, whenever something changed, until the controller
// closes.
func (in *instant) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-in.poke:
		case <-timer.C:
		}
		if ctx.Err() != nil {
			in.mu.Lock()
			in.drop()
			in.mu.Unlock()
		}
		in.tidy()
		if ctx.Err() != nil {
			return
		}
		shown, again := in.decide(ctx)
		if shown.State == InstantMaking {
			in.show(shown)
			shown, again = in.ensure(ctx)
		}
		if shown.State == InstantReady { // who waits for that finds both done
			in.proveShare(ctx)
		}
		if ctx.Err() == nil {
			in.show(shown)
		}
		in.pass()
		timer.Stop()
		if again > 0 {
			timer.Reset(again)
		}
	}
}

// tidy closes factories that are of no use any more.
func (in *instant) tidy() {
	in.mu.Lock()
	old := in.old
	in.old = nil
	in.mu.Unlock()
	for _, f := range old {
		if err := f.close(); err != nil {
			in.c.log.Warn("a factory of machines did not end well", "error", err)
		}
	}
}

// decide says how things stand, and when to look again where nobody would tell;
// InstantMaking is to make it now.
func (in *instant) decide(ctx context.Context) (Instant, time.Duration) {
	pending := func(why InstantReason, again time.Duration) (Instant, time.Duration) {
		return Instant{State: InstantPending, Reason: why}, again
	}
	if in.off() {
		in.mu.Lock()
		in.drop()
		stale := in.swept != nil || !in.clean
		in.clean = true
		in.mu.Unlock()
		in.tidy()
		if stale {
			in.sweep(ctx, nil)
		}
		return Instant{State: InstantOff}, 0
	}
	in.mu.Lock()
	b, lost := in.basis, in.lost
	in.lost = false
	in.mu.Unlock()
	working := in.c.working()
	if b == nil {
		if lost && !working { // then it is looked at, which tells runsOn
			if _, err := in.c.Status(ctx, false); err != nil && ctx.Err() == nil {
				in.c.log.Warn("it could not be found out what tasks run on", "error", err)
			}
		} else if lost {
			in.mu.Lock()
			in.lost = in.basis == nil // once the tasks are over
			in.mu.Unlock()
		}
		return pending(InstantSetup, 0)
	}
	key := b.key(in.c.machineSize())
	in.mu.Lock()
	f, broken := in.get(key), in.broken
	stale := in.swept != f
	shed, asked := in.shed, in.asked
	in.shed = false
	idle, settle := in.c.now().Round(0).Sub(in.used), in.settle
	in.mu.Unlock()
	if f == nil && broken == nil { // something changed just now: there is another look to come
		return pending(InstantSoon, 0)
	}
	if f == nil {
		return Instant{State: InstantFailed, Problem: instantProblem(broken)}, 0
	}
	in.tidy()
	if stale && !working {
		in.sweep(ctx, f)
	}
	s := f.state()
	unused := s.mode == InstantSpare && idle >= instantUnused
	if s.ready && s.mode == InstantSpare && (shed || unused) || s.waits && s.restores() && (shed || idle >= instantExpect) {
		f.release()
		s = f.state()
	}
	if s.found && !working && idle >= settle {
		if err := f.ensure(ctx); err != nil {
			in.c.log.Warn("what was saved of a machine could not be looked at", "error", err)
		}
		s = f.state()
	}
	switch {
	case s.found && working:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, 0
	case s.found:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, max(settle-idle, time.Second)
	case s.ready && s.mode == InstantSpare:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, max(instantUnused-idle, time.Second)
	case s.ready && s.waits:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, max(instantExpect-idle, time.Second)
	case s.ready:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, 0
	case s.err != nil:
		return Instant{State: InstantFailed, Mode: s.mode, Problem: instantProblem(s.err)}, 0
	case working:
		return pending(InstantTasks, 0)
	}
	if !asked {
		switch {
		case unused:
			return pending(InstantUnused, 0)
		case idle < settle:
			return pending(InstantSoon, settle-idle)
		case in.c.s.power(ctx).Low():
			return pending(InstantBattery, instantAgain)
		}
	}
	if why := in.room(ctx, key.size); why != "" {
		return pending(why, instantAgain)
	}
	return Instant{State: InstantMaking, Mode: s.mode}, 0
}

// room says what this computer has too little of for one more machine, beside
// those that tasks have, and what is saved of it, "" when it has enough.
func (in *instant) room(ctx context.Context, size capacity.Size) InstantReason {
	host, err := in.c.s.host(ctx)
	if err != nil {
		return InstantMemory
	}
	if n, _ := capacity.Admit(host, in.c.config.Get().Machines.choice(), in.c.places.running(), []capacity.Size{size}); n == 0 {
		return InstantMemory
	}
	free, err := in.c.s.diskFree(ctx, in.c.o.CacheDir)
	if err != nil || free < size.MemoryMB+instantDiskMB {
		return InstantDisk
	}
	return ""
}

// ensure makes it, unless a task begins meanwhile: then it is made another time.
func (in *instant) ensure(ctx context.Context) (Instant, time.Duration) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	key := factoryKey{}
	in.mu.Lock()
	b, f := in.basis, in.made
	if b != nil {
		key = b.key(in.c.machineSize())
	}
	asked := in.asked
	if b == nil || f == nil || in.of != key {
		in.mu.Unlock()
		in.look()
		return Instant{State: InstantPending, Reason: InstantSoon}, 0
	}
	in.stop = func() { cancel(errHalted) }
	in.mu.Unlock()
	if in.c.working() && !asked { // it began before it could be told
		cancel(errHalted)
	}
	err := in.make(ctx, b, f)
	in.mu.Lock()
	in.stop = nil
	if ctx.Err() != nil && in.made == f { // its work goes on until it is closed
		in.drop()
	}
	in.mu.Unlock()
	if err == nil || ctx.Err() != nil {
		in.look() // decide says the rest
		return Instant{State: InstantPending, Reason: InstantSoon}, 0
	}
	in.c.log.Error("machines of this runtime could not be made ready in advance", "error", err)
	in.c.damaged(b.machine, err)
	// Unless the factory remembers it, it is tried again when something changes.
	return Instant{State: InstantFailed, Mode: f.state().mode, Problem: instantProblem(err)}, instantAgain
}

// make has the factory work, on a pack that stays where it is meanwhile.
func (in *instant) make(ctx context.Context, b *basis, f factory) (err error) {
	if b.machine.Pack.Lease != nil {
		release, err := b.machine.Pack.Lease(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	return f.ensure(ctx)
}

// proveShare finds out whether folders can be a device of machines, unless a task
// begins meanwhile.
func (in *instant) proveShare(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in.mu.Lock()
	b, f, k := in.basis, in.made, in.of
	if b == nil || f == nil || k != b.key(k.size) || !in.share.wanted(k) {
		in.mu.Unlock()
		return
	}
	in.stop = func() { cancel(errHalted) }
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		in.stop = nil
		in.mu.Unlock()
	}()
	if in.c.working() || in.room(ctx, k.size) != "" {
		return
	}
	if s := f.state(); !s.restores() || s.found || s.waits {
		return
	}
	if b.machine.Pack.Lease != nil {
		release, err := b.machine.Pack.Lease(ctx)
		if err != nil {
			return
		}
		defer release()
	}
	in.share.prove(ctx, b, k, f)
}

// sweep removes what other factories left on the disk.
func (in *instant) sweep(ctx context.Context, keep factory) {
	in.mu.Lock()
	in.swept = keep
	in.mu.Unlock()
	if in.c.s.sweepFactories == nil {
		return
	}
	if err := in.c.s.sweepFactories(ctx, keep); err != nil && !errors.Is(err, context.Canceled) {
		in.c.log.Warn("what is of no use to machines any more could not be cleared", "error", err)
	}
}

// instantProblem says why machines are not there at once. Nothing stops for it.
func instantProblem(err error) *problem.Problem {
	switch p := problem.From(err); p.Code {
	case problem.CodeDiskFull, problem.CodePackCorrupt, problem.CodeNoInstant:
		return p
	default:
		return problem.New(problem.CodeNoInstant).Because(err)
	}
}
