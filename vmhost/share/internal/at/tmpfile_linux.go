package at

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func tmpfile(d *Dir, perm uint32) (*os.File, Info, error) {
	return opened(d.f.Name())(openAt(d.fd(), ".", unix.O_RDWR|unix.O_TMPFILE, perm))
}

func linkFile(d *Dir, f *os.File, name string) error {
	return again(func() error {
		return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), d.fd(), name, unix.AT_SYMLINK_FOLLOW)
	})
}
