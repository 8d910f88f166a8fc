package journal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"piwork/vmhost/share/internal/at"
)

// where returns the directory and the name of o on the disk. The caller closes
// the directory.
func (u *undo) where(o *object) (*at.Dir, string, error) {
	dir, name, ok := u.j.spot(o)
	if !ok {
		return nil, "", fs.ErrNotExist
	}
	if dir == nil { // a folder itself
		d, err := u.dir(o)
		return d, ".", err
	}
	d, err := u.dir(dir)
	return d, name, err
}

// source returns where the object that is to be placed is now: for a move the
// name that it has and had not before, else any.
func (u *undo) source(i *item) (*at.Dir, string, error) {
	if i.change.Effect != EffectMove {
		return u.where(i.place)
	}
	e := u.j.gained(i.place)
	if e == nil {
		return nil, "", fs.ErrNotExist
	}
	d, err := u.dir(e.dir)
	return d, e.name, err
}

// dir opens a directory where the task left it, or undo put it.
func (u *undo) dir(o *object) (*at.Dir, error) {
	u.j.mu.Lock()
	rel, ok := u.j.tables.dirPath(o)
	u.j.mu.Unlock()
	root := u.r.open[o.folder]
	if !ok || root == nil {
		return nil, fs.ErrNotExist
	}
	return root.Dir(rel)
}

// guarded returns the items in the order to look at them: when an undo goes on,
// directories of a person come first, the outer ones before those in them. They
// may be in their place already without a record of that, and are the way to
// what is in them.
func (u *undo) guarded() []*item {
	if !u.resumed {
		return u.items
	}
	depth := func(i *item) int {
		switch {
		case i.place == nil || i.place.kind != at.Directory:
			return maxPathLen
		case i.change.From != "":
			return strings.Count(i.change.From, "/")
		}
		return strings.Count(i.change.Path, "/")
	}
	list := slices.Clone(u.items)
	slices.SortStableFunc(list, func(a, b *item) int { return cmp.Compare(depth(a), depth(b)) })
	return list
}

// guard decides whether a change may be undone, before anything is done. It
// also notices what a former undo has done already.
func (u *undo) guard(ctx context.Context, i *item) {
	if u.r.open[i.folder()] == nil {
		i.fail(ReasonGone, "the folder %q cannot be opened", i.folder().path)
		return
	}
	if i.remove != nil {
		u.guardRemoval(ctx, i)
	}
	if i.place != nil && i.conflict == nil {
		u.guardPlace(ctx, i)
	}
	if i.fix != nil && i.conflict == nil && !i.fixed {
		u.guardFix(ctx, i)
	}
}

func (i *item) folder() *folderTable {
	if i.obj != nil {
		return i.obj.folder
	}
	return i.entry.dir.folder
}

func (u *undo) guardRemoval(ctx context.Context, i *item) {
	d, err := u.dir(i.remove.dir)
	if isMissing(err) {
		i.removed = true
		u.note(bindRecord{Entry: i.remove.id})
		return
	}
	if err != nil {
		i.fail(ReasonIO, "%v", err)
		return
	}
	defer d.Close()
	u.j.mu.Lock()
	o := i.remove.cur
	if o == nil {
		i.removed = true
		u.j.mu.Unlock()
		return
	}
	i.after = u.j.tables.after(o, u.live)
	u.j.mu.Unlock()
	ok, info, err := u.matches(ctx, d, i.remove.name, o, i.after)
	i.seen = info.ID
	switch {
	case isMissing(err):
		i.removed = true
		u.note(bindRecord{Entry: i.remove.id})
	case err != nil:
		i.fail(ReasonIO, "%v", err)
	case !ok && i.place != nil && info.ID != o.ident && u.isBase(ctx, d, i.remove.name, i.place, info):
		i.removed, i.placed, i.whole = true, true, true // by an undo that was interrupted
		u.note(bindRecord{Entry: i.remove.id, Object: i.place.id}, inodeRecord{Object: i.place.id, Inode: &info.ID})
	case !ok:
		i.fail(ReasonChanged, "%q is not as the task left it", i.change.Path)
	}
}

func (u *undo) guardPlace(ctx context.Context, i *item) {
	o := i.place
	if d, err := u.dir(i.entry.dir); err == nil {
		defer d.Close()
		if u.resumed {
			_ = d.Remove(u.tempName(o, ".new"))
		}
		if info, err := d.Lstat(i.entry.name); err == nil && i.removed && !u.taken(i.entry, info) {
			if i.whole = u.isBase(ctx, d, i.entry.name, o, info); i.whole || info.ID == o.ident {
				i.placed = true
				u.note(bindRecord{Entry: i.entry.id, Object: o.id}, inodeRecord{Object: o.id, Inode: &info.ID})
				u.vacate(i)
				if o.kind == at.Directory {
					p := u.play(o)
					p.fresh = u.resumed && i.change.Effect == EffectDelete // the undo that was interrupted made it
				}
				return
			}
		}
	}
	after := u.after(o)
	d, name, err := u.source(i)
	if errors.Is(err, fs.ErrNotExist) { // deleted by the task
		u.guardStore(i)
		return
	}
	if err != nil {
		i.fail(ReasonGone, "%q is not there any more", i.change.Path)
		return
	}
	defer d.Close()
	ok, info, err := u.matches(ctx, d, name, o, after)
	if err == nil && i.change.Effect != EffectMove {
		ok = info.Kind == o.kind // it only gets another name
	}
	switch {
	case isMissing(err) && i.change.Effect != EffectMove:
		u.guardStore(i) // another name of it, which a person removed
	case isMissing(err):
		i.fail(ReasonGone, "%q is not there any more", i.change.Path)
	case err != nil:
		i.fail(ReasonIO, "%v", err)
	case !ok:
		i.fail(ReasonChanged, "%q is not as the task left it", i.change.Path)
	}
}

