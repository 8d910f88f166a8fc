package vm

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// stdinPiece is how much of stdin goes in one message. More than that goes in
// several, which needs a started execution.
const stdinPiece = wire.MaxChunk

// Execute implements vmhost.Runtime.
func (v *VM) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := v.readyError(); err != nil {
		if !errors.Is(err, vmhost.ErrNotReady) {
			err = fmt.Errorf("%w: %w", vmhost.ErrNotReady, err)
		}
		return vmhost.Observation{}, err
	}
	if err := ctx.Err(); err != nil {
		return vmhost.Observation{}, context.Cause(ctx)
	}
	switch {
	case (a.Exec != nil) == (a.Tool != nil):
		return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "action", Err: errors.New("an action has exactly one kind")}
	case a.Exec != nil:
		r, err := v.exec(ctx, *a.Exec, a)
		return vmhost.Observation{Exec: r}, err
	default:
		r, err := v.tool(ctx, *a.Tool, a.OnProgress, a.OnOutput)
		return vmhost.Observation{Tool: r}, err
	}
}

// exec runs a program. How it is talked to is of the action of.
func (v *VM) exec(ctx context.Context, p wire.ExecParams, of vmhost.Action) (*wire.ExecResult, error) {
	input, onOutput := of.Input, of.OnOutput
	if input != nil {
		defer input.Close()
	}
	what := "exec"
	if len(p.Argv) > 0 {
		what = p.Argv[0]
	}
	if p.ID == "" {
		p.ID = newID()
	}
	if p.Cwd == "" {
		p.Cwd = v.InitData().Cwd
	}
	p.Limits = v.limits(p.Limits)
	p.KeepIn = false // nobody could write to it
	if input != nil && p.Stdin != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: errors.New("an action has one standard input")}
	}
	if len(p.Stdin) > stdinPiece {
		input, p.Stdin = io.NopCloser(bytes.NewReader(p.Stdin)), nil
	}
	p.KeepIn = input != nil
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: err}
	}

	if p.Terminal != nil && !v.m.can(wire.CanTerminal) {
		return nil, &vmhost.UnsupportedError{Runtime: v.Capabilities().Name, What: "terminal"}
	}

	a := action{v, p.ID, what, p.Limits.WallMS}
	var r wire.ExecResult
	if onOutput == nil && input == nil && p.Terminal == nil {
		err := a.run(ctx, func(ctx context.Context) error {
			return v.m.conv.call(ctx, wire.MethodExecRun, p, &r)
		})
		return checked(a, &r, r.ID, err)
	}

	out := newOutput(ctx, v.life, onOutput, nil, p.Limits.OutputBytes)
	stop, err := v.m.conv.listen(p.ID, out)
	if err != nil {
		out.finish()
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: err}
	}
	err = a.run(ctx, func(ctx context.Context) error {
		if err := v.m.conv.call(ctx, wire.MethodExecStart, p, nil); err != nil {
			return err
		}
		talk, cancel := context.WithCancel(ctx)
		var talking sync.WaitGroup
		defer talking.Wait()
		defer cancel()
		if input != nil {
			defer input.Close() // ends a Read
			talking.Go(func() { a.feed(talk, input) })
		}
		if of.Resize != nil {
			talking.Go(func() { a.resize(talk, of.Resize) })
		}
		return v.m.conv.call(ctx, wire.MethodExecWait, wire.ExecRef{ID: p.ID}, &r)
	})
	stop()
	cut := out.finish()
	if onOutput == nil {
		r.Stdout, r.Stderr = out.stdout, out.stderr
	}
	r.Truncated = r.Truncated || cut
	return checked(a, &r, r.ID, err)
}

// feed writes to a program's standard input what r gives, and ends it after. A
// program that does not want it has closed it.
func (a action) feed(ctx context.Context, r io.Reader) {
	buf := make([]byte, stdinPiece)
	for {
		n, err := r.Read(buf)
		if ctx.Err() != nil {
			return
		}
		w := wire.ExecWrite{ID: a.id, Data: buf[:n], Close: err != nil}
		if (n > 0 || w.Close) && a.v.m.conv.call(ctx, wire.MethodExecWrite, w, nil) != nil || w.Close {
			return
		}
	}
}

