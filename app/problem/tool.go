package problem

import (
	"path"
	"slices"
	"strconv"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// toolCodes are the codes that the operations of pack/tools report, as they
// are: each is a code of this package too.
var toolCodes = map[string]bool{
	CodeInputBroken: true, CodeInputUnsupported: true, CodeInputMissing: true, CodeInputUnreadable: true, CodeInputOnline: true,
	CodeInputTooLarge: true, CodeInputLink: true, CodeInputHasText: true, CodeInputNoReceipt: true, CodeInputLocked: true, CodeNotCompared: true, CodeEntryLeftOut: true, CodeOutputExists: true, CodeOutputName: true, CodeOutputDenied: true, CodeDiskFull: true,
	CodeToolFailed: true, CodeChangedSince: true, CodeTimeout: true, CodeOutOfMemory: true, CodeIOLimit: true, CodeCancelled: true,
}

// entryCauses are the reasons why an entry of an archive is left out.
var entryCauses = []string{tools.EntryOutside, tools.EntryLink, tools.EntrySpecial, tools.EntryName, tools.EntryTaken, tools.EntryMore}

// ofEntry adds which entry of an archive a problem is about, and why. Both come from the
// guest: a reason that there is not is none.
func (p *Problem) ofEntry(t wire.ToolProblem) *Problem {
	if t.Entry != "" {
		p = p.With("entry", t.Entry)
	}
	if slices.Contains(entryCauses, t.Cause) {
		p.Cause = t.Cause
	}
	if t.Cause == tools.EntryMore {
		p = p.counted(t)
	}
	return p
}

// counted adds how many there are, which the detail says.
func (p *Problem) counted(t wire.ToolProblem) *Problem {
	if n, err := strconv.Atoi(t.Detail); err == nil {
		p = p.With("count", n)
	}
	return p
}

// FromTool turns what an operation says of one input, or of itself, into a
// problem. A code that is not in the tables is CodeToolFailed with the code as
// cause: a tool in the guest cannot invent problems.
func FromTool(t wire.ToolProblem) *Problem {
	var p *Problem
	if toolCodes[t.Code] {
		p = New(t.Code)
	} else {
		p = New(CodeToolFailed).By(t.Code)
	}
	p.Details = t.Detail
	switch t.Code {
	case CodeEntryLeftOut:
		p = p.ofEntry(t)
	case CodeNotCompared:
		p = p.counted(t)
	case tools.MoreResults:
		p.Severity = Warning // what there was room for is whole
	}
	if t.Path != "" {
		p = p.With("path", t.Path).With("name", path.Base(t.Path))
		p.Severity = Warning // the rest is done
	}
	return p
}
