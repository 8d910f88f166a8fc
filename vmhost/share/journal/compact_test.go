//go:build unix

package journal

import (
	"slices"
	"testing"
)

// A log that was rewritten says the same of what moved since it was first seen, also when the
// directory is gone in which that was.
func TestRewrittenLogKeepsPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		task func(w *world)
		a    string // after undo
	}{
		"moved out of a directory that is gone": {func(w *world) {
			w.check(w.mkdir("d"))
			w.check(w.create("d/n", "task"))
			w.check(w.rename("d/n", "n"))
			w.check(w.rmdir("d"))
		}, "content of a"},
		"the same, over a person's file": {func(w *world) {
			w.check(w.mkdir("d"))
			w.check(w.create("d/n", "task"))
			w.check(w.rename("d/n", "a"))
			w.check(w.rmdir("d"))
		}, "content of a"},
		"the same, and a person edited it": {func(w *world) {
			w.check(w.mkdir("d"))
			w.check(w.create("d/n", "task"))
			w.check(w.rename("d/n", "a"))
			w.check(w.rmdir("d"))
			w.by("a", "of the person")
			w.check(w.write("a", "task", -1))
		}, "of the person"},
		"saved, and a person edited it": {func(w *world) {
			w.check(w.save("a", "task"))
			w.by("a", "of the person")
			w.check(w.write("a", "task", -1))
		}, "of the person"},
		"saved, a person edited it, and it was removed": {func(w *world) {
			w.check(w.save("a", "task"))
			w.by("a", "of the person")
			w.check(w.remove("a"))
		}, "of the person"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.seed("a", "b")
			w.start()
			c.task(w)
			before := w.changes()
			w.check(w.rewritten())
			w.restart()
			if after := w.changes(); !slices.Equal(after, before) {
				t.Errorf("%q, before %q", after, before)
			}
			r := w.undo()
			w.has("a", c.a)
			w.has("n", "-")
			w.noLeftovers()
			if len(r.Conflicts) > 0 && c.a != "of the person" { // whose first version has the name no more
				t.Errorf("%+v", r.Conflicts)
			}
		})
	}
}
