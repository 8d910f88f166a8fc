package share

import (
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// File is an open file or directory of a Tree. It goes on when its name is
// renamed or removed. Methods may be called from several goroutines at once.
type File struct {
	tree *Tree
	dir  bool
	r    *os.File      // open for reading only
	w    *journal.File // open for changing
	no   access        // what it may not be used for, although it could

	mu     sync.RWMutex // held for reading by every call
	closed bool
	list   *at.Lister
	once   sync.Once
}

type access uint8

const (
	noRead access = 1 << iota
	noWrite
)

// ForReading and ForWriting narrow what a file is used for to what the guest
// opened it for: the host's handle may do more. They are called before the file
// is used.
func (f *File) ForReading() { f.no = noWrite }

// ForWriting is the counterpart of ForReading.
func (f *File) ForWriting() { f.no = noRead }

// take counts an open file in.
func (s *Set) take() error {
	if s.open.Add(1) > int64(s.opts.MaxOpen) {
		s.open.Add(-1)
		return ErrTooManyOpen
	}
	return nil
}

func (t *Tree) keep(f *File) {
	t.filesM.Lock()
	defer t.filesM.Unlock()
	t.files[f] = struct{}{}
}

// Close closes the file.
func (f *File) Close() {
	f.once.Do(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.closed = true
		if f.w != nil {
			f.w.Close()
		} else {
			f.r.Close()
		}
		f.tree.set.open.Add(-1)
		f.tree.filesM.Lock()
		delete(f.tree.files, f)
		f.tree.filesM.Unlock()
	})
}

func (f *File) use() error {
	f.mu.RLock()
	if f.closed {
		f.mu.RUnlock()
		return ErrGone
	}
	return nil
}

// ReadAt reads as io.ReaderAt does.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.mu.RUnlock()
	if err := f.mayRead(off); err != nil {
		return 0, err
	}
	if f.w != nil {
		return f.w.ReadAt(p, off)
	}
	return f.r.ReadAt(p, off)
}

func (f *File) mayRead(off int64) error {
	switch {
	case f.dir:
		return errIsDirectory
	case f.no&noRead != 0:
		return errNotOpenFor
	case off < 0:
		return fs.ErrInvalid
	}
	return nil
}

// WriteAt writes as io.WriterAt does.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.mu.RUnlock()
	if err := f.mayWrite(off, len(p)); err != nil {
		return 0, err
	}
	return f.w.WriteAt(p, off)
}

func (f *File) mayWrite(off int64, size int) error {
	switch {
	case !f.Writable():
		return errNotOpenFor
	case off < 0 || off > math.MaxInt64-int64(size):
		return fs.ErrInvalid
	}
	return nil
}

// Truncate sets the length of the file.
func (f *File) Truncate(size int64) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	switch {
	case !f.Writable():
		return errNotOpenFor
	case size < 0:
		return fs.ErrInvalid
	}
	return f.w.Truncate(size)
}

// Writable reports whether the file was opened for changing.
func (f *File) Writable() bool { return f.w != nil && f.no&noWrite == 0 }

// Chmod and Chtimes change the file itself, when it has no name any more. A
// file that is open for reading only has nobody left to see them.
func (f *File) Chmod(mode uint32) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	if f.w == nil {
		return nil
	}
	return f.w.Chmod(mode & 0o777)
}

// Chtimes is the counterpart of Chmod; a zero time is left as it is.
func (f *File) Chtimes(atime, mtime time.Time) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	if f.w == nil {
		return nil
	}
	return f.w.Chtimes(atime, mtime)
}

// Stat returns what the file is, also when it has no name any more.
func (f *File) Stat() (at.Info, error) {
	if err := f.use(); err != nil {
		return at.Info{}, err
	}
	defer f.mu.RUnlock()
	if f.w != nil {
		return f.w.Stat()
	}
	return at.Stat(f.r)
}

// Sync makes the content durable.
func (f *File) Sync() error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	if f.w != nil {
		return f.w.Sync()
	}
	return nil // nothing of it was changed
}

// ReadDir returns names of a directory from an offset that an earlier call
// returned, 0 being the beginning: about size bytes of them, none at the end.
// "." and ".." are among them.
func (f *File) ReadDir(offset int64, size int) ([]at.Entry, error) {
	if err := f.use(); err != nil {
		return nil, err
	}
	defer f.mu.RUnlock()
	if !f.dir {
		return nil, errNotDirectory
	}
	if offset < 0 {
		return nil, fs.ErrInvalid
	}
	return f.lister().Read(offset, size)
}

func (f *File) lister() *at.Lister {
	f.tree.filesM.Lock()
	defer f.tree.filesM.Unlock()
	if f.list == nil {
		f.list = at.NewLister(f.r)
	}
	return f.list
}
