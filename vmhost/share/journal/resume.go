package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// resume finishes an undo or a redo in the middle of which the program died. What is left when
// ctx ends is finished by the next one.
func (j *Journal) resume(ctx context.Context) (done Resumed, err error) {
	ctx, end, err := j.rec.Alone(ctx)
	if err != nil {
		return done, err
	}
	defer end()
	if !j.pending() {
		recorder.End(j.rec) // it died between the record and this
		return done, nil
	}
	return j.finishPending(ctx)
}

// pending reports whether an undo or a redo was interrupted.
func (j *Journal) pending() bool { return undoing(j.rec) || undoing(j.undos.Load()) }

func undoing(r *recorder.Recorder) bool {
	if r == nil {
		return false
	}
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.Tables.Undoing
}

// finishPending is resume, for who is Alone.
func (j *Journal) finishPending(ctx context.Context) (done Resumed, err error) {
	if !j.pending() {
		return done, nil
	}
	if undos := j.undos.Load(); j.rec.Held || undos != nil && undos.Held { // the tables have what a run did, and neither the log nor the disk may
		return done, fmt.Errorf("%w: the journal has to be opened again", ErrUnfinished)
	}
	if err := recorder.Begin(j.rec); err != nil {
		j.rec.Log.Warn("journal: an interrupted undo is not noted", "err", err)
	}
	r := j.rec.OpenRoots()
	away := r.Away // the list would be without what is in them
	if away == nil {
		away = recorder.StillLost(j.rec, r)
	}
	r.Close()
	if away != nil {
		return done, fmt.Errorf("%w: %w", ErrUnfinished, away)
	}
	back, err := j.openUndos()
	if err != nil {
		return done, err
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return done, err
	}
	defer start()
	if undoing(back) {
		done.Redo, err = j.goOn(ctx, back, j.rec)
	}
	if undoing(j.rec) && !errors.Is(err, ErrUnfinished) {
		var undoErr error
		done.Undo, undoErr = j.goOn(ctx, j.rec, back)
		err = errors.Join(err, undoErr)
	}
	report := done.report()
	j.rec.Log.Info("journal: what was interrupted was finished", "undone", len(report.Undone), "redone", len(report.Redone), "conflicts", len(report.Conflicts), "err", err)
	return done, err
}

// goOn finishes a run that was interrupted.
func (j *Journal) goOn(ctx context.Context, from, into *recorder.Recorder) (Report, error) {
	from.Mu.Lock()
	ids, answers := slices.Clone(from.Tables.UndoIDs), from.Tables.Answers
	before := from.Tables.Changes(nil) // as the run found it, but for what a crash left in doubt
	from.Mu.Unlock()
	x, list, err := j.prepare(ctx, from, into)
	if err != nil {
		return Report{}, err
	}
	defer x.close()
	if x.roots.Away != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrUnfinished, x.roots.Away)
	}
	x.opts, x.resumed, x.all = answers, true, len(ids) == 0
	from.Mu.Lock()
	if last := from.Tables.UndoLast; last.After(x.ended) {
		x.ended = last
	}
	from.Mu.Unlock()
	asked := func(n *ledger.Step) bool { return len(ids) == 0 || slices.Contains(ids, n.Change.ID) }
	not := func(n *ledger.Step) bool { return !asked(n) }
	before = slices.DeleteFunc(before, not)
	dirs := map[*ledger.Object]bool{}
	from.Mu.Lock()
	for _, n := range before {
		list := []*ledger.Entry{n.Entry, n.Remove}
		if n.Place != nil {
			list = append(list, n.Place.Gained())
		}
		for _, e := range list {
			if e != nil {
				dirs[e.Dir] = true
				was := former{dir: e.Dir, name: e.Name}
				if e.Cur != nil {
					was.id = e.Cur.Ident
				}
				x.former[n.Change.ID] = append(x.former[n.Change.ID], was)
			}
		}
		if o := n.Object; o != nil {
			dir, name, _ := from.Tables.Spot(o)
			dirs[dir] = true
			x.former[n.Change.ID] = append(x.former[n.Change.ID], former{dir, name, o.Ident})
		}
	}
	delete(dirs, nil)
	from.Mu.Unlock()
	chosen := slices.DeleteFunc(list, not)
	if into == j.rec {
		took := map[*ledger.Step]bool{}
		for _, n := range before {
			took[n] = true
		}
		x.undone, x.lost = j.undoneBy(from, before, took, func(string) bool { return false })
	}
	x.takeOver(ctx, x.joinDirectories(ctx, chosen))
	for o := range dirs { // the run may have done all that is to be done in them
		x.workIn(o)
	}
	x.sweepDirs()
	from.Mu.Lock()
	chosen = slices.DeleteFunc(from.Tables.Changes(x.live), not)
	from.Mu.Unlock()
	return x.work(ctx, before, chosen)
}

