package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost/share/internal/realfs"
)

// overlays are the kinds of overlayfs that people have: of a container, of a live system, with more
// or less of what keeps numbers as they are.
var overlays = []string{"overlay", "overlay of two", "overlay of two, numbered", "overlay with an index", "overlay of attributes", "overlay of an overlay", "overlay of a user"}

// In a folder whose files all lie in the lower layer, each change copies what it is about to the
// upper one, and that is another file by then. Nothing of that is a change by somebody else.
func TestOverlay(t *testing.T) {
	cases := []struct {
		name string
		work func(w *world) error
	}{
		{"remove, create, rename", func(w *world) error {
			return errors.Join(w.remove("1"), w.create("new", "x"), w.rename("3", "three"))
		}},
		{"write twice, remove", func(w *world) error {
			return errors.Join(w.write("1", "x", 3), w.write("1", "y", 4), w.remove("2"))
		}},
		{"remove one after the other", func(w *world) error {
			var err error
			for i := range 9 {
				err = errors.Join(err, w.remove(fmt.Sprint(i)))
			}
			return err
		}},
		{"remove everything", func(w *world) error { return w.rmrf("dir") }},
		{"rename, and what is renamed", func(w *world) error {
			return errors.Join(w.rename("1", "one"), w.rename("one", "uno"), w.rename("dir/a", "a"), w.write("a", "x", 0))
		}},
		{"rename over", func(w *world) error { return errors.Join(w.rename("1", "2"), w.rename("dir/a", "dir/b")) }},
		{"link, and write by it", func(w *world) error { return errors.Join(w.link("1", "one"), w.write("one", "x", 0)) }},
		{"chmod, remove", func(w *world) error {
			return errors.Join(w.chmod("1", 0o600), w.chmod("dir", 0o700), w.chmod(".", 0o700), w.remove("1"), w.write("dir/a", "x", 0))
		}},
		{"attributes", func(w *world) error {
			return errors.Join(w.setxattr("1", "user.x", "y"), w.setxattr("dir", "user.x", "y"), w.write("1", "x", 0), w.create("dir/new", "x"))
		}},
		{"times", func(w *world) error { return errors.Join(w.chtimes("1", w.oldtime), w.chtimes("dir", w.oldtime)) }},
		{"write by a handle of before", func(w *world) error {
			f, _, err := w.f.Open("1", true)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("x"), 0)
			return errors.Join(err, w.rename("1", "one"), w.create("1", "another"), w.chmod("one", 0o600), func() error { _, err := f.WriteAt([]byte("y"), 1); return err }(), f.Close())
		}},
		{"unlink what is open, and write it", func(w *world) error {
			f, _, err := w.f.Open("1", true)
			if err != nil {
				return err
			}
			err = w.remove("1")
			_, werr := f.WriteAt([]byte("x"), 0)
			return errors.Join(err, werr, f.Close())
		}},
		{"a symbolic link", func(w *world) error { return errors.Join(w.rename("symlink", "dir/symlink"), w.remove("dir/other")) }},
		{"make anew", func(w *world) error {
			return errors.Join(w.rmrf("dir"), w.mkdir("dir"), w.create("dir/a", "x"), w.remove("1"), w.create("1", "x"))
		}},
		{"save", func(w *world) error { return errors.Join(w.save("1", "x"), w.save("dir/a", "x")) }},
		{"move a directory", func(w *world) error {
			err := w.rename("dir", "directory")
			if err != nil && !errors.Is(err, syscall.EXDEV) { // as to any program: what is in it is to be moved
				return err
			}
			if err != nil {
				return errors.Join(w.mkdir("directory"), w.rename("dir/a", "directory/a"), w.rename("dir/b", "directory/b"), w.rename("dir/other", "directory/other"),
					w.mkdir("directory/under"), w.rmdir("dir/under"), w.rmdir("dir"))
			}
			return w.write("directory/a", "x", 0)
		}},
	}
	for _, kind := range overlays {
		realfs.On(t, kind, func(t *testing.T, d *realfs.Disk) {
			for i := range cases {
				w := onDisk(t, d, fmt.Sprint(i))
				for n := range 20 {
					w.seed(fmt.Sprint(n))
				}
				w.seed("dir/a", "dir/b", "dir/other -> a", "symlink -> 1")
				w.check(os.MkdirAll(filepath.Join(w.dir, "dir/under"), 0o755))
				w.age()
			}
			d.Lower()
			for i, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					if kind == "overlay of an overlay" && c.name == "rename over" {
						t.Skip("an open fault: a moved file is said to be gone where the file system shows two numbers of it, and stays as the task left it")
					}
					w := inFolder(t, d, fmt.Sprint(i))
					backAndForth(w, d, c.work)
				})
			}
		})
	}
}

