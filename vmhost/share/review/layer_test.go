//go:build unix

package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
)

func start(t *testing.T, names ...string) (*world, staged) {
	t.Helper()
	w := newWorld(t, t.TempDir())
	w.check(seed(w.dir, names...))
	w.begin()
	t.Cleanup(w.end)
	return w, staged{w.s}
}

func (w *world) person(name, content string) {
	w.t.Helper()
	w.check(os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644))
}

func (w *world) expect(s staged, p, want string) {
	w.t.Helper()
	got, err := s.read(p)
	if got != want || err != nil {
		w.t.Fatalf("%s: %q %v, want %q", p, got, err, want)
	}
}

// Changes that wait are for the folder in front of which they were made, not for another one
// that has its path now.
func TestAnotherFolder(t *testing.T) {
	w, s := start(t, "a")
	w.check(s.create("n", "new"))
	w.check(s.write("a", "TASK", 0))
	w.l.mu.Lock()
	w.check(w.l.compact()) // which must not forget what the folder is
	w.l.mu.Unlock()
	w.end()
	away := w.dir + ".away"
	w.check(errors.Join(os.Rename(w.dir, away), os.Mkdir(w.dir, 0o755), seed(w.dir, "a")))
	w.begin()
	if got := w.changes(); len(got) != 2 || !errors.Is(w.l.Moved(), share.ErrMoved) {
		t.Errorf("another folder: %q, %v", got, w.l.Moved())
	}
	if _, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{}); !errors.Is(err, share.ErrMoved) {
		t.Errorf("applied to another folder: %v", err)
	}
	list, err := w.l.Changes(t.Context())
	w.check(err)
	i := slices.IndexFunc(list, func(c journal.Change) bool { return c.Path == "n" })
	if _, err := w.l.Discard(t.Context(), []string{list[i].ID}, w.journal); err != nil {
		t.Error(err)
	}
	w.end()
	w.check(errors.Join(os.RemoveAll(w.dir), os.Rename(away, w.dir)))
	w.begin()
	if got := w.changes(); len(got) != 1 {
		t.Errorf("%q", got)
	}
	w.apply(nil, ApplyOptions{})
	w.expect(staged{w.s}, "a", "TASKent of a")
	w.end()
	// A layer from before folders were compared opens as it did.
	w.begin()
	w.check(staged{w.l.Store()}.create("m", "new"))
	w.l.mu.Lock()
	w.l.t.folder = at.ID{}
	w.check(w.l.compact())
	w.l.mu.Unlock()
	w.end()
	w.check(errors.Join(os.Rename(w.dir, away), os.Mkdir(w.dir, 0o755)))
	w.begin()
}

