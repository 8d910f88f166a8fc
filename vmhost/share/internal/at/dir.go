package at

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

// Dir is an open directory.
type Dir struct {
	f      *os.File
	r      *os.Root              // only where there are no calls relative to a handle
	shared bool                  // f belongs to the Root
	uses   atomic.Int32          // beyond the first
	ofNew  atomic.Pointer[Owner] // see SetOwnerOfNew
}

// Retain lets somebody else use the directory too: it stays open until both have
// called Close.
func (d *Dir) Retain() *Dir {
	d.uses.Add(1)
	return d
}

// Close closes the directory when nobody else has retained it.
func (d *Dir) Close() {
	if !d.shared && d.uses.Add(-1) < 0 {
		d.close()
	}
}

func (d *Dir) close() {
	d.f.Close()
	if d.r != nil {
		d.r.Close()
	}
}

// Info returns what the directory is.
func (d *Dir) Info() (Info, error) { return Stat(d.f) }

// Lstat returns what name is.
func (d *Dir) Lstat(name string) (info Info, err error) {
	err = d.do("lstat", name, func() error { info, err = lstatAt(d, name); return err })
	return info, err
}

// do calls f, unless name is not a single one, and says in its error what was done.
func (d *Dir) do(op, name string, f func() error) error {
	if err := CheckName(name); err != nil {
		return wrap(op, name, err)
	}
	return wrap(op, name, f())
}

// Sub opens the directory name.
func (d *Dir) Sub(name string) (sub *Dir, err error) {
	err = d.do("open", name, func() error { sub, err = openSub(d, name); return err })
	return sub, err
}

// Again opens the directory once more.
func (d *Dir) Again() (*Dir, error) { return openAgain(d) }

