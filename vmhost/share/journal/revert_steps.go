package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// Begin implements steps.Owner.
func (x *revert) Begin(ctx context.Context, s *steps.Step) (end func(), err error) {
	i := x.of[s]
	x.ctx = ctx
	s.Expect, s.Already, s.New, s.Staged, s.InPlace, s.MayLack, s.Replace, s.From = steps.State{}, nil, steps.New{}, false, false, false, i.force, steps.Place{}
	switch {
	case x.unkept != nil && !s.Late:
		return nil, x.unkept
	case x.lazy && !x.each && !i.kept:
		return nil, steps.ErrWait
	case s.Late && i.joins:
		s.Do = steps.Nothing
		return nil, nil
	case s.Late:
		s.Do = steps.Dress
		return nil, x.beginLate(s, i)
	case i.Remove != nil && i.Place == nil && !i.removed:
		return nil, x.beginRemove(s, i, i.Remove)
	case i.Place != nil && !i.placed && i.Change.Effect == EffectMove:
		return nil, x.beginMove(s, i)
	case i.Place != nil && !i.placed:
		return nil, x.beginPlace(ctx, s, i)
	case !i.fixed:
		return nil, x.beginFix(ctx, s, i)
	}
	s.Do = steps.Nothing
	return nil, nil
}

// beginRemove takes away what the task made.
func (x *revert) beginRemove(s *steps.Step, i *item, e *ledger.Entry) (err error) {
	x.from.Mu.Lock()
	o := e.Cur
	x.from.Mu.Unlock()
	if s.Do = steps.Nothing; o == nil || o != i.made { // a person removed it, and what was there before is back
		return nil
	}
	s.At, err = x.slot(e.Dir, e.Name, i.force)
	away := errors.Is(err, steps.ErrWait) && e.Dir.Made // its directory is gone, and it was gone before
	if err != nil && !away {
		return err
	}
	info, err := at.Info{}, error(nil)
	if !away {
		info, err = x.lstat(s.At)
	}
	if away || errors.Is(err, steps.ErrGone) { // a person removed it, or moved a directory that it is in
		if !away && x.astray(e.Dir) || o.Kind == at.Directory && o.Made && x.elsewhere(o) {
			return steps.ErrGone
		}
		return nil
	}
	if !o.Made && o.Kind != at.Directory && info.NLink == 1 && !o.Ident.Other(info.ID) && !i.force {
		return steps.ErrGone // a person removed the other names of their file: this is the last one
	}
	s.Do, s.Kind, i.takes = steps.Remove, o.Kind, info.ID
	if s.Expect = x.asLeft(i, o); i.force {
		s.Kind, s.Expect.Kind = info.Kind, info.Kind
	}
	return nil
}

// beginMove brings back what the task moved.
func (x *revert) beginMove(s *steps.Step, i *item) (err error) {
	e, o := i.Entry, i.Place
	gained := x.from.Gained(o)
	if gained == nil {
		return steps.ErrGone
	}
	if s.From, err = x.slot(gained.Dir, gained.Name, i.force); err != nil {
		return err
	}
	s.Do, s.Kind, s.Inode = steps.Move, o.Kind, o.Ident
	s.Expect = x.asLeft(i, o)
	s.Replace = i.over == ReasonInTheWay // who was asked about the file said nothing of another one
	if s.Lifting {
		s.At, err = x.slot(o.Folder.Root, s.Temp, i.force)
		return err
	}
	if x.newer(i) {
		return steps.ErrWait
	}
	s.At, err = x.slot(e.Dir, e.Name, i.force)
	return err
}

// newer reports whether something that a person put under the same name later waits for it too.
func (x *revert) newer(i *item) bool {
	if len(i.Entry.Bases) < 2 {
		return false
	}
	rank := func(i *item) int { return slices.Index(i.Entry.Bases, i.Place) }
	return slices.ContainsFunc(x.belong[i.Entry], func(o *item) bool {
		return o != i && !o.placed && o.conflict == nil && rank(o) > rank(i)
	})
}

// outranked reports whether something that a person put under the same name later has it again.
func (x *revert) outranked(i *item) bool {
	rank := func(i *item) int { return slices.Index(i.Entry.Bases, i.Place) }
	return slices.ContainsFunc(x.belong[i.Entry], func(o *item) bool {
		return o != i && o.placed && o.conflict == nil && !o.beside && rank(o) > rank(i)
	})
}

