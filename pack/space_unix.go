//go:build linux || darwin

package pack

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// FreeSpace is what an ordinary user may still write to the file system of dir,
// in bytes.
func FreeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}
