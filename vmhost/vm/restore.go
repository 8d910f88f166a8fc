package vm

import (
	"context"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// lateClock is how old the time may be that a restored guest was given, before
// it is given a newer one: that of its preparation waits for the guest to run.
const lateClock = 250 * time.Millisecond

// saved is where a saved machine is. Its files are only read.
type saved struct {
	ram, state, disk string
	hello            wire.Hello // the agent's, before it was saved
}

// wants is what makes a machine that is there a task's own.
type wants struct {
	addOns []qemu.Layer
	fs     fileServer // nil without folders
	state  bool       // there is one beside them
	links  links

	// device serves the folders as virtio-fs, nil when they are not to be that; open
	// waits until it can. deviceFailed hears why they are not after all, and tells whether
	// there is another way to try.
	device       func(context.Context, net.Listener) error
	open         func() error
	deviceFailed func(why error) bool
}

// restore starts a machine from a saved one and makes it a task's own. All requests are
// in its port before it runs, so that only one answer is waited for. The agent does not
// say hello again: under emulation, translating that code takes longer than all of this.
func (m *machine) restore(ctx context.Context, from saved, w wants) error {
	return m.restoreWith(ctx, from, w.device != nil, func(ctx context.Context) error {
		return m.become(ctx, w, func(ctx context.Context) error { return m.proc.Restore(ctx, from.state) })
	})
}

// restoreWith starts a machine from a saved one; run has it run and ask. With
// shared, a device can see its memory, which is a copy then: it is made while QEMU
// starts.
func (m *machine) restoreWith(ctx context.Context, from saved, shared bool, run func(context.Context) error) error {
	ctx, cancel := m.atOnce(ctx)
	defer cancel()
	if err := m.makeOverlay(func(path string) error { return qemu.CloneOverlay(path, from.disk) }); err != nil {
		return err
	}
	m.heardHello(from.hello)
	spec := m.spec(true)
	spec.RAM, spec.Incoming = &qemu.RAMFile{Path: from.ram, Private: true}, true
	spec.Image.AddOns = nil
	loaded := func() error { return nil }
	if shared {
		ram, err := m.sharedRAM(&spec)
		if err != nil {
			return err
		}
		var load errgroup.Group
		load.Go(func() error { _, err := ram.Load(from.ram); return err })
		loaded = load.Wait
		defer ram.Close()
		defer load.Wait() //nolint:errcheck // said before, or another error was first
	}
	if err := m.start(ctx, spec); err != nil {
		return err
	}
	if err := loaded(); err != nil {
		return err
	}
	return run(ctx)
}

// wake makes a machine that waited a task's own.
func (m *machine) wake(ctx context.Context, w wants) error {
	ctx, cancel := m.atOnce(ctx)
	defer cancel()
	return m.become(ctx, w, m.resume)
}

// atOnce bounds the time for a machine that is there already.
func (m *machine) atOnce(ctx context.Context) (context.Context, func()) {
	ctx, cancel := m.clock.Timeout(ctx, m.timing.restore, stalled(StepRestore, m.timing.restore))
	ctx, cancelCause := context.WithCancelCause(ctx)
	stop := context.AfterFunc(m.life, func() { cancelCause(context.Cause(m.life)) })
	return ctx, func() { stop(); cancelCause(nil); cancel() }
}

// become has the machine run and makes it a task's own.
func (m *machine) become(ctx context.Context, w wants, run func(context.Context) error) error {
	if err := m.knows(w); err != nil {
		return err
	}
	began := time.Now()
	way, err := w.way(m)
	if err != nil {
		return err
	}
	if way == Share9P {
		m.serve(w.fs, m.proc.Folders())
	}
	// For a device that is plugged the guest waits.
	prepare := func(ctx context.Context) error { return m.prepare(ctx, w.addOns, mountParams(way, w.state)) }

	g, together := errgroup.WithContext(ctx)
	if len(w.addOns) == 0 {
		g.Go(func() error { return prepare(together) })
	}
	g.Go(func() error {
		ctx := together
		if err := run(ctx); err != nil {
			return err
		}
		if way == ShareVirtioFS {
			if err := m.plugDevice(ctx, w); err != nil {
				return err
			}
		}
		if len(w.addOns) == 0 {
			return nil
		}
		for i, l := range w.addOns {
			if err := m.proc.PlugLayer(ctx, i, l); err != nil {
				return err
			}
		}
		return prepare(ctx)
	})
	err = g.Wait()
	if err == nil {
		m.share = way
	}
	if way == ShareVirtioFS && isMountError(err) && ctx.Err() == nil && w.deviceFailed(err) { // all else is done
		w.device = nil
		err = w.mount(ctx, m)
	}
	if err == nil {
		err = linkedMachine{m, w.links}.join(ctx)
	}
	m.late = time.Since(began) > lateClock
	return err
}

// fromFactory takes a machine that need not boot. It is nil when there is none, or when
// it fails; then blame, unless nil, has to hear whether booting works instead.
func (v *VM) fromFactory(ctx context.Context) (m *machine, how string, blame func(error)) {
	t, m := v.factory.take(v.hw)
	w := v.wants()
	var err error
	switch {
	case m != nil:
		how = HowWaited
		v.life.Step(StepRestore)
		m.logsTo = v.cfg.Dir
		m.setAddOns(w.addOns)
		m.adopt(v.asOwner())
		err = m.wake(ctx, w)
	case t != nil:
		how = HowRestored
		v.life.Step(StepRestore)
		m = newMachine(v.hw, v.cfg.Dir, v.timing, v.log, v.asOwner())
		var from saved
		if from, err = savedAs(t); err == nil {
			err = m.makeDirs(ctx, v.cfg.RunDir)
		}
		if err == nil {
			err = m.restore(ctx, from, w)
		}
	default:
		return nil, "", nil
	}
	if err == nil {
		if t != nil {
			v.factory.worked(t)
		}
		return m, how, nil
	}
	m.fail(reason(ctx, err), err)
	failure := m.failed()
	v.noteEnd(m.end(noTime()))
	if ctx.Err() != nil {
		return nil, "", nil
	}
	if w.device != nil && (t != nil || m.ram != nil) && v.noteDevice(failure) {
		// It may be what is to blame: without, the same machine may do.
		return v.fromFactory(ctx)
	}
	v.log.Warn("a machine that was there does not do; another one is booted", "how", how, "err", failure, "detail", failure.Detail)
	if t == nil { // there may be a template beside it
		return v.fromFactory(ctx)
	}
	if failure.Reason == vmhost.ReasonDiskFull {
		return nil, "", nil
	}
	return nil, "", func(booted error) {
		// A machine that boots fails as well over what is not the template's
		// fault.
		if booted != nil && reason(ctx, booted) == failure.Reason {
			return
		}
		v.factory.broke(t, failure)
		v.factory.remake()
	}
}
