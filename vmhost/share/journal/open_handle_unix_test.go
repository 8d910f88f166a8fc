//go:build unix

package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
	"piwork/vmhost/share/journal/internal/ledger"
)

// handleChanges are what a program does through a handle that it opened before the file lost its name.
var handleChanges = map[string]func(store.Handle) error{
	"nothing":   func(store.Handle) error { return nil },
	"fchmod":    func(h store.Handle) error { return h.SetMeta(at.Meta{Mode: new(uint32(0o600))}) },
	"fsetxattr": func(h store.Handle) error { return h.SetXattr("user.mine", []byte("task"), 0) },
	"a new attribute": func(h store.Handle) error {
		return h.SetXattr("user.task", []byte("task"), 0)
	},
	"fremovexattr": func(h store.Handle) error { return h.RemoveXattr("user.mine") },
	"futimes":      func(h store.Handle) error { return h.SetMeta(at.Meta{MTime: time.Unix(1e9, 5)}) },
	"write":        func(h store.Handle) error { _, err := h.WriteAt([]byte("TASK"), 3); return err },
	"truncate":     func(h store.Handle) error { return h.Truncate(2) },
	"fallocate":    func(h store.Handle) error { return h.Allocate(0, 0, 5000) },
	"mode and write": func(h store.Handle) error {
		_, err := h.WriteAt([]byte("TASK"), 0)
		if err == nil {
			err = h.SetMeta(at.Meta{Mode: new(uint32(0o600))})
		}
		return err
	},
}

// nameChanges are what happens to the name of that file meanwhile.
var nameChanges = map[string]func(w *world, name string) error{
	"unlink":          func(w *world, name string) error { return w.remove(name) },
	"rename over":     func(w *world, name string) error { return w.rename("over/"+name, name) },
	"rename away":     func(w *world, name string) error { return w.rename(name, "away/"+name) },
	"link":            func(w *world, name string) error { return w.link(name, "away/"+name) },
	"link and unlink": func(w *world, name string) error { return firstError(w.link(name, "away/"+name), w.remove(name)) },
	"away and unlink": func(w *world, name string) error {
		return firstError(w.rename(name, "away/"+name), w.remove("away/"+name))
	},
	"made again": func(w *world, name string) error { return firstError(w.remove(name), w.create(name, "task")) },
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// What a program does to a file through a handle, after it removed, replaced, moved or linked the file,
// takes nothing from undo: however the content is kept, and whatever happens in between.
func TestOpenHandleOfAFileThatLosesItsName(t *testing.T) {
	const files = 9                      // the first three are waited for, the others kept ahead
	stride, n := tier.Pick(25, 50, 1), 0 // of the table, which comes in another order each time
	for _, place := range []string{"same", "other"} {
		for _, kind := range []string{"small", "parts", "copy"} {
			for _, before := range []string{"", "written before"} {
				for _, between := range []string{"", "list", "crash"} {
					for lose, name := range nameChanges {
						for how, change := range handleChanges {
							if n++; n%stride != 0 {
								continue
							}
							t.Run(strings.Join([]string{place, kind, before, between, lose, how}, "/"), func(t *testing.T) {
								t.Parallel()
								w := newWorld(t, "")
								if w.dir = filepath.Join(otherFS(t), "folder"); place == "same" {
									w.jdir = filepath.Join(filepath.Dir(w.dir), "journal")
								}
								w.check(os.Mkdir(w.dir, 0o755))
								content := map[string]string{"small": "content", "parts": strings.Repeat("0123456789", 20), "copy": strings.Repeat("0123456789", 7000)}[kind]
								if kind == "parts" {
									w.parts = 100
								}
								w.seed("away/", "over/")
								var names []string
								for i := range files {
									name := fmt.Sprint("f", i)
									names = append(names, name)
									w.by(name, content+name)
									w.by("over/"+name, "over")
									w.attr(name, "user.mine", "of "+name)
								}
								w.age()
								w.start()
								w.mark()
								for _, n := range names {
									h := w.openFile(n)
									if before != "" {
										w.put(h, "first", 1)
									}
									w.check(name(w, n))
									if between == "list" {
										w.changes()
									}
									w.check(change(h))
									if between == "list" {
										w.changes()
									}
									w.check(h.Close())
								}
								if between == "crash" {
									w.crash()
								}
								r := w.undo()
								if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
									t.Errorf("%+v\n%s", r.Conflicts, d)
								}
							})
						}
					}
				}
			}
		}
	}
}

