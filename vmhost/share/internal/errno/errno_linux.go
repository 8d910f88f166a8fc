package errno

import (
	"errors"
	"syscall"

	"github.com/hugelgupf/p9/linux"
)

// hostErrno takes the host's number: it is the guest's own.
func hostErrno(err error) (linux.Errno, bool) {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return 0, false
	}
	return linux.Errno(no), true
}
