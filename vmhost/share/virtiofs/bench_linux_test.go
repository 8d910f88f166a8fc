package virtiofs_test

import (
	"fmt"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
)

// What the device costs on the host's side alone: a driver in this process, with
// the journal on. The guest's part is measured by scripts/bench share.

func BenchmarkGetattr(b *testing.B) {
	h := newHost(b, share.Options{})
	n := h.at("rw/dir/file")
	for b.Loop() {
		h.must(opGetattr, n, uint32(0), uint32(0), uint64(0))
	}
}

func BenchmarkCreate(b *testing.B) {
	h := newHost(b, share.Options{})
	for i := 0; b.Loop(); i++ {
		f, err := h.Create(fmt.Sprint("rw/n", i), conformance.ReadWrite, 0o644)
		h.check(err)
		_, err = f.WriteAt([]byte("content"), 0)
		h.check(err)
		h.check(f.Close())
	}
}

func BenchmarkRemove(b *testing.B) {
	h := newHost(b, share.Options{})
	const n = 5000
	for i := range n {
		f, err := h.Create(fmt.Sprint("rw/n", i), conformance.ReadWrite, 0o644)
		h.check(err)
		h.check(f.Close())
	}
	for i := 0; b.Loop(); i++ {
		if i == n {
			b.Fatal("too few files")
		}
		h.check(h.Unlink(fmt.Sprint("rw/n", i)))
	}
}

func BenchmarkWrite(b *testing.B) {
	h := newHost(b, share.Options{})
	f, err := h.Create("rw/big", conformance.ReadWrite, 0o644)
	h.check(err)
	buf := make([]byte, 64<<10)
	b.SetBytes(int64(len(buf)))
	for i := 0; b.Loop(); i++ {
		_, err := f.WriteAt(buf, int64(i%500)*int64(len(buf)))
		h.check(err)
	}
}
