package problem

import (
	"errors"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// fromShare knows the errors of vmhost/share and its journal.
func fromShare(err error) *Problem {
	var refused *share.RefusedError
	switch {
	case errors.As(err, &refused):
		p := New(CodeFolderRefused).With("path", refused.Path).With("reason", string(refused.Code))
		p.Cause = string(refused.Code)
		switch refused.Code {
		case share.RefusedHome, share.RefusedDiskRoot:
			p.Fix = Fixes(FixPickSubfolder)
		case share.RefusedNoPermission:
			p.Fix = Fixes(FixFolderRights, FixPickFolder)
		}
		return p
	case errors.Is(err, journal.ErrUnknownChange), errors.Is(err, journal.ErrNoContent),
		errors.Is(err, journal.ErrChangedSince), errors.Is(err, journal.ErrNoImage):
		return New(CodeNotFound)
	case errors.Is(err, journal.ErrUnfinished):
		p := New(CodeMoveRefused)
		p.Cause = "unfinished"
		return p
	case errors.Is(err, journal.ErrLocked):
		return New(CodeTaskRunning)
	case errors.Is(err, journal.ErrFull):
		return New(CodeDiskFull)
	case errors.Is(err, share.ErrReadOnly):
		return New(CodeOutputDenied)
	}
	for _, f := range shareFaults {
		if errors.Is(err, f.err) {
			p := New(CodeShareFailed)
			p.Cause = f.cause
			return p
		}
	}
	return nil
}

// shareFaults are why a folder is not served, with their causes.
var shareFaults = []struct {
	err   error
	cause string
}{
	{share.ErrClosed, "closed"}, {journal.ErrClosed, "closed"}, {share.ErrTooManyOpen, "too-many-open"}, {share.ErrGone, "gone"},
	{share.ErrDuplicate, "duplicate"}, {journal.ErrRaced, "raced"}, {journal.ErrSpecial, "special"},
}
