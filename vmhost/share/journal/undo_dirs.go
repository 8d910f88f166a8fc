package journal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// workDir is a directory in which undo works.
type workDir struct {
	obj    *ledger.Object
	ctime  time.Time // before undo came
	mode   uint32    // before undo came
	seen   bool      // the two above are known
	theirs bool      // a person changed it after the task, before undo came
	wide   bool      // undo gave itself the right to work in it
	fresh  bool      // undo made it
	joined bool      // or took what the task made there for it
	fix    *item     // its own mode or time is to be restored
}

// open looks at the directories that the task came near before anything in
// them changes, and makes them workable.
func (u *undo) open(all bool) {
	u.j.Mu.Lock()
	var list []*ledger.Object
	wanted := map[*ledger.Object]bool{}
	for _, i := range u.items {
		for _, e := range []*ledger.Entry{i.Remove, i.Entry} {
			if e != nil {
				wanted[e.Dir] = true
			}
		}
		if i.Place != nil {
			if dir, _, ok := u.j.Tables.Spot(i.Place); ok {
				wanted[dir] = true
			}
		}
		if i.Fix != nil {
			wanted[i.Fix] = true
			if dir, _, ok := u.j.Tables.Spot(i.Fix); ok {
				wanted[dir] = true
			}
		}
	}
	for _, o := range u.j.Tables.Objects {
		if o.Kind == at.Directory && (wanted[o] || all && !o.Made) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *ledger.Object) int { return cmp.Compare(u.depth(a), u.depth(b)) })
	u.j.Mu.Unlock()
	for _, o := range list {
		u.workIn(o)
	}
}

func (u *site) depth(o *ledger.Object) int {
	rel, _ := u.j.Tables.DirPath(o)
	if rel == "." {
		return -1
	}
	return strings.Count(rel, "/")
}

// workIn returns what is known of a directory, looking at it until it is found.
func (u *site) workIn(o *ledger.Object) *workDir {
	p := u.dirs[o]
	if p == nil {
		p = &workDir{obj: o}
		u.dirs[o] = p
	}
	if p.seen || p.fresh {
		return p
	}
	d, name, err := u.where(o)
	if err != nil {
		return p
	}
	defer d.Close()
	info, err := recorder.Place{Dir: d, Name: name}.Lstat()
	if err != nil || info.Kind != at.Directory {
		return p
	}
	p.ctime, p.mode, p.seen = info.CTime, info.Mode, true
	p.theirs = u.isTheirs(p)
	if mode, known := u.widened(o); known && info.Mode == mode|0o700 {
		p.mode, p.wide = mode, true
	}
	if info.Mode&0o700 != 0o700 {
		u.noteMode(o, info.Mode)
		p.wide = d.SetMeta(name, at.Meta{Mode: new(info.Mode | 0o700)}) == nil
	}
	return p
}

// widened returns the mode that a directory had before the undo that was interrupted opened
// it to itself.
func (u *site) widened(o *ledger.Object) (uint32, bool) {
	u.j.Mu.Lock()
	defer u.j.Mu.Unlock()
	mode, known := u.j.Tables.Widened[o]
	return mode, known
}

// noteMode writes down the mode of a directory that undo is about to open to itself: should undo
// be interrupted, the next one would take what it finds for the person's.
func (u *site) noteMode(o *ledger.Object, mode uint32) {
	if err := u.j.PutNow(ledger.WidenedRecord{Object: o.ID, Mode: mode}); err != nil {
		u.j.Log.Warn("journal: should undo be interrupted, a directory may stay open to its owner", "err", err)
	}
}

// isTheirs reports whether a person changed a directory after the task did, and before
// this undo, or the one that it finishes, came to it. Their time is not touched then. It
// is written down at once: what undo changes looks the same afterwards.
func (u *site) isTheirs(p *workDir) bool {
	u.j.Mu.Lock()
	known := u.j.Tables.Theirs[p.obj]
	u.j.Mu.Unlock()
	if known || !p.ctime.After(u.ended.Add(recorder.DeathSlack)) {
		return known
	}
	err := u.j.PutNow(ledger.TheirsRecord{Object: p.obj.ID})
	if err != nil {
		u.j.Log.Warn("journal: should undo be interrupted, a directory may get an older time than it had", "err", err)
	}
	return true
}

// closeDirs gives directories their modes and times back, the deepest first.
func (u *undo) closeDirs(all bool) {
	u.putDown()
	u.j.Mu.Lock()
	settled := map[*ledger.Object]bool{}
	for o := range u.dirs {
		settled[o] = true
	}
	for _, e := range u.j.Tables.Entries {
		if len(e.Bases) == 0 && e.Cur != nil || len(e.Bases) > 0 && !slices.Contains(e.Bases, e.Cur) {
			settled[e.Dir] = false
		}
	}
	var list []*workDir
	for _, p := range u.dirs {
		list = append(list, p)
	}
	depth := map[*workDir]int{}
	for _, p := range list {
		depth[p] = u.depth(p.obj)
	}
	u.j.Mu.Unlock()
	slices.SortFunc(list, func(a, b *workDir) int { return cmp.Compare(depth[b], depth[a]) })
	for _, p := range list {
		u.closeDir(p, settled[p.obj])
	}
}

