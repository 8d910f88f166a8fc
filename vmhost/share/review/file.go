package review

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"syscall"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// permits reports whether the owner may do something, by the bits of a mode.
// On Windows they say nothing of the kind.
func permits(info at.Info, bits uint32) bool {
	return runtime.GOOS == "windows" || info.Mode&bits == bits
}

// Open opens a file or a directory. The original is opened for reading only.
func (l *Layer) Open(rel string, write bool) (share.Handle, at.Info, error) {
	for range 10 { // a person may replace the file in between
		h, info, err := l.openOnce(rel, write)
		if !errors.Is(err, errStale) {
			return h, info, err
		}
	}
	return nil, at.Info{}, fail("open", rel, fs.ErrNotExist)
}

var errStale = errors.New("replaced at the same time")

func (l *Layer) openOnce(rel string, write bool) (share.Handle, at.Info, error) {
	n, info, err := l.hold(rel, write)
	if err != nil {
		return nil, info, err
	}
	if info.Kind == at.Directory {
		return &directory{handle: handle{l.tree, n}, None: store.None{Err: syscall.EISDIR}}, info, nil
	}
	f := l.file(n)
	n.io.Lock()
	err = l.ensure(n)
	n.io.Unlock()
	if err != nil {
		f.Close()
		return nil, info, err
	}
	return f, info, nil
}

// hold finds or makes the node of an open file.
func (l *tree) hold(rel string, write bool) (*node, at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, info, err := l.find(rel)
	if err != nil {
		return nil, info, err
	}
	need := uint32(0o400)
	if write {
		need = 0o200
	}
	switch {
	case info.Kind == at.Symlink:
		return nil, info, fail("open", rel, at.ErrLink)
	case info.Kind == at.Special:
		return nil, info, fail("open", rel, at.ErrSpecial)
	case info.Kind == at.Directory && write:
		return nil, info, fail("open", rel, syscall.EISDIR)
	case !permits(info, need):
		return nil, info, fail("open", rel, fs.ErrPermission)
	}
	n := s.n
	if n == nil {
		if old := l.t.byBase[s.base]; old != nil {
			l.t.detach(old) // a person has replaced it while it is open
			l.t.dropped = nil
		}
		n = l.t.add(l.t.next())
		n.nodeRec = nodeRec{N: n.N, Kind: info.Kind, Base: raw(s.base), Orig: stampOf(info, "")}
		l.t.byBase[s.base] = n
		if info.Kind == at.File && info.NLink > 1 {
			l.t.byID[info.ID] = n
		}
	}
	n.opens++
	return n, info, nil
}

// ensure opens what the content of n is in; n.io is held for writing.
func (l *contents) ensure(n *node) (err error) {
	if n.src.obj != 0 && n.upper == nil {
		if n.upper, _, err = l.objs.Open(objName(n.src.obj), os.O_RDWR); err != nil {
			n.upper = nil
			return err
		}
	}
	if n.src.obj != 0 && !n.src.part || n.lower != nil {
		return nil
	}
	l.mu.RLock()
	base, want, kept := string(n.Base), n.Orig.ID, n.kept
	l.mu.RUnlock()
	f, info, err := l.openOriginal(base)
	if err != nil {
		return err
	}
	if info.Kind != at.File || !kept && info.ID != want {
		f.Close()
		return errStale
	}
	n.lower = f
	return nil
}

// openOriginal opens a file of the original for reading.
func (l *base) openOriginal(base string) (*os.File, at.Info, error) {
	d, name, err := l.root.Split(base)
	if err != nil {
		return nil, at.Info{}, err
	}
	defer d.Close()
	return d.Open(name, os.O_RDONLY)
}

// leave ends a handle of n.
func (l *contents) leave(n *node) {
	n.io.Lock()
	defer n.io.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.opens--; n.opens > 0 {
		return
	}
	for _, f := range []*os.File{n.lower, n.upper} {
		if f != nil {
			f.Close()
		}
	}
	n.lower, n.upper = nil, nil
	switch {
	case n.dropped:
		l.dropObject(n)
	case !n.kept:
		l.t.detach(n)
		l.t.dropped = nil
	}
}

