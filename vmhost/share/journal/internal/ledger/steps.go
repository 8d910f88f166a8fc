package ledger

import (
	"cmp"
	"path"
	"slices"
	"strconv"

	"piwork/vmhost/share/internal/at"
)

// Step is one entry of the list of changes, with what undo has to do for it.
type Step struct {
	Change Change
	Object *Object // the person's object, unless it is only a creation
	Entry  *Entry  // the name where obj belongs or, for a creation, where it is
	Remove *Entry  // a name of something the task made, to be removed
	Place  *Object // to be put back at entry
	Fix    *Object // to get its content, mode or times back
}

// ByPath orders changes for a list.
func ByPath(a, b Change) int {
	return cmp.Or(cmp.Compare(a.Folder, b.Folder), cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
}

// Changes computes the list. live has the states of objects that are open.
func (t *Ledger) Changes(live map[*Object]State) []*Step {
	var out []*Step
	replaced := map[*Entry]*Object{} // a person's file that is gone → its name
	for _, o := range t.Objects {
		if !o.Made {
			out = append(out, t.fate(o, live, replaced)...)
		}
	}
	for _, e := range t.Entries {
		o := e.Cur
		if o == nil || slices.Contains(e.Bases, o) || !o.Made && t.accounted(o, e) {
			continue
		}
		if x := replaced[e]; x != nil && o.Made && o.Kind == x.Kind {
			// What programs do to save a file: a new one takes the name.
			continue
		}
		out = append(out, t.creation(e, live))
	}
	slices.SortFunc(out, func(a, b *Step) int { return ByPath(a.Change, b.Change) })
	return out
}

// creation is the change of a name that means something new.
func (t *Ledger) creation(e *Entry, live map[*Object]State) *Step {
	n := &Step{Entry: e, Remove: e, Change: Change{ID: "e" + strconv.Itoa(int(e.ID)),
		Folder: e.Dir.Folder.ID, Path: t.PathOf(e.Dir, e.Name), Kind: e.Cur.Kind.String(), Effect: EffectCreate}}
	n.Change.After = t.After(e.Cur, live).file()
	return n
}

// fate returns what became of an object that was there before the task.
func (t *Ledger) fate(o *Object, live map[*Object]State, replaced map[*Entry]*Object) []*Step {
	var lost []*Entry // names it had and has no more
	for _, e := range o.based() {
		if e.Cur != o {
			lost = append(lost, e)
		}
	}
	var out []*Step
	after := t.After(o, live)
	base := Change{Folder: o.Folder.ID, Kind: o.Kind.String(), Before: o.Base.file(), After: after.file()}
	dir, name, there := t.Spot(o)
	// When another name is found, the loss of the first keeps its id: a person may have chosen it already.
	found := t.Home(o) && len(lost) > 0 && lost[0].Dir == o.Parent && lost[0].Name == o.name
	if gained := o.Gained(); there && len(lost) > 0 && gained != nil {
		n := &Step{Object: o, Entry: lost[0], Place: o, Change: base}
		n.Change.ID, n.Change.Effect = "o"+strconv.Itoa(int(o.ID)), EffectMove
		n.Change.Path, n.Change.From = t.PathOf(gained.Dir, gained.Name), t.basePath(lost[0].Dir, lost[0].Name)
		if !t.same(o, after) {
			n.Fix = o
		}
		out, lost = append(out, n), lost[1:]
	} else if there && !t.same(o, after) {
		n := &Step{Object: o, Fix: o, Change: base}
		n.Change.ID, n.Change.Effect, n.Change.Path = "o"+strconv.Itoa(int(o.ID)), EffectChange, t.PathOf(dir, name)
		if found {
			n.Change.ID = "h" + strconv.Itoa(int(o.ID))
		}
		out = append(out, n)
	}
	if !there && len(lost) == 0 && t.ousted(o) {
		n := &Step{Object: o, Fix: o, Change: base}
		n.Change.ID, n.Change.Effect, n.Change.Path = "o"+strconv.Itoa(int(o.ID)), EffectChange, t.basePath(o.Parent, o.name)
		out = append(out, n)
	}
	for i, e := range lost {
		n := &Step{Object: o, Entry: e, Place: o, Change: base}
		n.Change.ID = "o" + strconv.Itoa(int(o.ID))
		if i > 0 || there && !found {
			n.Change.ID = "n" + strconv.Itoa(int(e.ID))
		}
		n.Change.Effect, n.Change.Path, n.Change.After = EffectDelete, t.basePath(e.Dir, e.Name), nil
		if x := e.Cur; x != nil && x.Made && x.Kind == o.Kind && !slices.Contains(e.Bases, x) && e.Bases[len(e.Bases)-1] == o {
			n.Change.Effect, n.Change.Path, n.Change.After = EffectChange, t.PathOf(e.Dir, e.Name), t.After(x, live).file()
			n.Remove = e
			replaced[e] = o
			if t.equal(o, t.After(x, live)) {
				continue
			}
		}
		if !there {
			n.Fix = o
		}
		out = append(out, n)
	}
	return out
}

// ousted reports whether o is a file that the task changed before somebody put another file in its place, and
// the first file that had that place. The list shows it, so that its content from before the task can be
// had. Example: two tasks have a file open, and one renames another file over it.
func (t *Ledger) ousted(o *Object) bool {
	if !o.Astray || o.Image == nil || o.Touch == TouchNone {
		return false
	}
	for _, x := range t.Objects {
		if x.ID < o.ID && !x.Made && x.Parent == o.Parent && x.name == o.name {
			return false
		}
	}
	return true
}

// based returns the touched names that meant o before the task, the one where
// it was first seen in front.
func (o *Object) based() []*Entry {
	var out []*Entry
	for _, e := range o.origins {
		if e.Dir == o.Parent && e.Name == o.name {
			out = append([]*Entry{e}, out...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// Gained returns a name that o has now and had not before.
func (o *Object) Gained() *Entry {
	var best *Entry
	for _, e := range o.Spots {
		if !slices.Contains(e.Bases, o) && (best == nil || e.ID < best.ID) {
			best = e
		}
	}
	return best
}

// accounted reports whether the new name e of o is the end of a move.
func (t *Ledger) accounted(o *Object, e *Entry) bool {
	if o.Gained() != e {
		return false
	}
	for _, b := range o.origins {
		if b.Cur != o {
			return true
		}
	}
	return false
}

// After returns how the task left o.
func (t *Ledger) After(o *Object, live map[*Object]State) State {
	if s, ok := live[o]; ok {
		return s
	}
	if o.Touch == TouchDone {
		return o.after
	}
	if o.Touch == TouchNone {
		return o.Base
	}
	return o.Last
}

// same reports whether o, which is still there, is as it was before.
func (t *Ledger) same(o *Object, after State) bool {
	if o.Touch == TouchNone {
		return true
	}
	if o.Attrs != nil && after.Attrs != o.Base.Attrs {
		return false
	}
	switch o.Kind {
	case at.Directory:
		// Its time changes with every name in it; that is no change of its own.
		return after.Mode == o.Base.Mode && (!o.Times || after.Sec == o.Base.Sec && after.Nsec == o.Base.Nsec)
	case at.File:
		if o.Image == nil {
			return after.Mode == o.Base.Mode && after.Sec == o.Base.Sec && after.Nsec == o.Base.Nsec
		}
	}
	return t.equal(o, after)
}

// equal compares content, mode and time with before.
func (t *Ledger) equal(o *Object, s State) bool {
	b := o.Base
	if s.Lost || s.Sec != b.Sec || s.Nsec != b.Nsec {
		return false
	}
	if o.Kind == at.Symlink {
		return s.Target == b.Target
	}
	return s.Mode == b.Mode && (o.Kind == at.Directory || s.Equal || s.Size == b.Size && s.Sum != "" && s.Sum == b.Sum)
}

// PathOf returns the path of a name as the task left it, or where its
// directory was when that is in no place any more.
func (t *Ledger) PathOf(dir *Object, name string) string {
	if dir == nil {
		return "." // the folder itself
	}
	if rel, ok := t.DirPath(dir); ok {
		return path.Join(rel, name)
	}
	return t.basePath(dir, name)
}

// Find returns the change with this id, nil when it is in no list.
func (t *Ledger) Find(id string) *Step {
	if id == "" {
		return nil
	}
	number, err := strconv.ParseUint(id[1:], 10, 32)
	if err != nil {
		return nil
	}
	var objs []*Object
	switch e := t.Entries[uint32(number)]; {
	case id[0] == 'o' || id[0] == 'h':
		if o := t.Objects[uint32(number)]; o != nil {
			objs = append(objs, o)
		}
	case e == nil:
		return nil
	case id[0] == 'n':
		objs = e.Bases
	case id[0] == 'e' && e.Cur != nil && !slices.Contains(e.Bases, e.Cur):
		return t.creation(e, nil)
	}
	for _, o := range objs {
		if o.Made {
			continue
		}
		for _, n := range t.fate(o, nil, map[*Entry]*Object{}) {
			if n.Change.ID == id {
				return n
			}
		}
	}
	return nil
}
