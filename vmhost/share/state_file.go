package share

import (
	"io/fs"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/wire"
)

// stateFile is an open file of a state.
type stateFile struct {
	Handle
	s *state
	c *content
}

// grow makes a change that may need the content to be end bytes long, or with atEnd so much longer;
// change returns how long the content is after it.
func (f *stateFile) grow(end int64, atEnd bool, change func() (int64, error)) error {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	if atEnd {
		end += f.c.size
	}
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

func (f *stateFile) WriteAt(p []byte, off int64) (int, error) { return f.WritevAt([][]byte{p}, off) }

func (f *stateFile) WritevAt(bufs [][]byte, off int64) (n int, err error) {
	err = f.grow(off+int64(length(bufs)), false, func() (int64, error) {
		n, err = f.Handle.WritevAt(bufs, off)
		return f.after(off, n), err
	})
	return n, err
}

func (f *stateFile) Append(bufs [][]byte) (n int, err error) {
	err = f.grow(int64(length(bufs)), true, func() (int64, error) {
		n, err = f.Handle.Append(bufs)
		return f.after(f.c.size, n), err
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
	return f.grow(size, false, func() (int64, error) {
		if err := f.Handle.Truncate(size); err != nil {
			return f.c.size, err
		}
		return size, nil
	})
}

// Allocate would make room that no size tells of.
func (f *stateFile) Allocate(uint32, int64, int64) error {
	return unsupported("fallocate", wire.StateName)
}

func (f *stateFile) SetMeta(m at.Meta) error {
	if m.Mode != nil {
		m.Mode = new(*m.Mode | ownerFile)
	}
	return f.Handle.SetMeta(m)
}

func (f *stateFile) Close() error {
	err := f.Handle.Close()
	f.s.release(f.c)
	return err
}

func (s *state) SetMeta(rel string, m at.Meta) (now at.Info, err error) {
	err = s.change(func() error {
		info, err := s.Lstat(rel)
		if err != nil {
			return err
		}
		owner := uint32(ownerFile)
		if info.Kind == at.Directory {
			owner = ownerDir
		}
		if m.Mode != nil {
			m.Mode = new(*m.Mode | owner)
		}
		now, err = s.Store.SetMeta(rel, m)
		return err
	}, rel)
	return now, err
}

// A state has no extended attributes and no files without a name: nothing would count
// them.

func unsupported(op, rel string) error {
	return &fs.PathError{Op: op, Path: rel, Err: at.ErrUnsupported}
}

func (s *state) Tmpfile(dir string, _ uint32) (Handle, at.Info, error) {
	return nil, at.Info{}, unsupported("tmpfile", dir)
}

func (s *state) LinkFile(_ Handle, rel string) (at.Info, error) {
	return at.Info{}, &fs.PathError{Op: "link", Path: rel, Err: fs.ErrNotExist}
}

func (s *state) GetXattr(rel, _ string) ([]byte, error) { return nil, unsupported("getxattr", rel) }

func (s *state) ListXattr(rel string) ([]string, error) { return nil, unsupported("listxattr", rel) }

func (s *state) SetXattr(rel, _ string, _ []byte, _ int) error { return unsupported("setxattr", rel) }

func (s *state) RemoveXattr(rel, _ string) error { return unsupported("removexattr", rel) }

func (f *stateFile) GetXattr(attr string) ([]byte, error) { return nil, unsupported("getxattr", attr) }

func (f *stateFile) ListXattr() ([]string, error) { return nil, unsupported("listxattr", ".") }

func (f *stateFile) SetXattr(attr string, _ []byte, _ int) error {
	return unsupported("setxattr", attr)
}

func (f *stateFile) RemoveXattr(attr string) error { return unsupported("removexattr", attr) }
