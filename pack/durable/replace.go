package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReplaceFile replaces the content of path, readable by its owner only, as long as the
// computer runs: after a power cut the file may be empty. It is for what says nothing then,
// such as which process has a lock, and does not wait for the disk.
func ReplaceFile(path string, data []byte) error {
	return stage(path, data, func(*os.File) error { return nil }, replace)
}

// WriteNew writes a file that is not there, readable by its owner only. Where its name is taken
// the error is [fs.ErrExist], and what has it is as it was.
func WriteNew(path string, data []byte) error {
	if err := stage(path, data, (*os.File).Sync, MoveNew); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// CreateBeside makes a hidden file beside path, to be filled and renamed to it. An error names
// path: of the hidden file nobody knows.
func CreateBeside(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	return f, naming(path, err)
}

// MoveNew gives a file another name on its disk, unless something has it: then the error is
// [fs.ErrExist], and both are as they were. A kill may leave an empty
// file of that name where the disk has no hard links, as FAT.
func MoveNew(file, name string) error {
	err := os.Link(file, name)
	switch {
	case err == nil:
		return os.Remove(file)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return moveOver(file, name)
}

// moveOver is MoveNew by way of an empty file, which has the name first.
func moveOver(file, name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Rename(file, name)); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// naming has an error about the hidden file beside path be one about path.
func naming(path string, err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is && filepath.Dir(at.Path) == filepath.Dir(path) && strings.HasPrefix(filepath.Base(at.Path), "."+filepath.Base(path)) {
		return &fs.PathError{Op: "write", Path: path, Err: at.Err}
	}
	return err
}

// stage writes a file beside path, hands it to written, and has put give it the name.
func stage(path string, data []byte, written func(*os.File) error, put func(tmp, path string) error) error {
	f, err := CreateBeside(path)
	if err != nil {
		return err
	}
	tmp := f.Name()
	_, err = f.Write(data)
	if err == nil {
		err = written(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = put(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}
