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
			in.mu.Lock()
			in.drop()
			in.mu.Unlock()
			in.tidy()
			return
		case <-in.poke:
		case <-timer.C:
		}
		in.tidy()
		shown, again := in.decide(ctx)
		if shown.State == InstantMaking {
			in.show(shown)
			shown, again = in.ensure(ctx)
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
		in.mu.Unlock()
		in.tidy()
		in.sweep(nil)
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
	fresh := in.made == nil || in.of != key
	f, broken := in.get(key), in.broken
	shed, asked := in.shed, in.asked
	in.shed = false
	idle := in.c.now().Round(0).Sub(in.used)
	in.mu.Unlock()
	if f == nil && broken == nil { // something changed just now: there is another look to come
		return pending(InstantSoon, 0)
	}
	if f == nil {
		return Instant{State: InstantFailed, Problem: problem.From(broken)}, 0
	}
	in.tidy()
	if fresh && !working {
		in.sweep(f)
	}
	s := f.state()
	spare := s.ready && s.mode == InstantSpare
	if spare && (shed || idle >= instantUnused) {
		in.mu.Lock()
		in.unused = !shed
		in.mu.Unlock()
		f.release()
		s = f.state()
	}
	in.mu.Lock()
	unused := in.unused
	in.mu.Unlock()
	switch {
	case s.ready && s.mode == InstantSpare:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, max(instantUnused-idle, time.Second)
	case s.ready:
		return Instant{State: InstantReady, Mode: s.mode, Bytes: s.bytes}, 0
	case s.err != nil:
		return Instant{State: InstantFailed, Mode: s.mode, Problem: problem.From(s.err)}, 0
	case working:
		return pending(InstantTasks, 0)
	}
	if !asked {
		switch {
		case unused:
			return pending(InstantUnused, 0)
		case idle < in.settle:
			return pending(InstantSoon, in.settle-idle)
		case in.c.s.power(ctx).Low():
			return pending(InstantBattery, instantAgain)
		}
	}
	if why := in.room(ctx, key.size); why != "" {
		return pending(why, instantAgain)
	}
	return Instant{State: InstantMaking, Mode: s.mode}, 0
}

// room says what this computer has too little of for one more machine and what is
// saved of it, "" when it has enough.
func (in *instant) room(ctx context.Context, size capacity.Size) InstantReason {
	host, err := in.c.s.host(ctx)
	if err != nil {
		return InstantMemory
	}
	if n, _ := capacity.Admit(host, in.c.config.get().Machines.Choice, nil, []capacity.Size{size}); n == 0 {
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
	in.mu.Unlock()
	if err == nil || ctx.Err() != nil {
		in.look() // decide says the rest
		return Instant{State: InstantPending, Reason: InstantSoon}, 0
	}
	in.c.log.Error("machines of this runtime could not be made ready in advance", "error", err)
	in.c.damaged(b.machine, err)
	// Unless the factory remembers it, it is tried again when something changes.
	return Instant{State: InstantFailed, Mode: f.state().mode, Problem: problem.From(err)}, instantAgain
}

// make has the factory work, on a pack that is what was signed and stays.
func (in *instant) make(ctx context.Context, b *basis, f factory) (err error) {
	if b.machine.Pack.Lease != nil {
		release, err := b.machine.Pack.Lease(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	if err := b.machine.Reverify(ctx, in.c.now().Round(0)); err != nil {
		in.c.packChanged()
		return err
	}
	return f.ensure(ctx)
}

// sweep removes what other factories left on the disk.
func (in *instant) sweep(keep factory) {
	if in.c.s.sweepFactories == nil {
		return
	}
	if err := in.c.s.sweepFactories(keep); err != nil && !errors.Is(err, context.Canceled) {
		in.c.log.Warn("what is of no use to machines any more could not be cleared", "error", err)
	}
}
