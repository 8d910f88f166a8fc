//go:build !windows

package update

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// freeSpace is what an ordinary user may still write to the disk of dir, in bytes
// (statfs(2)).
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}
