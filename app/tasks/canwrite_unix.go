//go:build !windows

package tasks

import (
	"os"

	"golang.org/x/sys/unix"
)

// canWrite returns why this user cannot make files in a directory, as far as
// access(2) knows.
func canWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &os.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
