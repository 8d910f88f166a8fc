//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a person answers to the conflicts about several versions of theirs at one name, the one
// that is there is not lost: it stays, or Redo brings it back.
func TestResolveVersions(t *testing.T) {
	for name, c := range map[string]struct {
		task func(w *world)
		back string // what is there after Restore
	}{
		"saved": {func(w *world) {
			w.check(w.save("a", "task 1"))
			w.by("a", "version 2")
			w.check(w.save("a", "task 2"))
			w.changes()
		}, "version 2"},
		"removed": {func(w *world) {
			w.check(w.save("a", "task 1"))
			w.by("a", "version 2")
			w.check(w.remove("a"))
			w.changes()
		}, "version 2"},
		"often": {func(w *world) { // ids are ordered as text
			for range 12 {
				w.check(w.save("a", "task"))
				w.by("a", "version 2")
			}
			w.check(w.remove("a"))
			w.changes()
		}, "version 2"},
		"twice removed": {func(w *world) {
			w.check(w.remove("a"))
			w.by("a", "version 2")
			w.check(w.remove("a"))
		}, "version 2"},
	} {
		for _, how := range []Resolution{Restore, Both, Keep} {
			for _, which := range []string{"all", "older", "newer"} {
				for _, where := range []string{"same", "other"} {
					t.Run(strings.Join([]string{name, string(how), which, where}, "/"), func(t *testing.T) {
						t.Parallel()
						jdir := ""
						if where == "other" {
							jdir = otherFS(t)
						}
						w := newWorld(t, jdir)
						w.seed("a")
						w.start()
						c.task(w)
						w.by("a", "version 3")
						r := w.undo()
						w.has("a", "version 3")
						var ids []string
						answers := map[string]Resolution{}
						for _, x := range r.Conflicts {
							older := w.content(x.Change.ID, Before) == "content of a"
							if which == "all" || older == (which == "older") {
								answers[x.Change.ID] = how
							}
							ids = append(ids, x.Change.ID)
						}
						r, err := w.j.Undo(t.Context(), ids, UndoOptions{Resolve: answers})
						w.check(err)
						switch {
						case how != Restore:
							w.has("a", "version 3")
						case which == "older":
							w.has("a", "content of a")
						default:
							w.has("a", c.back)
						}
						if how == Both && len(r.Beside) != len(answers) {
							t.Errorf("%+v", r)
						}
						// The others are offered still, and can be had.
						for _, x := range r.Conflicts {
							if got := w.content(x.Change.ID, Before); got == "-" || got == "changed" {
								t.Errorf("%+v: %s", x, got)
							}
						}
						if want := len(ids) - len(answers); how == Both && len(w.left()) != want {
							t.Errorf("%q, want %d changes", w.changes(), want)
						}
						if how == Restore {
							rr, err := w.j.Redo(t.Context(), nil)
							w.check(err)
							w.has("a", "version 3")
							if len(rr.Conflicts) > 0 {
								t.Errorf("redo: %+v", rr.Conflicts)
							}
						}
						w.noLeftovers()
					})
				}
			}
		}
	}
}

// A file that was moved and edited takes no place from another: what a person made of it is kept
// for Redo, and that of both would not be.
func TestRestoreKeepsBoth(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	w.check(w.write("a", "task", -1))
	w.check(w.rename("a", "b"))
	w.by("b", "version 2")
	w.by("a", "something else")
	id := w.id("b")
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
	w.check(err)
	if len(r.Conflicts) != 1 || r.Conflicts[0].Reason != ReasonInTheWay {
		t.Errorf("%+v", r)
	}
	w.has("a", "something else")
	w.has("b", "version 2")
	w.check(os.Remove(filepath.Join(w.dir, "a")))
	_, err = w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
	w.check(err)
	w.has("a", "content of a")
	_, err = w.j.Redo(t.Context(), nil)
	w.check(err)
	w.has("b", "version 2")
}

// What a person saved at a further name that the task gave a file is theirs, and the file gets its first
// name back.
func TestUndoLinkedFile(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	w.check(w.link("a", "b"))
	w.by("new", "version 2")
	w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, "b")))
	w.check(w.remove("a"))
	w.by("b", "version 3")
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	w.has("a", "content of a")
	w.has("b", "version 3")
}

// What a person saved at a further name that the task gave their file is not lost with that name.
func TestRestoreKeepsWhatTookALink(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		jdir := ""
		if where == "other" {
			jdir = otherFS(t)
		}
		w := newWorld(t, jdir)
		w.seed("a")
		w.start()
		w.check(w.link("a", "b"))
		w.by("new", "the person's")
		w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, "b")))
		id := w.id("b")
		r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
		w.check(err)
		w.has("b", "-")
		if got := w.content(id, After); got != "the person's" || len(r.Undone) != 1 {
			t.Errorf("%s: %q, %+v", where, got, r)
		}
		_, err = w.j.Redo(t.Context(), nil)
		w.check(err)
		w.has("b", "the person's")
		w.has("a", "content of a")
	}
}
