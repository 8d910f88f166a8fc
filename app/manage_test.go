package app

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// tasksFound are the titles of what is found, newest first.
func tasksFound(t *testing.T, c *Controller, f task.Filter) []string {
	t.Helper()
	list, err := c.FindTasks(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, one := range list {
		out = append(out, one.Title)
		if one.Asked != nil {
			t.Errorf("%s is listed with what was asked", one.ID)
		}
	}
	return out
}

// Tasks of every kind are listed, found, renamed and found by their new title.
func TestFindAndRename(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	made := wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Folders: []task.FolderRequest{{Path: dir}}}).ID, task.StateDone)
	ran := wait(w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID, task.StateDone)
	tool := wait(w.start(c, tasks.StartRequest{
		Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos ä/1.png"}}, Folders: []task.FolderRequest{{Path: dir}},
	}).ID, task.StateDone)
	for _, tt := range []struct {
		name string
		f    task.Filter
		want []string
	}{
		{"all", task.Filter{}, []string{tool.Title, ran.Title, made.Title}},
		{"a folder, without its accent", task.Filter{Text: "FOTOS A"}, []string{tool.Title, made.Title}},
		{"a result", task.Filter{Text: "pictures.pdf"}, []string{made.Title}},
		{"a kind", task.Filter{Kinds: []task.Kind{task.KindTool, task.KindAI}}, []string{tool.Title}},
		{"a state", task.Filter{States: []task.State{task.StateFailed}}, []string{}},
		{"two at once", task.Filter{Text: "true", States: []task.State{task.StateDone}}, []string{ran.Title}},
		{"one word is not there", task.Filter{Text: "true nowhere"}, []string{}},
	} {
		if got := tasksFound(t, c, tt.f); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	named, err := c.RenameTask(t.Context(), made.ID, tasks.RenameRequest{Title: "  Straße\n nach Süden "})
	if err != nil || named.Title != "Straße nach Süden" || !named.Titled {
		t.Errorf("%+v, %v", named, err)
	}
	if got := tasksFound(t, c, task.Filter{Text: "STRASSE sud"}); !slices.Equal(got, []string{named.Title}) {
		t.Errorf("by its new title: %q", got)
	}
	if back, err := c.RenameTask(t.Context(), made.ID, tasks.RenameRequest{}); err != nil || back.Title != made.Title || back.Titled {
		t.Errorf("back: %+v, %v", back, err)
	}
	if _, err := c.RenameTask(t.Context(), "0194ffff-9a80-7b3c-8d1e-2f4a6b8c0d1e", tasks.RenameRequest{Title: "x"}); codeOf(err) != problem.CodeNotFound {
		t.Errorf("one that is not there: %v", err)
	}
}

// A task is renamed while it works, and everybody hears it; it cannot be deleted
// meanwhile.
func TestRenameAndDeleteMeanwhile(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	id := wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir}}}).ID, task.StateWaiting).ID
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	if _, err := c.RenameTask(t.Context(), id, tasks.RenameRequest{Title: "Mine"}); err != nil {
		t.Fatal(err)
	}
	for heard := false; !heard; {
		e := <-events
		d, ok := e.Data.(task.StateData)
		heard = ok && e.Task == id && d.State == task.StateWaiting
	}
	if err := c.DeleteTask(t.Context(), id, false); codeOf(err) != problem.CodeTaskRunning {
		t.Errorf("deleted: %v", err)
	}
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if done := wait(id, task.StateDone); done.Title != "Mine" {
		t.Errorf("it is called %q", done.Title)
	}
	if err := c.DeleteTask(t.Context(), id, false); err != nil || len(tasksFound(t, c, task.Filter{})) != 0 {
		t.Errorf("%v", err)
	}
}

