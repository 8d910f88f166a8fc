//go:build !windows

package update

import (
	"errors"
	"syscall"
)

// noRoute reports that no interface leads anywhere.
func noRoute(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.ENETDOWN)
}

// diskFull reports that there is no room, or no more for this user.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
