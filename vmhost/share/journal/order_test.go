package journal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Undo of many renames tries each a few times, whatever their order: names put in
// reverse order, and one long chain.
func TestUndoOfManyRenames(t *testing.T) {
	const many = 200
	for name, rename := range map[string]func(w *world, names []string){
		"reverse": func(w *world, names []string) {
			for i := range many / 2 {
				a, b := names[i], names[many-1-i]
				w.check(w.rename(a, "tmp"))
				w.check(w.rename(b, a))
				w.check(w.rename("tmp", b))
			}
		},
		"chain": func(w *world, names []string) {
			w.check(w.rename(names[many-1], "last"))
			for i := many - 2; i >= 0; i-- {
				w.check(w.rename(names[i], names[i+1]))
			}
		},
		"circle": func(w *world, names []string) {
			w.check(w.rename(names[many-1], "last"))
			for i := many - 2; i >= 0; i-- {
				w.check(w.rename(names[i], names[i+1]))
			}
			w.check(w.rename("last", names[0]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			var names []string
			for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(many) {
				names = append(names, fmt.Sprintf("f%03d", i))
			}
			w.seed(names...)
			w.mark()
			w.start()
			rename(w, names)
			r := w.undo()
			if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("%+v\n%s", r.Conflicts, d)
			}
			if w.j.tries > 5*many {
				t.Errorf("%d tries for %d renames", w.j.tries, many)
			}
		})
	}
}

// A directory that was empty and is replaced comes back with its attributes.
func TestReplacedDirectoryKeepsAttributes(t *testing.T) {
	w := newWorld(t, "")
	w.seed("d/", "e/")
	w.start()
	if err := w.setxattr("e", "user.tag", "mine"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this file system has no attributes of users")
	} else if err != nil {
		t.Fatal(err)
	}
	w.stop()
	w.age()
	w.jdir += "2"
	w.mark()
	w.start()
	w.check(w.rename("d", "e"))
	r := w.undo()
	if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
		t.Errorf("%+v\n%s", r.Conflicts, d)
	}
}

// What is kept for Redo is checked: what a file lost after it was kept is not taken for
// what the task had made.
func TestRedoOfDamaged(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) { redoOfDamaged(t, where == "other") })
	}
}

func redoOfDamaged(t *testing.T, other bool) {
	jdir := ""
	if other {
		jdir = otherFS(t) + "/j"
	}
	w := newWorld(t, jdir)
	w.seed("old")
	w.check(w.large("old", 300_000))
	w.check(w.large("parts", 3_000_000))
	w.age()
	w.mark()
	w.start()
	w.check(w.create("new", strings.Repeat("x", 200_000)))
	w.check(w.write("old", strings.Repeat("y", 200_000), 7))
	w.check(w.write("parts", strings.Repeat("y", 200_000), 7))
	w.undo()
	kept := 0
	for _, dir := range []string{"images", "refs"} {
		list, err := os.ReadDir(filepath.Join(w.jdir, undosDir, dir))
		w.check(err)
		for _, e := range list {
			kept++
			w.check(os.Truncate(filepath.Join(w.jdir, undosDir, dir, e.Name()), 100_000))
		}
	}
	if kept != 3 {
		t.Fatalf("%d files are kept", kept)
	}
	r, err := w.j.Redo(t.Context(), nil)
	if err != nil || len(r.Redone) != 0 || len(r.Conflicts) != 3 || r.Conflicts[0].Reason != ReasonNoImage {
		t.Errorf("%+v %v", r, err)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Error(d)
	}
}

func (w *world) large(name string, size int) error {
	return os.WriteFile(filepath.Join(w.dir, name), bytes.Repeat([]byte("0123456789"), size/10), 0o644)
}
