package recorder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// beginParts makes the file that the parts of o will be kept in. It and its
// record are made durable together with the first part.
func (f *keeper) beginParts(o *ledger.Object, info at.Info, gen uint32) (*partial.Image, error) {
	j := f.J
	p := partial.New(info.Size, j.PartSize)
	name := ledger.StoreName(o.ID, gen)
	_ = j.Image.Remove(name) // left by a crash
	dst, _, err := j.Image.Create(name, 0o600)
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	if _, err := dst.WriteAt(p.Head(), 0); err != nil {
		return nil, err
	}
	s := ledger.StateOf(info)
	j.Mu.Lock()
	defer j.Mu.Unlock()
	if err := j.full(p.End); err != nil {
		_ = j.Image.Remove(name)
		return nil, err
	}
	j.used += p.End
	if _, err := j.Put(ledger.ImageRecord{Object: o.ID, Gen: gen, State: &s, Parts: true}); err != nil {
		return nil, err
	}
	o.Image.Loaded = p
	j.Step("image")
	return p, nil
}

// PartsOf returns the parts that are kept of o.
func (j *Recorder) PartsOf(o *ledger.Object) (*partial.Image, error) {
	image, _ := j.Kept(o)
	return image.Parts()
}

// keepParts keeps what is about to change in the file that src has open, and
// waits until it is durable. A program that goes on where it was makes more of
// it be kept ahead, so that it waits for the disk ever more seldom.
func (f *keeper) keepParts(o *ledger.Object, p *partial.Image, src *os.File, s partial.Span) error {
	if p.Has(s) {
		return nil
	}
	o.Keep.Lock()
	defer o.Keep.Unlock()
	ahead := s
	if s.Off <= p.Last && p.Last <= s.End && s.End < p.Size {
		p.Ahead = min(max(2*p.Ahead, p.Block), partial.MaxAhead)
		ahead.End = min(s.End+p.Ahead, p.Size)
	} else {
		p.Ahead = 0
	}
	err := f.keepSpans(o, p, src, ahead)
	if errors.Is(err, ErrFull) && ahead != s {
		err = f.keepSpans(o, p, src, s)
	}
	return err
}

// keepSpans keeps what is not kept yet of s; o.Keep is held.
func (f *keeper) keepSpans(o *ledger.Object, p *partial.Image, src *os.File, s partial.Span) error {
	if p.Has(s) {
		return nil
	}
	j := f.J
	p.Mu.RLock()
	list, settled := p.Missing(s), p.Settled
	p.Mu.RUnlock()
	have, err := at.Stat(src)
	if err != nil {
		return err
	}
	j.Mu.Lock()
	if o.Image == nil || o.Image.Loaded != p {
		j.Mu.Unlock()
		return ErrNoImage
	}
	name := ledger.StoreName(o.ID, o.Image.Gen)
	err = j.full(min(list.Size(), have.Blocks*512)) // holes need no room
	j.Mu.Unlock()
	if err != nil {
		return err
	}
	dst, info, err := j.Image.Open(name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer dst.Close()
	if info.Size != p.End { // what a crash or a full disk left
		if err := dst.Truncate(p.End); err != nil {
			return err
		}
	}
	done, err := p.Add(dst, src, list)
	if err != nil {
		return errors.Join(err, dst.Truncate(p.End))
	}
	j.Step("parts-written")
	if err := at.Sync(dst); err != nil {
		return err
	}
	if !settled {
		if err := errors.Join(j.Image.Sync(), f.durable(o)); err != nil {
			return err
		}
	}
	was := p.End
	p.Commit(done)
	j.Mu.Lock()
	j.used += p.End - was
	j.Mu.Unlock()
	if len(list) > 0 {
		p.Last = list[len(list)-1].End
	}
	j.Step("parts")
	return nil
}

// KeepRest keeps what is not among the parts of o from src, in which that is as it was.
// The time of the file of parts, which says when the journal was last used, stays.
func (j *Recorder) KeepRest(o *ledger.Object, src *os.File) error {
	p, err := j.PartsOf(o)
	if err != nil || p.Has(partial.Everything) {
		return err
	}
	name := ledger.StoreName(o.ID, o.Image.Gen)
	info, err := j.Image.Lstat(name)
	if err != nil {
		return err
	}
	err = (&keeper{J: j}).keepSpans(o, p, src, partial.Everything)
	return errors.Join(err, j.Image.Chtimes(name, time.Time{}, info.MTime))
}

// equalParts reports whether what is kept of o is what is at a name now.
func (s *survey) equalParts(ctx context.Context, root *at.Root, rel, name string, o *ledger.Object) (bool, error) {
	image, _ := s.Kept(o)
	p, err := image.Parts()
	if err != nil {
		return false, nil // named when it is undone
	}
	old, err := image.Open(nil)
	if err != nil {
		return false, nil
	}
	defer old.Close()
	f, info, err := openIn(root, path.Join(rel, name))
	if err != nil || info.Size != p.Size {
		return false, err
	}
	defer f.Close()
	was, is := make([]byte, partial.MaxPart), make([]byte, partial.MaxPart)
	list := p.Covered()
	if at.Hollow(info.Size, f) { // what are holes on both sides is the same
		list = p.Data()
		for _, z := range p.Zeros() {
			for _, s := range at.Data(f, z.Off, z.End) {
				list.Add(s)
			}
		}
	}
	for _, st := range list {
		for ; st.Off < st.End; st.Off += partial.MaxPart {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			n := min(partial.MaxPart, st.End-st.Off)
			if _, err := old.ReadAt(was[:n], st.Off); err != nil {
				return false, err
			}
			if _, err := f.ReadAt(is[:n], st.Off); err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			if !bytes.Equal(was[:n], is[:n]) {
				return false, nil
			}
		}
	}
	return true, nil
}
