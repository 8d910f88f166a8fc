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
