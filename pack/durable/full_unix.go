//go:build unix

package durable

import (
	"errors"
	"syscall"
)

// IsFull reports whether there was no room on the disk, or no more for this user.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
