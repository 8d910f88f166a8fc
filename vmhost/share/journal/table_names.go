package journal

import "slices"

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
