package ledger

import (
	"cmp"
	"maps"
	"slices"

	"piwork/vmhost/share/internal/at"
)

// Records returns those that make these tables.
func (t *Ledger) Records() []Record {
	recs := []Record{HeadRecord{ID: t.ID, Secret: t.Secret, Object: t.LastO, Entry: t.LastE}} // numbers are never given out again
	byID := func(a, b *Object) int { return cmp.Compare(a.ID, b.ID) }
	objects := slices.SortedFunc(maps.Values(t.Objects), byID)
	for _, f := range slices.SortedFunc(maps.Values(t.Folders), func(a, b *Folder) int { return cmp.Compare(a.num, b.num) }) {
		recs = append(recs, FolderRecord{ID: f.ID, Folder: f.num, Root: f.Root.ID, Path: []byte(f.Path), Inode: &f.Root.Ident, State: &f.Root.Base})
	}
	for _, o := range objects {
		recs = append(recs, t.existence(o)...)
	}
	for _, o := range objects {
		recs = append(recs, o.records()...)
	}
	for _, e := range slices.SortedFunc(maps.Values(t.Entries), func(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }) {
		if t.Objects[e.Dir.ID] == e.Dir {
			recs = append(recs, e.records()...)
		}
	}
	for _, o := range objects {
		if o.Parent != nil && t.Home(o) && (o.Dir != o.Parent || o.Alias != o.name) {
			recs = append(recs, HomeRecord{Object: o.ID, Dir: o.Dir.ID, Name: []byte(o.Alias)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.Undone)) {
		u := t.Undone[id]
		recs = append(recs, UndoneRecord{Change: &u.Change, Marks: u.Marks})
	}
	if t.Running {
		recs = append(recs, RunRecord{})
	}
	if t.Undoing && len(t.Answers.Resolve) > 0 {
		recs = append(recs, t.Answers.Records()...)
	}
	if t.Undoing && len(t.UndoIDs) == 0 {
		recs = append(recs, UndoRecord{}) // of everything
	}
	recs = append(recs, About[UndoRecord](t.UndoIDs)...)
	if t.Undoing {
		recs = append(recs, UndoingRecord{When: &t.UndoLast})
	}
	for _, o := range slices.SortedFunc(maps.Keys(t.Theirs), byID) {
		recs = append(recs, TheirsRecord{Object: o.ID})
	}
	for _, old := range slices.Sorted(maps.Keys(t.Reborn)) {
		recs = append(recs, RebornRecord{Object: t.Reborn[old], Old: old})
	}
	return recs
}

// existence are the records of an object as such. One that is gone with the directory in which it was
// first seen has nothing left that could be shown.
func (t *Ledger) existence(o *Object) []Record {
	if o.Parent == nil {
		return nil // with its folder
	}
	r := ObjectRecord{Object: o.ID, Dir: o.Parent.ID, Name: []byte(o.name), Inode: &o.Ident, Kind: o.Kind.String(), Made: o.Made, State: &o.Base}
	if t.Objects[o.Parent.ID] != o.Parent { // a parent has a lower number, but for the folder any may be gone
		if !t.Alive(o) && len(o.origins) == 0 {
			return nil
		}
		r.Dir = o.Folder.Root.ID
	}
	key := Name{r.Dir, o.name}
	if o.Made || t.Names[key] != nil || t.Homes[key] == o {
		return []Record{r}
	}
	// The task made it under this name, and a person had it under another: it has no home here.
	r.Made = true
	return []Record{r, RebaseRecord{Object: o.ID, Inode: &o.Ident, State: &o.Base, Gen: o.Gen}}
}

func (e *Entry) records() []Record {
	first := EntryRecord{Entry: e.ID, Dir: e.Dir.ID, Name: []byte(e.Name)}
	if len(e.Bases) > 0 {
		first.Object = e.Bases[0].ID
	}
	recs := []Record{first}
	for _, o := range e.Bases[min(1, len(e.Bases)):] {
		recs = append(recs, AdoptRecord{Entry: e.ID, Object: o.ID})
	}
	cur := BindRecord{Entry: e.ID, Plain: true}
	if e.Cur != nil {
		cur.Object = e.Cur.ID
	}
	recs = append(recs, cur)
	if !e.Sure {
		recs = append(recs, TouchRecord{Entry: e.ID})
	}
	return recs
}

// records returns what is known of o beyond its existence.
func (o *Object) records() []Record {
	var recs []Record
	if i := o.Image; i != nil {
		s := o.Base
		s.Size, s.Sum = i.Size, i.Sum
		recs = append(recs, ImageRecord{Object: o.ID, Gen: i.Gen, State: &s, Parts: i.Parts, Ahead: i.Ahead, Inline: i.Inline})
	}
	if o.Ref > 0 {
		recs = append(recs, RefRecord{Object: o.ID, Gen: o.Ref})
	}
	if o.Gen > 0 && o.Image == nil && o.Ref == 0 {
		// Keeps the generation going, or old files in the store are met again.
		recs = append(recs, RebaseRecord{Object: o.ID, Gen: o.Gen, State: &o.Base, Inode: &o.Ident})
	}
	if o.Attrs != nil {
		recs = append(recs, AttrsRecord{Object: o.ID, Attrs: o.Attrs})
	}
	if o.Owner != nil {
		recs = append(recs, OwnerRecord{Object: o.ID, Owner: o.Owner})
	}
	switch o.Touch {
	case TouchOpen:
		recs = append(recs, OpenRecord{Object: o.ID, Times: o.Times, Maybe: o.Suspect})
	case TouchQuiet:
		recs = append(recs, OpenRecord{Object: o.ID, Times: o.Times}, SignRecord{Object: o.ID, State: &o.Last})
	case TouchDone:
		recs = append(recs, OpenRecord{Object: o.ID, Times: o.Times}, AfterRecord{Object: o.ID, State: &o.after})
	case TouchNone:
		if o.Kind == at.File && o.Last != o.Base {
			recs = append(recs, InodeRecord{Object: o.ID, Inode: &o.Ident, State: &o.Last})
		}
	}
	return recs
}
