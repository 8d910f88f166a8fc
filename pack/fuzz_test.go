package pack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"piwork/pack/spec"
	"testing"
)

// collector is the sink that remembers what it was given, as the archive had it.
type collector struct {
	files map[string][]byte
}

func (c *collector) begin(context.Context, *head) error {
	c.files = map[string][]byte{}
	return nil
}

func (c *collector) file(_ context.Context, f spec.File, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if _, ok := c.files[f.Path]; ok {
		return fmt.Errorf("%s came twice", f.Path)
	}
	c.files[f.Path] = data
	return nil
}

// FuzzArchive reads any bytes as a pack. Nobody signed them.
func FuzzArchive(f *testing.F) {
	fg := newForger(f)
	other := newForger(f)
	good := fg.archive(fg.plain())
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(fg.tarStream(fg.plain()))
	f.Add(sealed(fg.compress(make([]byte, 4096))))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, size := range []int{7, 1 << 20} {
			if _, err := readArchive(t.Context(), &smallReader{bytes.NewReader(data), size}, other.keys, spec.Policy{}, &collector{}); spec.KindOf(err) == "" {
				t.Errorf("%v", err)
			}
		}
	})
}

// FuzzSignedArchive lets everything after a valid head vary. What is accepted has
// exactly the files of the manifest, each as long as it says.
func FuzzSignedArchive(f *testing.F) {
	fg := newForger(f)
	a := fg.plain()
	whole := fg.tarStream(a)
	b := fg.plain()
	b.entries, b.tail = nil, []byte{}
	start := fg.tarStream(b)
	if !bytes.HasPrefix(whole, start) {
		f.Fatal("signatures are not deterministic")
	}
	f.Add(whole[len(start):])
	f.Add(whole[len(start)+tarBlock:])
	f.Add(make([]byte, 2*tarBlock))
	f.Add(tarPAX(fg, 100))
	f.Fuzz(func(t *testing.T, tail []byte) {
		stream := append(bytes.Clone(start), tail...)
		fg := &forger{t: t, signer: fg.signer, keys: fg.keys}
		var c collector
		_, err := readArchive(t.Context(), bytes.NewReader(sealed(fg.compress(stream))), fg.keys, spec.Policy{}, &c)
		if err != nil {
			if spec.KindOf(err) == "" {
				t.Errorf("not a VerifyError: %v", err)
			}
			return
		}
		if len(c.files) != len(a.m.Files) || len(stream) != len(whole) {
			t.Errorf("accepted %d files in %d bytes", len(c.files), len(stream))
		}
		for _, file := range a.m.Files {
			if int64(len(c.files[file.Path])) != file.Size {
				t.Errorf("%s has %d bytes, want %d", file.Path, len(c.files[file.Path]), file.Size)
			}
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
