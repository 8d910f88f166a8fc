package job

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// RenameNoReplace is renameat2(2) with RENAME_NOREPLACE.
func RenameNoReplace(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
		return errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// Rename is rename(2) alone: os.Rename looks at the target first, which has been done.
func Rename(from, to string) error {
	if err := unix.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// Device is the file system that a file is on.
func Device(st fs.FileInfo) uint64 {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return sys.Dev
	}
	return 0
}

// FileNumber is the inode of a file, and when anything about it was changed, which
// nobody can set.
func FileNumber(st fs.FileInfo) (inode uint64, changed int64) {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return sys.Ino, sys.Ctim.Nano()
	}
	return 0, 0
}

// syncFile makes what was written durable where it stands in a folder of the
// person's. The machine's own disk ends with the machine, after a crash, too.
func syncFile(f *os.File) error {
	if !shared(f) {
		return nil
	}
	return f.Sync()
}

// shared reports whether a file stands on a share.
func shared(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) != nil || isShare(st)
}

// isShare tells the two kinds of shares that the agent mounts (statfs(2)).
func isShare(st unix.Statfs_t) bool {
	return st.Type == unix.V9FS_MAGIC || st.Type == unix.FUSE_SUPER_MAGIC
}

// mayMake reports whether a file may be made in a directory (access(2)), with an
// error when it may not. Of one on a share nothing is known before it is tried.
func mayMake(dir string) (bool, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || isShare(st) {
		return false, nil
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil { // its real user is another
		return false, &os.PathError{Op: "create a file in", Path: dir, Err: err}
	}
	return true, nil
}

// syncDir makes a new name in a directory durable, as syncFile does. File systems
// that cannot (EINVAL) have nothing to sync.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := syncFile(d); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}
