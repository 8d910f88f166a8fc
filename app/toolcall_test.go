package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/app/uploads"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// A task works on what a request brought, and at its end nothing of that is left;
// neither when it is cancelled, nor when the program was killed.
func TestUploadTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	bring := func() (tasks.StartRequest, *uploads.Upload) {
		t.Helper()
		u, err := c.NewUpload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(filepath.Join(dir, "1.png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		file, _, err := u.Add("../Foto.png", f, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tasks.ToolCall{Call: toolcall.Call{Op: "image.convert", In: []string{file}, Params: map[string]any{"format": "pdf"}}, Upload: u}.Request()
		if err != nil {
			t.Fatal(err)
		}
		return r, u
	}
	left := func() int {
		list, err := os.ReadDir(filepath.Join(c.o.DataDir, uploads.Dir))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	r, _ := bring()
	got := wait(w.start(c, r).ID, task.StateDone)
	if len(got.Results) != 1 || got.Results[0].Path != "Foto.pdf" || got.Results[0].Folder != "" || left() != 0 {
		t.Errorf("%+v, %d left", got, left())
	}
	r, u := bring()
	r.Network = "all"
	if _, err := c.StartTask(t.Context(), r); codeOf(err) != problem.CodeBadRequest {
		t.Errorf("%v", err)
	}
	if left() != 1 || u.Close() != nil || left() != 0 { // still the caller's
		t.Errorf("%d left", left())
	}
	r = tasks.StartRequest{Kind: task.KindTool, Tool: r.Tool, Folders: []task.FolderRequest{{Path: c.o.DataDir}}} // no way in for others
	if _, err := c.StartTask(t.Context(), r); codeOf(err) != problem.CodeFolderRefused {
		t.Errorf("%v", err)
	}
	bring()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left() != 0 {
		t.Error("what nobody waits for any more is there")
	}
	if again := w.open(); again == nil || len(uploadsOf(t, again)) != 0 {
		t.Error("what a killed program left is there")
	}
}

func uploadsOf(t *testing.T, c *Controller) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(c.o.DataDir, uploads.Dir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

// An operation whose add-on is not there is refused before a machine is made.
func TestToolNeedsAddOn(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	op, ok := tools.Find("audio.info")
	if !ok || len(op.AddOns()) == 0 {
		t.Fatal("audio.info needs no add-on any more")
	}
	got := wait(w.start(c, tasks.StartRequest{Kind: task.KindTool, Folders: []task.FolderRequest{{Path: dir}},
		Tool: &wire.ToolParams{Op: op.Name, In: []string{"/folders/Fotos ä/1.png"}}}).ID, task.StateFailed)
	if p := got.Error; p.Code != problem.CodeAddOnMissing || p.Params["name"] != op.AddOns()[0] || len(p.Fix) == 0 || len(w.all()) != 0 {
		t.Errorf("%+v, %d machines", p, len(w.all()))
	}
}
