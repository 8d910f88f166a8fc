package share

import (
	"io/fs"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// stateFile is an open file of a state.
type stateFile struct {
	Handle
	s *state
	c *content
}

// grow makes a change that may need the content to be end bytes long; change
// returns how long the content is after it.
func (f *stateFile) grow(end int64, change func() (int64, error)) error {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if end > f.c.size && end > f.s.max {
		return errNoSpace
	}
	end = max(end, f.c.size)
	if err := f.s.pay(blocks(end) - blocks(f.c.size)); err != nil {
		return err
	}
	size, err := change()
	f.s.back(blocks(end) - blocks(size))
	f.c.size = size
	return err
}

func (f *stateFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.grow(off+int64(len(p)), func() (int64, error) {
		n, err = f.Handle.WriteAt(p, off)
		return f.after(off, n), err
	})
	return n, err
}

func (f *stateFile) WritevAt(bufs [][]byte, off int64) (n int, err error) {
	var size int64
	for _, b := range bufs {
		size += int64(len(b))
	}
	err = f.grow(off+size, func() (int64, error) {
		n, err = f.Handle.WritevAt(bufs, off)
		return f.after(off, n), err
	})
	return n, err
}

// after is how long the content is after n bytes were written.
func (f *stateFile) after(off int64, n int) int64 {
	if n <= 0 {
		return f.c.size
	}
	return max(f.c.size, off+int64(n))
}

func (f *stateFile) Truncate(size int64) error {
	return f.grow(size, func() (int64, error) {
		if err := f.Handle.Truncate(size); err != nil {
			return f.c.size, err
		}
		return size, nil
	})
}

// Allocate would make room that no size tells of.
func (f *stateFile) Allocate(uint32, int64, int64) error {
	return &fs.PathError{Op: "fallocate", Path: wire.StateName, Err: at.ErrUnsupported}
}

func (f *stateFile) Chmod(mode uint32) error { return f.Handle.Chmod(mode | ownerFile) }

func (f *stateFile) Close() error {
	err := f.Handle.Close()
	f.s.release(f.c)
	return err
}

func (s *state) Chmod(rel string, mode uint32) error {
	return s.change(func() error {
		info, err := s.Lstat(rel)
		if err != nil {
			return err
		}
		if mode |= ownerFile; info.Kind == at.Directory {
			mode |= ownerDir
		}
		return s.Store.Chmod(rel, mode)
	}, rel)
}

func (s *state) Chtimes(rel string, atime, mtime time.Time) error {
	return s.change(func() error { return s.Store.Chtimes(rel, atime, mtime) }, rel)
}