// What a person does to files that the task has not changed is seen at once;
// what the task has changed stays as it left it.
func TestPersonWorks(t *testing.T) {
	w, s := start(t, "a", "b", "d/x", "d/y")
	w.check(s.write("a", "TASK", 0))
	w.check(s.rename("d", "e"))
	w.check(s.create("e/n", "new"))
	w.person("a", "person")
	w.person("b", "person")
	w.person("d/x", "person")
	w.person("d/z", "person")
	w.check(os.Remove(filepath.Join(w.dir, "d/y")))
	w.expect(s, "a", "TASKent of a")
	w.expect(s, "b", "person")
	w.expect(s, "e/x", "person")
	w.expect(s, "e/z", "person")
	if names, err := s.list("e"); err != nil || !slices.Equal(names, []string{"n", "x", "z"}) {
		t.Errorf("%q %v", names, err)
	}
	if _, err := s.read("e/y"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	w.check(os.RemoveAll(filepath.Join(w.dir, "d")))
	w.expect(s, "e/n", "new")
	if names, err := s.list("e"); err != nil || !slices.Equal(names, []string{"n"}) {
		t.Errorf("%q %v", names, err)
	}
}

// A reader that opened a file before its first change sees what is written
// later, by its inode number it is the same file, and it goes on without a name.
func TestOpenFiles(t *testing.T) {
	w, _ := start(t, "a")
	r, before, err := w.s.Open("a", false)
	w.check(err)
	x, _, err := w.s.Open("a", true)
	w.check(err)
	read := func(want string) {
		t.Helper()
		b := make([]byte, 100)
		n, err := r.ReadAt(b, 0)
		if string(b[:n]) != want || !errors.Is(err, io.EOF) {
			t.Errorf("%q %v, want %q", b[:n], err, want)
		}
	}
	read("content of a")
	_, err = x.WriteAt([]byte("CON"), 0)
	w.check(err)
	read("CONtent of a")
	after, err := w.s.Lstat("a")
	w.check(err)
	if after.ID != before.ID {
		t.Errorf("%+v became %+v", before.ID, after.ID)
	}
	_, err = w.l.Discard(t.Context(), nil, w.journal)
	w.check(err)
	read("content of a")
	_, err = x.WriteAt([]byte("con"), 0)
	w.check(err)
	w.apply(nil, ApplyOptions{})
	_, err = x.WriteAt([]byte("NOC"), 0)
	w.check(err)
	read("NOCtent of a")
	w.check(w.s.Remove("a"))
	_, err = x.WriteAt([]byte("gone"), 0)
	w.check(err)
	read("goneent of a")
	if info, err := r.Stat(); err != nil || info.NLink > 1 || info.Size != 12 {
		t.Errorf("%+v %v", info, err)
	}
	w.check(x.SetMeta(at.Meta{Mode: new(uint32(0o600))}))
	w.check(errors.Join(r.Close(), x.Close()))
	if u := w.l.Usage(); u.Content != 0 {
		t.Errorf("%+v", u)
	}
	if got := w.original(0); got != `a file 644 "content of a"` {
		t.Error(got)
	}
}

// Of a large original only what changes is copied.
func TestParts(t *testing.T) {
	w := newWorld(t, quick(t))
	w.opts.large = 1 << 20
	data := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	w.check(os.WriteFile(filepath.Join(w.dir, "big"), data, 0o644))
	w.begin()
	defer func() { w.end() }()
	s := staged{w.s}
	same := func(what string) {
		t.Helper()
		if got, err := s.read("big"); err != nil || got != string(data) {
			t.Fatalf("%s: %d bytes of %d, %v", what, len(got), len(data), err)
		}
	}
	put := func(off int, text string) {
		t.Helper()
		w.check(s.write("big", text, int64(off)))
		data = append(data, make([]byte, max(0, off+len(text)-len(data)))...)
		copy(data[off:], text)
	}
	put(100_000, "one byte or two")
	if u := w.l.Usage(); u.Content > 256<<10 {
		t.Errorf("%+v", u)
	}
	same("one place")
	put(granule-3, "over the edge")
	put(len(data)-4, "over the end")
	put(6<<20, "far behind the end")
	same("more places")
	w.check(s.truncate("big", 2<<20+77))
	data = data[:2<<20+77]
	same("shorter")
	put(3<<20, "longer again")
	same("longer")
	w.check(s.file("big", true, func(h share.Handle) error { return h.Allocate(punchHole|1, 70_000, 500_000) }))
	clear(data[70_000:570_000])
	same("a hole")
	w.end()
	w.begin()
	s = staged{w.s}
	same("opened again")
	w.l.mu.Lock()
	w.check(w.l.compact())
	w.l.mu.Unlock()
	w.end()
	w.begin()
	s = staged{w.s}
	same("compacted")
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 || len(r.Applied) != 1 {
		t.Fatalf("%+v", r)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "big")); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("applied: %d bytes of %d, %v", len(got), len(data), err)
	}
	// Changed by a person below what the task changes: it is not whole any more.
	put(5, "task")
	w.person("big", strings.Repeat("person", 1<<20))
	if _, err := s.read("big"); !errors.Is(err, ErrMixed) {
		t.Error(err)
	}
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) != 1 || r.Conflicts[0].Reason != journal.ReasonChanged {
		t.Errorf("%+v", r)
	}
}

