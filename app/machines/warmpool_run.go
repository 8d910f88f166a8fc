package machines

import (
	"context"
	"errors"
	"time"

	"piwork/app/capacity"
	"piwork/app/problem"
)

// run decides what is done, whenever something changed, until the controller
// closes.
func (in *WarmPool) run(ctx context.Context) {
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
		in.mu.Lock()
		passed := in.passed // who asks from here on waits for the next look
		in.passed = make(chan struct{})
		in.mu.Unlock()
		shown, again := in.decide(ctx)
		if shown.State == WarmMaking {
			in.show(shown)
			shown, again = in.ensure(ctx)
		}
		if shown.State == WarmReady { // who waits for that finds both done
			in.proveShare(ctx)
		}
		if ctx.Err() == nil {
			in.show(shown)
		}
		close(passed)
		timer.Stop()
		if again > 0 {
			timer.Reset(again)
		}
	}
}

// tidy closes factories that are of no use any more.
func (in *WarmPool) tidy() {
	in.mu.Lock()
	old := in.old
	in.old = nil
	in.mu.Unlock()
	for _, f := range old {
		if err := f.Close(); err != nil {
			in.f.o.Log.Warn("a factory of machines did not end well", "error", err)
		}
	}
}

// decide says how things stand, and when to look again where nobody would tell;
// InstantMaking is to make it now.
func (in *WarmPool) decide(ctx context.Context) (WarmStart, time.Duration) {
	pending := func(why WarmReason, again time.Duration) (WarmStart, time.Duration) {
		return WarmStart{State: WarmPending, Reason: why}, again
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
		return WarmStart{State: WarmOff}, 0
	}
	in.mu.Lock()
	b, lost := in.basis, in.lost
	in.lost = false
	in.mu.Unlock()
	working := in.f.o.Working()
	if b == nil {
		if lost && !working { // then it is looked at, which tells SetBasis
			if _, err := in.f.o.Status(ctx); err != nil && ctx.Err() == nil {
				in.f.o.Log.Warn("it could not be found out what tasks run on", "error", err)
			}
		} else if lost {
			in.mu.Lock()
			in.lost = in.basis == nil // once the tasks are over
			in.mu.Unlock()
		}
		return pending(WarmSetup, 0)
	}
	key := b.key(in.f.DefaultSize())
	in.mu.Lock()
	f, broken := in.get(key), in.broken
	stale := in.swept != f
	evictable, asked := in.evictable, in.asked > 0
	in.evictable = false
	idle, settle := in.f.o.Now().Round(0).Sub(in.used), in.f.o.Settle()
	in.mu.Unlock()
	if f == nil && broken == nil { // something changed just now: there is another look to come
		return pending(WarmSoon, 0)
	}
	if f == nil {
		return WarmStart{State: WarmFailed, Problem: warmProblem(broken)}, 0
	}
	in.tidy()
	if stale && !working {
		in.sweep(ctx, f)
	}
	s := f.State()
	unused := s.Mode == WarmSpare && idle >= warmUnused
	if s.Ready && s.Mode == WarmSpare && (evictable || unused) || s.Waits && s.Restores() && (evictable || idle >= WarmExpect) {
		f.Release()
		s = f.State()
	}
	if s.Found && (asked || !working && idle >= settle) {
		if err := f.Ensure(ctx); err != nil {
			in.f.o.Log.Warn("what was saved of a machine could not be looked at", "error", err)
		}
		s = f.State()
	}
	switch {
	case s.Found && working:
		return WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes}, 0
	case s.Found:
		return WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes}, max(settle-idle, time.Second)
	case s.Ready && s.Mode == WarmSpare:
		return WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes}, max(warmUnused-idle, time.Second)
	case s.Ready && s.Waits:
		return WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes}, max(WarmExpect-idle, time.Second)
	case s.Ready:
		return WarmStart{State: WarmReady, Mode: s.Mode, Bytes: s.Bytes}, 0
	case s.Err != nil:
		return WarmStart{State: WarmFailed, Mode: s.Mode, Problem: warmProblem(s.Err)}, 0
	case working:
		return pending(WarmTasks, 0)
	}
	if !asked {
		switch {
		case unused:
			return pending(WarmUnused, 0)
		case idle < settle:
			return pending(WarmSoon, settle-idle)
		case in.f.o.Power(ctx).Low():
			return pending(WarmBattery, warmAgain)
		}
	}
	if why := in.Room(ctx, key.size); why != "" {
		return pending(why, warmAgain)
	}
	return WarmStart{State: WarmMaking, Mode: s.Mode}, 0
}

