package at

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// patched is a file of size bytes with data at some places.
func patched(t *testing.T, size int64, data []byte, at ...int64) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	for _, off := range at {
		if _, err := f.WriteAt(data, off); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Mostly holes is what has less than half of its length on the disk; blocks and the list of holes agree.
func TestHollow(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 1<<20)
	for name, c := range map[string]struct {
		f    *os.File
		want bool
	}{
		"a small one":          {patched(t, hollowFrom, nil), false},
		"nothing but a hole":   {patched(t, hollowFrom+1, nil), true},
		"8 TiB":                {patched(t, 8<<40, data, 1<<40), true},
		"written all over":     {patched(t, 2<<20, data, 0, 1<<20), false},
		"half of it":           {patched(t, 4<<20, data, 0, 2<<20), false},
		"a quarter, at an end": {patched(t, 4<<20, data, 3<<20), true},
		"written with zeros":   {patched(t, 1<<21, make([]byte, 1<<21), 0), false},
	} {
		info, err := Stat(c.f)
		if err != nil {
			t.Fatal(err)
		}
		if got := Hollow(info.Size, c.f); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := info.Size > hollowFrom && !halfWritten(info.Size, []*os.File{c.f}, written); got != c.want {
			t.Errorf("%s: %v by the list of its holes", name, got)
		}
	}
	if below := patched(t, 4<<20, data, 0, 1<<20); Hollow(4<<20, below, patched(t, 4<<20, nil)) {
		t.Error("what two files have together is not counted")
	}
}

// A copy is the same, with holes where the original has some, which are not read.
func TestCopyData(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 100_000)
	for name, src := range map[string]*os.File{
		"empty":         patched(t, 0, nil),
		"a small one":   patched(t, 10_000, data[:100], 5000),
		"dense":         patched(t, 0, data, 0, 100_000),
		"only a hole":   patched(t, 3<<40, nil),
		"a hole behind": patched(t, 3<<40, data, 0),
		"a hole before": patched(t, 3<<40, data, 3<<40-100_000),
		"many":          patched(t, 3<<40, data, 1, 1<<30+7, 1<<40, 2<<40),
	} {
		t.Run(name, func(t *testing.T) {
			dst := patched(t, 0, nil)
			passed, read := int64(0), int64(0)
			n, err := copyData(t.Context(), dst, src, math.MaxInt64, func(n int64) { passed += n }, func(f *os.File, off int64) (piece, error) {
				p, err := nextData(f, off)
				read += max(p.End-p.Off, 0)
				if read > 1<<30 {
					t.Fatal("it reads a hole") // which would not end
				}
				return p, err
			})
			if err != nil {
				t.Fatal(err)
			}
			was, _ := Stat(src)
			is, _ := Stat(dst)
			if n != was.Size || is.Size != was.Size || passed != was.Size || is.Blocks > was.Blocks+64 {
				t.Errorf("%d bytes, passed %d; %d in %d blocks of %d in %d", n, passed, is.Size, is.Blocks, was.Size, was.Blocks)
			}
			for off := int64(0); off < was.Size; {
				p, err := nextData(src, off)
				if err != nil {
					break
				}
				size := min(p.End, was.Size) - p.Off
				a, b := make([]byte, size), make([]byte, size)
				if _, err := src.ReadAt(a, p.Off); err != nil && !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				if _, err := dst.ReadAt(b, p.Off); err != nil && !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				if !bytes.Equal(a, b) {
					t.Errorf("another content at %d", p.Off)
				}
				off = p.Off + size
			}
		})
	}
}

// Where nobody knows of holes, a copy gives up after so many zeros; it hears of the end of its context
// anywhere.
func TestCopyDataEnds(t *testing.T) {
	all := func(_ *os.File, off int64) (piece, error) { return piece{Off: off, End: math.MaxInt64}, nil }
	src := patched(t, 1<<30, []byte("x"), 0)
	n, err := copyData(t.Context(), patched(t, 0, nil), src, 10<<20, nil, all)
	if !errors.Is(err, ErrHoles) || n > 20<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
	zeros := patched(t, 0, make([]byte, 4<<20), 0) // on the disk, all of them
	if n, err := copyData(t.Context(), patched(t, 0, nil), zeros, 0, nil, all); err != nil || n != 4<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
	stop, cancel := context.WithCancel(t.Context())
	n, err = copyData(stop, patched(t, 0, nil), src, math.MaxInt64, func(int64) { cancel() }, all)
	if !errors.Is(err, context.Canceled) || n > 1<<20 {
		t.Errorf("%v after %d bytes", err, n)
	}
}