func TestLimits(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.check(seed(w.dir, "a"))
	w.opts.MaxBytes, w.opts.MaxRecords = 1<<20, 200
	w.begin()
	defer w.end()
	s := staged{w.s}
	if err := s.create("big", strings.Repeat("x", 2<<20)); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	if err := s.file("big", true, func(h share.Handle) error { return h.Allocate(0, 0, 1<<40) }); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	var err error
	made := 0
	for ; err == nil && made < 300; made++ {
		err = s.mkdir(fmt.Sprint("d", made))
	}
	if !errors.Is(err, ErrFull) || made < 50 {
		t.Errorf("%d, %v", made, err)
	}
	if err := s.write("a", "x", 0); !errors.Is(err, ErrFull) {
		t.Errorf("%v", err)
	}
	w.check(s.remove("big")) // what the task made can always go
	w.check(s.rmdir("d0"))
	w.check(s.rmdir("d1"))
	w.check(s.write("a", "x", 0))
}

// What was there when a listing began and still is comes exactly once, whatever
// happens in between.
func TestListing(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("d/original %03d", i))
	}
	w, s := start(t, names...)
	for i := range 300 {
		w.check(s.create(fmt.Sprintf("d/made %03d", i), ""))
	}
	for i := range 50 {
		w.check(s.remove(fmt.Sprintf("d/original %03d", i)))
		w.check(s.rename(fmt.Sprintf("d/original %03d", 50+i), fmt.Sprintf("d/moved %03d", i)))
	}
	h, _, err := w.s.Open("d", false)
	w.check(err)
	defer h.Close()
	seen := map[string]int{}
	round := 0
	for off := int64(0); ; round++ {
		part, err := h.ReadDir(off, 1500)
		w.check(err)
		if len(part) == 0 {
			break
		}
		for _, e := range part {
			seen[e.Name]++
			off = e.Next
		}
		w.check(s.create(fmt.Sprintf("d/later %03d", round), ""))
		w.check(s.remove(fmt.Sprintf("d/made %03d", 200+round)))
		w.check(s.write(fmt.Sprintf("d/original %03d", 300+round), "x", 0))
	}
	if round > 100 {
		t.Fatalf("%d rounds", round)
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", name, n)
		}
	}
	for i := 100; i < 500; i++ {
		if seen[fmt.Sprintf("original %03d", i)] != 1 {
			t.Errorf("original %d is missing", i)
		}
	}
	for i := range 200 {
		if seen[fmt.Sprintf("made %03d", i)] != 1 || i < 50 && seen[fmt.Sprintf("moved %03d", i)] != 1 || i < 50 && seen[fmt.Sprintf("original %03d", i)] != 0 {
			t.Errorf("%d is missing or too much", i)
		}
	}
}

