//go:build unix

package journal

// Windows has no modes of directories, and no sync of them that could fail (at.Dir.Sync).

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/journal/internal/recorder"
)

// An undo that fails before it changes anything is over: it does not happen later, when
// nobody expects it any more.
func TestFailedUndoDoesNotGoOn(t *testing.T) {
	w := newWorld(t, "")
	w.seed("changed", "gone", "closed/inner")
	for i := range recorder.Many { // all is kept before anything is done where there is much to do
		w.seed(fmt.Sprint("many/", i))
	}
	w.start()
	w.check(w.write("changed", "task", -1))
	w.check(w.remove("gone"))
	for i := range recorder.Many {
		w.check(w.write(fmt.Sprint("many/", i), "task", -1))
	}
	w.check(w.create("closed/made", "task"))
	w.check(w.chmod("closed", 0o500))
	left := w.tree()
	w.j.rec.Hook = func(s string) {
		if s == "undo-prestaged" {
			w.j.undos.Load().Store.Close() // its sync fails
		}
	}
	r, err := w.j.Undo(t.Context(), nil, UndoOptions{})
	if err == nil || len(r.Undone) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if d := diff(left, w.tree()); d != "" {
		t.Errorf("it failed, and changed:\n%s", d)
	}
	if Unfinished(w.jdir) {
		t.Error("unfinished")
	}
	w.j.rec.Hook = nil
	w.restart()
	if d := diff(left, w.tree()); d != "" {
		t.Errorf("it went on when the journal was opened:\n%s", d)
	}
	if r := w.undo(); len(r.Conflicts) > 0 || len(r.Undone) != 4+recorder.Many {
		t.Errorf("tried again: %+v", r)
	}
}

// A directory that undo had to open to itself is closed again, also by the undo that goes on
// after the program died.
func TestInterruptedUndoClosesDirectories(t *testing.T) {
	for _, step := range []string{"undo-all-kept", "undo-placed", "undo-dir", "undo-durable", "undo-done"} {
		for _, all := range []bool{true, false} {
			t.Run(fmt.Sprint(step, " all ", all), func(t *testing.T) {
				w := newWorld(t, "")
				w.seed("theirs/gone", "closed/gone")
				w.check(os.Chmod(filepath.Join(w.dir, "theirs"), 0o500))
				w.start()
				w.check(w.chmod("theirs", 0o700))
				w.check(w.remove("theirs/gone"))
				w.check(w.chmod("theirs", 0o500))
				w.check(w.remove("closed/gone"))
				w.check(w.mkdir("made"))
				w.check(w.chmod("made", 0o500))
				w.check(w.chmod("closed", 0o500))
				want := map[string]uint32{"theirs": 0o500, "closed": 0o755}
				var ids []string
				if !all {
					ids = []string{w.id("theirs/gone"), w.id("closed/gone")}
					want["closed"] = 0o500 // by the task, which is not taken back
					want["made"] = 0o500
				}
				died := w.diesAt(step, 1, func() { _, _ = w.j.Undo(context.Background(), ids, UndoOptions{}) })
				done, err := Finish(t.Context(), died, Options{})
				if err != nil || len(done.Undo.Conflicts) > 0 {
					t.Errorf("%+v %v", done, err)
				}
				for name, mode := range want {
					if info, err := os.Stat(filepath.Join(w.dir, name)); err != nil || info.Mode().Perm() != os.FileMode(mode) {
						t.Errorf("%s: %v %v, want %04o", name, info.Mode(), err, mode)
					}
				}
				for _, name := range []string{"theirs/gone", "closed/gone"} {
					if !exists(filepath.Join(w.dir, name)) {
						t.Errorf("%s is gone", name)
					}
				}
			})
		}
	}
}

// pulled takes what only the memory had, and the folder: no sync of it succeeds any more.
func (w *world) pulled(lose func(dir string) error) {
	w.t.Helper()
	w.check(lose(w.dir))
	for range 4 { // whoever else holds it open
		w.root.Close()
	}
}

// What is kept is not given up before the folder has it: a drive that is pulled out at the end of
// an undo or a redo takes what only the memory had, and they go on when it is back.
func TestPulledAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		step, lost, want string
		task             func(w *world) error
		lose             func(dir string) error
	}{
		"undo": {
			"undo-done", "gone", "content of gone", func(w *world) error { return w.remove("gone") },
			func(dir string) error { return os.Remove(dir + "/gone") },
		},
		"redo": {
			"step", "made", "task", func(w *world) error { return w.create("made", "task") },
			func(dir string) error { return os.Remove(dir + "/made") },
		},
		"redo of a move": {
			"step", "there", "content of gone", func(w *world) error { return w.rename("gone", "there") },
			func(dir string) error { return os.Rename(dir+"/there", dir+"/gone") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, filepath.Join(otherFS(t), "journal"))
			w.seed("gone")
			arm := w.while(c.step, func() { w.pulled(c.lose) })
			w.check(c.task(w))
			work := func() (Report, error) { return w.j.Undo(t.Context(), nil, UndoOptions{}) }
			if c.step == "step" {
				w.undo()
				work = func() (Report, error) { return w.j.Redo(t.Context(), nil) }
			}
			arm()
			if r, err := work(); err == nil || len(r.Undone)+len(r.Redone) > 0 || !Unfinished(w.jdir) {
				t.Errorf("pulled out: %+v %v", r, err)
			}
			if c.step == "undo-done" { // what this journal knows is not so
				if r, err := work(); !errors.Is(err, ErrUnfinished) {
					t.Errorf("once more: %+v %v", r, err)
				}
			}
			w.restart()
			w.has(c.lost, c.want)
			if Unfinished(w.jdir) {
				t.Error("unfinished when it was finished")
			}
			if c.step == "step" {
				w.undo()
				w.has(c.lost, "-")
			}
			w.nothingLeft(0)
		})
	}
}
