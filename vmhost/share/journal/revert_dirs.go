package journal

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// workDir is a directory in which a revert works.
type workDir struct {
	obj    *ledger.Object
	info   at.Info // before the revert came
	theirs bool    // a person changed it after the task, before the revert came
	wide   bool    // the revert gave itself the right to work in it
	fresh  bool    // the revert made it
}

// open opens a directory where from says that it is. The caller closes it.
func (x *revert) open(o *ledger.Object) (*at.Dir, error) {
	x.from.Mu.Lock()
	rel, ok := x.from.Tables.DirPath(o)
	x.from.Mu.Unlock()
	s := x.sites[o.Folder]
	if !ok || s == nil {
		return nil, fs.ErrNotExist
	}
	return s.root.Dir(rel)
}

// workIn looks at a directory before something in it changes, and makes it one that can be worked in.
func (x *revert) workIn(o *ledger.Object) *workDir {
	if w := x.dirs[o]; w != nil {
		return w
	}
	d, err := x.open(o)
	if err != nil {
		return nil
	}
	defer d.Close()
	info, err := d.Info()
	if err != nil {
		return nil
	}
	w := &workDir{obj: o, info: info, theirs: x.isTheirs(o, info)}
	x.dirs[o] = w
	if x.resumed {
		x.into.Mu.Lock()
		mine := x.into.Tables.Inodes[info.ID]
		if mine != nil && !mine.Made && mine.Touch != ledger.TouchNone && mine.Base.Mode|0o700 == info.Mode {
			w.wide, w.info.Mode = mine.Base.Mode != info.Mode, mine.Base.Mode // by the run that was interrupted
		}
		x.into.Mu.Unlock()
	}
	if info.Mode&0o700 != 0o700 {
		x.from.Mu.Lock()
		rel, _ := x.from.Tables.DirPath(o)
		x.from.Mu.Unlock()
		mode := info.Mode | 0o700
		_, err := x.sites[o.Folder].strict.SetMeta(recorder.Place{Dir: d, Path: rel, Name: "."}, at.Meta{Mode: &mode})
		w.wide = err == nil
	}
	return w
}

// isTheirs reports whether a person changed a directory after the task did, and before this run, or the
// one that it finishes, came to it. That is written down at once: what a run changes looks the same.
func (x *revert) isTheirs(o *ledger.Object, now at.Info) bool {
	x.from.Mu.Lock()
	known := x.from.Tables.Theirs[o]
	x.from.Mu.Unlock()
	if known || !now.CTime.After(x.ended.Add(recorder.DeathSlack)) {
		return known
	}
	if err := x.from.PutNow(ledger.TheirsRecord{Object: o.ID}); err != nil {
		x.from.Log.Warn("journal: should this be interrupted, a directory may get an older time than it had", "err", err)
	}
	return true
}

// closeDirs gives directories their modes and times back, the deepest first.
func (x *revert) closeDirs() {
	x.from.Mu.Lock()
	unsettled := map[*ledger.Object]bool{}
	for _, e := range x.from.Tables.Entries {
		if len(e.Bases) == 0 && e.Cur != nil || len(e.Bases) > 0 && !slices.Contains(e.Bases, e.Cur) {
			unsettled[e.Dir] = true
		}
	}
	depth := map[*workDir]int{}
	var list []*workDir
	for _, w := range x.dirs {
		rel, _ := x.from.Tables.DirPath(w.obj)
		depth[w] = strings.Count(rel, "/") + min(1, len(strings.TrimPrefix(rel, ".")))
		list = append(list, w)
	}
	x.from.Mu.Unlock()
	slices.SortFunc(list, func(a, b *workDir) int { return cmp.Or(depth[b]-depth[a], cmp.Compare(a.obj.ID, b.obj.ID)) })
	busy := map[*ledger.Object]bool{} // something in them is another than the revert found
	for _, i := range x.items {
		for _, e := range []*ledger.Entry{i.Entry, i.Remove, i.home} {
			if e != nil && (i.done() || i.lifted || i.begun) {
				busy[e.Dir] = true
			}
		}
	}
	for _, w := range list {
		x.closeDir(w, !unsettled[w.obj], busy[w.obj])
	}
}

func (x *revert) closeDir(w *workDir, settled, busy bool) {
	d, err := x.open(w.obj)
	if err != nil {
		return // removed
	}
	defer d.Close()
	if w.wide {
		x.from.Mu.Lock()
		rel, _ := x.from.Tables.DirPath(w.obj)
		x.from.Mu.Unlock()
		now, err := d.Info()
		if err == nil && now.Mode == w.info.Mode|0o700 {
			_, err = x.sites[w.obj.Folder].strict.SetMeta(recorder.Place{Dir: d, Path: rel, Name: "."}, at.Meta{Mode: &w.info.Mode})
		}
		if err != nil {
			x.from.Log.Warn("journal: a directory stays open to its owner", "path", rel, "err", err)
		}
	}
	switch {
	case !w.obj.Made && (settled && !w.theirs || w.fresh):
		_ = d.SetTimes(time.Time{}, w.obj.Base.MTime())
	case !busy && !x.resumed: // only files of its own came and went
		_ = d.SetTimes(time.Time{}, w.info.MTime)
	}
	x.step("dir")
}

// beginLate is Begin for a directory whose turn is last.
func (x *revert) beginLate(s *steps.Step, i *item) error {
	o := i.Fix
	w := x.dirs[o]
	var err error
	if s.At, err = x.spot(o, false); err != nil {
		return err
	}
	if i.Place != nil {
		s.Mode = &o.Base.Mode
	} else if info, lerr := x.lstat(s.At); lerr != nil {
		return lerr
	} else if mode := i.after.Mode; info.Mode == mode || w != nil && w.wide && w.info.Mode == mode {
		s.Mode = &o.Base.Mode
	}
	if w != nil && w.wide && s.Mode != nil {
		w.wide = false
	}
	s.Attrs = x.attrsFor(i, s.At)
	if i.Place != nil || o.Times {
		s.MTime = o.Base.MTime()
	}
	return nil
}

// astray reports whether what the task made in dir, which is not where the task left it, may
// still exist: a person renamed the directory, or moved it away. The outermost directory that
// is missing decides. One of the person's may be anywhere; one that the task made was removed
// with everything in it unless it is somewhere else in the folder.
func (x *revert) astray(dir *ledger.Object) bool {
	for range ledger.MaxPathLen {
		up, _, ok := x.from.Spot(dir)
		if !ok || up == nil {
			return false // the task left it nowhere
		}
		d, err := x.open(up)
		if err == nil {
			d.Close()
		}
		if !recorder.IsMissing(err) {
			return !dir.Made || x.elsewhere(dir)
		}
		dir = up
	}
	return true
}

// elsewhere reports whether a directory that the task made is anywhere in its folder. All of
// the folder is read for the first that is missing.
func (x *revert) elsewhere(o *ledger.Object) bool {
	if seen := x.moved[o.Folder]; seen != nil {
		return seen[o]
	}
	root, err := x.open(o.Folder.Root)
	if err != nil {
		return false
	}
	defer root.Close()
	seen := map[*ledger.Object]bool{}
	_ = walk(x.ctx, root, ".", func(_ string, info at.Info) error {
		if info.Kind != at.Directory {
			return nil
		}
		x.from.Mu.Lock()
		defer x.from.Mu.Unlock()
		if made := x.from.Tables.Inodes[info.ID]; made != nil && made.Made {
			seen[made] = true
		}
		return nil
	})
	if x.ctx.Err() != nil {
		return true // nobody knows
	}
	x.moved[o.Folder] = seen
	return seen[o]
}
