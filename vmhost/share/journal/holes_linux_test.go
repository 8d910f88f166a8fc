package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/recorder"
)

// fewRead fails when do reads holes, or anything else of that size.
func (w *world) fewRead(what string, do func()) {
	w.t.Helper()
	before := readSoFar(w.t)
	if do(); readSoFar(w.t)-before > 256<<20 {
		w.t.Errorf("%s read %d MiB", what, (readSoFar(w.t)-before)>>20)
	}
}

// readSoFar is how many bytes this process has read from files (proc(5)).
func readSoFar(t testing.TB) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	var n int64
	if _, serr := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil || serr != nil {
		t.Skip("how much was read nobody says here:", err, serr)
	}
	return n
}

// A guest makes holes of any length for nothing. Undo and redo do not read them where the journal lies
// on another disk, and has to copy.
func TestUndoDoesNotReadHoles(t *testing.T) {
	w := newWorld(t, otherFS(t))
	w.seed("a")
	w.start()
	w.check(w.remove("a"))
	w.check(w.create("hole", "begins"))
	w.check(w.truncate("hole", 2<<30))
	w.fewRead("undo", func() {
		if r := w.undo(); len(r.Undone) != 2 || len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
	})
	if _, err := os.Stat(filepath.Join(w.dir, "a")); err != nil {
		t.Error(err)
	}
	w.fewRead("redo", func() {
		if r, err := w.j.Redo(t.Context(), nil); err != nil || len(r.Conflicts) > 0 {
			t.Errorf("%+v %v", r, err)
		}
	})
	info, err := w.root.Lstat("hole")
	if data, rerr := head(filepath.Join(w.dir, "hole")); err != nil || rerr != nil || info.Size != 2<<30 || info.Blocks > 200 || /* a part and what belongs to it */ data != "begins" {
		t.Errorf("%+v %q %v %v", info, data, err, rerr)
	}
}

// A hole behind the end of what a person had, in a file that is kept in parts, is a hole again after redo.
func TestRedoOfHoleInParts(t *testing.T) {
	w := newWorld(t, "")
	w.seed("large")
	w.check(os.WriteFile(filepath.Join(w.dir, "large"), bytes.Repeat([]byte("person"), 1<<19), 0o644))
	w.age()
	w.start()
	w.check(w.write("large", string(make([]byte, 1<<20)), 1<<20)) // zeros inside it are written again
	w.check(w.truncate("large", 1<<27))
	w.check(w.write("large", "task", 1<<26))
	sum := func() string {
		top, err := w.root.Dir(".")
		w.check(err)
		defer top.Close()
		sum, _, err := recorder.SumAt(t.Context(), top, "large")
		w.check(err)
		return sum
	}
	want := sum()
	if r := w.undo(); len(r.Undone) != 1 {
		t.Fatalf("%+v", r)
	}
	if _, err := w.j.Redo(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if info, err := w.root.Lstat("large"); err != nil || info.Size != 1<<27 || info.Blocks > 30<<11 || sum() != want {
		t.Errorf("%+v %v, the same content: %v", info, err, sum() == want)
	}
}

func head(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := make([]byte, 6)
	_, err = f.ReadAt(b, 0)
	return string(b), err
}

// What is mostly holes is not hashed, however short: there may be a million of them. That of a person
// is not either, which a task before this one may have made.
func TestListDoesNotReadHoles(t *testing.T) {
	w := newWorld(t, "")
	w.seed("gone", "saved")
	w.check(os.Truncate(filepath.Join(w.dir, "gone"), 2<<30))
	w.check(os.Truncate(filepath.Join(w.dir, "saved"), 2<<30))
	w.age()
	w.start()
	for i := range 3 {
		name := fmt.Sprint("hole", i)
		w.check(w.create(name, "x"))
		w.check(w.truncate(name, 1<<30))
	}
	w.check(w.remove("gone"))
	w.check(w.save("saved", "task"))
	w.fewRead("the list", func() {
		if got := w.changes(); len(got) != 5 {
			t.Errorf("%q", got)
		}
	})
	list, err := w.j.Changes(t.Context())
	w.check(err)
	for _, c := range list {
		if c.Path != "saved" && (c.After != nil && c.After.SHA256 != "" || c.Before != nil && c.Before.SHA256 != "") {
			t.Errorf("%s is hashed: %+v %+v", c.Path, c.Before, c.After)
		}
	}
	w.fewRead("undo", func() {
		if r := w.undo(); len(r.Undone) != 5 || len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
	})
}

// Holes are zeros: a file that was hashed is the same with holes and without. Which it is decides only
// whether it is hashed, and not what is compared with a hash that is there.
func TestHolesAreZeros(t *testing.T) {
	const size = 4 << 20
	w := newWorld(t, "")
	w.seed("other")
	w.start()
	for _, name := range []string{"copied", "grown", "touched", "sparse"} {
		w.check(w.create(name, string(make([]byte, size))))
	}
	for _, name := range []string{"touched", "sparse"} {
		w.check(w.truncate(name, 0))
		w.check(w.truncate(name, size))
	}
	list, err := w.j.Changes(t.Context())
	w.check(err)
	for _, c := range list {
		if dense := c.Path == "copied" || c.Path == "grown"; dense != (c.After.SHA256 != "") {
			t.Errorf("%s: hash %q", c.Path, c.After.SHA256)
		}
	}
	mine := func(name string, size int64) {
		p := filepath.Join(w.dir, name)
		w.check(os.WriteFile(p+".new", nil, 0o644))
		w.check(os.Truncate(p+".new", size))
		w.check(os.Rename(p+".new", p))
	}
	mine("copied", size) // the same content, with holes
	mine("grown", 2<<30) // too long to be the same
	now := time.Now().Add(time.Hour)
	w.check(os.Chtimes(filepath.Join(w.dir, "touched"), now, now)) // nobody knows whether it is the same
	w.fewRead("undo", func() {
		r := w.undo()
		var conflicts, undone []string
		for _, c := range r.Conflicts {
			conflicts = append(conflicts, c.Change.Path+" "+string(c.Reason))
		}
		for _, c := range r.Undone {
			undone = append(undone, c.Path)
		}
		slices.Sort(conflicts)
		slices.Sort(undone)
		if !slices.Equal(conflicts, []string{"grown changed-since", "touched changed-since"}) || !slices.Equal(undone, []string{"copied", "sparse"}) {
			t.Errorf("%q %q", conflicts, undone)
		}
	})
	if info, err := w.root.Lstat("grown"); err != nil || info.Kind != at.File {
		t.Errorf("%+v %v", info, err)
	}
}
