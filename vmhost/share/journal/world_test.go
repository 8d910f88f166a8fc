package journal

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
)

// world is a shared folder with its journal, changed by paths.
type world struct {
	t       testing.TB
	dir     string // the folder
	jdir    string
	opts    Options
	hook    func(string)
	j       *Journal
	root    *at.Root
	f       *Folder
	oldtime time.Time
	before  string
	parts   int64 // files of more bytes are kept in parts of 16; 0: as it comes
}

// otherFS is a directory on another file system than t.TempDir, or "".
func otherFS(t testing.TB) string {
	if runtime.GOOS != "linux" {
		t.Skip("which other file system there is only Linux says: /dev/shm")
	}
	dir, err := os.MkdirTemp("/dev/shm", "piwork-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newWorld(t testing.TB, jdir string) *world {
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "folder"), jdir: jdir,
		oldtime: time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC)}
	if jdir == "" {
		w.jdir = filepath.Join(t.TempDir(), "journal")
	}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

// seed makes the person's files, all of an old time. "dir/" is a directory,
// "a -> b" a symbolic link, "a = b" a hard link.
func (w *world) seed(names ...string) {
	w.t.Helper()
	for _, n := range names {
		if link, target, ok := strings.Cut(n, " -> "); ok {
			w.check(os.Symlink(target, filepath.Join(w.dir, link)))
			continue
		}
		if link, target, ok := strings.Cut(n, " = "); ok {
			w.check(os.Link(filepath.Join(w.dir, target), filepath.Join(w.dir, link)))
			continue
		}
		p := filepath.Join(w.dir, n)
		if strings.HasSuffix(n, "/") {
			w.check(os.MkdirAll(p, 0o755))
			continue
		}
		w.check(os.MkdirAll(filepath.Dir(p), 0o755))
		w.check(os.WriteFile(p, []byte("content of "+n), 0o644))
	}
	w.age()
}

// age gives everything an old time.
func (w *world) age() {
	w.t.Helper()
	var paths []string
	w.check(filepath.WalkDir(w.dir, func(p string, _ fs.DirEntry, err error) error {
		paths = append(paths, p)
		return err
	}))
	root, err := at.OpenRoot(w.dir)
	w.check(err)
	defer root.Close()
	for i := len(paths) - 1; i >= 0; i-- {
		rel, _ := filepath.Rel(w.dir, paths[i])
		stamp := w.oldtime.Add(time.Duration(i) * time.Hour)
		if rel == "." {
			d, _ := root.Dir(".")
			w.check(d.SetTimes(stamp, stamp))
			continue
		}
		d, name, err := root.Split(filepath.ToSlash(rel))
		w.check(err)
		w.check(d.Chtimes(name, stamp, stamp))
		d.Close()
	}
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// start opens the journal and the folder.
func (w *world) start() *world {
	w.t.Helper()
	var err error
	w.j, err = open(w.jdir, w.opts, w.hook)
	w.check(err)
	w.small()
	w.root, err = at.OpenRoot(w.dir)
	w.check(err)
	w.f, err = w.j.Folder("f1", w.root)
	w.check(err)
	w.t.Cleanup(w.stop)
	return w
}

// small makes the journal keep small files in parts.
func (w *world) small() {
	if w.parts > 0 {
		w.j.rec.PartsFrom, w.j.rec.PartSize = w.parts, 16
	}
}

// stop ends the use of the folder and closes the journal.
func (w *world) stop() {
	if w.j == nil {
		return
	}
	w.f.Close()
	w.root.Close()
	w.check(w.j.Close())
	w.j = nil
}

// restart does what a new start of the program does: the journal only.
func (w *world) restart() {
	w.t.Helper()
	w.stop()
	var err error
	w.j, err = open(w.jdir, w.opts, w.hook)
	w.check(err)
	w.root, err = at.OpenRoot(w.dir)
	w.check(err)
	w.f = Unrecorded(w.root)
}

func (w *world) create(rel, data string) error {
	f, _, err := w.f.Create(rel, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(data), 0)
	return err
}

// write puts data at an offset, or replaces everything when off is -1.
func (w *world) write(rel, data string, off int64) error {
	f, _, err := w.f.Open(rel, true)
	if err != nil {
		return err
	}
	defer f.Close()
	if off < 0 {
		if err := f.Truncate(0); err != nil {
			return err
		}
		off = 0
	}
	_, err = f.WriteAt([]byte(data), off)
	return err
}

func (w *world) truncate(rel string, size int64) error {
	f, _, err := w.f.Open(rel, true)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}

func (w *world) mkdir(rel string) error {
	_, err := w.f.Mkdir(rel, 0o755)
	return err
}

func (w *world) symlink(target, rel string) error {
	_, err := w.f.Symlink(target, rel)
	return err
}

func (w *world) remove(rel string) error { return w.f.Remove(rel) }

func (w *world) rmdir(rel string) error { return w.f.RemoveDir(rel) }

func (w *world) chmod(rel string, mode uint32) error {
	_, err := w.f.SetMeta(rel, at.Meta{Mode: &mode})
	return err
}

func (w *world) chtimes(rel string, mtime time.Time) error {
	_, err := w.f.SetMeta(rel, at.Meta{MTime: mtime})
	return err
}

func (w *world) setxattr(rel, name, value string) error {
	return w.f.SetXattr(rel, name, []byte(value), 0)
}

func (w *world) removexattr(rel, name string) error { return w.f.RemoveXattr(rel, name) }

// tmpfile makes a file without a name, writes it, and gives it one.
func (w *world) tmpfile(rel, data string) error {
	f, _, err := w.f.Tmpfile(path.Dir(rel), 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("before it has a name"), 0); err != nil {
		return err
	}
	if _, err := w.f.LinkFile(f, rel); err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(data), 0)
	return err
}

