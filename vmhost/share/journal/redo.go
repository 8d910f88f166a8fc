package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
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
	j.rec.UndoMu.Lock()
	defer j.rec.UndoMu.Unlock()
	if _, _, err := j.rec.List(ctx, false); err != nil {
		return Report{}, err
	}
	defer j.rec.Stop()()
	if _, _, err := j.rec.List(ctx, true); err != nil {
		return Report{}, err
	}
	j.rec.Mu.Lock()
	chosen, err := j.rec.Tables.ChooseRedo(ids)
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

// redoing is one redo at work. Tasks are stopped and Recorder.UndoMu is held.
type redoing struct {
	j       *recorder.Recorder
	own     *Journal
	r       *recorder.Roots
	folders map[*ledger.Folder]*recorder.Changer // of its own: those of tasks are stopped
	resumed bool
	touched map[uint32]*ledger.Folder // directories to be synced
	linked  map[uint32]bool           // will have further names
	late    []*ledger.Kept            // directories that get their modes and times in the end
	done    []string
	report  Report
}

func (j *Journal) runRedo(ctx context.Context, chosen map[string]Change, resumed bool) (Report, error) {
	x := &redoing{j: j.rec, own: j, r: j.rec.OpenRoots(), folders: map[*ledger.Folder]*recorder.Changer{}, linked: map[uint32]bool{}, resumed: resumed, touched: map[uint32]*ledger.Folder{}}
	defer x.r.Close()
	j.rec.Round.Add(1)
	for t, root := range x.r.Open {
		x.folders[t] = recorder.NewChanger(j.rec, root, t, true)
	}
	if resumed {
		x.sweep()
	}
	x.work(ctx, chosen)
	slices.SortStableFunc(x.late, func(a, b *ledger.Kept) int {
		return strings.Count(b.Change.Path, "/") - strings.Count(a.Change.Path, "/")
	})
	for _, k := range x.late {
		if err := x.dressDir(k); err != nil {
			x.j.Log.Warn("journal: a directory keeps its mode", "path", k.Change.Path, "err", err)
		}
	}
	return x.finish(ctx)
}

// work does what is possible, again and again, until nothing gets further.
func (x *redoing) work(ctx context.Context, chosen map[string]Change) {
	var todo []*ledger.Kept
	x.j.Mu.Lock()
	for id, c := range chosen {
		if k := x.j.Tables.Keeps[id]; k != nil {
			todo = append(todo, k)
			x.linked[k.Obj] = x.linked[k.Obj] || k.Change.Effect == EffectCreate
		} else {
			x.refuse(c, ReasonNoImage, "the journal does not know how %q was left", c.Path)
		}
	}
	x.j.Mu.Unlock()
	slices.SortFunc(todo, func(a, b *ledger.Kept) int { return ledger.ByPath(a.Change, b.Change) })
	for len(todo) > 0 && ctx.Err() == nil {
		var wait []*ledger.Kept
		for i, k := range todo {
			if ctx.Err() != nil {
				wait = append(wait, todo[i:]...)
				break
			}
			if !x.try(ctx, k) {
				wait = append(wait, k)
			}
		}
		if len(wait) == len(todo) && !x.lift(wait) {
			break
		}
		slices.Reverse(wait) // directories are emptied from below
		todo = wait
	}
	if ctx.Err() != nil {
		return
	}
	for _, k := range todo {
		reason, text := ReasonInTheWay, "something else is at %q"
		if k.Change.Effect == EffectDelete {
			reason, text = ReasonChanged, "the directory %q has something else in it"
		}
		x.refuse(k.Change, reason, text, k.Change.Path)
	}
}

func (x *redoing) refuse(c Change, reason Reason, format string, args ...any) {
	x.report.Conflicts = append(x.report.Conflicts, Conflict{Change: c, Reason: reason, Detail: fmt.Sprintf(format, args...)})
}

// try redoes one change and reports whether nothing is left of it to do.
func (x *redoing) try(ctx context.Context, k *ledger.Kept) bool {
	err := x.one(ctx, k)
	switch {
	case err == nil:
		c := k.Change
		c.Undone = nil
		x.report.Redone = append(x.report.Redone, c)
		x.done = append(x.done, c.ID)
		x.j.Step("redone")
		return true
	case errors.Is(err, errWait), errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EINVAL) && k.Change.Effect == EffectMove:
		return false
	}
	x.refuse(k.Change, reasonOf(err), "%q: %v", k.Change.Path, err)
	return true
}

