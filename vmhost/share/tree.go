package share

import (
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// maxPath is the longest path inside a folder in bytes, PATH_MAX of Linux. It
// also bounds what a guest can make the host remember for a name.
const maxPath = 4096

// Tree is one shared folder. Paths are relative to it, slash-separated, "."
// being the folder itself; front ends build them with [Join]. Errors are those
// of the operating system, wrapped, and those of this package and of the
// journal. Methods may be called from several goroutines at once.
type Tree struct {
	set    *Set
	folder Folder
	root   *at.Root
	change *journal.Folder

	mu     sync.RWMutex // held for reading by every call
	closed bool
	filesM sync.Mutex
	files  map[*File]struct{}
}

func newTree(s *Set, f Folder, j *journal.Journal) (*Tree, error) {
	root, err := at.OpenRoot(f.Path)
	if err != nil {
		return nil, err
	}
	t := &Tree{set: s, folder: f, root: root, files: map[*File]struct{}{}}
	if f.ReadOnly || j == nil {
		t.change = journal.Unrecorded(root)
		return t, nil
	}
	if t.change, err = j.Folder(f.ID, root); err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

func (t *Tree) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	t.filesM.Lock()
	var files []*File
	for f := range t.files {
		files = append(files, f)
	}
	t.filesM.Unlock()
	for _, f := range files {
		f.Close()
	}
	t.change.Close()
	t.root.Close()
}

// Folder returns what is shared.
func (t *Tree) Folder() Folder { return t.folder }

// Join returns the path of a name in a directory. It refuses whatever is not a
// single name, and paths over PATH_MAX (ENAMETOOLONG).
func Join(dir, name string) (string, error) {
	if err := at.CheckName(name); err != nil {
		return "", &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if len(dir)+1+len(name) > maxPath {
		return "", &fs.PathError{Op: "open", Path: name, Err: errTooLong}
	}
	if dir == "." {
		return name, nil
	}
	return dir + "/" + name, nil
}

// enter begins a call; leave ends it.
func (t *Tree) enter() error {
	t.mu.RLock()
	if t.closed {
		t.mu.RUnlock()
		return ErrGone
	}
	return nil
}

func (t *Tree) leave() { t.mu.RUnlock() }

// at calls do with the directory that rel is in and its name there, "." for the
// folder itself.
func (t *Tree) at(rel string, write bool, do func(p journal.Place) error) error {
	if err := t.enter(); err != nil {
		return err
	}
	defer t.leave()
	if write && t.folder.ReadOnly {
		return ErrReadOnly
	}
	return t.place(rel, do)
}

func (t *Tree) place(rel string, do func(p journal.Place) error) error {
	dir, name := path.Split(rel)
	if dir = path.Clean(dir); rel == "." {
		name = "."
	}
	d, err := t.root.Dir(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(journal.Place{Dir: d, Path: dir, Name: name})
}

// Lstat returns what rel is.
func (t *Tree) Lstat(rel string) (at.Info, error) {
	if err := t.enter(); err != nil {
		return at.Info{}, err
	}
	defer t.leave()
	return t.root.Lstat(rel)
}

// Readlink returns the target of a symbolic link.
func (t *Tree) Readlink(rel string) (target string, err error) {
	err = t.at(rel, false, func(p journal.Place) error {
		target, err = p.Dir.Readlink(p.Name)
		return err
	})
	return target, err
}

// Space returns the size of the file system that the folder lies on.
func (t *Tree) Space() (at.Space, error) {
	if err := t.enter(); err != nil {
		return at.Space{}, err
	}
	defer t.leave()
	return t.root.Space()
}

// Open opens a file or a directory; flag is os.O_RDONLY, os.O_WRONLY or
// os.O_RDWR, with os.O_TRUNC or without. Everything else that a guest asks for
// is its own kernel's business.
func (t *Tree) Open(rel string, flag int) (*File, at.Info, error) {
	write := flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0
	f := &File{tree: t}
	var info at.Info
	err := t.at(rel, write, func(p journal.Place) (err error) {
		if err := t.set.take(); err != nil {
			return err
		}
		switch {
		case write:
			f.w, info, err = t.change.Open(p, flag&(os.O_WRONLY|os.O_RDWR))
		case p.Name == ".":
			f.r, info, err = p.Dir.File()
		default:
			f.r, info, err = p.Dir.Open(p.Name, os.O_RDONLY)
		}
		if err != nil {
			t.set.open.Add(-1)
			return err
		}
		f.dir = info.Kind == at.Directory
		t.keep(f)
		if flag&os.O_TRUNC == 0 {
			return nil
		}
		if err = f.w.Truncate(0); err != nil {
			f.Close()
		}
		return err
	})
	if err != nil {
		return nil, info, err
	}
	return f, info, nil
}

// Create makes a file and opens it for reading and writing. When the name is
// taken and excl is not set, the file there is opened; trunc then empties it.
func (t *Tree) Create(rel string, perm uint32, excl, trunc bool) (*File, at.Info, error) {
	f := &File{tree: t}
	var info at.Info
	err := t.at(rel, true, func(p journal.Place) (err error) {
		if err := t.set.take(); err != nil {
			return err
		}
		if f.w, info, err = t.change.Create(p, perm&0o777); err != nil {
			t.set.open.Add(-1)
			return err
		}
		t.keep(f)
		return nil
	})
	if err == nil {
		return f, info, nil
	}
	if excl || !isExist(err) {
		return nil, info, err
	}
	flag := os.O_RDWR
	if trunc {
		flag |= os.O_TRUNC
	}
	return t.Open(rel, flag)
}

// Mkdir makes a directory.
func (t *Tree) Mkdir(rel string, perm uint32) (info at.Info, err error) {
	err = t.at(rel, true, func(p journal.Place) error {
		info, err = t.change.Mkdir(p, perm&0o777)
		return err
	})
	return info, err
}

// Symlink makes a symbolic link with any target.
func (t *Tree) Symlink(target, rel string) (info at.Info, err error) {
	err = t.at(rel, true, func(p journal.Place) error {
		info, err = t.change.Symlink(p, target)
		return err
	})
	return info, err
}

// Link gives a file of the same folder a second name.
func (t *Tree) Link(old, rel string) (info at.Info, err error) {
	err = t.at(old, true, func(o journal.Place) error {
		return t.place(rel, func(p journal.Place) error {
			info, err = t.change.Link(o, p)
			return err
		})
	})
	return info, err
}

// Rename moves something within the folder, replacing what is there as
// rename(2) does.
func (t *Tree) Rename(old, rel string) error {
	return t.at(old, true, func(o journal.Place) error {
		return t.place(rel, func(p journal.Place) error { return t.change.Rename(o, p) })
	})
}

// Remove removes a name that is not a directory.
func (t *Tree) Remove(rel string) error { return t.at(rel, true, t.change.Remove) }

// RemoveDir removes an empty directory.
func (t *Tree) RemoveDir(rel string) error { return t.at(rel, true, t.change.RemoveDir) }

// Chmod sets the permission bits, without setuid, setgid and the sticky bit.
func (t *Tree) Chmod(rel string, mode uint32) error {
	return t.at(rel, true, func(p journal.Place) error { return t.change.Chmod(p, mode&0o777) })
}

// Chtimes sets times; a zero time is left as it is. Times that no clock shows
// are refused, because records could not hold them.
func (t *Tree) Chtimes(rel string, atime, mtime time.Time) error {
	for _, x := range []time.Time{atime, mtime} {
		if s := x.Unix(); !x.IsZero() && (s < MinTime || s > MaxTime) {
			return &fs.PathError{Op: "utimes", Path: path.Base(rel), Err: fs.ErrInvalid}
		}
	}
	return t.at(rel, true, func(p journal.Place) error { return t.change.Chtimes(p, atime, mtime) })
}

// The times, in seconds since 1970, that Chtimes accepts.
const (
	MinTime = -1 << 35
	MaxTime = 253402300799 // the last second of the year 9999
)

// Truncate sets the length of a file.
func (t *Tree) Truncate(rel string, size int64) error {
	f, _, err := t.Open(rel, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}