// A task that is started again asks for the same; what was kept nowhere is said.
func TestStartAgain(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	for name, r := range map[string]tasks.StartRequest{
		"a chore": {
			Kind: task.KindChore, Chore: "rename-files", Title: "Mine", Accept: true, PlanOnly: true, Params: map[string]any{"pattern": "n {name}"},
			Folders: []task.FolderRequest{{Path: dir}}, MachineChoice: tasks.MachineChoice{MemoryMB: 1024, CPUs: 1, Accel: tasks.AccelSlow},
		},
		"a program": {Kind: task.KindExec, Argv: []string{"sh", "-c", "true"}, Cwd: "/work", Limits: wire.Limits{WallMS: 5000}, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReview}}},
		"a tool":    {Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos ä/1.png"}}, Folders: []task.FolderRequest{{Path: dir}}},
	} {
		first, err := c.StartTask(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		<-c.liveOver(first.ID)
		second, err := c.StartAgain(t.Context(), first.ID, tasks.AgainRequest{Accept: true, Detached: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		<-c.liveOver(second.ID)
		one, _ := json.Marshal(first)
		two, _ := json.Marshal(second)
		same := strings.NewReplacer(first.ID, "", first.Created.Format("2006-01-02T15:04:05.999999999Z07:00"), "")
		again := strings.NewReplacer(second.ID, "", second.Created.Format("2006-01-02T15:04:05.999999999Z07:00"), "")
		if a, b := same.Replace(string(one)), again.Replace(string(two)); a != b {
			t.Errorf("%s:\nfirst  %s\nsecond %s", name, a, b)
		}
	}
	for cause, r := range map[string]tasks.StartRequest{
		tasks.LostPassword: {Kind: task.KindChore, Chore: "unlock-pdf", Params: map[string]any{"password": "canary-secret"}, Folders: []task.FolderRequest{{Path: dir}}},
		tasks.LostEnv:      {Kind: task.KindExec, Argv: []string{"env"}, Env: map[string]string{"TOKEN": "canary-secret"}},
		tasks.LostInput:    {Kind: task.KindExec, Argv: []string{"cat"}, StreamsRequest: tasks.StreamsRequest{Stdin: []byte("x")}},
	} {
		id := w.start(c, r).ID
		if _, err := c.CancelTask(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		_, err := c.StartAgain(t.Context(), id, tasks.AgainRequest{})
		if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeNotRepeatable || p.Cause != cause {
			t.Errorf("%s: %v", cause, err)
		}
	}
}

// liveOver is closed when a task is over.
func (c *Controller) liveOver(id string) <-chan struct{} {
	if l := c.Live(id); l != nil {
		return l.Done()
	}
	over := make(chan struct{})
	close(over)
	return over
}

// unzipped are the files of an export.
func unzipped(t *testing.T, c *Controller, id string) map[string]string {
	t.Helper()
	r, err := c.ExportTask(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(content)
	}
	return out
}

// An export has the record, the timeline, the changes and the results, under names
// that every system can have, and nothing that is secret. A result that is gone is
// named.
func TestExport(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	done := wait(w.start(c, tasks.StartRequest{
		Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Params: map[string]any{"name": "Con"}, Folders: []task.FolderRequest{{Path: dir}},
	}).ID, task.StateDone)
	for _, name := range []string{"aux.txt", "a/b?.txt", "A/B_.txt", "gone.txt"} {
		if name != "gone.txt" {
			p := filepath.Join(c.store.ResultsDir(done.ID), name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, []byte("of "+name), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.store.Update(done.ID, func(t *task.Task) error { t.Results = append(t.Results, task.Result{Path: name}); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	got := unzipped(t, c, done.ID)
	for name, want := range map[string]string{
		"task.json": done.ID, "timeline.jsonl": `"kind":"plan"`, "changes.json": `"effect": "create"`, "missing.json": "gone.txt",
		"results/_Con.pdf": "", "results/_aux.txt": "of aux.txt", "results/a/b_.txt": "of a/b?.txt", "results/A/B_ (2).txt": "of A/B_.txt",
	} {
		if content, ok := got[name]; !ok || !strings.Contains(content, want) {
			t.Errorf("%s: %q", name, content)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d files: %v", len(got), slices.Sorted(maps.Keys(got)))
	}
	if name := history.ExportName(task.Task{Created: done.Created}, "con: a/b "+strings.Repeat("ä", 90)); len(name) > 130 || strings.ContainsAny(name, `:/\`) || !strings.HasSuffix(name, "ä.zip") {
		t.Errorf("%q", name)
	}

	secret := w.start(c, tasks.StartRequest{
		Kind: task.KindChore, Chore: "unlock-pdf", Params: map[string]any{"password": "canary-secret"}, Folders: []task.FolderRequest{{Path: dir}},
	}).ID
	if _, err := c.CancelTask(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	for name, content := range unzipped(t, c, secret) {
		if strings.Contains(content, "canary-secret") {
			t.Errorf("%s has the password", name)
		}
	}
	if _, err := c.ExportTask(t.Context(), "0194ffff-9a80-7b3c-8d1e-2f4a6b8c0d1e"); codeOf(err) != problem.CodeNotFound {
		t.Errorf("one that is not there: %v", err)
	}
	r, err := c.ExportTask(t.Context(), done.ID) // given up early: nothing of it goes on
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
}
