package pack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"piwork/pack/spec"
)

// Bounds on what an extraction holds in memory, and on files that wait for the
// disk at once.
const (
	extractMemory = 96 << 20
	maxSyncs      = 16
)

// extraction unpacks an archive. One goroutine reads frames in their
// order; workers unpack, compare and write them side by side; one follows in the
// order of the archive and sums up whole files.
type extraction struct {
	h     *Head
	stage *stage // nil keeps nothing

	syncs errgroup.Group
	mu    sync.Mutex
	open  map[int]*openFile // files of more than one chunk that are being written
}

// openFile is a file that several chunks write to.
type openFile struct {
	*os.File
	left int64 // bytes
}

// chunkJob is one chunk on its way.
type chunkJob struct {
	index  int
	packed []byte
	data   []byte
	done   chan struct{} // closed when data is written
}

func extractChunks(ctx context.Context, frames *frameReader, h *Head, d destination, progress spec.Progress) error {
	st, err := d(ctx, h)
	if err != nil {
		return explain(ctx, err, nil)
	}
	e := &extraction{h: h, stage: st, open: map[int]*openFile{}}
	e.syncs.SetLimit(maxSyncs)
	err = e.run(ctx, frames, progress)
	if err == nil {
		if _, end := frames.Read(make([]byte, 1)); !errors.Is(end, io.EOF) {
			err = spec.Refuse(spec.KindTrailingData, "", "after the last chunk")
		}
	}
	err = errors.Join(err, e.closeAll())
	if synced := e.syncs.Wait(); err == nil && synced != nil {
		err = &localError{synced}
	}
	if err != nil {
		return explain(ctx, err, frames.failed)
	}
	return nil
}

func (e *extraction) run(ctx context.Context, frames *frameReader, progress spec.Progress) error {
	if e.stage != nil {
		e.stage.store.step("file")
		if err := e.stage.write(spec.ChunksName, 0o644, e.h.index); err != nil {
			return &localError{err}
		}
	}
	chunks := e.h.Chunks.Chunks
	largest := 1
	for _, c := range chunks {
		largest = max(largest, c.Size+int(c.Packed))
	}
	workers := runtime.GOMAXPROCS(0)
	depth := max(2, min(3*workers, extractMemory/largest))
	g, ctx := errgroup.WithContext(ctx)
	free := make(chan *chunkJob, depth)
	for range depth {
		free <- &chunkJob{}
	}
	jobs, order := make(chan *chunkJob, depth), make(chan *chunkJob, depth)
	g.Go(func() error {
		defer close(jobs)
		defer close(order)
		for i, c := range chunks {
			var j *chunkJob
			select {
			case j = <-free:
			case <-ctx.Done():
				return ctx.Err()
			}
			j.index, j.done = i, make(chan struct{})
			j.packed = grow(j.packed, int(c.Packed))
			if _, err := io.ReadFull(frames, j.packed); err != nil {
				if errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF
				}
				return err
			}
			order <- j // never blocks: there are no more jobs than places
			jobs <- j
		}
		return readSeal(frames)
	})
	for range workers {
		g.Go(func() error { return e.work(ctx, jobs) })
	}
	g.Go(func() error { return e.follow(ctx, order, free, progress) })
	return g.Wait()
}

// grow returns a slice of n bytes, b when it is large enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// readSeal reads what must be the seal; the frame reader compares it.
func readSeal(frames *frameReader) error {
	if frames.part != frameStart || frames.have != 0 {
		return spec.Refuse(spec.KindCorrupt, "", "the last frame goes on after the last chunk")
	}
	var b [sealSize]byte
	if _, err := io.ReadFull(frames, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if frames.part != frameEnd {
		return spec.Refuse(spec.KindCorrupt, "", "no seal after the last chunk")
	}
	return nil
}

// newChunkDecoder makes a decoder for that many goroutines at once, 0 for as many
// as there are processors. It unpacks no more than the capacity of what it is
// given to fill.
func newChunkDecoder(goroutines int) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(goroutines), zstd.WithDecoderMaxWindow(windowSize),
		zstd.WithDecodeAllCapLimit(true))
}

// unpackChunk unpacks and verifies a chunk into buf, which grows at need.
func unpackChunk(d *zstd.Decoder, c spec.Chunk, packed, buf []byte) ([]byte, error) {
	data, err := inflateChunk(d, c, packed, buf)
	if err == nil {
		err = c.Verify(data)
	}
	return data, err
}

// inflateChunk unpacks a chunk to its length, whatever its content is.
func inflateChunk(d *zstd.Decoder, c spec.Chunk, packed, buf []byte) ([]byte, error) {
	if int64(len(packed)) != c.Packed {
		return buf, fmt.Errorf("%d bytes, not %d", len(packed), c.Packed)
	}
	data, err := d.DecodeAll(packed, grow(buf, c.Size)[:0:c.Size])
	if err != nil {
		return buf, err
	}
	if len(data) != c.Size {
		return data, fmt.Errorf("unpacks to %d bytes, not %d", len(data), c.Size)
	}
	return data, nil
}