// Names of one file in the lower layer are files of their own once they are copied, but with an index.
func TestOverlayHardLinks(t *testing.T) {
	cases := []struct {
		name string
		work func(w *world) error
	}{
		{"write by the second", func(w *world) error { return w.write("b", "x", 0) }},
		{"write by both", func(w *world) error { return errors.Join(w.write("a", "x", 0), w.write("b", "y", 1)) }},
		{"remove the first, write by the second", func(w *world) error { return errors.Join(w.remove("a"), w.write("b", "x", 0)) }},
		{"remove both", func(w *world) error { return errors.Join(w.remove("a"), w.remove("b")) }},
		{"remove the first", func(w *world) error { return w.remove("a") }},
		{"rename the first, chmod the second", func(w *world) error { return errors.Join(w.rename("a", "z"), w.chmod("b", 0o600)) }},
		{"rename one over the other", func(w *world) error { return w.rename("a", "b") }},
		{"write and rename one over the other", func(w *world) error { return errors.Join(w.write("a", "x", 0), w.rename("a", "b")) }},
		{"save by the first", func(w *world) error { return w.save("a", "x") }},
	}
	for _, kind := range overlays {
		realfs.On(t, kind, func(t *testing.T, d *realfs.Disk) {
			for i := range cases {
				onDisk(t, d, fmt.Sprint(i)).seed("a", "b = a", "other")
			}
			d.Lower()
			for i, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					w := inFolder(t, d, fmt.Sprint(i))
					backAndForth(w, d, c.work)
				})
			}
		})
	}
}

// onDisk is a folder on a disk with its journal elsewhere.
func onDisk(t *testing.T, d *realfs.Disk, name string) *world {
	w := &world{t: t, dir: filepath.Join(d.Dir, name), jdir: filepath.Join(t.TempDir(), "journal"), oldtime: time.Date(2020, 5, 6, 7, 8, 10, 0, time.UTC)}
	w.check(os.Mkdir(w.dir, 0o755))
	return w
}

// inFolder is onDisk for a folder that is there.
func inFolder(t *testing.T, d *realfs.Disk, name string) *world {
	return &world{t: t, dir: filepath.Join(d.Dir, name), jdir: filepath.Join(t.TempDir(), "journal")}
}

// backAndForth has a task work, and sees that undo, redo and undo do what they say. Whether names
// are of one file is not compared: the kernel parts them.
func backAndForth(w *world, d *realfs.Disk, work func(w *world) error) {
	w.t.Helper()
	tree := func() string {
		var lines []string
		for line := range strings.SplitSeq(sansLinkTimes(w.tree()), "\n") {
			if !strings.HasPrefix(line, "linked: ") {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	before := tree()
	w.start()
	w.check(work(w))
	left := tree()
	for round := range 2 {
		d.Forget()
		r := w.undo()
		if diff := diff(before, tree()); diff != "" || len(r.Conflicts) > 0 {
			w.t.Fatalf("round %d, undo: %+v\n%s", round, r.Conflicts, diff)
		}
		if round == 1 {
			break
		}
		d.Forget()
		redone, err := w.j.Redo(w.t.Context(), nil)
		w.check(err)
		if diff := diff(left, tree()); diff != "" || len(redone.Conflicts) > 0 {
			w.t.Fatalf("redo: %+v\n%s", redone.Conflicts, diff)
		}
	}
	w.stop()
}

// sansLinkTimes leaves out the times of links too: on FUSE they cannot be set.
func sansLinkTimes(tree string) string {
	return timesOfLinks.ReplaceAllString(sansDirTimes(tree), " $1")
}

var timesOfLinks = regexp.MustCompile(` (symlink \d+) \S+`)
