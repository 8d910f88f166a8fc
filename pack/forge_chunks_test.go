package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/spec"
)

// division says how a forged archive is divided into chunks. The zero value is
// sound, with chunks of forgedChunk bytes; a function changes what was made
// before it goes into what comes after, so that the signature covers it.
type division struct {
	size   int
	body   func([]byte) []byte
	chunks func([]spec.Chunk) []spec.Chunk
	index  func([]byte) []byte
	frames func([][]byte) [][]byte // after signing
	front  func(raw, sig, index []byte) []byte
	tail   []byte // in place of the seal
}

// forgedChunk is small, so that tiny packs have many chunks.
const forgedChunk = 700

// chunked encodes an archive with chunks. The manifest of a gets the index.
func (f *forger) chunked(a *forged, d division) []byte {
	f.t.Helper()
	comp := f.compressor()
	body := f.tarStream(a.entries)
	if a.tail != nil {
		body = append(body, a.tail...)
	} else {
		body = append(body, zeros[:]...)
	}
	if d.body != nil {
		body = d.body(body)
	}
	if d.size == 0 {
		d.size = max(forgedChunk, len(body)/1000)
	}
	var chunks []spec.Chunk
	var frames [][]byte
	for part := range slices.Chunk(body, d.size) {
		p := comp.EncodeAll(part, nil)
		frames = append(frames, p)
		chunks = append(chunks, spec.Chunk{Sum: sha256.Sum256(part), Size: len(part), Packed: int64(len(p))})
	}
	if d.chunks != nil {
		chunks = d.chunks(chunks)
	}
	index := spec.EncodeChunks(chunks)
	if d.index != nil {
		index = d.index(index)
	}
	sum := sha256.Sum256(index)
	a.m.Files = slices.Insert(slices.Clone(a.m.Files), 0, spec.File{
		Path: spec.ChunksName, Size: int64(len(index)), Mode: 0o644, SHA256: hex.EncodeToString(sum[:]), Role: spec.RoleChunks,
	})
	raw, sig := f.encode(a)
	if d.frames != nil {
		frames = d.frames(frames)
	}
	front := must(headFrames(raw, sig, index, comp))
	if a.head != nil {
		front = append(f.frame(f.tarStream(a.head)), f.frame(entryBytes(spec.ChunksName, index))...)
	}
	if d.front != nil {
		front = d.front(raw, sig, index)
	}
	stream := append(front, bytes.Join(frames, nil)...)
	if d.tail != nil {
		return append(stream, d.tail...)
	}
	return append(sealed(stream), a.after...)
}

// soundChunks is an archive with chunks of a few files, some of several chunks,
// one of none.
func (f *forger) soundChunks(version string) []byte { return f.chunked(f.larger(version), division{}) }

// larger is a plain pack whose root image has several chunks. Two versions share
// most of it.
func (f *forger) larger(version string) *forged {
	a := f.plain()
	a.m.Version = version
	a.entries, a.m.Files = nil, nil
	a.add("empty", "")
	a.add("guest/rootfs.img", string(noise("rootfs", 4*forgedChunk)))
	a.add("guest/vmlinux", "kernel of "+version)
	a.add("tools.json", "{}")
	return a
}

// noise are bytes that do not compress.
func noise(seed string, n int) []byte {
	var b []byte
	for len(b) < n {
		s := sha256.Sum256([]byte(seed))
		b = append(b, s[:]...)
		seed = string(s[:])
	}
	return b[:n]
}

func (f *forger) compressor() *zstd.Encoder {
	comp, err := newCompressor(1)
	if err != nil {
		f.t.Fatal(err)
	}
	return comp
}

// frame is one zstd frame.
func (f *forger) frame(data []byte) []byte { return f.compressor().EncodeAll(data, nil) }

// entryBytes is an entry of a tar stream.
func entryBytes(name string, data []byte) []byte { return must(tarEntry(name, data)) }

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
