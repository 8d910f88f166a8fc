package journal

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"

	"piwork/vmhost/share/internal/at"
)

// net is one entry of the list of changes, with what undo has to do for it.
type net struct {
	change Change
	obj    *object // the person's object, unless it is only a creation
	entry  *entry  // the name where obj belongs or, for a creation, where it is
	remove *entry  // a name of something the task made, to be removed
	place  *object // to be put back at entry
	fix    *object // to get its content, mode or times back
}

// Changes returns what the task changed: the difference between before the
// task and how it left things, sorted by path, and what was undone. It reads
// files that were changed since the last call to hash them: called when a task
// has ended, it lets a later undo tell what a person changed from what only
// looks changed. While the task runs the list is of this moment.
func (j *Journal) Changes(ctx context.Context) ([]Change, error) {
	j.undoMu.Lock()
	defer j.undoMu.Unlock()
	list, _, err := j.list(ctx, false)
	if err != nil {
		return nil, err
	}
	out := make([]Change, 0, len(list))
	seen := map[string]bool{}
	for _, n := range list {
		out = append(out, n.change)
		seen[n.change.ID] = true
	}
	j.mu.Lock()
	for id, c := range j.tables.undone {
		if !seen[id] {
			out = append(out, c)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(out, byPath)
	return out, nil
}

func byPath(a, b Change) int {
	return cmp.Or(cmp.Compare(a.Folder, b.Folder), cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID))
}

// list brings the tables up to date and computes the changes; j.undoMu is held.
// It also returns the states of files that are open at this moment. stopped
// says that tasks are stopped already.
func (j *Journal) list(ctx context.Context, stopped bool) ([]*net, map[*object]state, error) {
	r := j.openRoots()
	defer r.close()
	start := func() {}
	if !stopped {
		start = j.stop()
	}
	err := j.decide(r)
	start()
	if err != nil {
		return nil, nil, err
	}
	live, err := j.refresh(ctx, r, stopped)
	if err != nil {
		return nil, nil, err
	}
	j.stale = false
	if err := j.sync(j.file.Position()); err != nil {
		return nil, nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tables.changes(live), live, nil
}

// changes computes the list. live has the states of objects that are open.
func (t *tables) changes(live map[*object]state) []*net {
	var out []*net
	replaced := map[*entry]*object{} // a person's file that is gone → its name
	for _, o := range t.objects {
		if !o.made {
			out = append(out, t.fate(o, live, replaced)...)
		}
	}
	for _, e := range t.entries {
		o := e.cur
		if o == nil || slices.Contains(e.bases, o) || !o.made && t.accounted(o, e) {
			continue
		}
		if x := replaced[e]; x != nil && o.made && o.kind == x.kind {
			// What programs do to save a file: a new one takes the name.
			continue
		}
		out = append(out, t.creation(e, live))
	}
	slices.SortFunc(out, func(a, b *net) int { return byPath(a.change, b.change) })
	return out
}

// creation is the change of a name that means something new.
func (t *tables) creation(e *entry, live map[*object]state) *net {
	n := &net{entry: e, remove: e, change: Change{ID: "e" + strconv.Itoa(int(e.id)),
		Folder: e.dir.folder.id, Path: t.pathOf(e.dir, e.name), Kind: e.cur.kind.String(), Effect: EffectCreate}}
	n.change.After = t.after(e.cur, live).file()
	return n
}

// fate returns what became of an object that was there before the task.
func (t *tables) fate(o *object, live map[*object]state, replaced map[*entry]*object) []*net {
	var lost []*entry // names it had and has no more
	for _, e := range o.based() {
		if e.cur != o {
			lost = append(lost, e)
		}
	}
	var out []*net
	after := t.after(o, live)
	base := Change{Folder: o.folder.id, Kind: o.kind.String(), Before: o.base.file(), After: after.file()}
	dir, name, there := t.spot(o)
	if gained := o.gained(); there && len(lost) > 0 && gained != nil {
		n := &net{obj: o, entry: lost[0], place: o, change: base}
		n.change.ID, n.change.Effect = "o"+strconv.Itoa(int(o.id)), EffectMove
		n.change.Path, n.change.From = t.pathOf(gained.dir, gained.name), t.basePath(lost[0].dir, lost[0].name)
		if !t.same(o, after) {
			n.fix = o
		}
		out, lost = append(out, n), lost[1:]
	} else if there && !t.same(o, after) {
		n := &net{obj: o, fix: o, change: base}
		n.change.ID, n.change.Effect, n.change.Path = "o"+strconv.Itoa(int(o.id)), EffectChange, t.pathOf(dir, name)
		out = append(out, n)
	}
	for i, e := range lost {
		n := &net{obj: o, entry: e, place: o, change: base}
		n.change.ID = "o" + strconv.Itoa(int(o.id))
		if i > 0 || there {
			n.change.ID = "n" + strconv.Itoa(int(e.id))
		}
		n.change.Effect, n.change.Path, n.change.After = EffectDelete, t.basePath(e.dir, e.name), nil
		if x := e.cur; x != nil && x.made && x.kind == o.kind && !slices.Contains(e.bases, x) && e.bases[0] == o {
			n.change.Effect, n.change.Path, n.change.After = EffectChange, t.pathOf(e.dir, e.name), t.after(x, live).file()
			n.remove = e
			replaced[e] = o
			if t.equal(o, t.after(x, live)) {
				continue
			}
		}
		if !there {
			n.fix = o
		}
		out = append(out, n)
	}
	return out
}

// based returns the touched names that meant o before the task, the one where
// it was first seen in front.
func (o *object) based() []*entry {
	var out []*entry
	for _, e := range o.origins {
		if e.dir == o.parent && e.name == o.name {
			out = append([]*entry{e}, out...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// gained returns a name that o has now and had not before.
func (o *object) gained() *entry {
	var best *entry
	for _, e := range o.spots {
		if !slices.Contains(e.bases, o) && (best == nil || e.id < best.id) {
			best = e
		}
	}
	return best
}

// accounted reports whether the new name e of o is the end of a move.
func (t *tables) accounted(o *object, e *entry) bool {
	if o.gained() != e {
		return false
	}
	for _, b := range o.origins {
		if b.cur != o {
			return true
		}
	}
	return false
}

// after returns how the task left o.
func (t *tables) after(o *object, live map[*object]state) state {
	if s, ok := live[o]; ok {
		return s
	}
	if o.touch == touchDone {
		return o.after
	}
	if o.touch == touchNone {
		return o.base
	}
	return o.last
}

// same reports whether o, which is still there, is as it was before.
func (t *tables) same(o *object, after state) bool {
	if o.touch == touchNone {
		return true
	}
	if o.attrs != nil && after.Attrs != o.base.Attrs {
		return false
	}
	switch o.kind {
	case at.Directory:
		// Its time changes with every name in it; that is no change of its own.
		return after.Mode == o.base.Mode && (!o.times || after.Sec == o.base.Sec && after.Nsec == o.base.Nsec)
	case at.File:
		if o.image == nil {
			return after.Mode == o.base.Mode && after.Sec == o.base.Sec && after.Nsec == o.base.Nsec
		}
	}
	return t.equal(o, after)
}

// equal compares content, mode and time with before.
func (t *tables) equal(o *object, s state) bool {
	b := o.base
	if s.Lost || s.Sec != b.Sec || s.Nsec != b.Nsec {
		return false
	}
	if o.kind == at.Symlink {
		return s.Target == b.Target
	}
	return s.Mode == b.Mode && (o.kind == at.Directory || s.Equal || s.Size == b.Size && s.Sum != "" && s.Sum == b.Sum)
}

// pathOf returns the path of a name as the task left it, or where its
// directory was when that is in no place any more.
func (t *tables) pathOf(dir *object, name string) string {
	if dir == nil {
		return "." // the folder itself
	}
	if rel, ok := t.dirPath(dir); ok {
		return path.Join(rel, name)
	}
	return t.basePath(dir, name)
}
