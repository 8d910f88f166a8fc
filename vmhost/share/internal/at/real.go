package at

import (
	"errors"
	"io/fs"
	"os"
)

// ErrMoved is a path that leads elsewhere than when links were resolved in it, or to another
// folder than before.
var ErrMoved = errors.New("the path leads to another folder now")

// OpenReal opens the directory at a path of [RealPath]. Whoever made a link in the path since
// then did not choose the directory to which it leads: that is ErrMoved.
func OpenReal(path string) (*os.Root, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if err := unmoved(path, root); err != nil {
		root.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return root, nil
}

// compared reports by its name whether root is the directory at a path, and no link leads
// there. Links that change meanwhile are not seen.
func compared(path string, root *os.Root) error {
	real, err := RealPath(path)
	if err != nil {
		return err
	}
	there, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if real != path {
		return ErrMoved
	}
	return same(root, there)
}

// same is ErrMoved unless root is the directory there.
func same(root *os.Root, there fs.FileInfo) error {
	here, err := root.Stat(".")
	if err == nil && !os.SameFile(here, there) {
		err = ErrMoved
	}
	return err
}
