package at

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost/share/online/onlinetest"
)

// long is a directory of many long names, and a file of a short one.
func long(t *testing.T, many int) *Dir {
	t.Helper()
	base := t.TempDir()
	for i := range many {
		if err := os.Symlink("x", filepath.Join(base, fmt.Sprintf("%d%s", i, strings.Repeat("n", 240)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "x~1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Where no file has a short name besides its own, nothing is listed for it.
func TestOwnNameListsNothing(t *testing.T) {
	d := long(t, 1000)
	if !listsAll(d.fd()) {
		t.Skip("files may have short names here")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	own := d.OwnName("x~1")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; own != "x~1" || n > 100_000 {
		t.Errorf("%q took %d bytes", own, n)
	}
}

// Whatever has whole directories looked through, however often at once, holds few of their names.
func TestLookingHoldsFewNames(t *testing.T) {
	d := long(t, 8000) // 2 MB of names
	if err := os.Link(filepath.Join(d.f.Name(), "x~1"), filepath.Join(d.f.Name(), "X~1")); err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func() bool{
		"a short name":     func() bool { return ownNameOf(d, "x~1") == "x~1" },
		"another spelling": func() bool { return !d.Respells("x~1", d, "X~1") },
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			var wg sync.WaitGroup
			for range 32 {
				wg.Go(func() {
					if !look() {
						t.Error("another answer")
					}
				})
			}
			over := make(chan struct{})
			go func() { wg.Wait(); close(over) }()
			for peak, done := uint64(0), false; !done; {
				select {
				case <-over:
					done = true
				case <-time.After(time.Millisecond):
				}
				runtime.ReadMemStats(&now)
				if peak = max(peak, now.HeapAlloc); peak > before.HeapAlloc+20<<20 {
					t.Errorf("it holds %d MiB", (peak-before.HeapAlloc)>>20)
					<-over
					return
				}
			}
		})
	}
}

// A short name that no list has is that of the file which it leads to, wherever in the list that is.
func TestOwnNameOfShortName(t *testing.T) {
	files := map[string]string{"long name.txt": "x"}
	for i := range namesAtOnce {
		files[fmt.Sprint(i)] = ""
	}
	mounted := onlinetest.Mount(t, files)
	if err := os.Link(filepath.Join(mounted.Dir, "long name.txt"), filepath.Join(mounted.Dir, "LONGNA~1.TXT")); err != nil {
		t.Fatal(err)
	}
	mounted.Late("LONGNA~1.TXT") // as on a disk of Windows
	root, err := OpenRoot(mounted.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"LONGNA~1.TXT": "long name.txt", "long name.txt": "long name.txt", "OTHER~1.TXT": "OTHER~1.TXT"} {
		if own := d.OwnName(name); own != want {
			t.Errorf("%q is %q, want %q", name, own, want)
		}
	}
}

// A part of a list has so many names at most, and together they are all of it.
func TestEachName(t *testing.T) {
	d := long(t, 2*namesAtOnce)
	all := 0
	err := d.eachName(func(part []string) bool {
		if all += len(part); len(part) > namesAtOnce {
			t.Errorf("%d at once", len(part))
		}
		return true
	})
	if err != nil || all != 2*namesAtOnce+1 {
		t.Errorf("%d names, %v", all, err)
	}
}
