package review

import (
	"cmp"
	"path"
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/journal/steps"
)

// Done implements steps.Owner: it writes down what the merged view is made of now.
func (a *applying) Done(s *steps.Step, p steps.Opened, info at.Info) error {
	i := a.items[s]
	var now *stamp
	if info.Kind != 0 {
		now = stampAt(p, info)
	}
	if now == nil && s.Do != steps.Remove && s.Do != steps.Nothing {
		return journal.ErrRaced
	}
	if s.Found { // nobody may have written that down
		if err := a.to.Claim(path.Join(p.Path, p.Name)); err != nil {
			return err
		}
	}
	if err := a.to.Sync(); err != nil { // else a power cut leaves a change that is applied and cannot be undone
		return err
	}
	var err error
	switch {
	case s.Late && i.change.Effect == journal.EffectCreate:
		return a.dressed(s, i, now)
	case i.over:
	case s.Lifting:
		i.from = nil
		return a.l.commit(a.l.liftRecord(i.node, s.At.Name))
	case i.change.Effect == journal.EffectDelete:
		err = a.removed(i)
	case i.change.Effect == journal.EffectMove && !i.placed:
		if err = a.moved(i); err == nil && i.beside != "" {
			a.report.Beside[i.change.ID], i.beside = i.beside, ""
		}
		i.placed, s.More = err == nil, err == nil
		return err
	case i.beside != "" && i.node.Base != "":
		a.report.Beside[i.change.ID] = i.beside
		i.over, s.More = true, true
		return nil
	case s.Do == steps.Create, s.Do == steps.Replace:
		if i.beside != "" {
			a.report.Beside[i.change.ID] = i.beside
		}
		err = a.adopt(i, path.Join(p.Path, p.Name), now)
	case s.Do == steps.Link:
		err = a.linked(i)
	case s.Do == steps.Write:
		err = a.merged(i.node, now)
	case s.Do == steps.Dress && !s.Late && s.Kind == at.Directory:
		return nil // in the end
	case s.Do == steps.Dress:
		err = a.dressed(s, i, now)
	}
	if err == nil {
		a.report.Applied = append(a.report.Applied, i.change)
	}
	return err
}

// removed writes down that a name is gone; mu is held.
func (a *applying) removed(i *item) error {
	r := &record{Names: []nameRec{i.entry.cleared()}}
	a.l.outlive(i.entry, r)
	return a.l.commit(r)
}

// moved writes down that an original has moved; mu is held.
func (a *applying) moved(i *item) error {
	f := i.from
	if f != nil && (f == i.entry || !f.current() || f.hid != i.node) {
		f = nil
	}
	return a.l.commit(a.l.arrivalRecord(i.node, i.entry, f, string(i.going.From), string(i.going.To)))
}

// linked writes down that an original has a further name; mu is held.
func (a *applying) linked(i *item) error {
	rec := i.node.nodeRec
	s := *rec.Orig
	s.Links++
	rec.Orig = &s
	return a.l.commit(&record{Nodes: []nodeRec{rec}, Names: []nameRec{i.entry.settled()}, Clean: []uint64{rec.N}})
}

// adopt writes down that what the task made is in the original now, and lets
// whoever has it open go on with that. n.io of a file is held for writing.
func (a *applying) adopt(i *item, rel string, now *stamp) error {
	l, e, n := a.l, i.entry, i.node
	l.mu.Lock()
	if n.dropped || !e.current() || e.node != n {
		l.mu.Unlock()
		return errOvertaken
	}
	rec := nodeRec{N: n.N, Kind: n.kind, Base: raw(rel), Orig: now}
	if n.kind == at.Directory {
		rec.MTime, rec.CTime = n.MTime, n.CTime
		if now.Mode != *n.Mode {
			rec.Mode = n.Mode
		}
	}
	obj := n.Obj
	r := &record{Nodes: []nodeRec{rec}, Names: []nameRec{e.settled()}, Clean: []uint64{n.N}}
	l.outlive(e, r)
	err := l.commit(r)
	l.mu.Unlock()
	if err == nil && n.kind == at.File {
		l.unstage(n, obj)
	}
	return err
}

// merged writes down that a node has the content of its original; n.io is held
// for writing.
func (a *applying) merged(n *node, now *stamp) error {
	l := a.l
	l.mu.Lock()
	if n.dropped {
		l.mu.Unlock()
		return nil
	}
	rec := nodeRec{N: n.N, Kind: n.kind, Base: n.Base, Orig: now, Ino: l.id(n), From: n.From}
	obj := n.Obj
	err := l.commit(&record{Nodes: []nodeRec{rec}, Clean: []uint64{n.N}})
	l.mu.Unlock()
	if err == nil {
		l.unstage(n, obj)
	}
	return err
}

