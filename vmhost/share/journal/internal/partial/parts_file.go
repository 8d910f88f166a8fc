package partial

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"syscall"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/spans"
	"piwork/vmhost/share/internal/wal"
)

// Read reads what is in a file of parts, up to the first damage.
func Read(f io.ReaderAt) (*Image, error) {
	head := make([]byte, partsHead)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	n := len(partsMagic)
	p := New(int64(binary.LittleEndian.Uint64(head[n+8:])), int64(binary.LittleEndian.Uint64(head[n:])))
	if string(head[:n]) != partsMagic || binary.LittleEndian.Uint32(head[n+16:]) != crc32.Checksum(head[:n+16], castagnoli) ||
		p.Size < 0 || p.Block <= 0 || p.Block > MaxPart {
		return nil, ErrFormat
	}
	buf := make([]byte, MaxPart)
	for {
		x, err := readFrame(f, p.End, buf)
		if errors.Is(err, wal.ErrTorn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			p.Settled = true
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if x.Off%p.Block != 0 || x.End > p.Size || x.End%p.Block != 0 && x.End != p.Size {
			return nil, fmt.Errorf("%w: a frame out of bounds", ErrFormat)
		}
		p.index(x.Span, x.pos)
		p.End += x.written()
	}
}

// readFrame reads the frame at pos and checks it.
func readFrame(f io.ReaderAt, pos int64, buf []byte) (x Part, err error) {
	var h [frameSize]byte
	if _, err := f.ReadAt(h[:], pos); err != nil {
		return x, err
	}
	off, size := binary.LittleEndian.Uint64(h[:]), binary.LittleEndian.Uint64(h[8:])
	data := size&zeroFlag == 0
	size &^= zeroFlag
	if binary.LittleEndian.Uint32(h[20:]) != crc32.Checksum(h[:20], castagnoli) || off > math.MaxInt64 || size == 0 ||
		size > math.MaxInt64-off || data && size > MaxPart {
		return x, wal.ErrTorn
	}
	x.Span = Span{Off: int64(off), End: int64(off + size)}
	if !data {
		return x, nil
	}
	x.pos = pos + frameSize
	if _, err := f.ReadAt(buf[:size], x.pos); err != nil {
		return x, err
	}
	if crc32.Checksum(buf[:size], castagnoli) != binary.LittleEndian.Uint32(h[16:]) {
		return x, wal.ErrTorn
	}
	return x, nil
}

// AppendFrame appends a frame of s to b; without data it is of zeros.
func AppendFrame(b []byte, s Span, data []byte) []byte {
	start, size := len(b), uint64(s.End-s.Off)
	if data == nil {
		size |= zeroFlag
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Off))
	b = binary.LittleEndian.AppendUint64(b, size)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(data, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, data...)
}

// Add appends the spans of src to the file of parts. They count when commit was
// called, after the file was synced. Holes of src are not read.
func (p *Image) Add(f, src *os.File, list []Span) ([]Part, error) {
	var out []Part
	var buf []byte
	pos := p.End
	flush := func() error {
		n, err := f.WriteAt(buf, pos)
		pos += int64(n)
		buf = buf[:0]
		return err
	}
	data := make([]byte, MaxPart)
	for _, s := range list {
		for s.Off < s.End {
			if hole := holeEnd(src, s); hole > s.Off {
				z := Span{Off: s.Off, End: hole}
				buf = AppendFrame(buf, z, nil)
				out = append(out, Part{Span: z})
				s.Off = hole
				continue
			}
			piece := Span{Off: s.Off, End: min(s.End, s.Off+MaxPart-MaxPart%p.Block)}
			b := data[:piece.End-piece.Off]
			n, err := src.ReadAt(b, piece.Off)
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			clear(b[n:]) // a person made it shorter in this moment
			for len(b) > 0 {
				n, empty := p.run(b)
				run := Span{Off: piece.Off, End: piece.Off + int64(n)}
				if empty {
					buf = AppendFrame(buf, run, nil)
					out = append(out, Part{Span: run})
				} else {
					out = append(out, Part{run, pos + int64(len(buf)) + frameSize})
					buf = AppendFrame(buf, run, b[:n])
				}
				piece.Off, b = run.End, b[n:]
			}
			s.Off = piece.End
			if len(buf) >= MaxPart {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, flush()
}

// run returns how many bytes of b, in whole blocks, are all zeros or all blocks
// with something in them.
func (p *Image) run(b []byte) (n int, empty bool) {
	for n < len(b) {
		end := min(n+int(p.Block), len(b))
		if z := at.Zero(b[n:end]); n > 0 && z != empty {
			break
		} else {
			empty = z
		}
		n = end
	}
	return n, empty
}

// holeEnd returns where the hole that begins at s.off ends, in whole blocks of
// any size; s.off when there is none or nobody knows.
func holeEnd(src *os.File, s Span) int64 {
	if s.End-s.Off < MaxPart {
		return s.Off // reading it is as good
	}
	next, err := at.Seek(src, s.Off, at.SeekData)
	switch {
	case err == nil:
		next = min(next-next%MaxPart, s.End)
	case errors.Is(err, syscall.ENXIO): // nothing but a hole up to the end
		next = s.End
	}
	return max(next, s.Off)
}

// written is how many bytes of a file of parts x takes.
func (x Part) written() int64 {
	if x.pos == 0 {
		return frameSize
	}
	return frameSize + x.End - x.Off
}

// ApplyTo makes f, which has all other bytes, what it was. It may be done again
// after it was interrupted.
func (p *Image) ApplyTo(f *os.File, img io.ReaderAt) error {
	info, err := at.Stat(f)
	if err == nil && info.Size != p.Size {
		err = f.Truncate(p.Size)
	}
	if err != nil {
		return err
	}
	zeros := p.Zeros()
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	buf := make([]byte, p.Block)
	for _, n := range slices.Sorted(maps.Keys(p.at)) {
		off := n * p.Block
		b := buf[:min(p.Block, p.Size-off)]
		if _, err := img.ReadAt(b, p.at[n]); err != nil {
			return fmt.Errorf("%w: %w", ErrMissing, err)
		}
		if _, err := f.WriteAt(b, off); err != nil {
			return err
		}
	}
	for _, z := range zeros {
		if err := clearRange(f, z); err != nil {
			return err
		}
	}
	return nil
}

// Written are the spans into which ApplyTo writes something.
func (p *Image) Written() spans.Set {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	var data spans.Set
	for _, n := range slices.Sorted(maps.Keys(p.at)) {
		data.Add(Span{Off: n * p.Block, End: min((n+1)*p.Block, p.Size)})
	}
	return data
}

// clearRange makes a hole, or zeros where that is not possible.
func clearRange(f *os.File, s Span) error {
	const punchHole = 1 | 2 // FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE
	if at.Allocate(f, punchHole, s.Off, s.End-s.Off) == nil {
		return nil
	}
	buf := make([]byte, MaxPart)
	for s.Off < s.End {
		b := buf[:min(int64(len(buf)), s.End-s.Off)]
		n, err := f.ReadAt(b, s.Off)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if clear(b[n:]); !at.Zero(b) {
			clear(b)
			if _, err := f.WriteAt(b, s.Off); err != nil {
				return err
			}
		}
		s.Off += int64(len(b))
	}
	return nil
}
