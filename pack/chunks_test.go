package pack

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/spec"
)

// TestHostileChunks attacks archives with chunks: what is between the signed list
// and the bytes, and signed lists that contradict themselves.
func TestHostileChunks(t *testing.T) {
	f := newForger(t)
	first := func(do func(*spec.Chunk)) func([]spec.Chunk) []spec.Chunk {
		return func(c []spec.Chunk) []spec.Chunk { do(&c[0]); return c }
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	content := tarBlock // of the first file with content in the body, behind that of the empty one
	for _, tc := range []struct {
		name string
		d    division
		kind []spec.Kind
	}{
		{"signed list of other content", division{body: flip(content + tarBlock + 3)}, []spec.Kind{spec.KindFlippedByte}},
		{"signed list of another header", division{body: flip(100)}, []spec.Kind{spec.KindUnsafeEntry}},
		{"signed list of another name", division{body: flip(0)}, []spec.Kind{spec.KindUnsafeEntry}},
		{"signed list of a link", division{body: func(b []byte) []byte { b[156] = '2'; fixChecksum(b); return b }}, []spec.Kind{spec.KindUnsafeEntry}},
		{"signed list of a file that runs as root", division{body: func(b []byte) []byte {
			copy(b[100:], "0004755")
			fixChecksum(b)
			return b
		}}, []spec.Kind{spec.KindUnsafeEntry}},
		{"signed list of something in the padding", division{body: func(b []byte) []byte { b[len(b)-bodyTrailer-1] = 1; return b }}, []spec.Kind{spec.KindUnsafeEntry}},
		{"signed list of something after the end", division{body: func(b []byte) []byte { b[len(b)-1] = 1; return b }}, []spec.Kind{spec.KindUnsafeEntry}},
		{"body longer than the manifest says", division{body: func(b []byte) []byte { return append(b, 0) }}, []spec.Kind{spec.KindBadManifest}},
		{"body shorter than the manifest says", division{body: func(b []byte) []byte { return b[1:] }}, []spec.Kind{spec.KindBadManifest}},
		{"no chunk", division{chunks: func([]spec.Chunk) []spec.Chunk { return nil }}, []spec.Kind{spec.KindBadManifest}},
		{"chunk of nothing", division{chunks: first(func(c *spec.Chunk) { c.Size = 0 })}, []spec.Kind{spec.KindBadManifest}},
		{"chunk larger than any", division{chunks: first(func(c *spec.Chunk) { c.Size = spec.MaxChunk + 1 })}, []spec.Kind{spec.KindBadManifest}},
		{"chunk packed in nothing", division{chunks: first(func(c *spec.Chunk) { c.Packed = 0 })}, []spec.Kind{spec.KindBadManifest}},
		{"chunk packed larger than any", division{chunks: first(func(c *spec.Chunk) { c.Packed = spec.MaxPacked + 1 })}, []spec.Kind{spec.KindBadManifest}},
		{"chunk that ends later", division{chunks: func(c []spec.Chunk) []spec.Chunk { c[0].Size++; c[1].Size--; return c }}, []spec.Kind{spec.KindFlippedByte}},
		{"chunk that is packed in more", division{chunks: func(c []spec.Chunk) []spec.Chunk { c[0].Packed++; c[1].Packed--; return c }}, []spec.Kind{spec.KindFlippedByte}},
		{"chunks that go on after the end", division{chunks: func(c []spec.Chunk) []spec.Chunk { c[len(c)-1].Packed += 99; return c }}, []spec.Kind{spec.KindTruncated, spec.KindFlippedByte}},
		{"index of another form", division{index: flip(7)}, []spec.Kind{spec.KindBadManifest}},
		{"index cut within a record", division{index: func(b []byte) []byte { return b[:len(b)-1] }}, []spec.Kind{spec.KindBadManifest}},
		{"index of a record more", division{index: func(b []byte) []byte { return append(b, b[len(b)-spec.ChunkRecord:]...) }}, []spec.Kind{spec.KindBadManifest}},
		{"empty index", division{index: func([]byte) []byte { return nil }}, []spec.Kind{spec.KindBadManifest}},

		{"another chunk in the place of one", division{frames: func(b [][]byte) [][]byte { b[2] = b[3]; return b }}, []spec.Kind{spec.KindFlippedByte}},
		{"two chunks in the wrong order", division{frames: func(b [][]byte) [][]byte { b[2], b[3] = b[3], b[2]; return b }}, []spec.Kind{spec.KindFlippedByte, spec.KindTruncated}},
		{"a chunk less", division{frames: func(b [][]byte) [][]byte { return slices.Delete(b, 2, 3) }}, []spec.Kind{spec.KindFlippedByte, spec.KindTruncated}},
		{"a chunk twice", division{frames: func(b [][]byte) [][]byte { return append(b, b[len(b)-1]) }}, []spec.Kind{spec.KindCorrupt}},
		{"no chunks at all", division{frames: func([][]byte) [][]byte { return nil }}, []spec.Kind{spec.KindTruncated, spec.KindCorrupt, spec.KindTrailingData}},
		{"chunk of other content", division{frames: func(b [][]byte) [][]byte {
			b[2] = f.frame(noise("other", forgedChunk))
			return b
		}}, []spec.Kind{spec.KindFlippedByte}},
		{"chunk that unpacks to far more", division{frames: func(b [][]byte) [][]byte {
			b[2] = f.frame(make([]byte, 64<<20))
			return b
		}}, []spec.Kind{spec.KindTooLarge, spec.KindFlippedByte, spec.KindCorrupt}},
		{"skippable frame between chunks", division{frames: func(b [][]byte) [][]byte {
			b[2] = append([]byte{0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'}, b[2]...)
			return b
		}}, []spec.Kind{spec.KindCorrupt}},

		{"index of another pack in the head", division{front: func(raw, sig, index []byte) []byte {
			index[len(index)-spec.ChunkRecord] ^= 1
			return must(headFrames(raw, sig, index, f.compressor()))
		}}, []spec.Kind{spec.KindFlippedByte}},
		{"longer index in the head", division{front: func(raw, sig, index []byte) []byte {
			return must(headFrames(raw, sig, append(index, make([]byte, spec.ChunkRecord)...), f.compressor()))
		}}, []spec.Kind{spec.KindCorrupt}},
		{"no index in the head", division{front: func(raw, sig, _ []byte) []byte {
			return f.frame(append(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig)...))
		}}, []spec.Kind{spec.KindCorrupt}},
		{"index under another name", division{front: func(raw, sig, index []byte) []byte {
			return append(f.frame(append(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig)...)), f.frame(entryBytes("chunks.idy", index))...)
		}}, []spec.Kind{spec.KindCorrupt}},
		{"something between signature and index", division{front: func(raw, sig, index []byte) []byte {
			return append(f.frame(slices.Concat(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig), entryBytes("x", nil))), f.frame(entryBytes(spec.ChunksName, index))...)
		}}, []spec.Kind{spec.KindCorrupt}},
		{"something behind the index", division{front: func(raw, sig, index []byte) []byte {
			return append(f.frame(append(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig)...)), f.frame(append(entryBytes(spec.ChunksName, index), entryBytes("x", nil)...))...)
		}}, []spec.Kind{spec.KindTooLarge}},
		{"head in one frame", division{front: func(raw, sig, index []byte) []byte {
			return f.frame(slices.Concat(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig), entryBytes(spec.ChunksName, index)))
		}}, []spec.Kind{spec.KindCorrupt}},
		{"head in three frames", division{front: func(raw, sig, index []byte) []byte {
			return slices.Concat(f.frame(entryBytes(spec.ManifestName, raw)), f.frame(entryBytes(spec.SignatureName, sig)), f.frame(entryBytes(spec.ChunksName, index)))
		}}, []spec.Kind{spec.KindCorrupt, spec.KindMissingSignature}},
		{"signature before the manifest", division{front: func(raw, sig, index []byte) []byte {
			return append(f.frame(append(entryBytes(spec.SignatureName, sig), entryBytes(spec.ManifestName, raw)...)), f.frame(entryBytes(spec.ChunksName, index))...)
		}}, []spec.Kind{spec.KindMissingManifest}},
		{"other manifest under the signature", division{front: func(raw, sig, index []byte) []byte {
			return must(headFrames(bytes.Replace(raw, []byte("1.0.0"), []byte("9.0.0"), 1), sig, index, f.compressor()))
		}}, []spec.Kind{spec.KindBadSignature}},
		{"head that unpacks to far more", division{front: func(_, _, _ []byte) []byte { return f.frame(make([]byte, 64<<20)) }}, []spec.Kind{spec.KindCorrupt, spec.KindTooLarge, spec.KindMissingManifest}},

		{"no seal", division{tail: []byte{}}, []spec.Kind{spec.KindTruncated}},
		{"half a seal", division{tail: seal(0)[:7]}, []spec.Kind{spec.KindTruncated}},
		{"wrong seal", division{tail: seal(1)}, []spec.Kind{spec.KindCorrupt}},
		{"garbage in place of the seal", division{tail: []byte("garbage and more")}, []spec.Kind{spec.KindCorrupt}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &forger{t: t, signer: f.signer, keys: f.keys}
			data := f.chunked(f.larger("1.0.0"), tc.d)
			f.refused(t, data, spec.Policy{}, tc.kind...)
			f.unassembled(t, data, tc.kind)
		})
	}
	t.Run("index that is not the first file", func(t *testing.T) {
		a := f.plain()
		a.m.Files[1].Role = spec.RoleChunks
		f.refused(t, f.archive(a), spec.Policy{}, spec.KindBadManifest)
	})
	t.Run("no index", func(t *testing.T) {
		a := f.plain()
		raw, sig := f.encode(a)
		a.head = []entry{regular(spec.ManifestName, string(raw)), regular(spec.SignatureName, string(sig))}
		f.refused(t, f.archive(a), spec.Policy{}, spec.KindBadManifest)
	})
}

