package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// restoreDeleted puts back what the task deleted.
func (u *undo) restoreDeleted(i *item, to *at.Dir) error {
	e, o := i.Entry, i.Place
	if _, err := to.Lstat(e.Name); err == nil {
		return fs.ErrExist
	}
	i.whole = true
	switch o.Kind {
	case at.Directory:
		if err := to.Mkdir(e.Name, 0o700); err != nil {
			return err
		}
		return u.recordArrival(i, to)
	case at.Symlink:
		tmp := u.tempName(o, ".new")
		_ = to.Remove(tmp)
		err := to.Symlink(string(o.Base.Target), tmp)
		if err == nil {
			err = to.Chtimes(tmp, time.Time{}, o.Base.MTime())
		}
		u.j.Step("undo-staged")
		if err == nil {
			err = to.RenameNoReplace(tmp, to, e.Name)
		}
		if err != nil {
			_ = to.Remove(tmp)
			return err
		}
		return u.recordArrival(i, to)
	case at.File:
		if o.Ref != 0 && i.apart == "" {
			return u.restoreRef(i, to)
		}
		if o.Image == nil {
			return ErrNoImage
		}
		if i.linkable() {
			if done, err := u.restoreLink(i, to); done || err != nil {
				return err
			}
		}
		if image, _ := u.j.Kept(o); !image.Whole() {
			return ErrNoImage
		}
		tmp, err := u.take(i, o, to, func() error { return u.stage(o, to, u.tempName(o, ".new"), nil, o.Base.Mode, true) })
		if err != nil {
			return err
		}
		u.j.Step("undo-staged")
		if err := to.RenameNoReplace(tmp, to, e.Name); err != nil {
			_ = to.Remove(tmp)
			return err
		}
		return u.recordArrival(i, to)
	}
	return at.ErrSpecial
}

// recordArrival records the inode that now has the name.
func (u *undo) recordArrival(i *item, to *at.Dir) error {
	info, err := to.Lstat(i.Entry.Name)
	if err != nil {
		return err
	}
	i.found = sightingOf(info)
	s := ledger.StateOf(info)
	s.Target = i.Place.Base.Target
	recs := []ledger.Record{ledger.BindRecord{Entry: i.Entry.ID, Object: i.Place.ID}, ledger.InodeRecord{Object: i.Place.ID, Inode: &info.ID, State: &s}}
	if i.Place.Kind == at.Directory {
		// Its mode and time come last; until then it counts as changed.
		recs = append(recs, ledger.OpenRecord{Object: i.Place.ID, Times: true})
		u.workIn(i.Place).fresh = true
	}
	u.note(recs...)
	return nil
}

// restoreRef moves the file itself back out of the journal, after it got its
// content back in there.
func (u *undo) restoreRef(i *item, to *at.Dir) error {
	o := i.Place
	ref := ledger.StoreName(o.ID, o.Ref)
	if err := u.prepareRef(i); err != nil {
		return err
	}
	u.j.Step("undo-staged")
	if err := u.j.Refs.RenameNoReplace(ref, to, i.Entry.Name); err != nil {
		return err
	}
	u.j.Step("undo-moved")
	u.note(ledger.RefRecord{Object: o.ID})
	return u.recordArrival(i, to)
}

// prepare makes what is going to have the place of what the task made, so that nothing is
// removed for what the journal has lost.
func (u *undo) prepare(i *item, d *at.Dir) error {
	o := i.Place
	if o == nil || o.Kind != at.File || i.Change.Effect == EffectMove || i.staged {
		return nil
	}
	if _, _, there := u.j.Spot(o); there {
		return nil // it only gets another name
	}
	if o.Ref != 0 && i.apart == "" {
		return u.prepareRef(i)
	}
	if o.Image == nil {
		return ErrNoImage
	}
	image, _ := u.j.Kept(o)
	switch {
	case !image.Whole():
		return ErrNoImage
	case o.Base.Links > 1 && i.apart == "":
		return image.Verify(nil) // perhaps there is another name that it can be a link of
	}
	err := u.stage(o, d, u.tempName(o, ".new"), nil, o.Base.Mode, true)
	i.staged = err == nil
	return err
}

