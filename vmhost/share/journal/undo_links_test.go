package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A name that the task removed comes back without a write into the file that other names of
// the person's share, when the person changed that file since: as a file of its own, or, when
// the journal has no copy, not at all.
func TestUndoLeavesOtherLinksAlone(t *testing.T) {
	for _, c := range []struct {
		name    string
		where   string
		outside bool // the other name
		task    func(w *world)
		edit    bool
		want    string // a, afterwards
		reason  Reason
		linked  bool
	}{
		{"removed, copied", "other", false, func(*world) {}, true, "content of a", "", false},
		{"removed, copied, not edited", "other", false, func(*world) {}, false, "content of a", "", true},
		{"written and removed, copied", "other", false, func(w *world) { w.check(w.write("a", "task", -1)) }, true, "content of a", "", false},
		{"written and removed, copied, not edited", "other", false, func(w *world) { w.check(w.write("a", "task", -1)) }, false, "content of a", "", true},
		{"written and removed", "same", false, func(w *world) { w.check(w.write("a", "task", -1)) }, true, "content of a", "", false},
		{"written and removed, not edited", "same", false, func(w *world) { w.check(w.write("a", "task", -1)) }, false, "content of a", "", true},
		{"written and removed, the other outside", "same", true, func(w *world) { w.check(w.write("a", "task", -1)) }, true, "content of a", "", false},
		{"mode set and removed, the other outside", "same", true, func(w *world) { w.check(w.chmod("a", 0o600)) }, true, "-", ReasonChanged, false},
		{"removed, the other outside", "same", true, func(*world) {}, true, "-", ReasonChanged, false},
		{"removed, the other outside, not edited", "same", true, func(*world) {}, false, "content of a", "", true},
	} {
		t.Run(c.where+"/"+c.name, func(t *testing.T) {
			jdir := ""
			if c.where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			w.seed("a")
			was, err := os.Stat(filepath.Join(w.dir, "a"))
			w.check(err)
			b := "b"
			if c.outside {
				b = "../b"
			}
			w.check(os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, b)))
			w.start()
			c.task(w)
			w.check(w.remove("a"))
			time.Sleep(20 * time.Millisecond)
			edited := time.Now()
			if c.edit {
				w.by(b, "the person's")
			}
			if got := w.content(w.id("a"), Before); got != "content of a" && (c.reason == "" || got != "changed") {
				t.Errorf("before: %q", got)
			}
			r := w.undo()
			changes := 1
			if strings.HasPrefix(c.name, "written") && !c.outside {
				changes = 2 // what the task wrote is listed at the other name
			}
			if got := r.reasons(); got["a"] != c.reason || len(r.Conflicts)+len(r.Undone) != changes || changes == 2 && c.edit != (got["b"] == ReasonChanged) {
				t.Errorf("%q: %+v", got, r)
			}
			w.has("a", c.want)
			if c.edit {
				w.has(b, "the person's")
				if info, err := os.Stat(filepath.Join(w.dir, b)); err != nil || info.ModTime().Before(edited.Add(-time.Second)) || info.Mode() != was.Mode()&^0o066 && info.Mode() != was.Mode() {
					t.Errorf("%v %v", info, err)
				}
			}
			if c.reason == "" {
				one, err := os.Stat(filepath.Join(w.dir, "a"))
				w.check(err)
				two, err := os.Stat(filepath.Join(w.dir, b))
				w.check(err)
				if os.SameFile(one, two) != c.linked || !one.ModTime().Equal(was.ModTime()) {
					t.Errorf("linked: %v, want %v; %v, was %v", !c.linked, c.linked, one.ModTime(), was.ModTime())
				}
			}
			w.noLeftovers()
			redo, err := w.j.Redo(t.Context(), nil)
			w.check(err)
			if len(redo.Conflicts) > 0 {
				t.Errorf("%+v", redo)
			}
			w.has("a", "-")
			if c.edit {
				w.has(b, "the person's")
			}
			if r := w.undo(); r.reasons()["a"] != c.reason {
				t.Errorf("the second time: %+v", r)
			}
			w.has("a", c.want)
		})
	}
}

// Asked to restore it nevertheless, undo gives the file its name again as it is now.
func TestUndoRelinksWhatWasEditedElsewhere(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.check(os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "../b")))
	w.start()
	w.check(w.remove("a"))
	time.Sleep(20 * time.Millisecond)
	w.by("../b", "the person's")
	id := w.id("a")
	edited, err := os.Stat(filepath.Join(w.dir, "../b"))
	w.check(err)
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
	w.check(err)
	if len(r.Conflicts) > 0 || len(r.Undone) != 1 {
		t.Errorf("%+v", r)
	}
	w.has("a", "the person's")
	if info, err := os.Stat(filepath.Join(w.dir, "a")); err != nil || !os.SameFile(info, edited) || !info.ModTime().Equal(edited.ModTime()) {
		t.Errorf("%v %v", info, err)
	}
	if r, err := w.j.Redo(t.Context(), nil); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("%+v %v", r, err)
	}
	w.has("a", "-")
	w.has("../b", "the person's")
}

// An undo that cannot remove what has the place of a file leaves that file alone. What a person writes
// into it through another name after that is theirs.
func TestFailedUndoForgetsItsRewriting(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.check(os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "../b")))
	arm := w.while("undo-all-kept", func() { w.by("a", "saved meanwhile") })
	w.check(w.write("a", "task", -1))
	w.check(w.save("a", "saved by the task"))
	w.changes()
	arm()
	if r := w.undo(); r.reasons()["a"] != ReasonChanged {
		t.Fatalf("%+v", r)
	}
	w.has("../b", "task")
	time.Sleep(20 * time.Millisecond)
	w.by("../b", "the person's")
	w.restart()
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{w.id("a"): Restore}})
	w.check(err)
	if len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("../b", "the person's")
	w.has("a", "content of a")
	if names, err := os.ReadDir(filepath.Join(w.jdir, "refs")); err != nil || len(names) > 0 {
		t.Errorf("the journal holds on to the person's file: %v %v", names, err)
	}
}

// Undo reads the folder once for the other names of all that the task deleted, and finds them
// in directories that it moves itself.
func TestUndoFindsOtherNamesAtOnce(t *testing.T) {
	const many = 20
	for _, moved := range []string{"", "Z", "z"} { // put back before the files, or after them
		t.Run(moved, func(t *testing.T) {
			w := newWorld(t, filepath.Join(otherFS(t), "j"))
			w.seed("b/in/")
			for i := range many {
				name := fmt.Sprint("a/", i)
				w.seed(name, fmt.Sprint("b/in/", i, " = ", name))
				w.check(os.Link(filepath.Join(w.dir, name), filepath.Join(w.dir, fmt.Sprint("../", i))))
			}
			w.seed("a/outside")
			w.check(os.Link(filepath.Join(w.dir, "a/outside"), filepath.Join(w.dir, "../outside")))
			w.start()
			w.mark()
			for i := range many {
				w.check(w.remove(fmt.Sprint("a/", i)))
			}
			w.check(w.remove("a/outside"))
			if moved != "" {
				w.check(w.rename("b", moved))
			}
			r := w.undo()
			if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("%+v\n%s", r.Conflicts, d)
			}
			if w.j.walks != 1 {
				t.Errorf("the folder was read %d times", w.j.walks)
			}
		})
	}
}
