//go:build unix

package job

import "golang.org/x/sys/unix"

const (
	nonBlock = unix.O_NONBLOCK
	noFollow = unix.O_NOFOLLOW
)
