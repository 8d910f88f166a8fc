package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// A revert takes changes of one journal back by steps that it records in another, like the work of
// a task: an undo takes back the task's and records in the journal of undos, a redo takes back what
// that recorded and records in the task's. Tasks are stopped and the caller is Alone.
//
// What tells a person's work from others': a file is as from's task left it, or as into's steps left
// it, or it is the person's.
//
// The records about what was taken back wait in notes until the folders are durable: they give up
// what from keeps. Until then from's log says nothing of the run but that it began, and after a
// crash takeOver finds out from into how far it came.
type revert struct {
	j          *Journal
	from, into *recorder.Recorder
	verb       string // "undo" or "redo"
	roots      *recorder.Roots
	sites      map[*ledger.Folder]*site // by folder of from
	opts       UndoOptions
	resumed    bool
	ctx        context.Context
	live       map[*ledger.Object]ledger.State // files that are open
	items      []*item
	of         map[*steps.Step]*item
	belong     map[*ledger.Entry][]*item // by the name that they are to have again
	moved      map[*ledger.Folder]map[*ledger.Object]bool
	links      otherNames
	dirs       map[*ledger.Object]*workDir
	ended      time.Time // of the task's last change
	notes      []ledger.Record
	noted      time.Time
	lazy       bool // the store, the log and the folders are made durable at once
	each       bool // with lazy: the steps that are left make durable what they need, one by one, because they wait for one another
	report     Report
	lacking    map[*ledger.Object]error
	all        bool                // nothing was chosen
	former     map[string][]former // of a run that goes on: what changes were about, by their ids
	unkept     error               // why the rest cannot be done

	undone map[string]ledger.Undone // of a redo: what it does again
	lost   []Change                 // of a redo: what nobody can do again
}

// site is a folder in which a revert works.
type site struct {
	root                  *at.Root
	lazy, strict, careful *recorder.Changer // a careful one keeps what it destroys, or destroys nothing
}

// item is a change on its way back.
type item struct {
	*ledger.Step
	step                   *steps.Step
	removed, placed, fixed bool
	complete               bool           // what was placed has its content, mode and time already
	joins                  bool           // a directory that a person made anew at its name stands for it
	asIs                   bool           // it stays as a person made it through another name
	force                  bool           // whatever a person did since: they said so
	begun                  bool           // something of it is done
	over                   Reason         // about this
	made                   *ledger.Object // what Remove meant when the run began
	kept                   bool           // with the others, where the run is lazy
	lifted                 bool           // it has a temporary name
	home                   *ledger.Entry  // the name that it had before
	staged                 bool           // a file with its content stands beside its place
	seen                   at.Info        // what a former action of the step left
	after                  ledger.State
	takes                  at.ID        // of what loses its name or its content
	marks                  ledger.Marks // in into
	conflict               *Conflict
	apart                  string // what the journal has taken in and does not give back
	beside                 bool   // what was before has a name of its own beside what is there
}

func (i *item) done() bool { return i.conflict == nil && i.removed && i.placed && i.fixed }

func (i *item) folder() *ledger.Folder {
	if i.Object != nil {
		return i.Object.Folder
	}
	return i.Entry.Dir.Folder
}

