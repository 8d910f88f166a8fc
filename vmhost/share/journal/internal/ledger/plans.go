package ledger

import (
	"errors"

	"piwork/vmhost/share/internal/at"
)

// Spread adds what the chosen changes depend on: the directories that they belong in, what is in the
// directories that go, what has the names that they need, and the content of a file that gets a name back.
func (t *Ledger) Spread(list []*Step, chosen map[*Step]bool) {
	dirs := map[*Object]*Step{}  // directories of a person that are gone
	fixes := map[*Object]*Step{} // changes of what still has a name
	for _, n := range list {
		switch {
		case n.Place == nil && n.Fix != nil:
			fixes[n.Fix] = n
		case n.Place != nil && n.Place.Kind == at.Directory:
			dirs[n.Place] = n
		}
	}
	for grown := true; grown; {
		grown = false
		made := map[*Object]bool{}  // directories of the task that will go
		wanted := map[*Entry]bool{} // names that mean something else now
		for n := range chosen {
			if n.Remove != nil && n.Remove.Cur != nil && n.Remove.Cur.Kind == at.Directory {
				made[n.Remove.Cur] = true
			}
			if n.Place == nil {
				continue
			}
			if n.Entry.Cur != nil {
				wanted[n.Entry] = true
			}
			if fix := fixes[n.Place]; fix != nil && !chosen[fix] {
				chosen[fix], grown = true, true
			}
			for d := n.Entry.Dir; d != nil && d.Parent != nil; d = d.Parent {
				if _, _, ok := t.Spot(d); ok {
					break
				}
				if up := dirs[d]; up != nil && !chosen[up] {
					chosen[up], grown = true, true
				}
			}
		}
		for _, n := range list {
			if !chosen[n] && (t.below(n, made) || wanted[n.has()]) {
				chosen[n], grown = true, true
			}
		}
	}
}

// has returns the name that is free when n is undone, nil for none.
func (n *Step) has() *Entry {
	switch {
	case n.Remove != nil:
		return n.Remove
	case n.Change.Effect == EffectMove:
		return n.Place.Gained()
	}
	return nil
}

// below reports whether n is about something that is in one of these
// directories now.
func (t *Ledger) below(n *Step, dirs map[*Object]bool) bool {
	var dir *Object
	switch {
	case n.Remove != nil:
		dir = n.Remove.Dir
	case n.Place != nil:
		if dir, _, _ = t.Spot(n.Place); n.Change.Effect == EffectMove {
			dir = n.Place.Gained().Dir // it may have a name from before, too
		}
	}
	for d := range t.Above(dir) {
		if dirs[d] {
			return true
		}
	}
	return false
}

// only reports whether n is the only change that needs what is kept of its
// object.
func (t *Ledger) only(n *Step) bool {
	for _, e := range n.Object.origins {
		if e != n.Entry && e.Cur != n.Object {
			return false
		}
	}
	return true
}

// Acceptance returns the records after which a change is how things always were.
func (t *Ledger) Acceptance(n *Step) []Record {
	var recs []Record
	rebase := func(o *Object) {
		s := t.After(o, nil)
		if s.Lost {
			s = o.Last
		}
		s.Attrs, s.Equal = "", false
		recs = append(recs, RebaseRecord{Object: o.ID, Inode: &o.Ident, State: &s, Gen: o.Gen})
	}
	if o := n.Object; o != nil && (n.Fix != nil || n.Place != nil) && (n.Place == nil || t.only(n)) {
		rebase(o)
	}
	if n.Remove != nil && n.Remove.Cur != nil && n.Remove.Cur.Made {
		rebase(n.Remove.Cur)
	}
	if n.Change.Effect == EffectMove {
		if e := n.Place.Gained(); e != nil {
			recs = append(recs, AcceptRecord{Entry: e.ID})
		}
	}
	switch e := n.Entry; {
	case e == nil:
	case n.Place == nil || len(e.Bases) < 2:
		recs = append(recs, AcceptRecord{Entry: e.ID})
	default: // other versions of the person's wait for the name
		if n.Remove != nil && n.Remove.Cur != nil {
			recs = append(recs, AdoptRecord{Entry: e.ID, Object: n.Remove.Cur.ID})
		}
		recs = append(recs, AcceptRecord{Entry: e.ID, Object: n.Place.ID})
	}
	return recs
}

// ErrUnknownChange is returned by Undo for an id that is in no list.
var ErrUnknownChange = errors.New("no such change")
