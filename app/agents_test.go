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

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/agent/acpagent/acpagenttest"
	agents "piwork/app/agent/program"
	"piwork/app/aitask"
	"piwork/app/consent"
	"piwork/app/gateway"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// acpMachine is where the program of an add-on runs: it reaches what a program of a machine
// reaches.
type acpMachine struct {
	*fakePi
	exec wire.ExecParams
	in   io.Reader
}

// Write is the program's standard output.
func (m *acpMachine) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.say(bytes.Clone(p))
	return len(p), nil
}

// settings are the program's, as they were laid down.
func (m *acpMachine) settings() (s struct {
	Model    string
	Provider map[string]struct {
		Options struct{ BaseURL, APIKey string }
	}
}) {
	data, err := os.ReadFile(filepath.Join(m.state, "opencode", "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		panic(err)
	}
	return s
}

// think asks a model, "" for the task's, and returns what it says.
func (m *acpMachine) think(ctx context.Context, model, text string) (string, error) {
	s := m.settings()
	provider, name, _ := strings.Cut(s.Model, "/")
	if model != "" {
		name = model
	}
	body, err := json.Marshal(piObject{"model": name, "messages": []any{piObject{"role": "user", "content": text}}})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Provider[provider].Options.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.Provider[provider].Options.APIKey)
	res, err := m.http.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	var out struct {
		Choices []struct{ Message piAnswer }
		Error   struct{ Message string }
	}
	if err == nil {
		err = json.Unmarshal(said, &out)
	}
	if err != nil || res.StatusCode != http.StatusOK || len(out.Choices) == 0 {
		return "", &sdk.RequestError{Code: -32603, Message: fmt.Sprint(out.Error.Message, err)}
	}
	return out.Choices[0].Message.Content, nil
}

// agentWorld is a world whose add-on has an agent with scripted turns, and a model that says ok.
type agentWorld struct {
	*world
	c      *Controller
	server *gatewaytest.Server
	ran    aiRan

	mu    sync.Mutex
	execs []wire.ExecParams // of the agent
	asked []vmhost.Question
}

