package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share/drive/drivetest"
)

// What the system shows of a disk that was lost is not believed by who opens the journal meanwhile:
// what is kept is given up when the disk has what was undone or redone.
func TestLostDiskIsNotBelieved(t *testing.T) {
	for _, redo := range []bool{false, true} {
		t.Run(map[bool]string{false: "undo", true: "redo"}[redo], func(t *testing.T) {
			w := newWorld(t, filepath.Join(otherFS(t), "journal"))
			behind := w.dir
			drive := drivetest.Mount(t, behind)
			w.dir = drive.Dir
			w.seed("gone", "d/x")
			step, lost, want := "undo-done", "gone", "content of gone"
			if redo {
				step, lost, want = "step", "made", "task"
			}
			arm := w.while(step, func() { drive.Lose(true) })
			w.mark()
			task := func() error { return w.remove("gone") }
			work := func() (Report, error) { return w.j.Undo(t.Context(), nil, UndoOptions{}) }
			if redo {
				task = func() error { return w.create("made", "task") }
			}
			w.check(task())
			if redo {
				w.undo()
				work = func() (Report, error) { return w.j.Redo(t.Context(), nil) }
			}
			arm()
			if r, err := work(); err == nil || len(r.Undone)+len(r.Redone) > 0 {
				t.Errorf("lost: %+v %v", r, err)
			}
			w.stop()
			for range 2 {
				if r, err := Finish(t.Context(), w.jdir, Options{}); !errors.Is(err, ErrUnfinished) || !Unfinished(w.jdir) {
					t.Errorf("still lost: %+v %v", r, err)
				}
			}
			w.check(os.Remove(filepath.Join(behind, lost))) // only the memory had it
			drive.Lose(false)
			if _, err := Finish(t.Context(), w.jdir, Options{}); err != nil || Unfinished(w.jdir) {
				t.Errorf("back: %v", err)
			}
			w.has(lost, want)
			w.noLeftovers()
			if !redo {
				if d := diff(w.before, w.tree()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}
