package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"time"

	"piwork/vmhost/share/internal/at"
)

// Apply takes a record over.
func (t *Ledger) Apply(r Record, when time.Time) error {
	if when.After(t.LastT) {
		t.LastT = when
	}
	switch r.(type) {
	case AliveRecord, ObjectRecord, EntryRecord, TouchRecord, OpenRecord, BindRecord, SignRecord:
		if when.After(t.LastOp) {
			t.LastOp = when
		}
	}
	_, t.Clean = r.(ClosedRecord)
	return r.apply(t, when)
}

func torn(r Record) error { return fmt.Errorf("%w: %s record", errTorn, kindOf(r)) }

// unknownRecord is of a newer program.
type unknownRecord struct{}

func (unknownRecord) apply(*Ledger, time.Time) error { return nil }

func (r HeadRecord) apply(t *Ledger, _ time.Time) error {
	t.ID, t.Secret = r.ID, r.Secret
	t.LastO, t.LastE = max(t.LastO, r.Object), max(t.LastE, r.Entry)
	return nil
}

func (r MarkRecord) apply(t *Ledger, _ time.Time) error {
	t.Compacted = max(t.Compacted, r.Compacted)
	return nil
}

func (AliveRecord) apply(*Ledger, time.Time) error  { return nil }
func (ClosedRecord) apply(*Ledger, time.Time) error { return nil }

func (r FolderRecord) apply(t *Ledger, _ time.Time) error {
	if r.Inode == nil || r.ID == "" {
		return torn(r)
	}
	if f := t.Folders[r.ID]; f != nil {
		// The same folder, perhaps mounted again as another device.
		f.Path = string(r.Path)
		if old := f.Root.Ident.Dev; old != r.Inode.Dev {
			t.renumber(f, old, r.Inode.Dev)
		}
		t.setIdent(f.Root, *r.Inode)
		return nil
	}
	if r.Root == 0 || t.Objects[r.Root] != nil || r.State == nil {
		return torn(r)
	}
	f := &Folder{num: r.Folder, ID: r.ID, Path: string(r.Path)}
	f.Root = &Object{ID: r.Root, Folder: f, Kind: at.Directory, Base: *r.State, Work: Work{Last: *r.State}}
	t.Folders[r.ID] = f
	t.Objects[r.Root] = f.Root
	t.setIdent(f.Root, *r.Inode)
	t.LastF, t.LastO = max(t.LastF, r.Folder), max(t.LastO, r.Root)
	return nil
}

func (r ObjectRecord) apply(t *Ledger, _ time.Time) error {
	parent := t.Objects[r.Dir]
	if parent == nil || parent.Kind != at.Directory || r.Inode == nil || r.State == nil || r.Object == 0 || t.Objects[r.Object] != nil {
		return torn(r)
	}
	o := &Object{ID: r.Object, Folder: parent.Folder, Parent: parent, name: string(r.Name),
		Kind: KindNamed(r.Kind), Made: r.Made, Base: *r.State, Work: Work{Last: *r.State}}
	if r.Made {
		o.Touch = TouchOpen
	}
	t.Objects[o.ID] = o
	t.count(1, o, nil)
	t.LastO = max(t.LastO, o.ID)
	t.setIdent(o, *r.Inode)
	if !o.Made {
		t.setHome(o, parent, o.name)
	}
	return nil
}

// amend changes an object. A missing one was made by the task and forgotten when it was removed.
func (t *Ledger) amend(id uint32, do func(o *Object) error) error {
	o := t.Objects[id]
	if o == nil {
		return nil
	}
	t.count(-1, o, nil)
	defer t.count(1, o, nil)
	return do(o)
}

// state is amend with a state, which the record must have.
func (t *Ledger) state(r Record, id uint32, s *State, do func(o *Object, s State)) error {
	return t.amend(id, func(o *Object) error {
		if s == nil {
			return torn(r)
		}
		do(o, *s)
		return nil
	})
}

