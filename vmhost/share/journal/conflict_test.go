package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a person did after the task is theirs: undo leaves it alone, says so,
// and takes everything else back.
func TestConflicts(t *testing.T) {
	later := func(w *world, rel, data string) { // a person saves a file
		w.check(os.WriteFile(filepath.Join(w.dir, rel), []byte(data), 0o644))
	}
	for _, c := range []struct {
		name   string
		seed   []string
		task   func(w *world)
		person func(w *world)
		want   map[string]Reason // path → reason
		keep   map[string]string // path → content after undo, "-" for nothing
		unseen bool              // a conflict unless the content was hashed before
	}{
		{"edited a changed file", []string{"a", "b"},
			func(w *world) { w.check(w.write("a", "task", -1)); w.check(w.write("b", "task", -1)) },
			func(w *world) { later(w, "a", "mine") },
			map[string]Reason{"a": ReasonChanged}, map[string]string{"a": "mine", "b": "content of b"}, false},
		{"edited it with the same length and time", []string{"a"},
			func(w *world) { w.check(w.write("a", "task", -1)) },
			func(w *world) {
				info, err := os.Stat(filepath.Join(w.dir, "a"))
				w.check(err)
				later(w, "a", "mine")
				w.check(os.Chtimes(filepath.Join(w.dir, "a"), info.ModTime(), info.ModTime()))
			},
			map[string]Reason{"a": ReasonChanged}, map[string]string{"a": "mine"}, false},
		{"only looked, touched and changed the mode", []string{"a"},
			func(w *world) { w.check(w.write("a", "task", -1)) },
			func(w *world) {
				w.check(os.Chtimes(filepath.Join(w.dir, "a"), time.Now(), time.Now()))
				w.check(os.Chmod(filepath.Join(w.dir, "a"), 0o640))
			},
			nil, map[string]string{"a": "content of a"}, true},
		{"edited a created file", nil,
			func(w *world) { w.check(w.create("n", "task")) },
			func(w *world) { later(w, "n", "mine") },
			map[string]Reason{"n": ReasonChanged}, map[string]string{"n": "mine"}, false},
		{"emptied a created file", nil,
			func(w *world) { w.check(w.create("n", "task")) },
			func(w *world) { later(w, "n", "") },
			map[string]Reason{"n": ReasonChanged}, map[string]string{"n": ""}, false},
		{"emptied a created file to which the task gave a time to come", nil,
			func(w *world) {
				w.check(w.create("n", "task"))
				w.check(w.chtimes("n", time.Now().Add(1000*time.Hour)))
			},
			func(w *world) {
				later(w, "n", "")
				w.check(os.Chtimes(filepath.Join(w.dir, "n"), time.Now().Add(time.Minute), time.Now().Add(time.Minute)))
			},
			map[string]Reason{"n": ReasonChanged}, map[string]string{"n": ""}, false},
		{"a power cut emptied a created file", nil, // its name and time reached the disk before its content
			func(w *world) { w.check(w.create("n", "task")) },
			func(w *world) {
				info, err := os.Stat(filepath.Join(w.dir, "n"))
				w.check(err)
				later(w, "n", "")
				w.check(os.Chtimes(filepath.Join(w.dir, "n"), info.ModTime(), info.ModTime()))
			},
			nil, map[string]string{"n": "-"}, false},
		{"removed a created file", nil,
			func(w *world) { w.check(w.create("n", "task")) },
			func(w *world) { w.check(os.Remove(filepath.Join(w.dir, "n"))) },
			nil, map[string]string{"n": "-"}, false},
		{"removed a changed file", []string{"a"},
			func(w *world) { w.check(w.write("a", "task", -1)) },
			func(w *world) { w.check(os.Remove(filepath.Join(w.dir, "a"))) },
			map[string]Reason{"a": ReasonGone}, map[string]string{"a": "-"}, false},
		{"put something else where one was deleted", []string{"a"},
			func(w *world) { w.check(w.remove("a")) },
			func(w *world) { later(w, "a", "mine") },
			map[string]Reason{"a": ReasonInTheWay}, map[string]string{"a": "mine"}, false},
		{"brought the deleted file back themselves", []string{"a"},
			func(w *world) { w.check(w.remove("a")) },
			func(w *world) { later(w, "a", "content of a") },
			nil, map[string]string{"a": "content of a"}, false},
		{"put a directory where a file was deleted", []string{"a"},
			func(w *world) { w.check(w.remove("a")) },
			func(w *world) { w.check(os.Mkdir(filepath.Join(w.dir, "a"), 0o755)); later(w, "a/x", "mine") },
			map[string]Reason{"a": ReasonInTheWay}, map[string]string{"a/x": "mine"}, false},
		{"put something where a moved file was", []string{"a"},
			func(w *world) { w.check(w.rename("a", "b")) },
			func(w *world) { later(w, "a", "mine") },
			map[string]Reason{"b": ReasonInTheWay}, map[string]string{"a": "mine", "b": "content of a"}, false},
		{"moved the moved file elsewhere", []string{"a"},
			func(w *world) { w.check(w.rename("a", "b")) },
			func(w *world) { w.check(os.Rename(filepath.Join(w.dir, "b"), filepath.Join(w.dir, "c"))) },
			map[string]Reason{"b": ReasonGone}, map[string]string{"c": "content of a"}, false},
		{"edited the moved file", []string{"a"},
			func(w *world) { w.check(w.rename("a", "b")) },
			func(w *world) { later(w, "b", "mine") },
			map[string]Reason{"b": ReasonChanged}, map[string]string{"b": "mine", "a": "-"}, false},
		{"edited the file that replaced one", []string{"a"},
			func(w *world) { w.check(w.save("a", "task")) },
			func(w *world) { later(w, "a", "mine") },
			map[string]Reason{"a": ReasonChanged}, map[string]string{"a": "mine"}, false},
		{"saved by rename over a changed file", []string{"a"},
			func(w *world) { w.check(w.write("a", "task", -1)) },
			func(w *world) {
				later(w, "a.new", "mine")
				w.check(os.Rename(filepath.Join(w.dir, "a.new"), filepath.Join(w.dir, "a")))
			},
			map[string]Reason{"a": ReasonChanged}, map[string]string{"a": "mine"}, false},
		{"put a file into a created directory", nil,
			func(w *world) { w.check(w.mkdir("d")); w.check(w.create("d/n", "task")) },
			func(w *world) { later(w, "d/mine", "mine") },
			map[string]Reason{"d": ReasonChanged}, map[string]string{"d/mine": "mine", "d/n": "-"}, false},
		{"replaced a changed file by a link out of the folder", []string{"a"},
			func(w *world) { w.check(w.write("a", "task", -1)) },
			func(w *world) {
				w.check(os.Remove(filepath.Join(w.dir, "a")))
				w.check(os.Symlink("../secret", filepath.Join(w.dir, "a")))
			},
			map[string]Reason{"a": ReasonChanged}, map[string]string{"../secret": "secret"}, false},
		{"replaced a directory by a link out of the folder", []string{"d/a"},
			func(w *world) { w.check(w.write("d/a", "task", -1)); w.check(w.create("d/n", "task")) },
			func(w *world) {
				w.check(os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "moved")))
				w.check(os.Symlink("../outside", filepath.Join(w.dir, "d")))
			},
			nil, map[string]string{"../outside/a": "task", "../outside/n": "task", "moved/a": "content of d/a", "moved/n": "-"}, false},
		{"filled the trash of a deleted directory", []string{"d/a"},
			func(w *world) { w.check(w.rmrf("d")) },
			func(w *world) { later(w, "d", "mine") },
			map[string]Reason{"d": ReasonInTheWay, "d/a": ReasonInTheWay}, map[string]string{"d": "mine"}, false},
	} {
		for _, how := range []string{"listed", "not listed", "restarted"} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				w := newWorld(t, "")
				w.seed(c.seed...)
				w.check(os.WriteFile(filepath.Join(w.dir, "../secret"), []byte("secret"), 0o644))
				w.check(os.Mkdir(filepath.Join(w.dir, "../outside"), 0o755))
				for _, n := range []string{"a", "n"} {
					w.check(os.WriteFile(filepath.Join(w.dir, "../outside", n), []byte("task"), 0o644))
				}
				w.start()
				c.task(w)
				switch how {
				case "listed":
					w.changes()
				case "restarted":
					w.restart()
				}
				time.Sleep(20 * time.Millisecond) // a person is slower than records and the ticks of a file system
				c.person(w)
				w.changes()
				want, keep := c.want, c.keep
				if how != "listed" && c.unseen {
					want, keep = map[string]Reason{"a": ReasonChanged}, map[string]string{"a": "task"}
				}
				r := w.undo()
				got := map[string]Reason{}
				for _, x := range r.Conflicts {
					got[x.Change.Path] = x.Reason
				}
				if len(got) != len(want) {
					t.Errorf("conflicts: %+v", r.Conflicts)
				}
				for p, reason := range want {
					if got[p] != reason {
						t.Errorf("%s: %q, want %q", p, got[p], reason)
					}
				}
				for p, want := range keep {
					b, err := os.ReadFile(filepath.Join(w.dir, p))
					if s := string(b); err == nil && s != want || err != nil && want != "-" {
						t.Errorf("%s: %q %v, want %q", p, s, err, want)
					}
				}
				for _, p := range []string{"a", "n"} {
					if b, err := os.ReadFile(filepath.Join(w.dir, "../outside", p)); err != nil || string(b) != "task" {
						t.Errorf("outside/%s: %q %v", p, b, err)
					}
				}
				w.noLeftovers()
				// What was left alone stays in the list, as the task left it.
				for p := range want {
					found := false
					for _, s := range w.changes() {
						found = found || !strings.HasSuffix(s, "undone") && strings.Contains(s, p)
					}
					if !found {
						t.Errorf("%s is not listed any more: %q", p, w.changes())
					}
				}
			})
		}
	}
}

