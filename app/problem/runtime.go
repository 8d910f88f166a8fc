package problem

import (
	"errors"
	"os"
	"slices"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/wire"
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

	vmhost.ReasonSystem:   CodeUnsupported,
	vmhost.ReasonTooLarge: CodeRuntimeUnfit,

	vmhost.ReasonSandboxMissing: CodeVMFailed,
	vmhost.ReasonSandboxDenied:  CodeVMFailed,
	vmhost.ReasonEngineMissing:  CodeVMFailed,
	vmhost.ReasonEngineLost:     CodeVMFailed,
	vmhost.ReasonHostRoot:       CodeVMFailed,

	vmhost.ReasonHostKeyUnknown:    CodeVMFailed,
	vmhost.ReasonHostKeyChanged:    CodeVMFailed,
	vmhost.ReasonRemoteUnreachable: CodeVMFailed,
	vmhost.ReasonRemoteLogin:       CodeVMFailed,
	vmhost.ReasonRemoteUnfit:       CodeVMFailed,
	vmhost.ReasonRemoteFull:        CodeVMFailed,
	vmhost.ReasonRemoteLost:        CodeVMFailed,

	vmhost.ReasonClusterContext:     CodeVMFailed,
	vmhost.ReasonClusterUnreachable: CodeVMFailed,
	vmhost.ReasonClusterLogin:       CodeVMFailed,
	vmhost.ReasonClusterUnfit:       CodeVMFailed,
	vmhost.ReasonClusterLost:        CodeVMFailed,

	vmhost.ReasonSandboxAppArmor: CodeVMFailed,
	vmhost.ReasonSandboxClone:    CodeVMFailed,
	vmhost.ReasonSandboxMax:      CodeVMFailed,
}

// helpedOutside are reasons of which what helps is done outside of piwork, and the words say
// it.
var helpedOutside = []vmhost.Reason{
	vmhost.ReasonSandboxDenied, vmhost.ReasonHostRoot, vmhost.ReasonHostKeyUnknown, vmhost.ReasonHostKeyChanged,
	vmhost.ReasonRemoteUnreachable, vmhost.ReasonRemoteLogin, vmhost.ReasonRemoteUnfit, vmhost.ReasonRemoteFull, vmhost.ReasonRemoteLost,
	vmhost.ReasonClusterContext, vmhost.ReasonClusterUnreachable, vmhost.ReasonClusterLogin, vmhost.ReasonClusterUnfit, vmhost.ReasonClusterLost,
}

// sandboxSettings are what allows sandboxes, by the reason for which there are none.
var sandboxSettings = map[vmhost.Reason]string{
	vmhost.ReasonSandboxAppArmor: "kernel.apparmor_restrict_unprivileged_userns=0",
	vmhost.ReasonSandboxClone:    "kernel.unprivileged_userns_clone=1",
	vmhost.ReasonSandboxMax:      "user.max_user_namespaces=28633",
}

