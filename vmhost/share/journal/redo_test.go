package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var anyTime = regexp.MustCompile(` (dir \d+) \S+`)

// sansDirTimes describes everything but the times of directories, which the
// system sets.
func sansDirTimes(tree string) string { return anyTime.ReplaceAllString(tree, " $1") }

// Everything that undo can take back can be done again, and taken back again.
func TestRedo(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for _, c := range undoCases {
			t.Run(where+"/"+c.name, func(t *testing.T) {
				if strings.HasSuffix(c.name, "the other not seen") {
					return // undo meets the other name, and the list has only the first
				}
				t.Parallel()
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				w.seed(c.seed...)
				w.start()
				w.mark()
				c.do(w)
				want := w.changes()
				left := w.tree()
				w.undo()
				for round := range 2 {
					if round == 1 {
						w.restart()
					}
					contents := map[string]string{}
					list, err := w.j.Changes(t.Context())
					w.check(err)
					for _, c := range list {
						contents[c.ID] = w.content(c.ID, After)
					}
					r, err := w.j.Redo(t.Context(), nil)
					w.check(err)
					if d := diff(sansDirTimes(left), sansDirTimes(w.tree())); d != "" || len(r.Conflicts) > 0 {
						t.Fatalf("round %d: %+v\n%s", round, r.Conflicts, d)
					}
					if got := w.changes(); !sameSet(got, want) {
						t.Errorf("round %d: list %q\nwant %q", round, got, want)
					}
					for _, c := range r.Redone {
						if c.Kind != "file" || c.Effect == EffectDelete {
							continue
						}
						b, err := os.ReadFile(filepath.Join(w.dir, c.Path))
						if err == nil && string(b) != contents[c.ID] {
							t.Errorf("after of %s was said to be %.40q and is %.40q", c.Path, contents[c.ID], b)
						}
					}
					if r := w.undo(); len(r.Conflicts) > 0 {
						t.Fatalf("round %d: %+v", round, r.Conflicts)
					}
					if d := diff(w.before, w.tree()); d != "" {
						t.Fatalf("round %d, undone again:\n%s", round, d)
					}
				}
				if _, err := w.j.Redo(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				_, err := w.j.Redo(t.Context(), nil)
				w.check(err)
			})
		}
	}
}

// What a person did after the undo is theirs.
func TestRedoConflicts(t *testing.T) {
	w := newWorld(t, "")
	w.seed("changed", "deleted", "moved", "free", "d/x")
	w.start()
	w.check(w.write("changed", "task", -1))
	w.check(w.remove("deleted"))
	w.check(w.rename("moved", "target"))
	w.check(w.create("created", "task"))
	w.check(w.write("free", "task", -1))
	w.check(w.rmrf("d"))
	w.undo()
	theirs := func(rel string) { w.check(os.WriteFile(filepath.Join(w.dir, rel), []byte("the person's"), 0o644)) }
	for _, rel := range []string{"changed", "deleted", "target", "created", "d/new"} {
		theirs(rel)
	}
	r, err := w.j.Redo(t.Context(), nil)
	w.check(err)
	got := map[string]Reason{}
	for _, c := range r.Conflicts {
		got[c.Change.Path] = c.Reason
	}
	want := map[string]Reason{"changed": ReasonChanged, "deleted": ReasonChanged, "target": ReasonInTheWay, "created": ReasonInTheWay, "d": ReasonChanged}
	if len(got) != len(want) || len(r.Redone) != 2 {
		t.Errorf("%+v\n%+v", got, r.Redone)
	}
	for path, reason := range want {
		if got[path] != reason {
			t.Errorf("%s: %s, want %s", path, got[path], reason)
		}
	}
	for _, rel := range []string{"changed", "deleted", "target", "created", "d/new"} {
		if b, err := os.ReadFile(filepath.Join(w.dir, rel)); err != nil || string(b) != "the person's" {
			t.Errorf("%s: %q %v", rel, b, err)
		}
	}
	// What waited for a place that a person took is not moved out of anybody's way.
	if b, err := os.ReadFile(filepath.Join(w.dir, "moved")); err != nil || string(b) != "content of moved" {
		t.Errorf("moved: %q %v", b, err)
	}
	if _, err := w.j.Redo(t.Context(), []string{"o999"}); !errors.Is(err, ErrUnknownChange) {
		t.Error(err)
	}
}

