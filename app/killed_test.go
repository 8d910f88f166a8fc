package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/aitask"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

const (
	envKillBase  = "PIWORK_TEST_KILL_BASE"  // of a program that is killed in an AI task
	envKillModel = "PIWORK_TEST_KILL_MODEL" // where its model is
	envKillAt    = "PIWORK_TEST_KILL_AT"    // a point as killPoint names it; "" lives, and says its points
)

// killPoint names a moment of a task: what is noted, and whether it is durable yet.
func killPoint(kind task.EventKind, data any, after bool) string {
	name := string(kind)
	switch d := data.(type) {
	case task.StateData:
		name += " " + string(d.State)
	case task.StepData:
		name += " " + d.Step
	case task.MessageData:
		name += " " + d.Role
	case task.ToolData:
		name += " " + d.Verb + " " + d.State
	case task.NoticeData:
		name += " " + d.Code
	}
	return map[bool]string{false: "before ", true: "after "}[after] + name
}

// aiWorld is a world with a model at url whose AI tasks run [fakePi].
func aiWorld(t *testing.T, base, url string) *world {
	w := newWorld(t)
	if base != "" {
		w.base = base
	}
	err := w.keys.Set(t.Context(), keys.Credential{
		Provider: "scripted", Kind: keys.KindKey, Key: keys.NewSecret(testKey), BaseURL: url + "/v1", Protocol: "openai",
		Models: []string{gatewaytest.OpenAIModel}, Private: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func openPi(t *testing.T, w *world, onNote func(task.EventKind, any, bool)) *Controller {
	t.Helper()
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := withPi(w)(ctx, o)
		s.onNote = onNote
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// answering denies what a task asks, until the test ends.
func answering(t *testing.T, c *Controller) {
	events, stop := c.Subscribe(task.EventFilter{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events {
			if q, ok := e.Data.(vmhost.Question); ok {
				_, err := c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny})
				if err != nil && codeOf(err) != problem.CodeQuestionOver {
					t.Error(err)
				}
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// aiTask is the task of these tests, on the one folder of a world.
func aiTask(base string) tasks.StartRequest {
	return tasks.StartRequest{
		Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Report about my notes"}, Network: task.NetworkOff, Detached: true,
		Folders: []task.FolderRequest{{Path: filepath.Join(base, "Notes"), Mode: task.ModeReadWrite}},
	}
}

// killScript is what the model of the test says: it writes a report and something
// for the person, wants to delete, and is done. Which of it comes next it sees by
// the results that it was told.
func killScript(q gatewaytest.Question) gatewaytest.Turn {
	switch results(q) {
	case 0:
		return gatewaytest.Turn{Parts: []string{"I write."}, Tools: []gatewaytest.Tool{{Name: "write", Input: map[string]any{"path": "/folders/Notes/report.md", "content": "Milk.\n"}}}}
	case 1:
		return gatewaytest.Turn{Tools: []gatewaytest.Tool{{Name: "write", Input: map[string]any{"path": "/state/results/list.txt", "content": "milk\n"}}}}
	case 2:
		return gatewaytest.Turn{Tools: []gatewaytest.Tool{{Name: "bash", Input: map[string]any{"command": "rm notes.md"}}}}
	}
	return gatewaytest.Turn{Parts: []string{"All done."}}
}

// The program is killed at every moment of an AI task that something is noted, right
// before that is on the disk and right after. The next run of it has the record, the
// whole timeline and the changes; told to, the task goes on in the same conversation
// and gets to its end, and all it changed is taken back.
func TestKilledInAnAITask(t *testing.T) {
	tier.Unraced(t)
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	if base := os.Getenv(envKillBase); base != "" {
		beKilledInAI(t, base)
		return
	}
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(killScript)
	child := func(t *testing.T, base, at string) ([]byte, error) {
		dir := filepath.Join(base, "Notes")
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "notes.md"), []byte("buy milk\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledInAnAITask$", "-test.v")
		cmd.Env = append(os.Environ(), envKillBase+"="+base, envKillModel+"="+server.URL, envKillAt+"="+at)
		return cmd.CombinedOutput()
	}
	out, err := child(t, t.TempDir(), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var points []string
	for line := range strings.Lines(string(out)) {
		p, ok := strings.CutPrefix(strings.TrimSpace(line), "POINT ")
		if ok && !slices.Contains(points, p) && !strings.HasPrefix(p, "before step") { // a step changes no record
			points = append(points, p)
		}
	}
	kinds := []string{ // so that none of them is forgotten
		"after state queued", "after state preparing", "after step boot", "after state running", "after message user", "after message assistant",
		"after delta", "after tool write started", "after tool write done", "after question", "after state waiting", "after decision",
		"after usage", "after notice turn", "after notice settled", "after result", "before state done",
	}
	for _, want := range kinds {
		if !slices.Contains(points, want) {
			t.Errorf("the task has no point %q", want)
		}
	}
	for _, at := range tier.Pick(kinds, kinds, points) {
		t.Run(at, func(t *testing.T) {
			base := t.TempDir()
			if out, err := child(t, base, at); err == nil || bytes.Contains(out, []byte("--- FAIL")) || bytes.Contains(out, []byte("panic:")) {
				t.Fatalf("%v\n%s", err, out)
			}
			testAfterKill(t, aiWorld(t, base, server.URL), at)
		})
	}
}

// beKilledInAI does the task and is gone at a point of it.
func beKilledInAI(t *testing.T, base string) {
	w := aiWorld(t, base, os.Getenv(envKillModel))
	at := os.Getenv(envKillAt)
	c := openPi(t, w, func(kind task.EventKind, data any, after bool) {
		point := killPoint(kind, data, after)
		fmt.Printf("POINT %s\n", point)
		if point != at {
			return
		}
		killSelf(t)
	})
	answering(t, c)
	wait := w.listen(c)
	wait(w.start(c, aiTask(base)).ID, task.StateDone)
}

// killSelf ends the program as SIGKILL does, and does not return.
func killSelf(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	t.Error(err)
	select {} // in a moment there is nobody
}

// testAfterKill is the next run of a program that was killed at a point.
func testAfterKill(t *testing.T, w *world, at string) {
	dir := filepath.Join(w.base, "Notes")
	half := files(t, dir)
	c := openPi(t, w, nil)
	answering(t, c)
	wait := w.listen(c)
	all, err := c.Tasks(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	id := all[0].ID
	over := strings.HasSuffix(at, "state done")
	switch now := all[0]; {
	case over && (now.State != task.StateDone || now.Error != nil):
		t.Errorf("it was done, and is %+v", now)
	case !over && (now.State != task.StateFailed || now.Error == nil || now.Error.Code != problem.CodeInterrupted || now.Ended == nil):
		t.Errorf("it was interrupted, and is %+v", now)
	}
	kinds := w.kinds(c, id) // with a look at every line
	if last := kinds[len(kinds)-1]; last != map[bool]string{true: "state:done", false: "state:failed"}[over] {
		t.Errorf("the timeline ends with %s", last)
	}
	if now := files(t, dir); fmt.Sprint(now) != fmt.Sprint(half) || now["notes.md"] != "buy milk\n" {
		t.Errorf("the folder was %v, is %v", half, now)
	}
	list, err := c.Changes(t.Context(), id)
	if err != nil || len(list) != len(half)-1 {
		t.Errorf("changes: %+v, %v", list, err)
	}

	if !over {
		if _, err := c.ResumeTask(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		done := wait(id, task.StateDone)
		if done.Error != nil || done.AI.Resumes != 1 || len(done.AI.Pending) != 0 || len(done.Results) != 1 || done.Results[0].Path != "list.txt" {
			t.Errorf("%+v, %+v", done, done.AI)
		}
		kinds = w.kinds(c, id)
		if !slices.Contains(kinds, "notice:lost-work") {
			t.Errorf("nothing says what is lost: %q", kinds)
		}
	} else if _, err := c.ResumeTask(t.Context(), id); codeOf(err) != problem.CodeNotResumable {
		t.Errorf("it goes on: %v", err)
	}
	testWholeTalk(t, c, id)
	if now := files(t, dir); len(now) != 2 || now["report.md"] != "Milk.\n" {
		t.Errorf("in the end there is %v", now)
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 || len(rep.Undone) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	if after := files(t, dir); len(after) != 1 || after["notes.md"] != "buy milk\n" {
		t.Errorf("undo left %v", after)
	}
}

// testWholeTalk looks at the timeline of a task that got to its end: every message
// once, every tool begun once and ended once, and pi's session has all of it.
func testWholeTalk(t *testing.T, c *Controller, id string) {
	t.Helper()
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages, tools := map[string]int{}, map[string]string{}
	var said []string
	for _, e := range events {
		raw, _ := e.Data.(json.RawMessage)
		switch e.Kind {
		case task.EventMessage:
			var m task.MessageData
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			if messages[m.ID]++; messages[m.ID] > 1 {
				t.Errorf("message %q came again", m.Text)
			}
			if said = append(said, m.Role+": "+m.Text); m.Role == "user" && m.Text == "Report about my notes" {
				messages["asked"]++
			}
		case task.EventTool:
			var d task.ToolData
			if err := json.Unmarshal(raw, &d); err != nil {
				t.Fatal(err)
			}
			if d.State == "started" && tools[d.ID] != "" || d.State != "started" && strings.HasSuffix(tools[d.ID], "ended") {
				t.Errorf("tool %s: %s after %s", d.ID, d.State, tools[d.ID])
			}
			tools[d.ID] += map[bool]string{true: "started ", false: "ended"}[d.State == "started"]
		}
	}
	for id, states := range tools {
		if !strings.HasSuffix(states, "ended") {
			t.Errorf("tool %s: %s", id, states)
		}
	}
	if messages["asked"] != 1 || said[len(said)-1] != "assistant: All done." {
		t.Errorf("it was said: %q", said)
	}
	sessions, err := filepath.Glob(filepath.Join(c.store.Dir(id), aitask.StateDir, "pi", "sessions", "*"+id+".jsonl"))
	if err != nil || len(sessions) != 1 {
		t.Fatalf("pi's sessions: %q, %v", sessions, err)
	}
	data, err := os.ReadFile(sessions[0])
	if err != nil || bytes.Count(data, []byte("Report about my notes")) != 1 || !bytes.Contains(data, []byte("All done.")) {
		t.Errorf("pi's session: %s, %v", data, err)
	}
}
