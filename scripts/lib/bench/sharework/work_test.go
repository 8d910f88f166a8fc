package sharework

import (
	"os"
	"path/filepath"
	"testing"
)

// Every work does what it says in an ordinary directory, and leaves what the
// next one needs.
func TestWorks(t *testing.T) {
	dir := t.TempDir()
	const n, size = 250, 3<<20 + 5
	for _, name := range []string{"seq-write", "seq-read", "rand4k", "rand4k-ro", "create", "stat", "walk", "overwrite", "stat", "mixed", "remove"} {
		took, err := Works[name](Order{Dir: dir, N: n, Size: size})
		if err != nil || took <= 0 {
			t.Fatalf("%s: %v %v", name, took, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, small, "dir*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		want := n
		if name == "mixed" { // of 250 files 63 have one beside them, 62 are gone
			want++
		}
		if name == "remove" || name == "seq-write" || name == "seq-read" || name == "rand4k" || name == "rand4k-ro" {
			want = 0
		}
		if len(files) != want {
			t.Errorf("after %s there are %d files", name, len(files))
		}
	}
	if info, err := os.Stat(filepath.Join(dir, large)); err != nil || info.Size() != size {
		t.Errorf("%v %v", info, err)
	}
	for _, name := range []string{"seq-read", "walk"} {
		if _, err := Works[name](Order{Dir: dir, N: n, Size: size + 1}); err == nil {
			t.Errorf("%s finds what is not there", name)
		}
	}
}
