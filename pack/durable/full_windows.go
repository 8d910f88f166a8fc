package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsFull reports whether there was no room on the disk, or no more for this user.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) || errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
