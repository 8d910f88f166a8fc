package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/share/journal/internal/ledger"
)

// What lies in a directory that a person renamed is undone there. What lies in one that the task made or
// that is not in the folder any more is not undone, and stays in the list. What was removed along with its
// directory is undone.
func TestUndoSaysWhatWentWithItsDirectory(t *testing.T) {
	for _, c := range []struct {
		name   string
		seed   []string
		task   func(w *world)
		person func(w *world)
		want   map[string]Reason
		keep   map[string]string
	}{
		{"created directory renamed", nil,
			func(w *world) { w.check(w.mkdir("d")); w.check(w.create("d/n", "task")) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "e"))) },
			map[string]Reason{"d": ReasonGone, "d/n": ReasonGone}, map[string]string{"e/n": "task"}},
		{"created directory renamed, with another in it", nil,
			func(w *world) {
				w.check(w.mkdir("d"))
				w.check(w.mkdir("d/in"))
				w.check(w.create("d/in/n", "task"))
			},
			func(w *world) {
				w.check(os.Mkdir(filepath.Join(w.dir, "mine"), 0o755))
				w.check(os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "mine/e")))
			},
			map[string]Reason{"d": ReasonGone, "d/in": ReasonGone, "d/in/n": ReasonGone}, map[string]string{"mine/e/in/n": "task"}},
		{"created directory removed", nil,
			func(w *world) { w.check(w.mkdir("d")); w.check(w.create("d/n", "task")) },
			func(w *world) { w.check(os.RemoveAll(filepath.Join(w.dir, "d"))) },
			nil, map[string]string{"d/n": "-"}},
		{"the person's directory renamed", []string{"d/x"},
			func(w *world) { w.check(w.create("d/n", "task")); w.check(w.save("d/x", "task")) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "e"))) },
			nil, map[string]string{"e/n": "-", "e/x": "content of d/x", "d/x": "-"}},
		{"the person's directory moved out of the folder", []string{"d/x"},
			func(w *world) { w.check(w.mkdir("d/in")); w.check(w.create("d/in/n", "task")) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "../e"))) },
			map[string]Reason{"d/in": ReasonGone, "d/in/n": ReasonGone}, map[string]string{"../e/in/n": "task"}},
		{"the place of a moved file renamed", []string{"a", "2019/x"},
			func(w *world) { w.check(w.rename("a", "2019/a")) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "2019"), filepath.Join(w.dir, "photos"))) },
			nil, map[string]string{"a": "content of a", "photos/a": "-"}},
		{"the place of a moved and changed file renamed", []string{"a", "2019/x"},
			func(w *world) { w.check(w.rename("a", "2019/a")); w.check(w.write("2019/a", "task", -1)) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "2019"), filepath.Join(w.dir, "photos"))) },
			nil, map[string]string{"a": "content of a", "photos/a": "-"}},
	} {
		for _, where := range []string{"same", "other"} {
			t.Run(where+"/"+c.name, func(t *testing.T) {
				jdir := ""
				if where == "other" {
					jdir = otherFS(t)
				}
				w := newWorld(t, jdir)
				w.seed(c.seed...)
				w.seed("b")
				w.start()
				c.task(w)
				w.check(w.write("b", "task", -1))
				w.changes()
				c.person(w)
				r := w.undo()
				got := r.reasons()
				for path, reason := range c.want {
					if got[path] != reason {
						t.Errorf("%s: %q, want %q", path, got[path], reason)
					}
					found := false
					for _, s := range w.changes() {
						found = found || strings.Contains(s, path) && !strings.HasSuffix(s, " undone")
					}
					if !found {
						t.Errorf("%s is not listed any more: %q", path, w.changes())
					}
				}
				if len(got) != len(c.want) {
					t.Errorf("%+v", r)
				}
				for path, want := range c.keep {
					w.has(path, want)
				}
				w.has("b", "content of b")
				w.noLeftovers()
			})
		}
	}
}

// A search that was stopped before it saw all of the folder does not say that a directory is
// gone, and is not taken for a whole one later.
func TestStoppedSearchForDirectoryDecidesNothing(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a/b")
	w.start()
	w.check(w.mkdir("d"))
	var made *ledger.Object
	for _, o := range w.j.rec.Tables.Inodes {
		if o.Made {
			made = o
		}
	}
	w.check(os.Remove(filepath.Join(w.dir, "d")))
	back, err := w.j.openUndos()
	w.check(err)
	x, _, err := w.j.prepare(t.Context(), w.j.rec, back)
	w.check(err)
	defer x.close()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if x.ctx = stopped; !x.elsewhere(made) {
		t.Error("stopped: the directory counts as gone")
	}
	if x.ctx = t.Context(); x.elsewhere(made) {
		t.Error("the directory is gone, and counts as moved")
	}
}
