package journal

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// deathSlack is how long after the newest record a change may have happened
// that still counts as the task's: the log hears of a busy task every
// SyncDelay.
const deathSlack = SyncDelay + 2*time.Second

// roots opens the folders for looking and undoing, those that are in use by
// their handle. A folder that cannot be opened has none.
type roots struct {
	open map[*ledger.Folder]*at.Root
	own  []*at.Root
}

func (j *Journal) openRoots() *roots {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &roots{open: map[*ledger.Folder]*at.Root{}}
	for _, t := range j.tables.Folders {
		if f := j.live[t.ID]; f != nil {
			r.open[t] = f.root.Retain()
			r.own = append(r.own, f.root)
			continue
		}
		root, err := at.OpenRoot(t.Path)
		if err != nil {
			j.log.Info("journal: a folder cannot be opened", "path", t.Path, "err", err)
			continue
		}
		info, err := root.Lstat(".")
		if err == nil && (info.Ino != t.Root.Ident.Ino || info.Born != t.Root.Ident.Born) {
			err = errors.New("another folder is in its place")
		}
		if err == nil && info.Dev != t.Root.Ident.Dev {
			_, err = j.put(ledger.FolderRecord{ID: t.ID, Path: []byte(t.Path), Inode: &info.ID})
		}
		if err != nil {
			j.log.Warn("journal: a folder is not used", "path", t.Path, "err", err)
			root.Close()
			continue
		}
		r.open[t] = root
		r.own = append(r.own, root)
	}
	return r
}

func (r *roots) close() {
	for _, root := range r.own {
		root.Close()
	}
}

// stop keeps tasks from changing anything until the returned function is
// called.
func (j *Journal) stop() func() {
	j.mu.Lock()
	var live []*Folder
	for _, f := range j.live {
		live = append(live, f)
	}
	j.mu.Unlock()
	for _, f := range live {
		f.gate.Lock()
	}
	return func() {
		for _, f := range live {
			f.gate.Unlock()
		}
	}
}

// settled finishes what a crash left open, before anything new is changed;
// j.undoMu is held.
func (j *Journal) settled(ctx context.Context) error {
	if !j.stale {
		return nil
	}
	_, _, err := j.list(ctx, false)
	return err
}

// refresh looks at every object that the task changed and nobody has looked at
// since, and writes down how the task left it. Those that are open at this
// moment are in the result instead. Unless tasks are stopped, what is not found
// as expected may just be on its way somewhere else: that is left for later.
func (j *Journal) refresh(ctx context.Context, r *roots, stopped bool) (map[*ledger.Object]ledger.State, error) {
	j.mu.Lock()
	var list []*ledger.Object
	for _, o := range j.tables.Objects {
		if o.Touch == ledger.TouchOpen || o.Touch == ledger.TouchQuiet || o.Base.Sum == "" && o.NeedsSum() {
			list = append(list, o)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(list, func(a, b *ledger.Object) int { return int(a.ID) - int(b.ID) })
	live := map[*ledger.Object]ledger.State{}
	for _, o := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := j.sumBefore(ctx, r, o); err != nil {
			return nil, err
		}
		if err := j.lookAt(ctx, r, o, live, stopped); err != nil {
			return nil, err
		}
	}
	return live, nil
}

func (j *Journal) sumBefore(ctx context.Context, r *roots, o *ledger.Object) error {
	j.mu.Lock()
	need := o.NeedsSum() && o.Base.Sum == ""
	j.mu.Unlock()
	if !need {
		return nil
	}
	c, err := j.before(ctx, r, o)
	if err != nil {
		return ctx.Err() // what is missing is named when it is undone
	}
	defer c.Close()
	sum, err := Sum(ctx, c)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil // a person made it shorter
	}
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s := o.Base
	s.Sum = sum
	_, err = j.put(ledger.HashRecord{Object: o.ID, State: &s})
	return err
}

