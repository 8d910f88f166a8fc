//go:build linux

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/creachadair/jrpc2"

	"piwork/pack/guest/execution"
	"piwork/vmhost/wire"
)

// message is a parameter of a method.
type message interface{ Validate() error }

// Ways a method is admitted.
type admission int

const (
	always  admission = iota // answered at any time
	based                    // waits for the root image
	rooted                   // as based, and refused before guest.prepare
	waiting                  // as rooted, and takes a slot of the long calls
)

// method makes a handler of fn: it decodes and checks the parameters, admits
// the call, turns errors into those of the protocol and keeps a panic from
// ending the guest.
func method[P message, R any](a *Agent, admit admission, fn func(context.Context, P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (result any, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fault(wire.CodeGuestFault, fmt.Errorf("%s: panic: %v\n%s", req.Method(), r, debug.Stack()))
			}
		}()
		var p P
		if req.HasParams() {
			if err := req.UnmarshalParams(&p); err != nil {
				return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: err.Error()}
			}
		}
		if err := p.Validate(); err != nil {
			return nil, fault(wire.CodeInvalid, err)
		}
		release, err := a.admit(ctx, admit)
		if err != nil {
			return nil, err
		}
		defer release()
		r, err := fn(ctx, p)
		if err != nil {
			return nil, asError(err)
		}
		return r, nil
	}
}

func (a *Agent) admit(ctx context.Context, how admission) (release func(), err error) {
	if how == always {
		return func() {}, nil
	}
	select {
	case <-a.cfg.Ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := a.cfg.RootError(); err != nil {
		return nil, fault(wire.CodeGuestFault, fmt.Errorf("the guest has no root: %w", err))
	}
	if how == based {
		return func() {}, nil
	}
	if !a.prepared.Load() {
		return nil, fault(wire.CodeUnprepared, errors.New("guest.prepare comes first"))
	}
	if how == rooted {
		return func() {}, nil
	}
	select {
	case a.long <- struct{}{}:
		return func() { <-a.long }, nil
	default:
		return nil, fault(wire.CodeBusy, fmt.Errorf("%d calls are waiting already", maxLong))
	}
}

// codedError is an error of this room that knows its code.
type codedError struct {
	code jrpc2.Code
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// coded gives an error the code that the host tells cases apart by.
func coded(code jrpc2.Code, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code, err}
}

// asError turns an error of the rooms below into one of the protocol.
func asError(err error) error {
	var ready *jrpc2.Error
	var known *codedError
	var bad *wire.InvalidError
	var start *execution.StartError
	switch {
	case errors.As(err, &ready):
		return ready
	case errors.As(err, &known):
		return fault(known.code, err)
	case errors.As(err, &bad):
		return fault(wire.CodeInvalid, err)
	case errors.As(err, &start):
		return withData(wire.CodeStart, err, wire.ErrorData{Errno: start.Errno()})
	case errors.Is(err, execution.ErrNotFound), errors.Is(err, execution.ErrEnded):
		return fault(wire.CodeNotFound, err)
	case errors.Is(err, execution.ErrExists):
		return fault(wire.CodeExists, err)
	case errors.Is(err, execution.ErrBusy):
		return fault(wire.CodeBusy, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err // jrpc2 has codes for them
	}
	return fault(wire.CodeGuestFault, err)
}

// fault makes an error of the protocol with its data.
func fault(code jrpc2.Code, err error) *jrpc2.Error {
	return withData(code, err, wire.ErrorData{Retryable: code == wire.CodeBusy})
}

func withData(code jrpc2.Code, err error, d wire.ErrorData) *jrpc2.Error {
	data, merr := json.Marshal(d)
	if merr != nil {
		data = nil
	}
	return &jrpc2.Error{Code: code, Message: bounded(err.Error()), Data: data}
}

func isTooLong(err error) bool { return errors.Is(err, wire.ErrLineTooLong) }
