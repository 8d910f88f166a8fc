package pack

import (
	"crypto/sha256"
	"encoding/binary"
)

// ChunksName is the file of a pack that lists its chunks: role [RoleChunks], the
// first in the manifest and in the archive.
const ChunksName = "chunks.idx"

// Bounds on chunks.
const (
	MaxChunk  = 4 << 20 // bytes of a chunk, unpacked
	maxPacked = MaxChunk + 64<<10
	maxIndex  = 16 << 20 // bytes of the index
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
	chunks []Chunk // Offset from the end of the head until [ReadHead] moves it
	body   []int64 // where they start in the body, in bytes
}

// All returns the chunks in the order of the archive. The slice must not be
// changed.
func (x *ChunkIndex) All() []Chunk { return x.chunks }

// The index file: eight bytes of magic, then for each chunk SHA-256, unpacked and
// packed length as little-endian 32-bit numbers. Everything else follows.
const (
	chunksMagic = "pwchunk1"
	chunkRecord = sha256.Size + 4 + 4
)

// encodeChunks returns the index file.
func encodeChunks(chunks []Chunk) []byte {
	b := make([]byte, 0, len(chunksMagic)+len(chunks)*chunkRecord)
	b = append(b, chunksMagic...)
	for _, c := range chunks {
		b = append(b, c.Sum[:]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Size))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Packed))
	}
	return b
}

// parseChunks reads an index file that covers a body of that many bytes. Offsets
// count from the end of the head. Errors are [VerifyError]s.
func parseChunks(data []byte, body int64) (*ChunkIndex, error) {
	bad := func(format string, args ...any) error { return refuse(KindBadManifest, ChunksName, format, args...) }
	if len(data) > maxIndex {
		return nil, refuse(KindTooLarge, ChunksName, "%d bytes, more than %d", len(data), maxIndex)
	}
	if len(data) < len(chunksMagic) || string(data[:len(chunksMagic)]) != chunksMagic {
		return nil, bad("not a chunk index")
	}
	data = data[len(chunksMagic):]
	if len(data)%chunkRecord != 0 {
		return nil, bad("%d bytes of records of %d", len(data), chunkRecord)
	}
	n := len(data) / chunkRecord
	x := &ChunkIndex{chunks: make([]Chunk, n), body: make([]int64, n)}
	var at, packed int64
	for i := range x.chunks {
		r := data[i*chunkRecord:]
		size, length := binary.LittleEndian.Uint32(r[sha256.Size:]), binary.LittleEndian.Uint32(r[sha256.Size+4:])
		if size == 0 || size > MaxChunk || length == 0 || length > maxPacked {
			return nil, bad("chunk %d: %d bytes packed in %d", i, size, length)
		}
		c := &x.chunks[i]
		copy(c.Sum[:], r)
		c.Size, c.Packed, c.Offset = int(size), int64(length), packed
		x.body[i] = at
		packed += c.Packed
		at += int64(size)
	}
	if at != body {
		return nil, bad("%d bytes in chunks, the manifest says %d", at, body)
	}
	return x, nil
}

// moved returns the index with offsets from the start of an archive whose head
// has that length.
func (x *ChunkIndex) moved(head int64) *ChunkIndex {
	for i := range x.chunks {
		x.chunks[i].Offset += head
	}
	return x
}

// packed is the length of all chunks in the archive, in bytes.
func (x *ChunkIndex) packed() int64 {
	var n int64
	for _, c := range x.chunks {
		n += c.Packed
	}
	return n
}
