package problem

import (
	"errors"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
)

// proofStages are the stages at which a proof boot fails; each is the cause of
// its problem.
var proofStages = map[qemu.Stage]bool{
	qemu.StageStart:     true,
	qemu.StageFirstByte: true,
	qemu.StageAgent:     true,
}

// fromQEMU knows the errors of vmhost/qemu and vmhost/conversation.
func fromQEMU(err error) *Problem {
	var proof *qemu.ProofError
	var start *qemu.StartError
	var exit *qemu.ExitError
	var command *qemu.CommandError
	var protocol *conversation.ProtocolError
	var refused *conversation.RefusedError
	switch {
	case errors.As(err, &proof):
		p := New(CodeAccelUnavailable).With("accel", string(proof.Accel)).With("stage", string(proof.Stage)).
			With("elapsedMs", proof.Elapsed.Milliseconds())
		if proof.Deadline > 0 {
			p = p.With("deadlineMs", proof.Deadline.Milliseconds())
		}
		if proofStages[proof.Stage] {
			p.Cause = string(proof.Stage)
		}
		p.Details = evidence(err, proof.Output)
		return p
	case errors.As(err, &start):
		return vmProblem("start", err, start.Output)
	case errors.As(err, &exit):
		return vmProblem("exited", err, exit.Output)
	case errors.As(err, &command), errors.Is(err, qemu.ErrMonitorClosed), errors.Is(err, qemu.ErrMonitorBusy):
		return vmProblem("monitor", err, "")
	case errors.As(err, &protocol):
		return vmProblem(string(vmhost.ReasonProtocol), err, "")
	case errors.As(err, &refused):
		return vmProblem(string(refused.Reason), err, "")
	case errors.Is(err, conversation.ErrOver):
		return vmProblem(string(vmhost.ReasonClosed), err, "")
	case errors.Is(err, qemu.ErrNotQCOW2):
		return New(CodePackInvalid).With("kind", "work").By("work")
	}
	return fromSentinel(err, qemuErrors)
}

// qemuErrors are of templates: they reach a person only where even a machine without one
// did not come up.
var qemuErrors = []sentinel{
	when(qemu.ErrNoTemplates, CodeVMFailed, "template"),
	when(qemu.ErrBadState, CodeVMFailed, "template"),
	when(qemu.ErrOtherMachine, CodeVMFailed, "template"),
	when(qemu.ErrUnseenMemory, CodeVMFailed, "template"),
	when(qemu.ErrNoFolderDevice, CodeVMFailed, "template"),
	when(qemu.ErrSilentDevice, CodeVMFailed, "template"),
	when(qemu.ErrNoPlace, CodeVMFailed, "template"),
}

func vmProblem(cause string, err error, output string) *Problem {
	p := New(CodeVMFailed).By(cause)
	p.Details = evidence(err, output)
	return p
}

// maxEvidence is how much of a runtime's own words a problem carries, in bytes:
// its end, where the cause is.
const maxEvidence = 4 << 10

// evidence is an error and the end of what a program said.
func evidence(err error, output string) string {
	output = strings.TrimSpace(output)
	if output = output[max(0, len(output)-maxEvidence):]; output == "" || strings.Contains(err.Error(), output) {
		return err.Error() // which may say it already
	}
	return err.Error() + "\n" + strings.ToValidUTF8(output, "\uFFFD")
}