// prepareRef gives the file that waits in the journal its content, mode and time back.
func (u *undo) prepareRef(i *item) error {
	if i.refReady {
		return nil
	}
	o := i.Place
	f, info, err := recorder.OpenOwn(u.j.Refs, ledger.StoreName(o.ID, o.Ref), os.O_RDWR)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	defer f.Close()
	if u.editedElsewhere(o, f) {
		if !i.force || o.Image != nil {
			return ErrRaced
		}
		i.asIs, i.refReady = true, true
		return nil
	}
	write := o.Image != nil && !asBefore(o, f)
	if write {
		image, _ := u.j.Kept(o)
		if err := image.Verify(f); err != nil {
			return err
		}
	}
	switch {
	case write && info.NLink > 1: // what a person writes through another name from now on is theirs
		err = u.writeInto(o, f, info, o.Base.Mode)
	case write:
		if err = u.rewrite(o, f); err == nil {
			err = u.dress(f, o.Base.Mode, time.Time{}, o, true)
		}
	default:
		err = u.dress(f, o.Base.Mode, time.Time{}, o, !u.inOneGo(o))
	}
	i.refReady = err == nil
	return err
}

// stage makes a file with the content and time that o had before, durable when
// sync says so, under a name of undo's own. like gives it its attributes and its owner.
func (u *writer) stage(o *ledger.Object, d *at.Dir, tmp string, like *os.File, mode uint32, sync bool) error {
	return recorder.Stage(d, tmp, func(f *os.File, was at.Info) error {
		if o.Image.Parts {
			image, _ := u.j.Kept(o)
			if err := image.Verify(nil); err != nil {
				return err
			}
		}
		if err := u.fill(o, f, false); err != nil {
			return err
		}
		if like != nil {
			at.CopyAttributes(f, like)
		}
		if err := u.giveOwner(o, d, f, like); err != nil {
			return err
		}
		return u.dress(f, mode, was.ATime, o, sync)
	})
}

// fixAll gives what is in its place its content, mode and time back: what is staged for several files
// at a time, as nothing else has to do with them.
func fixAll(ctx context.Context, items []*item, fix func(*item)) {
	due := func(i *item) bool {
		return i.conflict == nil && i.removed && i.placed && !i.fixed && (i.begun || ctx.Err() == nil)
	}
	staged := slices.DeleteFunc(slices.Clone(items), func(i *item) bool { return !i.staged || !due(i) })
	_ = recorder.Each(ctx, staged, recorder.Workers(), func(_ context.Context, i *item) error {
		fix(i)
		return nil
	})
	for _, i := range items {
		if due(i) {
			fix(i)
		}
	}
}

// fix gives an object that is in its place its content, mode and time back.
func (u *undo) fix(i *item) {
	o := i.Fix
	if o.Kind == at.Directory {
		u.workIn(o).fix = i // when everything in it is done
		i.fixed = true
		return
	}
	d, name, err := u.where(o)
	if err != nil {
		i.fail(ReasonGone, "%q is not there any more", i.Change.Path)
		return
	}
	defer d.Close()
	if i.staged {
		u.j.Step("undo-staged")
	}
	info, err := d.Lstat(name)
	if err == nil {
		switch {
		case !i.found.holds(info):
			err = ErrRaced
		case i.asIs:
		case o.Kind == at.Symlink:
			err = d.Chtimes(name, time.Time{}, o.Base.MTime())
		case i.contentDiffers():
			err = u.fixContent(i, d, name, info)
		default:
			err = u.fixAttributes(i, d, name, info)
		}
	}
	var now at.Info
	if err == nil {
		now, err = d.Lstat(name)
	}
	if errors.Is(err, ErrRaced) {
		u.notRewriting(o)
	}
	if err != nil {
		i.fail(reasonOf(err), "%q: %v", i.Change.Path, err)
		return
	}
	s := ledger.StateOf(now)
	s.Sum, s.Target = o.Base.Sum, o.Base.Target
	if i.asIs {
		s.Sum = ""
	}
	u.note(ledger.RebaseRecord{Object: o.ID, Inode: &now.ID, State: &s, Gen: o.Gen})
	i.fixed = true
	u.j.Step("undo-fixed")
}

