//go:build unix

package journal

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What a task may only move, undo moves back and redo moves again: FIFOs and sockets, alone and
// with the directory that they are in.
func TestRedoSpecial(t *testing.T) {
	kinds := map[string]func(t *testing.T, path string) error{
		"fifo": func(_ *testing.T, path string) error { return unix.Mkfifo(path, 0o600) },
		"socket": func(t *testing.T, path string) error {
			l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
			if err == nil {
				l.(*net.UnixListener).SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		},
	}
	cases := map[string]func(w *world) error{
		"rename":         func(w *world) error { return w.rename("s", "renamed") },
		"move":           func(w *world) error { return w.rename("s", "dir/s") },
		"move twice":     func(w *world) error { return errors.Join(w.rename("s", "dir/s"), w.rename("dir/s", "t")) },
		"to a new place": func(w *world) error { return errors.Join(w.mkdir("new"), w.rename("s", "new/s")) },
		"its directory":  func(w *world) error { return w.rename("in", "out") },
		"out of what is removed": func(w *world) error {
			return errors.Join(w.rename("in/s", "kept"), w.rmdir("in"))
		},
		"out of the way": func(w *world) error { return errors.Join(w.rename("s", "old"), w.create("s", "task")) },
	}
	for kind, make := range kinds {
		for name, work := range cases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				w := newWorld(t, filepath.Join(t.TempDir(), "journal"))
				w.dir = short(t)
				w.seed("dir/", "in/")
				w.check(make(t, filepath.Join(w.dir, "s")))
				w.check(make(t, filepath.Join(w.dir, "in/s")))
				w.age()
				undoneAndRedone(w, work)
			})
		}
	}
}

// short is a folder whose path leaves room for the name of a socket.
func short(t *testing.T) string {
	dir, err := os.MkdirTemp("", "pw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Names of one symbolic link, or of one file, are names of one again when undo and redo are through.
func TestUndoRestoresHardLinks(t *testing.T) {
	cases := map[string]func(w *world) error{
		"remove both":                       func(w *world) error { return errors.Join(w.remove("a"), w.remove("b")) },
		"remove the first":                  func(w *world) error { return w.remove("a") },
		"remove the second":                 func(w *world) error { return w.remove("b") },
		"rename both":                       func(w *world) error { return errors.Join(w.rename("a", "c"), w.rename("b", "dir/d")) },
		"rename one, remove the other":      func(w *world) error { return errors.Join(w.rename("a", "c"), w.remove("b")) },
		"remove their directory":            func(w *world) error { return w.rmrf("both") },
		"remove both and make one":          func(w *world) error { return errors.Join(w.remove("a"), w.remove("b"), w.create("a", "task")) },
		"a third":                           func(w *world) error { return w.link("a", "dir/c") },
		"a third, and remove the others":    func(w *world) error { return errors.Join(w.link("a", "c"), w.remove("a"), w.remove("b")) },
		"a third, and remove the second":    func(w *world) error { return errors.Join(w.link("a", "c"), w.remove("b")) },
		"replace one of them":               func(w *world) error { return errors.Join(w.create("new", "task"), w.rename("new", "a")) },
		"make a pair, and remove the first": func(w *world) error { return errors.Join(w.link("single", "two"), w.remove("single")) },
	}
	for _, kind := range []string{"symbolic link", "file"} {
		for name, work := range cases {
			for _, where := range []string{"same", "other"} {
				t.Run(kind+"/"+name+"/"+where, func(t *testing.T) {
					jdir := ""
					if where == "other" {
						jdir = otherFS(t)
					}
					w := newWorld(t, jdir)
					if kind == "file" {
						w.seed("dir/", "both/", "a", "both/a", "single")
					} else {
						w.seed("dir/", "both/", "a -> target", "both/a -> target", "single -> target")
					}
					w.seed("b = a", "both/b = both/a")
					undoneAndRedone(w, work)
				})
			}
		}
	}
}

// A write by a name that the task made is in the file whatever names it has lost.
func TestRedoWritesThirdName(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b = a", "other")
	undoneAndRedone(w, func(w *world) error {
		return errors.Join(w.link("a", "c"), w.write("c", "x", 0), w.remove("b"))
	})
}

// undoneAndRedone has a task work, and sees that undo, redo and undo again do all that they say.
func undoneAndRedone(w *world, work func(w *world) error) {
	w.t.Helper()
	w.start()
	w.mark()
	w.check(work(w))
	left := w.tree()
	for round := range 2 {
		r := w.undo()
		if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
			w.t.Fatalf("round %d, undo: %+v\n%s", round, r.Conflicts, d)
		}
		if round == 1 {
			return
		}
		redone, err := w.j.Redo(w.t.Context(), nil)
		w.check(err)
		if d := diff(sansDirTimes(left), sansDirTimes(w.tree())); d != "" || len(redone.Conflicts) > 0 {
			w.t.Fatalf("redo: %+v\n%s", redone.Conflicts, d)
		}
	}
}
