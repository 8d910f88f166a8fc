package pack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/spec"
)

// TestHostileStreams attacks the compression of a sound archive.
func TestHostileStreams(t *testing.T) {
	f := newForger(t)
	good := f.chunked(f.plain(), division{tail: []byte{}})
	// frame is an archive whose first frame is made in another way.
	frame := func(o ...zstd.EOption) []byte {
		return f.chunked(f.plain(), division{front: func(raw, sig, index []byte) []byte {
			var out bytes.Buffer
			w, err := zstd.NewWriter(&out, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, o...)...)
			if err != nil {
				t.Fatal(err)
			}
			front := append(entryBytes(spec.ManifestName, raw), entryBytes(spec.SignatureName, sig)...)
			if err := errors.Join(second(w.Write(front)), w.Flush(), w.Close()); err != nil {
				t.Fatal(err)
			}
			return append(out.Bytes(), f.frame(entryBytes(spec.ChunksName, index))...)
		}})
	}
	skippable := []byte{0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 'e', 'v', 'i', 'l'}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, tc := range []struct {
		name string
		data []byte
		kind spec.Kind
	}{
		{"empty file", nil, spec.KindTruncated},
		{"not a pack", []byte("<!DOCTYPE html><title>404</title>"), spec.KindNotAPack},
		{"a short text", []byte("vm\n"), spec.KindNotAPack},
		{"one byte", []byte("("), spec.KindTruncated}, // as the first of a pack
		{"one other byte", []byte("x"), spec.KindNotAPack},
		{"a bare tar stream", f.tarStream(f.plain().entries), spec.KindNotAPack},
		{"gzip", []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}, spec.KindNotAPack},
		{"starts with a skippable frame", sealed(join(skippable, good)), spec.KindNotAPack},
		{"only a seal", sealed(nil), spec.KindNotAPack},
		{"no seal", good, spec.KindTruncated},
		{"half a seal", sealed(good)[:len(good)+7], spec.KindTruncated},
		{"a wrong seal", join(good, seal(1)), spec.KindCorrupt},
		{"seal of another size", join(good, skippable, skippable), spec.KindCorrupt},
		{"garbage in place of the seal", join(good, []byte("garbage and more")), spec.KindCorrupt},
		{"two seals", sealed(sealed(good)), spec.KindTrailingData},
		{"another frame before the seal", sealed(join(good, good)), spec.KindCorrupt},
		{"empty frame before the seal", sealed(join(good, []byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51})), spec.KindCorrupt},
		{"no checksum", frame(zstd.WithEncoderCRC(false)), spec.KindCorrupt},
		{"large window", frame(zstd.WithWindowSize(64 << 20)), spec.KindTooLarge},
		{"reserved kind of block", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 7, 0, 0, 0, 0, 0, 0}), spec.KindCorrupt},
		{"block larger than any", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 1, 0, 0x7f, 0, 0, 0, 0}), spec.KindCorrupt},
		{"dictionary", sealed([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x05, 0x58, 1, 1, 0, 0, 0, 0, 0, 0}), spec.KindCorrupt},
	} {
		t.Run(tc.name, func(t *testing.T) { f.refused(t, tc.data, spec.Policy{}, tc.kind) })
	}

	// What a frame may be, else the refusals above would prove nothing.
	for name, data := range map[string][]byte{
		"as usual":          sealed(good),
		"window of a flush": frame(zstd.WithWindowSize(windowSize)),
	} {
		for _, size := range []int{1, 3, len(data)} { // of reads
			if err := f.extracted(t.Context(), &smallReader{bytes.NewReader(data), size}); err != nil {
				t.Errorf("%s, %d bytes at a time: %v", name, size, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// smallReader reads a few bytes at a time.
type smallReader struct {
	r io.Reader
	n int
}

func (s *smallReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// TestEveryFlippedByte: an archive in which one byte differs is not accepted, in
// whatever bits and wherever it stands.
func TestEveryFlippedByte(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	if err := f.extracted(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for _, flip := range []byte{1 << (i % 8), 0xff} {
			bad := bytes.Clone(data)
			bad[i] ^= flip
			if err := f.extracted(t.Context(), bytes.NewReader(bad)); spec.KindOf(err) == "" {
				t.Errorf("byte %d of %d, bits %#02x: %v", i, len(data), flip, err)
			}
		}
	}
}

// TestEveryTruncation: no archive that ends early is accepted, and each is called
// truncated.
func TestEveryTruncation(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	for n := range data {
		if err := f.extracted(t.Context(), bytes.NewReader(data[:n])); spec.KindOf(err) != spec.KindTruncated {
			t.Errorf("the first %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// TestRefusalsLeaveNothingRunning: neither goroutines nor open files.
func TestRefusalsLeaveNothingRunning(t *testing.T) {
	f := newForger(t)
	large := func(word string) []byte {
		a := f.plain()
		a.add("z", strings.Repeat("large ", 1<<20))
		a.entries[3].data = strings.Repeat(word, 1<<20)
		return f.archive(a)
	}
	good, flipped := large("large "), large("Large ")
	file := filepath.Join(t.TempDir(), "pack")
	s, err := OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	attempt := func() {
		for _, data := range [][]byte{flipped, good[:len(good)/2], good[:100], append(bytes.Clone(good), 'x'), []byte("x")} {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Install(t.Context(), file, s, f.keys, InstallOptions{}); spec.KindOf(err) == "" {
				t.Errorf("%v", err)
			}
		}
		if err := os.WriteFile(file, good, 0o600); err != nil {
			t.Fatal(err)
		}
		progress := func(done, _ int64) {
			if done > 1<<20 {
				cancel()
			}
		}
		if _, err := Install(cancelled, file, s, f.keys, InstallOptions{Progress: progress}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	attempt() // what libraries start once is there now
	count := func() (int, int) {
		files, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(files)
	}
	goroutines, files := count()
	for range 5 {
		attempt()
	}
	var g, n int
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // a goroutine that has ended is counted for a moment longer
		if g, n = count(); g <= goroutines && n <= files {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines and %d open files, were %d and %d", g, n, goroutines, files)
}

// TestBadDiskIsNotABadPack: an error of reading is not blamed on the pack.
func TestBadDiskIsNotABadPack(t *testing.T) {
	f := newForger(t)
	data := f.archive(f.plain())
	broken := errors.New("input/output error")
	for _, n := range []int{0, 100, len(data) - 1} {
		r := io.MultiReader(bytes.NewReader(data[:n]), &failingReader{broken})
		if err := f.extracted(t.Context(), r); !errors.Is(err, broken) || spec.KindOf(err) != "" {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }
