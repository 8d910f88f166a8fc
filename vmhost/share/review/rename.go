package review

import (
	"io/fs"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
)

// Rename moves something as rename(2) does; with noReplace it fails when the
// new name is taken. A directory of the original is moved without looking into
// it: its node says where in the original it is.
func (l *Layer) Rename(old, rel string, noReplace bool) error {
	if err := l.syncBeforeReplace(old, rel); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from, err := l.place(old)
	if err != nil {
		return err
	}
	if !from.there {
		return fail("rename", old, fs.ErrNotExist)
	}
	to, err := l.place(rel)
	if err != nil {
		return err
	}
	switch {
	case to.there && noReplace:
		return fail("rename", rel, fs.ErrExist)
	case old == rel:
		return nil
	case strings.HasPrefix(rel, old+"/"):
		return fail("rename", rel, syscall.EINVAL)
	case strings.HasPrefix(old, rel+"/"):
		return fail("rename", rel, syscall.ENOTEMPTY)
	}
	if to.there && to.info.ID == from.info.ID {
		if from.info.NLink > 1 && from.info.Kind != at.Directory {
			return nil // two names of one inode: rename(2) does nothing
		}
		to.there, to.s = false, spot{} // the host does not tell the two names apart
	}
	if to.there {
		if err := l.replaceable(from, to); err != nil {
			return fail("rename", rel, err)
		}
	}
	if err := l.room(); err != nil {
		return err
	}
	return l.move(from, to)
}

// syncBeforeReplace makes the content of what will take the place of something durable.
func (l *tree) syncBeforeReplace(old, rel string) error {
	l.mu.RLock()
	s, _, err := l.find(old)
	_, there, terr := l.find(rel)
	l.mu.RUnlock()
	if err != nil || terr != nil || s.n == nil || there.Kind != at.File {
		return nil
	}
	return l.syncNode(s.n)
}

// replaceable answers what rename(2) would.
func (l *tree) replaceable(from, to place) error {
	dir := from.info.Kind == at.Directory
	switch {
	case to.info.Kind == at.Special:
		return at.ErrSpecial
	case dir && to.info.Kind != at.Directory:
		return syscall.ENOTDIR
	case !dir && to.info.Kind == at.Directory:
		return syscall.EISDIR
	case dir:
		return l.vacant(to.s)
	}
	return nil
}

func (l *tree) move(from, to place) error {
	r, err := l.track(from.s, from.info)
	if err != nil {
		return err
	}
	l.changed(&r)
	from.s.n, from.info.NLink = l.nodeAfter(from.s.n, r), 1
	old, err := l.parent(from)
	if err != nil {
		return err
	}
	dir := old
	nodes := []nodeRec{r, old}
	if from.dir != to.dir {
		if dir, err = l.parent(to); err != nil {
			return err
		}
		nodes = append(nodes, dir)
	}
	x, err := l.bindName(old, from, 0, &nodes)
	if err != nil {
		return err
	}
	y, err := l.bindName(dir, to, r.N, &nodes)
	if err != nil {
		return err
	}
	return l.commit(&record{Nodes: nodes, Names: []nameRec{y, x}})
}

// nodeAfter returns n, or what it will be when the record r is written.
func (l *tree) nodeAfter(n *node, r nodeRec) *node {
	if n != nil && n.kept {
		return n
	}
	return &node{nodeRec: r, kind: r.Kind, kept: true}
}