// prepare opens the folders and lists what from has to take back.
func (j *Journal) prepare(ctx context.Context, from, into *recorder.Recorder) (*revert, []*ledger.Step, error) {
	x := &revert{j: j, ctx: ctx, from: from, into: into, verb: "undo", sites: map[*ledger.Folder]*site{}, of: map[*steps.Step]*item{},
		belong: map[*ledger.Entry][]*item{}, moved: map[*ledger.Folder]map[*ledger.Object]bool{}, dirs: map[*ledger.Object]*workDir{},
		lacking: map[*ledger.Object]error{}, former: map[string][]former{}, links: otherNames{}}
	if from != j.rec {
		x.verb = "redo"
	}
	x.roots = from.OpenRoots()
	for t, root := range x.roots.Open {
		f, err := into.FolderAs(t, root)
		if err != nil {
			x.close()
			return nil, nil, err
		}
		lossy := into != j.rec // a task's change is refused without room; undo is not
		x.sites[t] = &site{root, into.Executor(root, f, true, lossy), into.Executor(root, f, false, lossy), into.Executor(root, f, false, false)}
	}
	if _, _, err := into.List(ctx, true); err != nil {
		x.close()
		return nil, nil, err
	}
	list, live, err := recorder.ListIn(ctx, from, x.roots, true)
	if err != nil {
		x.close()
		return nil, nil, err
	}
	from.Mu.Lock()
	x.live, x.ended = live, from.Tables.LastOp
	from.Mu.Unlock()
	return x, list, nil
}

func (x *revert) close() { x.roots.Close() }

// run begins to take changes back: that it did is durable first. all says that nothing was chosen.
func (x *revert) run(ctx context.Context, chosen []*ledger.Step, all bool) (Report, error) {
	if err := recorder.Begin(x.j.rec); err != nil {
		return Report{}, err
	}
	recs := x.opts.Records()
	if all {
		recs = append(recs, ledger.UndoRecord{})
	} else {
		var ids []string
		for _, n := range chosen {
			ids = append(ids, n.Change.ID)
		}
		recs = append(recs, ledger.About[ledger.UndoRecord](ids)...)
	}
	if err := x.from.PutNow(recs...); err != nil {
		return Report{}, err
	}
	x.from.Log.Info("journal: changes are being taken back", "by", x.verb, "changes", len(chosen))
	x.step("begun")
	x.all = all
	return x.work(ctx, chosen, chosen)
}

// work takes changes back. before are all that the run began with: those that are not chosen
// any more were taken back by the run that was interrupted.
func (x *revert) work(ctx context.Context, before, chosen []*ledger.Step) (Report, error) {
	if err := x.into.PutNow(ledger.RunRecord{}); err != nil {
		return Report{}, err
	}
	x.j.rec.Round.Add(1) // files that are open prepare again
	x.from.Undoing.Store(true)
	defer x.from.Undoing.Store(false)
	x.from.Ticks.Arm()
	x.forget(chosen)
	chosen = x.joinDirectories(ctx, chosen)
	var todo []*steps.Step
	x.from.Mu.Lock()
	var known []*ledger.Object
	for _, o := range x.from.Tables.Objects {
		if x.all && o.Kind == at.Directory && !o.Made {
			known = append(known, o) // a directory may have got another time, and no more
		}
	}
	x.from.Mu.Unlock()
	for _, o := range known {
		x.workIn(o)
	}
	x.from.Mu.Lock()
	for _, n := range chosen {
		if x.opts.Resolve[n.Change.ID] == Keep {
			x.report.Kept = append(x.report.Kept, n.Change)
			continue
		}
		i := &item{Step: n, removed: n.Remove == nil, placed: n.Place == nil, fixed: n.Fix == nil}
		i.step = &steps.Step{Change: n.Change, Kind: ledger.KindNamed(n.Change.Kind), Temp: x.temp(n.Change.ID),
			Answered: x.opts.Resolve[n.Change.ID] == Restore}
		if o := n.Fix; o != nil && o.Kind == at.Directory && n.Place == nil {
			i.step.Early = o.Base.Mode&0o300 == 0o300
		}
		x.items, x.of[i.step] = append(x.items, i), i
		todo = append(todo, i.step)
		if i.made = curOf(n.Remove); n.Place != nil {
			x.belong[n.Entry] = append(x.belong[n.Entry], i)
		}
	}
	x.from.Mu.Unlock()
	if err := x.keep(ctx); err != nil {
		if x.resumed {
			return Report{}, err // half of it may be done: it goes on later
		}
		for _, i := range x.items {
			x.fail(i, err) // whoever asked is told that it failed, and must not find it done later
		}
		x.sweep()
		x.closeDirs()
		return x.conclude(ctx, before, err)
	}
	x.step("all-kept")
	x.links.find(ctx, x)
	run := steps.Run{Owner: x, Hook: x.runs}
	if x.lazy {
		run.Round = func(stuck bool) bool {
			if stuck {
				stuck, x.each = !x.each, true
				return stuck
			}
			x.unkept = x.keepRound(ctx)
			return false
		}
	}
	err := errors.Join(run.Do(ctx, todo), x.unkept)
	if ctx.Err() != nil {
		err = errors.Join(err, x.land(context.WithoutCancel(ctx)))
	}
	x.j.tries += run.Tries
	x.sweep()
	x.closeDirs()
	return x.finish(ctx, before, err)
}

