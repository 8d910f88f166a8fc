package update

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noRoute reports that no interface leads anywhere.
func noRoute(err error) bool {
	return errors.Is(err, windows.WSAENETUNREACH) || errors.Is(err, windows.WSAENETDOWN)
}
