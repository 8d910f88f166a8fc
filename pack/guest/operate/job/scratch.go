package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The scratch directory belongs to the user of the programs. All that lies in it is
// touched with that user's rights: whatever a program that was taken over leaves there, a
// link into a folder of the person's, say, leads no further than the program itself.

// Scratch returns the path of a scratch name.
func (r *Job) Scratch(name string) string { return filepath.Join(r.Order.Scratch, name) }

// createScratch makes a file in a scratch directory that was not there.
func createScratch(file string) (f *os.File, err error) {
	err = asPrograms(func() error {
		f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return f, err
}

// ScratchCreate makes a file that was not there.
func (r *Job) ScratchCreate(name string) (*os.File, error) { return createScratch(r.Scratch(name)) }

// ScratchWrite makes a file that was not there, of what is to be in it.
func (r *Job) ScratchWrite(name string, data []byte) error {
	f, err := r.ScratchCreate(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// ScratchSize is the size of a file, or an error where there is none.
func (r *Job) ScratchSize(name string) (size int64, err error) {
	err = asPrograms(func() error {
		st, err := os.Lstat(r.Scratch(name))
		if err == nil {
			size = st.Size()
		}
		return err
	})
	return size, err
}

// ScratchDir makes a directory, and those above it.
func (r *Job) ScratchDir(name string) error {
	return asPrograms(func() error { return os.MkdirAll(r.Scratch(name), 0o700) })
}

// ScratchRename gives a file another name.
func (r *Job) ScratchRename(from, to string) error {
	return asPrograms(func() error { return os.Rename(r.Scratch(from), r.Scratch(to)) })
}

// ScratchRemove removes a file, or a directory with all that is in it, if it is there.
func (r *Job) ScratchRemove(name string) error {
	return asPrograms(func() error { return os.RemoveAll(r.Scratch(name)) })
}

// scratchNames are the names in the directory, and what has them.
func (r *Job) scratchNames() (entries []fs.DirEntry, err error) {
	err = asPrograms(func() error {
		entries, err = os.ReadDir(r.Order.Scratch)
		return err
	})
	return entries, err
}

// OpenMade opens what a program left as its result. A link or a pipe in place of a
// file is none: who took a program over may have made it.
func OpenMade(file string) (*os.File, fs.FileInfo, error) { return OpenScratch(file, os.O_RDONLY) }

// OpenScratch opens a file that is there.
func OpenScratch(file string, how int) (f *os.File, st fs.FileInfo, err error) {
	err = asPrograms(func() error {
		f, err = os.OpenFile(file, how|nonBlock|noFollow, 0)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	st, err = f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file, Err: errors.New("not a file but " + kind(st.Mode()))}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, st, nil
}

// ScratchMade lists what a program made in scratch, by name.
func (r *Job) ScratchMade(prefix string) ([]string, error) {
	entries, err := r.scratchNames()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	// "image-1000" comes after "image-999".
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return out, nil
}