// handle is an open file or directory of the merged view, and what both can do.
type handle struct {
	l *tree
	n *node
}

// Original reports whether a change would change something of a person's at
// once. Here it never does.
func (h handle) Original() (bool, error) { return false, nil }

// SetMeta is [Layer.SetMeta] of the file itself.
func (h handle) SetMeta(m at.Meta) error {
	return h.l.attributeOf(h.n, func(r *nodeRec) error { return h.l.setMeta(r, m) })
}

// file is an open file of the merged view. All handles of a file share its
// node, so that each sees what is written through another.
type file struct {
	handle
	once sync.Once
}

func (l *tree) file(n *node) *file { return &file{handle: handle{l, n}} }

func (h *file) Close() error {
	h.once.Do(func() { h.l.leave(h.n) })
	return nil
}

func (h *file) ReadAt(p []byte, off int64) (int, error) {
	h.n.io.RLock()
	defer h.n.io.RUnlock()
	return h.l.read(h.n, p, off)
}

// read reads the content of n, wherever it is; n.io is held.
func (l *contents) read(n *node, p []byte, off int64) (int, error) {
	switch {
	case n.damaged:
		return 0, ErrDamaged
	case n.src.part:
		return l.readPart(n, p, off)
	case n.src.obj != 0:
		return n.upper.ReadAt(p, off)
	}
	return n.lower.ReadAt(p, off)
}

func (h *file) ReadvAt(bufs [][]byte, off int64) (done int, err error) {
	n := h.n
	n.io.RLock()
	defer n.io.RUnlock()
	if n.damaged {
		return 0, ErrDamaged
	}
	if !n.src.part {
		f := n.lower
		if n.src.obj != 0 {
			f = n.upper
		}
		return at.ReadvAt(f, bufs, off)
	}
	for _, b := range bufs {
		c, err := h.l.readPart(n, b, off+int64(done))
		if done += c; err != nil {
			return done, err
		}
	}
	return done, nil
}

func (h *file) WriteAt(p []byte, off int64) (int, error) { return h.WritevAt([][]byte{p}, off) }

func (h *file) WritevAt(bufs [][]byte, off int64) (done int, err error) {
	total := 0
	for _, b := range bufs {
		total += len(b)
	}
	if err := h.l.reserve(int64(total)); err != nil {
		return 0, err
	}
	n := h.n
	n.io.RLock()
	if n.src.obj != 0 && !n.src.part && !n.damaged {
		defer n.io.RUnlock()
		return h.write(bufs, off)
	}
	n.io.RUnlock()
	n.io.Lock()
	defer n.io.Unlock()
	if err := h.l.stage(n, -1); err != nil {
		return 0, err
	}
	return h.writeStaged(bufs, off, int64(total))
}

// Append writes to the end of the object: nobody else has that, and all who write to it are kept out.
func (h *file) Append(bufs [][]byte) (int, error) {
	total := int64(0)
	for _, b := range bufs {
		total += int64(len(b))
	}
	if err := h.l.reserve(total); err != nil {
		return 0, err
	}
	n := h.n
	n.io.Lock()
	defer n.io.Unlock()
	if err := h.l.stage(n, -1); err != nil {
		return 0, err
	}
	end, err := at.End(n.upper)
	if err != nil {
		return 0, err
	}
	return h.writeStaged(bufs, end, total)
}

// writeStaged writes to the object of a file; n.io is held for writing.
func (h *file) writeStaged(bufs [][]byte, off, total int64) (done int, err error) {
	n := h.n
	if !n.src.part || total == 0 {
		return h.write(bufs, off)
	}
	if err := h.l.fill(n, off, total); err != nil {
		return 0, err
	}
	if done, err = h.write(bufs, off); err != nil {
		return 0, err
	}
	return done, h.l.recordRanges(n, off, total)
}

