package review

import (
	"path"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// An interrupted Apply leaves a lifted original under a temporary name, and only its node
// knows what it was called. It gets its name back before the node is forgotten: x and y
// swap names, Apply lifts y and stops; after Discard y is y again.

// lifted returns the nodes whose originals are out of the way of others.
func (l *base) lifted() []*node {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []*node
	for temp, id := range l.t.temps {
		if n := l.t.nodes[id]; n != nil && n.isLifted(temp) {
			out = append(out, n)
		}
	}
	return out
}

func (n *node) isLifted(temp string) bool { return n.From != "" && string(n.Base) == temp }

// discarding is the state for moving lifted originals back; nil when there are none.
func (l *Layer) discarding(open func() (*journal.Journal, error)) (*applying, error) {
	if len(l.lifted()) == 0 {
		return nil, nil
	}
	if l.moved != nil {
		return nil, l.moved // they are in the folder that is not here
	}
	j, err := open()
	if err != nil {
		return nil, err
	}
	to, err := j.Folder(l.opts.Folder, l.root)
	if err != nil {
		return nil, err
	}
	return &applying{l: l, to: to.Quiet(), report: Report{Beside: map[string]string{}}}, nil
}

// putAllBack moves the lifted originals back whose names are free. Without a name in the
// merged view there is no change to choose: then one whose name is taken is put beside it.
func (a *applying) putAllBack(nameless bool) error {
	for _, n := range a.l.lifted() {
		a.l.mu.RLock()
		lost := len(n.links) == 0
		a.l.mu.RUnlock()
		if nameless && !lost {
			continue
		}
		if _, err := a.putBack(n, lost); err != nil {
			return err
		}
	}
	return nil
}

// putAside gives the original of a change that is forgotten a name of a person's, beside its
// old one when that is taken.
func (a *applying) putAside(d *delta) error {
	if d.node == nil {
		return nil
	}
	e, err := a.putBack(d.node, true)
	if err != nil || e == nil {
		return err
	}
	d.from = e
	a.l.mu.RLock()
	defer a.l.mu.RUnlock()
	if to := e.source(); to != d.change.From {
		a.report.Beside[d.change.ID] = to
	}
	return nil
}

// putBack moves a lifted original back, with beside next to what has its name now. It
// returns the name that the original has from then on; nil when n was not moved.
func (a *applying) putBack(n *node, beside bool) (*entry, error) {
	l := a.l
	l.mu.Lock()
	defer l.mu.Unlock()
	temp := string(n.Base)
	if l.t.temps[temp] != n.N || !n.isLifted(temp) {
		return nil, nil
	}
	now, err := a.lstat(temp)
	if err != nil {
		return nil, err
	}
	if now == nil {
		return l.landed(n)
	}
	to, err := a.home(n, beside)
	if err != nil || to == "" {
		return nil, err
	}
	if err := l.commit(&record{Going: &movedRec{From: raw(temp), To: raw(to)}}); err != nil {
		return nil, err
	}
	if err := l.wal.Sync(l.wal.Position()); err != nil {
		return nil, err
	}
	if err := a.to.Rename(temp, to, true); err != nil {
		_ = l.commit(&record{Going: &movedRec{}}) // without it Open looks
		return nil, err
	}
	l.step("put back")
	for _, dir := range []string{path.Dir(to), "."} {
		if err := l.syncDir(dir); err != nil {
			return nil, err
		}
	}
	return l.landed(n)
}

// home is where a lifted original goes: its old name if that is free, else "", or one beside
// it. A directory that a person took away is not made again. mu is held.
func (a *applying) home(n *node, beside bool) (string, error) {
	to := string(n.From)
	dir, err := a.lstat(path.Dir(to))
	if err != nil {
		return "", err
	}
	gone := dir == nil || dir.Kind != at.Directory
	if gone {
		to = path.Base(to)
	}
	there, err := a.lstat(to)
	if err != nil {
		return "", err
	}
	taken := there != nil
	if d := a.l.t.byBase[path.Dir(to)]; d != nil && d.names[path.Base(to)] != nil {
		taken = taken || d.names[path.Base(to)].orig != nil
	}
	switch {
	case !gone && !taken:
		return to, nil
	case !beside:
		return "", nil
	case !taken:
		return to, nil
	}
	return a.free(to, "before")
}

// landed writes down where a lifted original is, which is not under its temporary name any
// more; nil when a person took it away. mu is held for writing.
func (l *tree) landed(n *node) (*entry, error) {
	temp, to := string(n.Base), ""
	if g := l.t.going; g != nil && string(g.From) == temp {
		to = string(g.To)
	}
	if to != "" {
		info, err := l.root.Lstat(to)
		if err != nil || info.ID != n.Orig.ID {
			to = ""
		}
	}
	if to == "" {
		rec := n.nodeRec
		rec.From = ""
		return nil, l.commit(&record{Nodes: []nodeRec{rec}, NoTemp: raw(temp), Going: &movedRec{}})
	}
	r, dir, err := l.returned(n, to)
	if err == nil {
		err = l.commit(r)
	}
	if err != nil {
		return nil, err
	}
	return l.t.nodes[dir].names[path.Base(to)], nil
}

// returned is the record of a lifted original that is at a name of the folder again, in the
// directory with the returned number; mu is held. The merged view stays the same.
func (l *tree) returned(n *node, to string) (*record, uint64, error) {
	base, name := path.Split(to)
	base = path.Clean(base)
	rec := n.nodeRec
	rec.Base, rec.From = raw(to), ""
	r := &record{Moved: &movedRec{From: n.Base, To: raw(to)}, Nodes: []nodeRec{rec}, NoTemp: n.Base, Going: &movedRec{}}
	x := nameRec{Name: raw(name), Orig: n.Orig, Hid: n.N}
	d := l.t.byBase[base]
	if d == nil || !d.kept {
		info, err := l.root.Lstat(base)
		if err != nil {
			return nil, 0, err
		}
		dir, err := l.track(spot{d, base}, info)
		if err != nil {
			return nil, 0, err
		}
		r.Nodes = append(r.Nodes, dir)
		x.Dir = dir.N
	} else {
		x.Dir = d.N
		if e := d.names[name]; e != nil {
			r.Names = []nameRec{{Dir: d.N, Name: raw(name), Drop: true}}
			if e.node == n {
				return r, x.Dir, nil
			}
			if x.E = e.seq; e.node != nil {
				x.Node = e.node.N
			}
		}
	}
	if x.E == 0 {
		x.E = l.t.next()
	}
	r.Names = append(r.Names, x)
	return r, x.Dir, nil
}

// syncDir makes the names in a directory of the original durable.
func (l *base) syncDir(rel string) error {
	d, err := l.root.Dir(rel)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
