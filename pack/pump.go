package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"piwork/pack/spec"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Sizes of the pump: what is read but not yet both hashed and written.
const (
	chunkSize  = 1 << 20
	chunkCount = 32
)

// errStopped is what the reading side of a pump gets after a failure elsewhere.
var errStopped = errors.New("stopped by another failure")

// target is where a file of a pack is written.
type target interface {
	io.WriteCloser
	// flush is called after each write with the range that was written, to let
	// the system begin with what will be waited for in the end.
	flush(off, n int64)
}

// pump moves files from one stream to their targets. Reading, hashing and
// writing run at the same time, several files at once, within chunkCount
// buffers. A file whose content is not what it should be ends the pump.
type pump struct {
	g    *errgroup.Group
	ctx  context.Context
	free chan []byte

	mu       sync.Mutex // guards progress, so that calls come one at a time
	progress spec.Progress
	done     int64
	total    int64
}

func newPump(ctx context.Context, progress spec.Progress) *pump {
	g, ctx := errgroup.WithContext(ctx)
	p := &pump{g: g, ctx: ctx, progress: progress, free: make(chan []byte, chunkCount)}
	for range chunkCount {
		p.free <- nil // made when first used
	}
	return p
}

// wait returns the first failure after everything that was begun has ended. It
// must be called, also after copy failed.
func (p *pump) wait() error { return p.g.Wait() }

// chunk is a buffer that goes back when all who use it are done.
type chunk struct {
	data []byte
	uses atomic.Int32
}

func (p *pump) buffer() ([]byte, error) {
	select {
	case b := <-p.free:
		if b == nil {
			b = make([]byte, chunkSize)
		}
		return b, nil
	case <-p.ctx.Done():
		return nil, errStopped
	}
}

func (p *pump) release(c *chunk) {
	if c.uses.Add(-1) == 0 {
		p.free <- c.data[:cap(c.data)]
	}
}

// copy reads exactly the size of f from r and has it hashed and, with w not nil,
// written. It owns w from here on. It returns when all is read; the rest of the
// work goes on behind it.
func (p *pump) copy(f spec.File, r io.Reader, w target) error {
	first, err := p.read(r, f.Size)
	if err != nil {
		return errors.Join(err, closeTarget(w))
	}
	if f.Size <= chunkSize {
		p.g.Go(func() error { return p.small(f, first, w) })
		return nil
	}
	// Deep enough that one of the two may fall behind the other.
	hashing := make(chan *chunk, chunkCount)
	writing := make(chan *chunk, chunkCount)
	var complete atomic.Bool
	defer close(hashing)
	defer close(writing)
	p.g.Go(func() error { return p.hash(f, hashing, &complete) })
	p.g.Go(func() error { return p.write(w, writing) })
	for left := f.Size; ; {
		n := int64(len(first.data))
		hashing <- first // never blocks: there are no more chunks than places
		writing <- first
		if left -= n; left == 0 {
			complete.Store(true)
			return nil
		}
		if first, err = p.read(r, left); err != nil {
			return err
		}
	}
}

// read fills a buffer with the next of left bytes.
func (p *pump) read(r io.Reader, left int64) (*chunk, error) {
	b, err := p.buffer()
	if err != nil {
		return nil, err
	}
	c := &chunk{data: b[:min(left, chunkSize)]}
	if _, err := io.ReadFull(r, c.data); err != nil {
		p.free <- b
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	c.uses.Store(2)
	return c, nil
}

// small does a file of one chunk.
func (p *pump) small(f spec.File, c *chunk, w target) error {
	defer p.release(c)
	defer p.release(c)
	sum := sha256.Sum256(c.data)
	if err := compare(f, sum[:]); err != nil {
		return errors.Join(err, closeTarget(w))
	}
	if w != nil {
		if _, err := w.Write(c.data); err != nil {
			return &localError{errors.Join(err, w.Close())}
		}
		if err := w.Close(); err != nil {
			return &localError{err}
		}
	}
	p.count(int64(len(c.data)))
	return nil
}

// hash takes the sum of a file. complete is set before its last chunk's channel
// is closed, else reading failed and that is the error.
func (p *pump) hash(f spec.File, chunks <-chan *chunk, complete *atomic.Bool) error {
	h := sha256.New()
	for c := range chunks {
		h.Write(c.data)
		n := int64(len(c.data))
		p.release(c)
		p.count(n)
	}
	if !complete.Load() {
		return nil
	}
	return compare(f, h.Sum(nil))
}

// write takes the chunks of a file to its target. After a failure the chunks that
// are still in the channel are lost: the failure stops the whole pump.
func (p *pump) write(w target, chunks <-chan *chunk) error {
	var off int64
	for c := range chunks {
		if w != nil {
			n, err := w.Write(c.data)
			if err != nil {
				return &localError{errors.Join(err, w.Close())}
			}
			w.flush(off, int64(n))
			off += int64(n)
		}
		p.release(c)
	}
	if err := closeTarget(w); err != nil {
		return &localError{err}
	}
	return nil
}

func (p *pump) count(n int64) {
	if p.progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.progress(p.done, p.total)
}

func compare(f spec.File, sum []byte) error {
	want, err := hex.DecodeString(f.SHA256)
	if err != nil || !bytes.Equal(sum, want) {
		return spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %x, signed was %s", sum, f.SHA256)
	}
	return nil
}

func closeTarget(w target) error {
	if w == nil {
		return nil
	}
	return w.Close()
}
