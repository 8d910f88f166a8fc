package recorder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// DeathSlack is how long after the newest record what undo or redo did may have happened: the log
// hears of them every SyncDelay.
const DeathSlack = SyncDelay + 2*time.Second

// Roots opens the folders for looking and undoing, those that are in use by
// their handle. A folder that cannot be opened has none.
type Roots struct {
	Open map[*ledger.Folder]*at.Root
	Away error // why folders got none: whatever it is, they may come back
	own  []*at.Root
}

// OpenRoots opens the folders of the journal.
func (j *Recorder) OpenRoots() *Roots {
	shared := j.sharedRoots()
	defer func() {
		for _, root := range shared {
			root.Close()
		}
	}()
	j.Mu.Lock()
	defer j.Mu.Unlock()
	r := &Roots{Open: map[*ledger.Folder]*at.Root{}}
	for _, t := range j.Tables.Folders {
		if f := j.live[t.ID]; f != nil {
			r.Open[t] = f.root.Retain()
			r.own = append(r.own, f.root)
			continue
		}
		if root := shared[t.ID]; root != nil {
			if info, err := root.Lstat("."); err == nil && info.ID == t.Root.Ident {
				r.Open[t] = root.Retain()
				r.own = append(r.own, root)
				continue
			}
		}
		var info at.Info
		root, err := drive.Await(context.Background(), t.Path, func() (root *at.Root, err error) {
			if root, err = at.OpenRoot(t.Path); err == nil {
				info, err = root.Lstat(".")
			}
			return root, err
		}, (*at.Root).Close)
		if root == nil {
			j.Log.Info("journal: a folder cannot be opened", "path", t.Path, "err", err)
			r.Away = errors.Join(r.Away, err)
			continue
		}
		if err == nil && !t.Root.Ident.Same(info.ID) {
			// The empty mount point of a disk looks the same.
			err = &fs.PathError{Op: "open", Path: t.Path, Err: at.ErrMoved}
		}
		if err == nil && info.ID != t.Root.Ident {
			_, err = j.Put(ledger.FolderRecord{ID: t.ID, Path: []byte(t.Path), Inode: &info.ID})
		}
		if err != nil {
			j.Log.Warn("journal: a folder is not used", "path", t.Path, "err", err)
			r.Away = errors.Join(r.Away, err)
			root.Close()
			continue
		}
		r.Open[t] = root
		r.own = append(r.own, root)
	}
	return r
}

// sharedRoots are those that the task's journal has open, for that of its undos. The caller
// closes each.
func (j *Recorder) sharedRoots() map[string]*at.Root {
	if j.Task == nil {
		return nil
	}
	j.Task.Mu.Lock()
	defer j.Task.Mu.Unlock()
	out := map[string]*at.Root{}
	for id, f := range j.Task.live {
		out[id] = f.root.Retain()
	}
	return out
}

// Close ends their use.
func (r *Roots) Close() {
	for _, root := range r.own {
		root.Close()
	}
}

// Stop keeps tasks from changing anything until the returned function is
// called. It waits for their changes under way, which a silent disk may hold up, until ctx ends.
func (j *Recorder) Stop(ctx context.Context) (func(), error) {
	j.Mu.Lock()
	var live []*Folder
	for _, f := range j.live {
		live = append(live, f)
	}
	j.Mu.Unlock()
	var stopped []*Folder
	start := func() {
		for _, f := range stopped {
			f.Rec.gate.Unlock()
		}
	}
	for _, f := range live {
		got := make(chan struct{})
		go func() {
			f.Rec.gate.Lock()
			select {
			case got <- struct{}{}:
			case <-ctx.Done():
				f.Rec.gate.Unlock()
			}
		}()
		select {
		case <-got:
			stopped = append(stopped, f)
		case <-ctx.Done():
			start()
			return nil, context.Cause(ctx)
		}
	}
	return start, nil
}

// Settled finishes what a crash left open, before anything new is changed;
// the caller is [Recorder.Alone].
func (j *Recorder) Settled(ctx context.Context) error {
	if !j.stale {
		return nil
	}
	_, _, err := j.List(ctx, false)
	return err
}

// renumber writes down the numbers that overlayfs has given anew to what nobody had open: where the
// task left it, or where it was before, should an undo have been interrupted after it moved it.
func (s *survey) renumber() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	var recs []ledger.Record
	look := func(o *ledger.Object, dir *ledger.Object, name string) {
		root := s.r.Open[o.Folder]
		if !o.Ident.Layered || root == nil {
			return
		}
		info, err := root.Lstat(s.Tables.PathOf(dir, name))
		if err == nil && info.Kind == o.Kind && s.Tables.Inodes[info.ID] == nil && o.Ident.Same(info.ID) {
			recs = append(recs, ledger.InodeRecord{Object: o.ID, Inode: &info.ID})
		}
	}
	for _, o := range s.Tables.Objects {
		if dir, name, ok := s.Tables.Spot(o); ok {
			look(o, dir, name)
		}
	}
	for _, e := range s.Tables.Entries {
		for _, o := range e.Bases {
			look(o, e.Dir, e.Name)
		}
	}
	return s.PutAll(recs)
}

