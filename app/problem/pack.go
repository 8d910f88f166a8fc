package problem

import (
	"errors"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// packKinds are the kinds of pack.VerifyError. Each is the cause of a problem
// of the code CodePackInvalid; those that a newer piwork would accept are
// CodePackTooNew where the pack is installed.
var packKinds = map[spec.Kind]struct{ newerApp bool }{
	spec.KindNotAPack:         {},
	spec.KindTruncated:        {},
	spec.KindCorrupt:          {},
	spec.KindTrailingData:     {},
	spec.KindTooLarge:         {},
	spec.KindMissingManifest:  {},
	spec.KindMissingSignature: {},
	spec.KindBadSignature:     {},
	spec.KindForeignKey:       {},
	spec.KindRevokedKey:       {},
	spec.KindWithdrawn:        {},
	spec.KindBadManifest:      {},
	spec.KindUnsafeName:       {},
	spec.KindUnsafeEntry:      {},
	spec.KindDuplicateFile:    {},
	spec.KindExtraFile:        {},
	spec.KindMissingFile:      {},
	spec.KindWrongSize:        {},
	spec.KindFlippedByte:      {},
	spec.KindWrongPlatform:    {},
	spec.KindWrongAppVersion:  {newerApp: true},
	spec.KindUnknownSchema:    {newerApp: true},
	spec.KindWrongVersion:     {},
	spec.KindNotExecutable:    {},
}

// fromPack knows the errors of pack and pack/trust.
func fromPack(err error) *Problem {
	var verify *spec.VerifyError
	var space *spec.SpaceError
	switch {
	case errors.As(err, &verify):
		p := New(CodePackInvalid).With("kind", string(verify.Kind)).By(string(verify.Kind))
		if verify.File != "" {
			p = p.With("file", verify.File)
		}
		if addOn, is := errors.AsType[*spec.AddOnError](err); is && addsTo(addOn, verify) {
			p = p.With("name", addOn.Name)
		}
		return p
	case errors.As(err, &space):
		return New(CodeDiskFull).lacking(space)
	}
	return fromSentinel(err, packErrors)
}

// lacking says how much room there has to be, and where.
func (p *Problem) lacking(space *spec.SpaceError) *Problem {
	return p.With("path", space.Dir).With("needBytes", space.Need).With("freeBytes", space.Free)
}

var packErrors = []sentinel{
	when(spec.ErrBusy, CodePackBusy, ""),
	when(spec.ErrCurrent, CodePackInUse, ""),
	when(pack.ErrInUse, CodePackInUse, ""),
	when(spec.ErrNotInstalled, CodePackMissing, ""),
	when(spec.ErrIncomplete, CodeDownloadFailed, "incomplete"),
	when(pack.ErrNotRebuilt, CodeBundleIncomplete, ""),
	when(spec.ErrNoRole, CodePackInvalid, "no-role"),
	when(trust.ErrRevoked, CodeKeyRevoked, ""),
	when(trust.ErrMalformed, CodePackInvalid, string(spec.KindBadSignature)),
	when(trust.ErrNoMatch, CodePackInvalid, string(spec.KindBadSignature)),
}

// addsTo tells whether it is the add-on that the first of several errors is about.
func addsTo(addOn *spec.AddOnError, first *spec.VerifyError) bool {
	var its *spec.VerifyError
	return errors.As(addOn, &its) && its == first
}

// Installed turns an error of looking at an installed pack into what stops
// every task: CodePackTooNew, CodeKeyRevoked or CodePackCorrupt where it cannot
// be used, CodeNotChecked where it could not be looked at.
func Installed(err error) *Problem {
	p := From(err)
	code := CodeNotChecked
	if p.Code == CodePackInvalid {
		code = CodePackCorrupt
		switch {
		case packKinds[spec.Kind(p.Cause)].newerApp:
			code = CodePackTooNew
		case p.Cause == string(spec.KindRevokedKey):
			code = CodeKeyRevoked
		}
	}
	out := New(code).Weigh(Blocking)
	out.Cause, out.Params, out.Details = p.Cause, p.Params, p.Details
	if code == CodeNotChecked {
		out.Cause = p.Code
	}
	return out
}
