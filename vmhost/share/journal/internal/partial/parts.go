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
	"maps"
	"math"
	"slices"
	"sync"

	"piwork/vmhost/share/internal/spans"
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

// Span is the bytes from Off to before End.
type Span = spans.Span

// Everything is for what may change any byte.
var Everything = Span{Off: 0, End: math.MaxInt64}

// Image is what is kept of a file whose other bytes are still in the file.
type Image struct {
	Block, Size int64

	Mu      sync.RWMutex
	kept    spans.Set       // bytes, in whole blocks
	at      map[int64]int64 // number of a block that is kept → where its content stands; others are zeros
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

// index notes where the blocks of s stand, or that they are zeros (0); those that are
// known stay.
func (p *Image) index(s Span, pos int64) {
	for off := s.Off; pos > 0 && off < s.End; off += p.Block {
		if !p.kept.Has(off) {
			p.at[off/p.Block] = pos + off - s.Off
		}
	}
	p.kept.Add(s)
}

// lookup says what is kept of the block at off: where it stands, or that it is
// zeros (0), or nothing.
func (p *Image) lookup(off int64) (int64, bool) {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	return p.at[off/p.Block], p.kept.Has(off)
}

// Has reports whether all of s is kept and durable.
func (p *Image) Has(s Span) bool {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	return p.Settled && len(p.Missing(s)) == 0
}

// Missing returns what is not kept of s, in whole blocks; p.Mu is held.
func (p *Image) Missing(s Span) spans.Set {
	blocks := (min(s.End, p.Size) + p.Block - 1) / p.Block
	return p.kept.Missing(Span{Off: s.Off - s.Off%p.Block, End: min(blocks*p.Block, p.Size)})
}

// Covered returns what is kept.
func (p *Image) Covered() spans.Set {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	return slices.Clone(p.kept)
}

// Data returns what is kept but for zeros. It is never nil.
func (p *Image) Data() spans.Set {
	p.Mu.RLock()
	defer p.Mu.RUnlock()
	data := spans.Set{}
	for _, n := range slices.Sorted(maps.Keys(p.at)) {
		data.Add(Span{Off: n * p.Block, End: min((n+1)*p.Block, p.Size)})
	}
	return data
}

// Zeros returns what is kept and zeros.
func (p *Image) Zeros() spans.Set {
	data, zeros := p.Data(), spans.Set{}
	for _, kept := range p.Covered() {
		zeros = append(zeros, data.Missing(kept)...)
	}
	return zeros
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
		p.index(x.Span, x.pos)
		p.End += x.written()
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
