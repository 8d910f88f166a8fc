//go:build vm

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/app/consent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// otherModels are those that tasks change to, by protocol.
var otherModels = map[string]string{"anthropic": "claude-haiku-4-5", "openai": "gpt-oss:20b"}

// scripted is a model whose answers a test decides.
type scripted struct {
	*gatewaytest.Server
	protocol string
}

// openAI opens a controller whose keychain has the key of a model.
func openAI(t *testing.T, o Options, s scripted) *Controller {
	t.Helper()
	c := openScripted(t, o, s.URL, s.protocol, nil)
	t.Cleanup(func() { closeAI(t, c) })
	return c
}

// openScripted is openAI for a model of another program; nobody closes it.
func openScripted(t *testing.T, o Options, url, protocol string, onNote func(task.EventKind, any, bool)) *Controller {
	t.Helper()
	store := &keys.Memory{}
	model := gatewaytest.AnthropicModel
	if protocol == "openai" {
		url, model = url+"/v1", gatewaytest.OpenAIModel
	}
	err := store.Set(t.Context(), keys.Credential{
		Provider: "scripted", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: url, Protocol: protocol, Models: []string{model, otherModels[protocol]}, Private: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := open(t.Context(), o, func(ctx context.Context, o Options) (seams, error) {
		s, err := realSeams(ctx, o)
		s.keys, s.onNote = store, onNote
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closeAI(t *testing.T, c *Controller) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	if left := left(t, c.o.DataDir); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
}

// turns are the answers of a model by the number of the question, and what it was
// asked.
type turns struct {
	mu    sync.Mutex
	asked []string
	list  []gatewaytest.Turn
}

func (s *turns) reply(q gatewaytest.Question) gatewaytest.Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasSuffix(strings.SplitN(q.Path, "?", 2)[0], "/messages") && !strings.HasSuffix(q.Path, "/completions") {
		return gatewaytest.Turn{Status: 404}
	}
	n := len(s.asked)
	s.asked = append(s.asked, string(q.Body))
	if n >= len(s.list) {
		return gatewaytest.Turn{Parts: []string{"There is no more."}}
	}
	return s.list[n]
}

func (s *turns) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// bash is the call of a command.
func bash(command string) []gatewaytest.Tool {
	return []gatewaytest.Tool{{Name: "bash", Input: map[string]any{"command": command}}}
}

// A task reads in a folder, writes, is steered and given another model in the middle,
// asks before it deletes and before the host reads a page for it, has its messages
// summarised when it is over, goes on, and is undone. Nothing of the key is in the
// machine.
func TestRealAI(t *testing.T) {
	for _, protocol := range realProtocols {
		t.Run(protocol, func(t *testing.T) {
			dir := t.TempDir()
			notes := filepath.Join(dir, "notes.md")
			if err := os.WriteFile(notes, []byte("buy milk\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(dir)
			in := "/folders/" + name + "/"
			hold := make(chan struct{}, 1)
			hold <- struct{}{} // the first part of the third answer
			script := &turns{list: []gatewaytest.Turn{
				{Parts: []string{"I look. "}, Tools: []gatewaytest.Tool{{Name: "read", Input: map[string]any{"path": in + "notes.md"}}}},
				{Tools: []gatewaytest.Tool{{Name: "write", Input: map[string]any{"path": in + "summary.md", "content": "Milk.\n"}}}},
				{Parts: []string{"wait", "ing"}, Step: hold, Tools: bash("echo for-the-person > /state/results/list.txt 2>/dev/null || (mkdir -p /state/results && echo for-the-person > /state/results/list.txt); " + leaveMarker)},
				{Tools: bash("rm '" + in + "notes.md'")},
				{Tools: []gatewaytest.Tool{{Name: "web_fetch", Input: map[string]any{"url": "http://example.org/milk"}}}},
				{Parts: []string{"All ", "**done**."}},
			}}
			web := newFakeWeb(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>Milk is white.") })
			server := gatewaytest.New(canary)
			t.Cleanup(server.Close)
			server.Reply(script.reply)
			c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, protocol})
			c.s.network = web.network
			events, stop := c.Subscribe(task.EventFilter{})
			defer stop()
			started, err := c.StartTask(t.Context(), tasks.StartRequest{
				Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Tidy my notes"}, Network: task.NetworkOff,
				Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
			})
			if err != nil {
				t.Fatal(err)
			}
			id := started.ID
			if started.AI == nil || !strings.HasPrefix(started.AI.Model, "scripted/") || started.Title != "Tidy my notes" {
				t.Errorf("%+v", started)
			}
			// What is kept of a conversation in a summary has this length.
			steering := "and remove the old file" + strings.Repeat(" as soon as you can", 5000)
			wrote, steered, deltas := false, false, 0
			var questions []string
			limit := time.After(5 * time.Minute)
			for over := false; !over; {
				var e task.Event
				select {
				case e = <-events:
				case <-limit:
					t.Fatalf("asked %d times, timeline %s", len(script.questions()), timelineText(t, c, id))
				}
				switch d := e.Data.(type) {
				case task.ToolData:
					wrote = wrote || d.Verb == "write" && d.State == "done"
				case task.DeltaData:
					deltas++
					if wrote && !steered { // in the middle of an answer
						steered = true
						if _, err := c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Model: "scripted/" + otherModels[protocol], Thinking: "high"}); err != nil {
							t.Fatal(err)
						}
						if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: steering}); err != nil {
							t.Fatal(err)
						}
						close(hold)
					}
				case vmhost.Question:
					questions = append(questions, d.Text.Code)
					if searchMachines(t, c); d.Text.Code == "web-fetch" { // the last one, and the machine is there
						searchRunning(t, c)
					}
					if _, err := c.Answer(t.Context(), id, d.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}); err != nil {
						t.Fatal(err)
					}
				case task.StateData:
					over = d.State.Final()
				}
			}
			got := ended(t, c, id)
			if got.State != task.StateDone {
				t.Fatalf("%+v %+v\n%s", got.State, got.Error, timelineText(t, c, id))
			}
			if !steered || deltas == 0 || !slices.Contains(questions, agent.AskCommand) || questions[len(questions)-1] != "web-fetch" {
				t.Errorf("steered %v, %d deltas, asked %q\n%s", steered, deltas, questions, timelineText(t, c, id))
			}
			if _, err := os.Stat(notes); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file was not deleted: %v", err)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "summary.md")); err != nil || string(data) != "Milk.\n" {
				t.Errorf("%q %v", data, err)
			}
			if i := slices.IndexFunc(got.Results, func(r task.Result) bool { return r.Path == "list.txt" }); i < 0 {
				t.Errorf("results: %+v", got.Results)
			} else if r, _, err := c.OpenResult(t.Context(), id, i); err != nil {
				t.Error(err)
			} else {
				data, err := io.ReadAll(r)
				if r.Close(); err != nil || string(data) != "for-the-person\n" {
					t.Errorf("%q %v", data, err)
				}
			}
			if u := got.AI.Usage; u.Requests < 6 || u.Input == 0 || u.Output == 0 || len(got.AI.Pending) != 0 {
				t.Errorf("%+v", got.AI)
			}
			said := messages(t, c, id)
			if n := len(said); n == 0 || said[0] != "user: Tidy my notes" || !slices.ContainsFunc(said, func(m string) bool { return strings.HasPrefix(m, "user: and remove the old file") }) || said[n-1] != "assistant: All **done**." {
				t.Errorf("%q", said)
			}
			if all := strings.Join(script.questions(), "\n"); !strings.Contains(all, "buy milk") || !strings.Contains(all, "Milk is white.") {
				t.Error("the model never got what is in the file, or on the page")
			}
			tuned := 0
			for _, q := range server.Questions() {
				if q.Key() != canary {
					t.Errorf("a question came with the key %q", q.Key())
				}
				if q.Model == otherModels[protocol] && (bytes.Contains(q.Body, []byte(`"budget_tokens":`)) || bytes.Contains(q.Body, []byte(`"reasoning_effort":"high"`))) {
					tuned++
				}
			}
			if tuned != 3 || got.AI.Model != "scripted/"+otherModels[protocol] || got.AI.Thinking != "high" {
				t.Errorf("%d questions to the other model, %+v", tuned, got.AI)
			}

			remembers := "Tidy my notes"
			if protocol == "openai" { // one is enough: it is another start of the machine
				remembers = "They wanted tidy notes."
				script.mu.Lock()
				script.list = append(slices.Clone(script.list[:len(script.asked)]), gatewaytest.Turn{Parts: []string{remembers}})
				script.mu.Unlock()
				if _, err := c.CompactTask(t.Context(), id, true); err != nil {
					t.Fatal(err)
				}
				if got := ended(t, c, id); got.State != task.StateDone || got.Error != nil || !strings.Contains(timelineText(t, c, id), "compacted") {
					t.Fatalf("%+v\n%s", got.Error, timelineText(t, c, id))
				}
			}

			if tier.All { // in an ordinary run TestRealKilledInAnAITask goes on in the same conversation
				goesOn(t, c, id, protocol, remembers, script)
			}

			// And all of it is taken back.
			if r, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(r.Conflicts) > 0 {
				t.Fatalf("%+v %v", r, err)
			}
			if data, err := os.ReadFile(notes); err != nil || string(data) != "buy milk\n" {
				t.Errorf("%q %v", data, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "summary.md")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what it made is still there: %v", err)
			}
			searchPacked(t, c, id)
			closeAI(t, c)
			searchEnded(t, c)
		})
	}
}

