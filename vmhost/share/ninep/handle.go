package ninep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/errno"
)

// mount is what one mount of the guest has under way and holds.
type mount struct {
	*traffic
	fids
	c     *connection
	set   *share.Set
	msize int
	pool  sync.Pool    // of buffers of msize bytes
	attrs atomic.Int64 // bytes of extended attributes that fids hold
}

func newMount(c *connection, msize int) *mount {
	return &mount{traffic: newTraffic(c.out), fids: fids{all: map[uint32]*fid{}}, c: c, set: c.set, msize: msize}
}

// end ends the mount after what is under way.
func (m *mount) end(muted bool) {
	m.traffic.end(muted)
	m.clear()
}

// get returns a fid. A guest's kernel keeps that of a name for as long as anything uses the
// name, and never asks again: where a folder was removed and another one has its name
// now, the fid is of that one.
func (m *mount) get(n uint32) (f *fid, done func(), err error) {
	f, done, err = m.fids.get(n)
	if err != nil || f.tree == nil {
		return f, done, err
	}
	next := m.set.Next(f.tree)
	if next == nil {
		return f, done, nil
	}
	m.replace(n, f, next)
	done()
	return m.fids.get(n)
}

// buffer returns n bytes of anything. The large ones are used again.
func (m *mount) buffer(n int) []byte {
	if n <= maxSmall {
		return make([]byte, n)
	}
	if b, ok := m.pool.Get().(*[]byte); ok {
		return (*b)[:n]
	}
	return make([]byte, m.msize)[:n]
}

func (m *mount) recycle(b []byte) {
	if cap(b) == m.msize {
		m.pool.Put(&b)
	}
}

// serve answers one request. A write's payload is data.
func (m *mount) serve(f frame, data []byte) {
	body, payload, err := m.answer(f, data)
	if err != nil {
		_ = m.finish(f.tag, rerror(f.tag, uint32(errno.Of(err))))
		return
	}
	head := reply(f.typ+1, f.tag, body)
	if payload == nil {
		_ = m.finish(f.tag, head) // a broken stream ends the reader
		return
	}
	binary.LittleEndian.PutUint32(head, uint32(len(head)+len(payload)))
	_ = m.finish(f.tag, head, payload)
	m.recycle(payload)
}

// answer returns the body of the reply, the last part of it apart when it is
// large.
func (m *mount) answer(f frame, data []byte) (body, payload []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			m.c.log.Error("9p: a request failed inside", "type", f.typ, "err", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = linux.EIO
		}
		if data != nil {
			m.recycle(data)
		}
	}()
	for {
		body, payload, err = m.once(f, data)
		var w share.Waiter
		if !errors.As(err, &w) {
			return body, payload, err
		}
		ctx, done := m.waits(f.tag, data != nil)
		err = w.Wait(ctx)
		done()
		if err != nil {
			return nil, nil, err
		}
	}
}

// once answers a request, or says with a share.Waiter that a person has to be
// asked first: then it is answered again from its beginning.
func (m *mount) once(f frame, data []byte) (body, payload []byte, err error) {
	c := cursor(f.bytes[headLen:])
	switch f.typ {
	case tRead:
		return m.read(&c)
	case tReaddir:
		return m.readdir(&c)
	case tWrite:
		body, err = m.write(&c, data)
	case tAttach:
		body, err = m.attach(&c)
	case tWalk:
		body, err = m.walk(&c)
	case tClunk:
		err = m.clunk(c.u32())
	case tRemove:
		err = m.removeFid(c.u32())
	case tLcreate:
		body, err = m.lcreate(&c)
	case tXattrwalk:
		body, err = m.xattrwalk(&c)
	case tXattrcreate:
		err = m.xattrcreate(&c)
	case tGetlock:
		body = unlocked(c)
	default:
		body, err = m.onFid(f.typ, &c)
	}
	return body, nil, err
}

// onFid answers requests that begin with the fid they are about.
func (m *mount) onFid(typ msgType, c *cursor) ([]byte, error) {
	f, done, err := m.get(c.u32())
	if err != nil {
		return nil, err
	}
	defer done()
	if typ == tRename || typ == tRenameat {
		m.names.Lock()
		defer m.names.Unlock()
	} else {
		m.names.RLock()
		defer m.names.RUnlock()
	}
	if f.tree == nil {
		return m.onRoot(typ, f)
	}
	switch typ {
	case tGetattr:
		return m.getattr(f)
	case tLopen:
		return m.lopen(f, c)
	case tStatfs:
		return statfs(f)
	case tReadlink:
		return readlink(f)
	case tSetattr:
		return nil, m.setattr(f, c)
	case tFsync:
		return nil, fsync(f)
	case tLock:
		return []byte{lockSuccess}, nil
	case tSymlink, tMknod, tMkdir:
		return m.make(typ, f, c)
	case tLink:
		return nil, m.link(f, c)
	case tRename:
		return nil, m.rename(f, c)
	case tRenameat:
		return nil, m.renameat(f, c)
	case tUnlinkat:
		return nil, m.unlinkat(f, c)
	}
	return nil, linux.EOPNOTSUPP
}

// Answers to Tlock and Tgetlock. The guest's kernel has settled its own locks
// before it asks, and nobody else has this mount: a lock is always free.
const (
	lockSuccess = 0 // P9_LOCK_SUCCESS
	lockUnlock  = 2 // P9_LOCK_TYPE_UNLCK
)

func unlocked(c cursor) []byte { return append([]byte{lockUnlock}, c[5:]...) }