// File returns the directory as an open file of its own, for reading its names.
func (d *Dir) File() (*os.File, Info, error) {
	f, err := openNames(d)
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

// Open opens the regular file or directory name; flag is one of os.O_RDONLY,
// os.O_WRONLY and os.O_RDWR.
func (d *Dir) Open(name string, flag int) (f *os.File, info Info, err error) {
	if info, err = d.Lstat(name); err != nil {
		return nil, info, err
	}
	if err := openable(info.Kind); err != nil {
		return nil, info, wrap("open", name, err)
	}
	f, info, err = openFile(d, name, flag&(os.O_RDONLY|os.O_WRONLY|os.O_RDWR), info)
	return f, info, wrap("open", name, err)
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

// Create makes a new file, open for reading and writing, and fails when the
// name is taken. perm is subject to the umask.
func (d *Dir) Create(name string, perm uint32) (f *os.File, info Info, err error) {
	err = d.do("create", name, func() error { f, info, err = createFile(d, name, perm&0o777); return err })
	return f, info, err
}

// Tmpfile makes a file without a name on the file system of the directory, open
// for reading and writing, where the system knows such. It is gone when it is
// closed, unless LinkFile gave it a name.
func (d *Dir) Tmpfile(perm uint32) (*os.File, Info, error) {
	f, info, err := tmpfile(d, perm&0o777)
	return f, info, wrap("tmpfile", d.f.Name(), err)
}

// LinkFile gives a file of Tmpfile of the same file system a name in the directory;
// it fails when the name is taken.
func (d *Dir) LinkFile(f *os.File, name string) error {
	return d.do("link", name, func() error { return linkFile(d, f, name) })
}

// Mkdir makes a directory.
func (d *Dir) Mkdir(name string, perm uint32) error {
	return d.do("mkdir", name, func() error { return mkdirAt(d, name, perm&0o777) })
}

// Remove removes a name that is not a directory.
func (d *Dir) Remove(name string) error {
	return d.do("unlink", name, func() error { return removeAt(d, name, false) })
}

// RemoveDir removes an empty directory.
func (d *Dir) RemoveDir(name string) error {
	return d.do("rmdir", name, func() error { return removeAt(d, name, true) })
}

// Rename moves a name, replacing what is there as rename(2) does.
func (d *Dir) Rename(name string, to *Dir, newName string) error {
	return d.both("rename", name, newName, func() error { return renameAt(d, name, to, newName) })
}

// RenameNoReplace moves a name and fails when the new one is taken, unless it is another
// spelling of the name itself.
func (d *Dir) RenameNoReplace(name string, to *Dir, newName string) error {
	err := d.both("rename", name, newName, func() error { return renameNoReplace(d, name, to, newName) })
	if errors.Is(err, fs.ErrExist) && d.Respells(name, to, newName) {
		return d.Rename(name, to, newName)
	}
	return err
}

// Exchange swaps what two names of the directory mean, in one step. Not every disk can.
func (d *Dir) Exchange(name, other string) error {
	return d.both("exchange", name, other, func() error { return exchangeAt(d, name, other) })
}

// Link makes a hard link to name itself, also when it is a symbolic link.
func (d *Dir) Link(name string, to *Dir, newName string) error {
	return d.both("link", name, newName, func() error { return linkAt(d, name, to, newName) })
}

// both is do for two names.
func (d *Dir) both(op, name, newName string, f func() error) error {
	if CheckName(newName) != nil {
		return wrap(op, name, ErrName)
	}
	return d.do(op, name, f)
}

// Symlink makes a symbolic link. Its target is data here, never resolved.
func (d *Dir) Symlink(target, name string) error {
	return d.do("symlink", name, func() error { return symlinkAt(d, target, name) })
}

// Readlink returns the target of a symbolic link.
func (d *Dir) Readlink(name string) (target string, err error) {
	err = d.do("readlink", name, func() error { target, err = readlinkAt(d, name); return err })
	return target, err
}

// Chmod sets the permission bits of name, which must not be a symbolic link.
func (d *Dir) Chmod(name string, mode uint32) error {
	return d.do("chmod", name, func() error { return chmodAt(d, name, mode&0o7777) })
}

// Chtimes sets the times of name itself; a zero time is left as it is.
func (d *Dir) Chtimes(name string, atime, mtime time.Time) error {
	return d.do("utimes", name, func() error { return chtimesAt(d, name, atime, mtime) })
}

// SetMode sets the permission bits of the directory itself.
func (d *Dir) SetMode(mode uint32) error { return setModeOf(d, mode) }

// SetTimes sets the times of the directory itself; a zero time is left.
func (d *Dir) SetTimes(atime, mtime time.Time) error { return setTimesOf(d, atime, mtime) }

// Attrs returns the extended attributes of what name is, "." being the directory
// itself.
func (d *Dir) Attrs(name string) (a *Attrs, err error) {
	if name == "." {
		return FileAttrs(d.f), nil
	}
	err = d.do("xattr", name, func() error { a, err = openAttrs(d, name); return err })
	return a, err
}

// OwnName returns the name as the directory has it: file systems find a file by other
// cases, other normal forms or a short form (8.3) of its name, too. Where nothing is
// there, or it cannot be told, it is name itself.
func (d *Dir) OwnName(name string) string {
	if CheckName(name) != nil {
		return name
	}
	return ownName(d, name)
}

// Names returns the names in the directory, at most max of them.
func (d *Dir) Names(max int) ([]string, error) {
	f, err := openNames(d)
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

// namesAtOnce is how many names eachName holds.
const namesAtOnce = 256

// eachName calls next with the names in the directory, some at a time, until it returns false: a guest
// makes directories of any length, and has the host look through many at once.
func (d *Dir) eachName(next func(part []string) (more bool)) error {
	f, err := openNames(d)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		part, err := f.Readdirnames(namesAtOnce)
		switch {
		case len(part) == 0 && errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !next(part):
			return nil
		}
	}
}

// Entry is a name in a directory. Next is the offset of the entry after it.
type Entry struct {
	Name string
	Ino  uint64 // 0: not known
	Kind Kind
	Next int64
}

// NewLister reads the directory that f has open; f stays the caller's.
func NewLister(f *os.File) *Lister { return &Lister{f: f} }