// outsideFixes are what a person does outside of piwork about a reason, nil where it is
// something else that helps.
func outsideFixes(r vmhost.Reason) []Fix {
	if setting, ok := sandboxSettings[r]; ok {
		fix := Fixes(FixAllowSandbox, FixShowDetails)
		fix[0].Command = "echo " + setting + " | sudo tee /etc/sysctl.d/60-piwork-sandbox.conf && sudo sysctl -p /etc/sysctl.d/60-piwork-sandbox.conf"
		return fix
	}
	switch {
	case r == vmhost.ReasonSandboxMissing:
		return Fixes(FixBubblewrap, FixShowDetails)
	case r == vmhost.ReasonEngineLost || r == vmhost.ReasonEngineMissing:
		return Fixes(FixStartAgain, FixElsewhere, FixShowDetails)
	case slices.Contains(helpedOutside, r):
		return Fixes(FixShowDetails)
	}
	return nil
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

// UnknownRemote is the problem of another computer, or a cluster, that nobody added; known
// are the names of those that there are.
func UnknownRemote(name string, known []string) *Problem {
	return New(CodeNotFound).With("place", name).With("places", strings.Join(known, ", ")).By("unknown-remote")
}

// Causes of CodeRuntimeUnfit of a place that is not among those that will do.
const (
	CauseRequired = "required"  // who asks for it says so
	CauseFileRule = "file-rule" // a person allows changes of files only elsewhere
)

// maxPaths is how many names the details of a problem list.
const maxPaths = 20

// actCodes maps why an action on a file could not be done.
var actCodes = map[string]string{
	wire.ActMissing:     CodeFileMissing,
	wire.ActChanged:     CodeFileChanged,
	wire.ActOutside:     CodeFileOutside,
	wire.ActKind:        CodeFileKind,
	wire.ActTooLarge:    CodeFileTooLarge,
	wire.ActDenied:      CodePermission,
	wire.ActFull:        CodeDiskFull,
	wire.ActUnreachable: CodeWebUnreachable,
	wire.ActNoProgram:   CodeAddOnMissing,
	wire.ActOnline:      CodeInputOnline,
	wire.ActName:        CodeBadRequest,
	wire.ActNoElement:   CodeToolFailed,
	wire.ActTooMuch:     CodeToolFailed,
	wire.ActFailed:      CodeToolFailed,
}

// fromRuntime knows the typed errors of vmhost.
func fromRuntime(err error) *Problem {
	if large, is := errors.AsType[*vmhost.TooLargeError](err); is {
		p := New(CodeRuntimeUnfit).With("runtime", large.Runtime).With("maxFiles", large.MaxFiles).With("maxBytes", large.MaxBytes)
		return p.By(string(vmhost.ReasonTooLarge))
	}
	if needs, is := errors.AsType[*vmhost.RequirementError](err); is {
		p := New(CodeRuntimeUnfit).With("runtime", needs.Runtime).With("lacks", needs.Lacks).By(CauseRequired)
		if needs.Rule {
			p.Cause = CauseFileRule
		}
		if len(needs.Kinds) > 0 {
			p = p.With("kinds", strings.Join(needs.Kinds, ", "))
		}
		if needs.AtLeast != "" {
			p = p.With("atLeast", string(needs.AtLeast))
		}
		return p
	}
	if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); is {
		p := New(CodeShareFailed).With("file", unsaved.Paths[0]).By("unsaved")
		if more := len(unsaved.Paths) - 1; more > 0 {
			p = p.With("more", more)
		}
		p.Details = evidence(err, strings.Join(unsaved.Paths[:min(len(unsaved.Paths), maxPaths)], "\n"))
		return p
	}
	if failed, is := errors.AsType[*vmhost.FailedError](err); is {
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
		if fix := outsideFixes(failed.Reason); fix != nil {
			p.Fix = fix
		}
		if program, err := os.Executable(); err == nil && failed.Reason == vmhost.ReasonSandboxAppArmor {
			p = p.With("program", program) // that a profile of AppArmor is for
		}
		return p
	}
	if act, is := errors.AsType[*vmhost.FailedActionError](err); is {
		code, ok := actCodes[act.Code]
		if !ok {
			code = CodeToolFailed // of a newer guest
		}
		p := New(code).Weigh(Failed)
		switch act.Code {
		case wire.ActName:
			p = p.With("field", "path")
		case wire.ActNoElement, wire.ActTooMuch:
			p = p.By(act.Code)
		}
		if act.Path != "" {
			p = p.With("path", act.Path)
		}
		if act.SHA256 != "" {
			p = p.With("sha256", act.SHA256)
		}
		return p
	}
	if action, is := errors.AsType[*vmhost.ActionError](err); is {
		code, ok := actionCodes[action.Code]
		if !ok {
			code = CodeVMFailed
		}
		return New(code).With("what", action.What).By(string(action.Code))
	}
	if unsupported, is := errors.AsType[*vmhost.UnsupportedError](err); is {
		p := New(CodeUnsupported).With("runtime", unsupported.Runtime).With("what", unsupported.What).By(unsupported.Cause)
		if unsupported.Cause == vmhost.CauseMount {
			p.Fix = Fixes(FixFUSE, FixShowDetails)
		}
		return p
	}
	if errors.Is(err, vmhost.ErrNotReady) {
		return vmProblem("not-ready", err, "")
	}
	return nil
}
