//go:build linux || darwin

package at

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openTop opens the directory of a Root.
func openTop(r *os.Root) (*Dir, error) {
	f, err := r.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &Dir{f: f}, nil
}

func (d *Dir) fd() int { return int(d.f.Fd()) }

func lstatAt(d *Dir, name string) (Info, error) { return statAt(d.fd(), name) }

func openSub(d *Dir, name string) (*Dir, error) {
	fd, err := openAt(d.fd(), name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &Dir{f: os.NewFile(uintptr(fd), name)}, nil
}

func openAgain(d *Dir) (*Dir, error) {
	f, err := openNames(d)
	if err != nil {
		return nil, err
	}
	return &Dir{f: f}, nil
}

func openNames(d *Dir) (*os.File, error) {
	fd, err := openAt(d.fd(), ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, wrap("open", d.f.Name(), err)
	}
	return os.NewFile(uintptr(fd), d.f.Name()), nil
}

func openFile(d *Dir, name string, flag int, _ Info) (*os.File, Info, error) {
	return opened(name)(openAt(d.fd(), name, flag|unix.O_NONBLOCK|unix.O_NOCTTY, 0))
}

func createFile(d *Dir, name string, perm uint32) (*os.File, Info, error) {
	return opened(name)(openAt(d.fd(), name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, perm))
}

// opened makes a file of a descriptor and looks once more at what it is: the
// name may have been replaced since it was looked at. Of the flags that can be changed
// it has O_NONBLOCK at most, and none afterwards.
func opened(name string) func(fd int, err error) (*os.File, Info, error) {
	return func(fd int, err error) (*os.File, Info, error) {
		if err != nil {
			return nil, Info{}, err
		}
		info, err := statAt(fd, "")
		if err == nil {
			err = openable(info.Kind)
		}
		if err == nil {
			_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, 0)
		}
		if err != nil {
			unix.Close(fd)
			return nil, info, err
		}
		return os.NewFile(uintptr(fd), name), info, nil
	}
}

func mkdirAt(d *Dir, name string, perm uint32) error {
	return again(func() error { return unix.Mkdirat(d.fd(), name, perm) })
}

func removeAt(d *Dir, name string, dir bool) error {
	flags := 0
	if dir {
		flags = unix.AT_REMOVEDIR
	}
	return again(func() error { return unix.Unlinkat(d.fd(), name, flags) })
}

func renameAt(d *Dir, name string, to *Dir, newName string) error {
	err := again(func() error { return unix.Renameat(d.fd(), name, to.fd(), newName) })
	if err == nil && name != newName && sameName(name, newName) && serverHas(d.f) && d.Respells(name, to, newName) {
		return unix.EEXIST // and nothing was done: to the client of SMB a spelling that it remembers is a hard link
	}
	return err
}

func renameNoReplace(d *Dir, name string, to *Dir, newName string) error {
	return again(func() error { return renameExcl(d.fd(), name, to.fd(), newName) })
}

func linkAt(d *Dir, name string, to *Dir, newName string) error {
	return again(func() error { return unix.Linkat(d.fd(), name, to.fd(), newName, 0) })
}

func symlinkAt(d *Dir, target, name string) error {
	return again(func() error { return unix.Symlinkat(target, d.fd(), name) })
}

func readlinkAt(d *Dir, name string) (string, error) {
	var buf [unix.PathMax]byte
	var n int
	err := again(func() (err error) {
		n, err = unix.Readlinkat(d.fd(), name, buf[:])
		return err
	})
	return string(buf[:max(n, 0)]), err
}

func chmodAt(d *Dir, name string, mode uint32) error { return fchmodAt(d.fd(), name, mode) }

func chtimesAt(d *Dir, name string, atime, mtime time.Time) error {
	info, err := statAt(d.fd(), name)
	if err != nil || info.Kind == Symlink && onFUSE(d.fd()) {
		return err
	}
	ts, err := timespecs(atime, mtime, func() (Info, error) { return info, nil })
	if err != nil {
		return err
	}
	return again(func() error { return unix.UtimesNanoAt(d.fd(), name, ts, unix.AT_SYMLINK_NOFOLLOW) })
}

// perSpelling reports whether a file may have another number by each spelling of its name.
func (d *Dir) perSpelling() bool { return onFUSE(d.fd()) || serverHas(d.f) }

func setModeOf(d *Dir, mode uint32) error { return SetMode(d.f, mode) }

// renameByLooking is for file systems that cannot rename without replacing: by a hard link, which
// a server refuses where somebody else took the name meanwhile, and where there are no links, such
// as on FAT, by looking first. So on FUSE: there the name of a file that is open does not go by a
// link, but becomes one like .fuse_hidden0001.
func renameByLooking(fd int, name string, to int, newName string) error {
	if !onFUSE(to) {
		if err := unix.Linkat(fd, name, to, newName, 0); err == nil {
			return unlinkSame(fd, name, to, newName)
		} else if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOTSUP) {
			return err
		}
	}
	if _, err := statAt(to, newName); !errors.Is(err, unix.ENOENT) {
		return errors.Join(unix.EEXIST, err)
	}
	return unix.Renameat(fd, name, to, newName)
}

// unlinkSame removes a name of the file that has another one. What somebody else saved there
// meanwhile keeps it.
func unlinkSame(fd int, name string, other int, otherName string) error {
	old, err := statAt(fd, name)
	if err != nil {
		return err
	}
	if now, err := statAt(other, otherName); err != nil || now.ID != old.ID {
		return err
	}
	return unix.Unlinkat(fd, name, 0)
}

// SetMode sets the permission bits of an open file.
func SetMode(f *os.File, mode uint32) error {
	return wrap("chmod", f.Name(), again(func() error { return unix.Fchmod(int(f.Fd()), mode&0o7777) }))
}

// Sync makes names that were made or removed in the directory durable, where its file system
// has a sync of directories: some in user space have none.
func (d *Dir) Sync() error {
	err := Sync(d.f)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, ErrUnsupported) {
		return nil
	}
	return err
}

func syncFile(f *os.File) error { return f.Sync() }

// Stat returns what an open file is.
func Stat(f *os.File) (Info, error) {
	info, err := statAt(int(f.Fd()), "")
	return info, wrap("stat", f.Name(), err)
}

// bothTimes are the times to set. One that is to stay is what it is already: file systems in
// user space (libfuse 2, with exFAT and FAT among them) accept one alone and do nothing with it.
func bothTimes(atime, mtime time.Time, is func() (Info, error)) (time.Time, time.Time, error) {
	if !atime.IsZero() && !mtime.IsZero() {
		return atime, mtime, nil
	}
	info, err := is()
	if atime.IsZero() {
		atime = info.ATime
	}
	if mtime.IsZero() {
		mtime = info.MTime
	}
	return atime, mtime, err
}

func timespecs(atime, mtime time.Time, is func() (Info, error)) ([]unix.Timespec, error) {
	atime, mtime, err := bothTimes(atime, mtime, is)
	if err != nil {
		return nil, err
	}
	a, err := unix.TimeToTimespec(atime)
	if err != nil {
		return nil, err
	}
	m, err := unix.TimeToTimespec(mtime)
	return []unix.Timespec{a, m}, err
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

// IsFull reports whether there was no room on the disk, or no more for this user.
func IsFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
