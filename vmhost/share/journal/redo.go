package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
	"piwork/vmhost/share/journal/steps"
)

// Redo does again what undo took back: the changes with the given ids, or all
// that were undone, with what they depend on. It makes them as the task did, so
// they are in the list again, under other ids, and can be undone again.
//
// A change whose file a person changed since the undo, or whose place is taken,
// is reported as a conflict, and so is one whose content the journal had no room
// for; the others are redone all the same. Tasks wait while it runs. A redo that
// was interrupted is finished when the journal is opened again.
func (j *Journal) Redo(ctx context.Context, ids []string) (Report, error) {
	return j.RedoIf(ctx, ids, nil)
}

// RedoIf is Redo of what may be made again: may is asked before anything is done. As in Undo,
// what was interrupted is finished first.
func (j *Journal) RedoIf(ctx context.Context, ids []string, may May) (Report, error) {
	ctx, done, err := j.rec.Alone(ctx)
	if err != nil {
		return Report{}, err
	}
	defer done()
	waited, err := j.finishPending(ctx)
	if err != nil {
		return waited.report(), err
	}
	report, err := j.redo(ctx, ids, may)
	return with(report, waited), err
}

// redo is RedoIf while no undo or redo is pending; the caller is Alone.
func (j *Journal) redo(ctx context.Context, ids []string, may May) (Report, error) {
	if _, _, err := j.rec.List(ctx, false); err != nil {
		return Report{}, err
	}
	start, err := j.rec.Stop(ctx)
	if err != nil {
		return Report{}, err
	}
	defer start()
	if _, _, err := j.rec.List(ctx, true); err != nil {
		return Report{}, err
	}
	j.rec.Mu.Lock()
	chosen, err := j.rec.Tables.ChooseRedo(ids)
	j.rec.Mu.Unlock()
	if err == nil {
		err = may.Ask(slices.Collect(maps.Values(chosen)))
	}
	if err == nil && len(chosen) > 0 {
		err = recorder.Begin(j.rec)
	}
	j.rec.Mu.Lock() // tasks and other undos are stopped: it is as it was
	if err == nil {
		err = j.rec.PutAll(ledger.About[ledger.RedoRecord](slices.Sorted(maps.Keys(chosen))))
	}
	j.rec.Mu.Unlock()
	if err != nil || len(chosen) == 0 {
		return Report{}, err
	}
	if err := j.rec.Sync(j.rec.File.Position()); err != nil {
		return Report{}, err
	}
	j.rec.Step("redo-begun")
	return j.runRedo(ctx, chosen, false)
}

// redoing is one redo at work: the owner of its steps. Tasks are stopped and
// the caller is Alone.
type redoing struct {
	j       *recorder.Recorder
	own     *Journal
	folders map[*ledger.Folder]*recorder.Changer // of its own: those of tasks are stopped
	resumed bool
	kept    map[*steps.Step]*ledger.Kept
	moved   map[*steps.Step]bool // and their content comes next
	touched map[uint32]bool      // directories to be synced
	linked  map[uint32]bool      // will have further names
	done    []string
	report  Report
}

