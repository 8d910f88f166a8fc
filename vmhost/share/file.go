package share

import (
	"io/fs"
	"math"
	"sync"
	"sync/atomic"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
)

// File is an open file or directory of a Tree. It goes on when its name is
// renamed or removed. Methods may be called from several goroutines at once.
type File struct {
	tree  *Tree
	h     Handle
	dir   bool
	rel   string // where it was opened
	write bool   // open for changing
	no    access // what it may not be used for, although it could
	away  bool   // it was only online when it was opened

	appends bool // it was opened for appending

	mu     sync.RWMutex // held for reading by every call
	closed bool
	once   sync.Once

	cleared atomic.Uint64 // guard.Guard.Epoch in which changes were allowed, plus one
}

type access uint8

const (
	noRead access = 1 << iota
	noWrite
)

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
		f.h.Close()
		f.tree.set.open.Add(-1)
		f.tree.filesM.Lock()
		delete(f.tree.files, f)
		f.tree.filesM.Unlock()
	})
}

// use begins a call, done ends it. A file that is being closed is closed.
func (f *File) use() error {
	if !f.mu.TryRLock() {
		return ErrGone
	}
	f.tree.under.Add(1)
	if f.closed {
		f.done()
		return ErrGone
	}
	return nil
}

func (f *File) done() {
	f.tree.under.Add(-1)
	f.mu.RUnlock()
}

// ReadAt reads as io.ReaderAt does.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.ReadvAt([][]byte{p}, off) }

// ReadvAt is ReadAt into several buffers.
func (f *File) ReadvAt(bufs [][]byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.done()
	if err := f.mayRead(off); err != nil {
		return 0, err
	}
	n, err := f.h.ReadvAt(bufs, off)
	f.tree.set.opts.Counts.read.Add(1)
	f.tree.set.opts.Counts.out.Add(int64(n))
	return n, f.told(f.tree.notice(err))
}

// told is the error of a call that may have read a file that was only online.
func (f *File) told(err error) error {
	if f.away {
		return fetched(err)
	}
	return err
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
func (f *File) WriteAt(p []byte, off int64) (int, error) { return f.WritevAt([][]byte{p}, off) }

// WritevAt is WriteAt of several buffers.
func (f *File) WritevAt(bufs [][]byte, off int64) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.done()
	total := length(bufs)
	if err := f.mayWrite(off, total); err != nil {
		return 0, err
	}
	gap, err := f.gap(off)
	if err != nil {
		return 0, err
	}
	return f.writes(total, gap, func() (int, error) { return f.h.WritevAt(bufs, off) })
}

// Appends reports whether the guest opened the file for appending: then each of its writes is an
// [File.Append], whatever offset its kernel thinks that it has.
func (f *File) Appends() bool { return f.appends }

// Append writes to the end that the file has by then: neither what a person nor what another
// task appends at the same time is written over. What is written with one call stays together.
func (f *File) Append(bufs [][]byte) (int, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.done()
	total := length(bufs)
	if err := f.mayWrite(0, total); err != nil {
		return 0, err
	}
	return f.writes(total, 0, func() (int, error) { return f.h.Append(bufs) })
}

func length(bufs [][]byte) (n int) {
	for _, b := range bufs {
		n += len(b)
	}
	return n
}

// writes makes a call that writes total bytes, and more for a gap on a disk without holes.
func (f *File) writes(total int, gap int64, call func() (int, error)) (int, error) {
	if err := f.moreContent(gap + int64(total)); err != nil {
		return 0, err
	}
	n, err := call()
	if n <= 0 {
		f.lessContent(gap)
	}
	f.lessContent(int64(total - max(n, 0)))
	f.tree.set.opts.Counts.write.Add(1)
	f.tree.set.opts.Counts.in.Add(int64(max(n, 0)))
	return n, f.told(f.tree.wait(f.tree.notice(err)))
}

func (f *File) mayWrite(off int64, size int) error {
	switch {
	case !f.Writable():
		return errNotOpenFor
	case off < 0 || off > math.MaxInt64-int64(size):
		return fs.ErrInvalid
	}
	return f.content(guard.Change)
}

// Truncate sets the length of the file.
func (f *File) Truncate(size int64) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
	switch {
	case !f.Writable():
		return errNotOpenFor
	case size < 0:
		return fs.ErrInvalid
	}
	if err := f.content(guard.Overwrite); err != nil {
		return err
	}
	gap, err := f.gap(size)
	if err != nil {
		return err
	}
	if err := f.moreContent(gap); err != nil {
		return err
	}
	if err = f.h.Truncate(size); err != nil {
		f.lessContent(gap)
	}
	return f.told(f.tree.wait(err))
}

// gap is what a disk without holes gives to a file besides what is written when that begins at
// off: the room between its end and there.
func (f *File) gap(off int64) (int64, error) {
	if f.tree.folder.Bytes == nil || !f.tree.dense() {
		return 0, nil
	}
	info, err := f.h.Stat()
	return max(0, off-info.Size), f.tree.notice(err)
}

// frees are the modes of fallocate(2) that take room away: FALLOC_FL_PUNCH_HOLE and
// FALLOC_FL_COLLAPSE_RANGE of linux/falloc.h.
const frees = 0x02 | 0x08

// Allocate makes or unmakes room in the file: fallocate(2) of Linux, with the
// modes that keep the rest of the content where it is.
func (f *File) Allocate(mode uint32, off, size int64) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
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
	room, err := f.gap(off)
	if err != nil {
		return err
	}
	if room += size; mode&frees != 0 {
		room = 0
	}
	if err := f.moreContent(room); err != nil {
		return err
	}
	if err = f.h.Allocate(mode, off, size); err != nil {
		f.lessContent(room)
	}
	return f.told(f.tree.wait(err))
}

// Seek finds data or a hole from off on: whence is SEEK_DATA or SEEK_HOLE of
// Linux.
func (f *File) Seek(off int64, whence int) (int64, error) {
	if err := f.use(); err != nil {
		return 0, err
	}
	defer f.done()
	if f.dir {
		return 0, errIsDirectory
	}
	return f.h.Seek(off, whence)
}

// Writable reports whether the file was opened for changing.
func (f *File) Writable() bool { return f.write && f.no&noWrite == 0 }

// SetMeta changes the file itself, when it has no name any more. A file that is
// open for reading only has nobody left to see it.
func (f *File) SetMeta(m at.Meta) error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
	if err := f.content(guard.Change); err != nil {
		return err
	}
	return f.tree.wait(f.h.SetMeta(m.Plain()))
}

// Stat returns what the file is, also when it has no name any more.
func (f *File) Stat() (at.Info, error) {
	if err := f.use(); err != nil {
		return at.Info{}, err
	}
	defer f.done()
	return f.h.Stat()
}

// Sync makes the content durable.
func (f *File) Sync() error {
	if err := f.use(); err != nil {
		return err
	}
	defer f.done()
	return f.tree.notice(f.h.Sync())
}

// ReadDir returns names of a directory from an offset that an earlier call
// returned, 0 being the beginning: about size bytes of them, none at the end.
// "." and ".." are among them.
func (f *File) ReadDir(offset int64, size int) ([]at.Entry, error) {
	if err := f.use(); err != nil {
		return nil, err
	}
	defer f.done()
	if !f.dir {
		return nil, errNotDirectory
	}
	if offset < 0 {
		return nil, fs.ErrInvalid
	}
	list, err := f.h.ReadDir(offset, size)
	return list, f.tree.notice(err)
}
