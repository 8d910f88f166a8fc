package tasks

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"piwork/app/attach"
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

// What a program writes is for those alone who are attached where its request says so; its
// first output waits for them unless it is detached. Only what it was told makes that it
// can't be asked for once more.
func TestStreams(t *testing.T) {
	size := &wire.TerminalSize{Columns: 80, Rows: 24}
	for name, tt := range map[string]struct {
		is      StreamsRequest
		streams bool
		lost    string
	}{
		"nobody is attached": {StreamsRequest{}, false, ""},
		"attached":           {StreamsRequest{Attached: true}, true, ""},
		"interactive":        {StreamsRequest{Interactive: true}, true, LostInput},
		"on a terminal":      {StreamsRequest{Terminal: size}, true, LostInput},
		"an input":           {StreamsRequest{Stdin: []byte("x")}, false, LostInput},
	} {
		r := StartRequest{Kind: task.KindExec, StreamsRequest: tt.is}
		if got := asked(task.Task{}, r); r.streams() != tt.streams || got.Lost != tt.lost {
			t.Errorf("%s: for those attached %v, lost is %q", name, r.streams(), got.Lost)
		}
		for _, r.Detached = range []bool{false, true} {
			late, end := context.WithCancel(t.Context())
			end() // what has to wait is lost
			p := r.attached()
			for i := range byte(10) {
				p.Output(late, wire.Stdout, bytes.Repeat([]byte{i}, attach.Backlog/4))
			}
			first, err := p.Attach(true).Read(t.Context())
			if err != nil || (first.Data[0] == 0) != (tt.streams && !r.Detached) {
				t.Errorf("%s, detached %v: the first that is read is piece %d, %v", name, r.Detached, first.Data[0], err)
			}
		}
	}
}
