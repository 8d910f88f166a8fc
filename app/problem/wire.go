package problem

import (
	"errors"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost/wire"
)

// wireCodes maps the errors that the agent in the guest answers with.
var wireCodes = map[jrpc2.Code]struct{ code, cause string }{
	wire.CodeVersion:    {CodeVMFailed, "version"},
	wire.CodeNotFound:   {CodeVMFailed, "not-found"},
	wire.CodeExists:     {CodeVMFailed, "exists"},
	wire.CodeInvalid:    {CodeBadRequest, ""},
	wire.CodeStart:      {CodeStartFailed, ""},
	wire.CodeMount:      {CodeShareFailed, "mount"},
	wire.CodeUnknownOp:  {CodeUnsupported, ""},
	wire.CodeBusy:       {CodeVMFailed, "busy"},
	wire.CodeGuestFault: {CodeVMFailed, "guest"},
}

// endedCodes maps the reasons why an execution ended other than by itself.
var endedCodes = map[string]string{
	wire.EndedTimeout:     CodeTimeout,
	wire.EndedOutputLimit: CodeOutputLimit,
	wire.EndedCancelled:   CodeCancelled,
	wire.EndedOutOfMemory: CodeOutOfMemory,
	wire.EndedCPULimit:    CodeTimeout,
	wire.EndedIOLimit:     CodeIOLimit,
}

// fromWire knows the errors of the guest protocol.
func fromWire(err error) *Problem {
	if answer, is := errors.AsType[*jrpc2.Error](err); is {
		if of, ok := wireCodes[answer.Code]; ok {
			return New(of.code).By(of.cause)
		}
	}
	if invalid, is := errors.AsType[*wire.InvalidError](err); is {
		return New(CodeBadRequest).With("field", invalid.Field)
	}
	if errors.Is(err, wire.ErrLineTooLong) {
		return vmProblem("too-long", err, "")
	}
	return nil
}

// FromEnd returns the problem of an execution that did not end well, nil for
// one that did.
func FromEnd(r wire.ExecResult) *Problem {
	if r.Ended != "" {
		code, ok := endedCodes[r.Ended]
		if !ok {
			code = CodeToolFailed
		}
		return New(code).With("exitCode", r.ExitCode)
	}
	if r.ExitCode != 0 {
		p := New(CodeExitStatus).With("exitCode", r.ExitCode)
		if r.Signal != 0 {
			p = p.With("signal", r.Signal)
		}
		return p
	}
	return nil
}
