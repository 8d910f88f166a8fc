package app

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/tasks"
)

// Folders and files that are dropped together become the folders that a task may
// have, each once and with what is in the way of it.
func TestDropped(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	folder := w.pictures("a.jpg", "b.jpg")
	sub := filepath.Join(folder, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := c.Dropped(t.Context(), tasks.DroppedRequest{Paths: []string{
		filepath.Join(folder, "b.jpg"), sub, filepath.Join(folder, "a.jpg"), sub + "/../sub/", c.o.DataDir, filepath.Join(folder, "gone"),
	}})
	if err != nil || len(got) != 4 {
		t.Fatalf("%+v %v", got, err)
	}
	if f := got[0]; f.Path != folder || f.Name != filepath.Base(folder) || f.Files != 2 || f.File != "b.jpg" || f.Problem != nil {
		t.Errorf("two files: %+v", f)
	}
	if f := got[1]; f.Path != sub || f.Files != 0 || f.Problem != nil {
		t.Errorf("a folder: %+v", f)
	}
	if f := got[2]; f.Problem == nil || f.Problem.Code != problem.CodeFolderRefused {
		t.Errorf("piwork's own: %+v", f)
	}
	if f := got[3]; f.Problem == nil || f.Problem.Code != problem.CodeFolderRefused || f.Files != 0 {
		t.Errorf("what is not there: %+v", f)
	}
	if _, err := c.Dropped(t.Context(), tasks.DroppedRequest{Paths: []string{"here"}}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
}