// beginPlace puts back what the task deleted or replaced.
func (x *revert) beginPlace(ctx context.Context, s *steps.Step, i *item) (err error) {
	e, o := i.Entry, i.Place
	if x.newer(i) {
		return steps.ErrWait
	}
	if s.At, err = x.slot(e.Dir, e.Name, i.force); err != nil {
		return err
	}
	s.Kind = o.Kind
	x.from.Mu.Lock()
	made := i.Remove != nil && !i.removed && e.Cur != nil && e.Cur != o
	var cur *ledger.Object
	if made {
		cur = e.Cur
	}
	x.from.Mu.Unlock()
	if made {
		info, err := x.lstat(s.At)
		if i.takes = info.ID; errors.Is(err, steps.ErrGone) {
			made = false
		}
	}
	if pl, ok := x.otherName(i); ok {
		s.Do, s.From = steps.Link, pl
		switch {
		case made && cur.Kind == at.Directory:
			s.Do, s.From, s.Kind, s.Expect = steps.Remove, steps.Place{}, cur.Kind, x.asLeft(i, cur)
		case made:
			s.Replace, s.Expect = true, x.asLeft(i, cur)
		}
		return nil
	}
	s.Do = steps.Create
	if made && !i.force {
		s.Do, s.Expect = steps.Replace, x.asLeft(i, cur)
	}
	if !i.force {
		s.Already = func(p steps.Opened, now at.Info) bool {
			if now.Kind == at.Directory && o.Kind == at.Directory {
				if x.knows(now.ID, o) {
					return false
				}
				i.joins = !x.madeByRun(now.ID) && !(x.resumed && !now.CTime.After(x.ended.Add(recorder.DeathSlack)))
				return true
			}
			i.complete = now.Kind == o.Kind && x.isBase(p, o, now) && !x.movedHere(now.ID, o)
			return i.complete || now.Kind == o.Kind && now.ID == o.Ident
		}
	}
	s.Mode, s.MTime, s.Attrs = &o.Base.Mode, o.Base.MTime(), o.Attrs
	s.Owner, s.Lacking = ownerOf(o), func(err error) { x.lacks(o, err) }
	switch o.Kind {
	case at.Directory:
		return nil
	case at.Symlink:
		s.Target = string(o.Base.Target)
		return nil
	case at.File:
		return x.beginFile(ctx, s, i)
	}
	return at.ErrSpecial
}

// knows reports whether an inode is another thing of from's, which is on its way to its own place.
func (x *revert) knows(id at.ID, o *ledger.Object) bool {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	is := x.from.Tables.Inodes[id]
	return is != nil && is != o && len(is.Spots) > 0
}

// movedHere reports whether an inode is another thing of from's that was moved, and goes back to its own
// place.
func (x *revert) movedHere(id at.ID, o *ledger.Object) bool {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	is := x.from.Tables.Inodes[id]
	return is != nil && is != o && !is.Made && is.Gained() != nil
}

// otherName returns a name that o, which lost another, still has.
func (x *revert) otherName(i *item) (steps.Place, bool) {
	o := i.Place
	if o.Kind == at.Directory {
		return steps.Place{}, false
	}
	for n, find := range []func() (steps.Place, error){
		func() (steps.Place, error) { return x.spot(o, i.force) },
		func() (steps.Place, error) { return x.links.place(x, o, i.force) },
	} {
		pl, err := find()
		if err != nil {
			continue
		}
		if info, err := x.lstat(pl); err == nil && info.Kind == o.Kind && !o.Ident.Other(info.ID) && pl != i.step.At {
			return pl, n == 0 && o.Image == nil && o.Ref == 0 || x.untouched(o, pl, info)
		}
	}
	return steps.Place{}, false
}

// untouched reports whether nobody but the task changed a file through another name: else what the task
// removed comes back as a file of its own.
func (x *revert) untouched(o *ledger.Object, pl steps.Place, info at.Info) bool {
	after := x.after(o)
	if o.Kind != at.File || !after.Lost && after.SameData(ledger.StateOf(info)) {
		return true
	}
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return false
	}
	defer d.Close()
	return x.isBase(steps.Opened{Place: recorder.Place{Dir: d, Path: pl.Dir, Name: pl.Name}, Folder: pl.Folder}, o, info)
}