func (w *world) noLeftovers() {
	w.t.Helper()
	if tree := w.tree(); strings.Contains(tree, ".piwork") {
		w.t.Errorf("left behind:\n%s", tree)
	}
}

// A person who edits a file between two changes of the task gets their version
// back, not an older one.
func TestPersonInBetween(t *testing.T) {
	for _, c := range []struct {
		name string
		task func(w *world, n string)
	}{
		{"overwrite", func(w *world, n string) { w.check(w.write("a", n, -1)) }},
		{"remove", func(w *world, n string) { w.check(w.remove("a")) }},
		{"save", func(w *world, n string) { w.check(w.save("a", n)) }},
		{"move over", func(w *world, n string) { w.check(w.rename("b", "a")) }},
	} {
		for _, first := range []string{"write", "save", "create"} {
			t.Run(first+", "+c.name, func(t *testing.T) {
				w := newWorld(t, "")
				w.seed("b")
				if first != "create" {
					w.seed("a")
				}
				w.start()
				switch first {
				case "write":
					w.check(w.write("a", "first of the task", -1))
				case "save":
					w.check(w.save("a", "first of the task"))
				case "create":
					w.check(w.create("a", "first of the task"))
				}
				w.check(os.WriteFile(filepath.Join(w.dir, "a"), []byte("of the person"), 0o644))
				c.task(w, "second")
				w.restart()
				r := w.undo()
				b, err := os.ReadFile(filepath.Join(w.dir, "a"))
				if string(b) != "of the person" {
					t.Errorf("a: %q %v\n%+v", b, err, r)
				}
			})
		}
	}
}