func (h *file) write(bufs [][]byte, off int64) (int, error) {
	defer h.l.charge(h.n, h.n.upper)
	defer h.l.markDirty(h.n)
	return at.WritevAt(h.n.upper, bufs, off)
}

func (h *file) Truncate(size int64) error {
	n := h.n
	n.io.Lock()
	defer n.io.Unlock()
	if err := h.l.stage(n, size); err != nil {
		return err
	}
	if err := h.l.shrink(n, size); err != nil {
		return err
	}
	defer h.l.charge(n, n.upper)
	defer h.l.markDirty(n)
	if err := n.upper.Truncate(size); err != nil {
		return err
	}
	if !n.src.part || size >= n.src.low {
		return nil
	}
	return h.l.amend(n, func(r *nodeRec) error { r.Low = size; return nil })
}

// amend changes what is written down of a node that is open.
func (l *contents) amend(n *node, set func(r *nodeRec) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !n.kept && !n.dropped {
		if err := l.room(); err != nil {
			return err
		}
		info, ok := l.named(n)
		if ok && info.ID == n.Orig.ID {
			n.Orig = stampOf(info, "")
		} else {
			l.dropUnkept(n)
		}
	}
	r := n.nodeRec
	if err := set(&r); err != nil {
		return err
	}
	if n.dropped {
		n.assign(r)
		return nil
	}
	return l.commit(&record{Nodes: []nodeRec{r}})
}

// Flags of fallocate(2), and the only ones that change content.
const (
	punchHole = 0x2
	zeroRange = 0x10
)

func (h *file) Allocate(mode uint32, off, size int64) error {
	n := h.n
	if mode&punchHole == 0 {
		if err := h.l.reserve(size); err != nil {
			return err
		}
	}
	n.io.Lock()
	defer n.io.Unlock()
	if err := h.l.stage(n, -1); err != nil {
		return err
	}
	defer h.l.charge(n, n.upper)
	defer h.l.markDirty(n)
	inside := min(off+size, n.src.low) - off
	zeroes := n.src.part && mode&(punchHole|zeroRange) != 0 && inside > 0
	if zeroes {
		if err := h.l.fill(n, off, size); err != nil {
			return err
		}
	}
	if err := at.Allocate(n.upper, mode, off, size); err != nil || !zeroes {
		return err
	}
	return h.l.recordRanges(n, off, inside)
}

// Seek finds data and holes. Where parts of a file are the original's all of it
// counts as data.
func (h *file) Seek(off int64, whence int) (int64, error) {
	n := h.n
	n.io.RLock()
	defer n.io.RUnlock()
	if n.src.obj == 0 {
		return at.Seek(n.lower, off, whence)
	}
	if n.src.part {
		info, err := at.Stat(n.upper)
		if err != nil {
			return 0, err
		}
		if off < info.Size && whence == at.SeekData {
			return off, nil
		}
		if off < info.Size && whence == at.SeekHole {
			return info.Size, nil
		}
	}
	return at.Seek(n.upper, off, whence)
}

// Stat returns what the file is, also when it has no name any more.
func (h *file) Stat() (at.Info, error) {
	n := h.n
	n.io.RLock()
	defer n.io.RUnlock()
	h.l.mu.RLock()
	defer h.l.mu.RUnlock()
	if n.src.obj != 0 || n.kept {
		return h.l.info(n)
	}
	info, err := at.Stat(n.lower)
	if err == nil && n.dropped {
		info.NLink = n.nlink()
	}
	return info, err
}

// Sync makes the content durable, and everything that was done before.
func (h *file) Sync() error {
	if err := h.l.syncNode(h.n); err != nil {
		return err
	}
	return h.l.syncLog()
}

func (l *tree) attributeOf(n *node, set func(r *nodeRec) error) error {
	return l.amend(n, func(r *nodeRec) error {
		l.changed(r)
		return set(r)
	})
}

func (h *file) ReadDir(int64, int) ([]at.Entry, error) { return nil, syscall.ENOTDIR }