// refresh looks at every object that the task changed and nobody has looked at
// since, and writes down how the task left it. Those that are open at this
// moment are in the result instead. Unless tasks are stopped, what is not found
// as expected may just be on its way somewhere else: that is left for later.
func (s *survey) refresh(ctx context.Context) (map[*ledger.Object]ledger.State, error) {
	s.Mu.Lock()
	var list []*ledger.Object
	for _, o := range s.Tables.Objects {
		if o.Touch == ledger.TouchOpen || o.Touch == ledger.TouchQuiet || o.Base.Sum == "" && o.NeedsSum() {
			list = append(list, o)
		}
	}
	s.Mu.Unlock()
	slices.SortFunc(list, func(a, b *ledger.Object) int { return int(a.ID) - int(b.ID) })
	live := map[*ledger.Object]ledger.State{}
	err := Each(ctx, list, Workers(), func(ctx context.Context, o *ledger.Object) error {
		if err := s.sumBefore(ctx, o); err != nil {
			return err
		}
		return s.lookAt(ctx, o, live)
	})
	return live, err
}

func (s *survey) sumBefore(ctx context.Context, o *ledger.Object) error {
	s.Mu.Lock()
	need := o.NeedsSum() && o.Base.Sum == ""
	parts := o.Image != nil && o.Image.Parts // what is not kept has to be read
	s.Mu.Unlock()
	if !need || parts && s.away(o) {
		return nil
	}
	c, err := s.Before(ctx, s.r, o)
	if err != nil {
		return ctx.Err() // what is missing is named when it is undone
	}
	defer c.Close()
	if c.hollow() {
		return nil
	}
	sum, err := Sum(ctx, c)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil // a person made it shorter
	}
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	st := o.Base
	st.Sum = sum
	_, err = s.Put(ledger.HashRecord{Object: o.ID, State: &st})
	return err
}

// away reports whether the file of o is with a cloud service: a list that reads it would
// download it.
func (s *survey) away(o *ledger.Object) bool {
	s.Mu.Lock()
	dir, name, ok := s.Tables.Spot(o)
	root, rel := s.r.Open[o.Folder], s.Tables.PathOf(dir, name)
	s.Mu.Unlock()
	if !ok || root == nil {
		return false
	}
	info, err := root.Lstat(rel)
	return err == nil && info.Online
}