func newAgentWorld(t *testing.T, answer func(vmhost.Question) string, turn func(ctx context.Context, m *acpMachine, p *acpagenttest.Turn) error) *agentWorld {
	t.Helper()
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Turn{Parts: []string{"ok"}} })
	a := &agentWorld{world: aiWorld(t, "", server.URL), server: server}
	a.addOns, a.onCommand = []string{"opencode"}, a.ran.add
	a.onAgent = func(m *acpMachine) {
		a.mu.Lock()
		a.execs = append(a.execs, m.exec)
		a.mu.Unlock()
		able := sdk.AgentCapabilities{SessionCapabilities: sdk.SessionCapabilities{Resume: &sdk.SessionResumeCapabilities{}}}
		agent := &acpagenttest.Agent{Able: able, Models: []string{m.settings().Model}, Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
			if err := turn(ctx, m, p); err != nil {
				return "", err
			}
			return sdk.StopReasonEndTurn, nil
		}}
		agent.Serve(m.in, m)
	}
	dir := filepath.Join(a.base, "Notes")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "notes.md"), []byte("buy milk\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	a.c = openPi(t, a.world, nil)
	if answer == nil {
		return a
	}
	events, stop := a.c.Subscribe(task.EventFilter{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events {
			q, ok := e.Data.(vmhost.Question)
			if !ok {
				continue
			}
			a.mu.Lock()
			a.asked = append(a.asked, q)
			a.mu.Unlock()
			if _, err := a.c.Answer(context.Background(), q.Task, q.ID, consent.AnswerRequest{Answer: answer(q), Scope: vmhost.ScopeOnce}); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	return a
}

func (a *agentWorld) request() tasks.StartRequest {
	r := aiTask(a.base)
	r.Program = agents.OpenCode
	return r
}

// starts has a program say that it runs a command, as it does before it asks.
func starts(ctx context.Context, p *acpagenttest.Turn, command string) error {
	return p.Update(ctx, sdk.StartToolCall(sdk.ToolCallId("ask "+command), command, sdk.WithStartKind(sdk.ToolKindExecute), sdk.WithStartStatus(sdk.ToolCallStatusInProgress), sdk.WithStartRawInput(map[string]any{"command": command})))
}

func mayRun(command string) sdk.ToolCallUpdate {
	return sdk.ToolCallUpdate{ToolCallId: sdk.ToolCallId("ask " + command), Kind: sdk.Ptr(sdk.ToolKindExecute), Title: sdk.Ptr(command), RawInput: map[string]any{"command": command}}
}

// TestAgentOfAnAddOn holds that what another AI program does passes what pi's does: the gateway
// with its key and its count, the questions, the share with its undo.
func TestAgentOfAnAddOn(t *testing.T) {
	allow := func(q vmhost.Question) string {
		if s, _ := q.Text.Params["command"].(string); strings.HasPrefix(s, "rm") {
			return vmhost.AnswerDeny
		}
		return vmhost.AnswerAllow
	}
	var heard []string
	a := newAgentWorld(t, allow, func(ctx context.Context, m *acpMachine, p *acpagenttest.Turn) error {
		said, err := m.think(ctx, "", p.Text)
		if err != nil || said != "ok" {
			return fmt.Errorf("the model said %q %w", said, err)
		}
		if _, err := m.think(ctx, "another", p.Text); err == nil {
			heard = append(heard, "it may use another model")
		}
		for _, command := range []piObject{
			{"command": "wc -l notes.md"}, {"command": "rm notes.md"}, {"command": "tar --extract -f a.tar", "directory": "/folders/Notes"}, {"command": "ls", "directory": "../etc"},
		} {
			text, failed := m.command(ctx, command)
			heard = append(heard, fmt.Sprintf("%s %v", text, failed))
		}
		for _, command := range []string{"ls", "rm notes.md", "tar --extract -f b.tar"} {
			if err := starts(ctx, p, command); err != nil {
				return err
			}
			got, err := p.May(ctx, mayRun(command))
			heard = append(heard, fmt.Sprintf("%s %v", got, err))
		}
		if text, failed := m.tool(ctx, "write", "/folders/Notes/report.md", "# Report\n", ""); failed {
			return errors.New(text)
		}
		return p.Say(ctx, "All done.")
	})
	wait := a.listen(a.c)
	got := wait(a.start(a.c, a.request()).ID, task.StateDone)
	want := []string{
		"ran: wc -l notes.md false", aitask.CommandDenied + " true", "ran: tar --extract -f a.tar false", "The request cannot be read. true",
		"once <nil>", "reject <nil>", "once <nil>",
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard\n%s", strings.Join(heard, "\n"))
	}
	if got.AI.Program != agents.OpenCode || got.AI.Usage.Requests != 1 || got.AI.Usage.Output == 0 {
		t.Errorf("the record has %+v", got.AI)
	}
	a.mu.Lock()
	exec, asked := a.execs[0], len(a.asked)
	a.mu.Unlock()
	if asked != 4 {
		t.Errorf("asked %d times: %+v", asked, a.asked)
	}
	ran := a.ran.texts()
	if !slices.Equal(ran, []string{"/bin/bash -c wc -l notes.md", "/bin/bash -c tar --extract -f a.tar"}) {
		t.Errorf("there ran %q", ran)
	}
	if !strings.HasPrefix(strings.Join(exec.Argv, " "), "/opt/piwork/opencode/bin/opencode acp") || exec.Env["OPENCODE_SERVER_PASSWORD"] == "" || exec.Cwd != "/folders/Notes" {
		t.Errorf("it was started as %+v", exec)
	}
	noKey(t, filepath.Join(a.c.o.DataDir, tasksDir, got.ID), exec)
	messages, failed := 0, 0
	events, err := a.c.Timeline(t.Context(), got.ID, 0)
	for _, e := range events {
		switch e.Kind {
		case task.EventMessage:
			messages++
		case task.EventNotice:
			if strings.Contains(fmt.Sprint(e.Data), agent.NoticeFailed) {
				failed++
			}
		}
	}
	if err != nil || messages != 2 || failed != 0 {
		t.Errorf("%d messages, %d failures %v", messages, failed, err)
	}
	report := filepath.Join(a.base, "Notes", "report.md")
	if data, err := os.ReadFile(report); err != nil || string(data) != "# Report\n" {
		t.Fatalf("the report is %q %v", data, err)
	}
	if rep, err := a.c.Undo(t.Context(), got.ID, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
		t.Errorf("undone %+v %v", rep, err)
	}
	if _, err := os.Stat(report); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after undo: %v", err)
	}
}

// noKey holds that neither what a program is started with nor anything of the task has the key.
func noKey(t *testing.T, dir string, exec wire.ExecParams) {
	t.Helper()
	if strings.Contains(fmt.Sprint(exec), testKey) {
		t.Error("the program is started with the key")
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte(testKey)) {
			t.Errorf("%s has the key", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// What the gateway refuses ends the task, with the gateway's reason and not the program's.
func TestAgentRefused(t *testing.T) {
	a := newAgentWorld(t, nil, func(ctx context.Context, m *acpMachine, p *acpagenttest.Turn) error {
		_, err := m.think(ctx, "another", p.Text)
		return err
	})
	wait := a.listen(a.c)
	got := wait(a.start(a.c, a.request()).ID, task.StateFailed)
	if got.Error == nil || got.Error.Code != problem.CodeModelFailed || got.Error.Cause != string(gateway.CodeModel) {
		t.Errorf("it failed with %v, cause %q", got.Error, got.Error.Cause)
	}
	for _, q := range a.server.Questions() {
		if strings.HasSuffix(q.Path, "/completions") {
			t.Errorf("the model was asked: %s", q.Body)
		}
	}
}

// Stopping a task ends its agent, and withdraws what that asks.
func TestAgentStopped(t *testing.T) {
	asking, gone := make(chan struct{}), make(chan string, 1)
	a := newAgentWorld(t, nil, func(ctx context.Context, _ *acpMachine, p *acpagenttest.Turn) error {
		close(asking)
		if err := starts(ctx, p, "rm notes.md"); err != nil {
			return err
		}
		got, err := p.May(context.WithoutCancel(ctx), mayRun("rm notes.md"))
		gone <- fmt.Sprintf("%s %v", got, err)
		<-p.Done()
		return nil
	})
	wait := a.listen(a.c)
	id := a.start(a.c, a.request()).ID
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case <-asking:
	case <-ctx.Done():
		t.Fatal("it asks nothing")
	}
	for open := 0; open == 0; {
		list, err := a.c.Questions(ctx, id)
		if open = len(list); err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
	}
	if _, err := a.c.CancelTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateCancelled)
	if got := <-gone; strings.HasPrefix(got, "once") {
		t.Errorf("the program heard %s", got)
	}
	if list, err := a.c.Questions(t.Context(), id); err == nil && len(list) != 0 {
		t.Errorf("questions stay: %+v %v", list, err)
	}
}

// A task goes on in the same session of its agent.
func TestAgentGoesOn(t *testing.T) {
	var texts []string
	a := newAgentWorld(t, nil, func(ctx context.Context, _ *acpMachine, p *acpagenttest.Turn) error {
		text, hints, _ := strings.Cut(p.Text, "\n[Now: ")
		_, zone, _ := strings.Cut(hints, ":00, ")
		texts = append(texts, string(p.Session)+" "+text+" in "+zone)
		return p.Say(ctx, "yes")
	})
	t.Setenv("LC_ALL", "C")
	t.Setenv("TZ", "Asia/Tokyo")
	wait := a.listen(a.c)
	id := a.start(a.c, a.request()).ID
	wait(id, task.StateDone)
	t.Setenv("TZ", "America/Lima")
	if _, err := a.c.Say(t.Context(), id, tasks.SayRequest{Text: "more", Detached: true}); err != nil {
		t.Fatal(err)
	}
	wait(id, task.StateDone)
	if !slices.Equal(texts, []string{"ses_1 Report about my notes in Asia/Tokyo, C]", "ses_1 more in America/Lima, C]"}) {
		t.Errorf("it heard %q", texts)
	}
	if _, err := a.c.SetTaskModel(t.Context(), id, tasks.TaskModelRequest{Thinking: "high"}); codeOf(err) != problem.CodeBadRequest {
		t.Errorf("how long it thinks is set: %v", err)
	}
}

// What cannot work is said before a task begins, or by the task where that is found out later.
func TestAgentThatCannotWork(t *testing.T) {
	a := newAgentWorld(t, nil, nil)
	for name, change := range map[string]func(*tasks.StartRequest){
		"a program that there is not": func(r *tasks.StartRequest) { r.Program = "../pi" },
		"how long it thinks":          func(r *tasks.StartRequest) { r.Thinking = "high" },
		"a chore":                     func(r *tasks.StartRequest) { r.Chore = "trip-summary" },
	} {
		r := a.request()
		change(&r)
		if _, err := a.c.StartTask(t.Context(), r); err == nil {
			t.Errorf("%s: it starts", name)
		}
	}
	a.addOns = nil
	wait := a.listen(a.c)
	got := wait(a.start(a.c, a.request()).ID, task.StateFailed)
	if got.Error == nil || got.Error.Code != problem.CodeAddOnMissing || got.Error.Params["name"] != "opencode" {
		t.Errorf("without the add-on %+v", got.Error)
	}
}
