package problem

import (
	"errors"

	"piwork/vmhost"
)

// reasonCodes maps why a runtime failed. Its reason is the problem's cause.
var reasonCodes = map[vmhost.Reason]string{
	vmhost.ReasonStart:    CodeVMFailed,
	vmhost.ReasonExited:   CodeVMFailed,
	vmhost.ReasonPanic:    CodeVMFailed,
	vmhost.ReasonDamaged:  CodePackCorrupt,
	vmhost.ReasonStalled:  CodeVMFailed,
	vmhost.ReasonHung:     CodeVMFailed,
	vmhost.ReasonClosed:   CodeVMFailed,
	vmhost.ReasonProtocol: CodeVMFailed,
	vmhost.ReasonVersion:  CodeVMFailed,
	vmhost.ReasonRefused:  CodeVMFailed,
	vmhost.ReasonShare:    CodeShareFailed,
	vmhost.ReasonDiskFull: CodeDiskFull,
	vmhost.ReasonHost:     CodeVMFailed,
	vmhost.ReasonStopped:  CodeCancelled,

	vmhost.ReasonSandboxMissing: CodeVMFailed,
	vmhost.ReasonSandboxDenied:  CodeVMFailed,
	vmhost.ReasonEngineMissing:  CodeVMFailed,
	vmhost.ReasonEngineLost:     CodeVMFailed,
}

// actionCodes maps why an action could not be run.
var actionCodes = map[vmhost.ActionCode]string{
	vmhost.ActionInvalid:   CodeBadRequest,
	vmhost.ActionStart:     CodeStartFailed,
	vmhost.ActionMissing:   CodeStartFailed,
	vmhost.ActionUnknownOp: CodeUnsupported,
	vmhost.ActionBusy:      CodeVMFailed,
	vmhost.ActionGuest:     CodeVMFailed,
}

// fromRuntime knows the typed errors of vmhost.
func fromRuntime(err error) *Problem {
	var failed *vmhost.FailedError
	if errors.As(err, &failed) {
		code, ok := reasonCodes[failed.Reason]
		if !ok {
			code = CodeVMFailed
		}
		p := New(code).With("runtime", failed.Runtime).With("reason", string(failed.Reason)).By(string(failed.Reason))
		if failed.Step != "" {
			p = p.With("step", failed.Step)
		}
		if failed.Image != "" {
			p = p.With("image", failed.Image)
		}
		p.Details = evidence(err, failed.Detail)
		if failed.Reason == vmhost.ReasonSandboxMissing || failed.Reason == vmhost.ReasonSandboxDenied {
			p.Fix = Fixes(FixShowDetails) // what helps is done outside of piwork, and its words say it
		}
		return p
	}
	var action *vmhost.ActionError
	if errors.As(err, &action) {
		code, ok := actionCodes[action.Code]
		if !ok {
			code = CodeVMFailed
		}
		return New(code).With("what", action.What).By(string(action.Code))
	}
	var unsupported *vmhost.UnsupportedError
	if errors.As(err, &unsupported) {
		return New(CodeUnsupported).With("runtime", unsupported.Runtime).With("what", unsupported.What)
	}
	if errors.Is(err, vmhost.ErrNotReady) {
		return vmProblem("not-ready", err, "")
	}
	return nil
}
