package journal

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"piwork/vmhost/share/internal/at"
)

// File is a file that is open for changing. Its methods may be called from
// several goroutines at once; it works on when its name is gone.
type File struct {
	f      *os.File
	folder *Folder // nil: not recorded
	o      *object
	ready  atomic.Uint64 // Journal.round when the file was prepared, plus one
	once   sync.Once
}

// Open opens the file at p for changing; flag is os.O_RDWR or os.O_WRONLY. The
// content is kept before the first change, not before.
func (f *Folder) Open(p Place, flag int) (*File, at.Info, error) {
	if f.j == nil {
		file, info, err := openFile(p, flag)
		return &File{f: file}, info, err
	}
	// Nothing takes the name from the file until it is known whose it is.
	f.gate.RLock()
	defer f.gate.RUnlock()
	f.names.Lock()
	defer f.names.Unlock()
	dir, err := f.directory(p)
	if err != nil {
		return nil, at.Info{}, err
	}
	file, info, err := openFile(p, flag)
	if err != nil {
		return nil, info, err
	}
	o, err := f.writer(dir, p.Name, file)
	if err != nil {
		file.Close()
		return nil, info, err
	}
	return &File{f: file, folder: f, o: o}, info, nil
}

func openFile(p Place, flag int) (*os.File, at.Info, error) {
	file, info, err := p.Dir.Open(p.Name, os.O_RDWR)
	if err != nil && errors.Is(err, fs.ErrPermission) && flag == os.O_WRONLY {
		return p.Dir.Open(p.Name, os.O_WRONLY)
	}
	return file, info, err
}

func (f *Folder) writer(dir *object, name string, file *os.File) (*object, error) {
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	info, err := at.Stat(file)
	if err != nil {
		return nil, err
	}
	o, err := f.meet(dir, name, info, "")
	if err != nil {
		return nil, err
	}
	o.writers++
	return o, nil
}

// prepare keeps the content before the first change.
func (x *File) prepare() error {
	round := x.folder.j.round.Load() + 1
	if x.ready.Load() == round {
		return nil
	}
	x.o.keep.Lock()
	defer x.o.keep.Unlock()
	made, err := x.open()
	if err != nil {
		return err
	}
	if !made {
		if err := x.folder.keepContent(x.o, x.f); err != nil {
			return err
		}
	}
	x.folder.j.step("kept")
	x.ready.Store(round)
	return nil
}

// open writes down that the content is about to change, and what a person did
// to it since the file was opened. It reports whether the task made the file.
func (x *File) open() (bool, error) {
	j := x.folder.j
	j.mu.Lock()
	defer j.mu.Unlock()
	info, err := at.Stat(x.f)
	if err != nil {
		return false, err
	}
	if j.tables.objects[x.o.id] != x.o || info.ID != x.o.ident {
		return true, nil // made by the task or replaced by an undo, and without a name by now
	}
	if now := stateOf(info); x.o.touch != touchOpen && x.o.writers == 1 && !x.o.last.sameData(now) {
		if _, err := j.put(record{K: recRebase, O: x.o.id, ID: &info.ID, S: &now, G: x.o.gen}); err != nil {
			return false, err
		}
	}
	if x.o.touch != touchOpen {
		_, err = j.put(record{K: recTouchO, O: x.o.id})
	}
	return x.o.made, err
}

// ReadAt reads as io.ReaderAt does.
func (x *File) ReadAt(p []byte, off int64) (int, error) { return x.f.ReadAt(p, off) }

// WriteAt writes as io.WriterAt does.
func (x *File) WriteAt(p []byte, off int64) (n int, err error) {
	err = x.changeContent(func() error {
		n, err = x.f.WriteAt(p, off)
		return err
	})
	return n, err
}

// Truncate sets the length of the file.
func (x *File) Truncate(size int64) error {
	return x.changeContent(func() error { return x.f.Truncate(size) })
}

// Chmod sets the permission bits of the file itself.
func (x *File) Chmod(mode uint32) error {
	return x.attribute(false, func() error { return at.SetMode(x.f, mode&0o777) })
}

