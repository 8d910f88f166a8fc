package review

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/wal"
)

// compact replaces the log by the shortest one that says the same; mu is held
// for writing.
func (l *base) compact() error {
	now := time.Now().UnixNano()
	if err := l.wal.Replace(func(_ io.ReaderAt, add func([]byte) (int64, error)) (err error) {
		l.t.records(func(r *record) bool {
			r.T = now
			var frame []byte
			if frame, err = encode(r); err == nil {
				_, err = add(frame)
			}
			return err == nil
		})
		return err
	}); err != nil {
		return err
	}
	l.least = l.wal.Length()
	return nil
}

// encode returns the frame of a record.
func encode(r *record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return wal.Encode(nil, body)
}

// records yields what apply needs to make these tables.
func (t *tables) records(yield func(r *record) bool) {
	first := &record{Layer: t.layer, Dev: new(t.dev)}
	if t.folder != (at.ID{}) {
		first.Folder = new(t.folder)
	}
	if !yield(first) {
		return
	}
	b := &batch{yield: yield}
	nodes := slices.SortedFunc(maps.Values(t.nodes), func(a, b *node) int { return cmp.Compare(a.N, b.N) })
	var all []*entry
	for _, n := range nodes {
		if !n.kept {
			continue
		}
		all = append(all, n.order...)
		b.Nodes = append(b.Nodes, n.nodeRec)
		b.add(2*len(n.Base) + 2*len(n.Link) + 2*len(n.From) + 2*n.Attrs.size() + 20*len(n.Attrs))
		for _, s := range n.have {
			b.Ranges = append(b.Ranges, rangeRec{N: n.N, First: s.Off, Count: s.End - s.Off})
			b.add(0)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
	for _, e := range all {
		x := nameRec{E: e.seq, Dir: e.dir.N, Name: raw(e.name), Orig: e.orig}
		if e.node != nil {
			x.Node = e.node.N
		}
		if e.hid != nil && !e.hid.dropped {
			x.Hid = e.hid.N
		}
		b.Names = append(b.Names, x)
		b.add(2 * len(e.name))
	}
	b.flush(false)
	for temp, id := range t.temps {
		if !b.ended {
			b.ended = !yield(&record{Temp: raw(temp), Lift: id})
		}
	}
}

// batch makes records of a bounded size out of many parts.
type batch struct {
	record
	size  int
	ended bool
	yield func(r *record) bool
}

func (b *batch) add(size int) {
	const part = 500 // bytes of what has a fixed length, at most
	if b.size += part + size; b.size > 512<<10 {
		b.flush(true)
	}
}

func (b *batch) flush(more bool) {
	r := b.record
	r.More = more
	b.ended = b.ended || !b.yield(&r)
	b.record, b.size = record{}, 0
}