func (r HomeRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		dir := t.Objects[r.Dir]
		if dir == nil || o.Made {
			return torn(r)
		}
		t.setHome(o, dir, string(r.Name))
		return nil
	})
}

func (r ImageRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		if r.State == nil {
			return torn(r)
		}
		img := &image{Gen: r.Gen, Size: r.State.Size, Sum: r.State.Sum, Parts: r.Parts, Ahead: r.Ahead}
		if c := r.Inline; c != nil && !r.Parts && (len(c.Data) > 0 || r.State.Size == 0) {
			if int64(len(c.Data)) != r.State.Size {
				return torn(r)
			}
			img.Inline = &Inline{At: c.At}
		}
		o.Image = img
		o.Gen = max(o.Gen, r.Gen)
		o.Base.Size, o.Base.Sum = r.State.Size, r.State.Sum
		return nil
	})
}

func (r AttrsRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		if o.Attrs = r.Attrs; o.Attrs == nil {
			o.Attrs = at.AttrSet{}
		}
		o.Base.Attrs = o.Attrs.Digest()
		return nil
	})
}

func (r OwnerRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		if r.Owner == nil {
			return torn(r)
		}
		o.Owner = r.Owner
		return nil
	})
}

func (r RefRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		o.Ref = r.Gen
		o.Gen = max(o.Gen, r.Gen)
		return nil
	})
}

func (r HashRecord) apply(t *Ledger, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *Object, s State) {
		o.Base.Sum = s.Sum
		if o.Image != nil {
			o.Image.Sum = s.Sum
		}
	})
}

func (r DirTimeRecord) apply(t *Ledger, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *Object, s State) { o.Base.Sec, o.Base.Nsec = s.Sec, s.Nsec })
}

func (r OpenRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		o.Touch, o.Suspect, o.Stale = TouchOpen, r.Maybe, false
		o.Times = o.Times || r.Times
		return nil
	})
}

func (r SignRecord) apply(t *Ledger, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *Object, s State) {
		o.Suspect, o.Stale = false, false
		o.Last, o.Touch, o.Freed = s, TouchQuiet, false
	})
}

func (r AfterRecord) apply(t *Ledger, _ time.Time) error {
	return t.state(r, r.Object, r.State, func(o *Object, s State) {
		o.Suspect, o.Stale = false, false
		o.after, o.Last, o.Touch = s, s, TouchDone
	})
}

func (r InodeRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		if r.Inode == nil {
			return torn(r)
		}
		t.setIdent(o, *r.Inode)
		if r.State != nil {
			o.Last = *r.State
		}
		return nil
	})
}

func (r RebaseRecord) apply(t *Ledger, _ time.Time) error {
	return t.amend(r.Object, func(o *Object) error {
		if r.State == nil || r.Inode == nil {
			return torn(r)
		}
		o.Suspect, o.Stale = false, false
		o.Base, o.Last = *r.State, *r.State
		o.Image, o.Ref, o.Touch, o.Times, o.Made, o.Attrs, o.Owner, o.Synced = nil, 0, TouchNone, false, false, nil, nil, 0
		o.Base.Attrs, o.Last.Attrs = "", ""
		o.Gen = max(o.Gen, r.Gen)
		t.setIdent(o, *r.Inode)
		return nil
	})
}

func (r EntryRecord) apply(t *Ledger, _ time.Time) error {
	dir := t.Objects[r.Dir]
	if dir == nil || r.Entry == 0 || t.Entries[r.Entry] != nil {
		return torn(r)
	}
	key := Name{dir.ID, string(r.Name)}
	if t.Names[key] != nil {
		return torn(r)
	}
	e := &Entry{ID: r.Entry, Dir: dir, Name: key.Name}
	if o := t.Objects[r.Object]; o != nil {
		e.addBase(o)
		e.bind(o)
	}
	t.Entries[e.ID], t.Names[key] = e, e
	t.count(1, nil, e)
	t.LastE = max(t.LastE, e.ID)
	t.lead(key, t.Objects[r.Object])
	delete(t.Homes, key)
	return nil
}

