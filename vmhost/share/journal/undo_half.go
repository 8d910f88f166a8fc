package journal

import (
	"context"
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
		return got.Size <= before.Size() && recorder.Pieces(ctx, f, partial.Span{End: got.Size}, before)
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
		if !recorder.Pieces(ctx, f, s, before, after) {
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
