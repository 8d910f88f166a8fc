//go:build unix

package journal

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// What a person put into a directory that the task made, or edited there, comes back with that
// directory, whichever of them the task removed.
func TestPersonInMadeDirectory(t *testing.T) {
	const movedDir = "its directory, which moved before anybody saw the file"
	for name, rm := range map[string]func(w *world) error{
		"the file": func(w *world) error { return w.remove("d/in/mine") },
		"all":      func(w *world) error { return w.rmrf("d") },
		movedDir: func(w *world) error {
			if err := w.rename("d/in", "d/moved"); err != nil {
				return err
			}
			return w.rmrf("d/moved")
		},
		"all, and made the directory again": func(w *world) error {
			if err := w.rmrf("d"); err != nil {
				return err
			}
			if err := w.mkdir("d"); err != nil {
				return err
			}
			return w.create("d/out", "again")
		},
		"it, moved where another directory was made": func(w *world) error {
			if err := w.mkdir("other"); err != nil {
				return err
			}
			if err := w.rename("d/in/mine", "other/mine"); err != nil {
				return err
			}
			if err := w.rmrf("d"); err != nil {
				return err
			}
			return w.rmrf("other")
		},
	} {
		for how, person := range map[string]func(w *world){
			"new":    func(w *world) { w.by("d/in/mine", "of the person") },
			"edited": func(w *world) { w.check(w.create("d/in/mine", "task")); w.by("d/in/mine", "of the person") },
			"moved there": func(w *world) {
				w.check(os.Rename(filepath.Join(w.dir, "theirs"), filepath.Join(w.dir, "d/in/mine")))
				w.by("d/in/mine", "of the person")
			},
			"another name": func(w *world) {
				w.check(w.remove("linked"))
				w.check(os.Rename(filepath.Join(w.dir, "name"), filepath.Join(w.dir, "d/in/mine")))
			},
		} {
			for _, then := range []string{"undo", "rewritten", "redo"} {
				for _, where := range []string{"same", "other"} {
					t.Run(strings.Join([]string{name, how, then, where}, "/"), func(t *testing.T) {
						t.Parallel()
						jdir := ""
						if where == "other" {
							jdir = otherFS(t)
						}
						w, mine := newWorld(t, jdir), "d/in/mine"
						if name == movedDir {
							mine = "d/moved/mine"
						}
						w.seed("theirs", "name", "linked = name", "x")
						w.by("name", "of the person")
						w.age()
						w.start()
						w.check(w.mkdir("first"))
						w.check(w.mkdir("first/in"))
						w.check(w.create("first/in/out", "task"))
						w.check(w.rename("first", "d"))
						person(w)
						w.check(os.Chmod(filepath.Join(w.dir, "d/in"), 0o750))
						w.check(rm(w))
						if then == "rewritten" {
							w.check(w.rewritten())
							w.restart()
						}
						for _, c := range w.changes() {
							if strings.Contains(c, "first") {
								t.Errorf("a name that no person knows: %s", c)
							}
						}
						r := w.undo()
						if len(r.Conflicts) > 0 {
							t.Errorf("%+v", r.Conflicts)
						}
						w.has(mine, "of the person")
						w.has("d/in/out", "-")
						w.has("other", "-")
						if mode := w.modeOf(path.Dir(mine)); !strings.Contains(mode, "rwxr-x---") {
							t.Error(mode)
						}
						w.noLeftovers()
						if then != "redo" {
							return
						}
						for range 2 {
							rr, err := w.j.Redo(t.Context(), nil)
							w.check(err)
							if len(rr.Conflicts) > 0 {
								t.Errorf("redo: %+v", rr.Conflicts)
							}
							w.has(mine, "-")
							if r := w.undo(); len(r.Conflicts) > 0 {
								t.Errorf("undone again: %+v", r.Conflicts)
							}
							w.has(mine, "of the person")
						}
					})
				}
			}
		}
	}
}
