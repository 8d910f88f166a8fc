package journal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// sighting is what a file was when undo decided about it. Minutes may pass until undo
// comes to that file, and what a person saves meanwhile is theirs.
type sighting struct {
	id    at.ID
	state ledger.State
	known bool
}

func sightingOf(info at.Info) sighting { return sighting{info.ID, ledger.StateOf(info), true} }

// holds reports whether info is the same file with the same content. Its other times do not
// count: undo gives files further names. Neither does a number that is made up anew when the
// file leaves the cache.
func (s sighting) holds(info at.Info) bool {
	return !s.known || !s.id.Other(info.ID) && (info.Kind == at.Directory || s.state.SameData(ledger.StateOf(info)))
}

// guarded returns the items in the order to look at them: when an undo goes on,
// directories of a person come first, the outer ones before those in them. They
// may be in their place already without a record of that, and are the way to
// what is in them.
func (u *guards) guarded(items []*item) []*item {
	if !u.resumed {
		return items
	}
	depth := func(i *item) int {
		switch {
		case i.Place == nil || i.Place.Kind != at.Directory:
			return ledger.MaxPathLen
		case i.Change.From != "":
			return strings.Count(i.Change.From, "/")
		}
		return strings.Count(i.Change.Path, "/")
	}
	list := slices.Clone(items)
	slices.SortStableFunc(list, func(a, b *item) int { return cmp.Compare(depth(a), depth(b)) })
	return list
}

// guardAll looks at all items, and has the conflicts among them resolved. Files that are in their
// places come last, several at a time: none of the others depends on them.
func (u *guards) guardAll(ctx context.Context, items []*item, resolve func(context.Context, *item)) {
	var fixes []*item
	for _, i := range u.guarded(items) {
		switch {
		case ctx.Err() != nil:
			return
		case !u.resumed && i.Remove == nil && i.Place == nil && i.Fix.Kind == at.File && !i.Fix.Rewriting:
			fixes = append(fixes, i)
		default:
			u.guard(ctx, i)
			resolve(ctx, i)
		}
	}
	_ = recorder.Each(ctx, fixes, recorder.Workers(), func(ctx context.Context, i *item) error {
		u.guard(ctx, i)
		return nil
	})
	for _, i := range fixes {
		if ctx.Err() == nil {
			resolve(ctx, i)
		}
	}
}

// guard decides whether a change may be undone, before anything is done. It
// also notices what a former undo has done already.
func (u *guards) guard(ctx context.Context, i *item) {
	if u.r.Open[i.folder()] == nil {
		i.fail(ReasonGone, "the folder %q cannot be opened", i.folder().Path)
		return
	}
	if u.resumed && i.Place != nil {
		u.returnAside(ctx, i)
	}
	if i.Remove != nil {
		u.guardRemoval(ctx, i)
	}
	if i.Place != nil && i.conflict == nil {
		u.guardPlace(ctx, i)
	}
	if i.Fix != nil && i.conflict == nil && !i.fixed {
		u.guardFix(ctx, i)
	}
}

func (i *item) folder() *ledger.Folder {
	if i.Object != nil {
		return i.Object.Folder
	}
	return i.Entry.Dir.Folder
}

func (u *guards) guardRemoval(ctx context.Context, i *item) {
	d, err := u.dir(i.Remove.Dir)
	if recorder.IsMissing(err) {
		if u.astray(ctx, i.Remove.Dir) {
			i.judge(false, err)
			return
		}
		i.removed = true
		u.note(ledger.BindRecord{Entry: i.Remove.ID})
		return
	}
	if err != nil {
		i.fail(ReasonIO, "%v", err)
		return
	}
	defer d.Close()
	u.j.Mu.Lock()
	o := i.Remove.Cur
	if o == nil {
		i.removed = true
		u.j.Mu.Unlock()
		return
	}
	i.after = u.j.Tables.After(o, u.live)
	u.j.Mu.Unlock()
	ok, info, err := u.matches(ctx, d, i.Remove.Name, o, i.after)
	if err == nil {
		i.seen = sightingOf(info)
	}
	switch {
	case recorder.IsMissing(err) && o.Kind == at.Directory && o.Made && u.elsewhere(ctx, o):
		i.judge(false, err)
	case recorder.IsMissing(err):
		i.removed = true
		u.note(ledger.BindRecord{Entry: i.Remove.ID})
	case err == nil && u.madeAgain(i, o, info):
	case err == nil && !ok && i.Place != nil && info.ID != o.Ident && u.isBase(ctx, d, i.Remove.Name, i.Place, info):
		i.removed, i.placed, i.whole = true, true, true // by an undo that was interrupted
		i.found = i.seen
		u.note(ledger.BindRecord{Entry: i.Remove.ID, Object: i.Place.ID}, ledger.InodeRecord{Object: i.Place.ID, Inode: &info.ID})
	default:
		i.judge(ok, err)
	}
}

