package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/aitask"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/guest/agentkit"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
)

func askedForFolder(reason, path string) gatewaytest.Tool {
	return gatewaytest.Tool{Name: agentkit.ToolFolder, Input: map[string]any{"reason": reason, "path": path}}
}

// An AI asks for a folder. What the person may not give is said to them, and they choose
// another one; the AI hears its name, and its changes wait. Told no, it hears that. What
// it worked in may be removed: its conversation goes on.
func TestAIAsksForAFolder(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	calls := []gatewaytest.Tool{
		askedForFolder("For the \x1b[31mletters", "~/Letters\n"),
		{Name: "write", Input: map[string]any{"path": "/folders/Letters/new.md", "content": "Dear"}},
		askedForFolder("And the pictures", ""),
	}
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	var heard string
	server.Reply(func(q gatewaytest.Question) gatewaytest.Turn {
		heard = string(q.Body)
		if n := results(q); n < len(calls) {
			return gatewaytest.Turn{Tools: calls[n : n+1]}
		}
		return gatewaytest.Turn{Parts: []string{"Done."}}
	})
	w := aiWorld(t, "", server.URL)
	notes, letters := filepath.Join(w.base, "Notes"), filepath.Join(t.TempDir(), "Letters")
	for _, dir := range []string{notes, letters} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := openPi(t, w, nil)
	events, stop := c.Subscribe(task.EventFilter{})
	done := make(chan struct{})
	var asked []vmhost.Question
	go func() {
		defer close(done)
		for e := range events {
			q, ok := e.Data.(vmhost.Question)
			if !ok {
				continue
			}
			if asked = append(asked, q); len(asked) == 2 {
				if _, err := c.RemoveFolder(context.Background(), q.Task, "f1"); err != nil {
					t.Error(err)
				}
				if _, err := c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny}); err != nil {
					t.Error(err)
				}
				continue
			}
			for path, code := range map[string]string{"": problem.CodeBadRequest, "Letters": problem.CodeBadRequest, filepath.Join(letters, "no"): problem.CodeFolderRefused, notes: problem.CodeFolderOverlap} {
				if _, err := c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Text: path}); codeOf(err) != code {
					t.Errorf("%q: %v", path, err)
				}
			}
			if _, err := c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Text: letters}); err != nil {
				t.Error(err)
			}
		}
	}()
	wait := w.listen(c)
	id := w.start(c, aiTask(w.base)).ID
	end := wait(id, task.StateDone)
	stop()
	<-done
	if len(asked) != 2 || asked[0].Kind != vmhost.AskFolder || !asked[0].Input || asked[0].Risk != "low" || asked[0].Text.Params["suggested"] != "~/Letters" {
		t.Fatalf("%+v", asked)
	}
	if reason, _ := asked[0].Text.Params["reason"].(string); strings.Contains(reason, "\x1b") {
		t.Errorf("the reason writes on a terminal: %q", reason)
	}
	if f := end.Folders[len(end.Folders)-1]; len(end.Folders) != 2 || f.Path != letters || f.Mode != task.ModeReview || end.Folders[0].Removed == nil {
		t.Errorf("%+v", end.Folders)
	}
	if !strings.Contains(heard, "gave /folders/Letters review") || !strings.Contains(heard, "The person chose no folder") {
		t.Errorf("the AI heard %s", heard)
	}
	list, err := c.Changes(t.Context(), id)
	if err != nil || len(list) != 1 || !list[0].Staged || list[0].Path != "new.md" {
		t.Errorf("%+v %v", list, err)
	}
	first := w.all()[0].spec
	if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "And now?", Detached: true}); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateDone)
	all := w.all()
	if last := all[len(all)-1].spec; len(all) != 2 || last.Env.Cwd != first.Env.Cwd || first.Env.Cwd != "/folders/Notes" || len(last.Folders) != 1 || last.Folders[0].Path != "/folders/Letters" {
		t.Errorf("%d machines, the last with %+v in %s", len(all), last.Folders, last.Env.Cwd)
	}
}

// More questions than a person may be bothered with are refused without them.
func TestFolderAsksAreCounted(t *testing.T) {
	calls := slices.Repeat([]gatewaytest.Tool{askedForFolder("More", "")}, consent.MaxDenied+2)
	var ran aiRan
	asked, heard := commandTask(t, func(*tasks.StartRequest) {}, &ran, func(vmhost.Question) string { return vmhost.AnswerDeny }, calls...)
	if len(asked) > aitask.MaxFolderAsks || !strings.Contains(heard, "No more folders can be asked for") {
		t.Errorf("%d questions, heard %.300s", len(asked), heard)
	}
}
