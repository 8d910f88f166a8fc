package vm

import (
	"context"
	"sync"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
)

// connect brings a machine up, from the factory when it has one, and says how.
// After an error the machine is to be ended all the same.
func (v *VM) connect(ctx context.Context) (*machine, string, error) {
	var blame func(error)
	if v.factory != nil {
		var m *machine
		var how string
		if m, how, blame = v.fromFactory(ctx); m != nil {
			return m, how, nil
		}
	}
	m, err := v.boot(ctx)
	if err != nil && m.tried && ctx.Err() == nil {
		m.fail(reason(ctx, err), err)
		if v.noteDevice(m.failed()) {
			v.noteEnd(m.end(noTime()))
			m, err = v.boot(ctx)
		}
	}
	if blame != nil {
		blame(err)
	}
	return m, HowBooted, err
}

// boot brings a machine up from nothing: the slow way, which always works. The
// machine that it returns is to be ended also after an error.
func (v *VM) boot(ctx context.Context) (*machine, error) {
	m := newMachine(v.hw, v.cfg.Dir, v.timing, v.log, v.asOwner())
	if ctx.Err() != nil {
		return m, context.Cause(ctx)
	}
	if v.cfg.BeforeBoot != nil {
		if err := v.cfg.BeforeBoot(ctx); err != nil {
			return m, err
		}
	}
	v.life.Step(StepDisk)
	err := m.makeDirs(ctx, v.cfg.RunDir)
	if err == nil {
		err = m.makeOverlay(func(path string) error { return qemu.CreateOverlay(path, m.Image.WorkBase) })
	}
	if err != nil {
		return m, err
	}
	v.life.Step(StepMachine)
	spec := m.spec(v.cfg.ServeFS != nil)
	w := v.wants()
	if w.device != nil {
		ram, err := m.sharedRAM(&spec)
		if err != nil {
			if !v.noteDevice(err) {
				return m, err
			}
			w.device = nil
		} else {
			defer ram.Close()
		}
	}
	if err := m.start(ctx, spec); err != nil {
		return m, err
	}
	return m, m.unlessSilent(ctx, v.bootSteps(), func(ctx context.Context) error {
		if err := m.sayHello(ctx); err != nil {
			return err
		}
		if err := m.knows(w); err != nil {
			return err
		}
		v.life.Step(StepPrepare)
		if err := m.prepare(ctx, m.Image.AddOns, nil); err != nil {
			return err
		}
		if w.fs != nil {
			v.life.Step(StepMount)
		}
		if err := w.mount(ctx, m); err != nil {
			return err
		}
		return linkedMachine{m, w.links}.join(ctx)
	})
}

// bootSteps says the steps that only the console shows.
func (v *VM) bootSteps() bootSteps {
	v.life.Step(StepKernel)
	return bootSteps{step: func() string { return v.Status().Step }, printed: func() { v.life.StepFrom(StepKernel, StepAgent) }}
}

// bootSteps is where a machine that boots is.
type bootSteps struct {
	step    func() string
	printed func() // the console's first byte
}

// unlessSilent does f, and ends it only when console and agent are both silent for
// longer than timing.stall: a slow machine may be slow.
func (m *machine) unlessSilent(ctx context.Context, p bootSteps, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(m.life, func() { cancel(context.Cause(m.life)) })()
	defer m.clock.Watch(m.timing.stall, m.signs, func() { cancel(stalled(p.step(), m.timing.stall)) })()

	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() {
		select {
		case <-m.proc.Console().First():
			p.printed()
		case <-ctx.Done():
		}
	})
	return f(ctx)
}

// signs changes when the guest says something.
func (m *machine) signs() int64 {
	printed, _ := m.proc.Console().Activity()
	return printed + m.conv.Signs()
}

// asOwner owns a machine while this VM connects: a failed attempt is not yet the VM's
// failure.
func (v *VM) asOwner() *owner {
	return &owner{failed: func(*vmhost.FailedError) {}, step: func() string { return v.Status().Step }}
}
