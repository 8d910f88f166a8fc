package history

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share"
)

// A folder that cannot be reached hides nothing that waits in front of the others, and they
// are applied; what waits in front of it waits on.
func TestOneFolderAway(t *testing.T) {
	memdir.OnDisk(t)
	base, err := share.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "task")
	var folders []task.Folder
	for _, id := range []string{"f1", "f2"} {
		f := task.Folder{ID: id, Name: id, Path: filepath.Join(base, id), Mode: task.ModeReview}
		if err := os.Mkdir(f.Path, 0o755); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, f)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	open := func() *taskJournal {
		t.Helper()
		j, err := Journals(slog.New(slog.DiscardHandler), nil)(filepath.Join(dir, "journal"), folders, Room{})
		if err != nil {
			t.Fatal(err)
		}
		real, _ := j.(*taskJournal)
		return real
	}
	j := open()
	for _, f := range folders {
		l, err := j.Layer(f.ID)
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := l.Store().Create("new.txt", 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	reopen := func(before func() error) {
		t.Helper()
		if err := errors.Join(j.Close(), before()); err != nil {
			t.Fatal(err)
		}
		j = open()
	}
	away := folders[1].Path + ".away"
	reopen(func() error { return os.Rename(folders[1].Path, away) })
	list, err := j.Changes(t.Context())
	if err != nil || len(list) != 1 || list[0].Folder != "f1" || !list[0].Staged {
		t.Errorf("one is away: %+v, %v", list, err)
	}
	rep, err := j.Apply(t.Context(), ApplyRequest{})
	if !errors.Is(err, os.ErrNotExist) || len(rep.Applied) != 1 || rep.Applied[0].Folder != "f1" {
		t.Errorf("one is away, apply: %+v, %v", rep, err)
	}
	reopen(func() error { return os.Rename(folders[0].Path, folders[0].Path+".away") })
	if list, err = j.Changes(t.Context()); err != nil || len(list) != 1 || list[0].Staged {
		t.Errorf("both are away: %+v, %v", list, err)
	}
	reopen(func() error {
		return errors.Join(os.Rename(away, folders[1].Path), os.Rename(folders[0].Path+".away", folders[0].Path))
	})
	if rep, err = j.Apply(t.Context(), ApplyRequest{}); err != nil || len(rep.Applied) != 1 || rep.Applied[0].Folder != "f2" {
		t.Errorf("they are back: %+v, %v", rep, err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
