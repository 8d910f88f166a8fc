package operate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The scratch directory belongs to the user of the programs. All that lies in it is
// touched with that user's rights: whatever a program that was taken over leaves there, a
// link into a folder of the person's, say, leads no further than the program itself.

// scratch returns the path of a scratch name.
func (r *run) scratch(name string) string { return filepath.Join(r.order.Scratch, name) }

// createScratch makes a file in a scratch directory that was not there.
func createScratch(file string) (f *os.File, err error) {
	err = asPrograms(func() error {
		f, err = os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return f, err
}

// scratchCreate makes a file that was not there.
func (r *run) scratchCreate(name string) (*os.File, error) { return createScratch(r.scratch(name)) }

// scratchWrite makes a file that was not there, of what is to be in it.
func (r *run) scratchWrite(name string, data []byte) error {
	f, err := r.scratchCreate(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// scratchSize is the size of a file, or an error where there is none.
func (r *run) scratchSize(name string) (size int64, err error) {
	err = asPrograms(func() error {
		st, err := os.Lstat(r.scratch(name))
		if err == nil {
			size = st.Size()
		}
		return err
	})
	return size, err
}

// scratchDir makes a directory, and those above it.
func (r *run) scratchDir(name string) error {
	return asPrograms(func() error { return os.MkdirAll(r.scratch(name), 0o700) })
}

// scratchRename gives a file another name.
func (r *run) scratchRename(from, to string) error {
	return asPrograms(func() error { return os.Rename(r.scratch(from), r.scratch(to)) })
}

// scratchRemove removes a file, or a directory with all that is in it, if it is there.
func (r *run) scratchRemove(name string) error {
	return asPrograms(func() error { return os.RemoveAll(r.scratch(name)) })
}

// scratchNames are the names in the directory, and what has them.
func (r *run) scratchNames() (entries []fs.DirEntry, err error) {
	err = asPrograms(func() error {
		entries, err = os.ReadDir(r.order.Scratch)
		return err
	})
	return entries, err
}

// openMade opens what a program left as its result. A link or a pipe in place of a
// file is none: who took a program over may have made it.
func openMade(file string) (*os.File, fs.FileInfo, error) { return openScratch(file, os.O_RDONLY) }

// openScratch opens a file that is there.
func openScratch(file string, how int) (f *os.File, st fs.FileInfo, err error) {
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