// Room says what this computer has too little of for one more machine, beside
// those that tasks have, and what is saved of it, "" when it has enough.
func (in *WarmPool) Room(ctx context.Context, size capacity.Size) WarmReason {
	host, err := in.f.o.Host(ctx)
	if err != nil {
		return WarmMemory
	}
	if n, _ := capacity.Admit(host, in.f.o.Choice.Get().choice(), in.f.Queue.running(), []capacity.Size{size}); n == 0 {
		return WarmMemory
	}
	free, err := in.f.o.DiskFree(ctx, in.f.o.CacheDir)
	if err != nil || free < size.MemoryMB+warmDiskMB {
		return WarmDisk
	}
	return ""
}

// ensure makes it, unless a task begins meanwhile: then it is made another time.
func (in *WarmPool) ensure(ctx context.Context) (WarmStart, time.Duration) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	key := factoryKey{}
	in.mu.Lock()
	b, f := in.basis, in.made
	if b != nil {
		key = b.key(in.f.DefaultSize())
	}
	asked := in.asked > 0
	if b == nil || f == nil || in.of != key {
		in.mu.Unlock()
		in.Wake()
		return WarmStart{State: WarmPending, Reason: WarmSoon}, 0
	}
	in.stop = func() { cancel(errHalted) }
	in.mu.Unlock()
	if in.f.o.Working() && !asked { // it began before it could be told
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
		in.Wake() // decide says the rest
		return WarmStart{State: WarmPending, Reason: WarmSoon}, 0
	}
	in.f.o.Log.Error("machines of this runtime could not be made ready in advance", "error", err)
	in.f.o.Damaged(b.machine, err)
	// Unless the factory remembers it, it is tried again when something changes.
	return WarmStart{State: WarmFailed, Mode: f.State().Mode, Problem: warmProblem(err)}, warmAgain
}

// make has the factory work, on a pack that stays where it is meanwhile.
func (in *WarmPool) make(ctx context.Context, b *basis, f Factory) (err error) {
	if b.machine.Pack.Lease != nil {
		release, err := b.machine.Pack.Lease(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	return f.Ensure(ctx)
}

// proveShare finds out whether folders can be a device of machines, unless a task
// begins meanwhile.
func (in *WarmPool) proveShare(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in.mu.Lock()
	b, f, k := in.basis, in.made, in.of
	if b == nil || f == nil || k != b.key(k.size) || !in.f.Share.wanted(k) {
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
	if in.f.o.Working() || in.Room(ctx, k.size) != "" {
		return
	}
	if s := f.State(); !s.Restores() || s.Found || s.Waits {
		return
	}
	if b.machine.Pack.Lease != nil {
		release, err := b.machine.Pack.Lease(ctx)
		if err != nil {
			return
		}
		defer release()
	}
	in.f.Share.prove(ctx, b, k, f)
}

// sweep removes what other factories left on the disk.
func (in *WarmPool) sweep(ctx context.Context, keep Factory) {
	in.mu.Lock()
	in.swept = keep
	in.mu.Unlock()
	if in.f.o.Sweep == nil {
		return
	}
	if err := in.f.o.Sweep(ctx, keep); err != nil && !errors.Is(err, context.Canceled) {
		in.f.o.Log.Warn("what is of no use to machines any more could not be cleared", "error", err)
	}
}

// warmProblem says why machines are not there at once. Nothing stops for it.
func warmProblem(err error) *problem.Problem {
	switch p := problem.From(err); p.Code {
	case problem.CodeDiskFull, problem.CodePackCorrupt, problem.CodeNoInstant:
		return p
	default:
		return problem.New(problem.CodeNoInstant).Because(err).By(p.Cause)
	}
}
