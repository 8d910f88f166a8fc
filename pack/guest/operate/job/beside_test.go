package job

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// What was written beside is what was written, in its order, however large the
// pieces were.
func TestBeside(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, sizes := range map[string][]int{
		"nothing":                 {},
		"small":                   {1, 0, besideFrom - 1, 7},
		"at the border":           {besideFrom},
		"large, then small":       {besideFrom + 1, 1, 0, 2},
		"small, then large":       {100, 3 << 20},
		"larger than all buffers": {5<<20 + 3, 1, 512 << 10, 512<<10 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			var got, want bytes.Buffer
			b := newBeside(&got)
			for _, n := range sizes {
				p := make([]byte, n)
				for i := range p {
					p[i] = byte(random.Uint32())
				}
				want.Write(p)
				if m, err := b.Write(p); m != n || err != nil {
					t.Fatalf("%d %v", m, err)
				}
				clear(p) // the caller's own again
			}
			for range 2 {
				if err := b.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d bytes, want %d, or other ones", got.Len(), want.Len())
			}
		})
	}
}

// failing takes so many bytes.
type failing struct {
	left int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// A failure is said by the end, and what comes after it goes nowhere.
func TestBesideFails(t *testing.T) {
	full := errors.New("full")
	for _, sizes := range [][]int{{10}, {besideFrom}, {besideFrom, besideFrom, besideFrom}, slices.Repeat([]int{512 << 10}, 9)} {
		b := newBeside(&failing{sum(sizes) - 1, full})
		var errs []error
		for _, n := range sizes {
			n, err := b.Write(make([]byte, n))
			errs = append(errs, err)
			if err != nil && n == 0 {
				break
			}
		}
		if err := errors.Join(append(errs, b.Close())...); !errors.Is(err, full) {
			t.Errorf("%d: %v", sizes, err)
		}
	}
	b := newBeside(io.Discard)
	if err := b.Close(); err != nil {
		t.Errorf("nothing was written: %v", err)
	}
}

func sum(n []int) (all int) {
	for _, m := range n {
		all += m
	}
	return all
}
