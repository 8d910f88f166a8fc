package journal

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
)

// deathSlack is how long after the newest record a change may have happened
// that still counts as the task's: the log hears of a busy task every
// SyncDelay.
const deathSlack = SyncDelay + 2*time.Second

// Files of more than hashLimit bytes that are mostly holes are not hashed: a
// guest makes them with one call, and reading them takes hours.
const hashLimit = 1 << 30

// roots opens the folders for looking and undoing, those that are in use by
// their handle. A folder that cannot be opened has none.
type roots struct {
	open map[*folderTable]*at.Root
	own  []*at.Root
}

func (j *Journal) openRoots() *roots {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &roots{open: map[*folderTable]*at.Root{}}
	for _, t := range j.tables.folders {
		if f := j.live[t.id]; f != nil {
			r.open[t] = f.root.Retain()
			r.own = append(r.own, f.root)
			continue
		}
		root, err := at.OpenRoot(t.path)
		if err != nil {
			j.log.Info("journal: a folder cannot be opened", "path", t.path, "err", err)
			continue
		}
		info, err := root.Lstat(".")
		if err == nil && (info.Ino != t.root.ident.Ino || info.Born != t.root.ident.Born) {
			err = errors.New("another folder is in its place")
		}
		if err == nil && info.Dev != t.root.ident.Dev {
			_, err = j.put(folderRecord{ID: t.id, Path: []byte(t.path), Inode: &info.ID})
		}
		if err != nil {
			j.log.Warn("journal: a folder is not used", "path", t.path, "err", err)
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
func (j *Journal) refresh(ctx context.Context, r *roots, stopped bool) (map[*object]state, error) {
	j.mu.Lock()
	var list []*object
	for _, o := range j.tables.objects {
		if o.touch == touchOpen || o.touch == touchQuiet || o.base.Sum == "" && o.needsSum() {
			list = append(list, o)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(list, func(a, b *object) int { return int(a.id) - int(b.id) })
	live := map[*object]state{}
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

// needsSum reports whether the content before is kept and to be hashed.
func (o *object) needsSum() bool {
	return o.kind == at.File && !o.made && (o.image != nil || o.ref != 0) && !o.unhashed()
}

// unhashed reports whether o is so large that its content is compared part by
// part: reading all of it for a few changed bytes takes minutes.
func (o *object) unhashed() bool {
	return o.image != nil && o.image.parts && o.image.size > hashLimit
}

func (j *Journal) sumBefore(ctx context.Context, r *roots, o *object) error {
	j.mu.Lock()
	need := o.needsSum() && o.base.Sum == ""
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
	s := o.base
	s.Sum = sum
	_, err = j.put(hashRecord{Object: o.id, State: &s})
	return err
}

// lookAt finds out how the task left o.
func (j *Journal) lookAt(ctx context.Context, r *roots, o *object, live map[*object]state, stopped bool) error {
	j.mu.Lock()
	dir, name, ok := j.tables.spot(o)
	rel := "."
	if ok && dir != nil {
		rel, ok = j.tables.dirPath(dir)
	}
	touch, last, writers, stale, suspect := o.touch, o.last, o.writers, o.stale, o.suspect
	hashed := o.kind == at.File && (o.made || o.image != nil) && !o.unhashed()
	inParts := o.kind == at.File && !o.made && o.unhashed()
	root := r.open[o.folder]
	settled := stopped || j.live[o.folder.id] == nil
	j.mu.Unlock()
	if !ok || root == nil || touch != touchOpen && touch != touchQuiet {
		return nil // gone with its last name, or out of reach
	}
	now, err := j.read(ctx, root, rel, name, o, hashed)
	if err == nil && inParts {
		now.Equal, err = j.equalParts(ctx, root, rel, name, o)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	doubt := touch == touchQuiet && err == nil && !now.untouched(last) && !(last.sameData(now) && !j.later(now))
	switch {
	case suspect && err == nil && (now.untouched(last) || j.later(now)):
		return j.acquit(o, now)
	case !settled && (err != nil || doubt):
		return nil
	case err != nil && touch == touchQuiet:
		now = last
		now.Sum, now.CSec = "", 0
	case err != nil:
		now = state{Lost: true}
	case writers > 0:
		live[o] = now
		return nil
	case doubt:
		attrs := now.Attrs
		now = last // a person changed it since, or may have
		now.Sum, now.CSec = "", 0
		if o.kind == at.Directory {
			now.Attrs = attrs // names in it came and went, no more
		}
	case stale && j.later(now):
		now.Lost = true
	}
	if o.kind != at.Symlink || err != nil {
		now.Target = last.Target
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if o.touch != touch || o.writers != writers || o.last != last {
		return nil // changed again while it was read
	}
	o.stale = false
	_, err = j.put(afterRecord{Object: o.id, State: &now})
	return err
}

// acquit notes that the task did nothing to what was kept ahead. If somebody
// else did, that is what was there before.
func (j *Journal) acquit(o *object, now state) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !o.suspect || o.writers > 0 {
		return nil // the task came to it meanwhile
	}
	o.suspect, o.stale, o.touch = false, false, touchNone
	if now.untouched(o.last) {
		return nil
	}
	now.Sum, now.Attrs, now.Equal = "", "", false
	_, err := j.put(rebaseRecord{Object: o.id, Inode: &o.ident, State: &now, Gen: o.gen})
	return err
}

// later reports whether something happened to an inode after the task of a
// former process of this program, or after that died.
func (j *Journal) later(s state) bool {
	slack := time.Millisecond // the resolution of records
	if j.died {
		slack = deathSlack
	}
	return time.Unix(s.CSec, s.CNsec).After(j.death.Add(slack))
}

// read returns the state of the object at a name, hashed if wanted.
func (j *Journal) read(ctx context.Context, root *at.Root, rel, name string, o *object, hashed bool) (state, error) {
	d, err := root.Dir(rel)
	if err != nil {
		return state{}, err
	}
	defer d.Close()
	p := place{Dir: d, Name: name}
	if o.parent == nil {
		p.Name = "."
	}
	info, err := p.lstat()
	if err != nil {
		return state{}, err
	}
	if info.Kind != o.kind || info.ID != o.ident && info.Born != 0 {
		return state{}, os.ErrNotExist
	}
	s := stateOf(info)
	if info.Kind == at.Symlink {
		target, err := d.Readlink(name)
		s.Target = raw(target)
		return s, err
	}
	attrs := j.digest(o, p)
	if !hashed || info.Size > hashLimit && info.Blocks*512 < info.Size/2 {
		s.Attrs = attrs
		return s, nil
	}
	f, got, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		s.Attrs = attrs
		return s, nil // known by its times then
	}
	defer f.Close()
	s = stateOf(got)
	s.Attrs = attrs
	s.Sum, err = Sum(ctx, f)
	return s, err
}
