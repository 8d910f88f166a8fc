package journal

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share/journal/internal/recorder"
)

// What a person saves after a redo died, and before it is finished, is theirs, in a file that was
// redone or half redone. Where nobody came in between it is finished, however late.
func TestInterruptedRedoLeavesWhatIsSavedSince(t *testing.T) {
	const late = recorder.DeathSlack + 200*time.Millisecond
	for name, c := range map[string]struct {
		step string
		n    int
		wait time.Duration
		save bool
	}{
		"redone":                       {"rewrite", 2, 0, true},
		"redone, nobody came":          {"rewrite", 2, late, false},
		"half redone":                  {"emptied", 1, late, true},
		"half redone, nobody came":     {"emptied", 1, late, false},
		"all but at its end":           {"redo-done", 1, 0, true},
		"all but at end, nobody came":  {"redo-done", 1, late, false},
		"nothing redone, nobody came":  {"redo-begun", 1, late, false},
		"nothing redone, and saved":    {"redo-begun", 1, 0, true},
		"kept and nothing written yet": {"rewrite", 1, late, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.seed("a", "b", "c = a", "d = b") // so that redo writes into them
			w.start()
			w.check(w.write("a", "task", -1))
			w.check(w.write("b", "task", -1))
			w.check(w.remove("c"))
			redone := w.tree()
			w.undo()
			died := w.diesAt(c.step, c.n, func() { _, _ = w.j.Redo(context.Background(), nil) })
			time.Sleep(c.wait)
			if c.save {
				w.by("a", mine)
			}
			done, err := Finish(t.Context(), died, Options{})
			w.check(err)
			if !c.save {
				if d := diff(sansDirTimes(redone), sansDirTimes(w.tree())); d != "" || len(done.Redo.Conflicts) > 0 || len(done.Redo.Redone) != 3 {
					t.Errorf("%+v\n%s", done.Redo, d)
				}
				return
			}
			if got := done.Redo.reasons(); got["a"] != ReasonChanged || got["b"] != "" {
				t.Errorf("%+v", done.Redo)
			}
			w.has("a", mine)
			w.has("b", "task")
		})
	}
}

// What went with its directory is done, when a redo goes on that died at its very end.
func TestInterruptedRedoOfADirectory(t *testing.T) {
	for _, c := range []struct {
		step string
		n    int
	}{{"redo-done", 1}, {"step", 5}, {"step", 4}, {"step", 3}} {
		t.Run(fmt.Sprint(c.step, c.n), func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("dir/a", "dir/b", "dir/sub/c")
			w.start()
			w.mark()
			w.check(w.rmrf("dir"))
			w.undo()
			died := w.diesAt(c.step, c.n, func() { _, _ = w.j.Redo(context.Background(), nil) })
			done, err := Finish(t.Context(), died, Options{})
			w.check(err)
			if len(done.Redo.Redone) != 5 || len(done.Redo.Conflicts) > 0 {
				t.Errorf("%+v", done.Redo)
			}
			if exists(filepath.Join(w.dir, "dir")) {
				t.Error("it is there")
			}
			j, err := Open(died, Options{})
			w.check(err)
			w.j = j
			defer func() { w.check(j.Close()); w.j = nil }()
			w.undo()
			if d := diff(w.before, w.tree()); d != "" {
				t.Error(d)
			}
		})
	}
}
