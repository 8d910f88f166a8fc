package journal

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/ledger"
)

// A folder that is not there keeps its changes in the list, and they can be
// undone when it is back; another folder in its place is left alone.
func TestFolderAway(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b")
	w.start()
	w.mark()
	w.check(w.write("a", "task", -1))
	w.check(w.remove("b"))
	want := w.changes()
	w.stop()
	away := w.dir + ".away"
	w.check(os.Rename(w.dir, away))
	for _, other := range []bool{false, true} {
		if other {
			w.check(os.Mkdir(w.dir, 0o755))
			w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte("task"), 0o644))
		}
		j, err := Open(w.jdir, Options{})
		w.check(err)
		w.j = j
		if other { // not even for a task that goes on
			root, err := at.OpenRoot(w.dir)
			w.check(err)
			if _, err := j.Folder("f1", root); !errors.Is(err, at.ErrMoved) {
				t.Errorf("another folder is used: %v", err)
			}
			root.Close()
		}
		if got := w.changes(); !reflect.DeepEqual(got, want) {
			t.Errorf("list without the folder: %q", got)
		}
		r := w.undo()
		if len(r.Undone) != 0 || len(r.Conflicts) != 2 || r.Conflicts[0].Reason != ReasonGone {
			t.Errorf("undo without the folder: %+v", r)
		}
		w.check(j.Close())
		w.j = nil
	}
	w.check(os.RemoveAll(w.dir))
	w.check(os.Rename(away, w.dir))
	w.restart()
	w.undo()
	if d := diff(w.before, w.tree()); d != "" {
		t.Errorf("after undo:\n%s", d)
	}
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
