//go:build vm

package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
)

// realKillScript is killScript with something in the workroom, which is lost.
func realKillScript(q gatewaytest.Question) gatewaytest.Turn {
	write := func(path, text string) gatewaytest.Tool {
		return gatewaytest.Tool{Name: "write", Input: map[string]any{"path": path, "content": text}}
	}
	// Results that it was told; pi says of a call that it has none for, because it was killed meanwhile.
	switch bytes.Count(q.Body, []byte(`"role":"tool"`)) - bytes.Count(q.Body, []byte("No result provided")) {
	case 0:
		return gatewaytest.Turn{Parts: []string{"I ", "write."}, Tools: []gatewaytest.Tool{write("/folders/Notes/report.md", "Milk.\n")}}
	case 1, 2:
		return gatewaytest.Turn{Tools: []gatewaytest.Tool{write("/state/results/list.txt", "milk\n"), write("/work/draft", "draft\n")}}
	case 3:
		return gatewaytest.Turn{Tools: bash("rm notes.md")}
	}
	return gatewaytest.Turn{Parts: []string{"All done."}}
}

// The program is killed while the real AI program works in a real machine. The next
// run of it goes on in the same conversation: the folder is as it was left, what was
// in /work is named as lost, and in the end all of it is taken back. One run after
// another has the same data, as a person's has.
func TestRealKilledInAnAITask(t *testing.T) {
	if base := os.Getenv(envKillBase); base != "" {
		beKilledForReal(t, base)
		return
	}
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	server.Reply(realKillScript)
	o := warmOptions(t).WithDefaults()
	base := filepath.Dir(o.DataDir)
	dir := filepath.Join(base, "Notes")
	ran := 0
	for _, at := range realKillPoints {
		t.Run(at, func(t *testing.T) {
			ran++
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "notes.md"), []byte("buy milk\n"), 0o644)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRealKilledInAnAITask$", "-test.v")
			cmd.Env = append(os.Environ(), envKillBase+"="+base, envKillModel+"="+server.URL, envKillAt+"="+at)
			if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("--- FAIL")) || bytes.Contains(out, []byte("panic:")) {
				t.Fatalf("%v\n%s", err, out)
			}
			if left := left(t, o.DataDir); len(left) > 0 {
				t.Errorf("its machine lives on: %q", left)
			}
			half := files(t, dir)
			c := openAI(t, o, scripted{server, "openai"})
			defer closeAI(t, c)
			answering(t, c)
			all, err := c.Tasks(t.Context())
			if err != nil || len(all) != ran {
				t.Fatalf("%+v, %v", all, err)
			}
			was := newest(all)
			over := at == "before state done" // its record says so already, and what was to be noted is the timeline's
			switch {
			case over && (was.State != task.StateDone || was.Error != nil):
				t.Fatalf("it was done, and is %+v", was)
			case !over && (was.State != task.StateFailed || was.Error == nil || was.Error.Code != problem.CodeInterrupted):
				t.Fatalf("it was interrupted, and is %+v", was)
			}
			if list, err := c.Changes(t.Context(), was.ID); err != nil || len(list) != len(half)-1 {
				t.Errorf("changes: %+v, %v", list, err)
			}
			resumes := 1
			if _, err := c.ResumeTask(t.Context(), was.ID); over {
				resumes = 0
				wants(t, "a task that is done", err, problem.CodeNotResumable, "")
			} else if err != nil {
				t.Fatal(err)
			}
			got := ended(t, c, was.ID)
			text := timelineText(t, c, was.ID)
			if got.State != task.StateDone || got.AI.Resumes != resumes || len(got.AI.Pending) != 0 || len(got.Results) != 1 || got.Results[0].Path != "list.txt" {
				t.Errorf("%s, %+v, %+v, %+v\n%s", got.State, got.Error, got.AI, got.Results, text)
			}
			if strings.Contains(text, "lost-work") == over {
				t.Errorf("what it says of what is lost:\n%s", text)
			}
			testWholeTalk(t, c, was.ID)
			if now := files(t, dir); len(now) != 2 || now["report.md"] != "Milk.\n" || now["notes.md"] != "buy milk\n" {
				t.Errorf("in the end there is %v", now)
			}
			if rep, err := c.Undo(t.Context(), was.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 {
				t.Errorf("%+v, %v", rep, err)
			}
			if after := files(t, dir); len(after) != 1 || after["notes.md"] != "buy milk\n" {
				t.Errorf("undo left %v", after)
			}
		})
	}
}

// newest is the task that was made last: ids are sortable.
func newest(all []task.Task) (last task.Task) {
	for _, t := range all {
		if t.ID > last.ID {
			last = t
		}
	}
	return last
}

// beKilledForReal does the task in a real machine and is gone at a point of it.
func beKilledForReal(t *testing.T, base string) {
	o := Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"),
		PackDir: os.Getenv(EnvRuntimeDir), Accel: "tcg", Version: "0.1.0", Developer: true,
	}.WithDefaults()
	at := os.Getenv(envKillAt)
	c := openScripted(t, o, os.Getenv(envKillModel), "openai", func(kind task.EventKind, data any, after bool) {
		if killPoint(kind, data, after) == at {
			killSelf(t)
		}
	})
	answering(t, c)
	started, err := c.StartTask(context.Background(), aiTask(base))
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, started.ID)
	fmt.Printf("it came to its end: %+v\n%s", got, timelineText(t, c, started.ID))
}
