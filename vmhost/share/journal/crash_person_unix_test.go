//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// tasksWork is what a task does to the file a before it dies; it returns where its file is then, and
// what it keeps open.
var tasksWork = map[string]func(w *world) (string, store.Handle){
	"written":      func(w *world) (string, store.Handle) { w.check(w.write("a", "task", -1)); return "a", nil },
	"written, big": func(w *world) (string, store.Handle) { w.check(w.write("big", "task", 50)); return "big", nil },
	"made":         func(w *world) (string, store.Handle) { w.check(w.create("n", "task")); return "n", nil },
	"saved":        func(w *world) (string, store.Handle) { w.check(w.save("a", "task")); return "a", nil },
	"made again": func(w *world) (string, store.Handle) {
		w.check(w.remove("a"))
		w.check(w.create("a", "task"))
		return "a", nil
	},
	"moved": func(w *world) (string, store.Handle) { w.check(w.rename("a", "m")); return "m", nil },
	"moved, written": func(w *world) (string, store.Handle) {
		w.check(w.rename("a", "m"))
		w.check(w.write("m", "task", 0))
		return "m", nil
	},
	"mode":      func(w *world) (string, store.Handle) { w.check(w.chmod("a", 0o600)); return "a", nil },
	"time":      func(w *world) (string, store.Handle) { w.check(w.chtimes("a", time.Unix(1e9, 1))); return "a", nil },
	"attribute": func(w *world) (string, store.Handle) { _ = w.setxattr("a", "user.x", "task"); return "a", nil },
	"linked":    func(w *world) (string, store.Handle) { w.check(w.link("a", "l")); return "l", nil },
	"linked, removed": func(w *world) (string, store.Handle) {
		w.check(w.link("a", "l"))
		w.check(w.remove("a"))
		return "l", nil
	},
	"in a moved one": func(w *world) (string, store.Handle) { w.check(w.rename("d", "moved")); return "moved/x", nil },
	"in a made one": func(w *world) (string, store.Handle) {
		w.check(w.mkdir("new"))
		w.check(w.create("new/x", "task"))
		return "new/x", nil
	},
	"open":      func(w *world) (string, store.Handle) { h := w.openFile("a"); w.put(h, "task", 0); return "a", h },
	"open, big": func(w *world) (string, store.Handle) { h := w.openFile("big"); w.put(h, "task", 60); return "big", h },
	"open, time": func(w *world) (string, store.Handle) {
		h := w.openFile("a")
		w.check(h.SetMeta(at.Meta{MTime: time.Unix(1e9, 1)}))
		return "a", h
	},
	"open and made": func(w *world) (string, store.Handle) {
		h, _, err := w.f.Create("n", 0o644)
		w.check(err)
		w.put(h, "task", 0)
		return "n", h
	},
	"open, nothing in": func(w *world) (string, store.Handle) {
		h, _, err := w.f.Create("n", 0o644)
		w.check(err)
		return "n", h
	},
}

const theirs = "theirs, and longer than what was there before"

// personsWork is what a person does to the file at a path meanwhile.
var personsWork = map[string]func(w *world, p string){
	"in place": func(w *world, p string) {
		f, err := os.OpenFile(filepath.Join(w.dir, p), os.O_WRONLY, 0)
		w.check(err)
		_, err = f.WriteString(theirs)
		w.check(err)
		w.check(f.Close())
	},
	"emptied and written": func(w *world, p string) { w.by(p, theirs) },
	"saved": func(w *world, p string) {
		w.by(".new", theirs)
		w.check(os.Rename(filepath.Join(w.dir, ".new"), filepath.Join(w.dir, p)))
	},
	"made anew": func(w *world, p string) {
		w.check(os.Remove(filepath.Join(w.dir, p)))
		w.by(p, theirs)
	},
	"moved": func(w *world, p string) {
		w.by(p, theirs)
		w.check(os.Rename(filepath.Join(w.dir, p), filepath.Join(w.dir, "theirs")))
	},
}

