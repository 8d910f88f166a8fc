package errno

import (
	"errors"
	"syscall"

	"github.com/hugelgupf/p9/linux"
)

var darwin = map[syscall.Errno]linux.Errno{
	syscall.EACCES: linux.EACCES, syscall.EDQUOT: linux.EDQUOT, syscall.EEXIST: linux.EEXIST,
	syscall.EFBIG: linux.EFBIG, syscall.EINVAL: linux.EINVAL, syscall.EISDIR: linux.EISDIR,
	syscall.ELOOP: linux.ELOOP, syscall.EMFILE: linux.EMFILE, syscall.EMLINK: linux.EMLINK,
	syscall.ENAMETOOLONG: linux.ENAMETOOLONG, syscall.ENFILE: linux.ENFILE, syscall.ENOENT: linux.ENOENT,
	syscall.ENOSPC: linux.ENOSPC, syscall.ENOTDIR: linux.ENOTDIR, syscall.ENOTEMPTY: linux.ENOTEMPTY,
	syscall.ENOATTR: linux.ENODATA, syscall.EPERM: linux.EPERM, syscall.EROFS: linux.EROFS, syscall.EXDEV: linux.EXDEV,
}

// hostErrno translates the host's number.
func hostErrno(err error) (linux.Errno, bool) {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return 0, false
	}
	to, ok := darwin[no]
	return to, ok
}