// lookAt finds out how the task left o. live is guarded by Recorder.Mu.
func (s *survey) lookAt(ctx context.Context, o *ledger.Object, live map[*ledger.Object]ledger.State) error {
	s.Mu.Lock()
	dir, name, ok := s.Tables.Spot(o)
	rel := "."
	if ok && dir != nil {
		rel, ok = s.Tables.DirPath(dir)
	}
	touch, last, writers, stale, suspect, freed := o.Touch, o.Last, o.Writers, o.Stale, o.Suspect, o.Freed
	hashed := o.Kind == at.File && (o.Made || o.Image != nil) && !o.Unhashed()
	inParts := o.Kind == at.File && !o.Made && o.Unhashed()
	root := s.r.Open[o.Folder]
	settled := s.stopped || s.live[o.Folder.ID] == nil
	s.Mu.Unlock()
	if !ok || root == nil || touch != ledger.TouchOpen && touch != ledger.TouchQuiet {
		return nil // gone with its last name, or out of reach
	}
	now, err := s.read(ctx, root, rel, name, o, hashed)
	if err == nil && inParts && !s.away(o) {
		now.Equal, err = s.equalParts(ctx, root, rel, name, o)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !IsMissing(err) && !errors.Is(err, os.ErrPermission) {
		return nil // its disk may be gone: that says nothing of the task, and it is asked again
	}
	doubt := touch == ledger.TouchQuiet && err == nil && !asSigned(now, last, freed, stale) && !(now.SameData(last) && s.byUndo(now))
	switch {
	case suspect && err == nil && now.Untouched(last):
		return s.recordUntouched(o, now)
	case !settled && (err != nil || doubt):
		return nil
	case err != nil && touch == ledger.TouchQuiet:
		now = last
		now.Sum, now.CSec = "", 0
	case err != nil:
		now = ledger.State{Lost: true}
	case doubt:
		attrs := now.Attrs
		now = last // a person changed it since, or may have
		now.Sum, now.CSec = "", 0
		if o.Kind == at.Directory {
			now.Attrs = attrs // names in it came and went, no more
		}
	case stale && touch == ledger.TouchOpen && writers == 0:
		now.Lost = !s.provenBy(o, now)
	case touch == ledger.TouchQuiet && hashed && now.Sum == "" && s.away(o): // it is hashed when it is downloaded
		s.Mu.Lock()
		defer s.Mu.Unlock()
		if o.Touch == touch && o.Writers == writers && o.Last == last {
			live[o], o.Freed = now, true
		}
		return nil
	}
	if o.Kind != at.Symlink || err != nil {
		now.Target = last.Target
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if o.Writers > 0 {
		if live[o] = now; err == nil && !doubt {
			if s.stopped { // no task has changed it since it was looked at
				checkLength(o.Writing, now)
			}
			live[o] = byTask(o.Writing, now)
		}
		return nil
	}
	if o.Touch != touch || o.Writers != writers || o.Last != last {
		return nil // changed again while it was read
	}
	_, err = s.Put(ledger.AfterRecord{Object: o.ID, State: &now})
	return err
}

// recordUntouched notes that the task did nothing to a file that was kept ahead. The before-image is
// the file as it is now, with what a person changed since.
func (s *survey) recordUntouched(o *ledger.Object, now ledger.State) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if !o.Suspect || o.Writers > 0 {
		return nil // the task came to it meanwhile
	}
	now.Sum, now.Attrs, now.Equal = "", "", false
	_, err := s.Put(rebased(o, at.Info{ID: o.Ident}, now)...)
	return err
}

// asSigned reports whether a file is as the task left it, by a record. Some disks round times when a
// file leaves the cache, or have no time of the inode; a download changes that, and keeps the other.
func asSigned(now, last ledger.State, freed, stale bool) bool {
	if now.Untouched(last) {
		return true
	}
	if now.Links != last.Links && now.SameData(last) && now.Mode == last.Mode {
		return true // a person made or removed another name of it
	}
	coarse := now.Nsec%1e7 == 0
	return now.SameData(last) && (freed && !coarse || stale && coarse || last.CSec == 0)
}

// byUndo reports whether an undo or a redo that died may have left a file as it is: one that takes changes
// of this journal back, or is recorded in it.
func (s *survey) byUndo(now ledger.State) bool {
	return (s.Tables.Undoing || s.Tables.Running) && !time.Unix(now.CSec, now.CNsec).After(s.death.Add(DeathSlack))
}

// provenBy reports whether what is at the name of an object, which was being changed when the program
// died, is known to be no person's: nothing happened to it since the last record, or its content is
// nothing but what the journal keeps.
func (s *survey) provenBy(o *ledger.Object, now ledger.State) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	switch {
	case s.byUndo(now): // half of it is redone
		return true
	case now.Untouched(o.Last), o.Kind != at.File:
		return true
	case o.Made:
		return now.Size == 0
	case o.Image == nil:
		return now.SameData(o.Last)
	}
	return now.Equal || now.Sum != "" && now.Sum == o.Base.Sum
}

// read returns the state of the object at a name, hashed if wanted and if nothing has to be
// downloaded for it.
func (s *survey) read(ctx context.Context, root *at.Root, rel, name string, o *ledger.Object, hashed bool) (ledger.State, error) {
	d, err := root.Dir(rel)
	if err != nil {
		return ledger.State{}, err
	}
	defer d.Close()
	p := Place{Dir: d, Name: name}
	if o.Parent == nil {
		p.Name = "."
	}
	info, err := p.Lstat()
	if err != nil {
		return ledger.State{}, err
	}
	if info.Kind != o.Kind || info.Born != 0 && !o.Ident.Same(info.ID) {
		return ledger.State{}, os.ErrNotExist
	}
	st := ledger.StateOf(info)
	if info.Kind == at.Symlink {
		target, err := d.Readlink(name)
		st.Target = ledger.Raw(target)
		return st, err
	}
	attrs := s.Digest(o, p)
	if !hashed || info.Online {
		st.Attrs = attrs
		return st, nil
	}
	f, got, err := d.Open(name, os.O_RDONLY)
	if errors.Is(err, os.ErrPermission) {
		st.Attrs = attrs
		return st, nil // known by its times then
	}
	if err != nil {
		return st, err // its name may still be in a cache when its disk is gone
	}
	defer f.Close()
	st = ledger.StateOf(got)
	st.Attrs = attrs
	if at.Hollow(got.Size, f) {
		return st, nil
	}
	st.Sum, err = Sum(ctx, f)
	return st, err
}