// goesOn has a task go on with another message, in the same conversation.
func goesOn(t *testing.T, c *Controller, id, protocol, remembers string, script *turns) {
	t.Helper()
	script.mu.Lock()
	script.list = append(slices.Clone(script.list[:len(script.asked)]), gatewaytest.Turn{Parts: []string{"Gladly."}})
	before := len(script.asked)
	script.mu.Unlock()
	again, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "Thank you", Detached: true})
	if err != nil || again.State != task.StateQueued {
		t.Fatalf("%+v %v", again, err)
	}
	if got := ended(t, c, id); got.State != task.StateDone {
		t.Fatalf("%+v\n%s", got.Error, timelineText(t, c, id))
	}
	if q := script.questions(); len(q) != before+1 || !strings.Contains(q[before], remembers) || !strings.Contains(q[before], "Thank you") || protocol == "openai" && strings.Contains(q[before], "buy milk") {
		t.Errorf("%d questions, the last %.2000s", len(q), q[len(q)-1])
	}
	if said := messages(t, c, id); len(said) < 2 || said[len(said)-2] != "user: Thank you" || said[len(said)-1] != "assistant: Gladly." || count(said, "user: Tidy my notes") != 1 {
		t.Errorf("%q", said)
	}
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// A task whose program ends in the middle goes on: the conversation is there, and
// what was in its workroom is named as lost.
func TestRealAIGoesOn(t *testing.T) {
	tier.Rest(t, "TestRealKilledInAnAITask")
	dir := t.TempDir()
	never := make(chan struct{})
	script := &turns{list: []gatewaytest.Turn{
		{Tools: bash("echo one > '/folders/" + filepath.Base(dir) + "/one.txt'; echo scratch > /work/scratch")},
		{Parts: []string{"This is ", "never finished"}, Step: never},
		{Parts: []string{"Finished."}},
	}}
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(never) })
	server.Reply(script.reply)
	o := warmOptions(t).WithDefaults()
	c := openAI(t, o, scripted{server, "anthropic"})
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Do something long"}, Network: task.NetworkOff, Accept: true, Detached: true,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(4 * time.Minute); len(script.questions()) < 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(timelineText(t, c, started.ID))
		}
	}
	closeAI(t, c)
	c = openAI(t, o, scripted{server, "anthropic"})
	if got, err := c.Task(t.Context(), started.ID); err != nil || got.State != task.StateCancelled {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := c.ResumeTask(context.WithoutCancel(t.Context()), started.ID); err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, started.ID)
	if got.State != task.StateDone || got.AI.Resumes != 1 {
		t.Fatalf("%+v\n%s", got, timelineText(t, c, started.ID))
	}
	q := script.questions()
	if len(q) != 3 || !strings.Contains(q[2], "Do something long") || !strings.Contains(q[2], "one.txt") {
		t.Errorf("%d questions, the last %.2000s", len(q), q[len(q)-1])
	}
	text := timelineText(t, c, started.ID)
	if said := messages(t, c, started.ID); count(said, "user: Do something long") != 1 || said[len(said)-1] != "assistant: Finished." || !strings.Contains(text, "lost-work") {
		t.Errorf("%q\n%s", said, text)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "one.txt")); err != nil || string(data) != "one\n" {
		t.Errorf("%q %v", data, err)
	}
	// With nothing left to do, there is nothing to go on with.
	var p *problem.Problem
	if _, err := c.ResumeTask(t.Context(), started.ID); !errors.As(err, &p) || p.Code != problem.CodeNotResumable {
		t.Errorf("%v", err)
	}
}

