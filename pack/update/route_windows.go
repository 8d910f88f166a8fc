package update

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noRoute reports that no interface leads anywhere.
func noRoute(err error) bool {
	return errors.Is(err, windows.WSAENETUNREACH) || errors.Is(err, windows.WSAENETDOWN)
}

// diskFull reports that there is no room, or no more for this user.
func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
