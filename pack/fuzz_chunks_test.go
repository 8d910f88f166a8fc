package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/spec"
)

// FuzzChunkIndex: an index is refused, or says of every chunk where it is, within
// bounds and without a gap; then it is the only way to say so.
func FuzzChunkIndex(f *testing.F) {
	fg := newForger(f)
	h, err := ReadHead(f.Context(), bytes.NewReader(fg.soundChunks("1.0.0")), fg.keys, spec.Policy{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(h.index, h.layout.size)
	f.Add(h.index[:len(h.index)-1], h.layout.size)
	f.Add([]byte(spec.ChunksMagic), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, body int64) {
		x, err := spec.ParseChunks(data, body)
		if err != nil {
			if spec.KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		var at, packed int64
		for i, c := range x.All() {
			if c.Size < 1 || c.Size > spec.MaxChunk || c.Packed < 1 || c.Packed > spec.MaxPacked || c.Offset != packed || x.Body[i] != at {
				t.Fatalf("chunk %d of %+v", i, c)
			}
			at, packed = at+int64(c.Size), packed+c.Packed
		}
		if at != body || x.Packed() != packed {
			t.Errorf("chunks of %d bytes for a body of %d", at, body)
		}
		if !bytes.Equal(spec.EncodeChunks(x.Chunks), data) {
			t.Error("encodes to something else")
		}
	})
}

// FuzzHead reads any bytes as the head of a pack. What is accepted is the signed
// one, whatever surrounds it.
func FuzzHead(f *testing.F) {
	fg := newForger(f)
	good := fg.soundChunks("1.0.0")
	h, err := ReadHead(f.Context(), bytes.NewReader(good), fg.keys, spec.Policy{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:h.Length])
	f.Add(good[:h.Length/2])
	f.Add(fg.frame(make([]byte, 4096)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		got, err := ReadHead(t.Context(), r, fg.keys, spec.Policy{})
		switch {
		case err != nil && spec.KindOf(err) == "":
			t.Errorf("not a VerifyError: %v", err)
		case err == nil && got.Digest != h.Digest:
			t.Errorf("accepted %s", got.Digest)
		case err == nil && int64(len(data)-r.Len()) != got.Length:
			t.Errorf("read %d bytes of a head of %d", len(data)-r.Len(), got.Length)
		}
	})
}

// FuzzChunk: what unpacks is what was signed.
func FuzzChunk(f *testing.F) {
	fg := newForger(f)
	good := fg.soundChunks("1.0.0")
	h, err := ReadHead(f.Context(), bytes.NewReader(good), fg.keys, spec.Policy{})
	if err != nil {
		f.Fatal(err)
	}
	c := h.Chunks.All()[1]
	d, err := newChunkDecoder(1)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(d.Close)
	f.Add(good[c.Offset : c.Offset+c.Packed])
	f.Add(fg.frame(make([]byte, 1<<20)))
	want, err := unpackChunk(d, c, good[c.Offset:c.Offset+c.Packed], nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		c := c
		c.Packed = int64(len(packed))
		if data, err := unpackChunk(d, c, packed, nil); err == nil && !bytes.Equal(data, want) {
			t.Errorf("unpacks to %d other bytes", len(data))
		}
	})
}

// FuzzBundleList: a list is refused, or is valid and the only way to say so.
func FuzzBundleList(f *testing.F) {
	f.Add(must((&BundleManifest{
		Schema: spec.Schema, Name: bundleWord, Version: "1.0.0", HostOS: "linux", HostArch: "amd64", Built: entryTime.UTC(),
		Files: []BundleFile{{Path: "packs/x", Size: 1, Mode: 0o644, SHA256: noPack, Pack: noPack}},
	}).encode()))
	f.Add([]byte(`{"schema":1}`))
	f.Add([]byte(`{"schema":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseBundle(data)
		if err != nil {
			if spec.KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		if again, err := m.encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("encodes to something else, %v", err)
		}
		for _, file := range m.Files {
			if spec.CheckName(file.Path) != nil || !inBundle(file.Path) || file.Size < 0 {
				t.Errorf("accepted %+v", file)
			}
		}
	})
}

const noPack = "0000000000000000000000000000000000000000000000000000000000000000"

// FuzzBundle opens any bytes as a bundle that nobody signed, and uses what it
// finds.
func FuzzBundle(f *testing.F) {
	fg := newForger(f)
	dir := f.TempDir()
	p := writeFile(f, filepath.Join(dir, "p"), fg.chunked(fg.based("1.0.0"), division{}))
	_, file, err := BuildBundle(f.Context(), BundleBuildOptions{Packs: []string{p}, Keys: fg.keys, Out: filepath.Join(dir, "b")})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(must(os.ReadFile(file)))
	f.Add(entryBytes(BundleName, []byte("{}")))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := OpenBundle(t.Context(), writeFile(t, filepath.Join(t.TempDir(), "b"), data), fg.keys, BundleOptions{Unsigned: true})
		if err != nil {
			if spec.KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		defer b.Close()
		packs, err := b.Packs(t.Context())
		if err != nil && spec.KindOf(err) == "" {
			t.Errorf("not a VerifyError: %v", err)
		}
		if err == nil && len(packs) != 1 {
			t.Errorf("%d packs", len(packs))
		}
	})
}
