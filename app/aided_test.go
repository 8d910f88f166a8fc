package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/aitask"
	"piwork/app/chore/choretest"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/wire"
)

// aided is a world with a model and a folder of notes.
func aided(t *testing.T, reply func(gatewaytest.Question) gatewaytest.Turn) (w *world, server *gatewaytest.Server, dir string) {
	t.Helper()
	server = gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(reply)
	w = aiWorld(t, "", server.URL)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Programs = choretest.Programs
		rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			if p.Op != "text.extract" {
				return nil, nil
			}
			text := []byte("the rent is due on Monday\n") // through the share, which Programs are not
			made := p.Out + "/a.txt"
			err := rt.Files.Write(made, text)
			for n := 2; errors.Is(err, fs.ErrExist); n++ {
				made = fmt.Sprintf("%s/a (%d).txt", p.Out, n)
				err = rt.Files.Write(made, text)
			}
			return &wire.ToolResult{Out: []wire.ToolFile{toolFile(made, text)}}, err
		}
		return nil
	}
	dir = filepath.Join(w.base, "Notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.pdf": string(choretest.PDF("", "the rent is due on Monday")), "b.md": "call Ann\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w, server, dir
}

// questions are what a model was asked.
func questions(s *gatewaytest.Server) (out []gatewaytest.Question) {
	for _, q := range s.Questions() {
		if q.Method == http.MethodPost {
			out = append(out, q)
		}
	}
	return out
}

// write is the call of the tool that writes a file.
func write(file, content string) []gatewaytest.Tool {
	return []gatewaytest.Tool{{Name: "write", Input: map[string]any{"path": file, "content": content}}}
}

// A chore with an AI plans and waits like any other, does its part without an AI,
// and has the agent make the rest: with the folders read-only, without questions.
// One undo takes back what there is in the folder.
func TestChoreWithAI(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, server, dir := aided(t, func(q gatewaytest.Question) gatewaytest.Turn {
		switch results(q) {
		case 0:
			return gatewaytest.Turn{Tools: write("/folders/Notes/b.txt", "mine now")} // it may not
		case 1:
			return gatewaytest.Turn{Tools: write("/state/results/Summary.md", "Rent, Ann.\n")}
		}
		return gatewaytest.Turn{Parts: []string{"Summed up."}}
	})
	c := openPi(t, w, nil)
	wait := w.listen(c)
	before := files(t, dir)
	began := w.start(c, tasks.StartRequest{Kind: task.KindAI, Chore: "summarise-notes", AIRequest: tasks.AIRequest{Prompt: "mind the rent"}, Folders: []task.FolderRequest{{Path: dir}}})
	if began.Title != "summarise-notes: Notes" || began.Network != task.NetworkOff || began.Folders[0].Mode != task.ModeReadWrite || began.Asked.Prompt != "mind the rent" {
		t.Errorf("%+v", began)
	}
	id := wait(began.ID, task.StateWaiting).ID
	plan, err := c.Plan(t.Context(), id)
	if err != nil || len(plan.Operations) != 2 || len(questions(server)) != 0 || len(files(t, dir)) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	done := wait(id, task.StateDone)
	var made []string
	for _, r := range done.Results {
		made = append(made, r.Folder+":"+r.Path)
	}
	if !slices.Equal(made, []string{"f1:Text/a.txt", ":Summary.md"}) || len(done.Problems) != 0 {
		t.Errorf("%q, %+v", made, done.Problems)
	}
	first := string(questions(server)[0].Body)
	for _, part := range []string{"/folders/Notes", "Text/a.txt", "mind the rent", "Summary.md"} {
		if !strings.Contains(first, part) {
			t.Errorf("the model was not told of %s: %s", part, first)
		}
	}
	launch, err := os.ReadFile(filepath.Join(c.store.Dir(id), aitask.StateDir, "pi", "models.json"))
	if err != nil || bytes.Contains(launch, []byte(testKey)) {
		t.Errorf("%v", err)
	}
	now := files(t, dir)
	if _, wrote := now["b.txt"]; wrote || len(now) != 3 || now["Text/a.txt"] == "" {
		t.Errorf("there is %v", now)
	}
	// More is said: what was done is not done again.
	asked := len(questions(server))
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "thanks"}); err != nil {
		t.Fatal(err)
	}
	if done = wait(id, task.StateDone); len(questions(server)) != asked+1 || len(done.Results) != 2 {
		t.Errorf("%+v", done)
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	if after := files(t, dir); len(after) != len(before) {
		t.Errorf("undo left %v", after)
	}
	// The same once more is the same chore.
	again, err := c.StartAgain(t.Context(), id, tasks.AgainRequest{Accept: true})
	if err != nil || again.Chore != began.Chore || again.Title != began.Title || again.Asked.Prompt != "mind the rent" {
		t.Errorf("%+v, %v", again, err)
	}
	if got := wait(again.ID, task.StateDone); len(got.Results) != 2 {
		t.Errorf("%+v", got)
	}
	said := unzipped(t, c, id)
	if talk := said["conversation.md"]; !strings.Contains(talk, "## You") || !strings.Contains(talk, "mind the rent") || !strings.Contains(talk, "Summed up.") || !strings.Contains(talk, "- write: `/state/results/Summary.md`") {
		t.Errorf("the conversation:\n%s", talk)
	}
	if said["results/Summary.md"] != "Rent, Ann.\n" {
		t.Errorf("%q", said["results/Summary.md"])
	}
}