// attach makes a fid of the virtual root.
func (m *mount) attach(c *cursor) ([]byte, error) {
	n, afid := c.u32(), c.u32()
	_, name := c.str(), c.str()
	if afid != noFid || name != "" && name != "/" {
		return nil, linux.EINVAL
	}
	if err := m.put(n, &fid{path: "."}); err != nil {
		return nil, err
	}
	return appendQID(nil, m.rootQID()), nil
}

const noFid = 0xffffffff

// walk makes a fid of what is some names below another one. A walk that fails
// half-way makes none.
func (m *mount) walk(c *cursor) ([]byte, error) {
	from, to := c.u32(), c.u32()
	f, done, err := m.get(from)
	if err != nil {
		return nil, err
	}
	defer done()
	m.names.RLock()
	defer m.names.RUnlock()
	if f.open() != nil && from == to {
		return nil, linux.EBUSY
	}
	names := make([]string, c.u16())
	for i := range names {
		names[i] = c.str()
	}
	g, qids, err := m.follow(f, names)
	if err == nil {
		err = m.put(to, g)
	}
	if err != nil {
		return nil, err
	}
	body := binary.LittleEndian.AppendUint16(nil, uint16(len(qids)))
	for _, q := range qids {
		body = appendQID(body, q)
	}
	return body, nil
}

// follow goes down by names, each of which but the last is a directory.
func (m *mount) follow(f *fid, names []string) (*fid, []qid, error) {
	f.mu.Lock()
	g := &fid{tree: f.tree, path: f.path, gone: f.gone, kin: f.kin}
	if f.gone && f.file != nil {
		g.kin = f
	}
	f.mu.Unlock()
	var qids []qid
	for i, name := range names {
		if g.gone {
			return nil, nil, linux.ENOENT
		}
		if g.tree == nil {
			if g.tree = m.set.Lookup(name); g.tree == nil {
				return nil, nil, linux.ENOENT
			}
		} else {
			rel, err := share.Join(g.path, name)
			if err != nil {
				return nil, nil, err
			}
			g.path = rel
		}
		info, err := g.tree.Lstat(g.path)
		if err != nil {
			return nil, nil, err
		}
		if i < len(names)-1 && info.Kind != at.Directory {
			return nil, nil, linux.ENOTDIR
		}
		qids = append(qids, m.qid(info))
	}
	return g, qids, nil
}

// onRoot answers for the virtual root, in which a guest can change nothing.
func (m *mount) onRoot(typ msgType, f *fid) ([]byte, error) {
	switch typ {
	case tGetattr:
		return m.appendAttr(nil, m.rootQID(), m.set.RootInfo()), nil
	case tLopen:
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.list {
			return nil, linux.EBUSY
		}
		f.list = true
		return binary.LittleEndian.AppendUint32(appendQID(nil, m.rootQID()), 0), nil
	case tStatfs:
		return appendStatfs(nil, at.Space{Block: 4096}), nil
	case tFsync:
		return nil, nil
	case tLock:
		return []byte{lockSuccess}, nil
	case tReadlink:
		return nil, linux.EINVAL
	}
	return nil, linux.EROFS
}

func (m *mount) rootQID() qid {
	_, _, version := m.set.List()
	return qid{typ: qidDir, version: version, path: share.RootNumber}
}

// qid is what identifies a file (qid in the protocol). Its version is 0 but for the root's:
// Linux then reads and writes here each time (v9fs_fid_add_modes). With any other it keeps
// what was read from a file for as long as anybody has that open, whatever the person does
// to it meanwhile, and what was written until it is closed.
type qid struct {
	typ     byte
	version uint32
	path    uint64
}

// Types of a qid.
const (
	qidDir     = 0x80
	qidSymlink = 0x02
	qidFile    = 0x00
)

func qidType(k at.Kind) byte {
	switch k {
	case at.Directory:
		return qidDir
	case at.Symlink:
		return qidSymlink
	}
	return qidFile
}

func (m *mount) qid(i at.Info) qid {
	return qid{typ: qidType(i.Kind), path: m.set.Number(i.ID)}
}

func appendQID(b []byte, q qid) []byte {
	b = append(b, q.typ)
	b = binary.LittleEndian.AppendUint32(b, q.version)
	return binary.LittleEndian.AppendUint64(b, q.path)
}

const attrBasic = 0x7ff // P9_GETATTR_BASIC of Linux: everything up to blocks

// appendAttr appends what Rgetattr says of a file, as the guest's user owns it.
func (m *mount) appendAttr(b []byte, q qid, i at.Info) []byte {
	le := binary.LittleEndian
	uid, gid := m.set.Owner()
	b = appendQID(le.AppendUint64(b, attrBasic), q)
	for _, v := range []uint32{i.Type | i.Mode&0o1777, uid, gid} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint64{i.NLink, i.RDev, uint64(i.Size), uint64(i.Block), uint64(i.Blocks)} {
		b = le.AppendUint64(b, v)
	}
	for _, t := range []time.Time{i.ATime, i.MTime, i.CTime} {
		b = le.AppendUint64(le.AppendUint64(b, uint64(t.Unix())), uint64(t.Nanosecond()))
	}
	return append(b, make([]byte, 4*8)...) // time of birth, generation, data version: not known
}

const v9fsMagic = 0x01021997 // V9FS_MAGIC of Linux

func appendStatfs(b []byte, s at.Space) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(le.AppendUint32(b, v9fsMagic), s.Block)
	for _, v := range []uint64{s.Blocks, s.Free, s.Available, s.Files, s.FilesFree, 0} {
		b = le.AppendUint64(b, v)
	}
	return le.AppendUint32(b, at.MaxName)
}
