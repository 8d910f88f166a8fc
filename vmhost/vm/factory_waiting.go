package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

// waiting is the machine that was booted ahead. Its processors are stopped.
type waiting struct {
	m    *machine
	idle *time.Timer
}

const (
	waitingName = "waiting-"
	waitingLock = "lock" // held by the process whose machine it is
)

// makeWaiting has a VM that waits, or boots it.
func (f *Factory) makeWaiting(ctx context.Context) error {
	f.mu.Lock()
	there := f.waiting != nil
	f.mu.Unlock()
	if there {
		return nil
	}
	if err := sweepWaiting(ctx, f.o.Dir); err != nil {
		f.log.Warn("VMs that waited left something behind", "err", err)
	}
	key, err := f.Key()
	if err != nil {
		return err
	}
	if last, may := f.store.MayTry(key); f.waitingOnly() && !may {
		err := fmt.Errorf("no VM could be booted ahead, %d times, the last at %s: %s", last.Attempts, last.Last.Format(time.RFC3339), last.Reason)
		f.set(func(s *FactoryState) { s.Phase, s.Err = PhaseFailed, err })
		return err
	}
	f.set(func(s *FactoryState) { s.Phase = PhaseMaking })
	m, err := f.bootAhead(ctx)
	if err != nil {
		switch {
		case ctx.Err() != nil:
			f.set(func(s *FactoryState) { s.Phase = PhaseNone })
			return context.Cause(ctx)
		case errors.Is(err, errCannotWarm):
			f.set(func(s *FactoryState) { s.Mode, s.Phase, s.Err = ModeCold, PhaseFailed, err })
		default:
			if f.waitingOnly() && !errors.Is(err, errMayNotBoot) {
				f.noteFailure(key, err)
			}
			f.set(func(s *FactoryState) { s.Phase, s.Err = PhaseFailed, err })
		}
		return fmt.Errorf("boot a VM ahead: %w", err)
	}
	if f.waitingOnly() {
		f.store.Forget(key)
	}
	return f.keepWaiting(m)
}

// keepWaiting has a machine wait for a task.
func (f *Factory) keepWaiting(m *machine) error {
	w := &waiting{m: m}
	closed := false
	f.set(func(s *FactoryState) { // f.mu is held: whoever takes it says so after this
		if closed = f.closed; closed {
			return
		}
		f.waiting = w
		w.idle = time.AfterFunc(f.o.IdleAfter, func() { f.background(func() { f.end(w, nil) }) })
		s.Phase, s.MemoryMB = PhaseReady, f.hw.MemoryMB
	})
	if closed {
		return errors.Join(errFactoryClosed, m.end(noTime()))
	}
	m.adopt(&owner{
		failed: func(e *vmhost.FailedError) { f.background(func() { f.end(w, e) }) },
		step:   func() string { return StepRestore },
	})
	return nil
}

// Expect restores a VM ahead of a task: it has run what a task will run first, which
// takes long under emulation, and waits. It takes memory until it is used or for
// IdleAfter. Expect does nothing where a VM waits already or there is no template.
func (f *Factory) Expect(ctx context.Context) error {
	f.mu.Lock()
	if f.closed || f.state.Mode != ModeTemplate || f.waiting != nil {
		if f.waiting != nil {
			f.waiting.idle.Reset(f.o.IdleAfter)
		}
		f.mu.Unlock()
		return nil
	}
	w := f.join(&f.expecting, f.restoreAhead)
	f.mu.Unlock()
	return w.wait(ctx)
}

// restoreAhead has a machine from the template wait. A template that does not do
// is found, and blamed, by the VM that is restored from it.
func (f *Factory) restoreAhead(ctx context.Context) error {
	t, err := f.lookup()
	if errors.Is(err, template.ErrNone) || errors.Is(err, template.ErrDamaged) {
		return nil
	}
	var from saved
	if err == nil {
		from, err = savedAs(t)
	}
	if err != nil {
		return err
	}
	m, err := f.ahead(ctx, func(ctx context.Context, m *machine) error {
		return m.restoreWith(ctx, from, f.forDevice(), func(ctx context.Context) error {
			if err := m.proc.Restore(ctx, from.state); err != nil {
				return err
			}
			if err := m.sayHello(ctx); err != nil {
				return err
			}
			return m.call(ctx, wire.MethodWarm, warmParams(), &wire.WarmResult{})
		})
	})
	if err != nil {
		return fmt.Errorf("restore a VM ahead: %w", err)
	}
	return f.keepWaiting(m)
}

// waitingOnly tells whether what is remembered of failures is of VMs that wait:
// where templates were tried, it is of those.
func (f *Factory) waitingOnly() bool { return !qemu.CanTemplate(runtime.GOOS, f.o.Accel) }

