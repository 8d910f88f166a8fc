package vm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// machine is one QEMU and the conversation with the agent in it, from before its start
// to after its end. A VM boots, restores or takes over one at a time.
type machine struct {
	Hardware
	files
	folderDevice

	timing timing
	clock  *clock.Clock
	log    *slog.Logger

	proc *qemu.Process
	conv *conversation.Conversation

	life    context.Context // ends when the machine has failed or is ended
	endLife context.CancelCauseFunc
	parts   sync.WaitGroup
	pausing chan struct{} // holds one who pauses or resumes

	mu      sync.Mutex
	owner   *owner
	failure *vmhost.FailedError
	hello   wire.Hello
	late    bool // the time that the guest was given is old
	off     bool // the guest was asked to switch the machine off, and did

	endOnce sync.Once
	endErr  error
}

// owner hears when its machine fails.
type owner struct {
	failed func(*vmhost.FailedError) // called once, in any goroutine; must not end the machine itself
	step   func() string             // of connecting; nil when the machine is a task's
}

// errEnded is the cause of the end of a machine that did not fail.
var errEnded = errors.New("the machine was ended")

// newMachine makes no process and no file yet. It is ended by end.
func newMachine(hw Hardware, dir string, t timing, log *slog.Logger, o *owner) *machine {
	m := &machine{Hardware: hw, files: files{dir: dir}, timing: t, log: log, owner: o, pausing: make(chan struct{}, 1)}
	m.clock = clock.New(t.host, t.beat)
	m.life, m.endLife = context.WithCancelCause(context.Background())
	m.parts.Go(func() { m.clock.Run(m.life, m.jumped) })
	return m
}

// adopt gives the machine another owner, and tells it of an earlier failure.
func (m *machine) adopt(o *owner) {
	m.mu.Lock()
	m.owner = o
	failure := m.failure
	m.mu.Unlock()
	if failure != nil {
		o.failed(failure)
	}
}

// fail ends the life of the machine for a reason, once. Its owner calls end.
func (m *machine) fail(reason vmhost.Reason, err error) { m.failOf(reason, "", err) }

// failOf is fail because of an image.
func (m *machine) failOf(reason vmhost.Reason, image string, err error) {
	e := &vmhost.FailedError{Runtime: runtimeName, Reason: reason, Image: image, Detail: m.evidence(err), Err: err}
	m.mu.Lock()
	if m.failure != nil || m.life.Err() != nil {
		m.mu.Unlock()
		return
	}
	o := m.owner
	if o != nil && o.step != nil {
		e.Step = o.step()
		if s, is := errors.AsType[*stepError](err); is && s.step != "" {
			e.Step = s.step
		}
		e.Hint = requirements[e.Step].hint
	}
	m.failure = e
	m.mu.Unlock()
	if o != nil {
		o.failed(e)
	}
	m.endLife(e)
}

// failed is why the machine failed, nil when it did not.
func (m *machine) failed() *vmhost.FailedError {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failure
}

// evidence is the end of what QEMU and the guest said.
func (m *machine) evidence(err error) string {
	if start, is := errors.AsType[*qemu.StartError](err); is {
		return strings.TrimSpace(start.Output)
	}
	m.mu.Lock()
	p := m.proc
	m.mu.Unlock()
	if p == nil {
		return ""
	}
	return strings.TrimSpace(p.Output() + "\n" + p.Console().Tail())
}

// reason finds the code for an error of connecting. ctx is the caller's.
func reason(ctx context.Context, err error) vmhost.Reason {
	var start *qemu.StartError
	var protocol *conversation.ProtocolError
	var refused *conversation.RefusedError
	var step *stepError
	var failed *vmhost.FailedError
	switch {
	case ctx.Err() != nil:
		return vmhost.ReasonStopped
	case errors.As(err, &failed):
		return failed.Reason
	case errors.As(err, &step):
		return step.reason
	case errors.As(err, &refused):
		return refused.Reason
	case errors.As(err, &protocol):
		return vmhost.ReasonProtocol
	case errors.As(err, &start):
		return vmhost.ReasonStart
	case durable.IsFull(err):
		return vmhost.ReasonDiskFull
	}
	return vmhost.ReasonHost
}

// call asks the guest something and gives an error its reason.
func (m *machine) call(ctx context.Context, method string, params, result any) error {
	return m.explain(ctx, m.conv.Ask(ctx, method, params, result))
}

// explain gives an error of the conversation what the machine knows of it.
func (m *machine) explain(ctx context.Context, err error) error {
	var refused *conversation.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Code == wire.CodeMount:
		return &stepError{reason: refused.Reason, step: StepMount, err: err}
	case errors.Is(err, conversation.ErrOver):
		// The supervisor finds out why: the life's end says it.
		select {
		case <-m.life.Done():
			return context.Cause(m.life)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// end ends everything the machine has, once; every caller returns when that is done.
// Until ctx ends the guest is asked first, unless the machine has failed.
func (m *machine) end(ctx context.Context) error {
	m.endOnce.Do(func() {
		asked := ctx.Err() == nil && m.life.Err() == nil && m.proc != nil
		if asked {
			m.powerOff(ctx)
		}
		m.endLife(errEnded)
		var errs []error
		if m.proc != nil {
			errs = append(errs, m.proc.Stop(ctx))
			e := m.proc.Exit()
			m.mu.Lock()
			m.off = asked && e != nil && e.Code == 0 && e.Reason == shutdownByGuest
			m.mu.Unlock()
		}
		if m.endDevice != nil {
			m.endDevice()
		}
		if m.conv != nil {
			m.conv.Close()
		}
		m.parts.Wait()
		errs = append(errs, m.sweep())
		if err := errors.Join(errs...); err != nil {
			m.endErr = fmt.Errorf("end the VM: %w", err)
			m.log.Error("the VM left something behind", "err", err)
		}
	})
	return m.endErr
}

// powerOff asks the guest to end and waits for it. A machine that is paused runs
// on for that.
func (m *machine) powerOff(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, m.timing.shutdown)
	defer cancel()
	if err := m.resume(ctx); err != nil {
		return
	}
	if err := m.conv.Call(ctx, wire.MethodShutdown, wire.Empty{}, nil); err != nil && !errors.Is(err, conversation.ErrOver) {
		m.log.Warn("the guest does not follow its end", "err", err)
		return
	}
	select {
	case <-m.proc.Done():
	case <-ctx.Done():
		m.log.Warn("the guest does not power off", "after", m.timing.shutdown)
	}
}