// land gives what a run that is stopped has lifted its old name back. Where something else has that by
// now, the names that are left are dealt with.
func (x *revert) land(ctx context.Context) error {
	var up []*item
	for _, i := range x.items {
		if !i.lifted || i.placed {
			continue
		}
		pl, err := x.slot(i.home.Dir, i.home.Name, false)
		if err == nil {
			_, err = x.lstat(pl)
		}
		if errors.Is(err, steps.ErrGone) {
			x.putDown(i)
		} else {
			up = append(up, i)
		}
	}
	if len(up) == 0 {
		return nil
	}
	var list []*steps.Step
	for _, i := range x.items {
		if i.conflict == nil && (i.Place == nil && !i.removed || i.Place != nil && !i.placed && i.Change.Effect == EffectMove) {
			list = append(list, i.step)
		}
	}
	run := steps.Run{Owner: x, Hook: x.runs}
	err := run.Do(ctx, list)
	for _, s := range list {
		x.of[s].conflict = nil // it may only have missed what is not done yet
	}
	return err
}

// step tells tests how far the run is.
func (x *revert) step(name string) { x.j.rec.Step(x.verb + "-" + name) }

// runs hears of each action.
func (x *revert) runs(name string) {
	if x.verb == "redo" {
		x.j.rec.Step(name)
	} else if name == "rewrite" {
		x.step("rewriting")
	} else {
		x.step(name)
	}
}

// temp is the name of something of the run's own. The journal's id in it cannot be guessed by a guest.
func (x *revert) temp(id string) string { return x.prefix() + id }

func (x *revert) prefix() string {
	return strings.Join([]string{".piwork", x.verb, x.j.rec.Tables.ID, ""}, "-")
}

// note takes records about from over, which finish writes down.
func (x *revert) note(recs ...ledger.Record) {
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	x.noted = time.Now().Truncate(time.Millisecond)
	for _, r := range recs {
		if err := x.from.Tables.Apply(r, x.noted); err != nil {
			x.from.Log.Error("journal: a record of undo is wrong", "record", fmt.Sprintf("%T", r), "err", err)
			continue
		}
		x.notes, x.from.Held = append(x.notes, r), true
	}
}

// slot is the place of a name. ErrWait says that its directory is in no place yet, ErrGone that it never
// will be: a person removed it.
func (x *revert) slot(dir *ledger.Object, name string, careful bool) (steps.Place, error) {
	x.from.Mu.Lock()
	rel, ok := x.from.Tables.DirPath(dir)
	lost := !ok && x.from.Tables.Lost(dir)
	x.from.Mu.Unlock()
	s := x.sites[dir.Folder]
	switch {
	case lost:
		return steps.Place{}, steps.ErrGone
	case s == nil:
		return steps.Place{}, fmt.Errorf("%w: the folder %q cannot be opened", steps.ErrGone, dir.Folder.Path)
	case !ok:
		return steps.Place{}, steps.ErrWait
	}
	x.workIn(dir)
	return steps.Place{Folder: s.changer(x.inOneGo(dir.Folder, dir.Ident.Dev), careful), Dir: rel, Name: name}, nil
}

