package review

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// place is a name in a directory of the merged view, and what is there.
type place struct {
	dir     spot
	dirInfo at.Info
	name    string
	there   bool
	s       spot
	info    at.Info
}

// place looks at a name that may change its meaning; mu is held. Who may not
// write into a directory on the host may not here, so that what is staged can
// also be applied.
func (l *tree) place(rel string) (p place, err error) {
	if rel == "." {
		return p, fail("change", rel, syscall.EBUSY)
	}
	dir, name := path.Split(rel)
	p.name = name
	if p.dir, p.dirInfo, err = l.find(path.Clean(dir)); err != nil {
		return p, err
	}
	switch {
	case p.dirInfo.Kind == at.Symlink:
		return p, fail("change", rel, at.ErrLink)
	case p.dirInfo.Kind != at.Directory:
		return p, fail("change", rel, syscall.ENOTDIR)
	case !permits(p.dirInfo, 0o300):
		return p, fail("change", rel, fs.ErrPermission)
	}
	if p.s, err = l.child(p.dir, name); err == nil {
		p.s, p.info, err = l.look(p.s)
	}
	if errors.Is(err, fs.ErrNotExist) {
		p.s = spot{}
		return p, at.CheckName(name)
	}
	p.there = err == nil
	return p, err
}

// track returns the node of what is at a spot, as it is or as a new one would
// be: it counts when the record with it is written.
func (l *tree) track(s spot, info at.Info) (nodeRec, error) {
	if s.n != nil && s.n.kept {
		return s.n.nodeRec, nil
	}
	target := ""
	if info.Kind == at.Symlink {
		var err error
		if target, err = l.readlink(s.base); err != nil {
			return nodeRec{}, err
		}
	}
	r := nodeRec{Kind: info.Kind, Base: raw(s.base), Orig: stampOf(info, target)}
	if s.n != nil {
		r.N = s.n.N
	} else {
		r.N = l.t.next()
	}
	return r, nil
}

// parent is track for the directory of p, which changes now.
func (l *tree) parent(p place) (nodeRec, error) {
	r, err := l.track(p.dir, p.dirInfo)
	now := momentOf(time.Now())
	r.MTime, r.CTime = &now, &now
	return r, err
}

// bindName returns the record that a name now refers to node (0: the name was removed).
// It adds to nodes what loses the name and is found by other names still: the guest
// wrote a, then removed a; b is another link to it.
func (l *tree) bindName(dir nodeRec, p place, node uint64, nodes *[]nodeRec) (nameRec, error) {
	x := nameRec{E: l.t.next(), Dir: dir.N, Name: raw(p.name), Node: node}
	var e *entry
	if p.dir.n != nil && p.dir.n.kept {
		e = p.dir.n.names[p.name]
	}
	if e != nil {
		home := e.hid != nil && !e.hid.dropped && e.hid.N == node && node != 0
		x.Drop = home || node == 0 && e.orig == nil
		return x, nil
	}
	if !p.there {
		return x, nil
	}
	r, err := l.track(p.s, p.info)
	if err != nil {
		return x, err
	}
	x.Orig = r.Orig
	if p.s.n != nil || p.info.Kind == at.File && p.info.NLink > 1 || r.N == node {
		x.Hid = r.N
		if p.s.n == nil || !p.s.n.kept {
			*nodes = append(*nodes, r)
		}
	}
	return x, nil
}

// put writes down that a name that was free means a new node.
func (l *tree) put(p place, r nodeRec) error {
	if p.there {
		return fail("create", p.name, fs.ErrExist)
	}
	if err := l.room(); err != nil {
		return err
	}
	dir, err := l.parent(p)
	if err != nil {
		return err
	}
	nodes := []nodeRec{dir, r}
	x, err := l.bindName(dir, p, r.N, &nodes)
	if err != nil {
		return err
	}
	return l.commit(&record{Nodes: nodes, Names: []nameRec{x}})
}

// newNode is the record of something that the task makes.
func (l *tree) newNode(kind at.Kind, perm uint32) nodeRec {
	now := momentOf(time.Now())
	perm &= 0o777
	return nodeRec{N: l.t.next(), Kind: kind, Mode: &perm, ATime: &now, MTime: &now, CTime: &now}
}

func (l *tree) make(rel string, r func() nodeRec) (at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.place(rel)
	if err != nil {
		return at.Info{}, err
	}
	n := r()
	if err := l.put(p, n); err != nil {
		return at.Info{}, err
	}
	return l.info(l.t.nodes[n.N])
}

// Mkdir makes a directory.
func (l *Layer) Mkdir(rel string, perm uint32) (at.Info, error) {
	return l.make(rel, func() nodeRec { return l.newNode(at.Directory, perm) })
}

