package recorder

import (
	"piwork/vmhost/share/internal/at"
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
	})
	return n, err
}

// Allocate makes or unmakes room in the file, as [at.Allocate] does.
func (x *File) Allocate(mode uint32, off, size int64) error {
	return x.changeContent(partial.Span{Off: off, End: off + size}, func() error { return at.Allocate(x.f, mode, off, size) })
}

// changeContent does what changes the bytes of s, after keeping them.
func (x *File) changeContent(s partial.Span, do func() error) error {
	o := x.obj.Load()
	if o == nil {
		return do()
	}
	return x.folder.ask(func() error { return x.change(o, s, do) })
}

func (x *File) change(o *ledger.Object, s partial.Span, do func() error) error {
	x.folder.gate.RLock()
	defer x.folder.gate.RUnlock()
	x.begin()
	changed := false
	defer func() { x.end(changed, false) }()
	if err := x.prepare(o); err != nil {
		return err
	}
	if p := x.parts.Load(); p != nil {
		if err := x.folder.keepParts(o, p, x.f, s); err != nil {
			return err
		}
	}
	x.folder.J.Busy()
	if err := unsealed(x.folder); err != nil {
		return err
	}
	changed = true
	return do()
}