// former is what from knew of a place before it heard what the run that was interrupted did.
type former struct {
	dir  *ledger.Object // nil: it had no place
	name string
	id   at.ID
}

// marksOf adds to the marks of a change what the run that was interrupted did for it.
func (x *revert) marksOf(id string, m ledger.Marks) ledger.Marks {
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	for _, was := range x.former[id] {
		if was.dir != nil {
			x.markName(&m, was.dir.Ident, was.name, was.id, x.opts.Resolve[id] == Restore)
		}
		x.markObject(&m, was.id)
	}
	return m
}

// takeOver brings from's tables to what the run that was interrupted did: into has it recorded.
func (x *revert) takeOver(ctx context.Context, list []*ledger.Step) {
	open := map[*ledger.Entry]bool{}
	objects := map[*ledger.Object]bool{}
	belong := map[*ledger.Entry][]*ledger.Object{}
	found := map[*ledger.Object]bool{}
	x.from.Mu.Lock()
	for _, n := range list {
		if n.Place != nil {
			belong[n.Entry] = append(belong[n.Entry], n.Place)
		}
		for _, e := range []*ledger.Entry{n.Entry, n.Remove} {
			if e != nil {
				open[e] = true
			}
		}
		if n.Object != nil {
			objects[n.Object] = true
		}
		if n.Place != nil {
			if e := n.Place.Gained(); e != nil {
				open[e] = true
			}
		}
	}
	x.from.Mu.Unlock()
	x.takeTemps(open)
	for more := true; more && ctx.Err() == nil; {
		more = false
		for e := range open {
			info, err := x.see(e)
			if err != nil {
				continue
			}
			if o := x.whose(info, belong[e]); o != nil {
				x.from.Mu.Lock()
				same := e.Cur == o
				x.from.Mu.Unlock()
				if !same {
					x.note(ledger.BindRecord{Entry: e.ID, Object: o.ID})
				}
				if o.Ident != info.ID {
					x.note(ledger.InodeRecord{Object: o.ID, Inode: &info.ID})
				}
				x.takeRef(o)
				if o.Kind == at.Directory && !o.Made && x.madeByRun(info.ID) {
					s := ledger.StateOf(info)
					s.Attrs = x.digest(o, e.Dir, e.Name) // the run may not have come to these
					x.note(ledger.InodeRecord{Object: o.ID, Inode: &info.ID, State: &s}, ledger.OpenRecord{Object: o.ID, Times: true})
				}
				delete(open, e)
				found[o], more = true, true
			}
		}
	}
	for more := true; more && ctx.Err() == nil; {
		more = false
		for e := range open {
			_, err := x.see(e)
			x.from.Mu.Lock()
			cur := e.Cur
			_, placed := x.from.Tables.DirPath(e.Dir)
			x.from.Mu.Unlock()
			lost := !placed && e.Dir.Made // the run removed the directory, and what was in it before
			gone := recorder.IsMissing(err) || lost
			if cur == nil || gone && (found[cur] || lost && cur.Made) || (gone || err == nil) && x.took(e) {
				if cur != nil {
					x.note(ledger.BindRecord{Entry: e.ID})
				}
				delete(open, e)
				more = true
			} // else a person moved or removed it
		}
	}
	for o := range objects {
		x.takeState(o)
	}
}

// see returns what is at a name, when its directory is where from says.
func (x *revert) see(e *ledger.Entry) (at.Info, error) {
	d, err := x.open(e.Dir)
	if err != nil {
		return at.Info{}, errors.New("not to be reached")
	}
	defer d.Close()
	return d.Lstat(e.Name)
}

// whose returns the object of from that an inode is, or that the run made it for. belong are those that
// belong where it is.
func (x *revert) whose(info at.Info, belong []*ledger.Object) *ledger.Object {
	x.from.Mu.Lock()
	o := x.from.Tables.Inodes[info.ID]
	x.from.Mu.Unlock()
	if o != nil && o.Kind == info.Kind {
		return o
	}
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	made := x.into.Tables.Inodes[info.ID]
	if made == nil {
		return nil
	}
	for _, o := range belong {
		if o.Kind == info.Kind && (x.into.Tables.Reborn[o.ID] == made.ID || made.Made && o.Kind == at.Directory) {
			return o
		}
	}
	return nil
}

func (x *revert) madeByRun(id at.ID) bool {
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	o := x.into.Tables.Inodes[id]
	return o != nil && o.Made
}

