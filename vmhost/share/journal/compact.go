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
	recs, images := j.tables.records()
	now := j.tables.lastT.UnixMilli()
	for i := range recs {
		recs[i].Time = now
	}
	if err := replace(j.file, recs); err != nil {
		return err
	}
	for i, o := range images {
		o.image.at = recs[i].at
	}
	for i := range recs {
		if k := recs[i].Keep; k != nil {
			k.at = recs[i].at
		}
	}
	j.compact, j.marked = j.file.Length(), 0 // a mark comes next
	return nil
}

// records returns what apply needs to make these tables, and for each record
// with inline content the object it belongs to.
func (t *tables) records() ([]record, map[int]*object) {
	images := map[int]*object{}
	recs := []record{{Type: recHead, Text: t.id, Name: t.secret, Object: t.lastO, Entry: t.lastE}} // numbers are never given out again
	byID := func(a, b *object) int { return cmp.Compare(a.id, b.id) }
	objects := slices.SortedFunc(maps.Values(t.objects), byID)
	for _, f := range slices.SortedFunc(maps.Values(t.folders), func(a, b *folderTable) int { return cmp.Compare(a.num, b.num) }) {
		recs = append(recs, record{Type: recFolder, Text: f.id, Folder: f.num, Object: f.root.id, Path: []byte(f.path), ID: &f.root.ident, State: &f.root.base})
	}
	for _, o := range objects {
		// A parent has a lower number, and stays while it has children with a
		// place; the others have nothing left that could be shown.
		if o.parent != nil && t.objects[o.parent.id] == o.parent {
			recs = append(recs, record{Type: recObject, Object: o.id, Dir: o.parent.id, Name: []byte(o.name),
				ID: &o.ident, Kind: o.kind.String(), Made: o.made, State: &o.base})
		}
	}
	for _, o := range objects {
		recs = append(recs, o.records(func(at int) { images[len(recs)+at] = o })...)
	}
	for _, e := range slices.SortedFunc(maps.Values(t.entries), func(a, b *entry) int { return cmp.Compare(a.id, b.id) }) {
		if t.objects[e.dir.id] == e.dir {
			recs = append(recs, e.records()...)
		}
	}
	for _, o := range objects {
		if o.parent != nil && t.home(o) && (o.dir != o.parent || o.alias != o.name) {
			recs = append(recs, record{Type: recHome, Object: o.id, Dir: o.dir.id, Name: []byte(o.alias)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.undone)) {
		c := t.undone[id]
		recs = append(recs, record{Type: recUndone, Change: &c})
	}
	if t.undoing && len(t.answers.Resolve) > 0 {
		recs = append(recs, t.answers.records()...)
	}
	if t.undoing && len(t.undoIDs) == 0 {
		recs = append(recs, record{Type: recUndo}) // of everything
	}
	recs = append(recs, about(recUndo, t.undoIDs)...)
	if t.undoing {
		recs = append(recs, record{Type: recUndoing, When: &t.undoLast})
	}
	for _, o := range slices.SortedFunc(maps.Keys(t.theirs), byID) {
		recs = append(recs, record{Type: recTheirs, Object: o.id})
	}
	for _, id := range slices.Sorted(maps.Keys(t.keeps)) {
		recs = append(recs, record{Type: recKeep, Keep: t.keeps[id], at: t.keeps[id].at})
	}
	recs = append(recs, about(recRedo, t.redoIDs)...)
	for _, old := range slices.Sorted(maps.Keys(t.reborn)) {
		recs = append(recs, record{Type: recReborn, Object: t.reborn[old], Dir: old})
	}
	return recs, images
}

func (e *entry) records() []record {
	first := record{Type: recEntry, Entry: e.id, Dir: e.dir.id, Name: []byte(e.name)}
	if len(e.bases) > 0 {
		first.Object = e.bases[0].id
	}
	recs := []record{first}
	for _, o := range e.bases[min(1, len(e.bases)):] {
		recs = append(recs, record{Type: recAdopt, Entry: e.id, Object: o.id})
	}
	cur := record{Type: recCur, Entry: e.id}
	if e.cur != nil {
		cur.Object = e.cur.id
	}
	recs = append(recs, cur)
	if !e.sure {
		recs = append(recs, record{Type: recTouchE, Entry: e.id})
	}
	return recs
}

// records returns what is known of o beyond its existence; inline is told the
// index of a record with content.
func (o *object) records(inline func(int)) []record {
	var recs []record
	if i := o.image; i != nil {
		s := o.base
		s.Size, s.Sum = i.size, i.sum
		if i.at > 0 {
			inline(len(recs))
		}
		recs = append(recs, record{Type: recImage, Object: o.id, Gen: i.gen, State: &s, Parts: i.parts, Ahead: i.ahead, at: i.at})
	}
	if o.ref > 0 {
		recs = append(recs, record{Type: recRef, Object: o.id, Gen: o.ref})
	}
	if o.rewriting {
		recs = append(recs, record{Type: recRewrite, Object: o.id})
	}
	if o.gen > 0 && o.image == nil && o.ref == 0 && !o.rewriting {
		// Keeps the generation going, or old files in the store are met again.
		recs = append(recs, record{Type: recRebase, Object: o.id, Gen: o.gen, State: &o.base, ID: &o.ident})
	}
	if o.attrs != nil {
		recs = append(recs, record{Type: recAttrs, Object: o.id, Attrs: o.attrs})
	}
	if o.owner != nil {
		recs = append(recs, record{Type: recOwner, Object: o.id, Owner: o.owner})
	}
	touch := o.touch
	if o.suspect {
		touch = touchNone // nothing is known yet
	}
	switch touch {
	case touchOpen:
		recs = append(recs, record{Type: recTouchO, Object: o.id, Times: o.times})
	case touchQuiet:
		recs = append(recs, record{Type: recTouchO, Object: o.id, Times: o.times}, record{Type: recSig, Object: o.id, State: &o.last})
	case touchDone:
		recs = append(recs, record{Type: recTouchO, Object: o.id, Times: o.times}, record{Type: recAfter, Object: o.id, State: &o.after})
	case touchNone:
		if o.kind == at.File && o.last != o.base {
			recs = append(recs, record{Type: recIdent, Object: o.id, ID: &o.ident, State: &o.last})
		}
	}
	return recs
}
