package at

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Tmpfile makes a file without a name on the file system of the directory, open
// for reading and writing (O_TMPFILE). It is gone when it is closed, unless
// LinkFile gave it a name.
func (d *Dir) Tmpfile(perm uint32) (*os.File, Info, error) {
	fd, err := openAt(d.fd(), ".", unix.O_RDWR|unix.O_TMPFILE, perm&0o777)
	if err != nil {
		return nil, Info{}, wrap("tmpfile", d.f.Name(), err)
	}
	return d.opened(fd, d.f.Name())
}

// LinkFile gives an open file of the same file system a name in the directory;
// it fails when the name is taken.
func (d *Dir) LinkFile(f *os.File, name string) error {
	if err := CheckName(name); err != nil {
		return wrap("link", name, err)
	}
	return wrap("link", name, again(func() error {
		return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), d.fd(), name, unix.AT_SYMLINK_FOLLOW)
	}))
}
