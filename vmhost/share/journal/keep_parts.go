package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
	"piwork/vmhost/share/journal/internal/partial"
)

// beginParts makes the file that the parts of o will be kept in. It and its
// record are made durable together with the first part.
func (f *Folder) beginParts(o *ledger.Object, info at.Info, gen uint32) (*partial.Image, error) {
	j := f.j
	p := partial.New(info.Size, j.partSize)
	name := ledger.StoreName(o.ID, gen)
	_ = j.image.Remove(name) // left by a crash
	dst, _, err := j.image.Create(name, 0o600)
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	if _, err := dst.WriteAt(p.Head(), 0); err != nil {
		return nil, err
	}
	s := ledger.StateOf(info)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.full(p.End); err != nil {
		_ = j.image.Remove(name)
		return nil, err
	}
	j.used += p.End
	if _, err := j.put(ledger.ImageRecord{Object: o.ID, Gen: gen, State: &s, Parts: true}); err != nil {
		return nil, err
	}
	o.Image.Loaded = p
	j.step("image")
	return p, nil
}

// partsOf returns the parts that are kept of o, reading their file when that
// was not done yet.
func (j *Journal) partsOf(o *ledger.Object) (*partial.Image, error) {
	j.mu.Lock()
	img := o.Image
	if img == nil || !img.Parts {
		j.mu.Unlock()
		return nil, ErrNoImage
	}
	p, name := img.Loaded, ledger.StoreName(o.ID, img.Gen)
	j.mu.Unlock()
	if p != nil {
		return p, nil
	}
	f, _, err := j.image.Open(name, os.O_RDONLY)
	if err == nil {
		defer f.Close()
		p, err = partial.Read(f)
	}
	if err == nil && p.Size != img.Size {
		err = partial.ErrFormat
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if img.Loaded == nil {
		img.Loaded = p
	}
	return img.Loaded, nil
}

// keepParts keeps what is about to change in the file that src has open, and
// waits until it is durable. A program that goes on where it was makes more of
// it be kept ahead, so that it waits for the disk ever more seldom.
func (f *Folder) keepParts(o *ledger.Object, p *partial.Image, src *os.File, s partial.Span) error {
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

// keepSpans keeps what is not kept yet of s; o.keep is held.
func (f *Folder) keepSpans(o *ledger.Object, p *partial.Image, src *os.File, s partial.Span) error {
	if p.Has(s) {
		return nil
	}
	j := f.j
	p.Mu.RLock()
	list, settled := p.Missing(s), p.Settled
	p.Mu.RUnlock()
	have, err := at.Stat(src)
	if err != nil {
		return err
	}
	j.mu.Lock()
	if o.Image == nil || o.Image.Loaded != p {
		j.mu.Unlock()
		return ErrNoImage
	}
	name := ledger.StoreName(o.ID, o.Image.Gen)
	err = j.full(min(length(list), have.Blocks*512)) // holes need no room
	j.mu.Unlock()
	if err != nil {
		return err
	}
	dst, info, err := j.image.Open(name, os.O_RDWR)
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
	j.step("parts-written")
	if err := at.Sync(dst); err != nil {
		return err
	}
	if !settled {
		if err := errors.Join(j.image.Sync(), f.durable(o)); err != nil {
			return err
		}
	}
	j.mu.Lock()
	j.used += partial.Written(done)
	j.mu.Unlock()
	p.Commit(done)
	if len(list) > 0 {
		p.Last = list[len(list)-1].End
	}
	j.step("parts")
	return nil
}

// equalParts reports whether what is kept of o is what is at a name now.
func (j *Journal) equalParts(ctx context.Context, root *at.Root, rel, name string, o *ledger.Object) (bool, error) {
	p, err := j.partsOf(o)
	if err != nil {
		return false, nil // named when it is undone
	}
	img, _, err := j.image.Open(ledger.StoreName(o.ID, j.known(o).imageGen), os.O_RDONLY)
	if err != nil {
		return false, nil
	}
	defer img.Close()
	f, info, err := openIn(root, rel, name)
	if err != nil || info.Size != p.Size {
		return false, err
	}
	defer f.Close()
	was, is := make([]byte, partial.MaxPart), make([]byte, partial.MaxPart)
	over := partial.Overlay{P: p, Img: img}
	for _, s := range p.Covered() {
		for ; s.Off < s.End; s.Off += partial.MaxPart {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			n := min(partial.MaxPart, s.End-s.Off)
			if _, err := over.ReadAt(was[:n], s.Off); err != nil {
				return false, err
			}
			if _, err := f.ReadAt(is[:n], s.Off); err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			if !bytes.Equal(was[:n], is[:n]) {
				return false, nil
			}
		}
	}
	return true, nil
}

func length(list []partial.Span) int64 {
	n := int64(0)
	for _, s := range list {
		n += s.End - s.Off
	}
	return n
}