func (j *Journal) runRedo(ctx context.Context, chosen map[string]Change, resumed bool) (Report, error) {
	r := j.rec.OpenRoots()
	defer r.Close()
	if resumed && r.Away != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrUnfinished, r.Away)
	}
	x := &redoing{j: j.rec, own: j, folders: map[*ledger.Folder]*recorder.Changer{}, resumed: resumed, kept: map[*steps.Step]*ledger.Kept{},
		moved: map[*steps.Step]bool{}, touched: map[uint32]bool{}, linked: map[uint32]bool{}}
	j.rec.Round.Add(1)
	for t, root := range r.Open {
		x.folders[t] = recorder.NewChanger(j.rec, root, t, true)
	}
	var list []*steps.Step
	x.j.Mu.Lock()
	for id, c := range chosen {
		k := x.j.Tables.Keeps[id]
		if k == nil {
			x.report.Conflicts = append(x.report.Conflicts, ConflictOf(c, ErrNoImage))
			continue
		}
		s := &steps.Step{Change: k.Change, Kind: ledger.KindNamed(k.Change.Kind), Temp: strings.Join([]string{".piwork-redo", x.j.Tables.ID, id}, "-")}
		s.New = x.fresh(k, s.Kind)
		s.Early = k.Change.Effect == EffectChange && s.Kind == at.Directory && k.State.Mode&0o300 == 0o300
		list, x.kept[s] = append(list, s), k
		x.linked[k.Obj] = x.linked[k.Obj] || k.Change.Effect == EffectCreate
	}
	x.j.Mu.Unlock()
	if resumed {
		x.sweep(list)
	}
	run := steps.Run{Owner: x, Hook: x.j.Step}
	return x.finish(ctx, run.Do(ctx, list))
}

// fresh is what a change makes of its place.
func (x *redoing) fresh(k *ledger.Kept, kind at.Kind) steps.New {
	n := steps.New{Mode: &k.State.Mode, MTime: k.State.MTime(), Attrs: k.Attrs, Target: string(k.State.Target)}
	if n.Target != "" {
		return n
	}
	if n.Attrs == nil {
		n.Attrs = at.AttrSet{} // it had none
	}
	if kind == at.Directory && k.Change.Effect != EffectCreate && !timesChanged(k.Change) {
		n.MTime = time.Time{}
	}
	n.Content = func() (*steps.Content, error) { return x.contentOf(k) }
	if k.File != "" && !k.Parts {
		n.Take = func(d *at.Dir, name string) error {
			if err := x.j.KeptForRedo(k).Check(); err != nil {
				return err
			}
			return x.j.Trash.RenameNoReplace(k.File, d, name)
		}
		n.Return = func(d *at.Dir, name string) error { return d.RenameNoReplace(name, x.j.Trash, k.File) }
	}
	return n
}

// timesChanged reports whether the time of a directory is a change of its own.
func timesChanged(c Change) bool {
	return c.Before != nil && c.After != nil && !c.Before.MTime.Equal(c.After.MTime)
}

// Refused implements steps.Owner.
func (x *redoing) Refused(s *steps.Step, err error) (bool, error) {
	if s.Late {
		x.j.Log.Warn("journal: a directory keeps its mode", "path", s.Change.Path, "err", err)
	} else {
		x.report.Conflicts = append(x.report.Conflicts, ConflictOf(s.Change, err))
	}
	return false, nil
}

// ConflictOf is a change that is left alone because of an error that its step met.
func ConflictOf(c Change, err error) Conflict {
	r := Conflict{Change: c, Reason: reasonOf(err), Detail: fmt.Sprintf("%q: %v", c.Path, err)}
	switch {
	case errors.Is(err, syscall.ENOTEMPTY):
		r.Reason, r.Detail = ReasonChanged, fmt.Sprintf("the directory %q has something else in it", c.Path)
	case errors.Is(err, fs.ErrExist):
		r.Reason, r.Detail = ReasonInTheWay, fmt.Sprintf("something else is at %q", c.Path)
	case errors.Is(err, steps.ErrWait):
		r.Reason = ReasonInTheWay
	case errors.Is(err, steps.ErrGone):
		r.Reason = ReasonGone
	}
	return r
}

// object returns what a number in a kept change stands for now.
func (x *redoing) object(id uint32) *ledger.Object {
	x.j.Mu.Lock()
	defer x.j.Mu.Unlock()
	for range ledger.MaxPathLen {
		next, ok := x.j.Tables.Reborn[id]
		if !ok {
			break
		}
		id = next
	}
	return x.j.Tables.Objects[id]
}

