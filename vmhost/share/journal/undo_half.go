package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/partial"
	"piwork/vmhost/share/journal/internal/recorder"
)

// isHalf reports whether a file that undo was writing into has nothing in it but what was there
// before and what undo found there and keeps for Redo. Then it is finished whatever its times say:
// nothing is lost with it. A scanner may have touched it, and the clock of its drive may be ahead.
func (u *guards) isHalf(ctx context.Context, i *item, d *at.Dir, name string, info at.Info) bool {
	o := i.Object
	if o.Image == nil || info.Kind != at.File || o.Ident.Other(info.ID) {
		return false
	}
	f, got, err := d.Open(name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	image, _ := u.j.Kept(o)
	before, err := image.Open(nil)
	if err != nil {
		return false
	}
	defer before.Close()
	if !o.Image.Parts { // it is written from its beginning
		return got.Size <= before.Size() && pieces(ctx, f, partial.Span{End: got.Size}, before)
	}
	p, err := image.Parts()
	k := u.kept(i)
	if err != nil || k == nil || !k.Has || !k.Parts || o.Base.Sum == "" || got.Size != p.Size && got.Size != k.State.Size {
		return false
	}
	after, err := u.j.KeptForRedo(k).Open(nil)
	if err != nil {
		return false
	}
	defer after.Close()
	for _, s := range append(p.Covered(), partial.Span{Off: p.Size, End: got.Size}) {
		if !pieces(ctx, f, s, before, after) {
			return false
		}
	}
	whole, err := image.Open(func() (*Content, error) {
		return recorder.NewContent(io.NewSectionReader(f, 0, got.Size), func() error { return nil }), nil
	})
	if err != nil {
		return false
	}
	defer whole.Close()
	sum, err := Sum(ctx, whole)
	return err == nil && sum == o.Base.Sum
}

// pieces reports whether each piece of f in s is the same as in one of the others. The disk may have
// got a part of a block only, but whole sectors. Behind the end of a file are zeros.
func pieces(ctx context.Context, f io.ReaderAt, s partial.Span, others ...io.ReaderAt) bool {
	const sector = 512
	read := func(r io.ReaderAt, b []byte, off int64) bool {
		n, err := r.ReadAt(b, off)
		clear(b[n:])
		return err == nil || errors.Is(err, io.EOF)
	}
	is, as := make([]byte, 64<<10), make([][]byte, len(others))
	for ; s.Off < s.End; s.Off += int64(len(is)) {
		is = is[:min(int64(len(is)), s.End-s.Off)]
		if ctx.Err() != nil || !read(f, is, s.Off) {
			return false
		}
		for n, r := range others {
			as[n] = make([]byte, len(is))
			if !read(r, as[n], s.Off) {
				as[n] = nil // it has nothing here
			}
		}
		for at := 0; at < len(is); at += sector {
			end, same := min(at+sector, len(is)), false
			for _, b := range as {
				same = same || b != nil && bytes.Equal(is[at:end], b[at:end])
			}
			if !same {
				return false
			}
		}
	}
	return true
}