// dressed writes down that an original has its mode, times and attributes, unless the
// task gave it others meanwhile.
func (a *applying) dressed(s *steps.Step, i *item, now *stamp) error {
	l, n := a.l, i.node
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.dropped || !n.kept || s.Late && n.Mode != nil && *n.Mode != now.Mode {
		return nil
	}
	rec := n.nodeRec
	rec.Mode, rec.Times, rec.Attrs, rec.Had = nil, false, nil, ""
	if n.kind != at.Directory {
		rec.MTime, rec.ATime, rec.CTime = nil, nil, nil
	}
	now.Sum = rec.Orig.Sum
	rec.Orig = now
	return l.commit(&record{Nodes: []nodeRec{rec}, Clean: []uint64{n.N}})
}

// bound reports whether an original must keep a name for now: what the task did
// to it has to be applied first, so that it is seen under its other names.
func (e *entry) bound() bool {
	n := e.hid
	return n != nil && !n.dropped && n.kind != at.Directory && string(n.Base) == e.source() && (n.Obj != 0 || len(n.links) > 0)
}

// was returns what the original had at a name: of a file that goes on under
// other names, what Apply last made of it.
func (e *entry) was() *stamp {
	if n := e.hid; e.orig != nil && n != nil && !n.dropped && n.kind == at.File {
		return n.Orig
	}
	return e.orig
}

// outlive adds to r what is to be remembered of what had the name e, which the
// original takes from it.
func (l *base) outlive(e *entry, r *record) {
	n := e.hid
	if n == nil || n.dropped {
		return
	}
	rec := n.nodeRec
	if n.kind == at.Directory {
		rec.Mode, rec.Times, rec.Attrs, rec.Had = nil, false, nil, ""
	} else {
		s := *rec.Orig
		s.Links = max(s.Links, 2) - 1
		rec.Orig = &s
	}
	if n.kind != at.Directory && string(n.Base) == e.source() {
		for _, d := range l.t.nodes { // files with several names are few
			for _, o := range d.order {
				if o.hid == n && o != e {
					rec.Base = raw(o.source())
				}
			}
		}
	}
	// First, so that what takes its path in r finds it moved, and is not put out by it.
	r.Nodes, r.Clean = slices.Insert(r.Nodes, 0, rec), append(r.Clean, n.N)
}

// cleared is the record of a name whose original is gone.
func (e *entry) cleared() nameRec {
	x := nameRec{Dir: e.dir.N, Name: raw(e.name), Free: true, Drop: e.node == nil}
	if e.node != nil {
		x.Node = e.node.N
	}
	return x
}

// settled is the record of a name that means in the original what it should.
func (e *entry) settled() nameRec {
	return nameRec{Dir: e.dir.N, Name: raw(e.name), Drop: true}
}

// arrivalRecord is the record of an original that has arrived where the name e means
// it; f is the name that it had before.
func (l *base) arrivalRecord(n *node, e, f *entry, from, to string) *record {
	r := &record{Names: []nameRec{e.settled()}, Clean: []uint64{n.N}}
	if from != to && from == string(n.Base) {
		r.Moved = &movedRec{From: raw(from), To: raw(to)}
	}
	if f != nil {
		r.Names = append(r.Names, f.cleared())
	}
	rec := n.nodeRec
	if rec.From = ""; from == string(n.Base) {
		rec.Base = raw(to)
	}
	if rec.Mode != nil && *rec.Mode == rec.Orig.Mode {
		rec.Mode = nil
	}
	if !n.attrsChanged() {
		rec.Attrs, rec.Had = nil, ""
	}
	r.Nodes = []nodeRec{rec}
	if n.Obj != 0 || rec.Mode != nil || rec.Attrs != nil || n.MTime != nil || n.ATime != nil {
		r.Clean = nil // its content comes next
	}
	if _, ok := l.t.temps[from]; ok {
		r.NoTemp = raw(from)
	}
	r.Going = &movedRec{}
	return r
}

// arrived is settle for a move that was not written down, nil when it did not
// happen.
func (l *base) arrived(from, to string) *record {
	info, err := l.root.Lstat(to)
	if err != nil {
		return nil
	}
	for _, n := range l.t.nodes { // one time, when the layer is opened
		if n.Orig == nil || n.Orig.ID != info.ID {
			continue
		}
		for _, e := range n.links {
			if e.source() == to {
				return l.arrivalRecord(n, e, l.lost(n, from), from, to)
			}
		}
	}
	return nil
}

// lost returns the name that n has lost at a path of the original, nil for none.
func (l *base) lost(n *node, base string) *entry {
	if d := l.t.byBase[path.Dir(base)]; d != nil {
		if e := d.names[path.Base(base)]; e != nil && e.hid == n {
			return e
		}
	}
	return nil
}

// liftRecord is the record of an original that was moved out of the way.
func (l *base) liftRecord(n *node, temp string) *record {
	base := string(n.Base)
	rec := n.nodeRec
	rec.Base = raw(temp)
	rec.From = cmp.Or(rec.From, n.Base)
	r := &record{Moved: &movedRec{From: n.Base, To: raw(temp)}, Nodes: []nodeRec{rec}}
	if e := l.lost(n, base); e != nil {
		r.Names = []nameRec{e.cleared()}
	}
	return r
}