// resize tells a program's terminal its sizes. A program that is over has none.
func (a action) resize(ctx context.Context, sizes <-chan wire.TerminalSize) {
	for {
		select {
		case size := <-sizes:
			err := a.v.m.conv.call(ctx, wire.MethodExecResize, wire.ExecResize{ID: a.id, TerminalSize: size}, nil)
			if err != nil && ctx.Err() == nil {
				a.v.log.Debug("a terminal did not take its size", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// checked checks the result of an action, whose id the guest says is id. With an
// error of the caller's context the result is what the cancelled action left.
func checked[R any, P interface {
	*R
	Validate() error
}](a action, r P, id string, err error) (P, error) {
	if id == "" && err != nil {
		return nil, err
	}
	bad := r.Validate()
	if bad == nil && id != a.id {
		bad = fmt.Errorf("it is that of %q", id)
	}
	if bad != nil {
		a.v.m.fail(vmhost.ReasonProtocol, &ProtocolError{fmt.Errorf("the result of %q: %w", a.id, bad)})
		return nil, a.v.readyError()
	}
	return r, err
}

// tool runs an operation of the pack.
func (v *VM) tool(ctx context.Context, p wire.ToolParams, onProgress func(wire.ToolProgress), onOutput func(wire.ExecOutput)) (*wire.ToolResult, error) {
	if p.ID == "" {
		p.ID = newID()
	}
	p.Limits = v.limits(p.Limits)
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: p.Op, Err: err}
	}
	if onOutput == nil {
		onOutput = func(wire.ExecOutput) {}
	}
	news := newOutput(ctx, v.life, onOutput, onProgress, vmhost.MaxToolOutput)
	stop, err := v.m.conv.listen(p.ID, news)
	if err != nil {
		news.finish()
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: p.Op, Err: err}
	}
	a := action{v, p.ID, p.Op, p.Limits.WallMS}
	var r wire.ToolResult
	err = a.run(ctx, func(ctx context.Context) error {
		return v.m.conv.call(ctx, wire.MethodToolRun, p, &r)
	})
	stop()
	news.finish()
	return checked(a, &r, r.ID, err)
}

// action is one that is under way.
type action struct {
	v        *VM
	id, what string
	wallMS   int64 // 0 for no limit
}

// run makes an action's calls. When ctx ends, or the guest does not keep the limit of
// time, the action is cancelled; run returns when it has ended in the guest, with the
// cause. A guest that does not follow a cancel loses its machine.
func (a action) run(ctx context.Context, calls func(context.Context) error) error {
	if a.wallMS > 0 {
		late := &vmhost.ActionError{Code: vmhost.ActionGuest, What: a.what, Err: fmt.Errorf("the guest did not keep the limit of %d ms", a.wallMS)}
		bounded, cancel := a.v.m.clock.timeout(ctx, time.Duration(a.wallMS)*time.Millisecond+a.v.m.timing.cancel, late)
		defer cancel()
		ctx = bounded
	}
	callCtx, drop := context.WithCancel(a.v.life)
	defer drop()
	var result error
	done := make(chan struct{})
	go func() {
		defer close(done)
		result = calls(callCtx)
	}()

	select {
	case <-done:
		return a.failure(result)
	case <-ctx.Done():
	}
	patience := make(chan struct{})
	defer a.v.m.clock.after(a.v.m.timing.cancel, func() { close(patience) })()
	// A cancel that came before the action did found nothing: again.
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		accepted := make(chan error, 1)
		go func() { accepted <- a.v.m.conv.call(callCtx, wire.MethodCancel, wire.ExecRef{ID: a.id}, nil) }()
		again := (<-chan time.Time)(nil)
		for once := true; once; {
			select {
			case <-done:
				if err := a.failure(result); a.v.life.Err() != nil {
					return err
				}
				return context.Cause(ctx)
			case <-patience:
				a.v.m.fail(vmhost.ReasonHung, fmt.Errorf("the agent did not end %q within %v of its cancel", a.what, a.v.m.timing.cancel))
				<-done // it ends with the VM's life
				return context.Cause(ctx)
			case err := <-accepted:
				if err != nil {
					again = time.After(pause)
				}
			case <-again:
				once = false
			}
		}
	}
}

// failure turns an error of the guest's into one of vmhost.
func (a action) failure(err error) error {
	if err == nil {
		return nil
	}
	var guest *jrpc2.Error
	var protocol *ProtocolError
	switch {
	case errors.As(err, &protocol):
		a.v.m.fail(vmhost.ReasonProtocol, err)
		return a.v.readyError()
	case errors.As(err, &guest):
		code := vmhost.ActionGuest
		switch guest.Code {
		case wire.CodeStart:
			code = vmhost.ActionStart
			if errorData(guest).Errno == noEntry {
				code = vmhost.ActionMissing
			}
		case wire.CodeInvalid, wire.CodeExists, wire.CodeNotFound, jrpc2.InvalidParams:
			code = vmhost.ActionInvalid
		case wire.CodeUnknownOp, jrpc2.MethodNotFound:
			code = vmhost.ActionUnknownOp
		case wire.CodeBusy:
			code = vmhost.ActionBusy
		}
		d := errorData(guest)
		return &vmhost.ActionError{Code: code, What: a.what, Retryable: d.Retryable, Hint: d.Hint, Err: guest}
	case errors.Is(err, wire.ErrLineTooLong):
		return &vmhost.ActionError{Code: vmhost.ActionInvalid, What: a.what, Err: err}
	case errors.Is(err, errConversationOver):
		<-a.v.life.Done() // the supervisor finds out why
	}
	if a.v.life.Err() != nil {
		return a.v.readyError()
	}
	return &vmhost.ActionError{Code: vmhost.ActionGuest, What: a.what, Err: err}
}

// limits are those of the action, and of the environment where they are lower.
func (v *VM) limits(l wire.Limits) wire.Limits {
	e := v.cfg.Env.Limits
	lower := func(own *int64, env int64) {
		if env > 0 && (*own == 0 || *own > env) {
			*own = env
		}
	}
	lower(&l.WallMS, e.WallMS)
	lower(&l.CPUMS, e.CPUMS)
	lower(&l.OutputBytes, e.OutputBytes)
	lower(&l.MemoryMB, e.MemoryMB)
	return l
}

func errorData(e *jrpc2.Error) wire.ErrorData {
	var d wire.ErrorData
	if json.Unmarshal(e.Data, &d) != nil {
		return wire.ErrorData{}
	}
	d.Hint = d.Hint[:min(len(d.Hint), maxAnswer)]
	return d
}

// noEntry is ENOENT of Linux.
const noEntry = 2

func newID() string { return rand.Text() }