// What a model, a key or a person makes impossible ends the task with its reason.
func TestRealAIFails(t *testing.T) {
	tier.Rest(t, "")
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, "anthropic"})
	for name, tt := range map[string]struct {
		reply func(gatewaytest.Question) gatewaytest.Turn
		code  string
		cause string
	}{
		"the key is refused": {func(gatewaytest.Question) gatewaytest.Turn {
			return gatewaytest.Turn{Status: 401, Message: "invalid x-api-key"}
		}, problem.CodeModelFailed, "key-refused"},
		"no credit": {func(gatewaytest.Question) gatewaytest.Turn {
			return gatewaytest.Turn{Status: 400, Message: "Your credit balance is too low to access the API."}
		}, problem.CodeModelFailed, "no-credit"},
	} {
		t.Run(name, func(t *testing.T) {
			server.Reply(tt.reply)
			started, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true})
			if err != nil {
				t.Fatal(err)
			}
			got := ended(t, c, started.ID)
			if got.State != task.StateFailed || got.Error == nil || got.Error.Code != tt.code || got.Error.Cause != tt.cause {
				t.Errorf("%s %+v\n%s", got.State, got.Error, timelineText(t, c, started.ID))
			}
			if strings.Contains(fmt.Sprintf("%+v", got.Error), canary) {
				t.Error("the key is in the error")
			}
		})
	}
}