// inOneGo reports whether what lies on a device is made durable with all of the folder: what is mounted
// inside of that is not.
func (x *revert) inOneGo(f *ledger.Folder, dev uint64) bool {
	return x.lazy && !x.each && dev == f.Root.Ident.Dev
}

func (s *site) changer(lazy, careful bool) *recorder.Changer {
	switch {
	case careful:
		return s.careful
	case lazy:
		return s.lazy
	}
	return s.strict
}

// spot is where an object is, as far as from knows.
func (x *revert) spot(o *ledger.Object, careful bool) (steps.Place, error) {
	dir, name, ok := x.from.Spot(o)
	switch {
	case !ok:
		return steps.Place{}, steps.ErrGone
	case dir == nil:
		dir, name = o, "."
	}
	return x.slot(dir, name, careful)
}

// lstat is what is at a place.
func (x *revert) lstat(pl steps.Place) (at.Info, error) {
	rel := pl.Path()
	if pl.Name == "." {
		rel = pl.Dir
	}
	info, err := pl.Folder.Root.Lstat(rel)
	if steps.IsMissing(err) {
		err = fmt.Errorf("%w: %w", steps.ErrGone, err)
	}
	return info, err
}

// joinDirectories makes directories that the task removed and made anew the person's again, with what
// a person and the task put into them. It returns the chosen changes anew: those of files in such a
// directory have other paths and ids than before.
func (x *revert) joinDirectories(ctx context.Context, chosen []*ledger.Step) []*ledger.Step {
	joined := false
	for _, n := range chosen {
		e, o := n.Remove, n.Place
		if e == nil || o == nil || o.Kind != at.Directory || e.Cur == nil || x.opts.Resolve[n.Change.ID] == Keep || ctx.Err() != nil {
			continue
		}
		pl, err := x.slot(e.Dir, e.Name, false)
		if err != nil {
			continue
		}
		info, err := x.lstat(pl)
		if err != nil || info.Kind != at.Directory || e.Cur.Ident.Other(info.ID) {
			continue
		}
		s := ledger.StateOf(info)
		s.Attrs = x.digest(o, e.Dir, e.Name)
		x.note(ledger.BindRecord{Entry: e.ID}, ledger.BindRecord{Entry: e.ID, Object: o.ID},
			ledger.InodeRecord{Object: o.ID, Inode: &info.ID, State: &s}, ledger.OpenRecord{Object: o.ID, Times: true}, ledger.AfterRecord{Object: o.ID, State: &s})
		joined = true
	}
	if !joined {
		return chosen
	}
	asked := map[string]bool{}
	for _, n := range chosen {
		asked[n.Change.ID] = true
	}
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	list := x.from.Tables.Changes(x.live)
	again := map[*ledger.Step]bool{}
	for _, n := range list {
		if asked[n.Change.ID] {
			again[n] = true
		}
	}
	x.from.Tables.Spread(list, again)
	return picked(list, again)
}

// digest is the hash of the attributes of what is at a name, where from keeps those of o.
func (x *revert) digest(o, dir *ledger.Object, name string) string {
	d, err := x.open(dir)
	if err != nil {
		return ""
	}
	defer d.Close()
	return x.from.Digest(o, recorder.Place{Dir: d, Name: name})
}

