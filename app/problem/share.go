package problem

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// fromShare knows the errors of vmhost/share and its journal.
func fromShare(err error) *Problem {
	if errors.Is(err, journal.ErrUnfinished) {
		if p := fromAway(err); p != nil {
			return p
		}
	}
	var refused *share.RefusedError
	if !errors.As(err, &refused) && errors.Is(err, share.ErrMoved) {
		refused = &share.RefusedError{Code: share.RefusedMoved}
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			refused.Path = at.Path
		}
	}
	if refused != nil {
		p := New(CodeFolderRefused).With("path", refused.Path).With("reason", string(refused.Code)).By(string(refused.Code))
		switch refused.Code {
		case share.RefusedHome, share.RefusedDiskRoot:
			p.Fix = Fixes(FixPickSubfolder)
		case share.RefusedMoved:
			p.Fix = Fixes(FixPickFolder)
		case share.RefusedNoPermission:
			p.Fix = Fixes(FixFolderRights, FixPickFolder)
		}
		return p
	}
	if silent, is := errors.AsType[*drive.SilentError](err); is {
		return New(CodeFolderSilent).With("path", silent.Dir).With("name", filepath.Base(silent.Dir))
	}
	return fromSentinel(err, shareErrors)
}

// fromAway is about an undo or a redo that waits for a folder; nil where err names none.
func fromAway(err error) *Problem {
	var path string
	cause := "silent"
	if silent, is := errors.AsType[*drive.SilentError](err); is {
		path = silent.Dir
	} else if at, is := errors.AsType[*fs.PathError](err); is {
		path = at.Path
		switch {
		case errors.Is(at, fs.ErrNotExist), errors.Is(at, syscall.ENOTDIR):
			cause = "missing"
		case errors.Is(at, fs.ErrPermission):
			cause = "no-permission"
		case errors.Is(at, share.ErrMoved):
			cause = "moved"
		}
	} else {
		return nil
	}
	return New(CodeUndoWaits).With("path", path).By(cause)
}

var shareErrors = []sentinel{
	when(journal.ErrUnknownChange, CodeNotFound, ""),
	when(journal.ErrNoContent, CodeNotFound, ""),
	when(journal.ErrChangedSince, CodeNotFound, ""),
	when(journal.ErrNoImage, CodeNotFound, ""),
	when(journal.ErrUnfinished, CodeMoveRefused, "unfinished"),
	when(journal.ErrLocked, CodeFolderSilent, "left"), // by calls that a drive does not answer: no other program has it
	when(review.ErrLocked, CodeFolderSilent, "left"),
	when(journal.ErrBusy, CodeFolderSilent, "left"),
	when(journal.ErrLater, CodeShuttingDown, "ended"),
	when(journal.ErrFull, CodeDiskFull, ""),
	when(journal.ErrForeign, CodeRecordDamaged, "undo"),
	when(review.ErrFull, CodeDiskFull, ""),
	when(review.ErrDamaged, CodeRecordDamaged, ""),
	when(review.ErrMixed, CodeChangedSince, "meanwhile"),
	when(share.ErrReadOnly, CodeOutputDenied, "read-only"),
	when(share.ErrFetch, CodeInputOnline, ""),
	when(share.ErrStub, CodeInputOnline, ""),
	when(share.ErrClosed, CodeShareFailed, "closed"),
	when(journal.ErrClosed, CodeShareFailed, "closed"),
	when(review.ErrClosed, CodeShareFailed, "closed"),
	when(share.ErrTooManyOpen, CodeShareFailed, "too-many-open"),
	when(share.ErrGone, CodeShareFailed, "gone"),
	when(share.ErrDuplicate, CodeShareFailed, "duplicate"),
	when(journal.ErrRaced, CodeShareFailed, "raced"),
	when(journal.ErrSpecial, CodeShareFailed, "special"),
}
