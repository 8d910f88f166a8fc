package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// ChunksName is the file of a pack that lists its chunks: role [RoleChunks], the
// first in the manifest and in the archive.
const ChunksName = "chunks.idx"

// Bounds on chunks.
const (
	MaxChunk  = 4 << 20 // bytes of a chunk, unpacked
	MaxPacked = MaxChunk + 64<<10
	MaxIndex  = 16 << 20 // bytes of the index
)

// Chunk is a piece of a pack that is fetched and verified on its own: one zstd
// frame of the archive. Where a chunk ends is decided by its content, so that two
// versions of a pack have most of them in common.
type Chunk struct {
	Sum    [sha256.Size]byte // of the unpacked bytes
	Size   int               // unpacked, in bytes
	Offset int64             // from the start of the archive, in bytes
	Packed int64             // length in the archive, in bytes
}

// ChunkIndex lists the chunks of an archive. They follow each other without a gap
// from the end of the head, and unpack to the body of the tar stream. It does not
// change.
type ChunkIndex struct {
	Chunks []Chunk // Offset from the end of the head until pack.ReadHead moves it
	Body   []int64 // where they start in the body, in bytes
}

// All returns the chunks in the order of the archive. The slice must not be
// changed.
func (x *ChunkIndex) All() []Chunk { return x.Chunks }

// The index file: eight bytes of magic, then for each chunk SHA-256, unpacked and
// packed length as little-endian 32-bit numbers. Everything else follows.
const (
	ChunksMagic = "pwchunk1"
	ChunkRecord = sha256.Size + 4 + 4
)

// EncodeChunks returns the index file.
func EncodeChunks(chunks []Chunk) []byte {
	b := make([]byte, 0, len(ChunksMagic)+len(chunks)*ChunkRecord)
	b = append(b, ChunksMagic...)
	for _, c := range chunks {
		b = append(b, c.Sum[:]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Size))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Packed))
	}
	return b
}

// ParseChunks reads an index file that covers a body of that many bytes. Offsets
// count from the end of the head. Errors are [VerifyError]s.
func ParseChunks(data []byte, body int64) (*ChunkIndex, error) {
	bad := func(format string, args ...any) error { return Refuse(KindBadManifest, ChunksName, format, args...) }
	if len(data) > MaxIndex {
		return nil, Refuse(KindTooLarge, ChunksName, "%d bytes, more than %d", len(data), MaxIndex)
	}
	if len(data) < len(ChunksMagic) || string(data[:len(ChunksMagic)]) != ChunksMagic {
		return nil, bad("not a chunk index")
	}
	data = data[len(ChunksMagic):]
	if len(data)%ChunkRecord != 0 {
		return nil, bad("%d bytes of records of %d", len(data), ChunkRecord)
	}
	n := len(data) / ChunkRecord
	x := &ChunkIndex{Chunks: make([]Chunk, n), Body: make([]int64, n)}
	var at, packed int64
	for i := range x.Chunks {
		r := data[i*ChunkRecord:]
		size, length := binary.LittleEndian.Uint32(r[sha256.Size:]), binary.LittleEndian.Uint32(r[sha256.Size+4:])
		if size == 0 || size > MaxChunk || length == 0 || length > MaxPacked {
			return nil, bad("chunk %d: %d bytes packed in %d", i, size, length)
		}
		c := &x.Chunks[i]
		copy(c.Sum[:], r)
		c.Size, c.Packed, c.Offset = int(size), int64(length), packed
		x.Body[i] = at
		packed += c.Packed
		at += int64(size)
	}
	if at != body {
		return nil, bad("%d bytes in chunks, the manifest says %d", at, body)
	}
	return x, nil
}

// Moved returns the index with offsets from the start of an archive whose head
// has that length.
func (x *ChunkIndex) Moved(head int64) *ChunkIndex {
	for i := range x.Chunks {
		x.Chunks[i].Offset += head
	}
	return x
}

// Packed is the length of all chunks in the archive, in bytes.
func (x *ChunkIndex) Packed() int64 {
	var n int64
	for _, c := range x.Chunks {
		n += c.Packed
	}
	return n
}

// Verify compares the content of a chunk with its signed sum.
func (c Chunk) Verify(data []byte) error {
	if sum := sha256.Sum256(data); sum != c.Sum {
		return fmt.Errorf("SHA-256 is %x, signed was %x", sum, c.Sum)
	}
	return nil
}