// A task that is stopped while it asks does nothing more, and can be told to go on.
func TestRealAIInterrupted(t *testing.T) {
	tier.Rest(t, "")
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	well := gatewaytest.Turn{Parts: []string{"As you like."}} // it may hear of the no before it is stopped
	script := &turns{list: []gatewaytest.Turn{{Tools: bash("rm '/folders/" + filepath.Base(dir) + "/a.txt'")}, well, well}}
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	server.Reply(script.reply)
	c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, "openai"})
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Delete it"}, Network: task.NetworkOff, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	q := openQuestion(t, c, started.ID)
	if q.Kind != vmhost.AskCommand || !strings.Contains(fmt.Sprint(q.Text.Params["command"]), "rm ") {
		t.Errorf("%+v", q)
	}
	standsStill(t, c, started.ID)
	got, err := c.Interrupt(t.Context(), started.ID)
	if err != nil || got.State != task.StateDone {
		t.Fatalf("%+v %v\n%s", got, err, timelineText(t, c, started.ID))
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if _, err := c.Say(context.WithoutCancel(t.Context()), started.ID, tasks.SayRequest{Text: "Leave it"}); err != nil {
		t.Fatal(err)
	}
	if got := ended(t, c, started.ID); got.State != task.StateDone {
		t.Errorf("%+v\n%s", got.Error, timelineText(t, c, started.ID))
	}
	if said := messages(t, c, started.ID); said[len(said)-1] != "assistant: As you like." {
		t.Errorf("%q", said)
	}
}

// messages are what was said, in order.
func messages(t *testing.T, c *Controller, id string) (out []string) {
	t.Helper()
	for _, e := range timelineOf(t, c, id) {
		if e.Kind == task.EventMessage {
			var d task.MessageData
			if err := json.Unmarshal(e.Data.(json.RawMessage), &d); err != nil {
				t.Fatal(err)
			}
			out = append(out, d.Role+": "+d.Text)
		}
	}
	return out
}

func timelineOf(t *testing.T, c *Controller, id string) []task.Event {
	t.Helper()
	events, err := c.Timeline(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func timelineText(t *testing.T, c *Controller, id string) string {
	t.Helper()
	var b strings.Builder
	for _, e := range timelineOf(t, c, id) {
		fmt.Fprintf(&b, "%s %s %s\n", e.Time.Format("05.000"), e.Kind, e.Data)
	}
	return b.String()
}
