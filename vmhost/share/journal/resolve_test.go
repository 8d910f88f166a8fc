package journal

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A person answers a conflict: what they answered is done, nothing of either
// version is lost, and Redo brings back what was replaced.
func TestResolve(t *testing.T) {
	theirs := func(w *world, rel string) {
		w.check(os.WriteFile(filepath.Join(w.dir, rel), []byte("the person's"), 0o644))
	}
	for _, c := range []struct {
		name   string
		task   func(w *world)
		person func(w *world)
		path   string                // of the change
		want   map[Resolution]string // what is at the path of before, and beside it
		redo   string                // what is there after Restore and Redo
	}{
		{"edited a changed file", func(w *world) { w.check(w.write("report.txt", "task", -1)) },
			func(w *world) { theirs(w, "report.txt") }, "report.txt",
			map[Resolution]string{Keep: "the person's", Restore: "content of report.txt", Both: "the person's|content of report.txt"}, "the person's"},
		{"edited the file that replaced one", func(w *world) { w.check(w.save("report.txt", "task")) },
			func(w *world) { theirs(w, "report.txt") }, "report.txt",
			map[Resolution]string{Keep: "the person's", Restore: "content of report.txt", Both: "the person's|content of report.txt"}, "the person's"},
		{"put something where one was deleted", func(w *world) { w.check(w.remove("report.txt")) },
			func(w *world) { theirs(w, "report.txt") }, "report.txt",
			map[Resolution]string{Keep: "the person's", Restore: "content of report.txt", Both: "the person's|content of report.txt"}, "the person's"},
		{"put something where one was moved away", func(w *world) { w.check(w.rename("report.txt", "moved.txt")) },
			func(w *world) { theirs(w, "report.txt") }, "moved.txt",
			map[Resolution]string{Keep: "the person's", Restore: "content of report.txt", Both: "the person's|content of report.txt"}, ""},
		{"edited a created file", func(w *world) { w.check(w.remove("report.txt")); w.check(w.create("new.txt", "task")) },
			func(w *world) { theirs(w, "new.txt") }, "new.txt",
			map[Resolution]string{Keep: "content of report.txt", Restore: "content of report.txt", Both: "content of report.txt"}, ""},
		{"no conflict", func(w *world) { w.check(w.write("report.txt", "task", -1)) },
			func(w *world) {}, "report.txt",
			map[Resolution]string{Keep: "task", Restore: "content of report.txt", Both: "content of report.txt"}, "task"},
	} {
		for _, where := range []string{"same", "other"} {
			for how, want := range c.want {
				t.Run(c.name+"/"+where+"/"+string(how), func(t *testing.T) {
					t.Parallel()
					jdir := ""
					if where == "other" {
						jdir = otherFS(t)
					}
					w := newWorld(t, jdir)
					w.seed("report.txt", "report (Fix it).txt")
					w.start()
					c.task(w)
					w.changes()
					c.person(w)
					id := w.id(c.path)
					r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: how}, Label: "Fix it"})
					w.check(err)
					read := func(rel string) string {
						b, err := os.ReadFile(filepath.Join(w.dir, rel))
						if err != nil {
							return "-"
						}
						return string(b)
					}
					got := read("report.txt")
					if beside := r.Beside[id]; beside != "" {
						if beside != "report (Fix it 2).txt" {
							t.Errorf("beside: %q", beside)
						}
						got += "|" + read(beside)
					}
					if got != want {
						t.Errorf("%q, want %q: %+v", got, want, r)
					}
					if read("report (Fix it).txt") != "content of report (Fix it).txt" {
						t.Error("a file was written over")
					}
					switch {
					case how == Keep && (len(r.Kept) != 1 || len(r.Conflicts) > 0):
						t.Errorf("kept: %+v", r)
					case how == Restore && (len(r.Conflicts) > 0 || len(r.Undone) == 0):
						t.Errorf("restored: %+v", r)
					case how == Both && r.Beside[id] != "" && !slices.Contains(w.changes(), "") && len(r.Conflicts) > 0:
						t.Errorf("both: %+v", r)
					}
					for _, s := range w.changes() {
						if how == Restore && !strings.HasSuffix(s, " undone") {
							t.Errorf("still listed: %s", s)
						}
					}
					if how != Restore || c.redo == "" {
						return
					}
					w.restart()
					rr, err := w.j.Redo(t.Context(), []string{id})
					w.check(err)
					if got := read("report.txt"); got != c.redo || len(rr.Conflicts) > 0 {
						t.Errorf("redo: %q, want %q: %+v", got, c.redo, rr)
					}
				})
			}
		}
	}
}

