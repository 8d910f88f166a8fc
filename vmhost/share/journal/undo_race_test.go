package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// while starts the journal of w with a hook that calls do, once, at a step of the undo or
// redo that comes after arm was called.
func (w *world) while(step string, do func()) (arm func()) {
	w.t.Helper()
	armed := false
	w.hook = func(got string) {
		if armed && got == step {
			armed = false
			do()
		}
	}
	w.start()
	return func() { armed = true }
}

// by does what a person does to a file without piwork.
func (w *world) by(rel, data string) {
	w.t.Helper()
	w.check(os.WriteFile(filepath.Join(w.dir, rel), []byte(data), 0o644))
}

// has checks what is at a name: "-" for nothing.
func (w *world) has(rel, want string) {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, rel))
	if got := string(b); err == nil && got != want || err != nil && want != "-" {
		w.t.Errorf("%s: %.60q %v, want %.60q", rel, got, err, want)
	}
}

// reasons are the conflicts of a report by path.
func (r Report) reasons() map[string]Reason {
	got := map[string]Reason{}
	for _, c := range r.Conflicts {
		got[c.Change.Path] = c.Reason
	}
	return got
}

// What a person saves between the check and the moment when undo comes to the file is
// theirs: undo reports a conflict and leaves it alone.
func TestUndoLeavesWhatIsSavedMeanwhile(t *testing.T) {
	const name = "a long enough name for parts of it"
	replace := func(w *world) {
		w.by("new", "mine, and long enough for parts of it, too")
		w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, name)))
	}
	edit := func(w *world) { w.by(name, "mine, and long enough for parts of it, too") }
	write := func(w *world) { w.check(w.write(name, "task", 2)) }
	for _, c := range []struct {
		name   string
		parts  int64
		made   bool
		task   func(w *world)
		person func(w *world)
	}{
		{"changed, saved by rename", 0, false, write, replace},
		{"changed, edited", 0, false, write, edit},
		{"changed in parts, saved by rename", 30, false, write, replace},
		{"changed in parts, edited", 30, false, write, edit},
		{"mode changed, edited", 0, false, func(w *world) { w.check(w.chmod(name, 0o600)) }, edit},
		{"created, saved by rename", 0, true, func(w *world) { w.check(w.create(name, "task")) }, replace},
		{"created, edited", 0, true, func(w *world) { w.check(w.create(name, "task")) }, edit},
		{"replaced, edited", 0, false, func(w *world) { w.check(w.save(name, "task")) }, edit},
	} {
		for _, where := range []string{"same", "other"} {
			t.Run(where+"/"+c.name, func(t *testing.T) {
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				w.parts = c.parts
				if !c.made {
					w.seed(name)
				}
				w.seed("b")
				arm := w.while("undo-all-kept", func() { c.person(w) })
				c.task(w)
				w.check(w.write("b", "task", -1))
				arm()
				r := w.undo()
				if got := r.reasons(); len(got) != 1 || got[name] != ReasonChanged || len(r.Undone) != 1 {
					t.Errorf("%+v", r)
				}
				w.has(name, "mine, and long enough for parts of it, too")
				w.has("b", "content of b")
				w.noLeftovers()
				if got := strings.Join(w.changes(), "\n"); !strings.Contains(got, name) || strings.Contains(got, name+" undone") {
					t.Errorf("listed: %s", got)
				}
			})
		}
	}
}

// A moved file that a person replaces meanwhile stays where it is.
func TestUndoLeavesWhatIsMovedAndSavedMeanwhile(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	arm := w.while("undo-all-kept", func() {
		w.by("new", "mine")
		w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, "b")))
	})
	w.check(w.rename("a", "b"))
	w.check(w.write("b", "task", -1))
	arm()
	if r := w.undo(); r.reasons()["b"] != ReasonChanged || len(r.Undone) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("b", "mine")
	w.has("a", "-")
}

// When its context ends undo stops between two files: each name has the one version or the
// other, nothing is a conflict, and a second undo does the rest.
func TestUndoStops(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for _, step := range []string{"undo-all-kept", "undo-removed", "undo-staged", "undo-placed", "undo-lifted", "undo-moved", "undo-fixed"} {
			t.Run(where+"/"+step, func(t *testing.T) {
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				names := []string{"a", "b", "c", "d/x", "e/y", "p", "q", "r", "gone"}
				w.seed(names...)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				arm := w.while(step, cancel)
				w.mark()
				for _, name := range []string{"a", "b", "c", "d/x"} {
					w.check(w.save(name, "task"))
				}
				w.check(w.write("e/y", "task", -1))
				w.check(w.rename("p", "t"))
				w.check(w.rename("r", "p"))
				w.check(w.rename("q", "r"))
				w.check(w.rename("t", "q"))
				w.check(w.remove("gone"))
				w.check(w.mkdir("made"))
				w.check(w.mkdir("made/in"))
				w.check(w.create("made/in/n", "task"))
				left := w.tree()
				all := len(w.changes())
				arm()
				r, err := w.j.Undo(ctx, nil, UndoOptions{})
				if !errors.Is(err, context.Canceled) || len(r.Conflicts) > 0 {
					t.Errorf("%v %+v", err, r)
				}
				for _, name := range names[:len(names)-1] {
					if _, err := os.Lstat(filepath.Join(w.dir, name)); err != nil {
						t.Errorf("neither version is there: %v", err)
					}
				}
				w.noLeftovers()
				again := w.undo()
				if d := diff(w.before, w.tree()); d != "" || len(again.Conflicts) > 0 || len(r.Undone)+len(again.Undone) != all {
					t.Errorf("%d and %d of %d undone; %+v\n%s", len(r.Undone), len(again.Undone), all, again.Conflicts, d)
				}
				redo, err := w.j.Redo(t.Context(), nil)
				w.check(err)
				if d := diff(sansDirTimes(left), sansDirTimes(w.tree())); d != "" || len(redo.Conflicts) > 0 {
					t.Errorf("%+v\n%s", redo.Conflicts, d)
				}
			})
		}
	}
}
