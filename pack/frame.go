package pack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// windowSize is the one zstd window of packs, in bytes: with it `zstd -19` and
// [Build] agree, and a reader's memory is known. Frames whose content is smaller
// may be a single segment instead.
const windowSize = 8 << 20

// frameReader passes a zstd stream (RFC 8878) through and refuses what a decoder
// would silently pass over: skippable frames, empty frames, frames without a
// checksum, dictionaries, other windows, reserved and unused bits, and whatever
// stands after the last frame. It does not look into blocks.
type frameReader struct {
	r      io.Reader
	failed atomic.Pointer[error] // first failure but io.EOF, for good: a *VerifyError or of r
	read   int64                 // bytes

	part    framePart
	head    [14]byte // of the present part
	have    int
	want    int
	skip    int64 // bytes until the next part
	frames  int   // complete ones
	content bool  // the present frame has some
	last    bool  // the present block is the last of its frame
}

type framePart int

const (
	frameStart framePart = iota // magic number and descriptor
	frameSizes                  // window or content size
	frameBlock                  // block header
	frameSum                    // content checksum
)

const (
	frameMagic   = 0xFD2FB528
	maxBlockSize = 128 << 10
)

func newFrameReader(r io.Reader) *frameReader { return &frameReader{r: r, want: 5} }

// Read never returns bytes of a frame it refused.
func (f *frameReader) Read(p []byte) (int, error) {
	if err := f.failure(); err != nil {
		return 0, err
	}
	n, err := f.r.Read(p)
	f.read += int64(n)
	if bad := f.scan(p[:n]); bad != nil {
		f.failed.Store(&bad)
		return 0, bad
	}
	if errors.Is(err, io.EOF) && (f.part != frameStart || f.have > 0 || f.skip > 0 || f.frames == 0) {
		switch {
		case f.read == 0:
			err = refuse(KindTruncated, "", "the file is empty")
		case f.part == frameStart && f.frames > 0 && f.skip == 0:
			err = refuse(KindTrailingData, "", "%d bytes after the last frame", f.have)
		default:
			err = refuse(KindTruncated, "", "the file ends after %d bytes, inside of a frame", f.read)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed.Store(&err)
	}
	return n, err
}

// failure returns why the stream is not passed on; nil at its regular end. It
// may be called while another goroutine reads.
func (f *frameReader) failure() error {
	if p := f.failed.Load(); p != nil {
		return *p
	}
	return nil
}

func (f *frameReader) scan(p []byte) error {
	for len(p) > 0 {
		if f.skip > 0 {
			n := min(f.skip, int64(len(p)))
			f.skip -= n
			p = p[n:]
			continue
		}
		n := copy(f.head[f.have:f.want], p)
		f.have += n
		p = p[n:]
		if f.have < f.want {
			return nil
		}
		if err := f.next(f.head[:f.want]); err != nil {
			return err
		}
	}
	return nil
}

func (f *frameReader) await(part framePart, n int) {
	f.part, f.have, f.want = part, 0, n
}

// next acts on a complete part and says which comes then.
func (f *frameReader) next(b []byte) error {
	switch f.part {
	case frameStart:
		return f.start(b)
	case frameSizes:
		return f.sizes(b)
	case frameBlock:
		return f.block(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16)
	case frameSum:
		if !f.content {
			return f.corrupt("is empty")
		}
		f.frames++
		f.await(frameStart, 5)
	}
	return nil
}

func (f *frameReader) start(b []byte) error {
	if magic := binary.LittleEndian.Uint32(b); magic != frameMagic {
		if f.frames > 0 {
			return refuse(KindTrailingData, "", "after the last frame, at byte %d or before", f.read)
		}
		return refuse(KindNotAPack, "", "starts with %#08x, not as zstd does", magic)
	}
	d := b[4]
	switch {
	case d&0x18 != 0:
		return f.corrupt("unused bits of the frame descriptor %#02x are set", d)
	case d&0x03 != 0:
		return f.corrupt("needs a dictionary")
	case d&0x04 == 0:
		return f.corrupt("has no checksum")
	}
	f.content, f.last = false, false
	single := d&0x20 != 0
	n := [4]int{0, 2, 4, 8}[d>>6] // bytes of the content size
	if single && n == 0 {
		n = 1
	}
	if !single {
		n++ // the window
	}
	f.await(frameSizes, n)
	f.head[13] = d
	return nil
}

func (f *frameReader) sizes(b []byte) error {
	d := f.head[13]
	if d&0x20 == 0 {
		// RFC 8878, 3.1.1.1.2: exponent and mantissa.
		base := uint64(1) << (10 + b[0]>>3)
		if window := base + base/8*uint64(b[0]&7); window != windowSize {
			return f.corrupt("window of %d bytes, packs have %d", window, windowSize)
		}
		f.await(frameBlock, 3)
		return nil
	}
	var size uint64
	for i, c := range b {
		size |= uint64(c) << (8 * i)
	}
	if len(b) == 2 {
		size += 256
	}
	if size > windowSize {
		return f.corrupt("a segment of %d bytes, more than %d", size, windowSize)
	}
	f.await(frameBlock, 3)
	return nil
}

func (f *frameReader) block(h uint32) error {
	f.last = h&1 != 0
	kind, size := h>>1&3, int64(h>>3)
	if size > maxBlockSize || kind == 3 {
		return f.corrupt("block of kind %d with %d bytes", kind, size)
	}
	f.content = f.content || size > 0
	if f.skip = size; kind == 1 { // RLE: one byte, repeated
		f.skip = 1
	}
	if f.last {
		f.await(frameSum, 4)
	} else {
		f.await(frameBlock, 3)
	}
	return nil
}

func (f *frameReader) corrupt(format string, args ...any) error {
	return refuse(KindCorrupt, "", "frame %d: %w", f.frames+1, fmt.Errorf(format, args...))
}
