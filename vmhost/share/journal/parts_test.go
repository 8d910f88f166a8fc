package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/internal/partial"
)

// Whatever is written, cut off, punched out and appended: what was before can be
// read at any moment, and undo brings it back, into the same inode.
func TestPartsAnything(t *testing.T) {
	folders := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := &world{t: t, dir: filepath.Join(folders, fmt.Sprint(n)), jdir: filepath.Join(folders, fmt.Sprint("j", n)),
			oldtime: time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC), parts: 30}
		w.check(os.Mkdir(w.dir, 0o755))
		size := rapid.IntRange(31, 500).Draw(rt, "size")
		was := make([]byte, size)
		for i := range was {
			if i/20%3 != 1 { // some zeros among it
				was[i] = byte('a' + i%26)
			}
		}
		path := filepath.Join(w.dir, "f")
		w.check(os.WriteFile(path, was, 0o644))
		w.age()
		w.begin()
		w.mark()
		info, err := at.OpenRoot(w.dir)
		w.check(err)
		before, err := info.Lstat("f")
		w.check(err)
		info.Close()
		var f store.Handle
		closeIt := func() {
			if f != nil {
				w.check(f.Close())
				f = nil
			}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if f == nil {
				var err error
				f, _, err = w.f.Open("f", true)
				w.check(err)
			}
			off := rapid.Int64Range(0, 600).Draw(rt, "off")
			length := rapid.Int64Range(1, 200).Draw(rt, "length")
			switch rapid.SampledFrom([]string{"write", "write", "write", "vector", "truncate", "punch", "zero", "close", "restart", "list", "rewrite", "rename"}).Draw(rt, "op") {
			case "write":
				_, err := f.WriteAt(bytes.Repeat([]byte("W"), int(length)), off)
				w.check(err)
			case "vector":
				_, err := f.WritevAt([][]byte{bytes.Repeat([]byte("V"), int(length)), []byte("end")}, off)
				w.check(err)
			case "truncate":
				w.check(f.Truncate(off))
			case "punch":
				if err := f.Allocate(3, off, length); err != nil && !errors.Is(err, at.ErrUnsupported) {
					rt.Fatal(err)
				}
			case "zero":
				_ = f.Allocate(0x10, off, length) // not every file system can
			case "close":
				closeIt()
			case "restart":
				closeIt()
				w.stop()
				w.begin()
			case "list":
				_, err := w.j.Changes(t.Context())
				w.check(err)
			case "rewrite":
				w.check(rewriteForTest(w.j))
			case "rename":
				w.check(w.rename("f", "g"))
				w.check(w.rename("g", "f"))
			}
			list, err := w.j.Changes(t.Context())
			w.check(err)
			if len(list) == 0 {
				continue
			}
			if got := w.content(list[0].ID, Before); got != string(was) {
				rt.Fatalf("before: %q\n  want %q", got, was)
			}
			now, err := os.ReadFile(path)
			w.check(err)
			if got := w.content(list[0].ID, After); got != string(now) {
				rt.Fatalf("after: %q\n want %q", got, now)
			}
		}
		closeIt()
		r := w.undo()
		if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
			rt.Fatalf("conflicts: %+v\nafter undo:\n%s", r.Conflicts, d)
		}
		root, err := at.OpenRoot(w.dir)
		w.check(err)
		after, err := root.Lstat("f")
		root.Close()
		if err != nil || after.ID != before.ID {
			rt.Fatalf("another inode: %v %v %v", before.ID, after.ID, err)
		}
		w.stop()
		os.RemoveAll(w.dir)
		os.RemoveAll(w.jdir)
	})
}

