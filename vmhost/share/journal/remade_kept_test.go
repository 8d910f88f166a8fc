//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// A person's file that undo leaves alone, in a directory that the task made in one that it made anew,
// stays in the folder.
func TestNothingOfAPersonLeavesWithADirectory(t *testing.T) {
	w := newWorld(t, "")
	w.seed("src/sub/f")
	w.start()
	w.check(w.rmrf("src"))
	w.check(w.mkdir("src"))
	w.check(w.mkdir("src/sub"))
	w.check(w.create("src/sub/out", "task"))
	w.by("src/sub/mine", "of the person") // the task never sees it
	for range 2 {
		w.undo()
		w.has("src/sub/mine", "of the person")
	}
	w.has("src/sub/f", "content of src/sub/f")
	w.noLeftovers()
}

// A log that was rewritten takes no directory for joined with another one that was not.
func TestRewrittenLogJoinsNothing(t *testing.T) {
	t.Run("moved away", func(t *testing.T) {
		w := newWorld(t, "")
		w.seed("src/a")
		w.start()
		w.check(w.rmrf("src"))
		w.check(os.Mkdir(filepath.Join(w.dir, "src"), 0o755))
		w.by("src/new", "of the person")
		w.check(w.write("src/new", "task", -1))
		w.check(w.rename("src", "other"))
		w.check(w.rewritten())
		w.restart()
		w.undo()
		w.has("src/new", "of the person")
		w.has("other", "-")
	})
	t.Run("moved before", func(t *testing.T) {
		w := newWorld(t, "")
		w.seed("src/a")
		w.start()
		w.check(w.rename("src", "src.bak"))
		w.check(w.mkdir("src"))
		w.by("src/x", "of the person")
		w.check(w.rmrf("src"))
		w.check(w.rewritten())
		w.restart()
		w.undo()
		w.has("src/x", "of the person")
	})
}
