//go:build linux || darwin

package at

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is an open directory.
type Dir struct {
	f      *os.File
	r      *os.Root // only where there are no calls relative to a handle
	shared bool     // f belongs to the Root
}

// openTop opens the directory of a Root.
func openTop(r *os.Root) (*Dir, error) {
	f, err := r.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &Dir{f: f}, nil
}

func (d *Dir) fd() int { return int(d.f.Fd()) }

func (d *Dir) close() { d.f.Close() }

// Close closes the directory.
func (d *Dir) Close() {
	if !d.shared {
		d.close()
	}
}

// Info returns what the directory is.
func (d *Dir) Info() (Info, error) { return Stat(d.f) }

// Lstat returns what name is.
func (d *Dir) Lstat(name string) (Info, error) {
	if err := CheckName(name); err != nil {
		return Info{}, wrap("lstat", name, err)
	}
	info, err := statAt(d.fd(), name)
	return info, wrap("lstat", name, err)
}

// Sub opens the directory name.
func (d *Dir) Sub(name string) (*Dir, error) {
	if err := CheckName(name); err != nil {
		return nil, wrap("open", name, err)
	}
	fd, err := openAt(d.fd(), name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, wrap("open", name, err)
	}
	return &Dir{f: os.NewFile(uintptr(fd), name)}, nil
}

// Again opens the directory once more.
func (d *Dir) Again() (*Dir, error) {
	fd, err := openAt(d.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, wrap("open", d.f.Name(), err)
	}
	return &Dir{f: os.NewFile(uintptr(fd), d.f.Name())}, nil
}

// File returns the directory as an open file of its own, for reading its names.
func (d *Dir) File() (*os.File, Info, error) {
	again, err := d.Again()
	if err != nil {
		return nil, Info{}, err
	}
	info, err := again.Info()
	if err != nil {
		again.Close()
		return nil, info, err
	}
	return again.f, info, nil
}

// Open opens the regular file or directory name; flag is one of os.O_RDONLY,
// os.O_WRONLY and os.O_RDWR.
func (d *Dir) Open(name string, flag int) (*os.File, Info, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, info, err
	}
	if err := openable(info.Kind); err != nil {
		return nil, info, wrap("open", name, err)
	}
	fd, err := openAt(d.fd(), name, flag&unix.O_ACCMODE|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, info, wrap("open", name, err)
	}
	return d.opened(fd, name)
}

// Create makes a new file, open for reading and writing, and fails when the
// name is taken. perm is subject to the umask.
func (d *Dir) Create(name string, perm uint32) (*os.File, Info, error) {
	if err := CheckName(name); err != nil {
		return nil, Info{}, wrap("create", name, err)
	}
	fd, err := openAt(d.fd(), name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, perm&0o777)
	if err != nil {
		return nil, Info{}, wrap("create", name, err)
	}
	return d.opened(fd, name)
}

// opened makes a file of a descriptor and looks once more at what it is: the
// name may have been replaced since it was looked at.
func (d *Dir) opened(fd int, name string) (*os.File, Info, error) {
	info, err := statAt(fd, "")
	if err == nil {
		err = openable(info.Kind)
	}
	if err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err != nil {
		unix.Close(fd)
		return nil, info, wrap("open", name, err)
	}
	return os.NewFile(uintptr(fd), name), info, nil
}

func openable(k Kind) error {
	switch k {
	case File, Directory:
		return nil
	case Symlink:
		return ErrLink
	}
	return ErrSpecial
}

// Mkdir makes a directory.
func (d *Dir) Mkdir(name string, perm uint32) error {
	if err := CheckName(name); err != nil {
		return wrap("mkdir", name, err)
	}
	return wrap("mkdir", name, again(func() error { return unix.Mkdirat(d.fd(), name, perm&0o777) }))
}

// Remove removes a name that is not a directory.
func (d *Dir) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return wrap("unlink", name, err)
	}
	return wrap("unlink", name, again(func() error { return unix.Unlinkat(d.fd(), name, 0) }))
}

// RemoveDir removes an empty directory.
func (d *Dir) RemoveDir(name string) error {
	if err := CheckName(name); err != nil {
		return wrap("rmdir", name, err)
	}
	return wrap("rmdir", name, again(func() error { return unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR) }))
}

