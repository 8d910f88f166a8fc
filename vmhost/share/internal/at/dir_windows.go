package at

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// openTop opens the directory of a Root.
func openTop(r *os.Root) (*Dir, error) { return openDir(r, ".") }

func openDir(r *os.Root, name string) (*Dir, error) {
	sub, err := r.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	f, err := sub.Open(".")
	if err != nil {
		sub.Close()
		return nil, err
	}
	return &Dir{f: f, r: sub}, nil
}

// openBelow would open rel in one step.
func openBelow(*Dir, string) (*Dir, error) { return nil, ErrUnsupported }

func lstatAt(d *Dir, name string) (Info, error) {
	// Asking for attributes only, which no other program can forbid.
	h, err := openHandle(d, name, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return Info{}, err
	}
	f := os.NewFile(uintptr(h), name)
	defer f.Close()
	return Stat(f)
}

func openSub(d *Dir, name string) (*Dir, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Kind != Directory {
		return nil, windows.ERROR_DIRECTORY
	}
	sub, err := openDir(d.r, name)
	if err != nil {
		return nil, err
	}
	// os.Root follows a link that took the place of the directory meanwhile.
	now, err := sub.Info()
	if err == nil && now.ID != info.ID {
		err = ErrLink
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

func openAgain(d *Dir) (*Dir, error) { return openDir(d.r, ".") }

func openNames(d *Dir) (*os.File, error) { return d.r.Open(".") }

func openFile(d *Dir, name string, flag int, before Info) (*os.File, Info, error) {
	f, info, err := opened(d.r.OpenFile(name, flag, 0))
	if err == nil && before.Ino != 0 && info.ID != before.ID {
		f.Close()
		return nil, info, ErrLink
	}
	return f, info, err
}

func createFile(d *Dir, name string, perm uint32) (*os.File, Info, error) {
	return opened(d.r.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fs.FileMode(perm)))
}

func opened(f *os.File, err error) (*os.File, Info, error) {
	if err != nil {
		return nil, Info{}, err
	}
	info, err := Stat(f)
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, info, nil
}

func mkdirAt(d *Dir, name string, perm uint32) error { return d.r.Mkdir(name, fs.FileMode(perm)) }

func removeAt(d *Dir, name string, dir bool) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if dir != (info.Kind == Directory) {
		return windows.ERROR_DIRECTORY
	}
	return d.r.Remove(name)
}

func symlinkAt(d *Dir, target, name string) error { return d.r.Symlink(target, name) }

func readlinkAt(d *Dir, name string) (string, error) { return d.r.Readlink(name) }

func chmodAt(d *Dir, name string, mode uint32) error {
	return plainly(d, name, func() error { return d.r.Chmod(name, fs.FileMode(mode&0o777)) })
}

func chtimesAt(d *Dir, name string, atime, mtime time.Time) error {
	return plainly(d, name, func() error { return d.r.Chtimes(name, atime, mtime) })
}

// plainly does what would follow a link.
func plainly(d *Dir, name string, do func() error) error {
	info, err := d.Lstat(name)
	if err == nil {
		err = openable(info.Kind)
	}
	if err != nil {
		return err
	}
	return do()
}

// perSpelling reports whether a file may have another number by each spelling of its name: here
// nobody knows what is behind a drive, and hardly a one has two files that differ in case only.
func (d *Dir) perSpelling() bool { return true }

func setModeOf(d *Dir, mode uint32) error { return d.r.Chmod(".", fs.FileMode(mode&0o777)) }

func setTimesOf(d *Dir, atime, mtime time.Time) error { return d.r.Chtimes(".", atime, mtime) }

// Sync does nothing: this system makes names durable with their directory.
func (d *Dir) Sync() error { return nil }