// took reports whether the run took what from knows at a name away from there.
func (x *revert) took(e *ledger.Entry) bool {
	x.from.Mu.Lock()
	dir, cur := e.Dir.Ident, e.Cur
	x.from.Mu.Unlock()
	x.into.Mu.Lock()
	defer x.into.Mu.Unlock()
	d := x.into.Tables.Inodes[dir]
	if d == nil || cur == nil {
		return false
	}
	is := x.into.Tables.Names[ledger.Name{Dir: d.ID, Name: e.Name}]
	return is != nil && slices.ContainsFunc(is.Bases, func(o *ledger.Object) bool { return o.Ident == cur.Ident && is.Cur != o })
}

// takeTemps finds what the run had lifted.
func (x *revert) takeTemps(open map[*ledger.Entry]bool) {
	x.into.Mu.Lock()
	type lifted struct {
		folder, name string
		id           at.ID
	}
	var list []lifted
	for _, e := range x.into.Tables.Entries {
		if strings.HasPrefix(e.Name, x.prefix()) && e.Cur != nil && e.Dir.Parent == nil {
			list = append(list, lifted{e.Dir.Folder.ID, e.Name, e.Cur.Ident})
		}
	}
	x.into.Mu.Unlock()
	for _, l := range list {
		x.from.Mu.Lock()
		f, o := x.from.Tables.Folders[l.folder], x.from.Tables.Inodes[l.id]
		moved := o != nil && o.Gained() != nil && l.name == x.temp("o"+strconv.Itoa(int(o.ID)))
		x.from.Mu.Unlock()
		if f == nil || !moved {
			continue
		}
		if old := x.from.Gained(o); old != nil {
			delete(open, old)
		}
		x.bindTo(f.Root, l.name, o)
	}
}

// takeRef has from know that a file that it took in is back in the folder: else it would believe that
// it keeps the file when a task or a redo removes that again.
func (x *revert) takeRef(o *ledger.Object) {
	x.from.Mu.Lock()
	ref := o.Ref
	x.from.Mu.Unlock()
	if ref == 0 {
		return
	}
	if _, err := x.from.Refs.Lstat(ledger.StoreName(o.ID, ref)); errors.Is(err, fs.ErrNotExist) {
		x.note(ledger.RefRecord{Object: o.ID})
	}
}

// takeState has from expect an object as the run left it.
func (x *revert) takeState(o *ledger.Object) {
	x.into.Mu.Lock()
	mine := x.into.Tables.Inodes[o.Ident]
	var s, found ledger.State
	touched := mine != nil && (mine.Touch != ledger.TouchNone || mine.Made)
	if touched {
		s, found = x.into.Tables.After(mine, nil), mine.Base
		touched = !s.Lost || mine.Image != nil // else it was only about to write, and kept nothing yet
	}
	x.into.Mu.Unlock()
	if !touched || o.Kind == at.Directory {
		return
	}
	was := x.after(o)
	if !mine.Made && !s.Lost && s.SameData(found) && !s.SameData(was) {
		return // the run kept what it found and came no further: a person had changed it before
	}
	if s.Sum == "" && !s.Lost && !was.Lost && s.SameData(was) {
		s.Sum, s.Equal = was.Sum, was.Equal // the run changed no more than its names, and nobody hashed it for that
	}
	s.Target = o.Base.Target
	if dir, name, ok := x.from.Spot(o); ok && dir != nil {
		s.Attrs = x.digest(o, dir, name)
	}
	x.note(ledger.OpenRecord{Object: o.ID}, ledger.AfterRecord{Object: o.ID, State: &s})
}

// report is all that was finished.
func (r Resumed) report() Report {
	out := r.Undo
	out.Redone = append(out.Redone, r.Redo.Redone...)
	out.Conflicts = append(out.Conflicts, r.Redo.Conflicts...)
	return out
}

// with is a report with what was finished before, but for its conflicts: whoever asks now answers
// those of what they asked for only.
func with(r Report, before Resumed) Report {
	was := before.report()
	r.Redone = append(was.Redone, r.Redone...)
	r.Lacking = append(was.Lacking, r.Lacking...)
	here := map[string]bool{}
	for _, c := range r.Undone {
		here[c.ID] = true
	}
	for _, c := range was.Undone {
		if !here[c.ID] {
			here[c.ID] = true
			r.Undone = append(r.Undone, c)
		}
	}
	for id, path := range was.Beside {
		if r.Beside == nil {
			r.Beside = map[string]string{}
		}
		r.Beside[id] = path
	}
	slices.SortFunc(r.Undone, ledger.ByPath)
	return r
}

var _ steps.Owner = (*revert)(nil)
