package conversation

import (
	"bytes"
	"cmp"
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

// Executor carries out the actions of one runtime in its conversation.
type Executor struct {
	*Conversation

	// Life ends when the runtime fails or is closed; then Ended says why, as Execute
	// returns it. Fail is called, in any goroutine, for an agent that broke the protocol
	// or does not follow a cancel: the runtime fails, and Life ends.
	Life  context.Context
	Ended func() error
	Fail  func(vmhost.Reason, error)

	Runtime string                 // Capabilities.Name
	Cwd     string                 // where programs start without a word of the action
	Limits  vmhost.Limits          // of the environment: those of actions are at most these
	Can     func(what string) bool // whether the agent said so in its hello
	Cancel  time.Duration          // for a cancelled action to end
}

// Execute does one action of a runtime that is ready, as vmhost.Runtime has it.
func (x Executor) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := ctx.Err(); err != nil {
		return vmhost.Observation{}, context.Cause(ctx)
	}
	kinds := 0
	for _, set := range []bool{a.Exec != nil, a.Tool != nil, a.File != nil, a.Fetch != nil, a.Page != nil} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "action", Err: errors.New("an action has exactly one kind")}
	case a.Exec != nil:
		r, err := x.exec(ctx, *a.Exec, a)
		return vmhost.Observation{Exec: r}, err
	case a.File != nil:
		r, err := x.file(ctx, *a.File, a)
		return vmhost.Observation{File: r}, err
	case a.Fetch != nil:
		r, err := x.fetch(ctx, *a.Fetch, a)
		return vmhost.Observation{Fetch: r}, err
	case a.Page != nil:
		r, err := x.page(ctx, *a.Page, a)
		return vmhost.Observation{Page: r}, err
	default:
		r, err := x.tool(ctx, *a.Tool, a)
		return vmhost.Observation{Tool: r}, err
	}
}

// exec runs a program. How it is talked to is of the action of.
func (x Executor) exec(ctx context.Context, p wire.ExecParams, of vmhost.Action) (*wire.ExecResult, error) {
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
	p.Cwd = cmp.Or(p.Cwd, x.Cwd)
	p.Limits = x.limits(p.Limits)
	p.Request = of.Request
	p.KeepIn = false // nobody could write to it
	if input != nil && p.Stdin != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: errors.New("an action has one standard input")}
	}
	if len(p.Stdin) > stdinPiece {
		input, p.Stdin = io.NopCloser(bytes.NewReader(p.Stdin)), nil
	}
	p.KeepIn, p.Control = input != nil, of.Control != nil
	if of.Control != nil {
		defer of.Control.Close()
	}
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: err}
	}

	if p.Terminal != nil && !x.Can(wire.CanTerminal) {
		return nil, &vmhost.UnsupportedError{Runtime: x.Runtime, What: "terminal"}
	}

	if (p.Control || p.Clean) && !x.Can(wire.CanControl) {
		return nil, &vmhost.UnsupportedError{Runtime: x.Runtime, What: "control"}
	}

	p.Raw = true
	a := action{x, p.ID, what, p.Limits.WallMS}
	var r wire.ExecResult
	if onOutput == nil && input == nil && p.Terminal == nil && !p.Control && of.Signal == nil && of.OnStart == nil {
		err := a.run(ctx, func(ctx context.Context) error {
			return x.Call(ctx, wire.MethodExecRun, p, &r)
		})
		return checked(a, &r, r.ID, err)
	}

	p.Ahead = outputAhead
	out := newOutput(ctx, x.Life, onOutput, nil, p.Limits.OutputBytes, func(bytes int64) {
		x.tell(wire.NotifyExecTaken, wire.ExecTaken{ID: p.ID, Bytes: bytes})
	})
	stop, err := x.listen(p.ID, out)
	if err != nil {
		out.finish()
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: what, Err: err}
	}
	err = a.run(ctx, func(ctx context.Context) error {
		if err := x.Call(ctx, wire.MethodExecStart, p, nil); err != nil {
			return err
		}
		if of.OnStart != nil {
			of.OnStart()
		}
		talk, cancel := context.WithCancel(ctx)
		var talking sync.WaitGroup
		defer talking.Wait()
		defer cancel()
		if input != nil {
			defer input.Close() // ends a Read
			talking.Go(func() {
				defer input.Close() // nobody waits to write to a program that takes no more
				a.feed(talk, input, wire.ExecWrite{ID: a.id})
			})
		}
		if of.Control != nil {
			defer of.Control.Close() // likewise
			talking.Go(func() {
				defer of.Control.Close()
				a.feed(talk, of.Control, wire.ExecWrite{ID: a.id, Control: true})
			})
		}
		if of.Signal != nil {
			talking.Go(func() { a.signal(talk, of.Signal) })
		}
		if of.Resize != nil {
			talking.Go(func() { a.resize(talk, of.Resize) })
		}
		return x.Call(ctx, wire.MethodExecWait, wire.ExecRef{ID: p.ID}, &r)
	})
	stop()
	cut := out.finish()
	if onOutput == nil {
		r.Stdout, r.Stderr = out.stdout, out.stderr
	}
	r.Truncated = r.Truncated || cut
	return checked(a, &r, r.ID, err)
}

