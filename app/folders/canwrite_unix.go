//go:build !windows

package folders

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"piwork/app/chore"
)

// CanWrite returns why this user cannot make files in a directory, as far as
// access(2) knows.
func CanWrite(dir string) error {
	err := unix.Access(dir, unix.W_OK|unix.X_OK)
	if errors.Is(err, unix.EROFS) {
		err = chore.ErrLocked
	}
	if err != nil {
		return &os.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