// beginFix gives what is in its place its content, mode and times back.
func (x *revert) beginFix(ctx context.Context, s *steps.Step, i *item) (err error) {
	o := i.Fix
	s.Kind = o.Kind
	if i.after == (ledger.State{}) {
		i.after = x.after(o)
	}
	if s.At, err = x.spot(o, i.force); err != nil {
		return err
	}
	s.Do = steps.Dress
	info, err := x.lstat(s.At)
	if err != nil {
		return err
	}
	if o.Kind == at.Directory {
		s.Expect = steps.State{Kind: o.Kind}
		s.Mode = x.modeFor(i, info) // of one that nothing can be done in otherwise; else its turn comes last
		return nil
	}
	i.takes = info.ID
	if info.Kind != o.Kind {
		return steps.ErrOther
	}
	s.Expect = x.asLeft(i, o)
	s.Mode, s.MTime, s.Attrs = x.modeFor(i, info), o.Base.MTime(), x.attrsFor(i, s.At)
	if o.Kind == at.Symlink {
		s.Mode = nil
		return nil
	}
	if !i.contentDiffers() {
		return nil
	}
	s.Do = steps.Write
	i.complete = false
	s.Already = func(p steps.Opened, now at.Info) bool {
		i.complete = !i.force && now.Kind == o.Kind && x.isBase(p, o, now)
		return i.complete
	}
	// What the task moved, too, is to stay the same file: redo moves it again.
	s.InPlace = info.NLink > 1 || o.Image.Parts || !at.KeepsOwner || i.Change.Effect == EffectMove
	if err := x.ready(ctx, s, i); err != nil || i.complete {
		return err
	}
	if !s.InPlace {
		if s.InPlace, err = x.stageLike(i, s, info); err != nil {
			return err
		}
	}
	if s.InPlace {
		s.At.Folder = x.sites[o.Folder].changer(false, i.force)
		s.Content = func() (*steps.Content, error) { return x.contentInPlace(o) }
		return x.verify(o, s.At)
	}
	s.Staged = true
	return nil
}

// contentDiffers reports whether the content has to be brought back.
func (i *item) contentDiffers() bool {
	o := i.Fix
	if o.Image == nil || o.Kind != at.File {
		return false
	}
	return i.force || i.after.Lost || !i.after.Equal && (i.after.Sum != o.Base.Sum || i.after.Sum == "")
}

// modeFor is the mode from before, or the one that a person set since.
func (x *revert) modeFor(i *item, info at.Info) *uint32 {
	if info.Mode == i.after.Mode || i.Place != nil || i.after.Lost {
		return &i.Fix.Base.Mode
	}
	return &info.Mode
}

