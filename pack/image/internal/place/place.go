// Package place writes the files of archives below a directory.
package place

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// File makes a new file, and the directories above it. Its mode is 0755 when
// that of the archive lets the owner run it, else 0644. A file that is there
// already is an error.
func File(root *os.Root, name string, mode int64, data io.Reader) error {
	perm := fs.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, data); err != nil {
		return err
	}
	return errors.Join(f.Chmod(perm), f.Close())
}