// vacate notes that a moved object is not where the task moved it, when it is
// found in its place already.
func (u *undo) vacate(i *item) {
	old := u.j.gained(i.place)
	if i.change.Effect != EffectMove || old == nil {
		return
	}
	d, err := u.dir(old.dir)
	if err != nil {
		return
	}
	defer d.Close()
	if info, err := d.Lstat(old.name); isMissing(err) || err == nil && info.ID != i.place.ident {
		u.note(bindRecord{Entry: old.id})
	}
}

// taken reports whether what has the name of e is what the task put there.
func (u *undo) taken(e *entry, info at.Info) bool {
	u.j.mu.Lock()
	defer u.j.mu.Unlock()
	return e.cur != nil && e.cur.ident == info.ID
}

// guardStore makes sure that the journal has what is to be put back.
func (u *undo) guardStore(i *item) {
	o := i.place
	if o.kind != at.File {
		return
	}
	if o.ref != 0 {
		if _, err := u.j.refs.Lstat(storeName(o.id, o.ref)); err == nil {
			return
		}
	}
	if o.image == nil {
		i.fail(ReasonNoImage, "the journal has no copy of %q", i.change.Path)
		return
	}
	u.guardImage(i, o)
}

func (u *undo) guardImage(i *item, o *object) {
	if o.image.inline != nil {
		return
	}
	if o.image.parts {
		p, err := u.j.partsOf(o)
		if err != nil {
			i.fail(ReasonNoImage, "the journal's parts of %q are damaged: %v", i.change.Path, err)
		} else if o.ref == 0 && i.place != nil && i.change.Effect == EffectDelete && !p.has(everything) {
			i.fail(ReasonNoImage, "the journal has only the parts of %q that the task changed", i.change.Path)
		}
		return
	}
	if info, err := u.j.image.Lstat(storeName(o.id, o.image.gen)); err != nil || info.Size != o.image.size {
		i.fail(ReasonNoImage, "the journal's copy of %q is damaged", i.change.Path)
	}
}

func (u *undo) guardFix(ctx context.Context, i *item) {
	o := i.fix
	i.after = u.after(o)
	if o.image != nil {
		if u.guardImage(i, o); i.conflict != nil {
			return
		}
	}
	if i.place != nil && !i.placed || i.whole || o.rewriting {
		return // looked at already, or comes from the store, or half written by us
	}
	d, name, err := u.where(o)
	if err != nil {
		i.fail(ReasonGone, "%q is not there any more", i.change.Path)
		return
	}
	defer d.Close()
	if u.resumed {
		_ = d.Remove(u.tempName(o, ".new"))
	}
	if o.attrs != nil {
		u.theirs[o] = u.j.digest(o, place{Dir: d, Name: name}) != i.after.Attrs
	}
	ok, info, err := u.matches(ctx, d, name, o, i.after)
	switch {
	case isMissing(err):
		i.fail(ReasonGone, "%q is not there any more", i.change.Path)
	case err != nil:
		i.fail(ReasonIO, "%v", err)
	case ok:
	case o.kind == at.File && u.isBase(ctx, d, name, o, info):
		i.whole = true
		u.note(inodeRecord{Object: o.id, Inode: &info.ID})
	default:
		i.fail(ReasonChanged, "%q is not as the task left it", i.change.Path)
	}
}

// matches reports whether what is at a name is o as the task left it. A mode or
// a time that a person set since is no reason to keep the content.
func (u *undo) matches(ctx context.Context, d *at.Dir, name string, o *object, after state) (bool, at.Info, error) {
	p := place{Dir: d, Name: name}
	info, err := p.lstat()
	if err != nil || info.Kind != o.kind || after.Lost {
		return false, info, err
	}
	now := stateOf(info)
	switch o.kind {
	case at.Directory, at.Special:
		return true, info, nil
	case at.Symlink:
		target, err := d.Readlink(name)
		return err == nil && raw(target) == o.last.Target, info, err
	}
	if info.ID == o.ident && now.untouched(after) {
		return true, info, nil
	}
	switch {
	case after.Sum == "" && (o.made || o.image != nil):
		return info.ID == o.ident && now.untouched(after), info, nil // changed by the task and not hashed
	case after.Sum == "":
		return now.sameData(after), info, nil
	}
	sum, err := u.sum(ctx, d, name, info)
	return sum == after.Sum, info, err
}

// isBase reports whether what is at a name has the content that o had before.
func (u *undo) isBase(ctx context.Context, d *at.Dir, name string, o *object, info at.Info) bool {
	if info.Kind != o.kind {
		return false
	}
	switch o.kind {
	case at.Directory:
		return true
	case at.Symlink:
		target, err := d.Readlink(name)
		return err == nil && raw(target) == o.base.Target
	case at.File:
		if info.Size != o.base.Size || o.base.Sum == "" {
			return false
		}
		sum, err := u.sum(ctx, d, name, info)
		return err == nil && sum == o.base.Sum
	}
	return false
}

func (u *undo) sum(ctx context.Context, d *at.Dir, name string, info at.Info) (string, error) {
	sum, got, err := sumAt(ctx, d, name)
	if err == nil && got.ID != info.ID {
		return "", ErrRaced
	}
	return sum, err
}

// after is how the task left o.
func (u *undo) after(o *object) state {
	u.j.mu.Lock()
	defer u.j.mu.Unlock()
	return u.j.tables.after(o, u.live)
}

// kept is what is kept of an item for Redo, nil when nothing is.
func (u *undo) kept(i *item) *kept {
	u.j.mu.Lock()
	defer u.j.mu.Unlock()
	return u.j.tables.keeps[i.change.ID]
}
