// Package partial keeps parts of a file, each before it changes: of a large file that a
// task writes into, the blocks around what it writes. An [Overlay] reads the file as it
// was: what is kept from there, the rest from the file itself.
//
// # On disk
//
// Parts are kept in a file of their own: a head and then frames,
//
//	magic[16] block[8] size[8] crc32c[4]
//	offset[8] length[8] crc32c of the data[4] crc32c of these 20 bytes[4] data
//
// in little endian. A frame whose length has its highest bit set is of zeros
// and has no data. Frames begin at multiples of block and end there, or at size.
// What follows the last whole frame was never waited for, so the file that it
// was to be taken from is unchanged there. Of two frames about the same bytes
// the first one counts.
package partial

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"sync"
)

const (
	partsMagic = "piwork-parts-1\n\n"
	partsHead  = len(partsMagic) + 20
	frameSize  = 24
	zeroFlag   = uint64(1) << 63
)

// MaxPart is how many bytes of data one frame has, MaxAhead how many bytes are kept ahead
// of a program that writes one after the other, at most.
const (
	MaxPart  = 1 << 20
	MaxAhead = 32 << 20
)

// Span is the bytes from off to before end.
type Span struct{ Off, End int64 }

// Everything is for what may change any byte.
var Everything = Span{0, math.MaxInt64}

// Image is what is kept of a file whose other bytes are still in the file.
type Image struct {
	Block, Size int64

	Mu      sync.RWMutex
	at      map[int64]int64 // number of a block → where its content stands
	zeros   []Span          // sorted, apart from each other
	End     int64           // where the next frame goes
	Settled bool            // the file and its record are durable

	Last  int64 // where what was kept last ended, guarded by Object.Keep
	Ahead int64 // how much is kept ahead of a program that goes on there
}

// New returns an image, without any part, of a file of size bytes.
func New(size, block int64) *Image {
	return &Image{Block: block, Size: size, at: map[int64]int64{}, End: int64(partsHead)}
}

// Head is how the file begins.
func (p *Image) Head() []byte {
	b := []byte(partsMagic)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Block))
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Size))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// ErrFormat says that a file has no parts.
var ErrFormat = errors.New("not parts of a file")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrMissing says that some of the content is not kept.
var ErrMissing = errors.New("the journal has no copy of it")

// index notes where the blocks of s stand; those that are known stay.
func (p *Image) index(s Span, pos int64) {
	for off := s.Off; off < s.End; off += p.Block {
		if _, ok := p.at[off/p.Block]; !ok && !p.isZero(off) {
			p.at[off/p.Block] = pos + off - s.Off
		}
	}
}

func (p *Image) addZeros(s Span) {
	i, _ := slices.BinarySearchFunc(p.zeros, s, func(a, b Span) int {
		if a.End < b.Off {
			return -1
		}
		return 1
	})
	k := i
	for k < len(p.zeros) && p.zeros[k].Off <= s.End {
		s = Span{min(s.Off, p.zeros[k].Off), max(s.End, p.zeros[k].End)}
		k++
	}
	p.zeros = slices.Replace(p.zeros, i, k, s)
}

// isZero reports whether the block at off is known to be zeros. A block with
// content that was kept before is not, see lookup.
func (p *Image) isZero(off int64) bool { return p.zeroEnd(off) > off }

// zeroEnd returns up to where there are zeros from off on.
func (p *Image) zeroEnd(off int64) int64 {
	i, found := slices.BinarySearchFunc(p.zeros, off, func(s Span, off int64) int {
		switch {
		case s.End <= off:
			return -1
		case s.Off > off:
			return 1
		}
		return 0
	})
	if !found {
		return off
	}
	return p.zeros[i].End
}

// lookup says what is kept of the block at off: where it stands, or that it is
// zeros (0), or nothing.
func (p *Image) lookup(off int64) (int64, bool) {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	if pos, ok := p.at[off/p.Block]; ok {
		return pos, true
	}
	return 0, p.isZero(off)
}

// Has reports whether all of s is kept and durable.
func (p *Image) Has(s Span) bool {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	return p.Settled && len(p.Missing(s)) == 0
}

// Missing returns what is not kept of s, in whole blocks; p.Mu is held.
func (p *Image) Missing(s Span) []Span {
	s.End = min(s.End, p.Size)
	var out []Span
	for off := s.Off - s.Off%p.Block; off < s.End; {
		if to := p.zeroEnd(off); to > off {
			off = to
			continue
		}
		next := min(off+p.Block, p.Size)
		if _, ok := p.at[off/p.Block]; ok {
			off = next
			continue
		}
		if n := len(out); n > 0 && out[n-1].End == off {
			out[n-1].End = next
		} else {
			out = append(out, Span{off, next})
		}
		off = next
	}
	return out
}

// Covered returns what is kept, sorted.
func (p *Image) Covered() []Span {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	out := slices.Clone(p.zeros)
	for n := range p.at {
		out = append(out, Span{n * p.Block, min((n+1)*p.Block, p.Size)})
	}
	slices.SortFunc(out, func(a, b Span) int { return int(max(-1, min(1, a.Off-b.Off))) })
	joined := out[:0]
	for _, s := range out {
		if n := len(joined); n > 0 && joined[n-1].End >= s.Off {
			joined[n-1].End = max(joined[n-1].End, s.End)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// Part is what add has written.
type Part struct {
	Span
	pos int64 // of the data, 0 for zeros
}

// Commit makes what add has written count.
func (p *Image) Commit(list []Part) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	for _, x := range list {
		if x.pos == 0 {
			p.addZeros(x.Span)
			p.End += frameSize
			continue
		}
		p.index(x.Span, x.pos)
		p.End = x.pos + x.End - x.Off
	}
	p.Settled = true
}

// Overlay reads a file as it was: what is kept from there, the rest from the
// file. Parts that are kept meanwhile are seen in time: they are kept before
// the file changes.
type Overlay struct {
	P     *Image
	Img   io.ReaderAt
	Under io.ReaderAt // nil when everything is kept
}

// ReadAt implements io.ReaderAt.
func (o Overlay) ReadAt(b []byte, off int64) (int, error) {
	done := 0
	for len(b) > 0 {
		if off >= o.P.Size {
			return done, io.EOF
		}
		n := int(min(int64(len(b)), o.P.Block-off%o.P.Block, o.P.Size-off))
		if err := o.piece(b[:n], off); err != nil {
			return done, err
		}
		done, off, b = done+n, off+int64(n), b[n:]
	}
	return done, nil
}

// piece reads bytes of one block.
func (o Overlay) piece(b []byte, off int64) error {
	pos, ok := o.P.lookup(off)
	if !ok {
		if o.Under == nil {
			return ErrMissing
		}
		_, err := o.Under.ReadAt(b, off)
		if pos, ok = o.P.lookup(off); !ok {
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
	_, err := o.Img.ReadAt(b, pos+off%o.P.Block)
	return err
}
