package tasks

import (
	"fmt"
	"strings"
	"testing"

	"piwork/app/task"
	"piwork/vmhost/wire"
)

func TestTitles(t *testing.T) {
	long := strings.Repeat("ä", 500)
	rows := []struct {
		t    task.Task
		want string
	}{
		{task.Task{Kind: task.KindExec, Argv: []string{"/usr/bin/ls", "-l", "a\nb"}}, "ls -l a b"},
		{task.Task{Kind: task.KindChore, Chore: "c"}, "c: F"},
		{task.Task{Kind: task.KindTool, Params: map[string]any{"op": "o"}}, "o: F"},
		{task.Task{Kind: task.KindTool, Params: map[string]any{"op": "o"}, Asked: &task.Asked{Lost: lostFiles}}, "o"},
		{task.Task{Kind: task.KindAI, Asked: &task.Asked{Prompt: "\n say this\nand that"}}, "say this"},
		{task.Task{Kind: task.KindAI}, ""}, // older than what was asked is kept
		{task.Task{Kind: task.KindExec, Argv: []string{long}}, strings.Repeat("ä", 199) + "…"},
	}
	for _, r := range rows {
		r.t.Folders = []task.Folder{{Name: "F"}}
		if got := madeTitle(r.t); got != r.want {
			t.Errorf("%q, want %q", got, r.want)
		}
	}
	if got := task.TitleOf(" mine \n now"); got != "mine now" {
		t.Errorf("%q", got)
	}
}

// A password is in no record of a task.
func TestSecretsAreNotRecorded(t *testing.T) {
	given := map[string]any{"password": "hunter2", "replace": true}
	rec := task.Task{ID: "t1", Network: task.NetworkOff}
	err := toolRequest(&rec, StartRequest{Tool: &wire.ToolParams{Op: "pdf.protect", In: []string{"/folders/a/b.pdf"}, Out: "/work/out/c.pdf", Params: given}})
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(rec); strings.Contains(said, "hunter2") {
		t.Errorf("recorded %s", said)
	}
	if given["password"] != "hunter2" {
		t.Error("the request lost it")
	}
}
