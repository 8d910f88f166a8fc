package pack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"
	"github.com/restic/chunker"
	"golang.org/x/sync/errgroup"

	"piwork/pack/durable"
	"piwork/pack/spec"
)

// How bodies are cut: by Rabin fingerprints (restic's chunker). Two versions that
// are cut in another way have little in common, so that a change of these values
// costs everybody one whole download, and nothing else.
//
// Measured on two successive builds of the root image (182 MB of plain erofs, 54
// MB as one zstd stream), of which the second is fetched:
//
//	bits  average  chunks  packed   fetched
//	15     21 KiB    8116  67.5 MB   4.3 MB
//	17     74 KiB    2396  64.3 MB   5.5 MB
//	18    133 KiB    1335  63.0 MB   5.8 MB
//	19    240 KiB     741  61.4 MB   6.1 MB
//	20    431 KiB     413  60.0 MB   6.5 MB
//
// Larger chunks make the first download smaller and need fewer requests; what
// they add to an update is little.
const (
	chunkPolynomial = chunker.Pol(0x3DA3358B4DC173) // irreducible, of degree 53
	chunkBits       = 19
	chunkMin        = 1 << (chunkBits - 2) // bytes
	chunkMax        = 1 << (chunkBits + 2) // bytes
)

// newCompressor makes an encoder whose output for a chunk depends on nothing but
// the chunk. Its EncodeAll may be called from several goroutines at once.
func newCompressor(level int) (*zstd.Encoder, error) {
	level = cmp.Or(level, 19)
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithWindowSize(windowSize), zstd.WithEncoderCRC(true))
}

// packJob is one chunk on its way into the archive.
type packJob struct {
	chunk  spec.Chunk
	data   []byte
	packed []byte
	done   chan struct{} // closed when packed is complete
}

// writeBody cuts and packs the files into a scratch file beside the archive, and
// returns it with the chunk index.
func writeBody(ctx context.Context, root *os.Root, files []spec.File, o BuildOptions) (_ *os.File, index []byte, err error) {
	comp, err := newCompressor(o.Level)
	if err != nil {
		return nil, nil, err
	}
	tmp, err := durable.CreateBeside(o.Out)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	track := &tracker{progress: o.Progress}
	for _, f := range files {
		track.total += f.Size
	}
	g, ctx := errgroup.WithContext(ctx)
	body := &bodyReader{ctx: ctx, root: root, files: files, track: track}
	workers := runtime.GOMAXPROCS(0)
	jobs, order := make(chan *packJob, 2*workers), make(chan *packJob, 2*workers)
	g.Go(func() error {
		defer close(jobs)
		defer close(order)
		return errors.Join(cut(ctx, body, jobs, order), body.Close())
	})
	for range workers {
		g.Go(func() error {
			for j := range jobs {
				j.chunk.Sum = sha256.Sum256(j.data)
				j.packed = comp.EncodeAll(j.data, nil)
				j.chunk.Size, j.chunk.Packed = len(j.data), int64(len(j.packed))
				close(j.done)
			}
			return nil
		})
	}
	var chunks []spec.Chunk
	g.Go(func() error {
		for j := range order {
			<-j.done
			if _, err := tmp.Write(j.packed); err != nil {
				return err
			}
			chunks = append(chunks, j.chunk)
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	if index = spec.EncodeChunks(chunks); len(index) > spec.MaxIndex {
		return nil, nil, spec.Refuse(spec.KindTooLarge, spec.ChunksName, "%d bytes", len(index))
	}
	return tmp, index, nil
}

// cut divides a body into chunks and hands each to both channels.
func cut(ctx context.Context, body io.Reader, jobs, order chan<- *packJob) error {
	c := chunker.NewWithBoundaries(body, chunkPolynomial, chunkMin, chunkMax)
	c.SetAverageBits(chunkBits)
	for {
		x, err := c.Next(nil)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		j := &packJob{data: x.Data, done: make(chan struct{})}
		for _, to := range []chan<- *packJob{jobs, order} {
			select {
			case to <- j:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// bodyReader is the body of an archive, read from the files of a directory.
type bodyReader struct {
	ctx   context.Context
	root  *os.Root
	files []spec.File // that are still to come
	track *tracker

	part io.Reader
	file *entryReader
	end  bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	for {
		if b.part == nil {
			if b.end {
				return 0, io.EOF
			}
			b.next()
		}
		n, err := b.part.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		b.part = nil
		if err := b.Close(); err != nil {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
}

// next begins with the next file, or the end of the stream.
func (b *bodyReader) next() {
	if len(b.files) == 0 {
		b.part, b.end = bytes.NewReader(zeros[:bodyTrailer]), true
		return
	}
	f := b.files[0]
	b.files = b.files[1:]
	b.file = &entryReader{
		ctx: b.ctx, f: f, track: b.track,
		open: func() (io.ReadCloser, error) { return b.root.Open(filepath.FromSlash(f.Path)) },
	}
	b.part = b.file
}

// Close closes the file that is being read.
func (b *bodyReader) Close() error {
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	b.file = nil
	return err
}

// entryReader is one entry of a tar stream: header, content, zeros. It fails when
// the content is not what f says.
type entryReader struct {
	ctx   context.Context
	open  func() (io.ReadCloser, error)
	f     spec.File
	track *tracker

	file io.Closer
	r    io.Reader
}

func (e *entryReader) Read(p []byte) (int, error) {
	if e.r == nil {
		h, err := tarHeader(e.f.Path, e.f.Size, e.f.Mode)
		if err != nil {
			return 0, err
		}
		file, err := e.open()
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", e.f.Path, err)
		}
		e.file = file
		e.r = io.MultiReader(
			bytes.NewReader(h),
			&signedReader{r: &contextReader{e.ctx, file}, f: e.f, h: sha256.New(), track: e.track},
			bytes.NewReader(zeros[:entrySize(e.f.Size)-tarBlock-e.f.Size]))
	}
	return e.r.Read(p)
}

// Close closes the file.
func (e *entryReader) Close() error {
	if e.file == nil {
		return nil
	}
	err := e.file.Close()
	e.file = nil
	return err
}
