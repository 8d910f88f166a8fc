package kept

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// LinkTemplates links every template of the directory from into the directory to. Links are
// enough: a template's file is never written to, only replaced. It leaves out the lock.
func LinkTemplates(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case filepath.Dir(rel) == ".": // the lock
			return nil
		}
		return LinkFile(p, filepath.Join(to, rel))
	})
}

// LinkFile gives a file that is never written to a second name. On another file system
// it is copied.
func LinkFile(from, to string) error {
	err := os.Link(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
