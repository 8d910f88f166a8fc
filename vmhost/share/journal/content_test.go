package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func (w *world) content(id string, side Side) string {
	w.t.Helper()
	c, err := w.j.Content(w.t.Context(), id, side)
	switch {
	case errors.Is(err, ErrNoContent):
		return "-"
	case errors.Is(err, ErrChangedSince):
		return "changed"
	case err != nil:
		w.t.Fatal(err)
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	w.check(err)
	return string(b)
}

// The content of a change is what the person had and what the task left,
// whatever happened to names, in this process and in the next.
func TestContent(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			w.seed("a", "b", "c", "d/m", "e", "g", "l -> a", "two", "one = two", "big")
			w.check(os.WriteFile(filepath.Join(w.dir, "big"), make([]byte, 100_000), 0o644))
			w.start()
			w.check(w.write("a", "task a", -1))
			w.check(w.remove("b"))
			w.check(w.save("c", "task c"))
			w.check(w.rename("d", "x"))
			w.check(w.write("x/m", "TASK", 0))
			w.check(w.chmod("e", 0o600))
			w.check(w.create("n", "new"))
			w.check(w.rename("g", "h"))
			w.check(w.remove("l"))
			w.check(w.remove("one"))
			w.check(w.write("two", "task two", -1))
			w.check(w.write("big", "task", -1))
			want := map[string][2]string{
				"a": {"content of a", "task a"}, "b": {"content of b", "-"}, "c": {"content of c", "task c"},
				"x/m": {"content of d/m", "TASKent of d/m"}, "e": {"content of e", "content of e"}, "n": {"-", "new"},
				"h": {"content of g", "content of g"}, "l": {"-", "-"}, "x": {"-", "-"},
				"one": {"content of two", "-"}, "two": {"content of two", "task two"},
				"big": {string(make([]byte, 100_000)), "task"},
			}
			look := func(when string) {
				t.Helper()
				list, err := w.j.Changes(t.Context())
				w.check(err)
				if len(list) != len(want) {
					t.Fatalf("%s: %q", when, w.changes())
				}
				for _, c := range list {
					if before, after := w.content(c.ID, Before), w.content(c.ID, After); want[c.Path] != [2]string{before, after} {
						t.Errorf("%s: %s %s: %.40q → %.40q", when, c.Effect, c.Path, before, after)
					}
				}
			}
			look("at once")
			w.restart()
			look("restarted")
			w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte("the person's"), 0o644))
			if got := w.content(w.id("a"), After); got != "changed" {
				t.Errorf("after a person's change: %q", got)
			}
			if got := w.content(w.id("a"), Before); got != "content of a" {
				t.Errorf("after a person's change, before: %q", got)
			}
			id := w.id("x/m")
			w.undo(id)
			if got := w.content(id, Before); got != "content of d/m" {
				t.Errorf("undone: %q", got)
			}
			for _, id := range []string{"", "o", "e99999999999", "x1", "o999", "n1"} {
				if _, err := w.j.Content(t.Context(), id, Before); !errors.Is(err, ErrUnknownChange) {
					t.Errorf("%q: %v", id, err)
				}
			}
		})
	}
}

// What the task made is not an original, under whatever name.
func TestOriginal(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b", "c", "d/x")
	w.start()
	w.check(w.write("a", "task", -1))
	w.check(w.create("n", "new"))
	w.check(w.rename("n", "d/n"))
	w.check(w.save("c", "saved"))
	w.check(w.mkdir("m"))
	w.check(w.rename("d/x", "m/x"))
	for rel, want := range map[string]bool{"a": true, "b": true, "d": true, "d/n": false, "c": false, "m": false, "m/x": true} {
		if got, err := w.f.Original(rel); err != nil || got != want {
			t.Errorf("%s: %v %v", rel, got, err)
		}
	}
	w.check(os.Remove(filepath.Join(w.dir, "d/n")))
	if _, err := w.f.Original("d/n"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
}
