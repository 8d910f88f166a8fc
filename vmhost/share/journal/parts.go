package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"
)

// Parts of a file are kept in a file of their own: a head and then frames,
//
//	magic[16] block[8] size[8] crc32c[4]
//	offset[8] length[8] crc32c of the data[4] crc32c of these 20 bytes[4] data
//
// in little endian. A frame whose length has its highest bit set is of zeros
// and has no data. Frames begin at multiples of block and end there, or at size.
// What follows the last whole frame was never waited for, so the file that it
// was to be taken from is unchanged there. Of two frames about the same bytes
// the first one counts.
const (
	partsMagic = "piwork-parts-1\n\n"
	partsHead  = len(partsMagic) + 20
	frameSize  = 24
	zeroFlag   = uint64(1) << 63
	maxPart    = 1 << 20 // bytes of data in one frame
	maxAhead   = 32 << 20
)

// span is the bytes from off to before end.
type span struct{ off, end int64 }

// everything is for what may change any byte.
var everything = span{0, math.MaxInt64}

// parts is what is kept of a file whose other bytes are still in the file.
type parts struct {
	block, size int64

	mu      sync.RWMutex
	at      map[int64]int64 // number of a block → where its content stands
	zeros   []span          // sorted, apart from each other
	end     int64           // where the next frame goes
	settled bool            // the file and its record are durable

	last  int64 // where what was kept last ended, guarded by object.keep
	ahead int64 // how much is kept ahead of a program that goes on there
}

func newParts(size, block int64) *parts {
	return &parts{block: block, size: size, at: map[int64]int64{}, end: int64(partsHead)}
}

// head is how the file begins.
func (p *parts) head() []byte {
	b := []byte(partsMagic)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.block))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.size))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var errParts = errors.New("not parts of a file")

// index notes where the blocks of s stand; those that are known stay.
func (p *parts) index(s span, pos int64) {
	for off := s.off; off < s.end; off += p.block {
		if _, ok := p.at[off/p.block]; !ok && !p.isZero(off) {
			p.at[off/p.block] = pos + off - s.off
		}
	}
}

func (p *parts) addZeros(s span) {
	i, _ := slices.BinarySearchFunc(p.zeros, s, func(a, b span) int {
		if a.end < b.off {
			return -1
		}
		return 1
	})
	k := i
	for k < len(p.zeros) && p.zeros[k].off <= s.end {
		s = span{min(s.off, p.zeros[k].off), max(s.end, p.zeros[k].end)}
		k++
	}
	p.zeros = slices.Replace(p.zeros, i, k, s)
}

// isZero reports whether the block at off is known to be zeros. A block with
// content that was kept before is not, see lookup.
func (p *parts) isZero(off int64) bool { return p.zeroEnd(off) > off }

// zeroEnd returns up to where there are zeros from off on.
func (p *parts) zeroEnd(off int64) int64 {
	i, found := slices.BinarySearchFunc(p.zeros, off, func(s span, off int64) int {
		switch {
		case s.end <= off:
			return -1
		case s.off > off:
			return 1
		}
		return 0
	})
	if !found {
		return off
	}
	return p.zeros[i].end
}

// lookup says what is kept of the block at off: where it stands, or that it is
// zeros (0), or nothing.
func (p *parts) lookup(off int64) (int64, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if pos, ok := p.at[off/p.block]; ok {
		return pos, true
	}
	return 0, p.isZero(off)
}

// has reports whether all of s is kept and durable.
func (p *parts) has(s span) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.settled && len(p.missing(s)) == 0
}

// missing returns what is not kept of s, in whole blocks; p.mu is held.
func (p *parts) missing(s span) []span {
	s.end = min(s.end, p.size)
	var out []span
	for off := s.off - s.off%p.block; off < s.end; {
		if to := p.zeroEnd(off); to > off {
			off = to
			continue
		}
		next := min(off+p.block, p.size)
		if _, ok := p.at[off/p.block]; ok {
			off = next
			continue
		}
		if n := len(out); n > 0 && out[n-1].end == off {
			out[n-1].end = next
		} else {
			out = append(out, span{off, next})
		}
		off = next
	}
	return out
}

// covered returns what is kept, sorted.
func (p *parts) covered() []span {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := slices.Clone(p.zeros)
	for n := range p.at {
		out = append(out, span{n * p.block, min((n+1)*p.block, p.size)})
	}
	slices.SortFunc(out, func(a, b span) int { return int(max(-1, min(1, a.off-b.off))) })
	joined := out[:0]
	for _, s := range out {
		if n := len(joined); n > 0 && joined[n-1].end >= s.off {
			joined[n-1].end = max(joined[n-1].end, s.end)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// part is what add has written.
type part struct {
	span
	pos int64 // of the data, 0 for zeros
}

// commit makes what add has written count.
func (p *parts) commit(list []part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range list {
		if x.pos == 0 {
			p.addZeros(x.span)
			p.end += frameSize
			continue
		}
		p.index(x.span, x.pos)
		p.end = x.pos + x.end - x.off
	}
	p.settled = true
}

// overlay reads a file as it was: what is kept from there, the rest from the
// file. Parts that are kept meanwhile are seen in time: they are kept before
// the file changes.
type overlay struct {
	p     *parts
	img   io.ReaderAt
	under io.ReaderAt // nil when everything is kept
}

func (o overlay) ReadAt(b []byte, off int64) (int, error) {
	done := 0
	for len(b) > 0 {
		if off >= o.p.size {
			return done, io.EOF
		}
		n := int(min(int64(len(b)), o.p.block-off%o.p.block, o.p.size-off))
		if err := o.piece(b[:n], off); err != nil {
			return done, err
		}
		done, off, b = done+n, off+int64(n), b[n:]
	}
	return done, nil
}

// piece reads bytes of one block.
func (o overlay) piece(b []byte, off int64) error {
	pos, ok := o.p.lookup(off)
	if !ok {
		if o.under == nil {
			return ErrNoImage
		}
		_, err := o.under.ReadAt(b, off)
		if pos, ok = o.p.lookup(off); !ok {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	if pos == 0 {
		clear(b)
		return nil
	}
	_, err := o.img.ReadAt(b, pos+off%o.p.block)
	return err
}
