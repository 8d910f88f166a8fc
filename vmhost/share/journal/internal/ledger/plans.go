package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"

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
	for range MaxPathLen {
		if dir == nil || dir.Parent == nil {
			return false
		}
		if dirs[dir] {
			return true
		}
		var ok bool
		if dir, _, ok = t.Spot(dir); !ok {
			return false
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

// Forgetting returns the records of Forget, and the names of references that
// nobody needs after it.
//
// dirs are the directories in which something became how it always was.
func (t *Ledger) Forgetting(list []*Step, ids []string) (recs []Record, refs []string, dirs map[*Object]bool, err error) {
	chosen := map[*Step]bool{}
	var undone []string
	byID := map[string]*Step{}
	for _, n := range list {
		byID[n.Change.ID] = n
		chosen[n] = len(ids) == 0
	}
	if len(ids) == 0 {
		for id := range t.Undone {
			undone = append(undone, id)
		}
	}
	for _, id := range ids {
		_, again := t.Undone[id]
		n := byID[id]
		if n == nil && !again {
			return nil, nil, nil, fmt.Errorf("%w: %q", ErrUnknownChange, id)
		}
		if again {
			undone = append(undone, id)
		}
		if n != nil {
			chosen[n] = true
		}
	}
	t.spreadForget(list, chosen)
	dirs = map[*Object]bool{}
	for _, n := range list {
		if !chosen[n] {
			continue
		}
		if o := n.Object; o != nil && o.Ref != 0 && t.only(n) {
			refs = append(refs, StoreName(o.ID, o.Ref))
		}
		recs = append(recs, t.Acceptance(n)...)
		for _, e := range []*Entry{n.Entry, n.Remove} {
			if e != nil {
				dirs[e.Dir] = true
			}
		}
		if n.Change.Effect == EffectMove {
			if e := n.Place.Gained(); e != nil {
				dirs[e.Dir] = true
			}
		}
		if o := n.Remove; o != nil && o.Cur != nil && o.Cur.Kind == at.Directory {
			dirs[o.Cur] = true
		}
	}
	for _, o := range t.Objects {
		if len(ids) == 0 && o.unused() && t.Home(o) {
			s := o.Last
			recs = append(recs, RebaseRecord{Object: o.ID, Inode: &o.Ident, State: &s, Gen: o.Gen})
		}
	}
	slices.Sort(undone)
	return append(recs, About[DropRecord](undone)...), refs, dirs, nil
}

// spreadForget adds what makes no sense without the chosen ones.
func (t *Ledger) spreadForget(list []*Step, chosen map[*Step]bool) {
	for grown := true; grown; {
		grown = false
		made, gone := map[*Object]bool{}, map[*Object]bool{}
		for n := range chosen {
			if !chosen[n] {
				continue
			}
			if n.Remove != nil {
				for d := n.Remove.Dir; d != nil && d.Made && !made[d]; d, _, _ = t.Spot(d) {
					made[d] = true
				}
			}
			if n.Place != nil && n.Place.Kind == at.Directory && n.Change.Effect == EffectDelete {
				gone[n.Place] = true
			}
		}
		for _, n := range list {
			if !chosen[n] && (n.Remove != nil && made[n.Remove.Cur] || n.Place != nil && gone[n.Entry.Dir]) {
				chosen[n], grown = true, true
			}
		}
	}
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
	if n.Entry != nil {
		recs = append(recs, AcceptRecord{Entry: n.Entry.ID})
	}
	return recs
}

// ErrUnknownChange is returned by Undo for an id that is in no list.
var ErrUnknownChange = errors.New("no such change")
