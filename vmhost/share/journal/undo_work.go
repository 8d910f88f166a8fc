package journal

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// errWait says that something else must be undone first.
var errWait = errors.New("waits")

// work removes what was created and puts back what was moved or deleted, in
// whatever order the names allow: again and again, until nothing moves any
// more. Where two things have each other's place one is lifted out of the way.
// When ctx ends work finishes what it has begun, so that no name is left without
// either version.
func (u *undo) work(ctx context.Context) {
	order := slices.Clone(u.items)
	deep := slices.Clone(u.items)
	slices.SortStableFunc(deep, func(a, b *item) int {
		return strings.Count(b.Change.Path, "/") - strings.Count(a.Change.Path, "/")
	})
	for more := true; more; {
		progress := false
		for _, i := range deep {
			if u.try(ctx, i, !i.removed, u.removeName) {
				progress = true
				u.try(ctx, i, !i.placed, u.placeObject) // at once, so that little waits when ctx ends
			}
		}
		for _, i := range order {
			for i != nil && u.try(ctx, i, i.removed && !i.placed, u.placeObject) {
				progress, i = true, u.next(i)
			}
		}
		if progress {
			continue
		}
		if more = u.lift(ctx); more {
			ctx = context.WithoutCancel(ctx) // a cycle is turned back as a whole
		} else {
			more = rejoin(ctx, u)
		}
	}
	if ctx.Err() != nil {
		return // the directories below wait for their turn
	}
	for _, i := range u.items {
		if i.conflict == nil && !i.removed && i.Remove.Cur != nil && i.Remove.Cur.Kind == at.Directory {
			i.fail(ReasonChanged, "the directory %q has something else in it", i.Change.Path)
		}
	}
}

// next returns what waits for the name that an item had: a chain of renames goes back
// from its end.
func (u *undo) next(i *item) *item {
	for _, n := range u.belong[i.left] {
		if n.removed && !n.placed && n.conflict == nil {
			return n
		}
	}
	return nil
}

// try does one step of an item and reports whether it got further.
func (u *undo) try(ctx context.Context, i *item, wanted bool, step func(*item) error) bool {
	if !wanted || i.conflict != nil || ctx.Err() != nil && !i.begun {
		return false
	}
	u.own.tries++
	err := step(i)
	switch {
	case err == nil:
		return true
	case !errors.Is(err, errWait):
		i.fail(reasonOf(err), "%q: %v", i.Change.Path, err)
	}
	return false
}

// reasonOf is what an error that a step met is to a person.
func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, ErrRaced), errors.Is(err, ErrChangedSince):
		return ReasonChanged
	case errors.Is(err, ErrNoImage), errors.Is(err, ErrNoContent):
		return ReasonNoImage
	case errors.Is(err, fs.ErrNotExist):
		return ReasonGone
	}
	return ReasonIO
}