// forget has into give up what it kept for doing former changes of the same things again, where the task
// changed them since, where the same change is taken back again, or where a person has what a former run put
// there replaced: that is kept then. Else this run goes on where the former one was.
func (x *revert) forget(chosen []*ledger.Step) {
	if x.into == x.j.rec || x.resumed {
		return
	}
	type thing struct {
		path   string
		object at.ID
	}
	about := map[thing]bool{} // whether a person has it replaced
	things := func(n *ledger.Step) (list []thing) {
		for _, rel := range []string{n.Change.Path, n.Change.From} {
			if rel != "" {
				list = append(list, thing{path: n.Change.Folder + "/" + rel})
			}
		}
		if n.Object != nil {
			list = append(list, thing{object: n.Object.Ident})
		}
		return list
	}
	for _, n := range chosen {
		for _, t := range things(n) {
			if answer := x.opts.Resolve[n.Change.ID]; answer != Keep {
				about[t] = about[t] || answer == Restore
			}
		}
	}
	x.into.Mu.Lock()
	given := x.into.Tables.Changes(nil)
	x.into.Mu.Unlock()
	var again []ledger.Undone // which those of this run replace
	for _, n := range chosen {
		if u, ok := x.j.undone(n.Change.ID); ok {
			again = append(again, u)
		}
	}
	given = slices.DeleteFunc(given, func(n *ledger.Step) bool {
		list := things(n)
		same := slices.ContainsFunc(list, func(t thing) bool { _, is := about[t]; return is })
		replaced := slices.ContainsFunc(list, func(t thing) bool { return about[t] }) ||
			slices.ContainsFunc(again, func(u ledger.Undone) bool { return u.Marks.Has(n) })
		return !same || !replaced && x.asMade(n)
	})
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	var dropped []string
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	for _, n := range given {
		for id, u := range x.from.Tables.Undone {
			if u.Marks.Has(n) {
				dropped = append(dropped, id)
			}
		}
		for _, r := range x.into.Tables.Acceptance(n) {
			if _, err := x.into.Put(r); err != nil {
				x.into.Log.Warn("journal: a former undo may be in the way of doing this one again", "err", err)
			}
		}
	}
	if err := x.from.PutAll(ledger.About[ledger.DropRecord](dropped)); err != nil {
		x.from.Log.Warn("journal: a former undo stays in the list", "err", err)
	}
	for _, n := range chosen {
		for _, o := range []*ledger.Object{n.Object, curOf(n.Remove)} {
			if o != nil {
				x.meetAgain(o)
			}
		}
	}
}

// asMade reports whether the names and the thing that a step of into is about are as a former run left
// them.
func (x *revert) asMade(n *ledger.Step) bool {
	for _, e := range []*ledger.Entry{n.Entry, n.Remove} {
		if e != nil && !x.isAsMade(e.Dir, e.Name, e.Cur) {
			return false
		}
	}
	if n.Object == nil {
		return true
	}
	dir, name, ok := x.into.Spot(n.Object)
	return !ok || dir != nil && x.isAsMade(dir, name, n.Object)
}

// isAsMade reports whether an object of into, or nothing, is at a name and is as a former run left it.
func (x *revert) isAsMade(in *ledger.Object, name string, o *ledger.Object) bool {
	x.into.Mu.Lock()
	rel, ok := x.into.Tables.DirPath(in)
	after, touched := ledger.State{}, false
	if o != nil {
		after, touched = x.into.Tables.After(o, nil), o.Touch != ledger.TouchNone
	}
	x.into.Mu.Unlock()
	for f, s := range x.sites {
		if f.ID != in.Folder.ID || !ok {
			continue
		}
		d, err := s.root.Dir(rel)
		if err != nil {
			return o == nil && recorder.IsMissing(err)
		}
		defer d.Close()
		info, err := d.Lstat(name)
		switch {
		case o == nil:
			return recorder.IsMissing(err)
		case err != nil || info.ID != o.Ident:
			return false
		case o.Kind == at.Directory: // its times change with the names in it
			return info.Mode == after.Mode && (!o.Times || ledger.StateOf(info).SameData(after)) &&
				x.into.Digest(o, recorder.Place{Dir: d, Name: name}) == after.Attrs
		}
		now := ledger.StateOf(info)
		return now.Untouched(after) || !touched && now.SameData(after) && now.Mode == after.Mode // it was only moved
	}
	return false
}

func curOf(e *ledger.Entry) *ledger.Object {
	if e == nil {
		return nil
	}
	return e.Cur
}