// Chtimes sets the times of the file itself; a zero time is left as it is.
func (x *File) Chtimes(atime, mtime time.Time) error {
	return x.attribute(!mtime.IsZero(), func() error { return at.SetTimes(x.f, atime, mtime) })
}

func (x *File) attribute(times bool, do func() error) error {
	if x.folder == nil {
		return do()
	}
	x.folder.gate.RLock()
	defer x.folder.gate.RUnlock()
	x.o.keep.Lock()
	defer x.o.keep.Unlock()
	made, err := x.open()
	if err != nil {
		return err
	}
	if times && !made {
		if err := x.folder.j.touchTimes(x.o); err != nil {
			return err
		}
	}
	if err := x.folder.durable(x.o); err != nil {
		return err
	}
	x.folder.j.busy()
	return do()
}

// touchTimes notes that the times of o are set on purpose.
func (j *Journal) touchTimes(o *object) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if o.times {
		return nil
	}
	_, err := j.put(record{K: recTouchO, O: o.id, Times: true})
	return err
}

// Sync makes the file's content durable.
func (x *File) Sync() error { return x.f.Sync() }

// Stat returns what the file is, also when it has no name any more.
func (x *File) Stat() (at.Info, error) { return at.Stat(x.f) }

// Close closes the file and notes how the task left it.
func (x *File) Close() error {
	var err error
	x.once.Do(func() {
		if x.folder != nil {
			x.leave()
		}
		err = x.f.Close()
	})
	return err
}

func (x *File) leave() {
	j := x.folder.j
	j.mu.Lock()
	defer j.mu.Unlock()
	x.o.writers--
	info, err := at.Stat(x.f)
	if err != nil || x.o.writers > 0 || x.o.touch != touchOpen || j.closed || j.tables.objects[x.o.id] != x.o || info.ID != x.o.ident {
		return
	}
	s := stateOf(info)
	if _, err := j.put(record{K: recSig, O: x.o.id, S: &s}); err != nil {
		j.log.Error("journal: cannot write", "err", err)
	}
	j.step("left")
}

// Chmod sets the permission bits of what is at p. Bits that give rights of
// another user (setuid, setgid) are not among them.
func (f *Folder) Chmod(p Place, mode uint32) error {
	return f.attribute(p, false, func() error { return p.chmod(mode & 0o777) })
}

// Chtimes sets the times of what is at p itself; a zero time is left as it is.
func (f *Folder) Chtimes(p Place, atime, mtime time.Time) error {
	return f.attribute(p, !mtime.IsZero(), func() error { return p.chtimes(atime, mtime) })
}

func (f *Folder) attribute(p Place, times bool, do func() error) error {
	if f.j == nil {
		return do()
	}
	defer f.enter()()
	o, info, err := f.self(p)
	if err != nil {
		return err
	}
	if info.Kind == at.Special {
		return &fs.PathError{Op: "setattr", Path: p.Name, Err: ErrSpecial}
	}
	f.j.mu.Lock()
	if o.touch != touchOpen || times && !o.times {
		_, err = f.j.put(record{K: recTouchO, O: o.id, Times: times})
	}
	o.writers++ // until it is signed nobody takes this for a person's change
	f.j.mu.Unlock()
	defer f.sign(o, p)
	if err == nil {
		err = f.durable(o)
	}
	if err != nil {
		return err
	}
	f.j.step("before")
	err = do()
	f.j.step("after")
	return err
}

// self returns the object that p is, the folder itself for the name ".".
func (f *Folder) self(p Place) (*object, at.Info, error) {
	dir, err := f.directory(p)
	if err != nil {
		return nil, at.Info{}, err
	}
	return f.look(dir, p)
}

// sign notes how the task left an object, unless others are changing it.
func (f *Folder) sign(o *object, p Place) {
	f.j.mu.Lock()
	defer f.j.mu.Unlock()
	o.writers--
	info, err := p.lstat()
	if err != nil || info.ID != o.ident || o.writers > 0 || f.j.closed {
		return // without it the disk is asked later
	}
	s := stateOf(info)
	s.Target = o.last.Target
	if _, err := f.j.put(record{K: recSig, O: o.id, S: &s}); err != nil {
		f.j.log.Error("journal: cannot write", "err", err)
	}
}
