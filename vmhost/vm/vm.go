package vm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// VM is a virtual machine for one task; it implements vmhost.Runtime.
type VM struct {
	cfg    Config
	caps   vmhost.Capabilities
	init   vmhost.InitData
	timing timing
	log    *slog.Logger

	notify sync.Mutex // held while OnStatus runs, so that it hears one change at a time

	mu      sync.Mutex
	status  vmhost.Status
	begun   chan struct{} // of the first Connect, closed at its end; nil before
	closing bool          // Close was called
	failure error         // why it failed
	hello   wire.Hello

	// life ends when the VM fails or is closed; everything in it ends then.
	life    context.Context
	endLife context.CancelCauseFunc
	parts   sync.WaitGroup

	// Of connect, which has ended before end reads them.
	overlay string
	runDir  string
	proc    *qemu.Process
	conv    *conversation

	endOnce sync.Once
	endErr  error
	ended   chan struct{}
}

var _ vmhost.Runtime = (*VM)(nil)

// errClosed is the cause of the end of a life that Close ended.
var errClosed = errors.New("the VM was closed")

// New returns a VM in the state idle. It starts nothing and makes no file.
func New(c Config) (*VM, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	log := c.Log
	if log == nil {
		log = slog.Default()
	}
	v := &VM{
		cfg: c, caps: capabilities(), init: c.initData(), timing: c.timing(), log: log,
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
func (v *VM) Capabilities() vmhost.Capabilities { return v.caps }

// InitData implements vmhost.Runtime.
func (v *VM) InitData() vmhost.InitData {
	d := v.init
	d.Folders = append([]vmhost.FolderInView{}, d.Folders...)
	return d
}

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
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.hello
}

// Connect implements vmhost.Runtime. Every failure is a *vmhost.FailedError,
// but for an environment that a VM cannot enforce.
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

	if err := v.cfg.checkEnv(v.caps); err != nil {
		v.failWith(err)
		v.end(noTime())
		return err
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(v.life, func() { cancel(context.Cause(v.life)) })
	defer stop()

	if err := v.connect(bounded); err != nil {
		// A failure of the VM itself came first and says more.
		v.fail(v.reason(ctx, err), err)
		v.end(noTime())
		if err = v.readyError(); !errors.Is(err, errClosed) {
			v.to(vmhost.StateFailed, "", err)
		}
		return err
	}
	v.to(vmhost.StateReady, "", nil)
	return v.readyError()
}

// reason finds the code for an error of connecting.
func (v *VM) reason(ctx context.Context, err error) vmhost.Reason {
	var start *qemu.StartError
	var protocol *ProtocolError
	var step *stepError
	switch {
	case ctx.Err() != nil:
		return vmhost.ReasonStopped
	case errors.As(err, &step):
		return step.reason
	case errors.As(err, &protocol):
		return vmhost.ReasonProtocol
	case errors.As(err, &start):
		return vmhost.ReasonStart
	case isDiskFull(err):
		return vmhost.ReasonDiskFull
	}
	return vmhost.ReasonHost
}

// stepError is an error of a step of connecting that knows its reason.
type stepError struct {
	reason vmhost.Reason
	err    error
}

func (e *stepError) Error() string { return e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

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
	return v.endErr
}

// to changes the state and tells everybody. What is final stays.
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

// fail puts the VM into the state failed, once, and ends its life. Whoever
// connects or closes ends the machine; a ready one is ended at once.
func (v *VM) fail(reason vmhost.Reason, err error) { v.failOf(reason, "", err) }

// failOf is fail because of an image.
func (v *VM) failOf(reason vmhost.Reason, image string, err error) {
	e := &vmhost.FailedError{Runtime: v.caps.Name, Reason: reason, Image: image, Err: err}
	v.mu.Lock()
	if v.status.State == vmhost.StateConnecting {
		e.Step = v.status.Step
	}
	v.mu.Unlock()
	e.Detail = v.evidence(err)
	v.failWith(e)
}

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

// evidence is the end of what QEMU and the guest said.
func (v *VM) evidence(err error) string {
	var start *qemu.StartError
	if errors.As(err, &start) {
		return strings.TrimSpace(start.Output)
	}
	v.mu.Lock()
	p := v.proc
	v.mu.Unlock()
	if p == nil {
		return ""
	}
	return strings.TrimSpace(p.Output() + "\n" + p.Console().Tail())
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

// noTime is a context that has ended: nobody is asked, everything is killed.
func noTime() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// end ends everything the VM started, once, and returns when that is done.
// Until ctx ends the guest is asked first, unless the VM has failed.
func (v *VM) end(ctx context.Context) {
	v.endOnce.Do(func() {
		defer close(v.ended)
		if ctx.Err() == nil && v.life.Err() == nil {
			v.powerOff(ctx)
		}
		v.endLife(errClosed)
		var errs []error
		if v.proc != nil {
			errs = append(errs, v.proc.Stop(ctx))
		}
		if v.conv != nil {
			v.conv.close()
		}
		v.parts.Wait()
		errs = append(errs, v.sweep())
		if err := errors.Join(errs...); err != nil {
			v.endErr = fmt.Errorf("end the VM: %w", err)
			v.log.Error("the VM left something behind", "err", err)
		}
	})
	<-v.ended
}

// powerOff asks the guest to end and waits for it.
func (v *VM) powerOff(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, v.timing.shutdown)
	defer cancel()
	if err := v.conv.call(ctx, wire.MethodShutdown, wire.Empty{}, nil); err != nil && !errors.Is(err, errConversationOver) {
		v.log.Warn("the guest does not follow its end", "err", err)
		return
	}
	select {
	case <-v.proc.Done():
	case <-ctx.Done():
		v.log.Warn("the guest does not power off", "after", v.timing.shutdown)
	}
}

// sweep removes the files of the VM but for its logs.
func (v *VM) sweep() error {
	var errs []error
	if v.overlay != "" {
		if err := os.Remove(v.overlay); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if v.runDir != "" {
		// The sockets are gone since QEMU connected them. What else is in a
		// directory of the caller's is the caller's.
		if err := os.Remove(v.runDir); err != nil && !errors.Is(err, os.ErrNotExist) && v.cfg.RunDir == "" {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