// lookAt finds out how the task left o.
func (j *Journal) lookAt(ctx context.Context, r *roots, o *ledger.Object, live map[*ledger.Object]ledger.State, stopped bool) error {
	j.mu.Lock()
	dir, name, ok := j.tables.Spot(o)
	rel := "."
	if ok && dir != nil {
		rel, ok = j.tables.DirPath(dir)
	}
	touch, last, writers, stale, suspect := o.Touch, o.Last, o.Writers, o.Stale, o.Suspect
	hashed := o.Kind == at.File && (o.Made || o.Image != nil) && !o.Unhashed()
	inParts := o.Kind == at.File && !o.Made && o.Unhashed()
	root := r.open[o.Folder]
	settled := stopped || j.live[o.Folder.ID] == nil
	j.mu.Unlock()
	if !ok || root == nil || touch != ledger.TouchOpen && touch != ledger.TouchQuiet {
		return nil // gone with its last name, or out of reach
	}
	now, err := j.read(ctx, root, rel, name, o, hashed)
	if err == nil && inParts {
		now.Equal, err = j.equalParts(ctx, root, rel, name, o)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	doubt := touch == ledger.TouchQuiet && err == nil && !now.Untouched(last) && !(last.SameData(now) && !j.later(now))
	switch {
	case suspect && err == nil && (now.Untouched(last) || j.later(now)):
		return j.acquit(o, now)
	case !settled && (err != nil || doubt):
		return nil
	case err != nil && touch == ledger.TouchQuiet:
		now = last
		now.Sum, now.CSec = "", 0
	case err != nil:
		now = ledger.State{Lost: true}
	case writers > 0:
		live[o] = now
		return nil
	case doubt:
		attrs := now.Attrs
		now = last // a person changed it since, or may have
		now.Sum, now.CSec = "", 0
		if o.Kind == at.Directory {
			now.Attrs = attrs // names in it came and went, no more
		}
	case stale && j.later(now):
		now.Lost = true
	}
	if o.Kind != at.Symlink || err != nil {
		now.Target = last.Target
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if o.Touch != touch || o.Writers != writers || o.Last != last {
		return nil // changed again while it was read
	}
	o.Stale = false
	_, err = j.put(ledger.AfterRecord{Object: o.ID, State: &now})
	return err
}

// acquit notes that the task did nothing to what was kept ahead. If somebody
// else did, that is what was there before.
func (j *Journal) acquit(o *ledger.Object, now ledger.State) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !o.Suspect || o.Writers > 0 {
		return nil // the task came to it meanwhile
	}
	o.Suspect, o.Stale, o.Touch = false, false, ledger.TouchNone
	if now.Untouched(o.Last) {
		return nil
	}
	now.Sum, now.Attrs, now.Equal = "", "", false
	_, err := j.put(ledger.RebaseRecord{Object: o.ID, Inode: &o.Ident, State: &now, Gen: o.Gen})
	return err
}

// later reports whether something happened to an inode after the task of a
// former process of this program, or after that died.
func (j *Journal) later(s ledger.State) bool {
	slack := time.Millisecond // the resolution of records
	if j.died {
		slack = deathSlack
	}
	return time.Unix(s.CSec, s.CNsec).After(j.death.Add(slack))
}

// read returns the state of the object at a name, hashed if wanted.
func (j *Journal) read(ctx context.Context, root *at.Root, rel, name string, o *ledger.Object, hashed bool) (ledger.State, error) {
	d, err := root.Dir(rel)
	if err != nil {
		return ledger.State{}, err
	}
	defer d.Close()
	p := place{Dir: d, Name: name}
	if o.Parent == nil {
		p.Name = "."
	}
	info, err := p.lstat()
	if err != nil {
		return ledger.State{}, err
	}
	if info.Kind != o.Kind || info.ID != o.Ident && info.Born != 0 {
		return ledger.State{}, os.ErrNotExist
	}
	s := ledger.StateOf(info)
	if info.Kind == at.Symlink {
		target, err := d.Readlink(name)
		s.Target = ledger.Raw(target)
		return s, err
	}
	attrs := j.digest(o, p)
	if !hashed || info.Size > ledger.HashLimit && info.Blocks*512 < info.Size/2 {
		s.Attrs = attrs
		return s, nil
	}
	f, got, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		s.Attrs = attrs
		return s, nil // known by its times then
	}
	defer f.Close()
	s = ledger.StateOf(got)
	s.Attrs = attrs
	s.Sum, err = Sum(ctx, f)
	return s, err
}
