package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
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
