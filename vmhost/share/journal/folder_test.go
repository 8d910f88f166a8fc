package journal

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"piwork/vmhost/share/internal/at"
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