// judge fails when what undo goes by is not there or not as the task left it.
func (i *item) judge(ok bool, err error) {
	switch {
	case recorder.IsMissing(err):
		i.fail(ReasonGone, "%q is not there any more", i.Change.Path)
	case err != nil:
		i.fail(ReasonIO, "%v", err)
	case !ok:
		i.fail(ReasonChanged, "%q is not as the task left it", i.Change.Path)
	}
}

func (u *guards) guardPlace(ctx context.Context, i *item) {
	o := i.Place
	if d, err := u.dir(i.Entry.Dir); err == nil {
		defer d.Close()
		if u.resumed {
			_ = d.Remove(u.tempName(o, ".new"))
		}
		if info, err := d.Lstat(i.Entry.Name); err == nil && i.removed && !u.taken(i.Entry, info) && !u.respelled(i, d) {
			if i.whole = u.isBase(ctx, d, i.Entry.Name, o, info); i.whole || info.ID == o.Ident {
				i.placed, i.found = true, sightingOf(info)
				u.note(ledger.BindRecord{Entry: i.Entry.ID, Object: o.ID}, ledger.InodeRecord{Object: o.ID, Inode: &info.ID})
				u.vacate(i)
				if o.Kind == at.Directory {
					p := u.workIn(o)
					p.fresh = u.resumed && i.Change.Effect == EffectDelete // the undo that was interrupted made it
				}
				return
			}
		}
	}
	after := u.after(o)
	d, name, err := u.source(i)
	if errors.Is(err, fs.ErrNotExist) && i.Change.Effect != EffectMove { // deleted by the task
		u.guardStore(i)
		return
	}
	if err != nil {
		i.fail(ReasonGone, "%q is not there any more", i.Change.Path)
		return
	}
	defer d.Close()
	ok, info, err := u.matches(ctx, d, name, o, after)
	if err == nil && i.Change.Effect != EffectMove {
		ok = info.Kind == o.Kind // it only gets another name
	} else if err == nil {
		i.found = sightingOf(info)
	}
	if recorder.IsMissing(err) && i.Change.Effect != EffectMove {
		u.guardStore(i) // another name of it, which a person removed
		return
	}
	i.judge(ok, err)
}

// vacate notes that a moved object is not where the task moved it, when it is
// found in its place already.
func (u *guards) vacate(i *item) {
	old := u.j.Gained(i.Place)
	if i.Change.Effect != EffectMove || old == nil {
		return
	}
	d, err := u.dir(old.Dir)
	if err != nil {
		return
	}
	defer d.Close()
	if info, err := d.Lstat(old.Name); recorder.IsMissing(err) || err == nil && info.ID != i.Place.Ident {
		u.note(ledger.BindRecord{Entry: old.ID})
	}
}

// respelled reports whether the task only gave what is to be placed another spelling of its
// name, by which the host finds it, too.
func (u *guards) respelled(i *item, d *at.Dir) bool {
	old := u.j.Gained(i.Place)
	return i.Change.Effect == EffectMove && old != nil && old.Dir == i.Entry.Dir && d.Respells(old.Name, d, i.Entry.Name)
}

// taken reports whether what has the name of e is what the task put there.
func (u *guards) taken(e *ledger.Entry, info at.Info) bool {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	return e.Cur != nil && e.Cur.Ident == info.ID
}

// guardStore makes sure that the journal has what is to be put back.
func (u *guards) guardStore(i *item) {
	o := i.Place
	if o.Kind != at.File {
		return
	}
	if o.Ref != 0 {
		ref := ledger.StoreName(o.ID, o.Ref)
		if info, err := u.j.Refs.Lstat(ref); err == nil && info.NLink < 2 {
			return
		}
		if f, _, err := recorder.OpenOwn(u.j.Refs, ref, os.O_RDONLY); err == nil {
			defer f.Close()
			if !u.editedElsewhere(o, f) {
				return
			}
			if image, _ := u.j.Kept(o); o.Image == nil || !image.Whole() {
				i.fail(ReasonChanged, "what was %q was changed through another name", i.Change.Path)
				return
			}
			i.apart = ref
		}
	}
	if o.Image == nil {
		i.fail(ReasonNoImage, "the journal has no copy of %q", i.Change.Path)
		return
	}
	u.guardImage(i, o)
}

