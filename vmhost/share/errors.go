package share

import (
	"errors"
	"io/fs"
	"syscall"
)

var (
	errTooLong      = syscall.ENAMETOOLONG
	errIsDirectory  = syscall.EISDIR
	errNotDirectory = syscall.ENOTDIR
	errNotOpenFor   = syscall.EBADF
	errTooLarge     = syscall.EFBIG
	errExist        = syscall.EEXIST
	errNoSpace      = syscall.ENOSPC
)

func isExist(err error) bool { return errors.Is(err, fs.ErrExist) }
