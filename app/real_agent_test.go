//go:build vm

package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/agent"
	agents "piwork/app/agent/program"
	"piwork/app/aitask"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/history"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// agentRun is a task that opencode of the add-on works on, in a machine.
type agentRun struct {
	*turns
	c      *Controller
	server *gatewaytest.Server
	dir    string // of the person
	in     string // its name in the machine, with a slash behind it
}

func newAgentRun(t *testing.T, protocol string, list func(in string) []gatewaytest.Turn) *agentRun {
	t.Helper()
	tier.Rest(t, "TestAgentOfAnAddOn, with an invented program")
	r := &agentRun{dir: filepath.Join(t.TempDir(), "Notes"), in: "/folders/Notes/"}
	if err := errors.Join(os.Mkdir(r.dir, 0o755), os.WriteFile(filepath.Join(r.dir, "notes.md"), []byte("buy milk\n"), 0o644), os.WriteFile(filepath.Join(r.dir, "old.md"), []byte("old\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	r.turns = &turns{list: list(r.in)}
	r.server = gatewaytest.New(canary)
	t.Cleanup(r.server.Close)
	r.server.Reply(r.reply)
	r.c = openAI(t, addOnOptions(t, agents.OpenCode), scripted{r.server, protocol})
	return r
}

// work has the task work on what the person says first, and answers its questions until it is over.
func (r *agentRun) work(t *testing.T, say string, answer func(vmhost.Question) string) (task.Task, []vmhost.Question) {
	t.Helper()
	events, stop := r.c.Subscribe(task.EventFilter{})
	defer stop()
	started, err := r.c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: say, Program: agents.OpenCode}, Network: task.NetworkOff,
		Folders: []task.FolderRequest{{Path: r.dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var asked []vmhost.Question
	r.over(t, started.ID, events, func(e task.Event) {
		if d, ok := e.Data.(vmhost.Question); ok {
			asked = append(asked, d)
			if _, err := r.c.Answer(context.Background(), started.ID, d.ID, consent.AnswerRequest{Answer: answer(d), Scope: vmhost.ScopeOnce}); err != nil {
				t.Fatal(err)
			}
		}
	})
	return ended(t, r.c, started.ID), asked
}

// over waits until a task is over. Nothing is said while the program starts, which takes minutes in
// slow mode beside other work.
func (r *agentRun) over(t *testing.T, id string, events <-chan task.Event, do func(task.Event)) {
	t.Helper()
	for limit := time.After(30 * time.Minute); ; {
		if now, err := r.c.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if now.State.Final() {
			return
		}
		select {
		case e := <-events:
			do(e)
		case <-limit:
			t.Fatalf("asked %d times, timeline %s", len(r.questions()), timelineText(t, r.c, id))
		}
	}
}

// The real opencode, in a machine with its add-on, works as pi does: it reads and edits in the
// folder, its commands are run by the host, which asks about those that do more than read; what it
// used is counted, its messages are in the record, it goes on with another message, and all that it
// did is undone. The key is in none of its requests' questions but the gateway's, and nowhere in the
// machine.
func TestRealAgent(t *testing.T) {
	for _, protocol := range realProtocols {
		t.Run(protocol, func(t *testing.T) {
			r := newAgentRun(t, protocol, func(in string) []gatewaytest.Turn {
				tool := func(name string, input map[string]any) gatewaytest.Turn {
					return gatewaytest.Turn{Tools: []gatewaytest.Tool{{Name: name, Input: input}}}
				}
				return []gatewaytest.Turn{
					tool("read", map[string]any{"filePath": in + "notes.md"}),
					tool("edit", map[string]any{"filePath": in + "notes.md", "oldString": "milk", "newString": "oat milk"}),
					tool("write", map[string]any{"filePath": in + "summary.md", "content": "Oat milk.\n"}),
					tool("grep", map[string]any{"pattern": "oat", "path": in}),
					tool("bash", map[string]any{"command": "wc -c notes.md; id -u; env | grep -c SERVER_PASSWORD", "description": "counts"}),
					tool("bash", map[string]any{"command": "rm old.md", "description": "removes what is old"}),
					tool("bash", map[string]any{"command": "rm notes.md", "description": "removes the notes"}),
					{Parts: []string{"All ", "**done**."}},
				}
			})
			deny := func(q vmhost.Question) string {
				if c, _ := q.Text.Params["command"].(string); strings.Contains(c, "rm notes") {
					return vmhost.AnswerDeny
				}
				searchMachines(t, r.c)
				return vmhost.AnswerAllow
			}
			got, asked := r.work(t, "Tidy my notes", deny)
			if got.State != task.StateDone {
				t.Fatalf("%+v %+v\n%s", got.State, got.Error, timelineText(t, r.c, got.ID))
			}
			timeline := timelineText(t, r.c, got.ID)
			var commands []string
			for _, q := range asked {
				if q.Text.Code == agent.AskCommand {
					commands = append(commands, q.Text.Params["command"].(string))
				}
			}
			if !slices.Contains(commands, "rm old.md") || !slices.Contains(commands, "rm notes.md") || slices.ContainsFunc(commands, func(c string) bool { return strings.HasPrefix(c, "wc") && !strings.Contains(c, "env") }) {
				t.Errorf("asked about %q\n%s", commands, timeline)
			}
			for name, want := range map[string]string{"notes.md": "buy oat milk\n", "summary.md": "Oat milk.\n"} {
				if data, err := os.ReadFile(filepath.Join(r.dir, name)); err != nil || string(data) != want {
					t.Errorf("%s is %q %v\n%s", name, data, err, timeline)
				}
			}
			if _, err := os.Stat(filepath.Join(r.dir, "old.md")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what the person allowed to delete: %v", err)
			}
			if u := got.AI.Usage; got.AI.Program != agents.OpenCode || u.Requests < 8 || u.Input == 0 || u.Output == 0 {
				t.Errorf("the record has %+v", got.AI)
			}
			if said := messages(t, r.c, got.ID); len(said) < 2 || said[0] != "user: Tidy my notes" || said[len(said)-1] != "assistant: All **done**." {
				t.Errorf("%q", said)
			}
			all := strings.Join(r.questions(), "\n")
			for _, heard := range []string{"buy milk", "13 notes.md", aitask.CommandDenied, "You help a person with their own files"} {
				if said, _ := json.Marshal(heard); !strings.Contains(all, strings.Trim(string(said), `"`)) {
					t.Errorf("the model never heard %q", heard)
				}
			}
			for _, q := range r.server.Questions() {
				if q.Key() != canary {
					t.Errorf("a question came with the key %q", q.Key())
				}
			}
			verbs := map[string]bool{}
			for _, e := range timelineOf(t, r.c, got.ID) {
				raw, _ := e.Data.(json.RawMessage)
				var d task.ToolData
				if e.Kind == task.EventTool && json.Unmarshal(raw, &d) == nil && d.State == "done" {
					verbs[d.Verb] = true
				}
			}
			for _, verb := range []string{"read", "edit", "run"} {
				if !verbs[verb] {
					t.Errorf("the timeline has no tool that did %s: %v\n%s", verb, verbs, timeline)
				}
			}

			// It goes on with another message, in the same conversation.
			r.mu.Lock()
			r.list = append(slices.Clone(r.list[:len(r.asked)]), gatewaytest.Turn{Parts: []string{"Gladly."}})
			before := len(r.asked)
			r.mu.Unlock()
			events, stop := r.c.Subscribe(task.EventFilter{})
			defer stop()
			if _, err := r.c.Say(t.Context(), got.ID, tasks.SayRequest{Text: "Thank you", Detached: true}); err != nil {
				t.Fatal(err)
			}
			r.over(t, got.ID, events, func(task.Event) {})
			if again := ended(t, r.c, got.ID); again.State != task.StateDone {
				t.Fatalf("%+v\n%s", again.Error, timelineText(t, r.c, got.ID))
			}
			if q := r.questions(); len(q) != before+1 || !strings.Contains(q[before], "Tidy my notes") || !strings.Contains(q[before], "Thank you") {
				t.Errorf("%d questions, the last %.2000s", len(q), q[len(q)-1])
			}
			if strings.Contains(timelineText(t, r.c, got.ID), agent.NoticeForgot) {
				t.Error("it forgot its conversation")
			}

			// And all of it is taken back.
			if rep, err := r.c.Undo(t.Context(), got.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 {
				t.Fatalf("%+v %v", rep, err)
			}
			for name, want := range map[string]string{"notes.md": "buy milk\n", "old.md": "old\n"} {
				if data, err := os.ReadFile(filepath.Join(r.dir, name)); err != nil || string(data) != want {
					t.Errorf("after undo %s is %q %v", name, data, err)
				}
			}
			if _, err := os.Stat(filepath.Join(r.dir, "summary.md")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what it made is still there: %v", err)
			}
			searchPacked(t, r.c, got.ID)
			closeAI(t, r.c)
			searchEnded(t, r.c)
		})
	}
}
