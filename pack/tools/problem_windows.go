package tools

import (
	"errors"

	"golang.org/x/sys/windows"
)

// full reports that there is no room on the disk.
func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
