package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

func TestToolTask(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	if err := os.WriteFile(filepath.Join(dir, "broken.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	wait := w.listen(c)
	run := func(p wire.ToolParams, mode task.Mode, want task.State) task.Task {
		t.Helper()
		return wait(w.start(c, tasks.StartRequest{Kind: task.KindTool, Tool: &p, Folders: []task.FolderRequest{{Path: dir, Mode: mode}}}).ID, want)
	}
	in := []string{"/folders/Fotos ä/1.png", "/folders/Fotos ä/broken.png", "/folders/Fotos ä/2.png"}
	pdf := map[string]any{"format": "pdf"}

	got := run(wire.ToolParams{Op: "image.info", In: in}, "", task.StateDone)
	if len(got.Info) != 2 || len(got.Problems) != 1 || len(got.Results) != 0 {
		t.Errorf("%+v", got)
	}
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/Fotos ä/x.pdf", Params: pdf}, task.ModeReadWrite, task.StateDone)
	if len(got.Results) != 1 || got.Results[0].Folder != "f1" || got.Results[0].Path != "x.pdf" || len(got.Problems) != 1 {
		t.Errorf("%+v", got)
	}
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/Fotos ä/y.pdf", Params: pdf}, task.ModeReadOnly, task.StateFailed)
	if got.Error.Code != problem.CodeOutputDenied {
		t.Errorf("%+v", got.Error)
	}
	got = run(wire.ToolParams{Op: "image.info", In: in[1:2]}, "", task.StateFailed)
	if got.Error.Code != problem.CodeNothingLeft {
		t.Errorf("%+v", got.Error)
	}
	for code, p := range map[string]wire.ToolParams{
		problem.CodeUnsupported: {Op: "no.such", In: in}, problem.CodeBadRequest: {Op: "image.info", In: in, Params: map[string]any{"x": 1}},
	} { // said before there is a task
		if _, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindTool, Tool: &p}); codeOf(err) != code {
			t.Errorf("%s: %v", p.Op, err)
		}
	}
	// A result that is in no folder is brought to the task's own results.
	got = run(wire.ToolParams{Op: "image.convert", In: in, Out: "/work/out/a b.pdf", Params: pdf}, "", task.StateDone)
	if len(got.Results) != 1 || got.Results[0].Folder != "" || got.Results[0].Path != "a b.pdf" {
		t.Fatalf("%+v", got)
	}
	f, r, err := c.OpenResult(t.Context(), got.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil || f.Close() != nil || int64(len(data)) != r.Size || len(choretest.Pages(data)) != 2 {
		t.Errorf("%q, %v", data, err)
	}
	if left, err := os.ReadDir(c.store.ResultsDir(got.ID)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// What comes out of a runtime is only taken as the operation said it is.
func TestBringOutIsHostile(t *testing.T) {
	good := []byte("content")
	rows := []struct {
		name string
		file wire.ToolFile
		exec func(out func([]byte)) int
	}{
		{"more than announced", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good); out(good); return 0 }},
		{"less", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good[:3]); return 0 }},
		{"other content", toolFile("/work/out/x", good), func(out func([]byte)) int { out([]byte("CONTENT")); return 0 }},
		{"the program fails", toolFile("/work/out/x", good), func(out func([]byte)) int { out(good); return 1 }},
		{"too large", wire.ToolFile{Path: "/work/out/x", Size: task.MaxResult + 1, SHA256: toolFile("", good).SHA256}, func(func([]byte)) int { return 0 }},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w := newWorld(t)
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Before = func(context.Context, wire.ToolParams) (*wire.ToolResult, error) {
					return &wire.ToolResult{Out: []wire.ToolFile{r.file}}, nil
				}
				rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
					code := r.exec(func(b []byte) { out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: b}) })
					return wire.ExecResult{ExitCode: code}, nil
				}
				rt.Cat = true
				return nil
			}
			c := w.open()
			wait := w.listen(c)
			got := wait(w.start(c, tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "pdf.merge", In: []string{"/work/a.pdf"}, Out: "/work/out/x"}}).ID, task.StateFailed)
			if len(got.Results) != 0 {
				t.Errorf("%+v", got)
			}
			if left, err := os.ReadDir(c.store.ResultsDir(got.ID)); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// Of several results each is kept as it is, whatever they are called: none takes the name
// that another was given.
func TestBringOutReplacesNoResult(t *testing.T) {
	made := []string{"/work/out/x/2 a.txt", "/work/out/x/a.txt", "/work/out/x/sub/a.txt"}
	w := newWorld(t)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Before = func(context.Context, wire.ToolParams) (*wire.ToolResult, error) {
			var r wire.ToolResult
			for _, p := range made {
				r.Out = append(r.Out, toolFile(p, []byte("content of "+p)))
			}
			return &r, nil
		}
		rt.Exec = func(_ context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: []byte("content of " + p.Argv[2])})
			return wire.ExecResult{}, nil
		}
		rt.Cat = true
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	got := wait(w.start(c, tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "pdf.merge", In: []string{"/work/a.pdf"}, Out: "/work/out/x"}}).ID, task.StateDone)
	if len(got.Results) != len(made) {
		t.Fatalf("%+v", got.Results)
	}
	for i, p := range made {
		want := "content of " + p
		data, err := os.ReadFile(filepath.Join(c.store.ResultsDir(got.ID), got.Results[i].Path))
		if err != nil || string(data) != want || got.Results[i].SHA256 != toolFile(p, []byte(want)).SHA256 {
			t.Errorf("%s is kept as %+v with %q, %v", p, got.Results[i], data, err)
		}
	}
	if left, err := os.ReadDir(c.store.ResultsDir(got.ID)); err != nil || len(left) != len(made) {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestOpenResultStaysInside(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	secret := filepath.Join(w.base, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"abs": secret, "rel": "../../secret", "self": "self", "pipe": ""} {
		var err error
		if target == "" {
			err = makePipe(filepath.Join(dir, link))
		} else {
			err = os.Symlink(target, filepath.Join(dir, link))
		}
		if err != nil {
			t.Skip(err)
		}
	}
	c := w.open()
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	rec := task.Task{V: 1, ID: id, Kind: task.KindTool, State: task.StateDone, Folders: []task.Folder{{ID: "f1", Path: dir, Name: "x"}}}
	paths := []string{"abs", "rel", "self", "pipe", "../../../../etc/passwd", "/etc/passwd", ".", "gone"}
	for _, p := range paths {
		rec.Results = append(rec.Results, task.Result{Folder: "f1", Path: p})
	}
	rec.Results = append(rec.Results, task.Result{Folder: "f9", Path: "1.png"}, task.Result{Folder: "f1", Path: "1.png"})
	if err := c.store.Create(rec); err != nil {
		t.Fatal(err)
	}
	for i := range len(rec.Results) - 1 {
		if f, r, err := c.OpenResult(t.Context(), id, i); err == nil {
			t.Errorf("%+v was opened", r)
			_ = f.Close()
		}
	}
	for _, i := range []int{-1, len(rec.Results)} {
		if _, _, err := c.OpenResult(t.Context(), id, i); codeOf(err) != problem.CodeNotFound {
			t.Error(err)
		}
	}
	f, _, err := c.OpenResult(t.Context(), id, len(rec.Results)-1)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	// Whoever may change what is above the folder makes a link of it, which leads to others' files.
	if err := errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.OpenResult(t.Context(), id, len(rec.Results)-1); codeOf(err) != problem.CodeFolderRefused {
		t.Errorf("through a link: %v", err)
	}
}
