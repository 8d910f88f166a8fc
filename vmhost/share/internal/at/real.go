package at

import (
	"errors"
	"io/fs"
	"os"
)

// ErrMoved is a path that leads elsewhere than when links were resolved in it.
var ErrMoved = errors.New("the path leads to another folder now")

// OpenReal opens the directory at a path of [RealPath]. Whoever made a link in the path since
// then did not choose the directory to which it leads: that is ErrMoved.
func OpenReal(path string) (*Root, error) {
	root, err := OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if err := root.unmoved(); err != nil {
		root.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return root, nil
}

// compared reports by its name whether the Root is the directory at its path, and no link leads
// there. Links that change meanwhile are not seen.
func (r *Root) compared() error {
	real, err := RealPath(r.path)
	if err != nil {
		return err
	}
	there, err := os.Lstat(r.path)
	if err != nil {
		return err
	}
	here, err := r.r.Stat(".")
	if err == nil && (real != r.path || !os.SameFile(here, there)) {
		err = ErrMoved
	}
	return err
}