// in returns the place of a name in a directory.
func (x *redoing) in(dir uint32, name string) (steps.Place, error) {
	o := x.object(dir)
	if o == nil || o.Kind != at.Directory {
		return steps.Place{}, steps.ErrWait // made by a change that is redone later
	}
	x.j.Mu.Lock()
	rel, ok := x.j.Tables.DirPath(o)
	x.j.Mu.Unlock()
	f := x.folders[o.Folder]
	if !ok || f == nil {
		return steps.Place{}, steps.ErrWait
	}
	x.touched[o.ID], x.touched[o.Folder.Root.ID] = true, true
	return steps.Place{Folder: f, Dir: rel, Name: name}, nil
}

// removed reports whether the redo that was interrupted had removed a directory of the person's.
func (x *redoing) removed(dir uint32) bool {
	o := x.object(dir)
	if !x.resumed || o == nil || o.Made {
		return false
	}
	_, _, there := x.j.Spot(o)
	return !there
}

// spot returns where an object is.
func (x *redoing) spot(o *ledger.Object) (steps.Place, error) {
	if o == nil {
		return steps.Place{}, steps.ErrGone
	}
	dir, name, ok := x.j.Spot(o)
	switch {
	case !ok:
		return steps.Place{}, steps.ErrGone
	case dir == nil:
		dir, name = o, "."
	}
	return x.in(dir.ID, name)
}

// Begin implements steps.Owner.
func (x *redoing) Begin(_ context.Context, s *steps.Step) (end func(), err error) {
	k := x.kept[s]
	if k.Lost {
		return nil, ErrNoImage
	}
	o := x.object(k.Obj)
	if s.Lifting || k.Change.Effect == EffectMove && !x.moved[s] {
		s.Do = steps.Move
		if s.From, err = x.spot(o); err != nil {
			return nil, err
		}
	}
	if s.Lifting {
		s.Expect = x.expect(k, o)
		s.At, err = x.in(o.Folder.Root.ID, s.Temp)
		return nil, err
	}
	if s.At, err = x.in(k.Dir, string(k.Name)); errors.Is(err, steps.ErrWait) && k.Change.Effect == EffectDelete && x.removed(k.Dir) {
		s.Do = steps.Nothing // with its directory, before the program died
		return nil, nil
	}
	if err != nil || s.Late {
		return nil, err
	}
	if x.resumed {
		s.Already = func(p steps.Opened, now at.Info) bool {
			// It is written down before its time is set, else it were a person's.
			return as(k, p, now) && (k.Change.Effect != EffectCreate || recordMade(p, now) == nil)
		}
	}
	s.Expect = x.expect(k, o)
	switch {
	case k.Change.Effect == EffectCreate:
		return nil, x.beginCreate(s, k)
	case k.Change.Effect == EffectMove && !x.moved[s]:
		if _, lost := s.At.Folder.Root.Lstat(s.At.Path()); x.resumed && s.From == s.At && recorder.IsMissing(lost) {
			s.From, err = x.in(k.From, path.Base(k.Change.From)) // moved before, and the disk has lost that
		}
		return nil, err
	case k.Change.Effect == EffectDelete && !k.Has && k.State.Target == "":
		s.Do, s.MayLack = steps.Remove, x.resumed
		return nil, nil
	case k.Change.Effect == EffectDelete, k.Made != 0 && k.Change.Effect != EffectMove && s.Kind != at.Directory:
		s.Do = steps.Replace
	default:
		s.Do = steps.Dress
		if s.At, err = x.spot(o); err != nil {
			return nil, err
		}
		if s.InPlace = k.Has; k.Has {
			s.Do = steps.Write
		}
		if k.Linked() && k.Change.Effect != EffectMove && !x.linked[k.Obj] {
			if info, err := s.At.Folder.Root.Lstat(s.At.Path()); err == nil && info.NLink == 1 {
				s.Do = steps.Replace
			}
		}
	}
	if s.Do == steps.Replace {
		if s.Kind = at.File; k.State.Target != "" {
			s.Kind = at.Symlink
		}
	}
	return nil, nil
}

