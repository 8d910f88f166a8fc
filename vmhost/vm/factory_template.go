package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

const (
	// spaceBeside is how much more than its memory a template may take, in
	// bytes: the state of its devices, its disk, and room for others.
	spaceBeside = 512 << 20

	// giveUp is after how many failed attempts a VM waits instead.
	giveUp = 3

	// spareTemplates is how many templates of other packs or settings are kept.
	spareTemplates = 1
)

// makeTemplate has the template, or makes it.
func (f *Factory) makeTemplate(ctx context.Context) error {
	if err := f.haveTemplate(); err == nil {
		return nil
	}
	key, err := f.Key()
	if err == nil {
		if last, may := f.store.MayTry(key); !may {
			err = fmt.Errorf("no template could be made, %d times, the last at %s: %s", last.Attempts, last.Last.Format(time.RFC3339), last.Reason)
			f.templateFailed(err, last.Attempts >= giveUp)
			return err
		}
		f.set(func(s *FactoryState) { s.Phase = PhaseMaking })
		var took time.Duration
		if took, err = f.newTemplate(ctx, key); err == nil {
			err = f.haveTemplate()
			f.set(func(s *FactoryState) { s.Restore = took })
		}
	}
	switch {
	case err == nil:
		f.sweep(key)
		return nil
	case ctx.Err() != nil:
		f.set(func(s *FactoryState) { s.Phase = PhaseNone })
	case errors.Is(err, errCannotWarm):
		f.set(func(s *FactoryState) { s.Mode, s.Phase, s.Err = ModeCold, PhaseFailed, err })
	case errors.Is(err, template.ErrNoSpace), errors.Is(err, errMayNotBoot), durable.IsFull(err), key == "":
		f.templateFailed(err, false)
	default:
		f.noteFailure(key, err)
		last, _ := f.store.Failed(key)
		f.templateFailed(err, last.Attempts >= giveUp)
	}
	return fmt.Errorf("make a template: %w", err)
}

// templateFailed says so, and with other has a VM wait instead.
func (f *Factory) templateFailed(err error, other bool) {
	f.log.Warn("there is no template", "err", err)
	f.set(func(s *FactoryState) {
		s.Phase, s.Err = PhaseFailed, err
		if other {
			s.Mode = ModeWaiting
		}
	})
}

// haveTemplate says that the template is there, when it is. Once in this process all of
// it is read a little later, which also brings it into memory; a damaged one is dropped
// and made anew.
func (f *Factory) haveTemplate() error {
	f.mu.Lock()
	if f.making != nil {
		f.making.again = false // what was dropped before is made now
	}
	f.mu.Unlock()
	t, err := f.lookup()
	if err != nil {
		return err
	}
	f.set(func(s *FactoryState) { s.Phase, s.Bytes = PhaseReady, t.Bytes() })
	f.mu.Lock()
	first := !f.checked
	f.checked = true
	f.mu.Unlock()
	if first {
		f.sweep(filepath.Base(t.Dir))
		f.parts.Go(func() {
			select {
			case <-time.After(f.verifyAfter):
			case <-f.life.Done():
				return
			}
			if err := t.Verify(f.life); err != nil && f.life.Err() == nil {
				f.log.Warn("the template is made anew", "err", err)
				f.broke(t, err)
				f.remake()
			}
		})
	}
	return nil
}

// sweep removes what killed programs left and most templates of other packs.
func (f *Factory) sweep(key string) {
	if err := f.store.Sweep(spareTemplates, key); err != nil {
		f.log.Warn("old templates are left", "err", err)
	}
}

// newTemplate makes the template: a machine is booted and warmed and saved, and
// the template is kept when another machine was restored from it. It returns
// what that took.
func (f *Factory) newTemplate(ctx context.Context, key string) (took time.Duration, err error) {
	g, err := f.store.Stage(ctx, key, int64(f.hw.MemoryMB)<<20+spaceBeside)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.Abandon()) }()
	if _, err := f.store.Lookup(key); err == nil { // another process made it meanwhile
		return 0, nil
	}
	hello, err := f.save(ctx, g)
	if err == nil {
		g.Note, err = json.Marshal(hello)
	}
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := f.try(ctx, savedIn(g.Path, hello)); err != nil {
		return 0, fmt.Errorf("the template does not do: %w", err)
	}
	took = time.Since(began)
	f.mu.Lock()
	f.checked = true
	f.mu.Unlock()
	_, err = g.Commit(ctx)
	return took, err
}

