package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Homes are directories of folders that have nothing to do with each other: the
// chosen ones, and those of what is worked on and kept beside them.
var Homes = []string{wire.FoldersDir, wire.WorkDir, wire.StateDir}

// ground is the folder that a link in a directory may lead about in, but not out of,
// and the way from there to the directory: the chosen folder, elsewhere the directory
// itself.
func ground(dir string) (top, way string) {
	const sep = string(filepath.Separator)
	dir = filepath.Clean(dir)
	for _, home := range Homes {
		if rest, ok := strings.CutPrefix(dir, filepath.FromSlash(home)+sep); ok {
			name, way, _ := strings.Cut(rest, sep)
			return filepath.Join(home, name), filepath.Join(".", way)
		}
	}
	return dir, "."
}

// openBeneath opens what is at a path for reading. Links are followed as far as
// they stay on its ground, in the same step: nobody can change one after it was
// looked at.
func openBeneath(path string, flags int) (*os.File, error) {
	top, way := ground(filepath.Dir(path))
	f, err := openAt(top, filepath.Join(way, filepath.Base(path)), path, flags)
	return f, leads(path, err)
}

// Within returns another path of a file or folder, whether it is there or not, that
// leads through no link but through the directory of path as it is now, until done.
// Where links lead out of the ground it fails.
func Within(path string) (same string, done func(), err error) {
	same, done, err = reach(path)
	return same, done, leads(path, err)
}

// leads says of an error of opening what the link would have done.
func leads(path string, err error) error {
	if err == nil || !escapes(err) {
		return err
	}
	return fmt.Errorf("%s: %w", path, tools.ErrLink)
}

// Astray has a problem of each input that is reached only through a link that leads
// out of its ground, and returns the others.
func (r *Job) Astray(in []string) []string {
	last, wrong := "", error(nil)
	return slices.DeleteFunc(slices.Clone(in), func(path string) bool {
		if dir := filepath.Dir(path); dir != last {
			_, done, err := Within(path)
			if last, wrong = dir, err; err == nil {
				done()
			}
		}
		if !errors.Is(wrong, tools.ErrLink) { // of what is not there those say more who look for it
			return false
		}
		r.AddProblem(tools.InputProblem(path, leads(path, wrong)))
		return true
	})
}

// MakeBeneath makes a directory, and those on the way to it from its ground.
func MakeBeneath(dir string) error {
	top, way := ground(dir)
	if way == "." {
		return os.MkdirAll(dir, 0o777)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(way, 0o777)
}

// StatBeneath is os.Stat of what openBeneath would open.
func StatBeneath(path string) (fs.FileInfo, error) {
	f, err := openBeneath(path, lookOnly)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// Cause is an error without the path that within made, for words about the one that
// is known.
func Cause(path string, err error) error {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		return &fs.PathError{Op: one.Op, Path: path, Err: one.Err}
	case errors.As(err, &two):
		return &fs.PathError{Op: two.Op, Path: path, Err: two.Err}
	}
	return err
}