// beginCreate is Begin for what the task had made: a further name of something, if that
// is there.
func (x *redoing) beginCreate(s *steps.Step, k *ledger.Kept) (err error) {
	s.Do = steps.Create
	id := cmp.Or(k.Made, k.Obj)
	o := x.object(id)
	switch {
	case k.Made != 0 && (o == nil || s.Kind == at.Directory), k.Made == 0 && k.Has:
		return nil
	case o == nil:
		return steps.ErrWait
	}
	s.Do = steps.Link
	if s.From, err = x.spot(o); err != nil {
		return steps.ErrWait
	}
	if k.Made != 0 && s.From == s.At { // made by the redo that was interrupted, if its disk has it still
		s.Do, s.From = steps.Create, steps.Place{}
		return nil
	}
	if _, err := s.At.Folder.Root.Lstat(s.At.Path()); k.File != "" && err != nil {
		_ = x.j.Trash.Remove(k.File) // the same file: its link count must not change later
	}
	return nil
}

// expect is how undo left a person's object, or the redo that was interrupted: what that had done
// to it is known since the list was made, unless somebody changed it later (survey.lookAt).
func (x *redoing) expect(k *ledger.Kept, o *ledger.Object) steps.State {
	if o == nil {
		return steps.State{}
	}
	x.j.Mu.Lock()
	defer x.j.Mu.Unlock()
	last, base := o.Last, o.Base
	known := !last.Lost && last.CSec != 0
	halfway := x.resumed && k.Has && o.Touch != ledger.TouchNone && known
	return steps.State{Kind: o.Kind, ID: o.Ident, Size: base.Size, Sum: base.Sum, Same: func(_ steps.Opened, info at.Info) (bool, error) {
		now := ledger.StateOf(info)
		return info.Kind != at.File || halfway && now.SameData(last) || (known && now.Untouched(last) || now.SameData(base)) && (base.Sum == "" || !info.Coarse()), nil
	}}
}

// as reports whether what is at p is what the change made of it already.
func as(k *ledger.Kept, p steps.Opened, info at.Info) bool {
	now := ledger.StateOf(info)
	switch {
	case info.Kind.String() != k.Change.Kind:
		return false
	case info.Kind == at.Directory:
		return true
	case info.Kind == at.Symlink:
		target, err := p.Dir.Readlink(p.Name)
		return err == nil && ledger.Raw(target) == k.State.Target
	}
	return now.Size == k.State.Size && now.Sec == k.State.Sec && now.Nsec == k.State.Nsec
}

// Done implements steps.Owner.
func (x *redoing) Done(s *steps.Step, p steps.Opened, now at.Info) (err error) {
	k := x.kept[s]
	switch {
	case s.Late, s.Lifting:
		return nil
	case s.Do == steps.Move:
		x.moved[s], s.More = true, true
		return nil
	case s.Found && (s.Do == steps.Create || s.Do == steps.Link):
		err = recordMade(p, now)
	}
	if err == nil && k.Made != 0 && s.Do != steps.Remove {
		err = x.recordReborn(now.ID, k)
	}
	c := k.Change
	c.Undone = nil
	x.report.Redone = append(x.report.Redone, c)
	x.done = append(x.done, c.ID)
	return err
}

