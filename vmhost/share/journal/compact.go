package journal

import (
	"cmp"
	"maps"
	"slices"

	"piwork/vmhost/share/internal/at"
)

// compactAt is the length in bytes from which on a log is rewritten when most
// of it is about things that came and went.
const compactAt = 64 << 20

// rewrite replaces the log by the shortest one that says the same; j.mu is
// held.
func (j *Journal) rewrite() error {
	if err := replace(j.file, j.tables.lastT, j.tables.records()); err != nil {
		return err
	}
	j.compact, j.marked = j.file.Length(), 0 // a mark comes next
	return nil
}

// records returns those that make these tables.
func (t *tables) records() []record {
	recs := []record{headRecord{ID: t.id, Secret: t.secret, Object: t.lastO, Entry: t.lastE}} // numbers are never given out again
	byID := func(a, b *object) int { return cmp.Compare(a.id, b.id) }
	objects := slices.SortedFunc(maps.Values(t.objects), byID)
	for _, f := range slices.SortedFunc(maps.Values(t.folders), func(a, b *folderTable) int { return cmp.Compare(a.num, b.num) }) {
		recs = append(recs, folderRecord{ID: f.id, Folder: f.num, Root: f.root.id, Path: []byte(f.path), Inode: &f.root.ident, State: &f.root.base})
	}
	for _, o := range objects {
		// A parent has a lower number, and stays while it has children with a
		// place; the others have nothing left that could be shown.
		if o.parent != nil && t.objects[o.parent.id] == o.parent {
			recs = append(recs, objectRecord{Object: o.id, Dir: o.parent.id, Name: []byte(o.name),
				Inode: &o.ident, Kind: o.kind.String(), Made: o.made, State: &o.base})
		}
	}
	for _, o := range objects {
		recs = append(recs, o.records()...)
	}
	for _, e := range slices.SortedFunc(maps.Values(t.entries), func(a, b *entry) int { return cmp.Compare(a.id, b.id) }) {
		if t.objects[e.dir.id] == e.dir {
			recs = append(recs, e.records()...)
		}
	}
	for _, o := range objects {
		if o.parent != nil && t.home(o) && (o.dir != o.parent || o.alias != o.name) {
			recs = append(recs, homeRecord{Object: o.id, Dir: o.dir.id, Name: []byte(o.alias)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.undone)) {
		c := t.undone[id]
		recs = append(recs, undoneRecord{Change: &c})
	}
	if t.undoing && len(t.answers.Resolve) > 0 {
		recs = append(recs, t.answers.records()...)
	}
	if t.undoing && len(t.undoIDs) == 0 {
		recs = append(recs, undoRecord{}) // of everything
	}
	recs = append(recs, about[undoRecord](t.undoIDs)...)
	if t.undoing {
		recs = append(recs, undoingRecord{When: &t.undoLast})
	}
	for _, o := range slices.SortedFunc(maps.Keys(t.theirs), byID) {
		recs = append(recs, theirsRecord{Object: o.id})
	}
	for _, id := range slices.Sorted(maps.Keys(t.keeps)) {
		recs = append(recs, keepRecord{Keep: t.keeps[id], inline: t.keeps[id].inline})
	}
	recs = append(recs, about[redoRecord](t.redoIDs)...)
	for _, old := range slices.Sorted(maps.Keys(t.reborn)) {
		recs = append(recs, rebornRecord{Object: t.reborn[old], Old: old})
	}
	return recs
}

func (e *entry) records() []record {
	first := entryRecord{Entry: e.id, Dir: e.dir.id, Name: []byte(e.name)}
	if len(e.bases) > 0 {
		first.Object = e.bases[0].id
	}
	recs := []record{first}
	for _, o := range e.bases[min(1, len(e.bases)):] {
		recs = append(recs, adoptRecord{Entry: e.id, Object: o.id})
	}
	cur := bindRecord{Entry: e.id}
	if e.cur != nil {
		cur.Object = e.cur.id
	}
	recs = append(recs, cur)
	if !e.sure {
		recs = append(recs, touchRecord{Entry: e.id})
	}
	return recs
}

// records returns what is known of o beyond its existence.
func (o *object) records() []record {
	var recs []record
	if i := o.image; i != nil {
		s := o.base
		s.Size, s.Sum = i.size, i.sum
		recs = append(recs, imageRecord{Object: o.id, Gen: i.gen, State: &s, Parts: i.parts, Ahead: i.ahead, inline: i.inline})
	}
	if o.ref > 0 {
		recs = append(recs, refRecord{Object: o.id, Gen: o.ref})
	}
	if o.rewriting {
		recs = append(recs, rewriteRecord{Object: o.id})
	}
	if o.gen > 0 && o.image == nil && o.ref == 0 && !o.rewriting {
		// Keeps the generation going, or old files in the store are met again.
		recs = append(recs, rebaseRecord{Object: o.id, Gen: o.gen, State: &o.base, Inode: &o.ident})
	}
	if o.attrs != nil {
		recs = append(recs, attrsRecord{Object: o.id, Attrs: o.attrs})
	}
	if o.owner != nil {
		recs = append(recs, ownerRecord{Object: o.id, Owner: o.owner})
	}
	touch := o.touch
	if o.suspect {
		touch = touchNone // nothing is known yet
	}
	switch touch {
	case touchOpen:
		recs = append(recs, openRecord{Object: o.id, Times: o.times})
	case touchQuiet:
		recs = append(recs, openRecord{Object: o.id, Times: o.times}, signRecord{Object: o.id, State: &o.last})
	case touchDone:
		recs = append(recs, openRecord{Object: o.id, Times: o.times}, afterRecord{Object: o.id, State: &o.after})
	case touchNone:
		if o.kind == at.File && o.last != o.base {
			recs = append(recs, inodeRecord{Object: o.id, Inode: &o.ident, State: &o.last})
		}
	}
	return recs
}
