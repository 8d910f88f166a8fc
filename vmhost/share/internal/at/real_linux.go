package at

import (
	"errors"

	"golang.org/x/sys/unix"
)

// unmoved compares the Root with what openat2(2) opens without following a link.
func (r *Root) unmoved() error {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat2(unix.AT_FDCWD, r.path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
		return err
	})
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return ErrMoved
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // before Linux 5.6, or filtered
		return r.compared()
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	there, err := statAt(fd, "")
	if err != nil {
		return err
	}
	here, err := r.Lstat(".")
	if err == nil && here.ID != there.ID {
		err = ErrMoved
	}
	return err
}