func TestNothingOutside(t *testing.T) {
	w, s := start(t, "a", "d/b")
	base := filepath.Dir(w.dir)
	w.check(os.WriteFile(filepath.Join(base, "secret"), []byte("secret"), 0o600))
	w.check(os.Symlink("../secret", filepath.Join(w.dir, "out")))
	w.check(os.Symlink("..", filepath.Join(w.dir, "up")))
	w.check(s.symlink("../secret", "staged"))
	w.check(s.symlink("..", "stagedup"))
	for _, p := range []string{"../secret", "..", "out", "up/secret", "staged", "stagedup/secret", "d/../../secret", "/etc/passwd", "d//b", "./a", "a/", ""} {
		if got, err := s.read(p); err == nil {
			t.Errorf("%q: %q", p, got)
		}
		if err := s.create(p+"/x", ""); err == nil && p != "d" {
			t.Errorf("created below %q", p)
		}
		if err := s.rename("a", p); err == nil && !slices.Contains([]string{"out", "staged"}, p) {
			t.Errorf("renamed to %q", p)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(w.dir, "fifo"), 0o600); err == nil {
		if _, _, err := w.s.Open("fifo", false); !errors.Is(err, at.ErrSpecial) {
			t.Error(err)
		}
		if err := s.remove("fifo"); !errors.Is(err, at.ErrSpecial) {
			t.Error(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(base, "secret")); string(got) != "secret" {
		t.Errorf("%q %v", got, err)
	}
}

func TestLockedAndClosed(t *testing.T) {
	w, s := start(t, "a")
	if _, err := Open(w.own, w.dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	w.check(s.write("a", "x", 0))
	w.end()
	if err := s.write("a", "y", 0); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := w.l.Changes(t.Context()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	w.begin()
	w.expect(staged{w.s}, "a", "xontent of a")
}

// Everything at once, for the race detector.
func TestAtOnce(t *testing.T) {
	w, s := start(t, "a", "b", "d/x", "shared")
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			dir := fmt.Sprint("w", n)
			if err := s.mkdir(dir); err != nil {
				t.Error(err)
			}
			for i := range 30 {
				p := fmt.Sprintf("%s/%d", dir, i)
				err := errors.Join(s.create(p, p), s.rename(p, p+"b"), s.write("shared", "x", int64(n*30+i)), s.chmod("a", 0o700+uint32(n)),
					s.chtimes("b", time.Unix(int64(i), 0)))
				if got, rerr := s.read(p + "b"); got != p || rerr != nil || err != nil {
					t.Errorf("%q %v %v", got, rerr, err)
				}
				if i%3 == 0 {
					if err := s.remove(p + "b"); err != nil {
						t.Error(err)
					}
				}
				_, _ = s.list(dir)
			}
		})
	}
	wg.Go(func() {
		for range 10 {
			if _, err := w.l.Changes(t.Context()); err != nil {
				t.Error(err)
			}
			_ = w.l.Usage()
		}
	})
	wg.Go(func() {
		for range 5 {
			if _, err := w.l.Apply(t.Context(), w.j, nil, ApplyOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Go(func() {
		for i := range 20 {
			w.person("d/x", strings.Repeat("p", i))
		}
	})
	wg.Wait()
	view := w.merged(0)
	if r := w.apply(nil, ApplyOptions{}); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r.Conflicts)
	}
	if d := diff(view, w.original(0)); d != "" {
		t.Error(d)
	}
}

// Content that was lost is named and never applied: what a person has is not hidden by
// that, and not replaced by it.
func TestLostObjects(t *testing.T) {
	w, s := start(t, "a")
	w.check(errors.Join(s.write("a", "TASK", 0), s.create("n", "new")))
	w.end()
	objects := filepath.Join(w.own, "objects")
	w.check(errors.Join(os.RemoveAll(objects), os.Mkdir(objects, 0o700)))
	w.begin()
	s = staged{w.s}
	before := w.original(withTimes)
	if got := w.changes(); !slices.Equal(got, []string{"change file a", "create file n"}) {
		t.Errorf("%q", got)
	}
	w.damaged(t, s, "a", "n")
	if d := diff(before, w.original(withTimes)); d != "" {
		t.Error(d)
	}
	w.check(errors.Join(s.truncate("a", 0), s.write("a", "whole", 0))) // a task begins it anew
	if r := w.apply(nil, ApplyOptions{}); len(r.Applied) != 1 || len(r.Conflicts) != 1 {
		t.Errorf("%+v", r)
	}
	if got, err := os.ReadFile(filepath.Join(w.dir, "a")); string(got) != "whole" {
		t.Errorf("%q %v", got, err)
	}
	_, err := w.l.Discard(t.Context(), nil, w.journal)
	w.check(err)
	if left := w.changes(); len(left) > 0 {
		t.Errorf("%q", left)
	}
}

// A directory whose mode and time were changed before it was deleted is the
// original's again, when the deletion is forgotten.
func TestDiscardDeletedDirectory(t *testing.T) {
	for _, all := range []bool{true, false} {
		w := newWorld(t, quick(t))
		w.check(seed(w.dir, "d/f/x"))
		w.begin()
		before := w.merged(withTimes)
		s := staged{w.s}
		w.check(s.chmod("d/f", 0o700))
		w.check(s.chtimes("d/f", time.Unix(1, 0)))
		w.check(rmrf(s, "d/f"))
		var ids []string
		if !all {
			list, err := w.l.Changes(t.Context())
			w.check(err)
			for _, c := range list {
				ids = append(ids, c.ID)
			}
		}
		_, err := w.l.Discard(t.Context(), ids, w.journal)
		w.check(err)
		if left := w.changes(); len(left) > 0 {
			t.Errorf("left in the list: %q", left)
		}
		if d := diff(before, w.merged(withTimes)); d != "" {
			t.Error(d)
		}
		w.end()
	}
}
