package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
)

// beginParts makes the file that the parts of o will be kept in. It and its
// record are made durable together with the first part.
func (f *Folder) beginParts(o *object, info at.Info, gen uint32) (*parts, error) {
	j := f.j
	p := newParts(info.Size, j.partSize)
	name := storeName(o.id, gen)
	_ = j.image.Remove(name) // left by a crash
	dst, _, err := j.image.Create(name, 0o600)
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	if _, err := dst.WriteAt(p.head(), 0); err != nil {
		return nil, err
	}
	s := stateOf(info)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.full(p.end); err != nil {
		_ = j.image.Remove(name)
		return nil, err
	}
	j.used += p.end
	if _, err := j.put(imageRecord{Object: o.id, Gen: gen, State: &s, Parts: true}); err != nil {
		return nil, err
	}
	o.image.loaded = p
	j.step("image")
	return p, nil
}

// partsOf returns the parts that are kept of o, reading their file when that
// was not done yet.
func (j *Journal) partsOf(o *object) (*parts, error) {
	j.mu.Lock()
	img := o.image
	if img == nil || !img.parts {
		j.mu.Unlock()
		return nil, ErrNoImage
	}
	p, name := img.loaded, storeName(o.id, img.gen)
	j.mu.Unlock()
	if p != nil {
		return p, nil
	}
	f, _, err := j.image.Open(name, os.O_RDONLY)
	if err == nil {
		defer f.Close()
		p, err = readParts(f)
	}
	if err == nil && p.size != img.size {
		err = errParts
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if img.loaded == nil {
		img.loaded = p
	}
	return img.loaded, nil
}

// keepParts keeps what is about to change in the file that src has open, and
// waits until it is durable. A program that goes on where it was makes more of
// it be kept ahead, so that it waits for the disk ever more seldom.
func (f *Folder) keepParts(o *object, p *parts, src *os.File, s span) error {
	if p.has(s) {
		return nil
	}
	o.keep.Lock()
	defer o.keep.Unlock()
	ahead := s
	if s.off <= p.last && p.last <= s.end && s.end < p.size {
		p.ahead = min(max(2*p.ahead, p.block), maxAhead)
		ahead.end = min(s.end+p.ahead, p.size)
	} else {
		p.ahead = 0
	}
	err := f.keepSpans(o, p, src, ahead)
	if errors.Is(err, ErrFull) && ahead != s {
		err = f.keepSpans(o, p, src, s)
	}
	return err
}

// keepSpans keeps what is not kept yet of s; o.keep is held.
func (f *Folder) keepSpans(o *object, p *parts, src *os.File, s span) error {
	if p.has(s) {
		return nil
	}
	j := f.j
	p.mu.RLock()
	list, settled := p.missing(s), p.settled
	p.mu.RUnlock()
	have, err := at.Stat(src)
	if err != nil {
		return err
	}
	j.mu.Lock()
	if o.image == nil || o.image.loaded != p {
		j.mu.Unlock()
		return ErrNoImage
	}
	name := storeName(o.id, o.image.gen)
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
	if info.Size != p.end { // what a crash or a full disk left
		if err := dst.Truncate(p.end); err != nil {
			return err
		}
	}
	done, err := p.add(dst, src, list)
	if err != nil {
		return errors.Join(err, dst.Truncate(p.end))
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
	j.used += written(done)
	j.mu.Unlock()
	p.commit(done)
	if len(list) > 0 {
		p.last = list[len(list)-1].end
	}
	j.step("parts")
	return nil
}

// equalParts reports whether what is kept of o is what is at a name now.
func (j *Journal) equalParts(ctx context.Context, root *at.Root, rel, name string, o *object) (bool, error) {
	p, err := j.partsOf(o)
	if err != nil {
		return false, nil // named when it is undone
	}
	img, _, err := j.image.Open(storeName(o.id, j.known(o).imageGen), os.O_RDONLY)
	if err != nil {
		return false, nil
	}
	defer img.Close()
	f, info, err := openIn(root, rel, name)
	if err != nil || info.Size != p.size {
		return false, err
	}
	defer f.Close()
	was, is := make([]byte, maxPart), make([]byte, maxPart)
	over := overlay{p: p, img: img}
	for _, s := range p.covered() {
		for ; s.off < s.end; s.off += maxPart {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			n := min(maxPart, s.end-s.off)
			if _, err := over.ReadAt(was[:n], s.off); err != nil {
				return false, err
			}
			if _, err := f.ReadAt(is[:n], s.off); err != nil && !errors.Is(err, io.EOF) {
				return false, err
			}
			if !bytes.Equal(was[:n], is[:n]) {
				return false, nil
			}
		}
	}
	return true, nil
}

func length(list []span) int64 {
	n := int64(0)
	for _, s := range list {
		n += s.end - s.off
	}
	return n
}
