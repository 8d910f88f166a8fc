package ninep

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/errno"
)

// Flags of open(2) in Linux, as 9P2000.L sends them. O_APPEND is among those that share.File
// knows, and no other reaches the host.
const (
	oExcl      = 0o200
	oTrunc     = 0o1000
	oDirectory = 0o200000
)

func (m *mount) getattr(f *fid) ([]byte, error) {
	i, err := f.info()
	if err != nil {
		return nil, err
	}
	return m.appendAttr(nil, m.qid(i), i), nil
}

func statfs(f *fid) ([]byte, error) {
	s, err := f.tree.Space()
	if err != nil {
		return nil, err
	}
	return appendStatfs(nil, s), nil
}

// readlink returns a link's target, which the guest's kernel resolves.
func readlink(f *fid) ([]byte, error) {
	rel, err := f.rel()
	if err != nil {
		return nil, err
	}
	target, err := f.tree.Readlink(rel)
	if err != nil {
		return nil, err
	}
	return appendString(nil, target), nil
}

// lopen opens a regular file or a directory.
func (m *mount) lopen(f *fid, c *cursor) ([]byte, error) {
	flags := c.u32()
	if f.open() != nil {
		return nil, linux.EBUSY
	}
	rel, err := f.rel()
	if err != nil {
		return nil, err
	}
	file, info, err := f.tree.OpenFor(rel, flags)
	if err != nil {
		return nil, err
	}
	if flags&oDirectory != 0 && info.Kind != at.Directory {
		file.Close()
		return nil, linux.ENOTDIR
	}
	if err := f.hold(file); err != nil {
		return nil, err
	}
	return m.opened(info), nil
}

// opened is the body of Rlopen and Rlcreate: the size of a request is up to the
// guest.
func (m *mount) opened(i at.Info) []byte {
	return binary.LittleEndian.AppendUint32(appendQID(nil, m.qid(i)), 0)
}

// lcreate makes a file, opens it, and makes it what the directory's fid stands
// for from now on.
func (m *mount) lcreate(c *cursor) ([]byte, error) {
	n := c.u32()
	name, flags, perm := c.str(), c.u32(), c.u32()
	f, done, err := m.get(n)
	if err != nil {
		return nil, err
	}
	defer done()
	m.names.RLock()
	defer m.names.RUnlock()
	switch {
	case f.tree == nil:
		return nil, linux.EROFS
	case f.open() != nil:
		return nil, linux.EINVAL
	}
	rel, err := f.child(name)
	if err != nil {
		return nil, err
	}
	file, info, err := f.tree.Create(rel, perm, flags&oExcl != 0, flags&oTrunc != 0)
	if err != nil {
		return nil, err
	}
	file.UseFor(flags)
	if err := m.put(n, &fid{tree: f.tree, path: rel, file: file}); err != nil {
		file.Close()
		return nil, err
	}
	return m.opened(info), nil
}

// child returns the path of a name in the directory that f stands for.
func (f *fid) child(name string) (string, error) {
	dir, err := f.rel()
	if err != nil {
		return "", err
	}
	return share.Join(dir, name)
}

// read answers Tread. The payload is apart, in a buffer to be used again.
func (m *mount) read(c *cursor) (body, payload []byte, err error) {
	f, done, err := m.get(c.u32())
	if err != nil {
		return nil, nil, err
	}
	defer done()
	off := int64(c.u64())
	count := int(min(c.u32(), uint32(m.msize-ioHead)))
	if a := f.attribute(); a != nil {
		b, err := a.read(off, count)
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...), nil, err
	}
	file := f.open()
	if file == nil {
		return nil, nil, linux.EBADF
	}
	b := m.buffer(count)
	n, err := file.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) {
		m.recycle(b)
		return nil, nil, err
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(n)), b[:n], nil
}

