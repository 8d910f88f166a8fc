package problem

import (
	"errors"

	"piwork/pack"
	"piwork/pack/trust"
)

// packKinds are the kinds of pack.VerifyError. Each is the cause of a problem
// of the code CodePackInvalid; those that a newer piwork would accept are
// CodePackTooNew where the pack is installed.
var packKinds = map[pack.Kind]struct{ newerApp bool }{
	pack.KindNotAPack:         {},
	pack.KindTruncated:        {},
	pack.KindCorrupt:          {},
	pack.KindTrailingData:     {},
	pack.KindTooLarge:         {},
	pack.KindMissingManifest:  {},
	pack.KindMissingSignature: {},
	pack.KindBadSignature:     {},
	pack.KindForeignKey:       {},
	pack.KindRevokedKey:       {},
	pack.KindWithdrawn:        {},
	pack.KindBadManifest:      {},
	pack.KindUnsafeName:       {},
	pack.KindUnsafeEntry:      {},
	pack.KindDuplicateFile:    {},
	pack.KindExtraFile:        {},
	pack.KindMissingFile:      {},
	pack.KindWrongSize:        {},
	pack.KindFlippedByte:      {},
	pack.KindWrongPlatform:    {},
	pack.KindWrongAppVersion:  {newerApp: true},
	pack.KindUnknownSchema:    {newerApp: true},
	pack.KindWrongVersion:     {},
	pack.KindNotExecutable:    {},
}

// fromPack knows the errors of pack and pack/trust.
func fromPack(err error) *Problem {
	var verify *pack.VerifyError
	var space *pack.SpaceError
	switch {
	case errors.As(err, &verify):
		p := New(CodePackInvalid).With("kind", string(verify.Kind))
		p.Cause = string(verify.Kind)
		if verify.File != "" {
			p = p.With("file", verify.File)
		}
		var addOn *pack.AddOnError
		if errors.As(err, &addOn) && addsTo(addOn, verify) {
			p = p.With("name", addOn.Name)
		}
		return p
	case errors.As(err, &space):
		return New(CodeDiskFull).With("path", space.Dir).With("needBytes", space.Need).With("freeBytes", space.Free)
	case errors.Is(err, pack.ErrBusy):
		return New(CodePackBusy)
	case errors.Is(err, pack.ErrCurrent), errors.Is(err, pack.ErrInUse):
		return New(CodePackInUse)
	case errors.Is(err, pack.ErrNotInstalled):
		return New(CodePackMissing)
	case errors.Is(err, pack.ErrIncomplete):
		p := New(CodeDownloadFailed)
		p.Cause = "incomplete"
		return p
	case errors.Is(err, pack.ErrNotRebuilt):
		return New(CodeBundleIncomplete)
	case errors.Is(err, pack.ErrNoIndex):
		p := New(CodeDownloadFailed)
		p.Cause, p.Fix = "no-index", Fixes(FixInstallPack, FixGetPack)
		return p
	case errors.Is(err, pack.ErrNoRole):
		p := New(CodePackInvalid)
		p.Cause = "no-role"
		return p
	case errors.Is(err, trust.ErrRevoked):
		return New(CodeKeyRevoked)
	case errors.Is(err, trust.ErrMalformed), errors.Is(err, trust.ErrNoMatch):
		p := New(CodePackInvalid)
		p.Cause = string(pack.KindBadSignature)
		return p
	}
	return nil
}

// addsTo tells whether it is the add-on that the first of several errors is about.
func addsTo(addOn *pack.AddOnError, first *pack.VerifyError) bool {
	var its *pack.VerifyError
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
		case packKinds[pack.Kind(p.Cause)].newerApp:
			code = CodePackTooNew
		case p.Cause == string(pack.KindRevokedKey):
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