// What a person put in the place of a link that was deleted comes back when an undo that
// replaced it is undone.
func TestRedoBringsDisplacedBack(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "l -> a")
	w.start()
	w.check(w.remove("l"))
	id := w.id("l")
	w.check(os.WriteFile(filepath.Join(w.dir, "l"), []byte("the person's"), 0o644))
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
	w.check(err)
	if target, err := os.Readlink(filepath.Join(w.dir, "l")); target != "a" || len(r.Conflicts) > 0 {
		t.Fatalf("%q %v %+v", target, err, r)
	}
	r, err = w.j.Redo(t.Context(), nil)
	w.check(err)
	if b, err := os.ReadFile(filepath.Join(w.dir, "l")); string(b) != "the person's" || len(r.Conflicts) > 0 {
		t.Errorf("%q %v %+v", b, err, r)
	}
}

// When its context ends a redo stops between two files. Nothing is a conflict for that,
// and the rest can be redone.
func TestRedoStops(t *testing.T) {
	for _, at := range []string{"before", "rewrite", "step"} {
		w := newWorld(t, "")
		w.seed("a", "b", "c", "two = a")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		armed, since := false, 0 // steps since it was told to stop
		w.hook = func(step string) {
			if armed && ctx.Err() != nil && step == "step" {
				since++
			}
			if armed && step == at {
				cancel()
			}
		}
		w.start()
		for _, name := range []string{"a", "b", "c"} {
			w.check(w.write(name, "task", -1))
			w.check(w.create(name+" new", "task"))
		}
		left := w.tree()
		w.undo()
		armed = true
		r, err := w.j.Redo(ctx, nil)
		if !errors.Is(err, context.Canceled) || len(r.Conflicts) > 0 || len(r.Redone) > 5 || since > 2 { // one change is made in two
			t.Errorf("%s: %d steps more: %+v %v", at, since, r, err)
		}
		armed = false
		again, err := w.j.Redo(t.Context(), nil)
		w.check(err)
		if d := diff(sansDirTimes(left), sansDirTimes(w.tree())); d != "" || len(again.Conflicts) > 0 || len(r.Redone)+len(again.Redone) != 6 {
			t.Errorf("%s: %+v\n%s", at, again, d)
		}
	}
}

// One change out of many brings what it needs along, and no more.
func TestRedoSome(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "d/x", "d/y")
	w.start()
	w.check(w.mkdir("new"))
	w.check(w.create("new/f", "task"))
	w.check(w.create("other", "task"))
	w.check(w.write("a", "task", -1))
	w.check(w.rmrf("d"))
	id := map[string]string{}
	list, err := w.j.Changes(t.Context())
	w.check(err)
	for _, c := range list {
		id[c.Path] = c.ID
	}
	w.undo()
	for _, step := range []struct{ path, want string }{
		{"new/f", "new new/f"}, {"d", "d d/x d/y"}, {"a", "a"}, {"other", "other"},
	} {
		r, err := w.j.Redo(t.Context(), []string{id[step.path]})
		w.check(err)
		var got []string
		for _, c := range r.Redone {
			got = append(got, c.Path)
		}
		if strings.Join(got, " ") != step.want || len(r.Conflicts) > 0 {
			t.Errorf("%s: %q, want %s; %+v", step.path, got, step.want, r.Conflicts)
		}
	}
}

// Large files go there and back in parts.
func TestRedoParts(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			path := filepath.Join(w.dir, "large")
			w.check(os.WriteFile(path, bytes.Repeat([]byte("0123456789abcdef"), 256<<10), 0o644))
			w.age()
			w.start()
			w.mark()
			w.check(w.write("large", "task", 3<<20))
			w.check(w.write("large", strings.Repeat("task", 100_000), 5<<20))
			w.check(w.truncate("large", 5<<20+200_000))
			w.check(w.write("large", strings.Repeat("\x00", 300_000), 100_000))
			left := w.tree()
			for range 2 {
				if r := w.undo(); len(r.Conflicts) > 0 || diff(w.before, w.tree()) != "" {
					t.Fatalf("%+v\n%s", r.Conflicts, diff(w.before, w.tree()))
				}
				list, err := w.j.Changes(t.Context())
				w.check(err)
				if got := w.content(list[0].ID, After); len(got) != 5<<20+200_000 || got[3<<20:3<<20+4] != "task" {
					t.Errorf("after: %d bytes", len(got))
				}
				r, err := w.j.Redo(t.Context(), nil)
				w.check(err)
				if d := diff(left, w.tree()); d != "" || len(r.Conflicts) > 0 {
					t.Fatalf("%+v\n%s", r.Conflicts, d)
				}
			}
			if u := w.j.Usage(); u.Bytes > 5<<20 {
				t.Errorf("%+v", u)
			}
		})
	}
}
