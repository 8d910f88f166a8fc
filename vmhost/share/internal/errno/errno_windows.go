package errno

import (
	"errors"
	"syscall"

	"github.com/hugelgupf/p9/linux"
	"golang.org/x/sys/windows"
)

var win = map[windows.Errno]linux.Errno{
	windows.ERROR_ACCESS_DENIED: linux.EACCES, windows.ERROR_SHARING_VIOLATION: linux.EBUSY,
	windows.ERROR_LOCK_VIOLATION: linux.EBUSY, windows.ERROR_DIR_NOT_EMPTY: linux.ENOTEMPTY,
	windows.ERROR_DIRECTORY: linux.ENOTDIR, windows.ERROR_DISK_FULL: linux.ENOSPC,
	windows.ERROR_HANDLE_DISK_FULL: linux.ENOSPC, windows.ERROR_INVALID_NAME: linux.EINVAL,
	windows.ERROR_DISK_QUOTA_EXCEEDED:  linux.EDQUOT,
	windows.ERROR_FILENAME_EXCED_RANGE: linux.ENAMETOOLONG, windows.ERROR_NOT_SAME_DEVICE: linux.EXDEV,
	windows.ERROR_WRITE_PROTECT: linux.EROFS, windows.ERROR_PRIVILEGE_NOT_HELD: linux.EPERM,

	// Numbers that Go invents where this system has none (package syscall).
	syscall.EACCES: linux.EACCES, syscall.EBUSY: linux.EBUSY, syscall.EEXIST: linux.EEXIST, syscall.EFBIG: linux.EFBIG,
	syscall.EINVAL: linux.EINVAL, syscall.EISDIR: linux.EISDIR, syscall.ELOOP: linux.ELOOP, syscall.EMFILE: linux.EMFILE,
	syscall.EMLINK: linux.EMLINK, syscall.ENAMETOOLONG: linux.ENAMETOOLONG, syscall.ENOENT: linux.ENOENT,
	syscall.ENOSPC: linux.ENOSPC, syscall.ENOTDIR: linux.ENOTDIR, syscall.ENOTEMPTY: linux.ENOTEMPTY,
	syscall.EPERM: linux.EPERM, syscall.EROFS: linux.EROFS, syscall.ESTALE: linux.ESTALE, syscall.EXDEV: linux.EXDEV,
}

// hostErrno translates the host's number.
func hostErrno(err error) (linux.Errno, bool) {
	var no windows.Errno
	if !errors.As(err, &no) {
		return 0, false
	}
	to, ok := win[no]
	return to, ok
}
