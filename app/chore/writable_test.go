package chore

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"piwork/app/problem"
)

// A folder that the person lets be read alone is not said to lack rights.
func TestWritable(t *testing.T) {
	for cause, why := range map[string]error{"": fs.ErrPermission, "read-only": ErrReadOnly, "locked": ErrLocked} {
		f := Folder{Name: "Trip", CanWrite: func() error { return &fs.PathError{Op: "write to", Path: "/x/Trip", Err: why} }}
		var p *problem.Problem
		if err := f.writable(); !errors.As(err, &p) || p.Code != problem.CodeOutputDenied || p.Cause != cause || p.Params["folder"] != "Trip" {
			t.Errorf("%v: %+v", why, p)
			continue
		}
		if rights := slices.ContainsFunc(p.Fix, func(f problem.Fix) bool { return f.Code == problem.FixFolderRights }); rights != (cause == "") {
			t.Errorf("%v: %+v", why, p.Fix)
		}
	}
}
