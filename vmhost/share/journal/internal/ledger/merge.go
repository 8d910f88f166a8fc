package ledger

import (
	"slices"

	"piwork/vmhost/share/internal/at"
)

// A task removes a directory of the person's and makes it anew (rm -rf build, mkdir build), the
// person puts something into that, and the task removes it again. One directory has the name when all
// is undone: what the person had in either belongs into the one that they had first.

// WaitingDir is the newest directory that had the name before and is nowhere else, nil for none; but
// not o.
func (t *Ledger) WaitingDir(e *Entry, o *Object) *Object {
	for _, b := range slices.Backward(e.Bases) {
		if b != o && b.Kind == at.Directory && len(b.Spots) == 0 && !t.Home(b) {
			return b
		}
	}
	return nil
}

// mergeDir makes what a person had in o, a directory that has lost the name e and had no other before
// the task, part of the one that waits for the name. It reports whether one does.
func (t *Ledger) mergeDir(e *Entry, o *Object) bool {
	if o == nil || o == e.Cur || o.Kind != at.Directory || o.Parent == nil || len(o.Spots) > 0 || t.Home(o) ||
		slices.ContainsFunc(o.origins, func(x *Entry) bool { return x != e }) {
		return false
	}
	to := t.WaitingDir(e, o)
	if to == nil {
		return false
	}
	e.dropBase(o)
	t.drop(o)
	for key, h := range t.Homes {
		if key.Dir != o.ID {
			continue
		}
		if y := t.Names[Name{to.ID, key.Name}]; y != nil {
			delete(t.Homes, key)
			y.addBase(h)
			y.bind(h)
		} else {
			t.setHome(h, to, key.Name)
		}
	}
	for _, x := range t.Entries {
		if x.Dir != o {
			continue
		}
		delete(t.Names, Name{o.ID, x.Name})
		x.Dir = to
		y := t.Names[Name{to.ID, x.Name}]
		if y == nil {
			t.Names[Name{to.ID, x.Name}] = x
			continue
		}
		for _, b := range slices.Clone(x.Bases) {
			x.dropBase(b)
			y.addBase(b)
			t.mergeDir(y, b)
		}
		if cur := x.Cur; cur != nil {
			x.bind(nil)
			y.bind(cur)
			y.Sure = x.Sure
		}
		t.count(-1, nil, x)
		delete(t.Entries, x.ID)
	}
	return true
}

func (e *Entry) dropBase(o *Object) {
	e.Bases = slices.DeleteFunc(e.Bases, func(x *Object) bool { return x == o })
	o.origins = slices.DeleteFunc(o.origins, func(x *Entry) bool { return x == e })
}
