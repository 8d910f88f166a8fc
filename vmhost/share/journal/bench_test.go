package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/internal/at"
)

// Each benchmark does the same with a journal and without one (Unrecorded), on
// files of 4 KiB: the difference is what the journal costs. The journal lies in
// PIWORK_BENCH_JOURNAL, which should be another file system than TMPDIR, where
// the folder lies; without it in /dev/shm. One iteration is one file.
//
//	go test -run - -bench . -benchtime 5000x ./vmhost/share/journal

// benchJournal returns a directory for journals.
func benchJournal(b *testing.B) string {
	base := cmp.Or(os.Getenv("PIWORK_BENCH_JOURNAL"), "/dev/shm")
	dir, err := os.MkdirTemp(base, "piwork-bench-")
	if err != nil {
		dir = b.TempDir()
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "j")
}

// benchWorld makes n files of a person.
func benchWorld(b *testing.B, recorded bool, n int) *world {
	w := newWorld(b, benchJournal(b))
	data := bytes.Repeat([]byte("0123456789abcdef"), 256)
	for i := range n {
		if i%1000 == 0 {
			w.check(os.Mkdir(filepath.Join(w.dir, fmt.Sprint("d", i/1000)), 0o755))
		}
		w.check(os.WriteFile(filepath.Join(w.dir, benchName(i)), data, 0o644))
	}
	w.age()
	if recorded {
		return w.start()
	}
	var err error
	w.root, err = at.OpenRoot(w.dir)
	w.check(err)
	b.Cleanup(w.root.Close)
	w.f = Unrecorded(w.root)
	return w
}

func benchName(i int) string { return fmt.Sprintf("d%d/%d", i/1000, i) }

func benchBoth(b *testing.B, seeds bool, do func(w *world, i int) error) {
	for _, recorded := range []bool{false, true} {
		b.Run(map[bool]string{false: "unrecorded", true: "journal"}[recorded], func(b *testing.B) {
			n := b.N
			if !seeds {
				n = 0
			}
			w := benchWorld(b, recorded, n)
			if !seeds {
				for i := range (b.N + 999) / 1000 {
					w.check(os.Mkdir(filepath.Join(w.dir, fmt.Sprint("d", i)), 0o755))
				}
			}
			b.ResetTimer()
			for i := range b.N {
				if err := do(w, i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var benchData = string(bytes.Repeat([]byte("fedcba9876543210"), 256))

func BenchmarkCreate(b *testing.B) {
	benchBoth(b, false, func(w *world, i int) error { return w.create(benchName(i), benchData) })
}

func BenchmarkOverwrite(b *testing.B) {
	benchBoth(b, true, func(w *world, i int) error { return w.write(benchName(i), benchData, -1) })
}

func BenchmarkRemove(b *testing.B) {
	benchBoth(b, true, func(w *world, i int) error { return w.remove(benchName(i)) })
}

func BenchmarkRename(b *testing.B) {
	benchBoth(b, true, func(w *world, i int) error { return w.rename(benchName(i), benchName(i)+"x") })
}

// BenchmarkLarge overwrites a file of 256 MiB in pieces of 1 MiB.
func BenchmarkLarge(b *testing.B) {
	piece := bytes.Repeat([]byte("fedcba9876543210"), 64<<10)
	for _, recorded := range []bool{false, true} {
		b.Run(map[bool]string{false: "unrecorded", true: "journal"}[recorded], func(b *testing.B) {
			b.SetBytes(256 << 20)
			for range b.N {
				b.StopTimer()
				w := newWorld(b, benchJournal(b))
				w.check(os.WriteFile(filepath.Join(w.dir, "large"), bytes.Repeat(piece, 256), 0o644))
				if w.start(); !recorded {
					w.stop()
					w.root, _ = at.OpenRoot(w.dir)
					w.f = Unrecorded(w.root)
				}
				f, _, err := w.f.Open("large", true)
				w.check(err)
				b.StartTimer()
				for off := int64(0); off < 256<<20; off += 1 << 20 {
					if _, err := f.WriteAt(piece, off); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				w.check(f.Close())
				b.StartTimer()
			}
		})
	}
}

// BenchmarkUndo takes back b.N changed files, with their times and modes: half
// of them overwritten, a quarter deleted, a quarter created.
func BenchmarkUndo(b *testing.B) {
	w := benchWorld(b, true, b.N)
	w.mark()
	for i := range b.N {
		var err error
		switch {
		case i%2 == 0:
			if err = w.write(benchName(i), benchData, -1); err == nil {
				err = w.chmod(benchName(i), 0o600)
			}
		case i%4 == 1:
			err = w.remove(benchName(i))
		default:
			err = w.create(benchName(i)+"new", benchData)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	w.changes()
	b.ResetTimer()
	r := w.undo()
	b.StopTimer()
	if len(r.Conflicts) > 0 || len(r.Undone) != b.N {
		b.Fatalf("%d undone, %+v", len(r.Undone), r.Conflicts)
	}
	if d := diff(w.before, w.tree()); b.N <= 2000 && d != "" {
		b.Fatal(d)
	}
}
