package recorder

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/internal/ledger"
)

var _ store.Store = (*Folder)(nil)

// Place is a name in a directory of the folder. Path is the directory's path
// in the folder, slash-separated, "." for the folder itself. The name "." is the
// directory itself.
type Place struct {
	Dir  *at.Dir
	Path string
	Name string
}

// Lstat returns what is there.
func (p Place) Lstat() (at.Info, error) {
	if p.Name == "." {
		return p.Dir.Info()
	}
	return p.Dir.Lstat(p.Name)
}

// at calls do with the directory that rel is in and its name there, "." for
// the folder itself. The name is the one on the disk: what is written down must
// not depend on how a guest spells it.
func (f *Folder) at(rel string, do func(p Place) error) error {
	return f.asked(rel, func(p Place) error {
		p.Name = p.Dir.OwnName(p.Name)
		return do(p)
	})
}

// asked is at with the name as it was asked for.
func (f *Folder) asked(rel string, do func(p Place) error) error {
	return f.root.At(rel, func(d *at.Dir, name string) error {
		return do(Place{Dir: d, Path: path.Dir(rel), Name: name})
	})
}

// change is at for a change, which is made again when there was no room and
// somebody gave it.
func (f *Folder) change(rel string, do func(p Place) error) error {
	return f.at(rel, func(p Place) error { return f.Rec.ask(func() error { return do(p) }) })
}

// changeBoth is change for two names.
func (f *Folder) changeBoth(old, rel string, do func(o, p Place) error) error {
	return f.at(old, func(o Place) error {
		return f.asked(rel, func(p Place) error {
			// A file may get another spelling of its own name.
			if own := p.Dir.OwnName(p.Name); own != p.Name && !sameFile(o, Place{Dir: p.Dir, Name: own}) {
				p.Name = own
			}
			return f.Rec.ask(func() error { return do(o, p) })
		})
	})
}

func sameFile(a, b Place) bool {
	x, errX := a.Dir.Lstat(a.Name)
	y, errY := b.Dir.Lstat(b.Name)
	return errX == nil && errY == nil && x.ID == y.ID
}

// OwnPath is rel with the names that are on the disk, as far as it is there.
func (f *Folder) OwnPath(rel string) string {
	list := strings.Split(rel, "/")
	dir := "."
	for i, name := range list {
		d, err := f.root.Dir(dir)
		if err != nil {
			break
		}
		list[i] = d.OwnName(name)
		d.Close()
		dir = path.Join(dir, list[i])
	}
	return strings.Join(list, "/")
}

// Lstat returns what rel is.
func (f *Folder) Lstat(rel string) (at.Info, error) { return f.root.Lstat(rel) }

// Readlink returns the target of a symbolic link.
func (f *Folder) Readlink(rel string) (target string, err error) {
	err = f.at(rel, func(p Place) error { target, err = p.Dir.Readlink(p.Name); return err })
	return target, err
}

// Space returns the size of the file system that the folder lies on.
func (f *Folder) Space() (at.Space, error) { return f.root.Space() }

// Open opens a file or directory as it is; write says that it may be changed. The
// content is kept before the first change, not before.
func (f *Folder) Open(rel string, write bool) (h store.Handle, info at.Info, err error) {
	if write {
		err = f.change(rel, func(p Place) error {
			var x *File
			if x, info, err = f.Rec.OpenFile(p); err == nil {
				h = x
			}
			return err
		})
		return h, info, err
	}
	err = f.at(rel, func(p Place) error {
		var r *os.File
		if p.Name == "." {
			r, info, err = p.Dir.File()
		} else {
			r, info, err = p.Dir.Open(p.Name, os.O_RDONLY)
		}
		if err == nil {
			h = &reading{refused: refused{store.None{Err: syscall.EBADF}}, opened: opened{r}}
		}
		return err
	})
	return h, info, err
}

// opened is what can be done with any file that is open, also when its name is gone.
type opened struct{ f *os.File }

