package recorder

import (
	"math"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// WritevAt is WriteAt of several buffers.
func (x *File) WritevAt(bufs [][]byte, off int64) (n int, err error) {
	size := 0
	for _, b := range bufs {
		size += len(b)
	}
	err = x.changeContent(partial.Span{Off: off, End: off + int64(size)}, func() error {
		n, err = at.WritevAt(x.f, bufs, off)
		return err
	}, func(w *ledger.Writing) {
		if n > 0 { // pwrite(2) of nothing makes no file longer
			w.Reached(off + int64(n))
		}
	})
	return n, err
}

// Append writes buffers to the end that the file has by then. It destroys no byte that was there
// before, so of a file in parts nothing more is kept.
func (x *File) Append(bufs [][]byte) (n int, err error) {
	var size int64
	err = x.changeContent(atEnd, func() error {
		n, size, err = at.Append(x.f, bufs)
		return err
	}, func(w *ledger.Writing) { w.Appended(int64(n), size) })
	return n, err
}

// atEnd is what a write changes that begins at the end of the file.
var atEnd = partial.Span{Off: -1, End: math.MaxInt64}

// Allocate makes or unmakes room in the file, as [at.Allocate] does.
func (x *File) Allocate(mode uint32, off, size int64) error {
	return x.changeContent(partial.Span{Off: off, End: off + size}, func() error { return at.Allocate(x.f, mode, off, size) },
		(*ledger.Writing).Guess)
}

// changeContent does what changes the bytes of s, after keeping them. length then notes what a change
// without an error made of the file's length.
func (x *File) changeContent(s partial.Span, do func() error, length func(w *ledger.Writing)) error {
	o := x.obj.Load()
	if o == nil && do == nil {
		return nil
	} else if o == nil {
		return do()
	}
	return x.folder.ask(func() error { return x.change(o, s, do, length) })
}

func (x *File) change(o *ledger.Object, s partial.Span, do func() error, length func(w *ledger.Writing)) (err error) {
	x.folder.gate.RLock()
	defer x.folder.gate.RUnlock()
	x.begin()
	did, changed := nothing, (*ledger.Writing).Guess
	defer func() { x.end(did, changed) }()
	if err := x.prepare(o); err != nil {
		return err
	}
	if p := x.parts.Load(); p != nil {
		if s == atEnd {
			if s.Off, err = at.End(x.f); err != nil {
				return err
			}
		}
		if err := x.folder.keepParts(o, p, x.f, s); err != nil {
			return err
		}
	}
	x.folder.J.Busy()
	if err := unsealed(x.folder); err != nil {
		return err
	}
	if do == nil {
		return nil
	}
	did = content
	if err = do(); err == nil {
		changed = length
	}
	return err
}

// Keep keeps bytes that are about to change, without changing them.
func (x *File) Keep(list spans.Set) error {
	for _, s := range list {
		if err := x.changeContent(s, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