func (m *mount) write(c *cursor, data []byte) ([]byte, error) {
	f, done, err := m.get(c.u32())
	if err != nil {
		return nil, err
	}
	defer done()
	off := int64(c.u64())
	if a := f.attribute(); a != nil {
		return binary.LittleEndian.AppendUint32(nil, uint32(len(data))), a.write(data, off)
	}
	file := f.open()
	switch {
	case file == nil:
		return nil, linux.EBADF
	case off > math.MaxInt64-int64(len(data)):
		return nil, linux.EFBIG
	}
	var n int
	if file.Appends() { // the guest's kernel takes what it last heard of the end for the end
		n, err = file.Append([][]byte{data})
	} else {
		n, err = file.WriteAt(data, off)
	}
	if no := errno.Of(err); err != nil && (n == 0 || no == linux.ENOSPC || no == linux.EDQUOT) {
		// A full disk is said at once: of a short count the kernel's client makes
		// a write of nothing, from which no program can tell why.
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(n)), nil
}

func fsync(f *fid) error {
	if file := f.open(); file != nil {
		return file.Sync()
	}
	return linux.EBADF
}

// readdir lists from an offset that an earlier answer gave.
func (m *mount) readdir(c *cursor) (body, payload []byte, err error) {
	f, done, err := m.get(c.u32())
	if err != nil {
		return nil, nil, err
	}
	defer done()
	off := int64(c.u64())
	room := int(min(c.u32(), uint32(m.msize-ioHead)))
	entries, err := m.entries(f, off, room)
	if err != nil {
		return nil, nil, err
	}
	le := binary.LittleEndian
	b := le.AppendUint32(make([]byte, 0, min(room, 64<<10)), 0)
	for _, e := range entries {
		if len(b)-4+direntLen(e.Name) > room {
			break
		}
		b = appendQID(b, qid{typ: qidType(e.Kind), path: e.Ino})
		b = le.AppendUint64(b, uint64(e.Next))
		b = append(b, direntType(e.Kind))
		b = appendString(b, e.Name)
	}
	le.PutUint32(b, uint32(len(b)-4))
	return b, nil, nil
}

// direntLen is the length of an entry in Rreaddir.
func direntLen(name string) int { return 13 + 8 + 1 + 2 + len(name) }

// direntType is what getdents(2) of Linux says (DT_REG and so on).
func direntType(k at.Kind) byte {
	switch k {
	case at.File:
		return 8
	case at.Directory:
		return 4
	case at.Symlink:
		return 10
	}
	return 0 // the guest asks
}

func (m *mount) entries(f *fid, off int64, room int) ([]at.Entry, error) {
	if f.tree == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.list {
			return nil, linux.EBADF
		}
		return m.set.ListRoot(uint64(off)), nil
	}
	file := f.open()
	if file == nil {
		return nil, linux.EBADF
	}
	m.names.RLock()
	defer m.names.RUnlock()
	rel, gone := f.rel()
	return file.List(off, room, rel, gone)
}

// What Tsetattr sets (P9_ATTR_… of Linux). A change of the owner is accepted
// and does nothing: everything belongs to the one user of the host.
const (
	setMode     = 0x1
	setSize     = 0x8
	setATime    = 0x10
	setMTime    = 0x20
	setATimeSet = 0x80
	setMTimeSet = 0x100
)

func (m *mount) setattr(f *fid, c *cursor) (err error) {
	valid, mode := c.u32(), c.u32()
	_, _ = c.u32(), c.u32()
	n := c.u64()
	var meta at.Meta
	if meta.ATime, err = share.GuestTime(valid&setATime != 0, valid&setATimeSet != 0, c.u64(), c.u64()); err != nil {
		return err
	}
	if meta.MTime, err = share.GuestTime(valid&setMTime != 0, valid&setMTimeSet != 0, c.u64(), c.u64()); err != nil {
		return err
	}
	var size *uint64
	if valid&setSize != 0 {
		size = &n
	}
	if valid&setMode != 0 {
		meta.Mode = &mode
	}
	_, err = f.object().SetAttr(size, meta)
	return err
}
