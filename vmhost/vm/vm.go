package vm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/wire"
)

// VM is a virtual machine for one task; it implements vmhost.Runtime.
type VM struct {
	cfg     Config
	hw      Hardware
	timing  timing
	factory *Factory // nil: every machine is booted
	log     *slog.Logger

	notify sync.Mutex // held while OnStatus runs, so that it hears one change at a time

	mu      sync.Mutex
	status  vmhost.Status
	begun   chan struct{} // of the first Connect, closed at its end; nil before
	closing bool          // Close was called
	failure error         // why it failed
	m       *machine      // since it was ready; never changes afterwards
	how     string        // the machine began as: HowRestored…

	noDevice error // why the folders are no device of its machines, though they were to be

	// life ends when the VM fails or is closed; everything in it ends then.
	life    context.Context
	endLife context.CancelCauseFunc

	endOnce sync.Once
	endErr  error
	ended   chan struct{}
}

var _ vmhost.Runtime = (*VM)(nil)

// errClosed is the cause of the end of a life that Close ended.
var errClosed = errors.New("the VM was closed")

// How a machine began (VM.How).
const (
	HowBooted   = "booted"   // from nothing
	HowRestored = "restored" // from a template
	HowWaited   = "waited"   // it had been booted before
)

// New returns an idle VM that boots when it connects; Factory.New returns one that may
// be restored instead.
func New(c Config) (*VM, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	log := c.Log
	if log == nil {
		log = slog.Default()
	}
	v := &VM{
		cfg: c, hw: c.hardware(), timing: patience(c.BootTime), log: log,
		status: vmhost.Status{State: vmhost.StateIdle, Since: time.Now()},
		ended:  make(chan struct{}),
	}
	v.life, v.endLife = context.WithCancelCause(context.Background())
	return v, nil
}

// Status implements vmhost.Runtime.
func (v *VM) Status() vmhost.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status
}

// Capabilities implements vmhost.Runtime.
func (v *VM) Capabilities() vmhost.Capabilities { return v.cfg.capabilities() }

// InitData implements vmhost.Runtime.
func (v *VM) InitData() vmhost.InitData { return v.cfg.initData() }

// Hints implements vmhost.Runtime.
func (v *VM) Hints() vmhost.Hints {
	h := vmhost.Hints{Time: time.Now(), TimeZone: hostTimeZone()}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if h.Locale = os.Getenv(name); h.Locale != "" {
			break
		}
	}
	return h
}

