package problem

import (
	"path"

	"piwork/vmhost/wire"
)

// toolCodes are the codes that the operations of pack/tools report, as they
// are: each is a code of this package too.
var toolCodes = map[string]bool{
	CodeInputBroken: true, CodeInputUnsupported: true, CodeInputMissing: true, CodeInputUnreadable: true,
	CodeInputTooLarge: true, CodeInputLink: true, CodeInputHasText: true, CodeInputNoReceipt: true, CodeInputLocked: true, CodeOutputExists: true, CodeOutputDenied: true, CodeDiskFull: true,
	CodeToolFailed: true, CodeChangedSince: true, CodeTimeout: true, CodeOutOfMemory: true, CodeCancelled: true,
}

// FromTool turns what an operation says of one input, or of itself, into a
// problem. A code that is not in the tables is CodeToolFailed with the code as
// cause: a tool in the guest cannot invent problems.
func FromTool(t wire.ToolProblem) *Problem {
	var p *Problem
	if toolCodes[t.Code] {
		p = New(t.Code)
	} else {
		p = New(CodeToolFailed)
		p.Cause = t.Code
	}
	p.Details = t.Detail
	if t.Path != "" {
		p = p.With("path", t.Path).With("name", path.Base(t.Path))
		p.Severity = Warning // the rest is done
	}
	return p
}
