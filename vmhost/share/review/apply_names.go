package review

import (
	"context"
	"errors"
	"path"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

// Each function here does one step: it changes the original and then writes down
// what the merged view is made of now. Dying in between is harmless: what is in
// the original as it should be counts as applied the next time. l.mu is held from
// the last look at the original to the record.

// remove takes a name away that the task removed.
func (a *applying) remove(ctx context.Context, i *item, replace bool) error {
	l, e := a.l, i.entry
	rel := e.source()
	now, err := a.lstat(rel)
	if err != nil {
		return err
	}
	l.mu.RLock()
	was, orig := e.was(), e.orig
	l.mu.RUnlock()
	if now != nil && orig != nil && now.Kind != orig.Kind && a.replaced(ctx, e, rel, now) {
		now = nil // long gone
	}
	if now != nil && was != nil && now.Kind != at.Directory && !replace {
		if err := a.intact(ctx, rel, now, was); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !e.current() || e.orig == nil:
		return conflictf(journal.ReasonChanged, "%q was changed by the task at the same time", rel)
	case now == nil:
	case now.Kind != e.orig.Kind:
		return conflictf(journal.ReasonChanged, "%q is something else now", rel)
	case e.bound():
		return errWait
	case now.Kind == at.Directory:
		if e.hid != nil && len(e.hid.order) > 0 {
			return errWait
		}
		err = a.to.RemoveDir(rel)
		if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
			return conflictf(journal.ReasonChanged, "the directory %q has something else in it", rel)
		}
	default:
		err = a.to.Remove(rel)
	}
	if err != nil {
		return err
	}
	l.step("removed")
	if err := a.syncDir(path.Dir(rel)); err != nil {
		return err
	}
	r := &record{Names: []nameRec{e.cleared()}}
	l.outlive(e, r)
	return l.commit(r)
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
	r.Nodes, r.Clean = append(r.Nodes, rec), append(r.Clean, n.N)
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

func (a *applying) syncDir(rel string) error {
	d, err := a.l.root.Dir(rel)
	if isMissing(err) {
		return nil // it went too, before Apply was interrupted
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// move gives an original the place that the task gave it; free is another one in
// the same directory, "" for the very place.
func (a *applying) move(i *item, free string) error {
	l, e, n := a.l, i.entry, i.node
	rel, err := a.target(e)
	if err != nil {
		return err
	}
	if free != "" {
		rel = path.Join(path.Dir(rel), free)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from := string(n.Base)
	if i.from != nil {
		from = i.from.source() // it may be another of its names
	}
	switch {
	case n.dropped || !e.current() || e.node != n:
		return conflictf(journal.ReasonChanged, "%q was changed by the task at the same time", i.change.Path)
	case rel == from:
		return a.moved(i, from, rel)
	case e.orig != nil && e.hid != n, strings.HasPrefix(rel, from+"/"):
		return errWait
	}
	now, err := a.lstat(from)
	if err != nil {
		return err
	}
	there, err := a.lstat(rel)
	if err != nil {
		return err
	}
	switch {
	case now == nil && there != nil && there.ID == n.Orig.ID:
		return a.moved(i, from, rel) // it died before writing this down
	case now == nil || now.Kind != n.kind:
		return conflictf(journal.ReasonGone, "%q is not there any more", from)
	case there != nil && there.ID != now.ID:
		return conflictf(journal.ReasonInTheWay, "something else is at %q", rel)
	}
	if err := l.commit(&record{Going: &movedRec{From: raw(from), To: raw(rel)}}); err != nil {
		return err
	}
	if err := l.wal.Sync(l.wal.Position()); err != nil {
		return err
	}
	switch {
	case there == nil:
		err = a.rename(from, rel)
	case there.Links > 1:
		err = a.to.Remove(from) // it has that name already
	default: // the host does not tell the two names apart
		err = a.to.Rename(from, rel, false)
	}
	if err != nil {
		return errors.Join(err, l.commit(&record{Going: &movedRec{}}))
	}
	l.step("moved")
	return a.moved(i, from, rel)
}

func (a *applying) rename(from, to string) error {
	if err := a.to.Rename(from, to, true); err != nil {
		return err
	}
	return errors.Join(a.syncDir(path.Dir(to)), a.syncDir(path.Dir(from)))
}

// moved writes down that an original has moved; mu is held.
func (a *applying) moved(i *item, from, to string) error {
	f := i.from
	if f != nil && (f == i.entry || !f.current() || f.hid != i.node) {
		f = nil
	}
	return a.l.commit(a.l.arrivalRecord(i.node, i.entry, f, from, to))
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

// lift moves an original out of the way of another one, which is in its way in
// turn. It reports whether there was one.
func (a *applying) lift() bool {
	for _, i := range a.items {
		l, n := a.l, i.node
		if i.done || i.placed || i.change.Effect != journal.EffectMove || n.dropped || i.from == nil || i.from.source() != string(n.Base) {
			continue
		}
		temp, err := a.liftTo(n)
		if err == nil {
			l.mu.Lock()
			if err = a.rename(i.from.source(), temp); err == nil {
				l.step("lifted")
				err = l.commit(l.lifted(n, temp))
			}
			l.mu.Unlock()
		}
		if err != nil {
			a.fail(i, err)
		} else {
			i.from = nil
		}
		return true
	}
	return false
}

// lifted is the record of an original that was moved out of the way.
func (l *base) lifted(n *node, temp string) *record {
	base := string(n.Base)
	rec := n.nodeRec
	rec.Base = raw(temp)
	if rec.From == "" {
		rec.From = n.Base
	}
	r := &record{Moved: &movedRec{From: n.Base, To: raw(temp)}, Nodes: []nodeRec{rec}}
	if e := l.lost(n, base); e != nil {
		r.Names = []nameRec{e.cleared()}
	}
	return r
}

// link gives an original the second name that the task gave it.
func (a *applying) link(i *item, rel string) error {
	l, e, n := a.l, i.entry, i.node
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.dropped || !e.current() || e.node != n {
		return conflictf(journal.ReasonChanged, "%q was changed by the task at the same time", i.change.Path)
	}
	there, err := a.lstat(rel)
	if err != nil {
		return err
	}
	now, err := a.lstat(string(n.Base))
	switch {
	case err != nil:
		return err
	case now == nil:
		return conflictf(journal.ReasonGone, "%q is not there any more", n.Base)
	case there == nil:
		_, err = a.to.Link(string(n.Base), rel)
	case there.ID != now.ID:
		return conflictf(journal.ReasonInTheWay, "something else is at %q", rel)
	}
	if err != nil {
		return err
	}
	l.step("linked")
	if err := a.syncDir(path.Dir(rel)); err != nil {
		return err
	}
	rec := n.nodeRec
	s := *rec.Orig
	s.Links++
	rec.Orig = &s
	return l.commit(&record{Nodes: []nodeRec{rec}, Names: []nameRec{e.settled()}, Clean: []uint64{n.N}})
}
