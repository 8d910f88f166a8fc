package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"piwork/vmhost/share/internal/store"
)

// The first changes of a file may come together, on one handle or on several: all that they
// overwrite is kept, whichever of them is first.
func TestFirstChangesTogether(t *testing.T) {
	const size, piece, rounds = 256 << 10, 4 << 10, 20
	for name, handles := range map[string]int{"one file": 1, "several": 4} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, otherFS(t))
			w.parts = 64 << 10
			was := bytes.Repeat([]byte("as it was before the task. "), size/27+1)[:size]
			w.check(os.WriteFile(filepath.Join(w.dir, "a"), was, 0o644))
			w.age()
			w.start()
			for range rounds {
				var open []store.Handle
				for range handles {
					open = append(open, w.openFile("a"))
				}
				var all sync.WaitGroup
				for off := int64(0); off < size; off += piece {
					all.Go(func() {
						if _, err := open[off/piece%int64(handles)].WriteAt(bytes.Repeat([]byte("x"), piece), off); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				for _, h := range open {
					w.check(h.Close())
				}
				if r := w.undo(); len(r.Conflicts) > 0 {
					t.Fatalf("%+v", r)
				}
				w.has("a", string(was))
			}
		})
	}
}

// A file that is not hashed is known by its times. They change with its name, which is the task's
// doing too.
func TestSparseFileIsRenamedAfterAList(t *testing.T) {
	for _, do := range []func(w *world) error{
		func(w *world) error { return w.rename("x", "y") },
		func(w *world) error { return w.link("x", "y") },
	} {
		w := newWorld(t, "")
		w.mark()
		w.start()
		w.check(w.create("x", "beginning"))
		w.check(w.truncate("x", 10<<20))
		w.changes()
		w.check(do(w))
		w.changes()
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
		if got := w.tree(); got != w.before {
			t.Errorf("%s\nwas\n%s", got, w.before)
		}
	}
}

// After an undo of what a file that is open did, nothing that this file left tells what is a
// person's.
func TestModeAfterUndoWhileOpen(t *testing.T) {
	openWorlds(t, func(t *testing.T, w *world) {
		before := w.tree()
		h := w.openFile("a")
		w.put(h, "task", 0)
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Fatalf("%+v", r)
		}
		w.check(w.chmod("a", 0o600))
		pause()
		w.put(h, "once more", 0)
		w.check(h.Close())
		if r := w.undo(); len(r.Conflicts) > 0 {
			t.Errorf("%+v", r)
		}
		if got := w.tree(); got != before {
			t.Errorf("%s\nwas\n%s", got, before)
		}
	})
}