// What a person saves around the death of the program is never taken for the task's: undo leaves it, and
// says so where it would have changed the file. Nothing that was there before is lost, either.
func TestCrashTakesNothingFromAPerson(t *testing.T) {
	stride, n := tier.Pick(4, 8, 1), 0 // of the table, which comes in another order each time
	for _, place := range []string{"same", "other"} {
		for _, when := range []string{"left alone, before", "before", "after"} {
			for task, work := range tasksWork {
				for person, edit := range personsWork {
					if n++; n%stride != 0 {
						continue
					}
					t.Run(strings.Join([]string{place, when, task, person}, "/"), func(t *testing.T) {
						t.Parallel()
						w := newWorld(t, "")
						if place == "other" {
							w.jdir = filepath.Join(otherFS(t), "journal")
						}
						w.exactTimes()
						w.parts = 60
						w.seed("a", "b", "d/x")
						w.by("big", strings.Repeat("0123456789", 20))
						w.age()
						w.start()
						w.mark()
						w.check(w.write("b", "task", -1))
						p, h := work(w)
						switch when {
						case "left alone, before":
							time.Sleep(250 * time.Millisecond)
						case "before":
							pause()
						case "after":
							died := w.died()
							w.stop()
							w.jdir = died
						}
						edit(w, p)
						if when != "after" {
							died := w.died()
							w.stop()
							w.jdir = died
						}
						if h != nil {
							h.Close()
						}
						w.restart()
						r := w.undo()
						at := p
						if person == "moved" {
							at = "theirs"
						}
						var found []string
						for _, name := range []string{at, "a", "d/x"} { // a move is undone where the person did not save anew
							if b, err := os.ReadFile(filepath.Join(w.dir, name)); err == nil && strings.HasPrefix(string(b), theirs) {
								found = append(found, name)
							}
						}
						if len(found) == 0 {
							t.Errorf("what they saved is gone; %+v\n%s", r, w.tree())
						}
						w.has("b", "content of b")
						if len(r.Undone) == 0 {
							t.Errorf("%+v", r)
						}
					})
				}
			}
		}
	}
}

// died returns what the death of the program leaves of the journal; that which is open is not used any
// more but to be closed.
func (w *world) died() string {
	w.t.Helper()
	died := filepath.Join(filepath.Dir(w.jdir), "died")
	w.check(os.CopyFS(died, os.DirFS(w.jdir)))
	w.check(os.RemoveAll(filepath.Join(died, "refs"))) // it has the files themselves
	w.check(os.Rename(filepath.Join(w.jdir, "refs"), filepath.Join(died, "refs")))
	w.check(os.Mkdir(filepath.Join(w.jdir, "refs"), 0o700))
	return died
}

// A file that was left alone before the program died is the task's, open or not: undo brings back what
// was there. One in the middle of being written is not, for nobody can tell; a person who says so gets
// what was there, and redo brings the other back.
func TestCrashWithAnOpenFile(t *testing.T) {
	for name, c := range map[string]struct {
		wait     time.Duration
		conflict bool
	}{"left alone": {250 * time.Millisecond, false}, "being written": {0, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.exactTimes()
			w.seed("a", "untouched", "chmod")
			w.start()
			w.mark()
			h, other := w.openFile("a"), w.openFile("untouched")
			made, _, err := w.f.Create("n", 0o644)
			w.check(err)
			w.put(h, "task", 0)
			w.put(made, "task", 0)
			w.check(w.chmod("chmod", 0o600))
			time.Sleep(c.wait)
			died := w.died()
			h.Close()
			other.Close()
			made.Close()
			w.stop()
			w.jdir = died
			w.restart()
			r := w.undo()
			if !c.conflict {
				if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
					t.Errorf("%+v\n%s", r.Conflicts, d)
				}
				return
			}
			if got := r.reasons(); got["a"] != ReasonChanged || got["n"] != ReasonChanged || len(got) != 2 {
				t.Errorf("%+v", r.Conflicts)
			}
			w.has("a", "taskent of a")
			w.has("n", "task")
			r, err = w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{w.id("a"): Restore, w.id("n"): Restore}})
			w.check(err)
			if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("restored: %+v\n%s", r.Conflicts, d)
			}
			_, err = w.j.Redo(t.Context(), nil)
			w.check(err)
			w.has("a", "taskent of a")
			w.has("n", "task")
		})
	}
}
