package at

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"syscall"

	"piwork/vmhost/share/internal/spans"
)

// hollowFrom is up to how many bytes any file is read: that takes no time.
const hollowFrom = 1 << 20

// Hollow reports whether content of size bytes, which is in these files, is mostly holes. They cost
// nothing: a guest makes 8 EiB of them with one call, and reading them takes years. So such a file is
// not hashed, but known by its times. Files that cannot be looked at count as written all over.
func Hollow(size int64, files ...*os.File) bool {
	if size <= hollowFrom || halfWritten(size, files, blocksOf) {
		return false
	}
	return !slices.ContainsFunc(files, blocksLag) || !halfWritten(size, files, written)
}

// halfWritten reports whether half of size was written, by the bytes that of counts.
func halfWritten(size int64, files []*os.File, of func(f *os.File, info Info) int64) bool {
	half := size / 2
	for _, f := range files {
		info, err := Stat(f)
		if err != nil {
			return true
		}
		half -= min(of(f, info), half)
	}
	return half == 0
}

func blocksOf(_ *os.File, info Info) int64 { return info.Blocks * 512 }

// written counts what is not in holes, by what the file system says of each part.
func written(f *os.File, info Info) int64 {
	list := Data(f, 0, info.Size)
	return list.Size()
}

// Data returns the parts of a file from off to end that somebody wrote: all of it where nobody knows.
// It is never nil.
func Data(f *os.File, off, end int64) spans.Set {
	list := spans.Set{}
	for off < end {
		p, err := nextData(f, off)
		if err != nil {
			break
		}
		list.Add(piece{Off: p.Off, End: min(p.End, end)})
		off = p.End
	}
	return list
}

type piece = spans.Span

// Values of whence of [Seek], as in Linux.
const (
	SeekData = 3
	SeekHole = 4
)

// nextData returns the next part of f from off on: all that follows where nobody knows of holes, and
// ENXIO where nothing but a hole follows.
func nextData(f *os.File, off int64) (piece, error) {
	data, err := Seek(f, off, SeekData)
	if errors.Is(err, syscall.ENXIO) {
		return piece{}, err
	}
	if err != nil || data < off {
		return piece{Off: off, End: math.MaxInt64}, nil
	}
	end, err := Seek(f, data, SeekHole)
	if err != nil || end <= data {
		end = math.MaxInt64
	}
	return piece{Off: data, End: end}, nil
}

// ErrHoles says that a file was not copied, as it is mostly holes and its disk does not say where.
var ErrHoles = errors.New("mostly holes, and nobody knows where")

// CopyData makes dst, which is empty, what src is, with holes where there are only zeros, and returns
// its length. It does not read holes, where the disk says where they are; where it does not, more than
// zeros of them are ErrHoles. passed, which may be nil, hears how many bytes are done. It fails when
// ctx ends.
func CopyData(ctx context.Context, dst, src *os.File, zeros int64, passed func(n int64)) (int64, error) {
	return copyData(ctx, dst, src, zeros, passed, nextData)
}

func copyData(ctx context.Context, dst, src *os.File, zeros int64, passed func(int64), next func(*os.File, int64) (piece, error)) (int64, error) {
	info, err := Stat(src)
	if err != nil {
		return 0, err
	}
	seen := func(b []byte) error {
		if passed != nil {
			passed(int64(len(b)))
		}
		if Zero(b) {
			zeros -= int64(len(b))
		}
		if zeros < -info.Blocks*512 {
			return &fs.PathError{Op: "copy", Path: src.Name(), Err: ErrHoles}
		}
		return context.Cause(ctx)
	}
	sparse := Hollow(info.Size, src) // else there is nothing to win, and file systems have been wrong about holes
	off, end := int64(0), int64(0)
	for more := true; more; {
		p := piece{Off: off, End: math.MaxInt64}
		if sparse {
			p, err = next(src, off)
			if errors.Is(err, syscall.ENXIO) {
				now, err := Stat(src)
				if err != nil {
					return off, err
				}
				p, more = piece{Off: now.Size, End: now.Size}, false
			}
		}
		if passed != nil && p.Off > off {
			passed(p.Off - off)
		}
		var wrote int64
		off, wrote, err = copyPiece(dst, src, piece{Off: max(p.Off, off), End: p.End}, seen)
		if err != nil {
			return off, err
		}
		end = max(end, wrote)
		more = more && off == p.End
	}
	if off == end {
		return off, nil
	}
	return off, dst.Truncate(off)
}