// What a person wants replaced stays when there is no room to keep it for Redo: it is the
// only copy.
func TestResolveWithoutRoom(t *testing.T) {
	theirs := strings.Repeat("the person's ", 10_000)
	for name, task := range map[string]func(w *world) error{
		"changed": func(w *world) error { return w.write("report.txt", "task", -1) },
		"created": func(w *world) error { return w.save("report.txt", "task") },
		"deleted": func(w *world) error { return w.remove("report.txt") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, otherFS(t)) // on the same disk it is kept by a further name
			w.seed("report.txt")
			w.start()
			w.check(task(w))
			w.changes()
			w.check(os.WriteFile(filepath.Join(w.dir, "report.txt"), []byte(theirs), 0o644))
			w.opts.MaxBytes = 1
			w.restart()
			id := w.id("report.txt")
			for range 2 {
				r, err := w.j.Undo(t.Context(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
				w.check(err)
				if len(r.Undone) > 0 || len(r.Conflicts) != 1 {
					t.Errorf("%+v", r)
				}
			}
			if got, err := os.ReadFile(filepath.Join(w.dir, "report.txt")); string(got) != theirs {
				t.Errorf("%d bytes: %.60q, %v", len(got), got, err)
			}
		})
	}
}

func TestBesideName(t *testing.T) {
	for _, c := range []struct{ name, label, want string }{
		{"report.txt", "Sort photos", "report (Sort photos).txt"},
		{"report", "x", "report (x)"},
		{".profile", "x", ".profile (x)"},
		{"a.tar.gz", "x", "a (x).tar.gz"},
		{"no ending. here", "x", "no ending. here (x)"},
		{"a.txt", "", "a (before).txt"},
		{"a.txt", "../../x\x00:*?\n", "a (.. .. x).txt"},
		{"a.txt", strings.Repeat("é", 100), "a (" + strings.Repeat("é", 40) + ").txt"},
		{strings.Repeat("ü", 125) + ".txt", "x", strings.Repeat("ü", 123) + " (x).txt"},
	} {
		if got := BesideName(c.name, c.label, 1); got != c.want || len(got) > 255 {
			t.Errorf("%q %q: %q, want %q", c.name, c.label, got, c.want)
		}
	}
}

// A name of a file with several, which a program saved anew and a person edited then, is
// restored: what is removed is not what is fixed.
func TestResolveLinked(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			jdir := ""
			if where == "other" {
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			w.seed("a", "b = a")
			w.start()
			w.check(w.write("a", "task", -1))
			w.check(w.save("a", "saved by the task"))
			w.changes()
			w.by("a", "the person's")
			id := w.id("a")
			options := UndoOptions{Resolve: map[string]Resolution{id: Restore}}
			r, err := w.j.Undo(t.Context(), []string{id}, options)
			w.check(err)
			if len(r.Conflicts) > 0 || len(r.Undone) != 2 { // with what the task wrote at the other name
				t.Errorf("%+v", r)
			}
			w.has("a", "content of a")
			redo, err := w.j.Redo(t.Context(), []string{id})
			w.check(err)
			if len(redo.Conflicts) > 0 {
				t.Errorf("%+v", redo)
			}
			w.has("a", "the person's")
		})
	}
}

// What a person saves after the program died in the middle of an undo is kept like what was
// there when they answered.
func TestResolveKeepsWhatIsSavedMeanwhile(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		for name, task := range map[string]func(w *world) error{
			"changed": func(w *world) error { return w.write("a", "task", -1) },
			"saved":   func(w *world) error { return w.save("a", "task") },
		} {
			for how, save := range map[string]func(w *world){
				"edited": func(w *world) { w.by("a", "version 2 of the person") },
				"saved anew": func(w *world) {
					w.by("new", "version 2 of the person")
					w.check(os.Rename(filepath.Join(w.dir, "new"), filepath.Join(w.dir, "a")))
				},
			} {
				t.Run(strings.Join([]string{where, name, how}, "/"), func(t *testing.T) {
					jdir := ""
					if where == "other" {
						jdir = otherFS(t)
					}
					w := newWorld(t, jdir)
					w.seed("a")
					w.start()
					w.check(task(w))
					w.changes()
					w.by("a", "version 1")
					id := w.id("a")
					died := w.diesAt("undo-all-kept", 1, func() {
						_, _ = w.j.Undo(context.Background(), nil, UndoOptions{Resolve: map[string]Resolution{id: Restore}})
					})
					save(w)
					j, err := Open(died, Options{})
					w.check(err)
					defer j.Close()
					if got, err := os.ReadFile(filepath.Join(w.dir, "a")); string(got) != "content of a" {
						t.Errorf("%q %v", got, err)
						return
					}
					r, err := j.Redo(t.Context(), nil)
					w.check(err)
					if len(r.Conflicts) > 0 {
						t.Errorf("%+v", r)
					}
					w.has("a", "version 2 of the person")
				})
			}
		}
	}
}
