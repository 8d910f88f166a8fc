package ledger

import (
	"errors"
	"fmt"
	"maps"

	"piwork/vmhost/share/internal/at"
)

// Spread adds what the chosen changes depend on.
func (t *Ledger) Spread(list []*Step, chosen map[*Step]bool) {
	dirs := map[*Object]*Step{} // directories of a person that are gone
	for _, n := range list {
		if n.Place != nil && n.Place.Kind == at.Directory {
			dirs[n.Place] = n
		}
	}
	for grown := true; grown; {
		grown = false
		made := map[*Object]bool{} // directories of the task that will go
		for n := range chosen {
			if n.Remove != nil && n.Remove.Cur != nil && n.Remove.Cur.Kind == at.Directory {
				made[n.Remove.Cur] = true
			}
			if n.Place == nil {
				continue
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
			if !chosen[n] && t.below(n, made) {
				chosen[n], grown = true, true
			}
		}
	}
}

// below reports whether n is about something that is in one of these
// directories now.
func (t *Ledger) below(n *Step, dirs map[*Object]bool) bool {
	var dir *Object
	switch {
	case n.Remove != nil:
		dir = n.Remove.Dir
	case n.Place != nil:
		dir, _, _ = t.Spot(n.Place)
	}
	for d := range t.Above(dir) {
		if dirs[d] {
			return true
		}
	}
	return false
}

// ChooseRedo returns the undone changes with these ids and what they need.
func (t *Ledger) ChooseRedo(ids []string) (map[string]Change, error) {
	chosen := map[string]Change{}
	if len(ids) == 0 {
		return maps.Clone(t.Undone), nil
	}
	for _, id := range ids {
		c, ok := t.Undone[id]
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
		chosen[id] = c
	}
	for grown := true; grown; {
		grown = false
		dirs, gone := map[uint32]bool{}, map[uint32]bool{}
		for id := range chosen {
			if k := t.Keeps[id]; k != nil {
				dirs[k.Dir] = true // it has to be there
				gone[k.Obj] = gone[k.Obj] || k.Change.Effect == EffectDelete && k.Change.Kind == at.Directory.String()
			}
		}
		for id, c := range t.Undone {
			k := t.Keeps[id]
			if _, ok := chosen[id]; ok || k == nil {
				continue
			}
			if k.Made != 0 && dirs[k.Made] || gone[k.From] && k.From != 0 {
				chosen[id], grown = c, true
			}
		}
	}
	return chosen, nil
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