// meetAgain has into take a file as it is now for its before-image, unless a former run changed the file
// and that can still be done again. Both journals' Mu are held.
func (x *revert) meetAgain(o *ledger.Object) {
	mine, s := x.into.Tables.Inodes[o.Ident], x.sites[o.Folder]
	if mine == nil || mine.Touch != ledger.TouchNone || s == nil {
		return
	}
	dir, name, ok := x.from.Tables.Spot(o)
	rel := "."
	if ok && dir != nil {
		rel = x.from.Tables.PathOf(dir, name)
	}
	info, err := s.root.Lstat(rel)
	if !ok || err != nil || info.ID != o.Ident {
		return
	}
	st := ledger.StateOf(info)
	st.Target = mine.Last.Target
	if _, err := x.into.Put(ledger.RebaseRecord{Object: mine.ID, Inode: &info.ID, State: &st, Gen: mine.Gen}); err != nil {
		x.into.Log.Warn("journal: a former undo may be in the way of doing this one again", "err", err)
	}
}

// fail leaves a change alone.
func (x *revert) fail(i *item, err error) {
	if i.conflict == nil && !i.done() {
		c := ConflictOf(i.Change, err)
		i.conflict = &c
	}
}

// finish makes what was done durable and writes it down.
func (x *revert) finish(ctx context.Context, before []*ledger.Step, failed error) (Report, error) {
	x.step("done")
	if lost := x.makeDurable(); lost != nil {
		x.from.Mu.Lock()
		x.from.Held = true // a second look would believe what the disk has lost
		x.from.Mu.Unlock()
		recorder.Lost(x.j.rec)
		return Report{}, errors.Join(failed, lost, ctx.Err())
	}
	x.step("durable")
	return x.conclude(ctx, before, failed)
}

// conclude writes down what was done, which is durable.
func (x *revert) conclude(ctx context.Context, before []*ledger.Step, failed error) (Report, error) {
	x.into.Mu.Lock()
	_, err := x.into.Put(ledger.RunRecord{End: true})
	x.into.Mu.Unlock()
	failed = errors.Join(failed, err)
	recs := x.settle(ctx, before)
	stopped := ctx.Err() != nil && (x.resumed || errors.Is(context.Cause(ctx), ErrLater)) // and goes on where it was
	if !stopped {
		recs = append(recs, ledger.UndoEndRecord{})
	}
	x.from.Mu.Lock()
	err = x.write(recs)
	x.from.Mu.Unlock()
	if err == nil {
		err = x.from.Sync(x.from.File.Position())
	}
	if err == nil {
		x.clean()
	}
	if err == nil && !stopped {
		recorder.End(x.j.rec)
	}
	slices.SortFunc(x.report.Redone, ledger.ByPath)
	return x.report, errors.Join(failed, err, ctx.Err())
}

// write appends the notes and then recs, which are not in the tables yet; from.Mu is held.
func (x *revert) write(recs []ledger.Record) error {
	if x.from.Closed {
		return ErrClosed
	}
	for part := range slices.Chunk(x.notes, 1000) {
		if _, err := ledger.AppendTo(x.from.File, x.noted, part...); err != nil {
			return err
		}
	}
	x.notes, x.from.Held = nil, false
	x.from.Ticks.Arm()
	return x.from.PutAll(recs)
}

// makeDurable makes what was recorded, and then the folders, durable.
func (x *revert) makeDurable() error {
	if x.lazy {
		if err := x.into.Store.SyncAll(); err != nil {
			return err
		}
	}
	if err := x.into.Sync(x.into.File.Position()); err != nil {
		return err
	}
	for t, s := range x.sites {
		err := error(nil)
		if x.lazy {
			err = s.root.SyncAll()
		}
		for _, w := range x.dirs {
			if err == nil && w.obj.Folder == t && (!x.lazy || w.obj.Parent == nil || w.obj.Ident.Dev != t.Root.Ident.Dev) {
				err = x.syncDir(w.obj)
			}
		}
		if err != nil {
			return fmt.Errorf("making %q durable: %w", t.Path, err)
		}
	}
	return nil
}

