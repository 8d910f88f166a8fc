package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// After a crash a journal may be looked at several times before what the crash left open is decided:
// a list is given up, or the folder is away. What a person did after the crash stays theirs.
func TestEditsAfterACrashStayAPersons(t *testing.T) {
	giveUp := func(w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := w.j.Changes(ctx)
		if err == nil {
			w.t.Error("the list was not given up")
		}
	}
	away := func(w *world, do func()) {
		w.check(os.Rename(w.dir, w.dir+".away"))
		do()
		w.check(os.Rename(w.dir+".away", w.dir))
	}
	reopen := func(w *world) {
		w.check(w.j.Close())
		var err error
		w.j, err = Open(w.jdir, Options{})
		w.check(err)
	}
	killed := func(w *world) {
		dir := filepath.Join(w.t.TempDir(), "killed")
		w.check(os.CopyFS(dir, os.DirFS(w.jdir)))
		w.check(w.j.Close())
		w.jdir = dir
		var err error
		w.j, err = Open(w.jdir, Options{})
		w.check(err)
	}
	for name, look := range map[string]func(w *world){
		"at once":              func(*world) {},
		"closed":               func(w *world) { time.Sleep(10 * time.Millisecond); reopen(w) },
		"list given up":        func(w *world) { giveUp(w); reopen(w) },
		"list given up, twice": func(w *world) { giveUp(w); reopen(w); giveUp(w); reopen(w) },
		"killed in a list":     func(w *world) { giveUp(w); killed(w) },
		"folder away":          func(w *world) { away(w, func() { w.changes(); reopen(w) }) },
		"undo, folder away": func(w *world) {
			away(w, func() {
				_, err := w.j.Undo(w.t.Context(), nil, UndoOptions{})
				w.check(err)
				reopen(w)
			})
		},
		"compacted": func(w *world) {
			giveUp(w)
			w.j.rec.Mu.Lock()
			w.check(w.j.rec.Rewrite())
			w.j.rec.Mu.Unlock()
			reopen(w)
		},
		"compacted and killed": func(w *world) {
			giveUp(w)
			w.j.rec.Mu.Lock()
			w.check(w.j.rec.Rewrite())
			w.j.rec.Mu.Unlock()
			killed(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			seed := []string{"a", "gone", "kept"}
			for i := range 12 {
				seed = append(seed, fmt.Sprint("d/", i))
			}
			w.seed(seed...)
			w.start()
			for i := range 5 { // the others are kept ahead
				w.check(w.write(fmt.Sprint("d/", i), "task", -1))
			}
			w.check(w.remove("gone"))
			w.check(w.write("kept", "task", -1))
			h := w.openFile("a")
			w.put(h, "task", 0)
			h2, _, err := w.f.Create("made", 0o644)
			w.check(err)
			defer h2.Close()
			w.put(h2, "task", 0)
			w.check(w.j.rec.Sync(w.j.rec.File.Position()))
			died := filepath.Join(t.TempDir(), "died")
			w.check(os.CopyFS(died, os.DirFS(w.jdir)))
			for _, n := range []string{"a", "gone", "d/9", "made"} {
				w.by(n, "mine")
			}
			w.check(h.Close())
			w.check(h2.Close())
			w.f.Close()
			w.root.Close()
			w.check(w.j.Close())
			w.jdir = died
			w.j, err = Open(died, Options{})
			w.check(err)
			defer func() { w.check(w.j.Close()); w.j = nil }()
			look(w)
			if list := w.changes(); slices.Contains(list, "change d/9") {
				t.Errorf("%q", list)
			}
			r := w.undo()
			got := r.reasons()
			if got["a"] != ReasonChanged || got["gone"] != ReasonInTheWay || got["made"] != ReasonChanged || len(got) != 3 {
				t.Errorf("%+v", r.Conflicts)
			}
			for _, n := range []string{"a", "gone", "d/9", "made"} {
				w.has(n, "mine")
			}
			w.has("kept", "content of kept")
			w.has("d/1", "content of d/1")
		})
	}
}
