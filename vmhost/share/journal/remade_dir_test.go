//go:build unix

package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was in a directory of the person's that the task removed comes back, and so does what they had
// in the one that the task made there then, with the mode and the owner of the first.
func TestPersonInDirectoryMadeAnew(t *testing.T) {
	for name, anew := range map[string]func(w *world) error{
		"made": func(w *world) error { return w.mkdir("d") },
		"moved there": func(w *world) error {
			if err := w.mkdir("d.new"); err != nil {
				return err
			}
			return w.rename("d.new", "d")
		},
	} {
		for then, c := range map[string]struct {
			do   func(w *world) error
			want map[string]string
		}{
			"left alone":    {func(*world) error { return nil }, nil},
			"edited by it":  {func(w *world) error { return w.write("d/mine", "task", -1) }, nil},
			"removed by it": {func(w *world) error { return w.remove("d/mine") }, nil},
			"all removed":   {func(w *world) error { return w.rmrf("d") }, nil},
			"again": {func(w *world) error {
				if err := w.rmrf("d"); err != nil {
					return err
				}
				if err := w.mkdir("d"); err != nil {
					return err
				}
				return w.create("d/out", "again")
			}, nil},
			"again, with a file of theirs": {func(w *world) error {
				if err := w.rmrf("d"); err != nil {
					return err
				}
				if err := w.mkdir("d"); err != nil {
					return err
				}
				w.by("d/more", "more of the person")
				return w.rmrf("d")
			}, map[string]string{"d/more": "more of the person"}},
			"the same name": {func(w *world) error {
				w.by("d/a", "a new version")
				return w.rmrf("d")
			}, map[string]string{"d/a": "a new version"}},
			"the same directory in it": {func(w *world) error {
				if err := w.mkdir("d/e"); err != nil {
					return err
				}
				w.by("d/e/more", "more of the person")
				return w.rmrf("d")
			}, map[string]string{"d/e/more": "more of the person"}},
		} {
			for _, how := range []string{"at once", "rewritten", "in two steps", "died", "redone"} {
				t.Run(strings.Join([]string{name, then, how}, "/"), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, "")
					w.seed("d/a", "d/e/b")
					w.check(w.chmodBy("d", 0o750))
					w.age()
					w.start()
					w.check(w.rmrf("d"))
					w.check(anew(w))
					w.check(w.create("d/out", "task"))
					w.by("d/mine", "of the person")
					w.check(c.do(w))
					switch how {
					case "rewritten":
						w.check(w.rewritten())
						w.restart()
					case "in two steps":
						w.undo(w.id("d/e/b"))
					case "died":
						died := w.diesAt("undo-placed", 2, func() { w.undo() })
						j, err := Open(died, Options{})
						w.check(err)
						defer j.Close()
						w.j = j
						defer func() { w.j = nil }()
					}
					r := w.undo()
					if how == "redone" {
						rr, err := w.j.Redo(t.Context(), nil)
						w.check(err)
						if len(rr.Conflicts) > 0 {
							t.Errorf("redo: %+v", rr.Conflicts)
						}
						w.has("d/a", "-")
						r = w.undo()
					}
					want := map[string]string{"d/a": "content of d/a", "d/e/b": "content of d/e/b", "d/mine": "of the person", "d/out": "-"}
					for path, data := range c.want {
						want[path] = data
					}
					for path, data := range want {
						w.has(path, data)
					}
					if len(r.Conflicts) > 0 && then != "the same name" { // whose first version has the name no more
						t.Errorf("%+v", r.Conflicts)
					}
					if mode := w.modeOf("d"); !strings.Contains(mode, "rwxr-x---") {
						t.Error(mode)
					}
					if left := w.left(); len(left) > 0 && then != "the same name" {
						t.Errorf("still listed: %q", left)
					}
					w.noLeftovers()
				})
			}
		}
	}
}

func (w *world) chmodBy(rel string, mode os.FileMode) error {
	return os.Chmod(filepath.Join(w.dir, rel), mode)
}

// left are the changes that are not undone.
func (w *world) left() (out []string) {
	for _, s := range w.changes() {
		if !strings.HasSuffix(s, " undone") {
			out = append(out, s)
		}
	}
	return out
}