func (x *revert) syncDir(o *ledger.Object) error {
	d, err := x.open(o)
	if recorder.IsMissing(err) || errors.Is(err, fs.ErrPermission) {
		return nil // removed, or closed again
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// settle completes the report and returns the records of what was taken back.
func (x *revert) settle(ctx context.Context, before []*ledger.Step) []ledger.Record {
	now := time.Now().UTC()
	marks := map[string]ledger.Marks{}
	open := map[string]bool{} // what is not taken back
	for _, c := range x.report.Kept {
		open[c.ID] = true
	}
	var recs []ledger.Record
	x.from.Mu.Lock()
	for _, i := range x.items {
		marks[i.Change.ID] = i.marks
		switch {
		case i.done():
			if i.beside {
				recs = append(recs, x.from.Tables.Acceptance(i.Step)...)
			}
		case i.conflict == nil && ctx.Err() != nil:
			open[i.Change.ID] = true // stopped before its turn; it stays in the list
		default:
			if i.conflict == nil {
				c := ConflictOf(i.Change, steps.ErrWait)
				i.conflict = &c
			}
			open[i.Change.ID] = true
		}
	}
	x.from.Mu.Unlock()
	if x.into == x.j.rec {
		return append(recs, x.settleRedo(open)...)
	}
	for _, i := range x.items {
		if i.conflict != nil {
			x.report.Conflicts = append(x.report.Conflicts, *i.conflict)
		}
		if err := x.lacking[i.Object]; err != nil && i.done() {
			c := i.Change
			c.Undone = &now
			x.report.Lacking = append(x.report.Lacking, Conflict{Change: c, Reason: ReasonRights, Detail: err.Error()})
		}
	}
	for _, n := range before {
		if open[n.Change.ID] {
			continue
		}
		c := n.Change
		c.Undone = &now
		x.report.Undone = append(x.report.Undone, c)
		recs = append(recs, ledger.UndoneRecord{Change: &c, Marks: x.marksOf(c.ID, marks[c.ID])})
	}
	return recs
}

// settleRedo reports which undone changes were done again, and drops them from those. open are steps that were not made.
func (x *revert) settleRedo(open map[string]bool) []ledger.Record {
	var done []string
	for _, c := range x.lost {
		x.report.Conflicts = append(x.report.Conflicts, ConflictOf(c, ErrNoImage))
	}
	for id, u := range x.undone {
		if slices.ContainsFunc(x.lost, func(c Change) bool { return c.ID == id }) {
			continue
		}
		whole := true
		for _, i := range x.items {
			if !u.Marks.Has(i.Step) || !open[i.Change.ID] {
				continue
			}
			if whole = false; i.conflict != nil {
				c := *i.conflict
				c.Change = u.Change
				x.report.Conflicts = append(x.report.Conflicts, c)
				break
			}
		}
		if whole {
			c := u.Change
			c.Undone = nil
			x.report.Redone = append(x.report.Redone, c)
			done = append(done, id)
		}
	}
	slices.SortFunc(x.report.Conflicts, func(a, b Conflict) int { return ledger.ByPath(a.Change, b.Change) })
	if err := x.into.PutNow(ledger.About[ledger.DropRecord](done)...); err != nil {
		x.into.Log.Warn("journal: what was done again may be called undone", "err", err)
	}
	return nil
}

// clean removes files of the stores that nothing refers to any more.
func (x *revert) clean() {
	for _, i := range x.items {
		if i.apart != "" && i.done() {
			_ = x.from.Refs.Remove(i.apart) // it would only hold on to the person's file
		}
	}
	x.from.Mu.Lock()
	defer x.from.Mu.Unlock()
	if err := x.from.SweepStore(); err != nil {
		x.from.Log.Warn("journal: files of the store stay", "err", err)
	}
}
