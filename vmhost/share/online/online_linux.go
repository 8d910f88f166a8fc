package online

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

const hasStubs = false

// Dir reports whether a file in an open directory, of this size and with these blocks, is
// online-only.
func Dir(fd int, size, blocks int64) bool {
	if !OfFUSE(size, blocks) {
		return false
	}
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Type == unix.FUSE_SUPER_MAGIC
}

// Of says what the file at a path of this computer is, which its directory said is info, without
// opening it: file is that it is a regular one.
func Of(path string, info fs.FileInfo) (file, online bool) {
	file = info.Mode().IsRegular()
	st, ok := info.Sys().(*syscall.Stat_t)
	if !file || !ok || !OfFUSE(st.Size, st.Blocks) {
		return file, false
	}
	var on unix.Statfs_t
	return file, unix.Statfs(filepath.Dir(path), &on) == nil && on.Type == unix.FUSE_SUPER_MAGIC
}

// Failed reports whether an error of reading a file that is online-only says that it could not be
// downloaded. A FUSE file system has no number for that: it is any that tells of the way there.
func Failed(err error) bool {
	for _, no := range []syscall.Errno{unix.EIO, unix.ETIMEDOUT, unix.ENOTCONN, unix.ECONNABORTED, unix.ECONNREFUSED, unix.ECONNRESET,
		unix.EHOSTUNREACH, unix.ENETUNREACH, unix.ENETDOWN, unix.EREMOTEIO, unix.EAGAIN} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}