// rename changes what a name means. One that is not there was dropped since.
func (t *Ledger) rename(id uint32, do func(e *Entry) error) error {
	e := t.Entries[id]
	if e == nil {
		return nil
	}
	return do(e)
}

func (r TouchRecord) apply(t *Ledger, _ time.Time) error {
	return t.rename(r.Entry, func(e *Entry) error { e.Sure = false; return nil })
}

func (r BindRecord) apply(t *Ledger, _ time.Time) error {
	return t.rename(r.Entry, func(e *Entry) error {
		old := e.Cur
		e.bind(t.Objects[r.Object])
		e.Sure = true
		if r.Plain || !t.mergeDir(e, old) {
			t.dropMade(old)
		}
		if e.Cur == nil && len(e.Bases) == 0 {
			t.dropEntry(e)
		}
		return nil
	})
}

func (r AdoptRecord) apply(t *Ledger, _ time.Time) error {
	return t.rename(r.Entry, func(e *Entry) error {
		o := t.Objects[r.Object]
		if o == nil {
			return torn(r)
		}
		o.Made = false
		e.addBase(o)
		old := e.Cur
		e.bind(o)
		t.dropMade(old)
		return nil
	})
}

func (r AcceptRecord) apply(t *Ledger, _ time.Time) error {
	return t.rename(r.Entry, func(e *Entry) error {
		if o := t.Objects[r.Object]; o != nil {
			t.acceptLoss(e, o)
		}
		if r.Object == 0 || len(e.Bases) == 0 && e.Cur == nil {
			t.accept(e)
		}
		return nil
	})
}

func (r answersRecord) apply(t *Ledger, _ time.Time) error {
	if t.Answers.Label = r.Label; len(r.Resolve) == 0 || t.Answers.Resolve == nil {
		t.Answers.Resolve = map[string]Resolution{}
	}
	maps.Copy(t.Answers.Resolve, r.Resolve)
	return nil
}

func (r UndoRecord) apply(t *Ledger, when time.Time) error {
	if !t.Undoing {
		t.UndoIDs, t.Theirs = nil, map[*Object]bool{}
		t.UndoLast = when
	}
	t.Undoing = true
	t.UndoIDs = append(t.UndoIDs, r.IDs...)
	return nil
}

func (r UndoingRecord) apply(t *Ledger, _ time.Time) error {
	if r.When != nil && r.When.After(t.UndoLast) {
		t.UndoLast = *r.When
	}
	return nil
}

func (r TheirsRecord) apply(t *Ledger, _ time.Time) error {
	if o := t.Objects[r.Object]; o != nil && t.Undoing {
		t.Theirs[o] = true
	}
	return nil
}

func (r RunRecord) apply(t *Ledger, _ time.Time) error { t.Running = !r.End; return nil }

func (r UndoneRecord) apply(t *Ledger, _ time.Time) error {
	if r.Change != nil && r.Change.ID != "" {
		t.Undone[r.Change.ID] = Undone{*r.Change, r.Marks}
	}
	return nil
}

func (UndoEndRecord) apply(t *Ledger, _ time.Time) error {
	t.Undoing, t.UndoIDs, t.Theirs, t.Answers = false, nil, nil, UndoOptions{}
	return nil
}

func (r DropRecord) apply(t *Ledger, _ time.Time) error {
	for _, id := range r.IDs {
		delete(t.Undone, id)
	}
	return nil
}

func (r RebornRecord) apply(t *Ledger, _ time.Time) error {
	t.Reborn[r.Old] = r.Object
	return nil
}

// isMark reports whether r is a mark with this secret.
func isMark(r Record, secret []byte) bool {
	m, ok := r.(MarkRecord)
	return ok && len(m.Secret) > 0 && bytes.Equal(m.Secret, secret)
}