func TestUndoSome(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a", "b", "d/e/f", "d/g")
	w.start()
	before := w.tree()
	w.check(w.write("a", "task", -1))
	w.check(w.remove("b"))
	w.check(w.rmrf("d"))
	w.check(w.mkdir("n"))
	w.check(w.create("n/1", "x"))
	w.check(w.create("n/2", "x"))

	r := w.undo(w.id("d/e/f"))
	if len(r.Undone) != 3 || len(r.Conflicts) > 0 {
		t.Fatalf("a file in a deleted directory: %+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(w.dir, "d/e/f")); string(b) != "content of d/e/f" {
		t.Fatalf("%q %v", b, err)
	}
	if got := w.changes(); !sameSet(got, []string{"change a", "delete b", "delete d/g", "create n (dir)", "create n/1", "create n/2",
		"delete d (dir) undone", "delete d/e (dir) undone", "delete d/e/f undone"}) {
		t.Fatalf("left: %q", got)
	}
	r = w.undo(w.id("n"))
	if len(r.Undone) != 3 || len(r.Conflicts) > 0 {
		t.Fatalf("a created directory: %+v", r)
	}
	w.restart()
	r = w.undo()
	if len(r.Undone) != 3 || len(r.Conflicts) > 0 {
		t.Fatalf("the rest: %+v", r)
	}
	if d := diff(before, w.tree()); d != "" {
		t.Fatalf("after undo:\n%s", d)
	}
	again, err := w.j.Undo(t.Context(), []string{r.Undone[0].ID}, UndoOptions{})
	if err != nil || len(again.Undone) != 1 || again.Undone[0].Undone == nil {
		t.Fatalf("undo of what is undone: %+v %v", again, err)
	}
}

// The task goes on after an undo: new changes are against what undo restored.
func TestChangeAfterUndo(t *testing.T) {
	w := newWorld(t, "")
	w.seed("a")
	w.start()
	before := w.tree()
	open, _, err := w.f.Open("a", true)
	w.check(err)
	defer open.Close()
	_, err = open.WriteAt([]byte("one"), 0)
	w.check(err)
	w.undo()
	_, err = open.WriteAt([]byte("into what was replaced"), 0) // the task still has it open
	w.check(err)
	if got := w.changes(); !sameSet(got, []string{"change a undone"}) {
		t.Fatalf("changes: %q", got)
	}
	w.check(w.write("a", "two", -1))
	if got := w.changes(); !sameSet(got, []string{"change a"}) {
		t.Fatalf("changes: %q", got)
	}
	w.undo()
	if d := diff(before, w.tree()); d != "" {
		t.Fatalf("after undo:\n%s", d)
	}
}