// A chore with an AI that was interrupted before anybody said yes to its plan goes on
// with a plan, and waits again: nothing was done, and no model was asked.
func TestChoreWithAIGoesOnToItsPlan(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, server, dir := aided(t, func(q gatewaytest.Question) gatewaytest.Turn {
		if results(q) == 0 {
			return gatewaytest.Turn{Tools: write("/state/results/Summary.md", "Rent.\n")}
		}
		return gatewaytest.Turn{Parts: []string{"Summed up."}}
	})
	c := openPi(t, w, nil)
	id := w.listen(c)(w.start(c, tasks.StartRequest{
		Kind: task.KindAI, Chore: "summarise-notes", AIRequest: tasks.AIRequest{Prompt: "mind the rent"}, Detached: true, Folders: []task.FolderRequest{{Path: dir}},
	}).ID, task.StateWaiting).ID
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = openPi(t, w, nil)
	wait := w.listen(c)
	if got, err := c.Task(t.Context(), id); err != nil || got.State != task.StateCancelled {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c.md"), []byte("new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ResumeTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateWaiting)
	plan, err := c.Plan(t.Context(), id)
	if err != nil || !strings.Contains(fmt.Sprint(plan), "/folders/Notes/c.md") || len(questions(server)) != 0 || len(files(t, dir)) != 3 {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := wait(id, task.StateDone); len(got.Results) != 2 || got.AI.Resumes != 1 {
		t.Errorf("%+v, %+v", got.Results, got.AI)
	}
	if first := string(questions(server)[0].Body); !strings.Contains(first, "mind the rent") || !strings.Contains(first, "Text/a.txt") {
		t.Errorf("the model was not told what to do: %s", first)
	}
}

// An agent that ends without what it was to make has not done the chore; told to go
// on, it may. Without an AI the rest is done, and it is said what is missing.
func TestChoreWithAIFails(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	good := false
	w, _, dir := aided(t, func(q gatewaytest.Question) gatewaytest.Turn {
		if good && results(q) == 0 {
			return gatewaytest.Turn{Tools: write("/state/results/Summary.md", "Rent.\n")}
		}
		return gatewaytest.Turn{Parts: []string{"I did nothing."}}
	})
	c := openPi(t, w, nil)
	wait := w.listen(c)
	folders := []task.FolderRequest{{Path: dir}}
	id := wait(w.start(c, tasks.StartRequest{Kind: task.KindAI, Chore: "summarise-notes", Accept: true, Folders: folders}).ID, task.StateFailed).ID
	if got, _ := c.Task(t.Context(), id); got.Error.Code != problem.CodeAINoResult {
		t.Errorf("%+v", got.Error)
	}
	good = true
	if _, err := c.ResumeTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := wait(id, task.StateDone); len(got.Results) != 2 {
		t.Errorf("%+v", got.Results)
	}

	alone := wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "summarise-notes", Accept: true, Folders: folders}).ID, task.StateDone)
	if len(alone.Results) != 1 || len(alone.Problems) != 1 || alone.Problems[0].Code != problem.CodeAIWouldAdd {
		t.Errorf("%+v, %+v", alone.Results, alone.Problems)
	}
	planned := wait(w.start(c, tasks.StartRequest{Kind: task.KindAI, Chore: "contract-summary", PlanOnly: true, Folders: folders}).ID, task.StateDone)
	if plan, err := c.Plan(t.Context(), planned.ID); err != nil || len(plan.Operations) != 2 || len(planned.Results) != 0 || len(planned.AI.Pending) != 0 {
		t.Errorf("%+v, %+v, %v", planned, plan, err)
	}
	for name, tt := range map[string]struct {
		r    tasks.StartRequest
		code string
	}{
		"nothing without an AI": {tasks.StartRequest{Kind: task.KindChore, Chore: "rename-photos", Folders: folders}, problem.CodeNoModel},
		"no such chore":         {tasks.StartRequest{Kind: task.KindAI, Chore: "nobody", Folders: folders}, problem.CodeUnknownChore},
		"one without an AI":     {tasks.StartRequest{Kind: task.KindAI, Chore: "merge-pdf", Folders: folders}, problem.CodeUnknownChore},
		"no folder":             {tasks.StartRequest{Kind: task.KindAI, Chore: "summarise-notes"}, problem.CodeBadRequest},
		"a parameter":           {tasks.StartRequest{Kind: task.KindAI, Chore: "summarise-notes", Params: map[string]any{"x": 1}, Folders: folders}, problem.CodeBadRequest},
	} {
		if _, err := c.StartTask(t.Context(), tt.r); codeOf(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a chore with an AI changes itself waits for a yes, whatever was asked for, and it has no folder
// that is read-only.
func TestChoreWithAIWaits(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, _, dir := aided(t, func(gatewaytest.Question) gatewaytest.Turn {
		return gatewaytest.Turn{Parts: []string{"It is named well."}}
	})
	if err := os.WriteFile(filepath.Join(dir, "1.png"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := openPi(t, w, nil)
	asked := tasks.StartRequest{Kind: task.KindAI, Chore: "rename-photos", Accept: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadOnly}}}
	if _, err := c.StartTask(t.Context(), asked); err == nil || problem.From(err).Code != problem.CodeBadRequest {
		t.Errorf("on a folder that is read-only: %v", err)
	}
	asked.Folders[0].Mode = task.ModeReadWrite
	began := w.start(c, asked)
	if began.Folders[0].Mode != task.ModeReview {
		t.Errorf("%+v", began.Folders)
	}
	done := w.listen(c)(began.ID, task.StateDone)
	events, err := c.Timeline(t.Context(), done.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	planned := slices.ContainsFunc(events, func(e task.Event) bool {
		raw, _ := e.Data.(json.RawMessage)
		return e.Kind == task.EventPlan && strings.Contains(string(raw), "1.png")
	})
	if !planned {
		t.Error("no plan was shown")
	}
}
