package journal

import "piwork/vmhost/share/journal/internal/ledger"

// ways are who frees which place while something is lifted.
type ways struct {
	*undo
	removes map[*ledger.Entry]*item
	moves   map[*ledger.Object]*item
	stuck   map[*item]bool // what is known of them
}

func newWays(u *undo) *ways {
	w := &ways{u, map[*ledger.Entry]*item{}, map[*ledger.Object]*item{}, map[*item]bool{}}
	for _, i := range u.items {
		switch {
		case i.conflict != nil:
		case i.Remove != nil && !i.removed:
			w.removes[i.Remove] = i
		case i.Place != nil && !i.placed && i.Change.Effect == EffectMove:
			w.moves[i.Place] = i
		}
	}
	return w
}

// isStuck reports whether what has the place of an item stays there: nothing that is undone
// takes it away. To lift the item would only have it lie under a name of undo's own.
func (w *ways) isStuck(i *item) bool {
	var chain []*item
	stuck, seen := false, map[*item]bool{}
	for !seen[i] { // what waits for itself is lifted
		if known, ok := w.stuck[i]; ok {
			stuck = known
			break
		}
		seen[i], chain = true, append(chain, i)
		next, stays := w.frees(i)
		if next == nil {
			stuck = stays
			break
		}
		i = next
	}
	for _, i := range chain {
		w.stuck[i] = stuck
	}
	return stuck
}

// frees returns what moves away from the place of an item; without one, whether something
// stays there.
func (w *ways) frees(i *item) (next *item, stays bool) {
	d, err := w.dir(i.Entry.Dir)
	if err != nil {
		return nil, false
	}
	defer d.Close()
	info, err := d.Lstat(i.Entry.Name)
	if err != nil || w.opts.Resolve[i.Change.ID] == Restore {
		return nil, false
	}
	w.j.Mu.Lock()
	there := i.Entry.Cur
	w.j.Mu.Unlock()
	switch {
	case there == nil || there.Ident != info.ID:
		return nil, true // a person's
	case w.removes[i.Entry] != nil:
		return nil, false
	case w.moves[there] != nil && w.j.Gained(there) == i.Entry:
		return w.moves[there], false
	}
	return nil, there != i.Place
}
