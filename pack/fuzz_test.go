package pack

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"piwork/pack/spec"
)

// FuzzArchive reads any bytes as a pack. Nobody signed them.
func FuzzArchive(f *testing.F) {
	fg, other := newForger(f), newForger(f)
	good := fg.archive(fg.plain())
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(fg.tarStream(fg.plain().entries))
	f.Add(sealed(fg.frame(make([]byte, 4096))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, size := range []int{7, 1 << 20} {
			if err := other.extracted(t.Context(), &smallReader{bytes.NewReader(data), size}); spec.KindOf(err) == "" {
				t.Errorf("%v", err)
			}
		}
	})
}

// FuzzSignedArchive lets everything after a valid head vary. Only what was signed is
// accepted.
func FuzzSignedArchive(f *testing.F) {
	fg := newForger(f)
	whole := fg.archive(fg.plain())
	h, err := ReadHead(f.Context(), bytes.NewReader(whole), fg.keys, spec.Policy{})
	if err != nil {
		f.Fatal(err)
	}
	start := whole[:h.Length]
	f.Add(whole[len(start):])
	f.Add(whole[len(start)+100:])
	f.Add(sealed(whole[:len(whole)-sealSize])[len(start):])
	f.Add(fg.frame(make([]byte, 2*tarBlock)))
	f.Fuzz(func(t *testing.T, tail []byte) {
		data := slices.Concat(start, tail)
		switch err := fg.extracted(t.Context(), bytes.NewReader(data)); {
		case err == nil && !bytes.Equal(data, whole):
			t.Errorf("accepted %d other bytes", len(tail))
		case err != nil && spec.KindOf(err) == "":
			t.Errorf("not a VerifyError: %v", err)
		}
	})
}

// FuzzFrames: the frame reader passes bytes on as they are, or fails, however
// they come.
func FuzzFrames(f *testing.F) {
	fg := newForger(f)
	f.Add(fg.archive(fg.plain()), 3)
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x24, 1, 9, 0, 0, 'x'}, 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = min(max(size, 1), 4096)
		a, errA := io.ReadAll(newFrameReader(bytes.NewReader(data)))
		b, errB := io.ReadAll(newFrameReader(&smallReader{bytes.NewReader(data), size}))
		if spec.KindOf(errA) != spec.KindOf(errB) {
			t.Errorf("%v, but %d bytes at a time %v", errA, size, errB)
		}
		if !bytes.HasPrefix(data, a) || !bytes.HasPrefix(data, b) || errA == nil && len(a) != len(data) {
			t.Errorf("passed on %d and %d of %d bytes, %v", len(a), len(b), len(data), errA)
		}
	})
}
