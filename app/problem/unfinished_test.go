package problem_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"piwork/app/problem"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/journal"
)

// An undo that waits for a folder says which, and why.
func TestUndoThatWaitsNamesItsFolder(t *testing.T) {
	at := func(err error) error { return &fs.PathError{Op: "open", Path: "/media/kim/Photos", Err: err} }
	for _, c := range []struct {
		err         error
		code, cause string
	}{
		{at(syscall.ENOENT), problem.CodeUndoWaits, "missing"},
		{at(syscall.EACCES), problem.CodeUndoWaits, "no-permission"},
		{at(share.ErrMoved), problem.CodeUndoWaits, "moved"},
		{at(syscall.EIO), problem.CodeUndoWaits, "silent"},
		{&drive.SilentError{Dir: "/media/kim/Photos"}, problem.CodeUndoWaits, "silent"},
	} {
		p := problem.From(fmt.Errorf("%w: %w", journal.ErrUnfinished, errors.Join(c.err)))
		if p.Code != c.code || p.Cause != c.cause || p.Params["path"] != "/media/kim/Photos" {
			t.Errorf("%v: %+v", c.err, p)
		}
	}
}