// unassembled checks that an archive cannot be assembled: its head is refused, or
// one of its chunks is, or the store still has nothing in the end.
func (f *forger) unassembled(t *testing.T, data []byte, kinds []spec.Kind) {
	t.Helper()
	h, err := ReadHead(t.Context(), bytes.NewReader(data), f.keys, spec.Policy{})
	if err != nil {
		if !slices.Contains(kinds, spec.KindOf(err)) {
			t.Errorf("head: got %v, want %v", err, kinds)
		}
		return
	}
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, err := Assemble(t.Context(), h, s, f.keys, AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Missing() {
		if c.Offset+c.Packed > int64(len(data)) {
			continue // nothing to fetch it from
		}
		if err := a.Put(c, data[c.Offset:c.Offset+c.Packed]); err != nil && spec.KindOf(err) == "" {
			t.Errorf("put: %v", err)
		}
	}
	in, err := a.Finish(t.Context())
	if err != nil {
		return
	}
	// The seal and what a whole file is are not looked at by an assembly: then what
	// came together must be right, or found to be wrong.
	if err := in.Verify(t.Context(), LevelFull); err != nil && !slices.Contains(kinds, spec.KindOf(err)) {
		t.Errorf("assembled: %v", err)
	}
}

// TestHonestChunks: the archives that the attacks start from are accepted, in
// every way to read them.
func TestHonestChunks(t *testing.T) {
	f := newForger(t)
	for _, size := range []int{1, 100, 511, 512, 513, forgedChunk, 1 << 20} {
		data := f.chunked(f.larger("1.0.0"), division{size: size})
		file := writeFile(t, filepath.Join(t.TempDir(), "p"), data)
		s, err := OpenStore(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var done, total int64
		in, err := Install(t.Context(), file, s, f.keys, InstallOptions{Progress: func(d, n int64) { done, total = d, n }})
		if err != nil {
			t.Fatalf("chunks of %d: %v", size, err)
		}
		if err := in.Verify(t.Context(), LevelFull); err != nil {
			t.Errorf("chunks of %d: %v", size, err)
		}
		if done != in.Manifest.Bytes() || total != done {
			t.Errorf("chunks of %d: progress ended at %d of %d", size, done, total)
		}
		want := []string{spec.ManifestName, spec.SignatureName}
		for _, file := range in.Manifest.Files {
			want = append(want, file.Path)
		}
		if got := f.listed(data); !slices.Equal(got, want) {
			t.Errorf("chunks of %d: other programs see %q", size, got)
		}
	}
}

// listed are the names in an archive as any tar and zstd see them.
func (f *forger) listed(data []byte) (names []string) {
	f.t.Helper()
	dec, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		f.t.Fatal(err)
	}
	defer dec.Close()
	for r := tar.NewReader(dec); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			f.t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

// TestReadHead: a head is read without a byte of what follows, and says where
// every chunk is.
func TestReadHead(t *testing.T) {
	f := newForger(t)
	data := f.soundChunks("1.0.0")
	r := bytes.NewReader(data)
	h, err := ReadHead(t.Context(), r, f.keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if read := int64(len(data) - r.Len()); read != h.Length {
		t.Errorf("read %d bytes, the head has %d", read, h.Length)
	}
	if h.Size() != int64(len(data)) {
		t.Errorf("size %d, want %d", h.Size(), len(data))
	}
	at := h.Length
	d, err := newChunkDecoder(1)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i, c := range h.Chunks.All() {
		if c.Offset != at {
			t.Errorf("chunk %d at %d, want %d", i, c.Offset, at)
		}
		if _, err := unpackChunk(d, c, data[c.Offset:c.Offset+c.Packed], nil); err != nil {
			t.Errorf("chunk %d: %v", i, err)
		}
		at += c.Packed
	}
	for n := range h.Length { // cut anywhere
		if _, err := ReadHead(t.Context(), bytes.NewReader(data[:n]), f.keys, spec.Policy{}); spec.KindOf(err) != spec.KindTruncated {
			t.Fatalf("cut after %d of %d bytes: %v", n, h.Length, err)
		}
	}
	for name, tc := range map[string]struct {
		data   []byte
		policy spec.Policy
		kind   spec.Kind
	}{
		"nothing":           {nil, spec.Policy{}, spec.KindTruncated},
		"a page":            {[]byte("<!DOCTYPE html><title>404</title>"), spec.Policy{}, spec.KindNotAPack},
		"another machine":   {data, spec.Policy{HostOS: "plan9"}, spec.KindWrongPlatform},
		"an unknown signer": {newForger(t).soundChunks("1.0.0"), spec.Policy{}, spec.KindForeignKey},
	} {
		if _, err := ReadHead(t.Context(), bytes.NewReader(tc.data), f.keys, tc.policy); spec.KindOf(err) != tc.kind {
			t.Errorf("%s: got %v, want %s", name, err, tc.kind)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadHead(ctx, bytes.NewReader(data), f.keys, spec.Policy{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLayout: whatever part of a body is asked for, the pieces are that part.
func TestLayout(t *testing.T) {
	files := []spec.File{{Path: "a", Size: 0, Mode: 0o644}, {Path: "b", Size: 700, Mode: 0o755}, {Path: "c/d", Size: 512, Mode: 0o644}, {Path: "e", Size: 1, Mode: 0o644}, {Path: "f", Size: 0, Mode: 0o644}}
	l := newLayout(files)
	content := func(file int, off int64) byte { return byte(16*file) + byte(off%13) + 1 }
	at := func(off int64, n int) []byte {
		b := make([]byte, n)
		next := 0
		for p, err := range l.pieces(off, n) {
			if err != nil {
				t.Fatal(err)
			}
			if p.from != next || p.to > n {
				t.Fatalf("%d bytes at %d: piece %d–%d after %d", n, off, p.from, p.to, next)
			}
			next = p.to
			copy(b[p.from:p.to], p.literal)
			for i := p.from; i < p.to && p.file >= 0; i++ {
				b[i] = content(p.file, p.off+int64(i-p.from))
			}
		}
		if next != n {
			t.Fatalf("%d bytes at %d: pieces end at %d", n, off, next)
		}
		return b
	}
	whole := at(0, int(l.size))
	for off := int64(0); off < l.size; off += 37 {
		for _, n := range []int{0, 1, 100, 512, 600, int(l.size - off)} {
			if n = min(n, int(l.size-off)); !bytes.Equal(at(off, n), whole[off:off+int64(n)]) {
				t.Errorf("%d bytes at %d differ", n, off)
			}
		}
	}
	// Every file has a piece, also an empty one, however the body is divided.
	for _, size := range []int{1, 511, 512, 513, int(l.size)} {
		seen := map[int]int{}
		for off := int64(0); off < l.size; off += int64(size) {
			for p := range l.pieces(off, min(size, int(l.size-off))) {
				if p.file >= 0 && files[p.file].Size == 0 {
					seen[p.file]++
				}
			}
		}
		if seen[0] != 1 || seen[4] != 1 {
			t.Errorf("in parts of %d: empty files came %v times", size, seen)
		}
	}
	if got := l.fileAt(l.size - 1); got != "" {
		t.Errorf("the end is in %q", got)
	}
}