// Symlink makes a symbolic link. Its target is data and never resolved here.
func (l *Layer) Symlink(target, rel string) (at.Info, error) {
	if target == "" || len(target) >= maxPathLen || strings.IndexByte(target, 0) >= 0 {
		return at.Info{}, fail("symlink", rel, at.ErrName)
	}
	return l.make(rel, func() nodeRec {
		r := l.newNode(at.Symlink, 0o777)
		r.Link = raw(target)
		return r
	})
}

// Create makes a file, open for reading and writing, and fails when the name is
// taken.
func (l *Layer) Create(rel string, perm uint32) (share.Handle, at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.place(rel)
	if err != nil {
		return nil, at.Info{}, err
	}
	if p.there {
		return nil, at.Info{}, fail("create", rel, fs.ErrExist)
	}
	r := l.newNode(at.File, perm)
	r.MTime, r.ATime, r.CTime = nil, nil, nil // the object's own
	r.Obj = l.t.next()
	f, _, err := l.objs.Create(objName(r.Obj), 0o600)
	if err != nil {
		return nil, at.Info{}, err
	}
	l.step("object")
	if err := l.put(p, r); err != nil {
		f.Close()
		_ = l.objs.Remove(objName(r.Obj))
		return nil, at.Info{}, err
	}
	n := l.t.nodes[r.N]
	n.opens, n.upper = 1, f // nobody else can have it yet
	l.markDirty(n)
	info, err := l.info(n)
	return l.file(n), info, err
}

// Link gives a file or a symbolic link of the folder a second name.
func (l *Layer) Link(old, rel string) (at.Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, info, err := l.find(old)
	if err != nil {
		return info, err
	}
	if info.Kind != at.File && info.Kind != at.Symlink {
		return info, fail("link", old, syscall.EPERM)
	}
	p, err := l.place(rel)
	if err != nil {
		return info, err
	}
	if p.there {
		return info, fail("link", rel, fs.ErrExist)
	}
	if err := l.room(); err != nil {
		return info, err
	}
	r, err := l.track(s, info)
	if err != nil {
		return info, err
	}
	l.changed(&r)
	dir, err := l.parent(p)
	if err != nil {
		return info, err
	}
	nodes := []nodeRec{dir, r}
	x, err := l.bindName(dir, p, r.N, &nodes)
	if err != nil {
		return info, err
	}
	if err := l.commit(&record{Nodes: nodes, Names: []nameRec{x}}); err != nil {
		return info, err
	}
	return l.info(l.t.nodes[r.N])
}

// changed notes in a node that something other than its content changed now.
func (l *tree) changed(r *nodeRec) {
	now := momentOf(time.Now())
	r.CTime = &now
}

// Remove removes a name that is not a directory.
func (l *Layer) Remove(rel string) error { return l.drop(rel, false) }

// RemoveDir removes an empty directory.
func (l *Layer) RemoveDir(rel string) error { return l.drop(rel, true) }

func (l *tree) drop(rel string, wantDir bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, err := l.place(rel)
	if err != nil {
		return err
	}
	isDir := p.info.Kind == at.Directory
	switch {
	case !p.there:
		return fail("remove", rel, fs.ErrNotExist)
	case p.info.Kind == at.Special:
		return fail("remove", rel, at.ErrSpecial)
	case isDir && !wantDir:
		return fail("remove", rel, syscall.EISDIR)
	case !isDir && wantDir:
		return fail("remove", rel, syscall.ENOTDIR)
	}
	if isDir {
		if err := l.vacant(p.s); err != nil {
			return fail("remove", rel, err)
		}
	}
	if err := l.room(); err != nil && !p.s.staged() {
		return err // removing what the task made always works: it makes room
	}
	dir, err := l.parent(p)
	if err != nil {
		return err
	}
	nodes := []nodeRec{dir}
	x, err := l.bindName(dir, p, 0, &nodes)
	if err != nil {
		return err
	}
	return l.commit(&record{Nodes: nodes, Names: []nameRec{x}})
}

// staged reports whether removing what is at s gives room back.
func (s spot) staged() bool { return s.n != nil && (s.n.Base == "" || s.n.Obj != 0) }

// vacant returns ENOTEMPTY unless nothing is in a directory; mu is held.
func (l *tree) vacant(s spot) error {
	known := len(l.t.temps) + 1
	if s.n != nil {
		for _, e := range s.n.order {
			if e.node == nil {
				continue
			}
			if _, err := l.info(e.node); !errors.Is(err, fs.ErrNotExist) {
				return syscall.ENOTEMPTY
			}
		}
		known += len(s.n.order)
	}
	if s.base == "" {
		return nil
	}
	d, err := l.root.Dir(s.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Names(known + 1)
	if err != nil && len(names) > 0 || len(names) > known {
		return syscall.ENOTEMPTY
	}
	for _, name := range names {
		if s.n == nil || s.n.names[name] == nil && !strings.HasPrefix(name, l.t.tempPrefix()) {
			return syscall.ENOTEMPTY
		}
	}
	return nil
}
