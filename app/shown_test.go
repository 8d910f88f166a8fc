package app

import (
	"errors"
	"slices"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/journal"
)

// aDirectory has a task make a directory with two files in it, and one beside it.
func aDirectory(rt *choretest.Runtime) error {
	return errors.Join(rt.Files.Write("/folders/things/d/one.txt", []byte("one\n")), rt.Files.Write("/folders/things/d/two.txt", []byte("two\n")), rt.Files.Write("/folders/things/three.txt", []byte("three\n")))
}

// A yes is a yes to what was shown: what goes along with it is in the preview, and neither that nor a
// list that changed since is done without having been shown.
func TestWhatWasShownIsDone(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	for how, mode := range map[string]task.Mode{history.ByUndo: task.ModeReadWrite, history.ByRedo: task.ModeReadWrite, history.ByApply: task.ModeReview, history.ByDiscard: task.ModeReview} {
		t.Run(how, func(t *testing.T) {
			w, c, dir, id := changing(t, mode, aDirectory)
			w.set(func() { w.diskMB = 100 << 10 })
			if how == history.ByRedo {
				if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil {
					t.Fatal(err)
				}
			}
			do := func(ids []string, digest string) (int, error) {
				switch how {
				case history.ByUndo:
					r, err := c.Undo(t.Context(), id, history.UndoRequest{IDs: ids, Digest: digest})
					return len(r.Undone), err
				case history.ByRedo:
					r, err := c.Redo(t.Context(), id, history.RedoRequest{IDs: ids, Digest: digest})
					return len(r.Redone), err
				}
				r, err := c.Apply(t.Context(), id, history.ApplyRequest{IDs: ids, Digest: digest, Discard: how == history.ByDiscard})
				return len(r.Applied) + len(r.Discarded), err
			}
			list, err := c.Changes(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			// What takes others along: the directory that goes, or a file whose directory has to come.
			name, along := "d", 3
			if how == history.ByRedo || how == history.ByApply {
				name, along = "d/one.txt", 2
			}
			i := slices.IndexFunc(list, func(c journal.Change) bool { return c.Path == name })
			if i < 0 {
				t.Fatalf("%q is not in %+v", name, list)
			}
			ids, before := []string{list[i].ID}, names(t, dir)
			nothingDone := func(what string, err error, code, cause string) {
				t.Helper()
				p := problem.From(err)
				if p.Code != code || p.Cause != cause || !slices.Equal(names(t, dir), before) {
					t.Errorf("%s: %v %q, the folder has %q", what, err, p.Cause, names(t, dir))
				}
			}
			_, err = do(ids, "")
			nothingDone("what goes along was not shown", err, problem.CodeListChanged, "along")
			shown, err := c.Preview(t.Context(), id, history.PreviewRequest{How: how, IDs: ids})
			if err != nil || len(shown.Changes) != along {
				t.Fatalf("the preview has %+v, %v", shown, err)
			}
			all, err := c.Preview(t.Context(), id, history.PreviewRequest{How: how})
			if err != nil || len(all.Changes) != 4 || all.Digest == shown.Digest {
				t.Fatalf("the preview of all has %+v, %v", all, err)
			}
			if !slices.Equal(names(t, dir), before) {
				t.Errorf("a preview did something: the folder has %q", names(t, dir))
			}
			_, err = do(ids, all.Digest)
			nothingDone("another list was shown", err, problem.CodeListChanged, "")
			if n, err := do(ids, shown.Digest); n != along || err != nil {
				t.Errorf("%d are done: %v", n, err)
			}
			before = names(t, dir)
			_, err = do(nil, all.Digest)
			nothingDone("the list changed since", err, problem.CodeListChanged, "")
		})
	}
}
