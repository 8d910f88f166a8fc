package ninep

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/errno"
)

// Flags of open(2) in Linux, as 9P2000.L sends them. No other reaches the host;
// the guest's kernel appends by itself.
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
	n, err := file.WriteAt(data, off)
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
		b = appendQID(b, e.qid)
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

// entry is a name as the guest hears of it.
type entry struct {
	at.Entry
	qid qid
}

func (m *mount) entries(f *fid, off int64, room int) ([]entry, error) {
	if f.tree == nil {
		return m.rootEntries(f, off)
	}
	file := f.open()
	if file == nil {
		return nil, linux.EBADF
	}
	list, err := file.ReadDir(off, room)
	if err != nil {
		return nil, err
	}
	self, err := file.Stat()
	if err != nil {
		return nil, err
	}
	m.names.RLock()
	defer m.names.RUnlock()
	rel, gone := f.rel()
	out := make([]entry, len(list))
	for i, e := range list {
		if e.Kind == at.Unknown && gone == nil {
			e.Kind = f.tree.KindOf(rel, e.Name)
		}
		q := qid{typ: qidType(e.Kind), path: m.set.Number(at.ID{Dev: self.Dev, Ino: e.Ino})}
		if e.Name == ".." && rel == "." {
			q.path = share.RootNumber // what lies above on the host is none of the guest's business
		}
		out[i] = entry{e, q}
	}
	return out, nil
}

func (m *mount) rootEntries(f *fid, off int64) ([]entry, error) {
	f.mu.Lock()
	list := f.list
	f.mu.Unlock()
	if !list {
		return nil, linux.EBADF
	}
	self := m.rootQID()
	all := []entry{{at.Entry{Name: ".", Kind: at.Directory}, self}, {at.Entry{Name: "..", Kind: at.Directory}, self}}
	trees, _, _ := m.set.List()
	for _, t := range trees {
		if info, err := t.Lstat("."); err == nil {
			all = append(all, entry{at.Entry{Name: t.Folder().Name, Kind: at.Directory}, m.qid(info)})
		}
	}
	for i := range all {
		all[i].Next = int64(i) + 1
	}
	return all[min(off, int64(len(all))):], nil
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

func (m *mount) setattr(f *fid, c *cursor) error {
	valid, mode := c.u32(), c.u32()
	_, _ = c.u32(), c.u32()
	size := c.u64()
	now := time.Now()
	var times [2]time.Time
	for i, bits := range [][2]uint32{{setATime, setATimeSet}, {setMTime, setMTimeSet}} {
		sec, nsec := c.u64(), c.u64()
		switch {
		case valid&bits[0] == 0:
		case valid&bits[1] == 0:
			times[i] = now
		case nsec >= 1e9 || int64(sec) > share.MaxTime || int64(sec) < share.MinTime:
			return linux.EINVAL
		default:
			times[i] = time.Unix(int64(sec), int64(nsec))
		}
	}
	if f.tree.Folder().ReadOnly {
		return linux.EROFS
	}
	if valid&setSize != 0 {
		if size > math.MaxInt64 {
			return linux.EFBIG
		}
		if err := truncate(f, int64(size)); err != nil {
			return err
		}
	}
	meta := at.Meta{ATime: times[0], MTime: times[1]}
	if valid&setMode != 0 {
		meta.Mode = &mode
	}
	if meta == (at.Meta{}) {
		return nil
	}
	return setMeta(f, meta)
}

// truncate and setMeta work on the path while there is one, and on an open file
// after that.

func truncate(f *fid, size int64) error {
	if file := f.any(); file != nil && file.Writable() {
		return file.Truncate(size)
	}
	rel, err := f.rel()
	if err != nil {
		return linux.EINVAL
	}
	return f.tree.Truncate(rel, size)
}

func setMeta(f *fid, m at.Meta) error {
	rel, err := f.rel()
	if err == nil {
		return f.tree.SetMeta(rel, m)
	}
	if file := f.any(); file != nil {
		return file.SetMeta(m)
	}
	return err
}