// save boots a machine and saves it.
func (f *Factory) save(ctx context.Context, g *template.Staging) (hello wire.Hello, err error) {
	err = f.with(ctx, f.logDir("save"), func(ctx context.Context, m *machine) error {
		disk := g.Path(template.Disk)
		if err := qemu.CreateOverlay(disk, m.Image.WorkBase); err != nil {
			return err
		}
		spec := m.spec(true)
		spec.Overlay, spec.RAM = disk, &qemu.RAMFile{Path: g.Path(template.RAM)}
		if err := f.warm(ctx, m, spec); err != nil {
			return err
		}
		if err := m.proc.Save(ctx, g.Path(template.State)); err != nil {
			return err
		}
		hello = m.hello
		m.endLife(errEnded) // nobody is to wonder why it stands still
		return nil
	})
	return hello, err
}

// try restores a machine and asks it something.
func (f *Factory) try(ctx context.Context, from saved) error {
	return f.with(ctx, f.logDir("try"), func(ctx context.Context, m *machine) error {
		if err := m.restore(ctx, from, wants{}); err != nil {
			return err
		}
		const question = "are you there?"
		var echo wire.EchoParams
		if err := m.call(ctx, wire.MethodEcho, wire.EchoParams{Data: question}, &echo); err != nil {
			return err
		}
		if echo.Data != question {
			return &conversation.ProtocolError{Err: fmt.Errorf("guest.echo: %.64q", echo.Data)}
		}
		return nil
	})
}

// errCannotWarm says that the guest of a pack knows nothing of templates.
var errCannotWarm = errors.New("the guest of this pack cannot be made ready ahead of its task")

// errMayNotBoot is FactoryOptions.BeforeBoot's: not the template's fault.
var errMayNotBoot = errors.New("the image may not be booted")

// warm boots a machine up to where it belongs to nobody yet and all that is the
// same for all tasks is done.
func (f *Factory) warm(ctx context.Context, m *machine, spec qemu.Spec) error {
	if f.o.BeforeBoot != nil {
		if err := f.o.BeforeBoot(ctx); err != nil {
			return fmt.Errorf("%w: %w", errMayNotBoot, err)
		}
	}
	if err := m.start(ctx, spec); err != nil {
		return err
	}
	step := StepKernel
	return m.unlessSilent(ctx, bootSteps{step: func() string { return step }, printed: func() {}}, func(ctx context.Context) error {
		if err := m.sayHello(ctx); err != nil {
			return err
		}
		if !m.can(wire.CanWarm) || !m.can(wire.CanPrepareMount) {
			return errCannotWarm
		}
		var r wire.WarmResult
		if err := m.call(ctx, wire.MethodWarm, warmParams(), &r); err != nil {
			return err
		}
		if err := r.Validate(); err != nil {
			return fmt.Errorf("guest.warm: %w", &conversation.ProtocolError{Err: err})
		}
		f.log.Debug("a machine is warm", "marks", r.MarksMS)
		return nil
	})
}

// with does f with a machine for the factory's own use, in a directory that
// keeps the logs.
func (f *Factory) with(ctx context.Context, dir string, do func(context.Context, *machine) error) error {
	m := newMachine(f.hw, dir, f.timing, f.log, nobody())
	for _, name := range []string{qemu.QEMULog, qemu.ConsoleLog} { // of the last time
		_ = os.Remove(filepath.Join(dir, name))
	}
	err := f.bring(ctx, m, do)
	m.endLife(errEnded)
	return errors.Join(err, m.end(ctx))
}

// nobody is the owner of a machine that is no task's yet.
func nobody() *owner {
	return &owner{failed: func(*vmhost.FailedError) {}, step: func() string { return "" }}
}

// bring makes the directories of a machine and does something with it. The error is
// why the machine failed.
func (f *Factory) bring(ctx context.Context, m *machine, do func(context.Context, *machine) error) (err error) {
	runDir := "" // a fresh one
	if f.o.RunDir != nil {
		runDir, err = f.o.RunDir()
	}
	if err == nil {
		err = m.makeDirs(ctx, runDir)
	}
	if err == nil {
		err = do(ctx, m)
	}
	if err == nil {
		return nil
	}
	m.fail(reason(ctx, err), err)
	if failure := m.failed(); failure != nil {
		f.log.Warn("a machine of the factory failed", "err", failure, "detail", failure.Detail)
		return failure
	}
	return err
}
