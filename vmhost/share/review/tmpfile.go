package review

import (
	"errors"
	"io/fs"
	"syscall"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// Tmpfile makes a file without a name (O_TMPFILE), open for reading and writing.
// It is in no record until LinkFile gives it a name, and gone with its handle.
func (l *Layer) Tmpfile(dir string, perm uint32) (share.Handle, at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, info, err := l.find(dir)
	switch {
	case err != nil:
		return nil, info, err
	case info.Kind != at.Directory:
		return nil, info, fail("tmpfile", dir, syscall.ENOTDIR)
	case !permits(info, 0o300):
		return nil, info, fail("tmpfile", dir, fs.ErrPermission)
	}
	if err := l.room(); err != nil {
		return nil, info, err
	}
	r := l.newNode(at.File, perm)
	r.MTime, r.ATime, r.CTime = nil, nil, nil // the object's own
	r.Obj = l.t.next()
	f, _, err := l.objs.Create(objName(r.Obj), 0o600)
	if err != nil {
		return nil, info, err
	}
	l.step("object")
	n := &node{names: map[string]*entry{}, dropped: true, unnamed: true, opens: 1, upper: f}
	n.assign(r)
	info, err = l.info(n)
	if err != nil {
		l.dropObject(n)
		return nil, info, errors.Join(err, f.Close())
	}
	return l.file(n), info, nil
}

// LinkFile gives a file of Tmpfile a name, which is the making of a file. A file
// that lost its name gets none again.
func (l *Layer) LinkFile(h share.Handle, rel string) (at.Info, error) {
	f, ok := h.(*file)
	if !ok {
		return at.Info{}, fail("link", rel, fs.ErrNotExist)
	}
	n := f.n
	if err := l.syncNode(n); err != nil {
		return at.Info{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return at.Info{}, ErrClosed
	}
	if n.dropped && !n.unnamed || n.Base != "" {
		return at.Info{}, fail("link", rel, fs.ErrNotExist)
	}
	p, err := l.place(rel)
	if err != nil {
		return at.Info{}, err
	}
	r := n.nodeRec
	l.changed(&r)
	if n.dropped {
		n.dropped = false
		l.t.nodes[n.N] = n
	}
	err = l.put(p, r)
	if !n.kept {
		delete(l.t.nodes, n.N)
		n.dropped = true
	}
	if err != nil {
		return at.Info{}, err
	}
	n.unnamed = false
	return l.info(n)
}
