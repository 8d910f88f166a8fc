//go:build linux || darwin

package share

import "golang.org/x/sys/unix"

// maxFiles returns how many descriptors this process may have.
func maxFiles() int {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil || r.Cur > 1<<20 {
		return 1 << 20
	}
	return int(r.Cur)
}
