package ledger

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
)

// Spot returns the directory and the name under which the task left o, and
// false when it has none.
func (t *Ledger) Spot(o *Object) (*Object, string, bool) {
	if t.Home(o) {
		return o.Dir, o.Alias, true
	}
	if len(o.Spots) == 0 {
		return nil, "", false
	}
	e := o.Place()
	return e.Dir, e.Name, true
}

// Means reports whether a name means o, as far as the task is concerned.
func (t *Ledger) Means(key Name, o *Object) bool {
	if e := t.Names[key]; e != nil {
		return e.Cur == o
	}
	return t.Homes[key] == o
}

// Settled reports whether no change of the names of o, or of e, is under way or in doubt.
func (t *Ledger) Settled(e *Entry, o *Object) bool {
	return (e == nil || e.Sure) && !slices.ContainsFunc(o.Spots, func(x *Entry) bool { return !x.Sure })
}

// Inside returns the directories in which the task changed something.
func (t *Ledger) Inside() map[*Object]bool {
	dirs := map[*Object]bool{}
	for _, e := range t.Entries {
		dirs[e.Dir] = true
	}
	for _, o := range t.Homes {
		if o.Touch != TouchNone {
			dirs[o.Dir] = true
		}
	}
	return dirs
}

// Origins are the names that o had before the task, and that the task changed.
func (o *Object) Origins() []*Entry { return slices.Clone(o.origins) }

// Place returns the entry that stands for all names of o: one of which no change is in doubt
// ([Entry].Sure) goes first, then a name from before the task, then the oldest.
func (o *Object) Place() *Entry {
	return slices.MinFunc(o.Spots, func(a, b *Entry) int {
		return cmp.Or(order(b.Sure, a.Sure), order(slices.Contains(b.Bases, o), slices.Contains(a.Bases, o)), cmp.Compare(a.ID, b.ID))
	})
}

// order is -1 when only b holds, 1 when only a does.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// DirPath returns the path of a directory as the task left it, "." for the
// folder itself, and false when it is in no place that can be reached.
func (t *Ledger) DirPath(o *Object) (string, bool) {
	var parts []string
	for range maxDepth {
		if o.Parent == nil {
			if len(parts) == 0 {
				return ".", true
			}
			slices.Reverse(parts)
			return strings.Join(parts, "/"), true
		}
		dir, name, ok := t.Spot(o)
		if !ok {
			return "", false
		}
		parts = append(parts, name)
		o = dir
	}
	return "", false
}

// basePath returns the path that a name in dir had before the task.
func (t *Ledger) basePath(dir *Object, name string) string {
	parts := []string{name}
	for range maxDepth {
		if dir.Parent == nil {
			break
		}
		in, up := dir.name, dir.Parent
		if list := dir.based(); len(list) > 0 {
			in, up = list[0].Name, list[0].Dir // what the task made under another name, and a person used
		}
		parts, dir = append(parts, in), up
	}
	slices.Reverse(parts)
	return path.Join(parts...)
}

// Alive reports whether o is in some place, or kept as a reference.
func (t *Ledger) Alive(o *Object) bool {
	return o.Parent == nil || t.Home(o) || len(o.Spots) > 0 || o.Ref != 0
}

// Lost reports whether undo cannot bring a directory back: a person removed it, or a directory above it.
func (t *Ledger) Lost(dir *Object) bool {
	for o := range t.Above(dir) {
		if _, _, ok := t.Spot(o); !ok && o.Parent != nil {
			return !o.Made && !o.Awaited()
		}
	}
	return false
}

// SurePath is DirPath, when no name on the way is in doubt.
func (t *Ledger) SurePath(o *Object) (string, bool) {
	for x := range t.Above(o) {
		if !t.Home(x) && !(len(x.Spots) > 0 && x.Place().Sure) {
			return "", false
		}
	}
	return t.DirPath(o)
}

// maxDepth bounds every walk through parent directories; no path has more components. Records can make
// a circle: the task moves a into b, a person moves it back, and the task moves b into a.
const maxDepth = MaxPathLen / 2

// Above yields o and its parent directories as the task left them. It stops at the folder's root, at a
// directory without a place, and after maxDepth steps.
func (t *Ledger) Above(o *Object) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for range maxDepth {
			if o == nil || !yield(o) {
				return
			}
			dir, _, ok := t.Spot(o)
			if !ok {
				return
			}
			o = dir
		}
	}
}
