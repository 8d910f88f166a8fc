package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"piwork/pack/spec"
)

// ErrNotRebuilt says that the archive of an installed pack cannot be made again
// here: another compressor made it.
var ErrNotRebuilt = errors.New("the archive cannot be made again from the installed files")

// levels of zstd, one for each that the encoder tells apart, the usual one first.
var levels = []int{19, 1, 3, 7}

// WriteArchive puts the archive of an installed pack together again, for whoever
// has no other copy: the signed head as it is, and the chunks packed anew, each to
// the length that its signed index says. out is replaced when it is complete.
//
// What is damaged on the disk is a [spec.VerifyError], a pack that was packed in
// another way [ErrNotRebuilt].
func (in *Installed) WriteArchive(ctx context.Context, out string, progress spec.Progress) error {
	if err := in.writeArchive(ctx, out, progress); err != nil {
		return fmt.Errorf("make the archive of the pack in %s: %w", in.Dir, err)
	}
	return nil
}

func (in *Installed) writeArchive(ctx context.Context, out string, progress spec.Progress) error {
	index, layout, err := indexOf(in)
	if err != nil {
		return err
	}
	root, err := in.root()
	if err != nil {
		return err
	}
	defer root.Close()
	h, err := readHead(root, in.keys, spec.ParseManifest)
	if err != nil {
		return err
	}
	if h.digest != in.ManifestSHA256 {
		return spec.Refuse(spec.KindBadManifest, spec.ManifestName, "replaced by that of version %s since it was read", h.manifest.Version)
	}
	raw, err := readBounded(root, spec.ChunksName, spec.MaxIndex)
	if err != nil {
		return err
	}
	r := &repacker{source: source{root: root, index: index, layout: layout}}
	for _, level := range levels {
		comp, err := newCompressor(level)
		if err != nil {
			return err
		}
		r.comps = append(r.comps, comp)
	}
	front, err := headFrames(h.raw, h.sig, raw, r.comps[0])
	if err != nil {
		return err
	}
	track := &tracker{progress: progress, total: layout.size}
	return writeBeside(out, os.Rename, nil, func(w io.Writer) error {
		sum := crc32.New(castagnoli)
		w2 := io.MultiWriter(w, sum)
		if _, err := io.Copy(w2, bytes.NewReader(front)); err != nil {
			return err
		}
		if err := r.write(ctx, w2, track); err != nil {
			return err
		}
		_, err := w.Write(seal(sum.Sum32()))
		return err
	})
}

// repacker packs the chunks of a directory as they were packed in its archive.
type repacker struct {
	source
	comps []*zstd.Encoder // of levels
}

// write packs all chunks, several at a time, and writes them in their order.
func (r *repacker) write(ctx context.Context, w io.Writer, track *tracker) error {
	type job struct {
		chunk  int
		packed chan []byte
	}
	workers := runtime.GOMAXPROCS(0)
	g, ctx := errgroup.WithContext(ctx)
	jobs, order := make(chan job), make(chan job, 2*workers)
	g.Go(func() error {
		defer close(jobs)
		defer close(order)
		for i := range r.index.Chunks {
			j := job{i, make(chan []byte, 1)}
			for _, to := range []chan<- job{order, jobs} {
				select {
				case to <- j:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		}
		return nil
	})
	for range workers {
		g.Go(func() error {
			var buf []byte
			for j := range jobs {
				var ok bool
				if buf, ok = r.read(j.chunk, buf); !ok {
					return spec.Refuse(spec.KindFlippedByte, r.layout.fileAt(r.index.Body[j.chunk]), "chunk %d is not what was signed", j.chunk)
				}
				packed, err := r.pack(buf, r.index.Chunks[j.chunk].Packed)
				if err != nil {
					return fmt.Errorf("chunk %d: %w", j.chunk, err)
				}
				j.packed <- packed
			}
			return nil
		})
	}
	g.Go(func() error {
		for j := range order {
			select {
			case b := <-j.packed:
				if _, err := w.Write(b); err != nil {
					return err
				}
				track.add(int64(r.index.Chunks[j.chunk].Size))
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return g.Wait()
}

// pack packs a chunk to the length that it must have.
func (r *repacker) pack(data []byte, length int64) ([]byte, error) {
	for _, comp := range r.comps {
		if packed := comp.EncodeAll(data, nil); int64(len(packed)) == length {
			return packed, nil
		}
	}
	return nil, ErrNotRebuilt
}
