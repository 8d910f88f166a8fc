//go:build unix

package tools

import (
	"errors"
	"syscall"
)

// full reports that there is no room: on the disk, for this user, or within
// what a file may have.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