func (e *extraction) work(ctx context.Context, jobs <-chan *chunkJob) error {
	d, err := newChunkDecoder(1)
	if err != nil {
		return err
	}
	defer d.Close()
	for j := range jobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := e.unpack(d, j); err != nil {
			return err
		}
		close(j.done)
	}
	return nil
}

// unpack unpacks and writes one chunk. In an installation the sum of a chunk is
// not taken: that of every whole file is, see follow, and the rest of the chunk is
// known. So each byte is hashed once.
func (e *extraction) unpack(d *zstd.Decoder, j *chunkJob) (err error) {
	c, off := e.h.Chunks.Chunks[j.index], e.h.Chunks.Body[j.index]
	if j.data, err = inflateChunk(d, c, j.packed, j.data); err == nil && e.stage == nil {
		err = c.Verify(j.data)
	}
	if err == nil {
		if err = e.write(off, j.data); spec.KindOf(err) == "" {
			return err
		}
		bad := c.Verify(j.data)
		if bad == nil {
			return err // signed, and yet not what the manifest says
		}
		err = bad
	}
	return &spec.VerifyError{Kind: spec.KindFlippedByte, File: e.h.layout.fileAt(off), Err: fmt.Errorf("chunk %d: %w", j.index, err)}
}

// write takes a chunk apart.
func (e *extraction) write(off int64, data []byte) error {
	for p, err := range e.h.layout.pieces(off, len(data)) {
		if err != nil {
			return err
		}
		b := data[p.from:p.to]
		if p.file < 0 {
			if string(b) != string(p.literal) {
				return spec.Refuse(spec.KindUnsafeEntry, e.h.layout.fileAt(off+int64(p.from)), "its header is not what the manifest says")
			}
			continue
		}
		if e.stage == nil {
			continue
		}
		if err := e.writeFile(p.file, p.off, b); err != nil {
			return &localError{err}
		}
	}
	return nil
}

// writeFile writes to a file of the stage, which it makes at the first touch.
func (e *extraction) writeFile(file int, off int64, b []byte) error {
	f := e.h.layout.files[file]
	if int64(len(b)) == f.Size {
		e.stage.store.step("file")
		t, err := e.stage.create(f.Path, fs.FileMode(f.Mode))
		if err != nil {
			return err
		}
		if _, err := t.Write(b); err != nil {
			return errors.Join(err, t.Close())
		}
		e.syncs.Go(func() error { return finish(t) })
		return nil
	}
	t, err := e.opened(file)
	if err != nil {
		return err
	}
	if _, err := t.WriteAt(b, off); err != nil {
		return err
	}
	startFlush(t.File, off, int64(len(b)))
	e.mu.Lock()
	t.left -= int64(len(b))
	last := t.left == 0
	if last {
		delete(e.open, file)
	}
	e.mu.Unlock()
	if last {
		e.syncs.Go(func() error { return finish(t.File) })
	}
	return nil
}

func (e *extraction) opened(file int) (*openFile, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.open[file]; t != nil {
		return t, nil
	}
	f := e.h.layout.files[file]
	e.stage.store.step("file")
	t, err := e.stage.create(f.Path, fs.FileMode(f.Mode))
	if err != nil {
		return nil, err
	}
	e.open[file] = &openFile{File: t, left: f.Size}
	return e.open[file], nil
}

// closeAll closes what a failure left open.
func (e *extraction) closeAll() error {
	var err error
	for _, t := range e.open {
		err = errors.Join(err, t.Close())
	}
	return err
}

// follow sums up the files in the order of the archive.
func (e *extraction) follow(ctx context.Context, order <-chan *chunkJob, free chan<- *chunkJob, progress spec.Progress) error {
	s := &fileSums{l: e.h.layout, h: sha256.New()}
	t := &tracker{progress: progress, total: e.h.Manifest.Bytes()}
	t.add(int64(len(e.h.index)))
	for j := range order {
		select {
		case <-j.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		n, err := s.add(e.h.Chunks.Body[j.index], j.data)
		if err != nil {
			return err
		}
		t.add(n)
		free <- j
	}
	return nil
}

// fileSums compares the files of a body that is given piece by piece, in order.
type fileSums struct {
	l *layout
	h hash.Hash
}

// add returns how many bytes of files there were.
func (s *fileSums) add(off int64, data []byte) (int64, error) {
	var n int64
	for p, err := range s.l.pieces(off, len(data)) {
		if err != nil {
			return n, err
		}
		if p.file < 0 {
			continue
		}
		f := s.l.files[p.file]
		if p.off == 0 {
			s.h.Reset()
		}
		s.h.Write(data[p.from:p.to])
		n += int64(p.to - p.from)
		if p.off+int64(p.to-p.from) == f.Size {
			if err := compare(f, s.h.Sum(nil)); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}
