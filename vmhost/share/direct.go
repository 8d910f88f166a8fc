package share

import (
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// direct is the folder itself as a Store: what is read comes from it, what is
// changed goes through its journal.
type direct struct {
	root   *at.Root
	change *journal.Folder
}

func newDirect(f Folder, j *journal.Journal) (*direct, error) {
	root, err := at.OpenRoot(f.Path)
	if err != nil {
		return nil, err
	}
	d := &direct{root: root}
	if f.ReadOnly || j == nil {
		d.change = journal.Unrecorded(root)
		return d, nil
	}
	if d.change, err = j.Folder(f.ID, root); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

func (d *direct) Close() {
	d.change.Close()
	d.root.Close()
}

// place calls do with the directory that rel is in and its name there, "." for
// the folder itself. The name is the one on the disk: what is written down must
// not depend on how a guest spells it.
func (d *direct) place(rel string, do func(p journal.Place) error) error {
	return d.asked(rel, func(p journal.Place) error {
		p.Name = p.Dir.OwnName(p.Name)
		return do(p)
	})
}

// asked is place with the name as it was asked for.
func (d *direct) asked(rel string, do func(p journal.Place) error) error {
	dir, name := path.Split(rel)
	if dir = path.Clean(dir); rel == "." {
		name = "."
	}
	x, err := d.root.Dir(dir)
	if err != nil {
		return err
	}
	defer x.Close()
	return do(journal.Place{Dir: x, Path: dir, Name: name})
}

// places is place for two names.
func (d *direct) places(old, rel string, do func(o, p journal.Place) error) error {
	return d.place(old, func(o journal.Place) error {
		return d.asked(rel, func(p journal.Place) error {
			// A file may get another spelling of its own name.
			if own := p.Dir.OwnName(p.Name); own != p.Name && !sameFile(o, journal.Place{Dir: p.Dir, Name: own}) {
				p.Name = own
			}
			return do(o, p)
		})
	})
}

func sameFile(a, b journal.Place) bool {
	x, errX := a.Dir.Lstat(a.Name)
	y, errY := b.Dir.Lstat(b.Name)
	return errX == nil && errY == nil && x.ID == y.ID
}

func (d *direct) Lstat(rel string) (at.Info, error) { return d.root.Lstat(rel) }

func (d *direct) Readlink(rel string) (target string, err error) {
	err = d.place(rel, func(p journal.Place) error {
		target, err = p.Dir.Readlink(p.Name)
		return err
	})
	return target, err
}

func (d *direct) Space() (at.Space, error) { return d.root.Space() }

func (d *direct) Original(rel string) (original bool, err error) {
	err = d.place(rel, func(p journal.Place) error {
		original, err = d.change.Original(p)
		return err
	})
	return original, err
}

func (d *direct) Taken(rel string) (taken bool, err error) {
	err = d.place(rel, func(p journal.Place) error {
		taken, err = d.change.Taken(p)
		return err
	})
	return taken, err
}

// ownPath is rel with the names that are on the disk, as far as it is there.
func (d *direct) ownPath(rel string) string {
	list := strings.Split(rel, "/")
	dir := "."
	for i, name := range list {
		x, err := d.root.Dir(dir)
		if err != nil {
			break
		}
		list[i] = x.OwnName(name)
		x.Close()
		dir = path.Join(dir, list[i])
	}
	return strings.Join(list, "/")
}

func (d *direct) Open(rel string, write bool) (h Handle, info at.Info, err error) {
	err = d.place(rel, func(p journal.Place) error {
		if write {
			var w *journal.File
			if w, info, err = d.change.Open(p, os.O_RDWR); err == nil {
				h = &changing{File: w}
			}
			return err
		}
		var r *os.File
		if p.Name == "." {
			r, info, err = p.Dir.File()
		} else {
			r, info, err = p.Dir.Open(p.Name, os.O_RDONLY)
		}
		if err == nil {
			h = &reading{File: r}
		}
		return err
	})
	return h, info, err
}

func (d *direct) Create(rel string, perm uint32) (h Handle, info at.Info, err error) {
	err = d.place(rel, func(p journal.Place) error {
		var w *journal.File
		if w, info, err = d.change.Create(p, perm); err == nil {
			h = &changing{File: w}
		}
		return err
	})
	return h, info, err
}

func (d *direct) Mkdir(rel string, perm uint32) (info at.Info, err error) {
	err = d.place(rel, func(p journal.Place) error {
		info, err = d.change.Mkdir(p, perm)
		return err
	})
	return info, err
}

func (d *direct) Symlink(target, rel string) (info at.Info, err error) {
	err = d.place(rel, func(p journal.Place) error {
		info, err = d.change.Symlink(p, target)
		return err
	})
	return info, err
}

func (d *direct) Link(old, rel string) (info at.Info, err error) {
	err = d.places(old, rel, func(o, p journal.Place) error {
		info, err = d.change.Link(o, p)
		return err
	})
	return info, err
}

func (d *direct) Rename(old, rel string, noReplace bool) error {
	if noReplace {
		return d.places(old, rel, d.change.RenameNoReplace)
	}
	return d.places(old, rel, d.change.Rename)
}

func (d *direct) Remove(rel string) error { return d.place(rel, d.change.Remove) }

func (d *direct) RemoveDir(rel string) error { return d.place(rel, d.change.RemoveDir) }

func (d *direct) Chmod(rel string, mode uint32) error {
	return d.place(rel, func(p journal.Place) error { return d.change.Chmod(p, mode) })
}

func (d *direct) Chtimes(rel string, atime, mtime time.Time) error {
	return d.place(rel, func(p journal.Place) error { return d.change.Chtimes(p, atime, mtime) })
}

// changing is a file of the folder that is open for changing.
type changing struct{ *journal.File }

func (changing) ReadDir(int64, int) ([]at.Entry, error) { return nil, errNotDirectory }

// reading is a file or directory of the folder that is open for reading only.
type reading struct {
	*os.File
	once sync.Once
	list *at.Lister
}

func (r *reading) ReadvAt(bufs [][]byte, off int64) (int, error) {
	return at.ReadvAt(r.File, bufs, off)
}

func (r *reading) Seek(off int64, whence int) (int64, error) { return at.Seek(r.File, off, whence) }

func (r *reading) Stat() (at.Info, error) { return at.Stat(r.File) }

// Original is of no interest where nothing can be changed.
func (r *reading) Original() (bool, error) { return false, nil }

// Sync has nothing to do: nothing of it was changed.
func (r *reading) Sync() error { return nil }

// Chmod and Chtimes change a file that has no name any more: one that is open
// for reading only has nobody left to see them.
func (r *reading) Chmod(uint32) error { return nil }

func (r *reading) Chtimes(time.Time, time.Time) error { return nil }

func (r *reading) WriteAt([]byte, int64) (int, error) { return 0, errNotOpenFor }

func (r *reading) WritevAt([][]byte, int64) (int, error) { return 0, errNotOpenFor }

func (r *reading) Truncate(int64) error { return errNotOpenFor }

func (r *reading) Allocate(uint32, int64, int64) error { return errNotOpenFor }

func (r *reading) ReadDir(offset int64, size int) ([]at.Entry, error) {
	r.once.Do(func() { r.list = at.NewLister(r.File) })
	return r.list.Read(offset, size)
}
