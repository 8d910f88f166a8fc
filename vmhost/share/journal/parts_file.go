package journal

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
)

// readParts reads what is in a file of parts, up to the first damage.
func readParts(f io.ReaderAt) (*parts, error) {
	head := make([]byte, partsHead)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", errParts, err)
	}
	n := len(partsMagic)
	p := newParts(int64(binary.LittleEndian.Uint64(head[n+8:])), int64(binary.LittleEndian.Uint64(head[n:])))
	if string(head[:n]) != partsMagic || binary.LittleEndian.Uint32(head[n+16:]) != crc32.Checksum(head[:n+16], castagnoli) ||
		p.size < 0 || p.block <= 0 || p.block > maxPart {
		return nil, errParts
	}
	buf := make([]byte, maxPart)
	for {
		s, data, next, err := readFrame(f, p.end, buf)
		if errors.Is(err, errTorn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			p.settled = true
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if s.off%p.block != 0 || s.end > p.size || s.end%p.block != 0 && s.end != p.size {
			return nil, fmt.Errorf("%w: a frame out of bounds", errParts)
		}
		if data {
			p.index(s, p.end+frameSize)
		} else {
			p.addZeros(s)
		}
		p.end = next
	}
}

// readFrame reads the frame at pos and checks it.
func readFrame(f io.ReaderAt, pos int64, buf []byte) (s span, data bool, next int64, err error) {
	var h [frameSize]byte
	if _, err := f.ReadAt(h[:], pos); err != nil {
		return s, false, 0, err
	}
	off, size := binary.LittleEndian.Uint64(h[:]), binary.LittleEndian.Uint64(h[8:])
	data = size&zeroFlag == 0
	size &^= zeroFlag
	if binary.LittleEndian.Uint32(h[20:]) != crc32.Checksum(h[:20], castagnoli) || off > math.MaxInt64 || size == 0 ||
		size > math.MaxInt64-off || data && size > maxPart {
		return s, false, 0, errTorn
	}
	s = span{int64(off), int64(off + size)}
	if !data {
		return s, false, pos + frameSize, nil
	}
	if _, err := f.ReadAt(buf[:size], pos+frameSize); err != nil {
		return s, false, 0, err
	}
	if crc32.Checksum(buf[:size], castagnoli) != binary.LittleEndian.Uint32(h[16:]) {
		return s, false, 0, errTorn
	}
	return s, true, pos + frameSize + int64(size), nil
}

func appendFrame(b []byte, s span, data []byte) []byte {
	start, size := len(b), uint64(s.end-s.off)
	if data == nil {
		size |= zeroFlag
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.off))
	b = binary.LittleEndian.AppendUint64(b, size)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(data, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, data...)
}

// add appends the spans of src to the file of parts. They count when commit was
// called, after the file was synced. Holes of src are not read.
func (p *parts) add(f, src *os.File, list []span) ([]part, error) {
	var out []part
	var buf []byte
	pos := p.end
	flush := func() error {
		n, err := f.WriteAt(buf, pos)
		pos += int64(n)
		buf = buf[:0]
		return err
	}
	data := make([]byte, maxPart)
	for _, s := range list {
		for s.off < s.end {
			if hole := holeEnd(src, s); hole > s.off {
				z := span{s.off, hole}
				buf = appendFrame(buf, z, nil)
				out = append(out, part{span: z})
				s.off = hole
				continue
			}
			piece := span{s.off, min(s.end, s.off+maxPart-maxPart%p.block)}
			b := data[:piece.end-piece.off]
			n, err := src.ReadAt(b, piece.off)
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			clear(b[n:]) // a person made it shorter in this moment
			for len(b) > 0 {
				n, empty := p.run(b)
				run := span{piece.off, piece.off + int64(n)}
				if empty {
					buf = appendFrame(buf, run, nil)
					out = append(out, part{span: run})
				} else {
					out = append(out, part{run, pos + int64(len(buf)) + frameSize})
					buf = appendFrame(buf, run, b[:n])
				}
				piece.off, b = run.end, b[n:]
			}
			s.off = piece.end
			if len(buf) >= maxPart {
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
func (p *parts) run(b []byte) (n int, empty bool) {
	for n < len(b) {
		end := min(n+int(p.block), len(b))
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
func holeEnd(src *os.File, s span) int64 {
	if s.end-s.off < maxPart {
		return s.off // reading it is as good
	}
	const seekData = 3
	next, err := at.Seek(src, s.off, seekData)
	switch {
	case err == nil:
		next = min(next-next%maxPart, s.end)
	case errors.Is(err, syscall.ENXIO): // nothing but a hole up to the end
		next = s.end
	}
	return max(next, s.off)
}

// written is how many bytes of a file of parts the list takes.
func written(list []part) int64 {
	n := int64(0)
	for _, x := range list {
		n += frameSize
		if x.pos > 0 {
			n += x.end - x.off
		}
	}
	return n
}

// applyTo makes f, which has all other bytes, what it was. It may be done again
// after it was interrupted.
func (p *parts) applyTo(f *os.File, img io.ReaderAt) error {
	info, err := at.Stat(f)
	if err == nil && info.Size != p.size {
		err = f.Truncate(p.size)
	}
	if err != nil {
		return err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, s := range p.zeros {
		if err := clearRange(f, s); err != nil {
			return err
		}
	}
	buf := make([]byte, p.block)
	for _, n := range slices.Sorted(maps.Keys(p.at)) {
		off := n * p.block
		b := buf[:min(p.block, p.size-off)]
		if _, err := img.ReadAt(b, p.at[n]); err != nil {
			return fmt.Errorf("%w: %w", ErrNoImage, err)
		}
		if _, err := f.WriteAt(b, off); err != nil {
			return err
		}
	}
	return nil
}

// clearRange makes a hole, or zeros where that is not possible.
func clearRange(f *os.File, s span) error {
	const punchHole = 1 | 2 // FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE
	if at.Allocate(f, punchHole, s.off, s.end-s.off) == nil {
		return nil
	}
	buf := make([]byte, maxPart)
	for s.off < s.end {
		b := buf[:min(int64(len(buf)), s.end-s.off)]
		n, err := f.ReadAt(b, s.off)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if clear(b[n:]); !at.Zero(b) {
			clear(b)
			if _, err := f.WriteAt(b, s.off); err != nil {
				return err
			}
		}
		s.off += int64(len(b))
	}
	return nil
}
