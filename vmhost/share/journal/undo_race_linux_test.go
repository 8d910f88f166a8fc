package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// exchanging is a world on a disk that can exchange names, whatever TMPDIR is. do is called at each
// step of its journal.
func exchanging(t *testing.T, do func(w *world, step string)) *world {
	t.Helper()
	base := otherFS(t)
	w := newWorld(t, filepath.Join(base, "journal"))
	w.dir = filepath.Join(base, "folder")
	w.check(os.Mkdir(w.dir, 0o755))
	w.seed("a", "b")
	w.hook = func(step string) { do(w, step) }
	w.start()
	w.check(w.write("a", "task", -1))
	w.check(w.write("b", "task", -1))
	return w
}

// saves writes a file as editors do: by a rename.
func (w *world) saves(rel, data string) {
	w.t.Helper()
	w.by("new", data)
	w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, rel)))
}

// What a person saves by renaming between undo's last look at a file and the moment when undo
// replaces it is given back, also when they save once more or delete it right after that moment.
func TestUndoGivesBackWhatIsSavedInBetween(t *testing.T) {
	const saved = "saved"
	for name, c := range map[string]struct {
		after func(w *world)
		want  string
	}{
		"once":    {func(*world) {}, saved},
		"twice":   {func(w *world) { w.saves("a", "saved once more") }, "saved once more"},
		"deleted": {func(w *world) { w.check(os.Remove(filepath.Join(w.dir, "a"))) }, saved},
	} {
		t.Run(name, func(t *testing.T) {
			w := exchanging(t, func(w *world, step string) {
				switch step {
				case "undo-replacing":
					w.saves("a", saved)
				case "undo-exchanged":
					c.after(w)
				}
			})
			r := w.undo(w.id("a"))
			if got := r.reasons(); len(got) != 1 || got["a"] != ReasonChanged {
				t.Errorf("%+v", r)
			}
			w.has("a", c.want)
			w.has("b", "task")
			w.noLeftovers()
		})
	}
}

// A server of FUSE that does not know exchanging may rename, and say that it exchanged.
func TestExchangeThatRenamed(t *testing.T) {
	w := exchanging(t, func(w *world, step string) {
		if step == "undo-exchanged" {
			list, err := filepath.Glob(filepath.Join(w.dir, ".piwork-undo-*"))
			w.check(err)
			for _, name := range list {
				w.check(os.Remove(name))
			}
		}
	})
	if r := w.undo(w.id("a")); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("a", "content of a")
	w.noLeftovers()
}