// Of a file of many gigabytes only what the task changes is kept. Holes stay
// holes on the way there and back.
func TestPartsOfHugeFile(t *testing.T) {
	const size = 40 << 30
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			path := filepath.Join(w.dir, "disk")
			f, err := os.Create(path)
			w.check(err)
			r := rand.New(rand.NewPCG(1, 2))
			data := make([]byte, 3<<20)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			for _, off := range []int64{0, 5 << 30, size - 3<<20} {
				_, err := f.WriteAt(data, off)
				w.check(err)
			}
			w.check(f.Close())
			w.age()
			digest := func() string {
				f, err := os.Open(path)
				w.check(err)
				defer f.Close()
				info, err := at.Stat(f)
				w.check(err)
				h := sha256.New()
				for _, off := range []int64{0, 1 << 30, 5 << 30, 39 << 30, size - 3<<20} {
					_, err := io.Copy(h, io.NewSectionReader(f, off, 3<<20))
					w.check(err)
				}
				if info.Blocks > 64<<11 {
					t.Errorf("%d blocks are allocated", info.Blocks)
				}
				return fmt.Sprintf("%d %s %x", info.Size, info.MTime, h.Sum(nil))
			}
			before := digest()
			w.start()
			w.check(w.write("disk", "task", 5<<30+1<<20))
			if u := w.j.Usage(); u.Bytes > 1<<20 {
				t.Errorf("one changed byte took %+v", u)
			}
			w.check(w.write("disk", "task", 20<<30))
			if got := w.changes(); len(got) != 1 {
				t.Errorf("%q", got)
			}
			c, err := w.j.Content(t.Context(), w.id("disk"), Before)
			w.check(err)
			got := make([]byte, 4)
			if _, err := c.ReadAt(got, 5<<30+1<<20); err != nil || !bytes.Equal(got, data[1<<20:1<<20+4]) || c.Size() != size {
				t.Errorf("%q %v", got, err)
			}
			w.check(c.Close())
			w.check(w.truncate("disk", 10<<30))
			w.restart()
			if u := w.j.Usage(); u.Bytes > 8<<20 {
				t.Errorf("the end took %+v", u)
			}
			rep := w.undo()
			if after := digest(); after != before || len(rep.Conflicts) > 0 {
				t.Errorf("%s, was %s; %+v", after, before, rep)
			}
			if got := w.changes(); len(got) != 1 || got[0] != "change disk undone" {
				t.Errorf("%q", got)
			}
		})
	}
}

// Nobody can say what a file was of which only parts are kept, once a person
// changed it: then that is said.
func TestPartsConflict(t *testing.T) {
	w := newWorld(t, "")
	w.parts = 30
	w.seed("a long enough name for parts of it", "another long enough name for parts", "a third long enough name for parts")
	w.start()
	for _, n := range []string{"a long enough name for parts of it", "another long enough name for parts", "a third long enough name for parts"} {
		w.check(w.write(n, "task", 2))
	}
	w.changes()
	w.check(os.WriteFile(filepath.Join(w.dir, "a long enough name for parts of it"), []byte("the person's, not shorter than before"), 0o644))
	img, err := filepath.Glob(filepath.Join(w.jdir, "images", "*"))
	if err != nil || len(img) != 3 {
		t.Fatal(img, err)
	}
	want := map[string]Reason{"a long enough name for parts of it": ReasonChanged}
	b, err := os.ReadFile(img[1])
	w.check(err)
	b[3] ^= 1
	w.check(os.WriteFile(img[1], b, 0o600))
	w.restart()
	r := w.undo()
	damaged := 0
	for _, c := range r.Conflicts {
		if c.Reason == ReasonNoImage {
			damaged++
		} else if want[c.Change.Path] != c.Reason {
			t.Errorf("%+v", c)
		}
	}
	if len(r.Conflicts) != 2 || damaged != 1 || len(r.Undone) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestFullParts(t *testing.T) {
	w := newWorld(t, "")
	w.opts.MaxBytes = 1 << 20
	w.seed()
	w.check(os.WriteFile(filepath.Join(w.dir, "large"), bytes.Repeat([]byte("0123456789abcdef"), 256<<10), 0o644))
	w.age()
	w.start()
	w.mark()
	w.check(w.write("large", "task", 0))
	w.check(w.write("large", "task", 64<<10))
	if err := w.truncate("large", 0); !errors.Is(err, ErrFull) {
		t.Errorf("4 MiB into 1 MiB: %v", err)
	}
	w.check(w.write("large", "task", 128<<10))
	r := w.undo()
	if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
		t.Errorf("%+v\n%s", r.Conflicts, d)
	}
}

// Whatever bytes are in a file of parts: nothing is read from outside of them,
// and what is said to be kept can be read.
func FuzzParts(f *testing.F) {
	p := partial.New(100, 16)
	b := p.Head()
	b = partial.AppendFrame(b, partial.Span{Off: 0, End: 16}, []byte("0123456789abcdef"))
	b = partial.AppendFrame(b, partial.Span{Off: 32, End: 64}, nil)
	b = partial.AppendFrame(b, partial.Span{Off: 96, End: 100}, []byte("last"))
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Add(append(bytes.Clone(b), partial.AppendFrame(nil, partial.Span{Off: 0, End: 100}, nil)...))
	f.Add(partial.AppendFrame(partial.New(1<<60, 1).Head(), partial.Span{Off: 0, End: 1 << 60}, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := partial.Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		if p.End > int64(len(b)) {
			t.Fatalf("%d of %d bytes", p.End, len(b))
		}
		o := partial.Overlay{P: p, Img: bytes.NewReader(b)}
		buf := make([]byte, 64)
		for _, s := range p.Covered() {
			if s.Off < 0 || s.End > p.Size || s.Off >= s.End {
				t.Fatalf("%+v of %d", s, p.Size)
			}
			n := min(int64(len(buf)), s.End-s.Off)
			if _, err := o.ReadAt(buf[:n], s.End-n); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
	})
}
