package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A task moves one directory into another, a person moves it back, and the task moves the other into
// it. No list and no undo walks in a circle, and both directories come back.
func TestPersonMovesBackBetween(t *testing.T) {
	for _, made := range []string{"a person's", "the task's"} {
		t.Run(made, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("other")
			if made == "a person's" {
				w.seed("a/1", "b/2", "c/3")
			}
			w.start()
			w.mark()
			if made != "a person's" {
				for _, n := range []string{"a", "b", "c"} {
					w.check(errors.Join(w.mkdir(n), w.create(n+"/1", "task")))
				}
			}
			move := func(from, to string) { w.check(os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to))) }
			w.check(errors.Join(w.rename("a", "b/a"), w.rename("b", "c/b")))
			move("c/b/a", "a")
			w.check(w.rename("c", "a/c"))
			w.check(w.create("a/c/b/new", "task"))
			move("a/c", "c")
			w.check(w.rename("a", "c/b/a"))
			ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
			defer end()
			_, err := w.j.Changes(ctx)
			w.check(err)
			r, err := w.j.Undo(ctx, nil, UndoOptions{})
			w.check(err)
			// Directories that the task made and the person moved are theirs, with nothing in them.
			if d := diff(sansDirTimes(w.before), sansDirTimes(w.tree())); d != "" && (made == "a person's" || strings.Contains(d, "/")) {
				t.Errorf("%+v\n%s", r.Conflicts, d)
			}
		})
	}
}