// bootAhead boots a machine that nobody has yet.
func (f *Factory) bootAhead(ctx context.Context) (*machine, error) {
	return f.ahead(ctx, func(ctx context.Context, m *machine) error {
		if err := m.makeOverlay(func(path string) error { return qemu.CreateOverlay(path, m.Image.WorkBase) }); err != nil {
			return err
		}
		spec := m.spec(true)
		if f.forDevice() {
			ram, err := m.sharedRAM(&spec)
			if err != nil {
				return err
			}
			defer ram.Close()
		}
		return f.warm(ctx, m, spec)
	})
}

// forDevice tells whether a machine that waits is to be ready for a device.
func (f *Factory) forDevice() bool {
	return f.o.ForDevice != nil && f.o.ForDevice() && qemu.CanPlugFolders(runtime.GOOS)
}

// ahead makes a machine that nobody has yet, with do, and stops its processors.
func (f *Factory) ahead(ctx context.Context, do func(context.Context, *machine) error) (*machine, error) {
	if err := os.MkdirAll(f.o.Dir, 0o700); err != nil {
		return nil, err
	}
	dir, lock, err := makeWaitingDir(ctx, f.o.Dir)
	if err != nil {
		return nil, err
	}
	m := newMachine(f.hw, dir, f.timing, f.log, nobody())
	m.ownDir, m.dirLock = true, lock
	err = f.bring(ctx, m, func(ctx context.Context, m *machine) error {
		if err := do(ctx, m); err != nil {
			return err
		}
		return m.pause(ctx)
	})
	if err != nil {
		return nil, errors.Join(err, m.end(noTime()))
	}
	return m, nil
}

// makeWaitingDir makes the directory of a machine that will wait, and locks it. A directory
// that a sweep took for a leftover before it was locked is the sweep's; another one is made.
func makeWaitingDir(ctx context.Context, in string) (string, *flock.Flock, error) {
	for ctx.Err() == nil {
		dir, err := os.MkdirTemp(in, waitingName)
		if err != nil {
			return "", nil, err
		}
		lock := flock.New(filepath.Join(dir, waitingLock), flock.SetPermissions(0o600))
		mine, err := lock.TryLock()
		if mine && isAtPath(lock) {
			return dir, lock, nil
		}
		if err = errors.Join(err, lock.Close()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return "", nil, context.Cause(ctx)
}

// isAtPath reports whether a lock's file was not removed since it was opened.
func isAtPath(lock *flock.Flock) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(locked, now)
}

// takeWaiting gives the VM that waits away, nil without one. Ensure has another
// one wait.
func (f *Factory) takeWaiting() *machine {
	f.mu.Lock()
	w := f.waiting
	f.waiting = nil
	f.mu.Unlock()
	if w == nil {
		return nil
	}
	w.idle.Stop()
	f.set(func(s *FactoryState) { s.gone() })
	return w.m
}

// Release ends the VM that waits: somebody needs the memory, or nobody the VM.
// Templates stay.
func (f *Factory) Release() {
	if err := f.release(); err != nil {
		f.log.Warn("the VM that waited left something behind", "err", err)
	}
}

func (f *Factory) release() error {
	m := f.takeWaiting()
	if m == nil {
		return nil
	}
	return m.end(noTime())
}

// end ends a VM if it still waits; why is nil when nobody wanted it.
func (f *Factory) end(w *waiting, why error) {
	f.mu.Lock()
	if f.waiting != w {
		f.mu.Unlock()
		return
	}
	f.waiting = nil
	f.mu.Unlock()
	w.idle.Stop()
	if err := w.m.end(noTime()); err != nil {
		f.log.Warn("the VM that waited left something behind", "err", err)
	}
	f.set(func(s *FactoryState) {
		s.gone()
		s.Err = why
	})
}

// gone says that no VM waits any more; a template stays.
func (s *FactoryState) gone() {
	s.MemoryMB = 0
	if s.Mode != ModeTemplate {
		s.Phase = PhaseNone
	}
}

// sweepWaiting removes what killed programs left of their VMs that waited.
func sweepWaiting(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	var errs []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), waitingName) || !e.IsDir() {
			continue
		}
		errs = append(errs, sweepWaitingDir(ctx, filepath.Join(dir, e.Name())))
	}
	return errors.Join(errs...)
}

// sweepWaitingDir removes a directory that no process has locked.
func sweepWaitingDir(ctx context.Context, path string) error {
	l := flock.New(filepath.Join(path, waitingLock))
	mine, err := l.TryLock()
	if !mine || err != nil { // it is another's, or another sweep has removed it
		return l.Close()
	}
	_, err = qemu.EndLeftover(ctx, path)
	return errors.Join(err, removeLocked(path, l))
}

// removeLocked removes a directory with a lock that this process holds, until it is gone, but
// on Windows, which removes no file that is open.
func removeLocked(dir string, lock *flock.Flock) error {
	if runtime.GOOS == "windows" {
		return errors.Join(lock.Close(), os.RemoveAll(dir))
	}
	err := os.RemoveAll(dir)
	if errors.Is(err, os.ErrExist) { // somebody made its lock anew meanwhile, and has it now
		err = nil
	}
	return errors.Join(err, lock.Close())
}
