package share

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/internal/at"
)

// RefusedCode says why a folder cannot be shared.
type RefusedCode string

// Codes of a RefusedError.
const (
	RefusedHome         RefusedCode = "home"          // the home directory itself
	RefusedDiskRoot     RefusedCode = "disk-root"     // a whole disk
	RefusedSystem       RefusedCode = "system"        // a folder of the operating system
	RefusedOwnData      RefusedCode = "own-data"      // contains or lies in piwork's data
	RefusedNotAFolder   RefusedCode = "not-a-folder"  // a file or something else
	RefusedMissing      RefusedCode = "missing"       // nothing is there
	RefusedNoPermission RefusedCode = "no-permission" // the person may not read it
	RefusedMoved        RefusedCode = "moved"         // a link leads elsewhere, or another folder is there, since it was chosen
)

// RefusedError says that a folder cannot be shared, and why.
type RefusedError struct {
	Code RefusedCode
	Path string
	Err  error // may be nil
}

func (e *RefusedError) Error() string {
	s := fmt.Sprintf("the folder %s cannot be shared (%s)", e.Path, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// RealPath returns a path of the host without links on the way or at its end.
func RealPath(path string) (string, error) { return at.RealPath(path) }

// ErrMoved is a folder whose path leads elsewhere than when links were resolved in it, or has
// another folder now.
var ErrMoved = at.ErrMoved

// OpenReal opens a folder at a path of [RealPath]. Where a link leads to another one now, that is
// ErrMoved.
func OpenReal(path string) (*os.Root, error) { return at.OpenReal(path) }

// CheckFolder returns a *RefusedError unless path is a folder that may be
// shared. protected are piwork's own directories. Links on the way are
// followed, so that a link to a refused folder is refused too.
//
// Where the drive does not answer it is a *drive.SilentError.
func CheckFolder(path string, protected []string) error {
	return drive.Check(context.Background(), path, func() error { return checkFolder(path, protected) })
}

func checkFolder(path string, protected []string) error {
	refuse := func(code RefusedCode, err error) error { return &RefusedError{Code: code, Path: path, Err: err} }
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse(RefusedMissing, err)
	case errors.Is(err, fs.ErrPermission):
		return refuse(RefusedNoPermission, err)
	case err != nil:
		return refuse(RefusedMissing, err)
	case !info.IsDir():
		return refuse(RefusedNotAFolder, nil)
	}
	d, err := os.Open(path)
	if err != nil {
		return refuse(RefusedNoPermission, err)
	}
	d.Close()
	real := resolve(path)
	if isDiskRoot(real) {
		return refuse(RefusedDiskRoot, nil)
	}
	home := ""
	if h, err := os.UserHomeDir(); err == nil && filepath.IsAbs(h) {
		home = resolve(h)
	}
	if home != "" && holds(real, home) {
		return refuse(RefusedHome, nil) // or a folder of many homes
	}
	for _, p := range protected {
		if p == "" {
			continue
		}
		if p = resolve(p); holds(real, p) || holds(p, real) {
			return refuse(RefusedOwnData, nil)
		}
	}
	if isSystem(real) && (home == "" || !holds(home, real)) {
		return refuse(RefusedSystem, nil)
	}
	return nil
}

// resolve returns the path without links, as far as it exists.
func resolve(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	rest := ""
	for p := path; ; {
		if real, err := RealPath(p); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(p)
		if up == p {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = up
	}
}

// inside reports whether path is dir or lies in it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// holds reports whether dir is path or one of the directories that path lies
// in, by what they are and not only by how they are spelt: file systems that do
// not tell upper from lower case, or mounts of the same directory.
func holds(dir, path string) bool {
	if inside(path, dir) {
		return true
	}
	d, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for p := path; ; p = filepath.Dir(p) {
		if info, err := os.Stat(p); err == nil && os.SameFile(d, info) {
			return true
		}
		if filepath.Dir(p) == p {
			return false
		}
	}
}

// inAny reports whether path is one of dirs or lies in one.
func inAny(path string, dirs ...string) bool {
	for _, d := range dirs {
		if d != "" && inside(path, d) {
			return true
		}
	}
	return false
}