// Rename moves a name, replacing what is there as rename(2) does.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("rename", name, ErrName)
	}
	return wrap("rename", name, again(func() error { return unix.Renameat(d.fd(), name, to.fd(), newName) }))
}

// RenameNoReplace moves a name and fails when the new one is taken.
func (d *Dir) RenameNoReplace(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("rename", name, ErrName)
	}
	return wrap("rename", name, again(func() error { return renameNoReplace(d.fd(), name, to.fd(), newName) }))
}

// Link makes a hard link to name itself, also when it is a symbolic link.
func (d *Dir) Link(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("link", name, ErrName)
	}
	return wrap("link", name, again(func() error { return unix.Linkat(d.fd(), name, to.fd(), newName, 0) }))
}

// Symlink makes a symbolic link. Its target is data here, never resolved.
func (d *Dir) Symlink(target, name string) error {
	if err := CheckName(name); err != nil {
		return wrap("symlink", name, err)
	}
	return wrap("symlink", name, again(func() error { return unix.Symlinkat(target, d.fd(), name) }))
}

// Readlink returns the target of a symbolic link.
func (d *Dir) Readlink(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", wrap("readlink", name, err)
	}
	var buf [unix.PathMax]byte
	var n int
	err := again(func() (err error) {
		n, err = unix.Readlinkat(d.fd(), name, buf[:])
		return err
	})
	if err != nil {
		return "", wrap("readlink", name, err)
	}
	return string(buf[:n]), nil
}

// Chmod sets the permission bits of name, which must not be a symbolic link.
func (d *Dir) Chmod(name string, mode uint32) error {
	if err := CheckName(name); err != nil {
		return wrap("chmod", name, err)
	}
	return wrap("chmod", name, chmodAt(d.fd(), name, mode&0o7777))
}

// Chtimes sets the times of name itself; a zero time is left as it is.
func (d *Dir) Chtimes(name string, atime, mtime time.Time) error {
	if err := CheckName(name); err != nil {
		return wrap("utimes", name, err)
	}
	ts, err := timespecs(atime, mtime)
	if err != nil {
		return wrap("utimes", name, err)
	}
	return wrap("utimes", name, again(func() error {
		return unix.UtimesNanoAt(d.fd(), name, ts, unix.AT_SYMLINK_NOFOLLOW)
	}))
}

// SetMode sets the permission bits of the directory itself.
func (d *Dir) SetMode(mode uint32) error {
	return wrap("chmod", d.f.Name(), again(func() error { return unix.Fchmod(d.fd(), mode&0o7777) }))
}

// SetTimes sets the times of the directory itself; a zero time is left.
func (d *Dir) SetTimes(atime, mtime time.Time) error {
	return SetTimes(d.f, atime, mtime)
}

// SetMode sets the permission bits of an open file.
func SetMode(f *os.File, mode uint32) error {
	return wrap("chmod", f.Name(), again(func() error { return unix.Fchmod(int(f.Fd()), mode&0o7777) }))
}

// Sync makes names that were made or removed in the directory durable.
func (d *Dir) Sync() error { return Sync(d.f) }

// Names returns the names in the directory, at most max of them.
func (d *Dir) Names(max int) ([]string, error) {
	again, err := d.Again()
	if err != nil {
		return nil, err
	}
	defer again.Close()
	names, err := again.f.Readdirnames(max)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}

// Stat returns what an open file is.
func Stat(f *os.File) (Info, error) {
	info, err := statAt(int(f.Fd()), "")
	return info, wrap("stat", f.Name(), err)
}

func timespecs(atime, mtime time.Time) ([]unix.Timespec, error) {
	ts := make([]unix.Timespec, 2)
	for i, t := range []time.Time{atime, mtime} {
		if t.IsZero() {
			ts[i] = omitTime
			continue
		}
		var err error
		if ts[i], err = unix.TimeToTimespec(t); err != nil {
			return nil, err
		}
	}
	return ts, nil
}

func openAt(fd int, name string, flag int, perm uint32) (int, error) {
	var n int
	err := again(func() (err error) {
		n, err = unix.Openat(fd, name, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC, perm)
		return err
	})
	return n, err
}

// again repeats a call that a signal interrupted.
func again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