// crash goes on with what the death of the program leaves.
func (w *world) crash() {
	w.t.Helper()
	died := w.died()
	w.stop()
	w.jdir = died
	w.restart()
}

// A person who edits the file through another hard link keeps what they wrote, and the name that the
// task removed comes back.
func TestOpenHandleAndAnotherHardLink(t *testing.T) {
	for _, place := range []string{"same", "other"} {
		for _, when := range []string{"before the handle", "after the handle"} {
			for how, change := range handleChanges {
				t.Run(strings.Join([]string{place, when, how}, "/"), func(t *testing.T) {
					w := newWorld(t, "")
					if place == "other" {
						w.jdir = filepath.Join(otherFS(t), "journal")
					}
					w.exactTimes()
					w.seed("a", "b = a")
					w.attr("a", "user.mine", "of a")
					w.start()
					h := w.openFile("a")
					w.check(w.remove("a"))
					pause()
					if when == "before the handle" {
						w.by("b", "theirs, and longer than before")
						pause()
					}
					w.check(change(h))
					pause()
					if when == "after the handle" {
						w.by("b", "theirs, and longer than before")
					}
					w.check(h.Close())
					r := w.undo()
					w.has("b", "theirs, and longer than before")
					if !exists(filepath.Join(w.dir, "a")) && r.reasons()["a"] == "" {
						t.Errorf("a is gone; %+v; %q", r, w.changes())
					}
				})
			}
		}
	}
}

// A file of several names that is unlinked by one and changed through a handle is listed twice: the
// deletion, and the change at the other name. Undo and redo do both.
func TestChangeAtAnotherNameIsListed(t *testing.T) {
	for _, place := range []string{"same", "other"} {
		for _, between := range []string{"", "list", "crash"} {
			for how, do := range map[string]func(w *world){
				"handle": func(w *world) {
					h := w.openFile("a")
					w.check(w.remove("a"))
					w.put(h, "TASK", 0)
					w.check(h.Close())
				},
				"handle, mode": func(w *world) {
					h := w.openFile("a")
					w.check(w.remove("a"))
					w.check(h.SetMeta(at.Meta{Mode: new(uint32(0o600))}))
					w.check(h.Close())
				},
				"handle, replaced": func(w *world) {
					h := w.openFile("a")
					w.check(w.rename("z", "a"))
					w.put(h, "TASK", 0)
					w.check(h.Close())
				},
				"by the other name after": func(w *world) { w.check(w.remove("a")); w.check(w.write("d/b", "TASK", 0)) },
				"by the other name first": func(w *world) { w.check(w.write("d/b", "TASK", 0)); w.check(w.remove("a")) },
			} {
				t.Run(strings.Join([]string{place, between, how}, "/"), func(t *testing.T) {
					w := newWorld(t, "")
					if place == "other" {
						w.jdir = filepath.Join(otherFS(t), "journal")
					}
					w.seed("a", "d/", "d/b = a", "z")
					w.start()
					w.mark()
					if do(w); between == "list" {
						w.changes()
					}
					if between == "crash" {
						w.crash()
					}
					after := timeless(w.tree())
					if list := w.changes(); !contains(list, "change d/b") || !contains(list, "delete a") && !contains(list, "change a") {
						t.Errorf("listed: %q", list)
					}
					if r := w.undo(); len(r.Conflicts) > 0 {
						t.Errorf("undo: %+v", r.Conflicts)
					}
					if d := diff(w.before, w.tree()); d != "" {
						t.Errorf("undo:\n%s", d)
					}
					r, err := w.j.Redo(t.Context(), nil)
					w.check(err)
					if d := diff(after, timeless(w.tree())); d != "" || len(r.Conflicts) > 0 {
						t.Errorf("redo: %+v\n%s", r.Conflicts, d)
					}
					w.undo()
					if d := diff(w.before, w.tree()); d != "" {
						t.Errorf("undo of redo:\n%s", d)
					}
				})
			}
		}
	}
}

// What the journal holds of a file without a record that says so is given out again when the journal is
// opened, if a name of the person's waits for it.
func TestReferenceWithoutARecordIsGivenOut(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b")
	w.start()
	w.mark()
	w.check(w.remove("a"))
	for _, o := range w.j.rec.Tables.Objects {
		if o.Ref != 0 {
			w.check(w.j.rec.PutNow(ledger.RefRecord{Object: o.ID}))
		}
	}
	w.restart()
	if r := w.undo(); len(r.Conflicts) > 0 {
		t.Errorf("%+v", r)
	}
	if d := diff(w.before, w.tree()); d != "" {
		t.Error(d)
	}
}