// feed writes to a program's standard input, or where else w says, what r gives, and ends it
// after. A program that does not want it has closed it.
func (a action) feed(ctx context.Context, r io.Reader, w wire.ExecWrite) {
	buf := make([]byte, stdinPiece)
	for {
		n, err := r.Read(buf)
		if ctx.Err() != nil {
			return
		}
		w.Data, w.Close = buf[:n], err != nil
		if n == 0 && !w.Close {
			continue
		}
		if err := a.x.Call(ctx, wire.MethodExecWrite, w, nil); err != nil {
			var guest *jrpc2.Error
			if ended := errors.As(err, &guest) && guest.Code == wire.CodeNotFound; !ended && ctx.Err() == nil {
				a.x.log.Warn("a program did not get its input", "err", err)
			}
			return
		}
		if w.Close {
			return
		}
	}
}

// resize tells a program's terminal its sizes. A program that is over has none.
func (a action) resize(ctx context.Context, sizes <-chan wire.TerminalSize) {
	for {
		select {
		case size := <-sizes:
			err := a.x.Call(ctx, wire.MethodExecResize, wire.ExecResize{ID: a.id, TerminalSize: size}, nil)
			if err != nil && ctx.Err() == nil {
				a.x.log.Debug("a terminal did not take its size", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// signal sends signals to a program. One that is over takes none.
func (a action) signal(ctx context.Context, signals <-chan int) {
	for {
		select {
		case n := <-signals:
			err := a.x.Call(ctx, wire.MethodExecSignal, wire.ExecSignal{ID: a.id, Signal: n}, nil)
			if err != nil && ctx.Err() == nil {
				a.x.log.Debug("a program did not take a signal", "err", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// broken is the end of a runtime whose agent broke the protocol. Its error is never nil: while
// another failure of the runtime is being noted, Ended does not say it yet.
func (x Executor) broken(err error) error {
	x.Fail(vmhost.ReasonProtocol, err)
	return cmp.Or(x.Ended(), err)
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
		return nil, a.x.broken(&ProtocolError{fmt.Errorf("the result of %q: %w", a.id, bad)})
	}
	return r, err
}

// tool runs an operation of the pack.
func (x Executor) tool(ctx context.Context, p wire.ToolParams, of vmhost.Action) (*wire.ToolResult, error) {
	if !x.Can(wire.CanTool) {
		return nil, &vmhost.UnsupportedError{Runtime: x.Runtime, What: "operations"}
	}
	if p.ID == "" {
		p.ID = newID()
	}
	p.Limits, p.Request = x.limits(p.Limits), of.Request
	if err := p.Validate(); err != nil {
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: p.Op, Err: err}
	}
	onOutput := of.OnOutput
	if onOutput == nil {
		onOutput = func(wire.ExecOutput) {}
	}
	news := newOutput(ctx, x.Life, onOutput, of.OnProgress, vmhost.MaxToolOutput, nil)
	stop, err := x.listen(p.ID, news)
	if err != nil {
		news.finish()
		return nil, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: p.Op, Err: err}
	}
	a := action{x, p.ID, p.Op, p.Limits.WallMS}
	var r wire.ToolResult
	err = a.run(ctx, func(ctx context.Context) error {
		return x.Call(ctx, wire.MethodToolRun, p, &r)
	})
	stop()
	news.finish()
	return checked(a, &r, r.ID, err)
}

// action is one that is under way.
type action struct {
	x        Executor
	id, what string
	wallMS   int64 // 0 for no limit
}

// run makes an action's calls. When ctx ends, or the guest does not keep the limit of
// time, the action is cancelled; run returns when it has ended in the guest, with the
// cause. A guest that does not follow a cancel is the end of its runtime.
func (a action) run(ctx context.Context, calls func(context.Context) error) error {
	if a.wallMS > 0 {
		late := &vmhost.ActionError{Code: vmhost.ActionGuest, What: a.what, Err: fmt.Errorf("the guest did not keep the limit of %d ms", a.wallMS)}
		bounded, cancel := a.x.clock.Timeout(ctx, time.Duration(a.wallMS)*time.Millisecond+a.x.Cancel, late)
		defer cancel()
		ctx = bounded
	}
	callCtx, drop := context.WithCancel(a.x.Life)
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
	defer a.x.clock.After(a.x.Cancel, func() { close(patience) })()
	// A cancel that came before the action did found nothing: again.
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		accepted := make(chan error, 1)
		go func() { accepted <- a.x.Call(callCtx, wire.MethodCancel, wire.ExecRef{ID: a.id}, nil) }()
		again := (<-chan time.Time)(nil)
		for once := true; once; {
			select {
			case <-done:
				if err := a.failure(result); a.x.Life.Err() != nil {
					return err
				}
				return context.Cause(ctx)
			case <-patience:
				a.x.Fail(vmhost.ReasonHung, fmt.Errorf("the agent did not end %q within %v of its cancel", a.what, a.x.Cancel))
				<-done // it ends with the runtime's life
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
		return a.x.broken(err)
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
	case errors.Is(err, ErrOver):
		<-a.x.Life.Done() // the runtime's owner finds out why
	}
	if why := a.x.Ended(); why != nil { // an agent that is ending gives up, too
		return why
	}
	return &vmhost.ActionError{Code: vmhost.ActionGuest, What: a.what, Err: err}
}

// limits are those of the action, and of the environment where they are lower.
func (x Executor) limits(l wire.Limits) wire.Limits {
	e := x.Limits
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
