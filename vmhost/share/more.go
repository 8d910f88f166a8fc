package share

import (
	"io/fs"
	"math"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// ReadvAt is ReadAt into several buffers.
func (f *File) ReadvAt(bufs [][]byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.mu.RUnlock()
	if err := f.mayRead(off); err != nil {
		return 0, err
	}
	return f.h.ReadvAt(bufs, off)
}

// WritevAt is WriteAt of several buffers.
func (f *File) WritevAt(bufs [][]byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.mu.RUnlock()
	total := 0
	for _, b := range bufs {
		total += len(b)
	}
	if err := f.mayWrite(off, total); err != nil {
		return 0, err
	}
	n, err := f.h.WritevAt(bufs, off)
	return n, f.tree.wait(err)
}

// Allocate makes or unmakes room in the file: fallocate(2) of Linux, with the
// modes that keep the rest of the content where it is.
func (f *File) Allocate(mode uint32, off, size int64) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.mu.RUnlock()
	switch {
	case !f.Writable():
		return errNotOpenFor
	case off < 0 || size <= 0:
		return fs.ErrInvalid
	case off > math.MaxInt64-size:
		return errTooLarge
	}
	if err := f.content(guard.Change); err != nil {
		return err
	}
	return f.tree.wait(f.h.Allocate(mode, off, size))
}

// Seek finds data or a hole from off on: whence is SEEK_DATA or SEEK_HOLE of
// Linux.
func (f *File) Seek(off int64, whence int) (int64, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.mu.RUnlock()
	if f.dir {
		return 0, errIsDirectory
	}
	return f.h.Seek(off, whence)
}

// KindOf looks at a name in a directory that does not say what it is (at.Unknown
// in an entry). "." and ".." are directories.
func (t *Tree) KindOf(dir, name string) at.Kind {
	rel, err := Join(dir, name)
	if err != nil {
		return at.Directory
	}
	var kind at.Kind
	_ = t.do(func() error { kind = t.kind(rel); return nil })
	return kind
}

// kind is at.Unknown where it cannot be told.
func (t *Tree) kind(rel string) at.Kind {
	info, err := t.store.Lstat(rel)
	if err != nil {
		return at.Unknown
	}
	return info.Kind
}
