package at

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tree makes a folder with links that lead out of it and a secret beside it.
func tree(t *testing.T) (root *Root, dir *Dir, base string) {
	t.Helper()
	base = t.TempDir()
	for _, d := range []string{"in/d/e", "out"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"in/f", "in/d/f", "out/secret"} {
		if err := os.WriteFile(filepath.Join(base, f), []byte(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for n, target := range map[string]string{"up": "..", "out": "../out", "secret": "../out/secret", "abs": filepath.Join(base, "out"), "inside": "d", "file": "f"} {
		if err := os.Symlink(target, filepath.Join(base, "in", n)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := OpenRoot(filepath.Join(base, "in"))
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = root.Dir("."); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(root.Close)
	return root, dir, base
}

// A folder is known again after its disk was plugged in anew, and another one by its path is
// not taken for it.
func TestSame(t *testing.T) {
	const fine, coarse, seconds = 1_700_000_000_123_456_789, 1_700_000_000_120_000_000, 1_700_000_000_000_000_000
	const everywhere = "linux darwin windows"
	for name, c := range map[string]struct {
		was, now ID
		same     string // the systems on which it is
	}{
		"itself":                            {ID{Dev: 1, Ino: 2, Born: fine}, ID{Dev: 1, Ino: 2, Born: fine}, everywhere},
		"mounted again":                     {ID{Dev: 1, Ino: 2, Born: fine}, ID{Dev: 9, Ino: 2, Born: fine}, "linux darwin"},
		"another, of the same moment":       {ID{Dev: 1, Ino: 2, Born: fine}, ID{Dev: 1, Ino: 3, Born: fine}, ""},
		"its number was given again":        {ID{Dev: 1, Ino: 2, Born: fine}, ID{Dev: 1, Ino: 2, Born: fine + 1}, "darwin windows"},
		"FAT, mounted again":                {ID{Dev: 1, Ino: 2, Born: coarse}, ID{Dev: 9, Ino: 3, Born: coarse}, "linux darwin"},
		"FAT, another":                      {ID{Dev: 1, Ino: 2, Born: coarse}, ID{Dev: 1, Ino: 2, Born: coarse + 1e7}, ""},
		"FAT, on another stick":             {ID{Dev: 1, Ino: 2, Born: coarse}, ID{Dev: 9, Ino: 2, Born: coarse + 1e7}, ""},
		"HFS+, with an earlier time":        {ID{Dev: 1, Ino: 2, Born: seconds}, ID{Dev: 1, Ino: 2, Born: seconds - 1e9}, "darwin windows"},
		"no births":                         {ID{Dev: 1, Ino: 2, Born: 0}, ID{Dev: 1, Ino: 2, Born: 0}, everywhere},
		"no births, on another volume":      {ID{Dev: 1, Ino: 2, Born: 0}, ID{Dev: 9, Ino: 2, Born: 0}, "linux darwin"},
		"no births, another":                {ID{Dev: 1, Ino: 2, Born: 0}, ID{Dev: 1, Ino: 3, Born: 0}, ""},
		"the birth was not known then":      {ID{Dev: 1, Ino: 2, Born: 0}, ID{Dev: 1, Ino: 2, Born: fine}, everywhere},
		"a mount point, without its disk":   {ID{Dev: 1, Ino: 2, Born: 0}, ID{Dev: 9, Ino: 3, Born: fine}, ""},
		"a copy of overlayfs, loaded again": {ID{Dev: 1, Ino: 2, Born: fine, Layered: true}, ID{Dev: 1, Ino: 3, Born: fine, Layered: true}, everywhere},
		"overlayfs, its number given again": {ID{Dev: 1, Ino: 2, Born: fine, Layered: true}, ID{Dev: 1, Ino: 2, Born: fine + 1, Layered: true}, "darwin windows"},
	} {
		for system := range strings.FieldsSeq(everywhere) {
			if got := c.was.sameOn(system, c.now); got != strings.Contains(c.same, system) {
				t.Errorf("%s, on %s: %v", name, system, got)
			}
		}
		known := !numbersReturn || c.was.Born != 0 || c.now.Born != 0
		if got := c.was.Other(c.now); got != (known && !c.was.Same(c.now)) {
			t.Errorf("%s: another for sure: %v", name, got)
		}
	}
	if (ID{}).Other(ID{Dev: 1, Ino: 2, Born: fine}) {
		t.Error("something is known of nothing")
	}
}

func TestPathsStayInside(t *testing.T) {
	for _, plain := range []bool{false, true} {
		root, _, _ := tree(t)
		forceStepwise(t, plain) // as on systems without openat2
		for _, p := range []string{"..", "../out", "d/../..", "/", "/etc", "up", "up/out", "out", "out/secret", "abs", "d/../../out", "secret", "",
			"inside", "inside/e"} {
			if d, err := root.Dir(p); err == nil {
				names, _ := d.Names(-1)
				t.Errorf("plain=%v: opened %q: %q", plain, p, names)
				d.Close()
			}
		}
		for _, p := range []string{"../out/secret", "out/secret", "up/out/secret", "abs/secret", "..", "d/..", "inside/f", "inside/e"} {
			if info, err := root.Lstat(p); err == nil {
				t.Errorf("plain=%v: %q is %+v", plain, p, info)
			}
		}
		for _, p := range []string{".", "d", "d/e"} {
			d, err := root.Dir(p)
			if err != nil {
				t.Errorf("plain=%v: %q: %v", plain, p, err)
				continue
			}
			d.Close()
		}
	}
}

// forceStepwise has paths resolved as on systems without openat2.
func forceStepwise(t *testing.T, on bool) {
	before := Stepwise(on)
	t.Cleanup(func() { Stepwise(before) })
}

// Every operation on a name refuses what is not a single one, and acts on a
// link itself.
func TestNamesAndLinks(t *testing.T) {
	_, d, base := tree(t)
	ops := map[string]func(name string) error{
		"lstat":     func(n string) error { _, err := d.Lstat(n); return err },
		"sub":       func(n string) error { s, err := d.Sub(n); closeDir(s); return err },
		"open":      func(n string) error { f, _, err := d.Open(n, os.O_RDWR); closeFile(f); return err },
		"create":    func(n string) error { f, _, err := d.Create(n, 0o644); closeFile(f); return err },
		"mkdir":     func(n string) error { return d.Mkdir(n, 0o755) },
		"remove":    d.Remove,
		"rmdir":     d.RemoveDir,
		"rename":    func(n string) error { return d.Rename(n, d, "x") },
		"renameTo":  func(n string) error { return d.Rename("f", d, n) },
		"noreplace": func(n string) error { return d.RenameNoReplace("f", d, n) },
		"link":      func(n string) error { return d.Link("f", d, n) },
		"linkFrom":  func(n string) error { return d.Link(n, d, "y") },
		"symlink":   func(n string) error { return d.Symlink("t", n) },
		"readlink":  func(n string) error { _, err := d.Readlink(n); return err },
		"chmod":     func(n string) error { return d.Chmod(n, 0o777) },
		"chtimes":   func(n string) error { return d.Chtimes(n, time.Now(), time.Now()) },
	}
	for op, do := range ops {
		for _, n := range []string{"", ".", "..", "d/f", "../out/secret", "/etc/passwd", "a\x00b", strings.Repeat("n", 256)} {
			if err := do(n); !errors.Is(err, ErrName) {
				t.Errorf("%s %q: %v", op, n, err)
			}
		}
	}
	for _, op := range []string{"sub", "open", "create", "mkdir", "chmod"} {
		for _, n := range []string{"out", "secret", "inside", "file", "abs"} {
			if err := ops[op](n); err == nil {
				t.Errorf("%s followed %s", op, n)
			}
		}
	}
	stamp := time.Date(2003, 4, 5, 6, 7, 8, 9, time.UTC)
	if err := d.Chtimes("secret", stamp, stamp); err != nil {
		t.Error(err)
	}
	if info, err := d.Lstat("secret"); err != nil || !info.MTime.Equal(stamp) || info.Kind != Symlink {
		t.Errorf("%+v %v", info, err)
	}
	if err := d.Link("secret", d, "hard"); err != nil {
		t.Error(err)
	}
	if info, _ := d.Lstat("hard"); info.Kind != Symlink {
		t.Errorf("a hard link to a link is a %v", info.Kind)
	}
	if err := d.RenameNoReplace("f", d, "secret"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced: %v", err)
	}
	if err := d.Rename("f", d, "secret"); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(base, "out/secret")); string(b) != "out/secret" {
		t.Errorf("%q %v", b, err)
	}
}

func closeDir(d *Dir) {
	if d != nil {
		d.Close()
	}
}

func closeFile(f *os.File) {
	if f != nil {
		f.Close()
	}
}

// A directory that is held is the same one wherever it goes.
func TestHeldDirectory(t *testing.T) {
	root, _, base := tree(t)
	d, err := root.Dir("d")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.Rename(filepath.Join(base, "in/d"), filepath.Join(base, "in/moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../out", filepath.Join(base, "in/d")); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove("f"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(base, "in/moved/f")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := root.Lstat("d/secret"); err == nil {
		t.Error("went through a link that took a directory's place")
	}
}

// The same inode has the same identity, and a number that is given out again
// has another one.
func TestIdentity(t *testing.T) {
	_, d, _ := tree(t)
	a, err1 := d.Lstat("f")
	f, b, err2 := d.Open("f", os.O_RDONLY)
	if err := errors.Join(err1, err2, d.Link("f", d, "g")); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, _ := Stat(f)
	g, _ := d.Lstat("g")
	if a.ID != b.ID || b.ID != c.ID || c.ID != g.ID || g.NLink != 2 {
		t.Errorf("%+v %+v %+v %+v", a.ID, b.ID, c.ID, g.ID)
	}
	seen := map[ID]bool{}
	for range 50 {
		n, info, err := d.Create("again", 0o644)
		if err != nil {
			t.Fatal(err)
		}
		n.Close()
		if info.Born != 0 && seen[info.ID] {
			t.Fatalf("%+v was there before", info.ID)
		}
		seen[info.ID] = true
		if err := d.Remove("again"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLister(t *testing.T) {
	_, d, base := tree(t)
	var want []string
	for i := range 500 {
		n := strings.Repeat("n", i%200+1) + string(rune('a'+i%26))
		if err := os.WriteFile(filepath.Join(base, "in/d/e", n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadDir(filepath.Join(base, "in/d/e"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		want = append(want, e.Name())
	}
	sub, err := d.Sub("d")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	f, info, err := sub.Open("e", os.O_RDONLY)
	if err != nil || info.Kind != Directory {
		t.Fatal(info, err)
	}
	defer f.Close()
	l := NewLister(f)
	for range 2 { // and from the beginning once more
		var got []string
		for off := int64(0); ; {
			part, err := l.Read(off, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if len(part) == 0 {
				break
			}
			for _, e := range part {
				off = e.Next
				if e.Name != "." && e.Name != ".." {
					got = append(got, e.Name)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d names, want %d", len(got), len(want))
		}
	}
	for _, off := range []int64{-1, 1 << 62, 12345} {
		_, _ = l.Read(off, 100) // the file system decides; it must not harm
	}
}