// attrsFor are the attributes from before, nil where the task changed none or a person did since.
func (x *revert) attrsFor(i *item, pl steps.Place) at.AttrSet {
	o := i.Fix
	if o.Attrs == nil || i.Place != nil {
		return o.Attrs
	}
	d, err := pl.Folder.Root.Dir(pl.Dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if x.from.Digest(o, recorder.Place{Dir: d, Name: pl.Name}) != i.after.Attrs && !i.after.Lost {
		return nil
	}
	return o.Attrs
}

// after is how the task left o.
func (x *revert) after(o *ledger.Object) ledger.State {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	return x.from.Tables.After(o, x.live)
}

// lacks notes what o does not get back although the rest of it does.
func (x *revert) lacks(o *ledger.Object, err error) {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	x.lacking[o] = err
}

// ownerOf is whom o belonged to. Nothing is written down of what was plain: made anew, it must
// not get the ACL or the group that its directory gives.
func ownerOf(o *ledger.Object) *at.Owner {
	if o.Owner != nil {
		return o.Owner
	}
	return at.PlainOwner()
}

// Done implements steps.Owner.
func (x *revert) Done(s *steps.Step, p steps.Opened, now at.Info) error {
	i, o := x.of[s], x.of[s].Place
	i.begun = i.begun || s.Do != steps.Nothing
	x.mark(i, p, now, s.Do != steps.Link && s.Found == (s.Do == steps.Create))
	switch {
	case s.Late && i.joins:
		// It stays as the person made it.
	case s.Late:
		x.settleDir(i, now)
		i.fixed = true
	case s.Lifting:
		i.home = x.from.Gained(i.Place)
		x.bindTo(i.Place.Folder.Root, p.Name, i.Place)
		i.lifted, i.seen = true, now
		x.step("lifted")
	case i.Remove != nil && i.Place == nil && !i.removed:
		i.removed = true
		cur := i.Remove.Cur
		if cur == i.made {
			x.note(ledger.BindRecord{Entry: i.Remove.ID})
		}
		if !i.force {
			x.lostName(cur)
		}
		x.step("removed")
	case i.Place != nil && !i.placed && s.Do == steps.Remove:
		x.note(ledger.BindRecord{Entry: i.Remove.ID})
		i.removed, s.More = true, true
	case i.Place != nil && !i.placed:
		x.arrived(i, s, now)
		s.More = !i.fixed && !(o.Kind == at.Directory && s.Do == steps.Create)
		x.step("placed")
	case !i.fixed && i.Fix.Kind == at.Directory:
		// Its mode and times come when everything in it is done.
	case !i.fixed:
		if err := x.syncFixed(s, p, now); err != nil {
			return err
		}
		x.settleFile(i, now)
		x.step("fixed")
	}
	return nil
}

// lostName has from expect a file with the time that it got when it lost one of its names.
func (x *revert) lostName(o *ledger.Object) {
	if o == nil || o.Kind != at.File || o.Touch == ledger.TouchNone {
		return
	}
	pl, err := x.spot(o, false)
	if err != nil {
		return
	}
	info, err := x.lstat(pl)
	now, after := ledger.StateOf(info), x.after(o)
	if err != nil || o.Ident != info.ID || after.Lost || !now.SameData(after) {
		return
	}
	after.CSec, after.CNsec = now.CSec, now.CNsec
	x.note(ledger.AfterRecord{Object: o.ID, State: &after})
}

// syncFixed makes a file durable of which only attributes were set, where that is not done for all at once.
func (x *revert) syncFixed(s *steps.Step, p steps.Opened, now at.Info) error {
	if s.Do != steps.Dress || now.Kind != at.File || x.inOneGo(x.of[s].folder(), now.Dev) {
		return nil
	}
	f, _, err := p.Dir.Open(p.Name, os.O_RDONLY)
	if err != nil {
		return nil // it must not be read: a cut may take its mode back
	}
	defer f.Close()
	return at.Sync(f)
}

// mark notes the numbers in into of the name that a step changed and, with itself, of the thing at that name.
func (x *revert) mark(i *item, p steps.Opened, now at.Info, itself bool) {
	if p.Dir == nil {
		return
	}
	dir, err := p.Dir.Info()
	if err != nil {
		return
	}
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	if p.Name != "." {
		x.markName(&i.marks, dir.ID, p.Name, i.takes, i.force)
	}
	if itself {
		x.markObject(&i.marks, now.ID)
	}
}

// markName notes a name in a directory, and of the files that lost it the one with the inode lost, or with
// all each of them. into.Mu is held.
func (x *revert) markName(m *ledger.Marks, dir at.ID, name string, lost at.ID, all bool) {
	d := x.into.Tables.Inodes[dir]
	if d == nil {
		return
	}
	e := x.into.Tables.Names[ledger.Name{Dir: d.ID, Name: name}]
	if e == nil {
		return
	}
	m.Entries = including(m.Entries, e.ID)
	for _, o := range e.Bases {
		if o.Ident == lost || all {
			m.Objects = including(m.Objects, o.ID)
		}
	}
}

func (x *revert) markObject(m *ledger.Marks, id at.ID) {
	if o := x.into.Tables.Inodes[id]; o != nil && !o.Made {
		m.Objects = including(m.Objects, o.ID)
	}
}

// including returns a list with id in it.
func including(list []uint32, id uint32) []uint32 {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// arrived notes that what belongs at a name is there.
func (x *revert) arrived(i *item, s *steps.Step, now at.Info) {
	e, o := i.Entry, i.Place
	gained := x.from.Gained(o)
	st := ledger.StateOf(now)
	st.Target = o.Base.Target
	recs := []ledger.Record{ledger.BindRecord{Entry: e.ID, Object: o.ID}}
	if o.Ident != now.ID || o.Kind != at.File || i.complete {
		recs = append(recs, ledger.InodeRecord{Object: o.ID, Inode: &now.ID, State: &st})
	}
	if i.Change.Effect == EffectMove && gained != nil && gained != e {
		recs = append(recs, ledger.BindRecord{Entry: gained.ID})
	}
	if s.Take != nil {
		recs = append(recs, ledger.RefRecord{Object: o.ID})
	}
	if o.Kind == at.Directory && i.Change.Effect != EffectMove {
		recs = append(recs, ledger.OpenRecord{Object: o.ID, Times: true}) // its mode and time come last
	}
	x.note(recs...)
	i.removed, i.placed = true, true
	switch {
	case s.Found && !i.complete: // it was there: a person may have changed it
	case s.Take == nil || stillSeen(i.seen, now): // else a person changed it meanwhile through another name
		i.seen = now
	}
	switch {
	case o.Kind == at.Directory && i.Change.Effect != EffectMove && i.joins:
		x.note(ledger.RebaseRecord{Object: o.ID, Inode: &now.ID, State: &st, Gen: o.Gen})
		i.fixed = true // a person made it anew
		if w := x.workIn(o); w != nil {
			w.theirs = true
		}
	case o.Kind == at.Directory && i.Change.Effect != EffectMove:
		if w := x.workIn(o); w != nil {
			w.fresh = true
		}
		i.Fix, i.fixed = o, false
	case i.complete, o.Kind == at.Symlink && s.Do != steps.Link && i.Change.Effect != EffectMove:
		x.settleFile(i, now)
	case i.asIs:
		i.fixed = true
	}
}

// settleFile notes that a file or link is as before.
func (x *revert) settleFile(i *item, now at.Info) {
	o := i.Object
	s := ledger.StateOf(now)
	s.Sum, s.Target = o.Base.Sum, o.Base.Target
	if i.asIs {
		s.Sum = ""
	}
	x.note(ledger.RebaseRecord{Object: o.ID, Inode: &now.ID, State: &s, Gen: o.Gen})
	delete(x.live, o)
	i.fixed, i.seen = true, now
}

// settleDir notes how the run left a directory of which it made more than names.
func (x *revert) settleDir(i *item, now at.Info) {
	o := i.Fix
	s := ledger.StateOf(now)
	s.Sec, s.Nsec = o.Base.Sec, o.Base.Nsec // as closeDir will leave it
	if w := x.dirs[o]; w != nil && (i.Place != nil || o.Times) {
		w.fresh, w.theirs = true, false
	}
	x.note(ledger.RebaseRecord{Object: o.ID, Inode: &now.ID, State: &s, Gen: o.Gen})
}

// bindTo notes that an object that the task moved has another name now.
func (x *revert) bindTo(dir *ledger.Object, name string, o *ledger.Object) {
	x.from.Mu.Lock()
	t := x.from.Tables
	old := o.Gained()
	e := t.Names[ledger.Name{Dir: dir.ID, Name: name}]
	next := t.LastE + 1
	x.from.Mu.Unlock()
	var recs []ledger.Record
	if e == nil {
		recs = append(recs, ledger.EntryRecord{Entry: next, Dir: dir.ID, Name: []byte(name)})
	} else {
		next = e.ID
	}
	recs = append(recs, ledger.BindRecord{Entry: next, Object: o.ID})
	if old != nil && old != e {
		recs = append(recs, ledger.BindRecord{Entry: old.ID})
	}
	x.note(recs...)
}

// Refused implements steps.Owner.
func (x *revert) Refused(s *steps.Step, err error) (again bool, fatal error) {
	i := x.of[s]
	if s.Late {
		x.from.Log.Warn("journal: a directory keeps its mode or time", "path", s.Change.Path, "err", err)
		x.fail(i, err)
		return false, nil
	}
	x.noteHalf(i)
	c := ConflictOf(i.Change, err)
	answer := x.opts.Resolve[i.Change.ID]
	if answer == Restore && !i.force && x.mayForce(i, c.Reason) {
		i.force, i.over, s.Answered = true, c.Reason, false
		return true, nil
	}
	x.putDown(i)
	if i.Change.Effect == EffectMove && !i.placed && i.Fix != nil && i.Object.Base.Links > 1 && i.conflict == nil && answer != Both {
		i.conflict, i.placed = &c, true // it stays where it is, and gets its content back for its other names
		return true, nil
	}
	if answer == Both && i.conflict == nil {
		if done, berr := x.putBeside(i); berr != nil {
			c = ConflictOf(i.Change, berr)
		} else if done {
			return false, nil
		}
	}
	if i.conflict == nil {
		i.conflict = &c
	}
	return false, nil
}

// noteHalf has from expect a file into which half of its content was written: the next run finishes it,
// unless somebody changes it first.
func (x *revert) noteHalf(i *item) {
	half, o := i.step.Half, i.Object
	if i.step.Half = (at.Info{}); o == nil || half.ID == (at.ID{}) || o.Ident.Other(half.ID) {
		return
	}
	s := ledger.StateOf(half)
	s.Attrs = i.after.Attrs
	x.note(ledger.OpenRecord{Object: o.ID}, ledger.AfterRecord{Object: o.ID, State: &s})
}

// mayForce reports whether a person may have what is there replaced: only a file or link, whose
// before-image the journal has as a whole.
func (x *revert) mayForce(i *item, why Reason) bool {
	o := i.Object
	switch why {
	case ReasonInTheWay:
		if i.Place == nil || x.outranked(i) {
			return false
		}
	case ReasonChanged:
		// Of a file that was being changed when the program died, nobody knows that a person changed it.
		if o != nil && o.Kind == at.File && i.Remove == nil && (o.Image == nil && o.Ref == 0 || o.Image != nil && o.Image.Parts && !x.after(o).Lost) {
			return false
		}
	default:
		return false
	}
	pl := i.step.At
	if i.step.Do == steps.Move && why == ReasonChanged {
		pl = i.step.From
	}
	if pl.Folder == nil {
		return false
	}
	info, err := x.lstat(pl)
	switch {
	case errors.Is(err, steps.ErrGone):
		return why == ReasonChanged && i.Change.Effect == EffectDelete // through another name
	case i.step.Do == steps.Move && why == ReasonChanged && o.Ref != 0 && o.Ident.Other(info.ID):
		return false // what was moved lies in the journal: this is another file
	}
	return err == nil && (info.Kind == at.File || info.Kind == at.Symlink)
}

// putDown gives what was lifted and found no place its name back. Where something else has that by now it
// gets one like it, and where the directory is gone, one like that which it had before; the report says which.
func (x *revert) putDown(i *item) {
	if !i.lifted || i.placed || i.home == nil {
		return
	}
	i.lifted = false
	root := i.folder().Root
	from, err := x.slot(root, i.step.Temp, false)
	if err != nil {
		return
	}
	for _, e := range []ledger.Entry{{Dir: i.home.Dir, Name: i.home.Name}, {Dir: i.Entry.Dir, Name: i.Entry.Name}, {Dir: root, Name: i.Entry.Name}} {
		for n := 0; n < 1000; n++ {
			to := e.Name
			if n > 0 {
				to = BesideName(e.Name, x.opts.Label, n)
			}
			var pl steps.Place
			if pl, err = x.slot(e.Dir, to, false); err == nil {
				err = x.rename(from, pl)
			}
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err == nil {
				x.bindTo(e.Dir, to, i.Place)
				if to != i.home.Name || e.Dir != i.home.Dir {
					x.besideIs(i, pl)
				}
				return
			}
			break
		}
	}
	x.from.Log.Error("journal: a lifted name stays", "name", i.step.Temp, "err", err)
}

// besideIs reports the place of what was not put where it was before.
func (x *revert) besideIs(i *item, pl steps.Place) {
	if x.report.Beside == nil {
		x.report.Beside = map[string]string{}
	}
	x.report.Beside[i.Change.ID] = pl.Path()
}

// rename moves what is at a place to another, where nothing is.
func (x *revert) rename(from, to steps.Place) error {
	a, err := from.Folder.Root.Dir(from.Dir)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Folder.Root.Dir(to.Dir)
	if err != nil {
		return err
	}
	defer b.Close()
	return to.Folder.Rename(recorder.Place{Dir: a, Path: from.Dir, Name: from.Name}, recorder.Place{Dir: b, Path: to.Dir, Name: to.Name}, false)
}
