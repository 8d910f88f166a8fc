package journal

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
)

// dirInPlay is a directory in which undo works.
type dirInPlay struct {
	obj    *object
	ctime  time.Time // before undo came
	mode   uint32    // before undo came
	seen   bool      // the two above are known
	theirs bool      // a person changed it after the task, before undo came
	wide   bool      // undo gave itself the right to work in it
	fresh  bool      // undo made it
	fix    *item     // its own mode or time is to be restored
}

// open looks at the directories that the task came near before anything in
// them changes, and makes them workable.
func (u *undo) open(all bool) {
	u.j.mu.Lock()
	var list []*object
	wanted := map[*object]bool{}
	for _, i := range u.items {
		for _, e := range []*entry{i.remove, i.entry} {
			if e != nil {
				wanted[e.dir] = true
			}
		}
		if i.place != nil {
			if dir, _, ok := u.j.tables.spot(i.place); ok {
				wanted[dir] = true
			}
		}
		if i.fix != nil {
			wanted[i.fix] = true
			if dir, _, ok := u.j.tables.spot(i.fix); ok {
				wanted[dir] = true
			}
		}
	}
	for _, o := range u.j.tables.objects {
		if o.kind == at.Directory && (wanted[o] || all && !o.made) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *object) int { return cmp.Compare(u.depth(a), u.depth(b)) })
	u.j.mu.Unlock()
	for _, o := range list {
		u.play(o)
	}
}

func (u *undo) depth(o *object) int {
	rel, _ := u.j.tables.dirPath(o)
	if rel == "." {
		return -1
	}
	return strings.Count(rel, "/")
}

// play returns what is known of a directory, looking at it until it is found.
func (u *undo) play(o *object) *dirInPlay {
	p := u.dirs[o]
	if p == nil {
		p = &dirInPlay{obj: o}
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
	info, err := place{Dir: d, Name: name}.lstat()
	if err != nil || info.Kind != at.Directory {
		return p
	}
	p.ctime, p.mode, p.seen = info.CTime, info.Mode, true
	p.theirs = u.isTheirs(p)
	if info.Mode&0o700 != 0o700 {
		p.wide = d.SetMeta(name, at.Meta{Mode: new(info.Mode | 0o700)}) == nil
	}
	return p
}

// isTheirs reports whether a person changed a directory after the task did, and before
// this undo, or the one that it finishes, came to it. Their time is not touched then. It
// is written down at once: what undo changes looks the same afterwards.
func (u *undo) isTheirs(p *dirInPlay) bool {
	u.j.mu.Lock()
	known := u.j.tables.theirs[p.obj]
	u.j.mu.Unlock()
	if known || !p.ctime.After(u.ended.Add(deathSlack)) {
		return known
	}
	err := u.j.putNow(theirsRecord{Object: p.obj.id})
	if err != nil {
		u.j.log.Warn("journal: should undo be interrupted, a directory may get an older time than it had", "err", err)
	}
	return true
}

// closeDirs gives directories their modes and times back, the deepest first.
func (u *undo) closeDirs(all bool) {
	u.putDown()
	u.j.mu.Lock()
	settled := map[*object]bool{}
	for o := range u.dirs {
		settled[o] = true
	}
	for _, e := range u.j.tables.entries {
		if len(e.bases) == 0 && e.cur != nil || len(e.bases) > 0 && !slices.Contains(e.bases, e.cur) {
			settled[e.dir] = false
		}
	}
	var list []*dirInPlay
	for _, p := range u.dirs {
		list = append(list, p)
	}
	depth := map[*dirInPlay]int{}
	for _, p := range list {
		depth[p] = u.depth(p.obj)
	}
	u.j.mu.Unlock()
	slices.SortFunc(list, func(a, b *dirInPlay) int { return cmp.Compare(depth[b], depth[a]) })
	for _, p := range list {
		u.closeDir(p, settled[p.obj])
	}
}

func (u *undo) closeDir(p *dirInPlay, settled bool) {
	o := p.obj
	self, err := u.dir(o)
	if err != nil {
		return // removed
	}
	defer self.Close()
	if o.made {
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
		mode = o.base.Mode
	}
	// A person may have put something in since: then the time is theirs.
	theirs := !p.fresh && p.theirs
	var err2 error
	if (settled || p.fresh || fixing && o.times) && !theirs {
		err2 = self.SetTimes(time.Time{}, o.base.mtime())
	}
	if a, err := self.Attrs("."); err == nil && (p.fresh || fixing) {
		err2 = errors.Join(err2, u.restoreAttrs(o, a))
		if p.fresh && o.owner != nil {
			u.lack(o, a.SetOwner(o.owner))
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
		s := stateOf(info)
		s.Attrs = u.j.digest(o, place{Dir: self, Name: "."})
		r := record(afterRecord{Object: o.id, State: &s})
		if p.fresh {
			// As it was: only what the task does to it from now on counts.
			s.Sec, s.Nsec = o.base.Sec, o.base.Nsec
			r = rebaseRecord{Object: o.id, Inode: &info.ID, State: &s, Gen: o.gen}
		}
		u.note(r)
	}
	u.j.step("undo-dir")
}
