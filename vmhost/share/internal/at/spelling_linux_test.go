package at

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/online/onlinetest"
)

// Two files of the same letters are two, also while the list has only one of them: neither takes
// the other's place unseen.
func TestRespellsWhereTheListLags(t *testing.T) {
	cloud := onlinetest.Mount(t, map[string]string{"A.txt": "one", "a.txt": "the other"})
	cloud.Late("a.txt")
	root, err := OpenRoot(cloud.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	if names, err := d.Names(-1); err != nil || len(names) != 1 {
		t.Fatalf("%q %v", names, err)
	}
	if d.Respells("A.txt", d, "a.txt") {
		t.Error("they are taken for one")
	}
	if err := d.RenameNoReplace("A.txt", d, "a.txt"); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(cloud.Dir, "a.txt")); string(b) != "the other" {
		t.Errorf("%q %v", b, err)
	}
}

func TestAlike(t *testing.T) {
	now := time.Now()
	x := Info{ID: ID{Dev: 1, Ino: 2}, Kind: File, Size: 3, MTime: now}
	for name, c := range map[string]struct {
		change         func(y *Info)
		numbers, alike bool // where a number is that of a file; where each spelling has one
	}{
		"the same":       {func(*Info) {}, true, true},
		"another number": {func(y *Info) { y.Ino = 7 }, false, true},
		"another size":   {func(y *Info) { y.Size = 7 }, false, false},
		"another time":   {func(y *Info) { y.MTime = now.Add(1) }, false, false},
		"another kind":   {func(y *Info) { y.Kind = Directory }, false, false},
	} {
		y := x
		c.change(&y)
		if got := alike(x, y, false); got != c.numbers {
			t.Errorf("%s: %v", name, got)
		}
		if got := alike(x, y, true); got != c.alike {
			t.Errorf("%s, any number: %v", name, got)
		}
	}
}