func (u *guards) guardImage(i *item, o *ledger.Object) {
	image, ref := u.j.Kept(o)
	switch err := image.Check(); {
	case err != nil && o.Image.Parts:
		i.fail(ReasonNoImage, "the journal's parts of %q are damaged: %v", i.Change.Path, err)
	case err != nil:
		i.fail(ReasonNoImage, "the journal's copy of %q is damaged", i.Change.Path)
	case ref == nil && i.Place != nil && i.Change.Effect == EffectDelete && !image.Whole():
		i.fail(ReasonNoImage, "the journal has only the parts of %q that the task changed", i.Change.Path)
	}
}

func (u *guards) guardFix(ctx context.Context, i *item) {
	o := i.Fix
	i.after = u.after(o)
	if o.Image != nil {
		if u.guardImage(i, o); i.conflict != nil {
			return
		}
	}
	if i.Place != nil && !i.placed || i.whole {
		return // looked at already, or comes from the store
	}
	d, name, err := u.where(o)
	if err != nil {
		i.fail(ReasonGone, "%q is not there any more", i.Change.Path)
		return
	}
	defer d.Close()
	if u.resumed {
		_ = d.Remove(u.tempName(o, ".new"))
	}
	if o.Rewriting && u.guardRewriting(i, d, name) {
		return
	}
	if o.Attrs != nil {
		theirs := u.j.Digest(o, recorder.Place{Dir: d, Name: name}) != i.after.Attrs
		u.j.Mu.Lock()
		u.theirs[o] = theirs
		u.j.Mu.Unlock()
	}
	ok, info, err := u.matches(ctx, d, name, o, i.after)
	if err == nil {
		i.found = sightingOf(info)
	}
	if err == nil && !ok && o.Kind == at.File && u.isBase(ctx, d, name, o, info) {
		i.whole = true
		u.note(ledger.InodeRecord{Object: o.ID, Inode: &info.ID})
		return
	}
	i.judge(ok, err)
}

// matches reports whether what is at a name is o as the task left it. A mode or
// a time that a person set since is no reason to keep the content.
func (u *guards) matches(ctx context.Context, d *at.Dir, name string, o *ledger.Object, after ledger.State) (bool, at.Info, error) {
	p := recorder.Place{Dir: d, Name: name}
	info, err := p.Lstat()
	if err != nil || info.Kind != o.Kind || after.Lost {
		return false, info, err
	}
	now := ledger.StateOf(info)
	switch o.Kind {
	case at.Directory, at.Special:
		return true, info, nil
	case at.Symlink:
		target, err := d.Readlink(name)
		return err == nil && ledger.Raw(target) == o.Last.Target, info, err
	}
	if info.ID == o.Ident && now.Untouched(after) && (after.Sum == "" || !info.Coarse()) {
		return true, info, nil
	}
	switch {
	case o.Made && info.Size == 0 && info.ID == o.Ident && !info.MTime.After(after.MTime()) && !info.MTime.After(u.ended.Add(recorder.DeathSlack)):
		return true, info, nil // a power cut took what was in it: whoever empties a file gives it a time after the task's
	case after.Sum == "" && (o.Made || o.Image != nil):
		// Changed by the task and not hashed; or the task changed its attributes, and its
		// content was kept later, with a name that it lost.
		return info.ID == o.Ident && (now.Untouched(after) || u.isBase(ctx, d, name, o, info)), info, nil
	case after.Sum == "":
		return now.SameData(after), info, nil
	case info.Size != after.Size:
		return false, info, nil // nobody hashes what a guest made of it since
	}
	sum, err := u.sum(ctx, d, name, info)
	return sum == after.Sum, info, err
}

// isBase reports whether what is at a name has the content that o had before.
func (u *guards) isBase(ctx context.Context, d *at.Dir, name string, o *ledger.Object, info at.Info) bool {
	if info.Kind != o.Kind {
		return false
	}
	switch o.Kind {
	case at.Directory:
		return true
	case at.Symlink:
		target, err := d.Readlink(name)
		return err == nil && ledger.Raw(target) == o.Base.Target
	case at.File:
		if info.Size != o.Base.Size || o.Base.Sum == "" {
			return false
		}
		sum, err := u.sum(ctx, d, name, info)
		return err == nil && sum == o.Base.Sum
	}
	return false
}

func (u *guards) sum(ctx context.Context, d *at.Dir, name string, info at.Info) (string, error) {
	sum, got, err := recorder.SumAt(ctx, d, name)
	if err == nil && got.ID != info.ID {
		return "", ErrRaced
	}
	return sum, err
}

// after is how the task left o.
func (u *guards) after(o *ledger.Object) ledger.State {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	return u.j.Tables.After(o, u.live)
}

// kept is what is kept of an item for Redo, nil when nothing is.
func (u *site) kept(i *item) *ledger.Kept {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	return u.j.Tables.Keeps[i.Change.ID]
}
