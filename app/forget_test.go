package app

import (
	"slices"
	"testing"

	"piwork/app/history"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
)

// A task that goes on after its undo was given up can be undone from there on: its
// changes have ids that no earlier one had, and all of them are taken back.
func TestUndoAfterForget(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	_, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	before, err := c.Changes(t.Context(), id)
	if err != nil || len(before) != 2 {
		t.Fatalf("%+v %v", before, err)
	}
	if _, err := c.ForgetUndo(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	tk, err := c.store.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.s.journal(c.store.JournalDir(id), tk.Folders, history.Room{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.s.share(tk.Folders, j, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mount(s.Serve)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"three.txt", "four.txt"} {
		if err := m.Write("/folders/things/"+name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	_ = m.Close() // the connection was cut by closing it
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	list, err := c.Changes(t.Context(), id)
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v %v", list, err)
	}
	ids := make([]string, 0, len(list))
	for _, change := range list {
		ids = append(ids, change.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 4 {
		t.Fatalf("the same id twice: %q", ids)
	}
	one, err := c.Undo(t.Context(), id, history.UndoRequest{IDs: []string{before[0].ID}})
	if err != nil || len(one.Undone) != 0 || len(one.Conflicts) != 1 {
		t.Errorf("of what was given up: %+v %v", one, err)
	}
	rep, err := c.Undo(t.Context(), id, history.UndoRequest{})
	if err != nil || len(rep.Undone) != 2 || len(rep.Conflicts) != 2 {
		t.Errorf("of all: %+v, %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt", "one.txt", "two.txt"}) {
		t.Errorf("the folder has %q", got)
	}
}

// What waits for a yes waits on when undo is given up, and what is applied then can be
// undone.
func TestApplyAfterForget(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	_, c, dir, id := changing(t, task.ModeReview, twoFiles)
	for range 2 { // giving up twice is no more than once
		if space, err := c.ForgetUndo(t.Context(), id, false); err != nil || !space.Forgotten {
			t.Fatalf("%+v %v", space, err)
		}
		list, err := c.Changes(t.Context(), id)
		if err != nil || len(list) != 2 || !list[0].Staged {
			t.Fatalf("waiting: %+v %v", list, err)
		}
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Undone)+len(rep.Conflicts) != 0 {
		t.Errorf("there is nothing to undo: %+v %v", rep, err)
	}
	rep, err := c.Apply(t.Context(), id, history.ApplyRequest{})
	if err != nil || len(rep.Applied) != 2 || len(rep.Conflicts) != 0 {
		t.Fatalf("%+v %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt", "one.txt", "two.txt"}) {
		t.Errorf("the folder has %q", got)
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Undone) != 2 {
		t.Errorf("%+v %v", rep, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("the folder has %q", got)
	}
}
