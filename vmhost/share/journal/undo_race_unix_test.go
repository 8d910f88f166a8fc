//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// What a person saves by renaming between undo's last look at a file and the moment when undo
// replaces it is given back, also when they save once more right after that moment.
func TestUndoGivesBackWhatIsSavedInBetween(t *testing.T) {
	for name, saves := range map[string]map[string]string{
		"once":  {"undo-replacing": "saved"},
		"twice": {"undo-replacing": "saved", "undo-moved": "saved once more"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b")
			last := ""
			w.hook = func(step string) {
				if data := saves[step]; data != "" {
					last = data
					w.by("new", data)
					w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, "a")))
				}
			}
			w.start()
			w.check(w.write("a", "task", -1))
			w.check(w.write("b", "task", -1))
			r := w.undo(w.id("a"))
			if got := r.reasons(); len(got) != 1 || got["a"] != ReasonChanged {
				t.Errorf("%+v", r)
			}
			w.has("a", last)
			w.has("b", "task")
			w.noLeftovers()
		})
	}
}