// removeName takes away what the task made.
func (u *undo) removeName(i *item) error {
	e := i.Remove
	d, err := u.dir(e.Dir)
	if recorder.IsMissing(err) {
		i.removed = true
		u.note(ledger.BindRecord{Entry: e.ID})
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	u.workIn(e.Dir)
	o := e.Cur
	if o == nil {
		return errWait // since two directories were joined another entry has its name
	}
	if o.Kind == at.Directory {
		err = d.RemoveDir(e.Name)
		if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
			return errWait
		}
	} else {
		if err := u.prepare(i, d); err != nil {
			return err
		}
		if i.force && i.Place != nil {
			err = u.setAside(i, d, e.Name)
		} else {
			err = u.discard(i, d, e.Name)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	u.j.Step("undo-removed")
	i.removed, i.begun = true, true
	u.note(ledger.BindRecord{Entry: e.ID})
	return nil
}

// discard removes a file. It was kept for Redo, where there was room for it; on
// its way out it passes the store, where that is the same file system, so that
// what a person put there in this very moment can be given back.
func (u *undo) discard(i *item, d *at.Dir, name string) error {
	now, err := d.Lstat(name)
	if err != nil || !i.seen.holds(now) {
		return errors.Join(err, ErrRaced)
	}
	if now.Kind == at.Directory {
		return errNotFile
	}
	out := i.Change.ID + ".out"
	err = error(syscall.EXDEV)
	if !u.otherFS && !now.Online { // what is with a cloud service stays in its folder (package online)
		_ = u.j.Trash.Remove(out)
		err = d.RenameNoReplace(name, u.j.Trash, out)
		u.otherFS = errors.Is(err, syscall.EXDEV)
	}
	if err != nil {
		return d.Remove(name)
	}
	if got, err := u.j.Trash.Lstat(out); err != nil || !i.seen.holds(got) {
		_ = u.j.Trash.RenameNoReplace(out, d, name)
		return ErrRaced
	}
	return u.j.Trash.Remove(out)
}

// placeObject puts something of a person's back under its name.
func (u *undo) placeObject(i *item) error {
	e := i.Entry
	if u.newer(i) {
		return errWait
	}
	to, err := u.dir(e.Dir)
	if recorder.IsMissing(err) {
		return errWait // its directory comes back first
	}
	if err != nil {
		return err
	}
	defer to.Close()
	u.workIn(e.Dir)
	from, name, err := u.source(i)
	var info at.Info
	if err == nil {
		defer from.Close()
		info, err = from.Lstat(name)
	}
	if err == nil && i.Change.Effect == EffectMove && !i.found.holds(info) {
		return ErrRaced
	}
	if recorder.IsMissing(err) {
		err = u.restoreDeleted(i, to)
	} else if err == nil {
		err = u.move(i, from, name, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return errWait
	}
	if err == nil {
		i.placed, i.begun = true, true
		u.j.Step("undo-placed")
	}
	return err
}

// newer reports whether something that a person put under the same name later
// waits for it too.
func (u *undo) newer(i *item) bool {
	if len(i.Entry.Bases) < 2 {
		return false
	}
	for _, x := range u.belong[i.Entry] {
		if x.Place != nil && !x.placed && x.conflict == nil && x.rank() > i.rank() {
			return true
		}
	}
	return false
}

// move takes o from where the task left it, or links it when other names of it
// stay.
func (u *undo) move(i *item, from *at.Dir, name string, to *at.Dir) error {
	e, o := i.Entry, i.Place
	if i.Change.Effect != EffectMove {
		if err := from.Link(name, to, e.Name); err != nil {
			return err
		}
		u.note(ledger.BindRecord{Entry: e.ID, Object: o.ID})
		return nil
	}
	old := u.j.Gained(o)
	if old == nil {
		return errWait
	}
	u.workIn(old.Dir)
	if err := from.RenameNoReplace(name, to, e.Name); err != nil {
		if errors.Is(err, syscall.EINVAL) {
			return errWait // its place is inside of itself until something else moved
		}
		return err
	}
	u.j.Step("undo-moved")
	u.note(ledger.BindRecord{Entry: e.ID, Object: o.ID}, ledger.BindRecord{Entry: old.ID})
	i.left = old
	return nil
}

// lift moves things that wait for their places to names of undo's own, so that
// others can have the places they are in, or the directory that has such a place
// can go. It reports whether there were any.
func (u *undo) lift(ctx context.Context) bool {
	free, w := map[*ledger.Entry]bool{}, newWays(u)
	for _, i := range u.items {
		o := i.Place
		if free[i.Entry] || i.placed || i.conflict != nil || !i.removed || o == nil || i.Change.Effect != EffectMove || u.moved[o] != nil || ctx.Err() != nil {
			continue
		}
		u.j.Mu.Lock()
		old := o.Gained()
		wanted := old != nil && (u.wanted(old, o) || u.holds(i.Entry.Cur, o))
		u.j.Mu.Unlock()
		if !wanted || w.isStuck(i) {
			continue
		}
		tmp := u.tempName(o, "")
		err := u.shift(o, old, i.Entry.Dir, tmp)
		if recorder.IsMissing(err) || errors.Is(err, syscall.EINVAL) {
			err = u.shift(o, old, old.Dir, tmp) // its own place is inside of itself, or not there yet
		}
		if err != nil {
			i.fail(ReasonIO, "%v", err)
			continue
		}
		u.j.Step("undo-lifted")
		u.moved[o], free[old] = old, true
	}
	return len(free) > 0
}

// wanted reports whether o is in the place of something that waits.
func (u *undo) wanted(e *ledger.Entry, o *ledger.Object) bool {
	for _, i := range u.belong[e] {
		if !i.placed && i.conflict == nil && i.Place != nil && i.Place != o {
			return true
		}
	}
	return false
}

// holds reports whether o lies below dir; j.Mu is held.
func (u *site) holds(dir, o *ledger.Object) bool {
	for range ledger.MaxPathLen {
		if dir == nil || o == nil || o.Parent == nil {
			return false
		}
		up, _, ok := u.j.Tables.Spot(o)
		if !ok {
			return false
		}
		if up == dir {
			return true
		}
		o = up
	}
	return false
}

// shift renames o, on the disk and in the tables.
func (u *undo) shift(o *ledger.Object, old *ledger.Entry, to *ledger.Object, name string) error {
	from, err := u.dir(old.Dir)
	if err != nil {
		return err
	}
	defer from.Close()
	d, err := u.dir(to)
	if err != nil {
		return err
	}
	defer d.Close()
	u.workIn(old.Dir)
	u.workIn(to)
	if err := u.commit(); err != nil { // numbers and names are given out again
		return err
	}
	t := u.j.Tables
	u.j.Mu.Lock()
	e := t.Names[ledger.Name{Dir: to.ID, Name: name}]
	if e == nil {
		r := ledger.EntryRecord{Entry: t.LastE + 1, Dir: to.ID, Name: []byte(name)}
		_, err = u.j.Put(r)
		e = t.Entries[r.Entry]
	}
	u.j.Mu.Unlock()
	if err == nil {
		err = u.j.Sync(u.j.File.Position()) // else nobody finds it there after a power cut
	}
	if err != nil {
		return err
	}
	if err := from.RenameNoReplace(old.Name, d, name); err != nil {
		u.note(ledger.BindRecord{Entry: e.ID}) // nothing is there
		return err
	}
	u.note(ledger.BindRecord{Entry: e.ID, Object: o.ID}, ledger.BindRecord{Entry: old.ID})
	return nil
}

// putDown returns what was lifted and found no place.
func (u *undo) putDown() {
	for o, old := range u.moved {
		now := u.j.Gained(o)
		if now == nil || now.Name != u.tempName(o, "") {
			continue
		}
		if err := u.shift(o, now, old.Dir, old.Name); err != nil {
			u.j.Log.Error("journal: a lifted name stays", "name", now.Name, "err", err)
		}
	}
}
