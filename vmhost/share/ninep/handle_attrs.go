package ninep

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// maxAttrs is how much of extended attributes the fids of a mount hold together,
// bytes: a guest's kernel holds one for the length of a system call.
const maxAttrs = 4 << 20

// attribute is an extended attribute of a file, or the list of their names, as
// the file that the protocol makes of it: read from a Txattrwalk on, or written
// from a Txattrcreate to its Tclunk.
type attribute struct {
	held *atomic.Int64
	size int

	mu    sync.Mutex
	value []byte

	name  string // of what is written
	flags int
}

// attribute returns what the fid is besides a file, or nil.
func (f *fid) attribute() *attribute {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.attr
}

// holdAttr counts an attribute in.
func (m *mount) holdAttr(a *attribute) error {
	if m.attrs.Add(int64(a.size)) > maxAttrs {
		m.attrs.Add(-int64(a.size))
		return linux.ENOMEM
	}
	a.held = &m.attrs
	return nil
}

func (a *attribute) forget() {
	if a != nil {
		a.held.Add(-int64(a.size))
	}
}

func (a *attribute) read(off int64, count int) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.name != "" {
		return nil, linux.EBADF
	}
	rest := a.value[min(off, int64(len(a.value))):]
	return rest[:min(count, len(rest))], nil
}

// write takes a piece of the value: they come in order.
func (a *attribute) write(data []byte, off int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.name == "":
		return linux.EBADF
	case off != int64(len(a.value)):
		return linux.EINVAL
	case len(data) > a.size-len(a.value):
		return linux.ENOSPC
	}
	a.value = append(a.value, data...)
	return nil
}

// xattrwalk makes a fid of an attribute, or of the names of all. Most questions
// are for attributes of the system, of which nothing is known here.
func (m *mount) xattrwalk(c *cursor) ([]byte, error) {
	from, to, name := c.u32(), c.u32(), c.str()
	f, done, err := m.get(from)
	if err != nil {
		return nil, err
	}
	defer done()
	if name != "" {
		if err := at.CheckAttr(name, 0); err != nil {
			return nil, err
		}
	}
	m.names.RLock()
	defer m.names.RUnlock()
	if f.tree == nil {
		return nil, linux.EOPNOTSUPP
	}
	var value []byte
	if name == "" {
		value, err = f.object().ListXattr()
	} else {
		value, err = f.object().GetXattr(name)
	}
	if err != nil {
		return nil, err
	}
	a := &attribute{size: len(value), value: value}
	if err := m.holdAttr(a); err != nil {
		return nil, err
	}
	f.mu.Lock()
	g := &fid{tree: f.tree, path: f.path, gone: f.gone, kin: f.kin, attr: a}
	f.mu.Unlock()
	if err := m.put(to, g); err != nil {
		a.forget()
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(len(value))), nil
}

// xattrcreate makes of a fid one to which the value of an attribute is written.
func (m *mount) xattrcreate(c *cursor) error {
	n := c.u32()
	name, size, flags := c.str(), c.u64(), c.u32()
	f, done, err := m.get(n)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case f.tree == nil:
		return linux.EROFS
	case f.open() != nil || f.attribute() != nil:
		return linux.EINVAL
	case f.tree.Folder().ReadOnly:
		return linux.EROFS
	case flags&^(at.AttrCreate|at.AttrReplace) != 0:
		return linux.EINVAL
	}
	if err := at.CheckAttr(name, int(min(size, at.MaxAttrValue+1))); err != nil {
		return err
	}
	a := &attribute{size: int(size), name: name, flags: int(flags)}
	if err := m.holdAttr(a); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.attr != nil {
		a.forget()
		return linux.EINVAL
	}
	f.attr = a
	return nil
}

// clunk gives a fid up, and sets the attribute that was written to it. Who has to
// wait for a person keeps it for the next time.
func (m *mount) clunk(n uint32) error {
	f, done, err := m.get(n)
	if err != nil {
		return err
	}
	defer done()
	err = m.setAttr(f)
	if errors.As(err, new(share.Waiter)) {
		return err
	}
	return errors.Join(err, m.take(n))
}

func (m *mount) setAttr(f *fid) error {
	a := f.attribute()
	if a == nil || a.name == "" {
		return nil
	}
	m.names.RLock()
	defer m.names.RUnlock()
	a.mu.Lock()
	value := a.value
	a.mu.Unlock()
	switch {
	case len(value) != a.size:
		return linux.EINVAL
	case a.size == 0 && a.flags == at.AttrReplace: // removexattr(2)
		return f.object().RemoveXattr(a.name)
	}
	return f.object().SetXattr(a.name, value, a.flags)
}
