package ninep_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hugelgupf/p9/p9"
)

// What the share costs on the host's side alone: a client in this process, with
// the journal on. The guest's part is measured by scripts/bench share.

func BenchmarkWrite(b *testing.B) {
	h := newHost(b)
	f := walk(b, h.mount(), "rw")
	_, _, _, err := f.Create("big", p9.ReadWrite, 0o644, 0, 0)
	h.check(err)
	buf := make([]byte, 128<<10)
	b.SetBytes(int64(len(buf)))
	for i := 0; b.Loop(); i++ {
		if _, err := f.WriteAt(buf, int64(i%1000)*int64(len(buf))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	h := newHost(b)
	h.check(os.WriteFile(h.path("rw/big"), make([]byte, 64<<20), 0o644))
	f := walk(b, h.mount(), "rw", "big")
	_, _, err := f.Open(p9.ReadOnly)
	h.check(err)
	buf := make([]byte, 128<<10)
	b.SetBytes(int64(len(buf)))
	for i := 0; b.Loop(); i++ {
		if _, err := f.ReadAt(buf, int64(i%500)*int64(len(buf))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	h := newHost(b)
	rw := walk(b, h.mount(), "rw")
	for i := 0; b.Loop(); i++ {
		d := walk(b, rw)
		if _, _, _, err := d.Create(fmt.Sprint("n", i), p9.ReadWrite, 0o644, 0, 0); err != nil {
			b.Fatal(err)
		}
		if _, err := d.WriteAt([]byte("content"), 0); err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
}

func BenchmarkStat(b *testing.B) {
	h := newHost(b)
	rw := walk(b, h.mount(), "rw")
	for b.Loop() {
		f := walk(b, rw, "dir", "file")
		if _, _, _, err := f.GetAttr(p9.AttrMaskAll); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// many makes n files of a person.
func many(h *host, n int) {
	for i := range n {
		h.check(os.WriteFile(h.path(fmt.Sprint("rw/p", i)), []byte("content of a person"), 0o644))
	}
}

func BenchmarkOverwrite(b *testing.B) {
	h := newHost(b)
	const n = 20000
	many(h, n)
	rw := walk(b, h.mount(), "rw")
	for i := 0; b.Loop(); i++ {
		if i == n {
			b.Fatal("too few files")
		}
		f := walk(b, rw, fmt.Sprint("p", i))
		if _, _, err := f.Open(p9.WriteOnly | 0o1000); err != nil {
			b.Fatal(err)
		}
		if _, err := f.WriteAt([]byte("content of a task"), 0); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkRemove(b *testing.B) {
	h := newHost(b)
	const n = 20000
	many(h, n)
	rw := walk(b, h.mount(), "rw")
	for i := 0; b.Loop(); i++ {
		if i == n {
			b.Fatal("too few files")
		}
		if err := rw.UnlinkAt(fmt.Sprint("p", i), 0); err != nil {
			b.Fatal(err)
		}
	}
}