// Hello returns how the agent introduced itself; empty before that.
func (v *VM) Hello() wire.Hello {
	m := v.machine()
	if m == nil {
		return wire.Hello{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hello
}

// How says how the machine began, "" while there is none.
func (v *VM) How() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.how
}

// PID is the process id of QEMU, 0 while there is none.
func (v *VM) PID() int {
	if m := v.machine(); m != nil {
		return m.proc.PID()
	}
	return 0
}

// machine returns the VM's machine, nil before it was ready.
func (v *VM) machine() *machine {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.m
}

// Connect implements vmhost.Runtime. A failure is a *vmhost.FailedError, or a
// *vmhost.UnsupportedError for an environment that no VM enforces.
func (v *VM) Connect(ctx context.Context) error {
	v.mu.Lock()
	if v.begun != nil {
		begun := v.begun
		v.mu.Unlock()
		select {
		case <-begun:
			return v.readyError()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if v.closing {
		v.mu.Unlock()
		return v.readyError()
	}
	begun := make(chan struct{})
	v.begun = begun
	v.mu.Unlock()
	defer close(begun)

	if err := v.cfg.checkEnv(v.cfg.capabilities()); err != nil {
		v.failWith(err)
		v.end(noTime())
		return err
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(v.life, func() { cancel(context.Cause(v.life)) })
	defer stop()

	m, how, err := v.connect(bounded)
	if err != nil {
		// A failure of the machine itself came first and says more.
		m.fail(reason(ctx, err), err)
		failure := m.failed()
		v.noteEnd(m.end(noTime()))
		v.failWith(failure)
		v.end(noTime())
		return v.readyError()
	}
	v.mu.Lock()
	v.m, v.how = m, how
	v.mu.Unlock()
	m.becomeReady(func(e *vmhost.FailedError) { v.failWith(e) })
	v.to(vmhost.StateReady, "", nil)
	if err := v.readyError(); err != nil {
		v.end(noTime())
		return err
	}
	return nil
}

// Execute implements vmhost.Runtime.
func (v *VM) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := v.readyError(); err != nil {
		if !errors.Is(err, vmhost.ErrNotReady) {
			err = fmt.Errorf("%w: %w", vmhost.ErrNotReady, err)
		}
		return vmhost.Observation{}, err
	}
	return conversation.Executor{
		Conversation: v.m.conv, Life: v.life, Ended: v.readyError, Fail: v.m.fail,
		Runtime: runtimeName, Cwd: v.InitData().Cwd, Limits: v.cfg.Env.Limits, Can: v.m.can, Cancel: v.m.timing.cancel,
	}.Execute(ctx, a)
}

// noteEnd remembers what ending a machine left behind.
func (v *VM) noteEnd(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endErr = errors.Join(v.endErr, err)
}

// Close implements vmhost.Runtime. The guest is asked to power off first, so
// that what its programs wrote is in the folders.
func (v *VM) Close(ctx context.Context) error {
	v.mu.Lock()
	v.closing = true
	begun := v.begun
	ready := v.status.State == vmhost.StateReady
	v.mu.Unlock()
	if begun == nil {
		v.endLife(errClosed)
		v.end(noTime())
	} else {
		if !ready { // Connect gives up and ends what it started
			v.endLife(errClosed)
			<-begun
		}
		v.end(ctx)
	}
	v.mu.Lock()
	failure := v.failure
	v.mu.Unlock()
	if failure != nil { // failed stays failed, also when it happened just now
		v.to(vmhost.StateFailed, "", failure)
	}
	v.to(vmhost.StateClosed, "", nil)
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endErr
}

// to changes the state and tells OnStatus. Closed and failed are final.
func (v *VM) to(state vmhost.State, step string, err error) {
	v.toFrom(nil, state, step, err)
}

// toFrom is to, unless connecting is at another step than *from.
func (v *VM) toFrom(from *string, state vmhost.State, step string, err error) {
	v.notify.Lock()
	defer v.notify.Unlock()
	v.mu.Lock()
	old := v.status
	switch {
	case from != nil && (old.State != vmhost.StateConnecting || old.Step != *from),
		old.State == vmhost.StateClosed || old.State == vmhost.StateFailed,
		old.State == state && old.Step == step,
		state == vmhost.StateReady && (v.closing || v.failure != nil):
		v.mu.Unlock()
		return
	}
	v.status = vmhost.Status{State: state, Step: step, Err: err, Since: time.Now()}
	now := v.status
	v.mu.Unlock()
	if v.cfg.OnStatus != nil {
		v.cfg.OnStatus(now)
	}
}

// step says what connecting waits for.
func (v *VM) step(name string) { v.to(vmhost.StateConnecting, name, nil) }

// stepFrom goes on to the next step, unless connecting is past it.
func (v *VM) stepFrom(old, next string) { v.toFrom(&old, vmhost.StateConnecting, next, nil) }

// failWith puts the VM into the state failed, once, and ends its life. A ready machine
// is ended at once; otherwise Connect or Close ends it.
func (v *VM) failWith(err error) {
	v.mu.Lock()
	if v.closing || v.failure != nil {
		v.mu.Unlock()
		return
	}
	v.failure = err
	ready := v.status.State == vmhost.StateReady
	v.mu.Unlock()
	v.to(vmhost.StateFailed, "", err)
	v.endLife(err)
	if ready {
		go v.end(noTime())
	}
}

// readyError is nil when the VM is ready, and otherwise says why it is not.
func (v *VM) readyError() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.failure != nil:
		return v.failure
	case v.closing:
		return fmt.Errorf("%w: %w", vmhost.ErrNotReady, errClosed)
	case v.status.State == vmhost.StateReady:
		return nil
	}
	return vmhost.ErrNotReady
}

// noTime is a context that has ended: the guest is not asked, QEMU is killed.
func noTime() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// end ends everything the VM started, once; every caller returns when that is done.
// Until ctx ends the guest is asked first, unless the VM has failed.
func (v *VM) end(ctx context.Context) {
	v.endOnce.Do(func() {
		defer close(v.ended)
		if v.life.Err() != nil {
			ctx = noTime()
		}
		if m := v.machine(); m != nil {
			v.noteEnd(m.end(ctx))
		}
		if v.cfg.RunDir != "" { // a machine that waited has its own
			_ = os.Remove(v.cfg.RunDir)
		}
		v.endLife(errClosed)
	})
}
