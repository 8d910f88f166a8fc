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
		recs[i].T = now
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
	recs := []record{{K: recHead, X: t.id, N: t.secret, O: t.lastO, E: t.lastE}} // numbers are never given out again
	byID := func(a, b *object) int { return cmp.Compare(a.id, b.id) }
	objects := slices.SortedFunc(maps.Values(t.objects), byID)
	for _, f := range slices.SortedFunc(maps.Values(t.folders), func(a, b *folderTable) int { return cmp.Compare(a.num, b.num) }) {
		recs = append(recs, record{K: recFolder, X: f.id, F: f.num, O: f.root.id, Path: []byte(f.path), ID: &f.root.ident, S: &f.root.base})
	}
	for _, o := range objects {
		// A parent has a lower number, and stays while it has children with a
		// place; the others have nothing left that could be shown.
		if o.parent != nil && t.objects[o.parent.id] == o.parent {
			recs = append(recs, record{K: recObject, O: o.id, P: o.parent.id, N: []byte(o.name),
				ID: &o.ident, Kind: o.kind.String(), Made: o.made, S: &o.base})
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
			recs = append(recs, record{K: recHome, O: o.id, P: o.dir.id, N: []byte(o.alias)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.undone)) {
		c := t.undone[id]
		recs = append(recs, record{K: recUndone, Change: &c})
	}
	if t.undoing && len(t.answers.Resolve) > 0 {
		recs = append(recs, t.answers.records()...)
	}
	if t.undoing && len(t.undoIDs) == 0 {
		recs = append(recs, record{K: recUndo}) // of everything
	}
	for ids := range slices.Chunk(t.undoIDs, 1000) {
		recs = append(recs, record{K: recUndo, IDs: ids})
	}
	if t.undoing {
		recs = append(recs, record{K: recUndoing, When: &t.undoLast})
	}
	for _, o := range slices.SortedFunc(maps.Keys(t.theirs), byID) {
		recs = append(recs, record{K: recTheirs, O: o.id})
	}
	for _, id := range slices.Sorted(maps.Keys(t.keeps)) {
		recs = append(recs, record{K: recKeep, Keep: t.keeps[id], at: t.keeps[id].at})
	}
	for ids := range slices.Chunk(t.redoIDs, 1000) {
		recs = append(recs, record{K: recRedo, IDs: ids})
	}
	for _, old := range slices.Sorted(maps.Keys(t.reborn)) {
		recs = append(recs, record{K: recReborn, O: t.reborn[old], P: old})
	}
	return recs, images
}

func (e *entry) records() []record {
	first := record{K: recEntry, E: e.id, P: e.dir.id, N: []byte(e.name)}
	if len(e.bases) > 0 {
		first.O = e.bases[0].id
	}
	recs := []record{first}
	for _, o := range e.bases[min(1, len(e.bases)):] {
		recs = append(recs, record{K: recAdopt, E: e.id, O: o.id})
	}
	cur := record{K: recCur, E: e.id}
	if e.cur != nil {
		cur.O = e.cur.id
	}
	recs = append(recs, cur)
	if !e.sure {
		recs = append(recs, record{K: recTouchE, E: e.id})
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
		recs = append(recs, record{K: recImage, O: o.id, G: i.gen, S: &s, Parts: i.parts, Ahead: i.ahead, at: i.at})
	}
	if o.ref > 0 {
		recs = append(recs, record{K: recRef, O: o.id, G: o.ref})
	}
	if o.rewriting {
		recs = append(recs, record{K: recRewrite, O: o.id})
	}
	if o.gen > 0 && o.image == nil && o.ref == 0 && !o.rewriting {
		// Keeps the generation going, or old files in the store are met again.
		recs = append(recs, record{K: recRebase, O: o.id, G: o.gen, S: &o.base, ID: &o.ident})
	}
	if o.attrs != nil {
		recs = append(recs, record{K: recAttrs, O: o.id, A: o.attrs})
	}
	if o.owner != nil {
		recs = append(recs, record{K: recOwner, O: o.id, Own: o.owner})
	}
	touch := o.touch
	if o.suspect {
		touch = touchNone // nothing is known yet
	}
	switch touch {
	case touchOpen:
		recs = append(recs, record{K: recTouchO, O: o.id, Times: o.times})
	case touchQuiet:
		recs = append(recs, record{K: recTouchO, O: o.id, Times: o.times}, record{K: recSig, O: o.id, S: &o.last})
	case touchDone:
		recs = append(recs, record{K: recTouchO, O: o.id, Times: o.times}, record{K: recAfter, O: o.id, S: &o.after})
	case touchNone:
		if o.kind == at.File && o.last != o.base {
			recs = append(recs, record{K: recIdent, O: o.id, ID: &o.ident, S: &o.last})
		}
	}
	return recs
}