func (u *undo) closeDir(p *workDir, settled bool) {
	o := p.obj
	self, err := u.dir(o)
	if err != nil {
		return // removed
	}
	defer self.Close()
	if o.Made {
		if p.wide {
			_ = self.SetMode(p.mode)
		}
		return
	}
	if !p.seen && !p.fresh {
		return // it came back in another way than through undo
	}
	fixing := p.fix != nil && p.fix.conflict == nil
	mode := p.mode
	if p.fresh || fixing && p.mode == p.fix.after.Mode {
		mode = o.Base.Mode
	}
	// A person may have put something in since: then the time is theirs.
	theirs := p.theirs && (!p.fresh || p.joined)
	var err2 error
	if (settled || p.fresh || fixing && o.Times) && !theirs {
		err2 = self.SetTimes(time.Time{}, o.Base.MTime())
	}
	if a, err := self.Attrs("."); err == nil && (p.fresh || fixing) {
		err2 = errors.Join(err2, u.restoreAttrs(o, a))
		if p.fresh {
			u.noteLacking(o, a.SetOwner(ownerOf(o)))
		}
	}
	info, err := self.Info()
	if err == nil && info.Mode != mode {
		err = self.SetMode(mode)
	}
	if err = errors.Join(err, err2); err != nil && fixing {
		p.fix.fail(ReasonIO, "%v", err)
	}
	if info, err := self.Info(); err == nil && (p.fresh || fixing) {
		s := ledger.StateOf(info)
		s.Attrs = u.j.Digest(o, recorder.Place{Dir: self, Name: "."})
		r := ledger.Record(ledger.AfterRecord{Object: o.ID, State: &s})
		if p.fresh {
			// As it was: only what the task does to it from now on counts.
			s.Sec, s.Nsec = o.Base.Sec, o.Base.Nsec
			r = ledger.RebaseRecord{Object: o.ID, Inode: &info.ID, State: &s, Gen: o.Gen}
		}
		u.note(r)
	}
	u.j.Step("undo-dir")
}

// madeAgain reports whether a directory is that of a person which an undo that was interrupted made in
// the place of was, and notes that.
func (u *guards) madeAgain(i *item, was *ledger.Object, info at.Info) bool {
	o := i.Place
	if !u.resumed || was.Kind != at.Directory || o == nil || o.Kind != at.Directory || info.Kind != at.Directory || !was.Ident.Other(info.ID) {
		return false
	}
	i.removed, i.placed = true, true
	u.note(rejoined(i.Remove, o, info)...)
	u.workIn(o).fresh = true
	return true
}

// rejoined are the records of a person's directory that is at a name again, with what belongs into it
// and is recorded as in the one that the task made there.
func rejoined(e *ledger.Entry, o *ledger.Object, info at.Info) []ledger.Record {
	s := ledger.StateOf(info)
	return []ledger.Record{ledger.BindRecord{Entry: e.ID}, ledger.BindRecord{Entry: e.ID, Object: o.ID},
		ledger.InodeRecord{Object: o.ID, Inode: &info.ID, State: &s}, ledger.OpenRecord{Object: o.ID, Times: true}}
}

// rejoin makes a directory that the task made where the person had one theirs: something else is in it,
// and what was in theirs belongs there, too. That is written down before anything is put into it. It
// reports whether there was any.
func rejoin(ctx context.Context, u *undo) bool {
	any := false
	for _, i := range u.items {
		e, o := i.Remove, i.Place
		if i.conflict != nil || i.removed || o == nil || o.Kind != at.Directory || e.Cur == nil || ctx.Err() != nil && !i.begun {
			continue
		}
		if err := rejoinOne(u, e, o); err != nil {
			i.fail(reasonOf(err), "the directory %q has something else in it: %v", i.Change.Path, err)
			continue
		}
		i.removed, i.placed, i.begun, any = true, true, true, true
	}
	return any
}

func rejoinOne(u *undo, e *ledger.Entry, o *ledger.Object) error {
	d, err := u.dir(e.Dir)
	if err != nil {
		return err
	}
	defer d.Close()
	info, err := d.Lstat(e.Name)
	if err != nil {
		return err
	}
	if info.Kind != at.Directory || e.Cur.Ident.Other(info.ID) {
		return ErrRaced
	}
	theirs := u.workIn(e.Cur).theirs
	u.note(rejoined(e, o, info)...)
	p := u.workIn(o)
	p.fresh, p.joined, p.theirs = true, true, theirs
	return u.commit()
}
