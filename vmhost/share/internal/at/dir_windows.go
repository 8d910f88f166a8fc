package at

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Dir is an open directory.
type Dir struct {
	f      *os.File
	r      *os.Root
	shared bool
}

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
func (d *Dir) openBelow(string) (*Dir, error) { return nil, ErrUnsupported }

func (d *Dir) close() { d.f.Close(); d.r.Close() }

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
	// Asking for attributes only, which no other program can forbid.
	h, err := openHandle(d, name, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return Info{}, wrap("lstat", name, err)
	}
	f := os.NewFile(uintptr(h), name)
	defer f.Close()
	return Stat(f)
}

// Sub opens the directory name.
func (d *Dir) Sub(name string) (*Dir, error) {
	info, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Kind != Directory {
		return nil, wrap("open", name, windows.ERROR_DIRECTORY)
	}
	sub, err := openDir(d.r, name)
	if err != nil {
		return nil, err
	}
	// os.Root follows a link that took the place of the directory meanwhile.
	now, err := sub.Info()
	if err == nil && now.ID != info.ID {
		err = wrap("open", name, ErrLink)
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// Again opens the directory once more.
func (d *Dir) Again() (*Dir, error) { return openDir(d.r, ".") }

// File returns the directory as an open file of its own, for reading its names.
func (d *Dir) File() (*os.File, Info, error) {
	f, err := d.r.Open(".")
	if err != nil {
		return nil, Info{}, err
	}
	info, err := Stat(f)
	return f, info, err
}

// Open opens the regular file or directory name; flag is one of os.O_RDONLY,
// os.O_WRONLY and os.O_RDWR.
func (d *Dir) Open(name string, flag int) (*os.File, Info, error) {
	before, err := d.Lstat(name)
	if err != nil {
		return nil, before, err
	}
	if err := openable(before.Kind); err != nil {
		return nil, before, wrap("open", name, err)
	}
	f, err := d.r.OpenFile(name, flag&(os.O_RDONLY|os.O_WRONLY|os.O_RDWR), 0)
	if err != nil {
		return nil, before, err
	}
	info, err := Stat(f)
	if err == nil && before.Ino != 0 && info.ID != before.ID {
		err = wrap("open", name, ErrLink)
	}
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, info, nil
}

// Create makes a new file, open for reading and writing, and fails when the
// name is taken.
func (d *Dir) Create(name string, perm uint32) (*os.File, Info, error) {
	if err := CheckName(name); err != nil {
		return nil, Info{}, wrap("create", name, err)
	}
	f, err := d.r.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fs.FileMode(perm&0o777))
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
	return d.r.Mkdir(name, fs.FileMode(perm&0o777))
}

// Remove removes a name that is not a directory.
func (d *Dir) Remove(name string) error { return d.remove(name, false) }

// RemoveDir removes an empty directory.
func (d *Dir) RemoveDir(name string) error { return d.remove(name, true) }

func (d *Dir) remove(name string, dir bool) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if dir != (info.Kind == Directory) {
		return wrap("remove", name, windows.ERROR_DIRECTORY)
	}
	return d.r.Remove(name)
}

// Rename moves a name, replacing what is there as rename(2) does.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("rename", name, ErrName)
	}
	return renameHandles(d, name, to, newName, true)
}

// RenameNoReplace moves a name and fails when the new one is taken.
func (d *Dir) RenameNoReplace(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("rename", name, ErrName)
	}
	return renameHandles(d, name, to, newName, false)
}

// Link makes a hard link.
func (d *Dir) Link(name string, to *Dir, newName string) error {
	if err := errors.Join(CheckName(name), CheckName(newName)); err != nil {
		return wrap("link", name, ErrName)
	}
	return linkHandles(d, name, to, newName)
}

// Symlink makes a symbolic link. Its target is data here, never resolved.
func (d *Dir) Symlink(target, name string) error {
	if err := CheckName(name); err != nil {
		return wrap("symlink", name, err)
	}
	return d.r.Symlink(target, name)
}

// Readlink returns the target of a symbolic link.
func (d *Dir) Readlink(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", wrap("readlink", name, err)
	}
	return d.r.Readlink(name)
}

// Chmod sets the permission bits of name, which must not be a symbolic link.
func (d *Dir) Chmod(name string, mode uint32) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if err := openable(info.Kind); err != nil {
		return wrap("chmod", name, err)
	}
	return d.r.Chmod(name, fs.FileMode(mode&0o777))
}

// Chtimes sets the times of name itself; a zero time is left as it is.
func (d *Dir) Chtimes(name string, atime, mtime time.Time) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if err := openable(info.Kind); err != nil {
		return wrap("utimes", name, err)
	}
	return d.r.Chtimes(name, atime, mtime)
}

// SetMode sets the permission bits of the directory itself.
func (d *Dir) SetMode(mode uint32) error { return d.r.Chmod(".", fs.FileMode(mode&0o777)) }

// SetTimes sets the times of the directory itself; a zero time is left.
func (d *Dir) SetTimes(atime, mtime time.Time) error { return d.r.Chtimes(".", atime, mtime) }

// Sync does nothing: this system makes names durable with their directory.
func (d *Dir) Sync() error { return nil }

// Names returns the names in the directory, at most max of them.
func (d *Dir) Names(max int) ([]string, error) {
	f, err := d.r.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(max)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}
