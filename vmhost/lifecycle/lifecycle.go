// Package lifecycle keeps the states of one runtime (vmhost.Runtime), whatever it is made
// of: one Connect, one end, each change of state told in order.
//
// # Parties
//
// A runtime has a [Life] and gives it two functions: one opens what the runtime is made
// of, one ends it. Life calls Open once at most, and End once, after Open has returned.
//
//	idle → connecting → ready → closed
//	          └────────────┴──→ failed
//
// # Promises
//
//   - Context ends when the runtime fails or is closed, and before End is called for a
//     failure: what waits in the runtime gives up first. Close has End called with its own
//     context, so that what is under way can be asked to end; afterwards Context ends.
//   - The first failure counts. A runtime that failed stays failed, also after Close.
//   - Connect and Close return when everything is ended that Open started.
//
// Lock order: the turn of who tells a change (notify) before the state (mu).
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"piwork/vmhost"
)

// Config is what a Life is of.
type Config struct {
	OnStatus vmhost.StatusFunc // may be nil

	// Open brings the runtime up, and says how far it is by Step. Its context ends with
	// Connect's and with the Life. Its error is the failure, as Connect returns it.
	Open func(ctx context.Context) error

	// End ends everything that Open started, also after its error: gracefully until ctx
	// ends, which it has for a runtime that failed.
	End func(ctx context.Context) error
}

// Life is the life of one runtime. Its methods may be called from several goroutines.
type Life struct {
	cfg Config

	notify sync.Mutex // held while OnStatus runs, so that it hears one change at a time

	mu      sync.Mutex
	status  vmhost.Status
	begun   chan struct{} // of the first Connect, closed at its end; nil before
	closing bool          // Close was called
	failure error         // why it failed

	ctx    context.Context
	cancel context.CancelCauseFunc

	endOnce sync.Once
	endErr  error
	ended   chan struct{}
}

// errClosed is the cause of the end of a life that Close ended.
var errClosed = errors.New("the runtime was closed")

// New returns an idle life.
func New(c Config) *Life {
	l := &Life{cfg: c, status: vmhost.Status{State: vmhost.StateIdle, Since: time.Now()}, ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Status is vmhost.Runtime's.
func (l *Life) Status() vmhost.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// Context ends when the runtime fails or is closed.
func (l *Life) Context() context.Context { return l.ctx }

// Ended is closed when everything is ended that the runtime started.
func (l *Life) Ended() <-chan struct{} { return l.ended }

// Connect is vmhost.Runtime's.
func (l *Life) Connect(ctx context.Context) error {
	l.mu.Lock()
	if l.begun != nil {
		begun := l.begun
		l.mu.Unlock()
		select {
		case <-begun:
			return l.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if l.closing {
		l.mu.Unlock()
		return l.Err()
	}
	begun := make(chan struct{})
	l.begun = begun
	l.mu.Unlock()
	defer close(begun)

	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	defer stop()
	if err := l.cfg.Open(bounded); err != nil {
		l.Fail(err)
	} else {
		l.to(nil, vmhost.StateReady, "", nil)
	}
	err := l.Err()
	if err != nil {
		l.cancel(err) // who failed it may not have come to that
		l.end(noTime())
	}
	return err
}

// Close is vmhost.Runtime's. Its error is End's.
func (l *Life) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closing = true
	begun := l.begun
	ready := l.status.State == vmhost.StateReady
	failure := l.failure
	l.mu.Unlock()
	if failure != nil {
		l.cancel(failure) // who failed it may not have come to that
	}
	if begun == nil {
		l.cancel(errClosed)
	} else if !ready { // Connect gives up and ends what it started
		l.cancel(errClosed)
		<-begun
	}
	l.end(ctx)
	l.mu.Lock()
	failure = l.failure
	l.mu.Unlock()
	if failure != nil { // failed stays failed, also when it happened just now
		l.to(nil, vmhost.StateFailed, "", failure)
	}
	l.to(nil, vmhost.StateClosed, "", nil)
	return l.endErr
}

// Step says what connecting waits for.
func (l *Life) Step(name string) { l.to(nil, vmhost.StateConnecting, name, nil) }

// StepFrom goes on to the next step, unless connecting is past the old one.
func (l *Life) StepFrom(old, next string) { l.to(&old, vmhost.StateConnecting, next, nil) }

// Fail puts the runtime into the state failed, once. One that is ready is ended at once;
// otherwise Connect or Close ends it.
func (l *Life) Fail(err error) {
	l.mu.Lock()
	if l.closing || l.failure != nil {
		l.mu.Unlock()
		return
	}
	l.failure = err
	ready := l.status.State == vmhost.StateReady
	l.mu.Unlock()
	l.to(nil, vmhost.StateFailed, "", err)
	l.cancel(err)
	if ready {
		go l.end(noTime())
	}
}

// Err is nil when the runtime is ready, and otherwise says why it is not.
func (l *Life) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.failure != nil:
		return l.failure
	case l.closing:
		return fmt.Errorf("%w: %w", vmhost.ErrNotReady, errClosed)
	case l.status.State == vmhost.StateReady:
		return nil
	}
	return vmhost.ErrNotReady
}

// Admit is Err for an action, which a runtime that is not ready refuses with ErrNotReady.
func (l *Life) Admit() error {
	err := l.Err()
	if err != nil && !errors.Is(err, vmhost.ErrNotReady) {
		err = fmt.Errorf("%w: %w", vmhost.ErrNotReady, err)
	}
	return err
}

// to changes the state and tells OnStatus, unless connecting is at another step than
// *from. Closed and failed are final.
func (l *Life) to(from *string, state vmhost.State, step string, err error) {
	l.notify.Lock()
	defer l.notify.Unlock()
	l.mu.Lock()
	old := l.status
	switch {
	case from != nil && (old.State != vmhost.StateConnecting || old.Step != *from),
		old.State == vmhost.StateClosed || old.State == vmhost.StateFailed,
		old.State == state && old.Step == step,
		state == vmhost.StateReady && (l.closing || l.failure != nil):
		l.mu.Unlock()
		return
	}
	l.status = vmhost.Status{State: state, Step: step, Err: err, Since: time.Now()}
	now := l.status
	l.mu.Unlock()
	if l.cfg.OnStatus != nil {
		l.cfg.OnStatus(now)
	}
}

// end ends everything, once; every caller returns when that is done.
func (l *Life) end(ctx context.Context) {
	l.endOnce.Do(func() {
		defer close(l.ended)
		if l.ctx.Err() != nil {
			ctx = noTime()
		}
		l.endErr = l.cfg.End(ctx)
		l.cancel(errClosed)
	})
}

// noTime is a context that has ended: nobody is asked, everything is killed.
func noTime() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
