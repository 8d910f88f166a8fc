package at

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// unmoved compares root with what openat2(2) opens at the path without following a link.
func unmoved(path string, root *os.Root) error {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
		return err
	})
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return ErrMoved
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // before Linux 5.6, or filtered
		return compared(path, root)
	case err != nil:
		return err
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	there, err := f.Stat()
	if err != nil {
		return err
	}
	return same(root, there)
}