func (x *redoing) one(ctx context.Context, k *ledger.Kept) error {
	if k.Lost {
		return ErrNoImage
	}
	switch k.Change.Effect {
	case EffectCreate:
		return x.create(k)
	case EffectDelete:
		if k.Has || k.State.Target != "" {
			return x.supersede(ctx, k)
		}
		return x.remove(ctx, k)
	case EffectMove:
		if err := x.move(ctx, k); err != nil {
			return err
		}
		return x.content(ctx, k)
	}
	if k.Made != 0 {
		return x.supersede(ctx, k)
	}
	return x.content(ctx, k)
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

// in returns a name in a directory. The caller closes the directory.
func (x *redoing) in(dir uint32, name string) (*recorder.Changer, recorder.Place, error) {
	o := x.object(dir)
	if o == nil || o.Kind != at.Directory {
		return nil, recorder.Place{}, errWait // made by a change that is redone later
	}
	x.j.Mu.Lock()
	rel, ok := x.j.Tables.DirPath(o)
	x.j.Mu.Unlock()
	f := x.folders[o.Folder]
	if !ok || f == nil {
		return nil, recorder.Place{}, errWait
	}
	d, err := f.Root.Dir(rel)
	if err != nil {
		return nil, recorder.Place{}, err
	}
	x.touched[o.ID] = o.Folder
	return f, recorder.Place{Dir: d, Path: rel, Name: name}, nil
}

// where returns where a person's object is, after making sure that it is as
// undo left it. The caller closes the directory.
func (x *redoing) where(ctx context.Context, k *ledger.Kept) (*ledger.Object, *recorder.Changer, recorder.Place, at.Info, error) {
	o := x.object(k.Obj)
	if o == nil {
		return nil, nil, recorder.Place{}, at.Info{}, fs.ErrNotExist
	}
	x.j.Mu.Lock()
	dir, name, ok := x.j.Tables.Spot(o)
	if dir == nil {
		dir, name = o, "."
	}
	last, base := o.Last, o.Base
	x.j.Mu.Unlock()
	if !ok {
		return nil, nil, recorder.Place{}, at.Info{}, fs.ErrNotExist
	}
	f, p, err := x.in(dir.ID, name)
	if err != nil {
		return nil, nil, p, at.Info{}, err
	}
	info, err := p.Lstat()
	if err == nil && (info.Kind != o.Kind || info.ID != o.Ident && info.Born != 0) {
		err = ErrChangedSince
	}
	if now := ledger.StateOf(info); err == nil && o.Kind == at.File && !now.Untouched(last) && !now.SameData(base) {
		err = x.hashed(ctx, p, base.Sum)
	}
	if err != nil {
		p.Dir.Close()
		return nil, nil, p, info, err
	}
	return o, f, p, info, nil
}

// hashed is nil when the content of a file has this hash.
func (x *redoing) hashed(ctx context.Context, p recorder.Place, want string) error {
	sum, _, err := recorder.SumAt(ctx, p.Dir, p.Name)
	if err == nil && (want == "" || sum != want) {
		err = ErrChangedSince
	}
	return err
}

// as reports whether what is at p is what the change made of it already.
func (x *redoing) as(k *ledger.Kept, p recorder.Place) bool {
	info, err := p.Lstat()
	if err != nil || info.Kind.String() != k.Change.Kind {
		return false
	}
	now := ledger.StateOf(info)
	switch info.Kind {
	case at.Directory:
		return true
	case at.Symlink:
		target, err := p.Dir.Readlink(p.Name)
		return err == nil && ledger.Raw(target) == k.State.Target
	}
	return now.Size == k.State.Size && now.Sec == k.State.Sec && now.Nsec == k.State.Nsec
}

// finish writes down what was redone.
func (x *redoing) finish(ctx context.Context) (Report, error) {
	for id := range x.touched {
		if _, p, err := x.in(id, "."); err == nil {
			if err := p.Dir.Sync(); err != nil {
				x.j.Log.Warn("journal: cannot sync a directory", "err", err)
			}
			p.Dir.Close()
		}
	}
	j := x.j
	j.Step("redo-done")
	j.Mu.Lock()
	_, err := j.Put(append(ledger.About[ledger.DropRecord](x.done), ledger.RedoEndRecord{})...)
	j.Mu.Unlock()
	if err == nil {
		err = j.Sync(j.File.Position())
	}
	if err == nil {
		x.own.clean()
	}
	slices.SortFunc(x.report.Redone, ledger.ByPath)
	return x.report, errors.Join(err, ctx.Err())
}
