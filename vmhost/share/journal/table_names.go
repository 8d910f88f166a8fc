package journal

import (
	"fmt"
	"slices"
)

func (t *tables) applyEntry(r *record) error {
	dir := t.objects[r.Dir]
	if dir == nil || r.Entry == 0 || t.entries[r.Entry] != nil {
		return fmt.Errorf("%w: entry record", errTorn)
	}
	key := nameKey{dir.id, string(r.Name)}
	if t.names[key] != nil {
		return fmt.Errorf("%w: entry record", errTorn)
	}
	e := &entry{id: r.Entry, dir: dir, name: key.name}
	if o := t.objects[r.Object]; o != nil {
		e.addBase(o)
		e.put(o)
		o.doubtful = false
	}
	t.entries[e.id], t.names[key] = e, e
	t.count(1, nil, e)
	t.lastE = max(t.lastE, e.id)
	delete(t.homes, key)
	return nil
}

func (t *tables) applyName(r *record) error {
	e := t.entries[r.Entry]
	if e == nil {
		return nil // dropped since
	}
	e.suspect = false
	switch r.Type {
	case recTouchE:
		e.sure = false
	case recAccept:
		t.accept(e)
	case recAdopt:
		o := t.objects[r.Object]
		if o == nil {
			return fmt.Errorf("%w: adopt record", errTorn)
		}
		o.made = false
		e.addBase(o)
		old := e.cur
		e.put(o)
		t.forget(old)
	case recCur:
		old := e.cur
		e.put(t.objects[r.Object])
		e.sure = true
		t.forget(old)
		if e.cur == nil && len(e.bases) == 0 {
			t.dropEntry(e)
		}
	}
	return nil
}

// accept makes what e means what it always meant.
func (t *tables) accept(e *entry) {
	cur := e.cur
	e.put(nil)
	for _, o := range e.bases {
		o.origins = slices.DeleteFunc(o.origins, func(x *entry) bool { return x == e })
		if o != cur && !t.alive(o) && len(o.origins) == 0 {
			t.drop(o)
		}
	}
	t.dropEntry(e)
	if cur != nil {
		cur.made = false
		t.settle(cur, e.dir, e.name)
	}
}

func (e *entry) addBase(o *object) {
	if !slices.Contains(e.bases, o) {
		e.bases = append(e.bases, o)
		o.origins = append(o.origins, e)
	}
}

// put makes o what the name means.
func (e *entry) put(o *object) {
	if e.cur == o {
		return
	}
	if e.cur != nil {
		e.cur.spots = slices.DeleteFunc(e.cur.spots, func(x *entry) bool { return x == e })
	}
	if e.cur = o; o != nil {
		o.spots = append(o.spots, e)
	}
}

// settle makes a name that the task has not changed the home of o.
func (t *tables) settle(o, dir *object, name string) {
	if key := (nameKey{dir.id, name}); t.names[key] == nil {
		if o.dir != nil && t.home(o) {
			delete(t.homes, nameKey{o.dir.id, o.alias})
		}
		o.dir, o.alias = dir, name
		t.homes[key] = o
	}
}

// forget drops what the task made and removed again.
func (t *tables) forget(o *object) {
	if o == nil || !o.made || len(o.spots) > 0 {
		return
	}
	t.drop(o)
}

// home reports whether o has a name that the task never changed.
func (t *tables) home(o *object) bool {
	if o.parent == nil {
		return true
	}
	return o.dir != nil && t.homes[nameKey{o.dir.id, o.alias}] == o
}
