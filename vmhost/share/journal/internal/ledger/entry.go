package ledger

import "slices"

// accept makes what e means what it always meant.
func (t *Ledger) accept(e *Entry) {
	cur := e.Cur
	e.bind(nil)
	for _, o := range e.Bases {
		o.origins = slices.DeleteFunc(o.origins, func(x *Entry) bool { return x == e })
		if o != cur && !t.Alive(o) && len(o.origins) == 0 {
			t.drop(o)
		}
	}
	t.dropEntry(e)
	if cur != nil {
		cur.Made = false
		t.setHome(cur, e.Dir, e.Name)
	}
}

// acceptLoss makes o, of several things that e meant, nothing that has to have its name again.
func (t *Ledger) acceptLoss(e *Entry, o *Object) {
	if e.Cur == o || !slices.Contains(e.Bases, o) {
		return
	}
	e.dropBase(o)
	if !t.Alive(o) && len(o.origins) == 0 {
		t.drop(o)
	}
}

func (e *Entry) addBase(o *Object) {
	if !slices.Contains(e.Bases, o) {
		e.Bases = append(e.Bases, o)
		o.origins = append(o.origins, e)
	}
}

// bind makes o what the name means.
func (e *Entry) bind(o *Object) {
	if e.Cur == o {
		return
	}
	if e.Cur != nil {
		e.Cur.Spots = slices.DeleteFunc(e.Cur.Spots, func(x *Entry) bool { return x == e })
	}
	if e.Cur = o; o != nil {
		o.Spots = append(o.Spots, e)
	}
}

// setHome makes a name that the task has not changed the home of o.
func (t *Ledger) setHome(o, dir *Object, name string) {
	if key := (Name{dir.ID, name}); t.Names[key] == nil {
		if o.Dir != nil && t.Home(o) {
			delete(t.Homes, Name{o.Dir.ID, o.Alias})
		}
		t.lead(key, o)
		o.Dir, o.Alias, o.Astray = dir, name, false
		t.Homes[key] = o
	}
}

// lead notes that a name that the task has not changed leads to o, and no more to what had it: a person
// put o there.
func (t *Ledger) lead(key Name, o *Object) {
	if h := t.Homes[key]; h != nil && h != o {
		h.Astray = true
	}
}

// dropMade drops what the task made and removed again.
func (t *Ledger) dropMade(o *Object) {
	if o == nil || !o.Made || len(o.Spots) > 0 {
		return
	}
	t.drop(o)
}

// Home reports whether o has a name that the task never changed.
func (t *Ledger) Home(o *Object) bool {
	if o.Parent == nil {
		return true
	}
	return o.Dir != nil && t.Homes[Name{o.Dir.ID, o.Alias}] == o
}
