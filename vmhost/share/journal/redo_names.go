package journal

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/recorder"
)

// create makes again what the task had made.
func (x *redoing) create(k *ledger.Kept) error {
	f, p, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	if _, err := p.Dir.Lstat(p.Name); err == nil {
		if x.resumed && x.as(k, p) {
			if k.Change.Kind == at.Directory.String() {
				x.late = append(x.late, k)
			}
			if err := x.recordMade(f, p); err != nil {
				return err
			}
			return x.recordReborn(f, p, k)
		}
		return fs.ErrExist
	}
	if k.Made == 0 || x.object(k.Made) != nil { // a further name for something
		return x.link(f, p, k)
	}
	switch k.Change.Kind {
	case at.Directory.String():
		if _, err = f.Mkdir(p, 0o700); err == nil {
			x.late = append(x.late, k) // its mode may forbid what is still to be done in it
			err = f.SetXattrs(p, k.Attrs)
		}
	case at.Symlink.String():
		if _, err = f.Symlink(p, string(k.State.Target)); err == nil {
			err = f.SetMeta(p, at.Meta{MTime: k.State.MTime()})
		}
	default:
		err = x.file(f, p, k)
	}
	if err != nil {
		return err
	}
	return x.recordReborn(f, p, k)
}

// recordMade writes down what an interrupted redo made at p, as add would have done.
// Nobody waits for the records of what is new, so a power cut can take them
// while the name is on the disk already; the undo before this redo gave up the
// entry of the name, so decide does not look there either. Without a record the
// list would not have it, and no undo could take it back, nor a directory that
// it is in.
func (x *redoing) recordMade(f *recorder.Changer, p recorder.Place) error {
	defer f.Enter()()
	dir, err := f.Directory(p)
	if err != nil {
		return err
	}
	info, err := p.Dir.Lstat(p.Name)
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
	return f.SignAgain(o, info) // a further name of it
}

// recordReborn notes what stands for an object that undo removed.
func (x *redoing) recordReborn(f *recorder.Changer, p recorder.Place, k *ledger.Kept) error {
	if k.Made == 0 {
		return nil
	}
	info, err := p.Dir.Lstat(p.Name)
	if err != nil {
		return err
	}
	f.J.Mu.Lock()
	defer f.J.Mu.Unlock()
	o := f.J.Tables.Inodes[info.ID]
	if o == nil || o.ID == k.Made {
		return nil
	}
	_, err = f.J.Put(ledger.RebornRecord{Object: o.ID, Old: k.Made})
	return err
}

// link gives what is there already a further name.
func (x *redoing) link(f *recorder.Changer, p recorder.Place, k *ledger.Kept) error {
	id := k.Made
	if id == 0 {
		id = k.Obj
	}
	o := x.object(id)
	if o == nil {
		return errWait
	}
	dir, name, ok := x.j.Spot(o)
	if !ok || dir == nil {
		return errWait
	}
	if k.File != "" {
		_ = x.j.Trash.Remove(k.File) // the same file: its link count must not change later
	}
	_, from, err := x.in(dir.ID, name)
	if err != nil {
		return err
	}
	defer from.Dir.Close()
	_, err = f.Link(from, p)
	return err
}

// remove takes away again what undo had put back.
func (x *redoing) remove(ctx context.Context, k *ledger.Kept) error {
	f, p, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return err
	}
	defer p.Dir.Close()
	info, err := p.Dir.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) && x.resumed {
		return nil
	}
	if err != nil {
		return err
	}
	if o := x.object(k.Obj); o == nil || info.Kind != o.Kind || info.ID != o.Ident && info.Born != 0 {
		return ErrChangedSince
	}
	if info.Kind == at.Directory {
		err := f.Drop(p, true)
		if errors.Is(err, syscall.EEXIST) {
			err = syscall.ENOTEMPTY
		}
		return err
	}
	_, _, w, _, err := x.where(ctx, k)
	if err != nil {
		return err
	}
	w.Dir.Close()
	return f.Drop(p, false)
}

// move moves again what undo had moved back.
func (x *redoing) move(ctx context.Context, k *ledger.Kept) error {
	o, f, from, _, err := x.where(ctx, k)
	if err != nil {
		return err
	}
	defer from.Dir.Close()
	_, to, err := x.in(k.Dir, string(k.Name))
	if err != nil {
		return err
	}
	defer to.Dir.Close()
	if info, err := to.Dir.Lstat(to.Name); err == nil {
		if info.ID == o.Ident && from.Path == to.Path && from.Name == to.Name {
			return nil // already
		}
		if info.ID != o.Ident {
			return fs.ErrExist
		}
	}
	return f.Rename(from, to, false)
}

// lift moves one thing that waits for its place out of the way of the others.
func (x *redoing) lift(wait []*ledger.Kept) bool {
	for _, k := range wait {
		o := x.object(k.Obj)
		if o == nil || k.Change.Effect != EffectMove {
			continue
		}
		dir, name, ok := x.j.Spot(o)
		if !ok || dir == nil || name == x.temp(k) {
			continue
		}
		f, from, err := x.in(dir.ID, name)
		if err != nil {
			continue
		}
		_, to, err := x.in(o.Folder.Root.ID, x.temp(k))
		if err == nil {
			err = f.Rename(from, to, false)
			to.Dir.Close()
		}
		from.Dir.Close()
		if err == nil {
			return true
		}
	}
	return false
}

// sweep removes what an interrupted redo left beside the files.
func (x *redoing) sweep() {
	x.j.Mu.Lock()
	var list []*ledger.Kept
	for _, id := range x.j.Tables.RedoIDs {
		if k := x.j.Tables.Keeps[id]; k != nil {
			list = append(list, k)
		}
	}
	x.j.Mu.Unlock()
	for _, k := range list {
		f, p, err := x.in(k.Dir, x.temp(k))
		if err != nil {
			continue
		}
		_ = p.Dir.Remove(p.Name + ".new")
		if k.Change.Effect != EffectMove { // lifted things are on their way
			x.unstage(f, p, k)
		}
		p.Dir.Close()
	}
}

// unstage takes a file away that was to take another's place. It may be the only
// one with its content.
func (x *redoing) unstage(f *recorder.Changer, p recorder.Place, k *ledger.Kept) {
	if _, err := p.Dir.Lstat(p.Name); err != nil {
		return
	}
	dir := x.object(k.Dir)
	if dir == nil {
		return
	}
	x.j.Mu.Lock()
	e := x.j.Tables.Names[ledger.Name{Dir: dir.ID, Name: p.Name}]
	x.j.Mu.Unlock()
	if k.File == "" || p.Dir.RenameNoReplace(p.Name, x.j.Trash, k.File) != nil {
		if e != nil {
			_ = f.Drop(p, false)
		} else {
			// A power cut took its record. To the folder it would be a person's:
			// listed as deleted, and brought back by the next undo.
			_ = p.Dir.Remove(p.Name)
		}
		return
	}
	x.j.Mu.Lock()
	defer x.j.Mu.Unlock()
	if e != nil {
		if _, err := x.j.Put(ledger.BindRecord{Entry: e.ID}); err != nil {
			x.j.Log.Error("journal: cannot write", "err", err)
		}
	}
}