// recordMade writes down what an interrupted redo made at p, as Changer.Add would have done.
// Nobody waits for the records of what is new, so a power cut can take them
// while the name is on the disk already; the undo before this redo gave up the
// entry of the name, so decide does not look there either. Without a record the
// list would not have it, and no undo could take it back, nor a directory that
// it is in.
func recordMade(p steps.Opened, info at.Info) error {
	f := p.Folder
	defer f.Enter()()
	dir, err := f.Directory(p.Place)
	if err != nil {
		return err
	}
	target := ""
	if info.Kind == at.Symlink {
		if target, err = p.Dir.Readlink(p.Name); err != nil {
			return err
		}
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	t := f.J.Tables
	o := t.Inodes[info.ID]
	if o != nil && (o.Kind != info.Kind || o.Folder != f.Table || !t.Alive(o) && info.Born == 0) {
		o = nil // the number was given out again
	}
	e := t.Names[ledger.Name{Dir: dir.ID, Name: p.Name}]
	if o != nil && e != nil && e.Sure && e.Cur == o {
		return nil // its records are there
	}
	if e, err = f.TouchName(dir, p.Name, nil); err != nil {
		return err
	}
	s := ledger.StateOf(info)
	if o == nil {
		if o, err = f.Made(dir, e, info, target); err != nil {
			return err
		}
		s.Target = ledger.Raw(target)
		_, err = f.J.Put(ledger.SignRecord{Object: o.ID, State: &s})
		return err
	}
	if _, err = f.J.Put(ledger.BindRecord{Entry: e.ID, Object: o.ID}); err != nil {
		return err
	}
	return f.J.SignAgain(o, info) // a further name of it
}

// recordReborn notes what stands for an object that undo removed.
func (x *redoing) recordReborn(now at.ID, k *ledger.Kept) error {
	x.j.Mu.Lock()
	defer x.j.Mu.Unlock()
	o := x.j.Tables.Inodes[now]
	if o == nil || o.ID == k.Made {
		return nil
	}
	_, err := x.j.Put(ledger.RebornRecord{Object: o.ID, Old: k.Made})
	return err
}

// sweep removes what an interrupted redo left beside the files.
func (x *redoing) sweep(list []*steps.Step) {
	for _, s := range list {
		tmp, err := x.in(x.kept[s].Dir, s.Temp)
		if err != nil {
			continue
		}
		if d, err := tmp.Folder.Root.Dir(tmp.Dir); err == nil {
			_ = d.Remove(tmp.Name + ".new")
			d.Close()
		}
		if s.Change.Effect != EffectMove { // lifted things are on their way
			_ = steps.Discard(tmp, s.Return)
		}
	}
}

// finish writes down what was redone.
func (x *redoing) finish(ctx context.Context, err error) (Report, error) {
	if len(x.done)+len(x.moved) > 0 {
		if lost := x.makeDurable(); lost != nil {
			x.j.Mu.Lock()
			x.j.Held = true // a second look would believe what the disk has lost
			x.j.Mu.Unlock()
			recorder.Lost(x.j)
			return Report{}, errors.Join(err, lost, ctx.Err()) // it goes on later, with what is kept
		}
	}
	j := x.j
	j.Step("redo-done")
	j.Mu.Lock()
	recs := ledger.About[ledger.DropRecord](x.done)
	stopped := x.resumed && ctx.Err() != nil // and goes on where it was
	if !stopped {
		recs = append(recs, ledger.RedoEndRecord{})
	}
	_, perr := j.Put(recs...)
	j.Mu.Unlock()
	if err = errors.Join(err, perr); err == nil {
		err = j.Sync(j.File.Position())
	}
	if err == nil {
		x.own.clean()
	}
	if err == nil && !stopped {
		recorder.End(j)
	}
	slices.SortFunc(x.report.Redone, ledger.ByPath)
	return x.report, errors.Join(err, ctx.Err())
}

// makeDurable makes the names that were made and removed durable, as site.makeDurable does.
func (x *redoing) makeDurable() error {
	for id := range x.touched {
		pl, err := x.in(id, ".")
		if err != nil {
			continue // removed
		}
		d, err := pl.Folder.Root.Dir(pl.Dir)
		if err != nil {
			continue // removed, or closed again
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return fmt.Errorf("making %q durable: %w", pl.Folder.Table.Path, err)
		}
	}
	return nil
}
