package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"piwork/pack/spec"
)

// windowSize is the largest zstd window of packs, in bytes: what `zstd -19` and
// [Build] use. It bounds the memory of readers.
const windowSize = 8 << 20

// The seal is the last frame of a pack: a skippable one (RFC 8878, 3.1.2), which
// every zstd tool passes over, with CRC-32C (RFC 3720, B.4) of all bytes before
// it. It finds damage that unpacks to the same content, and ends that cut off
// nothing but the end. Against forgery it does not help and need not.
const (
	sealMagic = 0x184D2A50
	sealTag   = "pwk1"
	sealSize  = 4 + 4 + len(sealTag) + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns the seal of a stream with that checksum.
func seal(sum uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, sealMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(sealSize-8))
	b = append(b, sealTag...)
	return binary.LittleEndian.AppendUint32(b, sum)
}

// frameReader passes the zstd stream of a pack through, and refuses what a decoder
// would silently pass over: other skippable frames, empty frames, frames without a
// checksum, dictionaries, large windows, reserved bits, a missing seal, and whatever
// stands after it. It does not look into blocks.
type frameReader struct {
	r      io.Reader
	failed error // first failure but io.EOF, for good: a *VerifyError or of r
	read   int64 // bytes

	part    framePart
	head    [sealSize]byte // of the present part
	have    int
	want    int
	skip    int64 // bytes until the next part
	desc    byte  // descriptor of the present frame
	frames  int   // complete ones
	content bool  // the present frame has some
	sum     uint32
}

type framePart int

const (
	frameStart framePart = iota // magic number and descriptor
	frameSizes                  // window or content size
	frameBlock                  // block header
	frameSum                    // content checksum
	frameSeal
	frameEnd // after the seal
)

const (
	frameMagic   = 0xFD2FB528
	maxBlockSize = 128 << 10
)

func newFrameReader(r io.Reader) *frameReader { return &frameReader{r: r, want: 5} }

// Read passes on nothing of what it refuses.
func (f *frameReader) Read(p []byte) (int, error) {
	if f.failed != nil {
		return 0, f.failed
	}
	n, err := f.r.Read(p)
	f.read += int64(n)
	bad := f.scan(p[:n])
	if bad == nil && errors.Is(err, io.EOF) && f.part != frameEnd {
		bad = f.cutOff()
	}
	if bad == nil && !errors.Is(err, io.EOF) {
		bad = err
	}
	if bad != nil {
		f.failed = bad
		return 0, bad
	}
	return n, err
}

// cutOff says what a file is that ended before its seal: a pack that was cut off,
// or something short that never was one.
func (f *frameReader) cutOff() error {
	magic := binary.LittleEndian.AppendUint32(nil, frameMagic)
	if start := f.head[:f.have]; f.part == frameStart && f.frames == 0 && !bytes.HasPrefix(magic, start[:min(len(start), len(magic))]) {
		return spec.Refuse(spec.KindNotAPack, "", "starts with %#x, not as zstd does", start)
	}
	return spec.Refuse(spec.KindTruncated, "", "the file ends after %d bytes", f.read)
}

// frame reads exactly one frame, of at most max bytes, without a look at what
// follows. When it is longer the error is [errLongFrame], and the reader is of no
// further use.
func (f *frameReader) frame(max int64) ([]byte, error) {
	var b []byte
	for done := f.frames; f.frames == done; {
		if f.part == frameSeal || f.part == frameEnd {
			return nil, f.corrupt("is the seal")
		}
		n := f.skip
		if n == 0 {
			n = int64(f.want - f.have)
		}
		if int64(len(b))+n > max {
			return nil, errLongFrame
		}
		b = append(b, make([]byte, n)...)
		if _, err := io.ReadFull(f, b[int64(len(b))-n:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return b, nil
}

func (f *frameReader) scan(p []byte) error {
	for len(p) > 0 {
		if f.part == frameEnd {
			return spec.Refuse(spec.KindTrailingData, "", "%d bytes or more", len(p))
		}
		if f.skip > 0 {
			n := min(f.skip, int64(len(p)))
			f.sum = crc32.Update(f.sum, castagnoli, p[:n])
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
		if err := f.next(); err != nil {
			return err
		}
	}
	return nil
}

func (f *frameReader) await(part framePart, n int) {
	f.part, f.have, f.want = part, 0, n
}

// next acts on a complete part and says which comes then.
func (f *frameReader) next() error {
	b := f.head[:f.want]
	if f.part == frameStart && binary.LittleEndian.Uint32(b) == sealMagic && f.frames > 0 {
		f.part, f.want = frameSeal, sealSize // the same bytes and more
		return nil
	}
	if f.part == frameSeal {
		if string(b) != string(seal(f.sum)) {
			return f.corrupt("the seal does not fit the bytes before it")
		}
		f.await(frameEnd, 0)
		return nil
	}
	f.sum = crc32.Update(f.sum, castagnoli, b)
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
	magic, d := binary.LittleEndian.Uint32(b), b[4]
	switch {
	case magic != frameMagic && f.frames == 0:
		return spec.Refuse(spec.KindNotAPack, "", "starts with %#08x, not as zstd does", magic)
	case magic != frameMagic:
		return f.corrupt("starts with %#08x", magic)
	case d&0x18 != 0:
		return f.corrupt("unused bits of the descriptor %#02x are set", d)
	case d&0x03 != 0:
		return f.corrupt("needs a dictionary")
	case d&0x04 == 0:
		return f.corrupt("has no checksum")
	}
	f.desc, f.content = d, false
	single := d&0x20 != 0
	n := [4]int{0, 2, 4, 8}[d>>6] // bytes of the content size
	if single && n == 0 {
		n = 1
	}
	if !single {
		n++ // the window
	}
	f.await(frameSizes, n)
	return nil
}

// sizes checks what decides how much memory a decoder takes.
func (f *frameReader) sizes(b []byte) error {
	var size uint64
	if f.desc&0x20 == 0 {
		// RFC 8878, 3.1.1.1.2: exponent and mantissa.
		base := uint64(1) << (10 + b[0]>>3)
		size = base + base/8*uint64(b[0]&7)
	} else {
		for i, c := range b {
			size |= uint64(c) << (8 * i)
		}
		if len(b) == 2 {
			size += 256
		}
	}
	if size > windowSize {
		return spec.Refuse(spec.KindTooLarge, "", "frame %d: window of %d bytes, more than %d", f.frames+1, size, windowSize)
	}
	f.await(frameBlock, 3)
	return nil
}

func (f *frameReader) block(h uint32) error {
	kind, size := h>>1&3, int64(h>>3)
	if size > maxBlockSize || kind == 3 {
		return f.corrupt("block of kind %d with %d bytes", kind, size)
	}
	f.content = f.content || size > 0
	if f.skip = size; kind == 1 { // RLE: one byte, repeated
		f.skip = 1
	}
	if h&1 != 0 {
		f.await(frameSum, 4)
	} else {
		f.await(frameBlock, 3)
	}
	return nil
}

func (f *frameReader) corrupt(format string, args ...any) error {
	return spec.Refuse(spec.KindCorrupt, "", "frame %d: %w", f.frames+1, fmt.Errorf(format, args...))
}