// contentDiffers reports whether the content has to be brought back.
func (i *item) contentDiffers() bool {
	o := i.Fix
	if o.Image == nil || o.Kind != at.File || i.whole {
		return false
	}
	return o.Rewriting || !i.after.Equal && (i.after.Sum != o.Base.Sum || i.after.Sum == "")
}

func (u *undo) fixContent(i *item, d *at.Dir, name string, info at.Info) error {
	o := i.Fix
	mode := i.modeFor(info)
	if u.links(i, info) > 1 || o.Image.Parts || !at.KeepsOwner {
		return u.fixInPlace(o, d, name, mode, info)
	}
	tmp := u.tempName(o, ".new")
	if i.staged && i.stagedFor.Untouched(ledger.StateOf(info)) { // else it would get the attributes from before
		i.staged = false
		if err := u.replace(o, d, tmp, name, info); !recorder.IsMissing(err) {
			return err
		}
	}
	i.staged = false
	if err := u.stageLike(i, d, name, info, true); errors.Is(err, errOwner) {
		if err := u.detachKept(i); err != nil {
			return err
		}
		return u.fixInPlace(o, d, name, mode, info)
	} else if err != nil {
		return err
	}
	u.j.Step("undo-staged")
	if now, err := d.Lstat(name); err != nil || !ledger.StateOf(now).Untouched(ledger.StateOf(info)) || now.ID != info.ID {
		_ = d.Remove(tmp)
		return ErrRaced
	}
	return u.replace(o, d, tmp, name, info)
}

// replace puts what is staged in the place of a file, which was what was seen last. Where the disk
// can exchange names, what a person saved since is given back.
func (u *writer) replace(o *ledger.Object, d *at.Dir, tmp, name string, was at.Info) error {
	u.j.Step("undo-replacing")
	err := d.Exchange(tmp, name)
	exchanged := err == nil
	if !exchanged && !recorder.IsMissing(err) {
		err = d.Rename(tmp, d, name)
	}
	if err != nil {
		_ = d.Remove(tmp)
		return err
	}
	u.j.Step("undo-moved")
	if !exchanged {
		return nil
	}
	out, err := d.Lstat(tmp)
	switch {
	case recorder.IsMissing(err):
		return nil // a server of FUSE that knows no exchange renamed
	case err == nil && sightingOf(was).holds(out):
		return d.Remove(tmp)
	}
	for range 2 { // for what they saved, and for what they saved while that was given back
		err = errors.Join(err, giveBack(d, tmp, name))
		if out, serr := d.Lstat(tmp); err != nil || serr != nil || ledger.StateOf(out).SameData(o.Base) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s", ErrRaced, err.Error()) // it does not say that nothing was staged
	}
	_ = d.Remove(tmp)
	return ErrRaced
}

// giveBack has name mean what tmp means, and the other way round, if name means anything.
func giveBack(d *at.Dir, tmp, name string) error {
	err := d.Exchange(tmp, name)
	if recorder.IsMissing(err) {
		return d.RenameNoReplace(tmp, d, name)
	}
	return err
}

// restoreAttrs gives a file that is o the attributes from before, unless the
// task changed none or a person did since.
func (u *writer) restoreAttrs(o *ledger.Object, to *at.Attrs) error {
	if o.Attrs == nil || u.theirs[o] {
		return nil
	}
	return to.SetAll(o.Attrs)
}