func (o opened) ReadAt(p []byte, off int64) (int, error) { return o.f.ReadAt(p, off) }

func (o opened) ReadvAt(bufs [][]byte, off int64) (int, error) { return at.ReadvAt(o.f, bufs, off) }

// Seek finds data or a hole, as [at.Seek] does.
func (o opened) Seek(off int64, whence int) (int64, error) { return at.Seek(o.f, off, whence) }

func (o opened) Stat() (at.Info, error) { return at.Stat(o.f) }

func (o opened) GetXattr(attr string) ([]byte, error) { return at.FileAttrs(o.f).Get(attr) }

func (o opened) ListXattr() ([]string, error) { return at.FileAttrs(o.f).List() }

// refused is what reading cannot do; what opened can do hides its methods.
type refused struct{ store.None }

// reading is a file or directory of the folder that is open for reading only.
type reading struct {
	refused
	opened
	once sync.Once
	list *at.Lister
}

// Original is of no interest where nothing can be changed.
func (r *reading) Original() (bool, error) { return false, nil }

// Sync has nothing to do: nothing of it was changed.
func (r *reading) Sync() error { return nil }

// SetMeta changes a file that has no name any more: one that is open for reading
// only has nobody left to see it.
func (r *reading) SetMeta(at.Meta) error { return nil }

func (r *reading) SetXattr(string, []byte, int) error { return r.Err }

func (r *reading) RemoveXattr(string) error { return r.Err }

func (r *reading) ReadDir(offset int64, size int) ([]at.Entry, error) {
	r.once.Do(func() { r.list = at.NewLister(r.f) })
	return r.list.Read(offset, size)
}

func (r *reading) Close() error { return r.f.Close() }

// ReadDir is of directories, and a File is none.
func (x *File) ReadDir(int64, int) ([]at.Entry, error) { return nil, syscall.ENOTDIR }

// Tmpfile makes a file without a name on the file system of a directory, open
// for reading and writing, where the host can. It is the task's own: nothing of
// it is written down until LinkFile gives it a name.
func (f *Folder) Tmpfile(dir string, perm uint32) (store.Handle, at.Info, error) {
	d, err := f.root.Dir(dir)
	if err != nil {
		return nil, at.Info{}, err
	}
	defer d.Close()
	file, info, err := d.Tmpfile(perm)
	if err != nil {
		return nil, info, err
	}
	x := &File{opened: opened{file}, nameless: true}
	if f.Rec != nil {
		x.folder = f.Rec
	}
	return x, info, nil
}

// LinkFile gives a file of Tmpfile a name, as the creation of a file. It fails
// when the name is taken. A removed file is refused: it may lie in refs/, and a change through its
// new name would change the before-image.
func (f *Folder) LinkFile(h store.Handle, rel string) (info at.Info, err error) {
	x, ok := h.(*File)
	if !ok || !x.nameless {
		return info, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrNotExist}
	}
	err = f.change(rel, func(p Place) error { info, err = f.Rec.linkFile(x, p); return err })
	return info, err
}

func (f *Changer) linkFile(x *File, p Place) (info at.Info, err error) {
	link := func() error {
		err := p.Dir.LinkFile(x.f, p.Name)
		if err == nil {
			info, err = at.Stat(x.f)
		}
		return err
	}
	if f == nil {
		return info, link()
	}
	err = f.Add(p, link, func(dir *ledger.Object, e *ledger.Entry) error {
		if o := x.obj.Load(); o != nil && f.J.Tables.Objects[o.ID] == o { // it has a name already
			if _, err := f.J.Put(ledger.BindRecord{Entry: e.ID, Object: o.ID}); err != nil {
				return err
			}
			return f.J.SignAgain(o, info)
		}
		o, err := f.Made(dir, e, info, "")
		if err == nil {
			o.Join()
			x.writing = o.Writing
			x.obj.Store(o)
			x.begun(info)
		}
		return err
	})
	return info, err
}
