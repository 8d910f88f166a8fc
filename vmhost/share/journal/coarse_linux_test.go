package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// On a disk whose times are counted in large steps, such as a USB stick's, equal times do not
// pass for equal content: nothing that a person did is taken for the task's.
func TestConflictsWhereTimesAreCoarse(t *testing.T) {
	before := at.Coarse(time.Hour)
	t.Cleanup(func() { at.Coarse(before) })
	edit := func(w *world, name, content string) {
		info, err := os.Stat(filepath.Join(w.dir, name))
		w.check(err)
		w.check(os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644))
		w.check(os.Chtimes(filepath.Join(w.dir, name), info.ModTime(), info.ModTime()))
	}
	t.Run("edited after the task", func(t *testing.T) {
		w := newWorld(t, "")
		w.seed("a", "b")
		w.start()
		w.check(w.write("a", "task", -1))
		w.check(w.write("b", "task", -1))
		w.check(w.create("n", "task"))
		w.changes() // hashes what the task left, as its end does
		edit(w, "a", "mine")
		edit(w, "n", "mine")
		r := w.undo()
		if len(r.Conflicts) != 2 || !strings.Contains(w.tree(), `"a" file 0644`) {
			t.Errorf("%+v", r.Conflicts)
		}
		for name, want := range map[string]string{"a": "mine", "n": "mine", "b": "content of b"} {
			if b, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(b) != want {
				t.Errorf("%s: %q %v, want %q", name, b, err, want)
			}
		}
	})
	t.Run("edited after undo", func(t *testing.T) {
		w := newWorld(t, "")
		w.seed("a", "b")
		w.start()
		w.check(w.write("a", "task", -1))
		w.check(w.write("b", "task", -1))
		w.undo()
		edit(w, "a", "CONTENT OF a")
		if _, err := w.j.Redo(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"a": "CONTENT OF a", "b": "task"} {
			if b, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || string(b) != want {
				t.Errorf("%s: %q %v, want %q", name, b, err, want)
			}
		}
	})
	for name, lose := range map[string]func(w *world) error{
		"removed":  func(w *world) error { return w.remove("a") },
		"replaced": func(w *world) error { return w.rename("b", "a") },
	} {
		t.Run("edited while it is kept, and "+name, func(t *testing.T) {
			w, edited := newWorld(t, ""), false
			w.seed("a", "b")
			w.hook = func(step string) {
				if step == "image" && !edited {
					edited = true
					edit(w, "a", "CONTENT OF a")
				}
			}
			w.start()
			w.f.Rec.NoRefs = true // as on a stick
			if err := lose(w); !errors.Is(err, ErrRaced) {
				t.Error(err)
			}
			w.check(lose(w))
			w.undo()
			if b, err := os.ReadFile(filepath.Join(w.dir, "a")); err != nil || string(b) != "CONTENT OF a" {
				t.Errorf("%q %v", b, err)
			}
		})
	}
	t.Run("edited before its turn", func(t *testing.T) {
		w := newWorld(t, "")
		var names []string
		for i := range 300 {
			names = append(names, fmt.Sprint("d/", i))
		}
		w.seed(names...)
		w.start()
		for _, n := range names[:150] {
			w.check(w.remove(n))
		}
		edit(w, names[200], "CONTENT OF d/200")
		for _, n := range names[150:] {
			w.check(w.remove(n))
		}
		w.undo()
		if b, err := os.ReadFile(filepath.Join(w.dir, names[200])); err != nil || string(b) != "CONTENT OF d/200" {
			t.Errorf("%q %v", b, err)
		}
	})
}

// A memory stick gives its files other numbers each time it is plugged in. What a task did
// there can be undone and redone all the same, also what nobody had looked at before.
func TestStickPluggedInAgain(t *testing.T) {
	before := at.Coarse(10 * time.Millisecond)
	t.Cleanup(func() { at.Coarse(before) })
	for _, listed := range []bool{true, false} {
		w := newWorld(t, "")
		w.seed("a", "b", "d/c")
		w.mark()
		w.start()
		if w.j.rec.Tables.Folders["f1"].Root.Ident.Born == 0 {
			t.Skip("this file system does not know when a folder was made")
		}
		w.check(w.write("a", "task", -1))
		w.check(w.remove("b"))
		w.check(w.rename("d/c", "moved"))
		w.check(w.create("n", "task"))
		if listed {
			w.changes()
		}
		w.renumber()
		r := w.undo()
		if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
			t.Errorf("listed %v: undo: %+v\n%s", listed, r.Conflicts, d)
		}
		w.renumber()
		r, err := w.j.Redo(t.Context(), nil)
		w.check(err)
		if len(r.Conflicts) > 0 || len(r.Redone) != 4 {
			t.Errorf("listed %v: redo: %+v", listed, r)
		}
		w.stop()
	}
}

// renumber starts anew with a log that knows everything by other numbers than the disk does.
func (w *world) renumber() {
	w.t.Helper()
	for _, o := range w.j.rec.Tables.Objects {
		id := o.Ident
		id.Ino += 1 << 40
		w.check(w.j.rec.PutNow(ledger.InodeRecord{Object: o.ID, Inode: &id}))
	}
	w.restart()
}

// Numbers that a file system makes up say nothing of a file that is seen twice; births do.
func TestSightingWithoutNumbers(t *testing.T) {
	was := at.Info{ID: at.ID{Dev: 1, Ino: 2}, Kind: at.File, Size: 3}
	for _, c := range []struct {
		was, now at.ID
		holds    bool
	}{
		{at.ID{Dev: 1, Ino: 2}, at.ID{Dev: 1, Ino: 9}, true},                       // FUSE
		{at.ID{Dev: 1, Ino: 2, Born: 1e9}, at.ID{Dev: 1, Ino: 9, Born: 1e9}, true}, // FAT
		{at.ID{Dev: 1, Ino: 2, Born: 1e9}, at.ID{Dev: 1, Ino: 2, Born: 2e9}, false},
		{at.ID{Dev: 1, Ino: 2, Born: 1e9 + 1}, at.ID{Dev: 1, Ino: 9, Born: 1e9 + 1}, false}, // ext4
	} {
		was.ID = c.was
		now := was
		if now.ID = c.now; stillSeen(was, now) != c.holds {
			t.Errorf("%v, %v: %v", c.was, c.now, !c.holds)
		}
		if now.Size++; stillSeen(was, now) {
			t.Errorf("%v, %v: another size", c.was, c.now)
		}
	}
}