func (w *world) rename(old, rel string) error { return w.f.Rename(old, rel, false) }

func (w *world) link(old, rel string) error {
	_, err := w.f.Link(old, rel)
	return err
}

// save replaces a file as programs do: a new one beside it takes its name.
func (w *world) save(rel, data string) error {
	if err := w.create(rel+".tmp", data); err != nil {
		return err
	}
	return w.rename(rel+".tmp", rel)
}

// rmrf removes a directory with everything in it, one name after the other.
func (w *world) rmrf(rel string) error {
	list, err := os.ReadDir(filepath.Join(w.dir, rel))
	if err != nil {
		return err
	}
	for _, e := range list {
		name := rel + "/" + e.Name()
		if e.IsDir() {
			err = w.rmrf(name)
		} else {
			err = w.remove(name)
		}
		if err != nil {
			return err
		}
	}
	return w.rmdir(rel)
}

func (w *world) rewritten() error { return rewriteForTest(w.j) }

func (w *world) modeOf(rel string) string {
	w.t.Helper()
	info, err := os.Lstat(filepath.Join(w.dir, rel))
	w.check(err)
	return rel + " " + info.Mode().String() + " " + info.ModTime().String()
}

// tree describes everything in the folder: one line for each name.
func (w *world) tree() string {
	w.t.Helper()
	root, err := at.OpenRoot(w.dir)
	w.check(err)
	defer root.Close()
	links := map[at.ID][]string{}
	var lines []string
	err = filepath.WalkDir(w.dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(w.dir, p)
		rel = filepath.ToSlash(rel)
		info, err := root.Lstat(rel)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%q %s %04o %s", rel, info.Kind, info.Mode, info.MTime.Format(time.RFC3339Nano))
		switch info.Kind {
		case at.File:
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q", clip(data))
			links[info.ID] = append(links[info.ID], rel)
		case at.Symlink:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" -> %q", target)
			links[info.ID] = append(links[info.ID], rel)
		}
		line += w.attrsAt(root, rel)
		lines = append(lines, line)
		return nil
	})
	w.check(err)
	for _, names := range links {
		if len(names) > 1 {
			sort.Strings(names)
			lines = append(lines, "linked: "+strings.Join(names, " "))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// attrsAt describes the extended attributes of what is at rel.
func (w *world) attrsAt(root *at.Root, rel string) string {
	name := "."
	var d *at.Dir
	var err error
	if rel == "." {
		d, err = root.Dir(".")
	} else {
		d, name, err = root.Split(rel)
	}
	w.check(err)
	defer d.Close()
	a, err := d.Attrs(name)
	if err != nil {
		return ""
	}
	defer a.Close()
	set, err := a.All()
	if err != nil || len(set) == 0 {
		return ""
	}
	return fmt.Sprintf(" %.80q", set)
}

func clip(b []byte) []byte {
	if len(b) > 100 {
		return append(bytes.Clone(b[:100]), fmt.Sprintf("… %d %x", len(b), hashOf(b))...)
	}
	return b
}

func hashOf(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// changes is the list in short: "effect path" or "move from → path".
func (w *world) changes() []string {
	w.t.Helper()
	list, err := w.j.Changes(context.Background())
	w.check(err)
	var out []string
	for _, c := range list {
		s := string(c.Effect) + " " + c.Path
		if c.Effect == EffectMove {
			s = "move " + c.From + " → " + c.Path
		}
		if c.Kind != "file" {
			s += " (" + c.Kind + ")"
		}
		if c.Undone != nil {
			s += " undone"
		}
		out = append(out, s)
	}
	return out
}

func (w *world) undo(ids ...string) Report {
	w.t.Helper()
	r, err := w.j.Undo(context.Background(), ids, UndoOptions{})
	w.check(err)
	return r
}

// id returns the id of the change at a path.
func (w *world) id(path string) string {
	w.t.Helper()
	list, err := w.j.Changes(context.Background())
	w.check(err)
	for _, c := range list {
		if c.Path == path && c.Undone == nil {
			return c.ID
		}
	}
	w.t.Fatalf("no change at %q", path)
	return ""
}

func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out []string
	for _, l := range a {
		if !contains(b, l) {
			out = append(out, "- "+l)
		}
	}
	for _, l := range b {
		if !contains(a, l) {
			out = append(out, "+ "+l)
		}
	}
	return strings.Join(out, "\n")
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
