package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/acp"
	"piwork/app/agent/program"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/changes"
	"piwork/app/client"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// editor is one that drives a door on a fake controller.
type editor struct {
	*sdk.ClientSideConnection
	t    *testing.T
	fake *apitest.Fake
	dir  string // where its sessions are
	in   io.Closer
	over chan error

	mu     sync.Mutex
	said   []sdk.SessionUpdate
	asked  []sdk.RequestPermissionRequest
	answer func(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error)
}

// wish says how a test's editor and controller are.
type wish struct {
	script  apitest.Script
	folders []task.FolderRequest
	agent   string
	answer  func(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error)
	through func(acp.Service) acp.Service // nil is the controller itself
}

// controller is a client of a fake.
func controller(f *apitest.Fake) *client.Client {
	return client.New(client.InProcess(api.New(api.Options{Service: f}).Handler()), slog.New(slog.DiscardHandler))
}

func open(t *testing.T, w wish) *editor {
	t.Helper()
	e := &editor{t: t, fake: apitest.New(w.script), dir: t.TempDir(), answer: w.answer, over: make(chan error, 1)}
	var service acp.Service = controller(e.fake)
	if w.through != nil {
		service = w.through(service)
	}
	d, err := acp.Open(service, acp.Options{Version: "1", Folders: w.folders, Agent: w.agent, Network: task.NetworkOff})
	if err != nil {
		t.Fatal(err)
	}
	in, typed := io.Pipe()
	heard, out := io.Pipe()
	e.in = typed
	go func() { e.over <- d.Run(t.Context(), in, out); out.Close() }()
	e.ClientSideConnection = sdk.NewClientSideConnection(e, typed, heard)
	e.SetLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		typed.Close()
		select {
		case <-e.over:
		case <-time.After(30 * time.Second):
			t.Error("the door does not close")
		}
		heard.Close()
	})
	return e
}

func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, n.Update)
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (out sdk.RequestPermissionResponse, err error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	if e.answer == nil {
		return out, sdk.NewMethodNotFound(sdk.ClientMethodSessionRequestPermission)
	}
	out.Outcome, err = e.answer(ctx, r)
	return out, err
}

var errNone = errors.New("the door has no use for it")

func (*editor) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (r sdk.ReadTextFileResponse, _ error) {
	return r, errNone
}
func (*editor) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (r sdk.WriteTextFileResponse, _ error) {
	return r, errNone
}
func (*editor) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (r sdk.CreateTerminalResponse, _ error) {
	return r, errNone
}
func (*editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (r sdk.KillTerminalResponse, _ error) {
	return r, errNone
}
func (*editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (r sdk.TerminalOutputResponse, _ error) {
	return r, errNone
}
func (*editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (r sdk.ReleaseTerminalResponse, _ error) {
	return r, errNone
}
func (*editor) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (r sdk.WaitForTerminalExitResponse, _ error) {
	return r, errNone
}

// session opens one.
func (e *editor) session() sdk.SessionId {
	e.t.Helper()
	r, err := e.NewSession(e.t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.SessionId
}

// prompt sends one, and returns how it ended.
func (e *editor) prompt(id sdk.SessionId, blocks ...sdk.ContentBlock) (sdk.StopReason, error) {
	r, err := e.Prompt(e.t.Context(), sdk.PromptRequest{SessionId: id, Prompt: blocks})
	return r.StopReason, err
}

// ask sends a text, which has to end as it should.
func (e *editor) ask(id sdk.SessionId, text string, want sdk.StopReason) {
	e.t.Helper()
	if got, err := e.prompt(id, sdk.TextBlock(text)); err != nil || got != want {
		e.t.Fatalf("%q, want %q: %v", got, want, err)
	}
}

// heard is what the editor shows, a line for each piece.
func (e *editor) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, u := range e.said {
		switch {
		case u.AgentMessageChunk != nil:
			out = append(out, "says "+u.AgentMessageChunk.Content.Text.Text)
		case u.AgentThoughtChunk != nil:
			out = append(out, "thinks "+u.AgentThoughtChunk.Content.Text.Text)
		case u.UserMessageChunk != nil:
			out = append(out, "person "+u.UserMessageChunk.Content.Text.Text)
		case u.ToolCall != nil:
			line := "tool " + string(u.ToolCall.Kind) + " " + string(u.ToolCall.Status) + " " + u.ToolCall.Title
			for _, l := range u.ToolCall.Locations {
				line += " @" + l.Path
			}
			out = append(out, line)
		case u.ToolCallUpdate != nil:
			line := "tool " + string(*u.ToolCallUpdate.Status)
			for _, c := range u.ToolCallUpdate.Content {
				if c.Diff != nil {
					line += " -" + *c.Diff.OldText + "+" + c.Diff.NewText
				}
				if c.Content != nil {
					line += " " + c.Content.Content.Text.Text
				}
			}
			out = append(out, line)
		}
	}
	e.said = nil
	return strings.Join(out, "\n")
}

func event(kind task.EventKind, data any) task.Event { return task.Event{Kind: kind, Data: data} }

// chosen answers with the option of a kind.
func chosen(kind sdk.PermissionOptionKind) func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
	return func(_ context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
		for _, o := range r.Options {
			if o.Kind == kind {
				return sdk.NewRequestPermissionOutcomeSelected(o.OptionId), nil
			}
		}
		return sdk.RequestPermissionOutcome{}, errors.New("there is no such option")
	}
}

// words are what an error says to the person.
func words(err error) string {
	if r, is := errors.AsType[*sdk.RequestError](err); is {
		return r.Message
	}
	return ""
}

// The editor is told what there is.
func TestInitialize(t *testing.T) {
	e := open(t, wish{})
	r, err := e.Initialize(t.Context(), sdk.InitializeRequest{ProtocolVersion: 99})
	if err != nil || r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession || !r.AgentCapabilities.PromptCapabilities.Image || r.AgentInfo.Name != "piwork" || r.AgentInfo.Version != "1" {
		t.Errorf("%+v %v", r, err)
	}
}

// A conversation: the first prompt starts a task on the folder of the session, as the person
// chose for it, and the next has it go on. What is said, thought and done is shown as it comes,
// each once, with the editor's paths.
func TestConversation(t *testing.T) {
	e := open(t, wish{script: apitest.Script{Agent: apitest.Agent{Events: []task.Event{
		event(task.EventDelta, task.DeltaData{ID: "m1", Part: 1, Thinking: "Hm"}),
		event(task.EventDelta, task.DeltaData{ID: "m1", Part: 2, Text: "I lo"}),
		event(task.EventDelta, task.DeltaData{ID: "m1", Part: 4, Text: "er"}), // one was lost
		event(task.EventMessage, task.MessageData{ID: "m1", Role: "assistant", Thinking: "Hm.", Text: "I look\n\nover."}),
		event(task.EventTool, task.ToolData{ID: "t1", Name: "edit", Verb: "edit", Target: "a.txt", State: "started"}),
		event(task.EventTool, task.ToolData{ID: "t1", Name: "edit", Verb: "edit", Target: "a.txt", State: "done", Diff: "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"}),
		event(task.EventTool, task.ToolData{ID: "t2", Name: "read", Verb: "read", Target: "/folders/folder1/../../etc/passwd", State: "failed", Output: "no ``` such"}),
		event(task.EventMessage, task.MessageData{ID: "m2", Role: "assistant", Text: "Done."}),
		event(task.EventMessage, task.MessageData{ID: "m3", Role: "assistant", Text: "All of it."}),
	}}}})
	id := e.session()
	e.ask(id, "Look", sdk.StopReasonEndTurn)
	got := e.heard()
	for _, want := range []string{
		"thinks Hm\nsays I lo\nthinks .\nsays ok\n\nover.\ntool edit in_progress ", " @" + filepath.Join(e.dir, "a.txt") + "\ntool completed -one\ntwo\n+one\nthree\n\ntool read failed ",
		"passwd`\nsays Done.\nsays \n\nAll of it.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "person") || strings.Contains(got, "@/etc") {
		t.Error(got)
	}
	r := e.fake.Started()[0]
	if r.ID != string(id) || r.Kind != task.KindAI || r.Prompt != "Look" || r.Detached || len(r.Folders) != 1 || r.Folders[0] != (task.FolderRequest{Path: e.dir, Exact: true}) || r.Network != task.NetworkOff {
		t.Errorf("%+v", r)
	}
	e.fake.Agent.Events = []task.Event{event(task.EventMessage, task.MessageData{ID: "m4", Role: "assistant", Text: "Again."})}
	e.ask(id, "And now?", sdk.StopReasonEndTurn)
	if got := e.heard(); got != "says Again." || len(e.fake.Started()) != 1 {
		t.Error(got)
	}
}

// What an editor sends beside a text reaches the AI with the paths of the task. What is in no
// folder of the session is said to be so, and what piwork cannot take is refused in words.
func TestPrompts(t *testing.T) {
	png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	blob := func(uri, kind string) sdk.ContentBlock {
		return sdk.ResourceBlock(sdk.EmbeddedResourceResource{BlobResourceContents: &sdk.BlobResourceContents{Uri: uri, Blob: png, MimeType: &kind}})
	}
	for name, tt := range map[string]struct {
		block   func(dir string) sdk.ContentBlock
		want    string // of the text
		images  int
		refused string
	}{
		"a file": {func(dir string) sdk.ContentBlock {
			return sdk.ResourceLinkBlock("a b.txt", "file://"+dir+"/sub/a%20b.txt#L3:5")
		}, "[@a b.txt](/folders/BASE/sub/a b.txt#L3:5)", 0, ""},
		"the folder":    {func(dir string) sdk.ContentBlock { return sdk.ResourceLinkBlock("all", "file://"+dir+"/") }, "[@all](/folders/BASE)", 0, ""},
		"up":            {func(dir string) sdk.ContentBlock { return sdk.ResourceLinkBlock("x", "file://"+dir+"/../x") }, "/../x (not in the folders of this task))", 0, ""},
		"a neighbour":   {func(dir string) sdk.ContentBlock { return sdk.ResourceLinkBlock("x", "file://"+dir+"2/x") }, "(not in the folders", 0, ""},
		"another host":  {func(dir string) sdk.ContentBlock { return sdk.ResourceLinkBlock("x", "file://evil"+dir+"/x") }, "(not in the folders", 0, ""},
		"a page":        {func(string) sdk.ContentBlock { return sdk.ResourceLinkBlock("x", "https://example.org/x") }, "[@x](https://example.org/x)", 0, ""},
		"no address":    {func(string) sdk.ContentBlock { return sdk.ResourceLinkBlock("x", "file://%zz") }, "[@x](file://%zz)", 0, ""},
		"a picture":     {func(string) sdk.ContentBlock { return sdk.ImageBlock(png, "image/png") }, "See ", 1, ""},
		"as a resource": {func(string) sdk.ContentBlock { return blob("file:///x.png", "image/png") }, "See ", 1, ""},
		"no base64":     {func(string) sdk.ContentBlock { return sdk.ImageBlock("%", "image/png") }, "", 0, "base64"},
		"no picture":    {func(string) sdk.ContentBlock { return sdk.ImageBlock("AAAA", "image/png") }, "", 0, ""},
		"a sound":       {func(string) sdk.ContentBlock { return sdk.AudioBlock(png, "audio/wav") }, "", 0, "It takes text"},
		"a binary":      {func(string) sdk.ContentBlock { return blob("file:///x/a.zip", "application/zip") }, "", 0, "“a.zip”"},
		"a text": {func(dir string) sdk.ContentBlock {
			return sdk.ResourceBlock(sdk.EmbeddedResourceResource{TextResourceContents: &sdk.TextResourceContents{Uri: "file://" + dir + "/a.go", Text: "package a"}})
		}, "[@a.go](/folders/BASE/a.go)\n\n<context ref=\"/folders/BASE/a.go\">\npackage a\n</context>\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, wish{})
			_, err := e.prompt(e.session(), sdk.TextBlock("See "), tt.block(e.dir))
			started := e.fake.Started()
			if err != nil || tt.want == "" {
				if tt.refused == "" && err == nil {
					return // the fake takes what piwork does not
				}
				if !strings.Contains(words(err), tt.refused) || len(started) > 0 || err == nil {
					t.Errorf("%v, %+v", err, started)
				}
				return
			}
			want := strings.ReplaceAll(tt.want, "BASE", filepath.Base(e.dir))
			if len(started) != 1 || !strings.Contains(started[0].Prompt, want) || len(started[0].Images) != tt.images {
				t.Errorf("%+v", started)
			}
		})
	}
}

var deletion = vmhost.Question{
	ID: "q1", Kind: vmhost.AskDelete, Items: []string{"a", "b"}, Text: vmhost.Text{Code: "guard-delete", Params: map[string]any{"name": "Notes"}},
	Scopes: []string{vmhost.ScopeOnce, vmhost.ScopeTask},
}

// A question is put to the person in the editor, with the answers that it has. One that gets no
// answer there is left to piwork, and the editor says so.
func TestQuestions(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error)
		want   consent.AnswerRequest
		status string
	}{
		"yes":      {chosen(sdk.PermissionOptionKindAllowOnce), consent.AnswerRequest{Answer: "allow", Scope: "once", Seen: 2}, "tool completed"},
		"for long": {chosen(sdk.PermissionOptionKindAllowAlways), consent.AnswerRequest{Answer: "allow", Scope: "task", Seen: 2}, "tool completed"},
		"no":       {chosen(sdk.PermissionOptionKindRejectOnce), consent.AnswerRequest{Answer: "deny"}, "tool failed"},
		"never":    {chosen(sdk.PermissionOptionKindRejectAlways), consent.AnswerRequest{Answer: "deny", Rest: true}, "tool failed"},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{deletion}}}, answer: tt.answer})
			e.ask(e.session(), "Tidy up", sdk.StopReasonEndTurn)
			if got := e.fake.Answers(); len(got) != 1 || !reflect.DeepEqual(got[0], tt.want) || len(e.asked) != 1 {
				t.Fatalf("%+v, asked %+v", got, e.asked)
			}
			call := e.asked[0].ToolCall
			if *call.Kind != sdk.ToolKindDelete || !strings.Contains(*call.Title, "delete 2 of your files") || !strings.Contains(call.Content[0].Content.Content.Text.Text, "- `b`") {
				t.Errorf("%+v", call)
			}
			if got := e.heard(); !strings.Contains(got, tt.status) {
				t.Error(got)
			}
		})
	}
	for name, answer := range map[string]func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error){
		"it cannot ask": nil,
		"nonsense": func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
			return sdk.NewRequestPermissionOutcomeSelected("answer-99"), nil
		},
		"put aside": func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
			return sdk.NewRequestPermissionOutcomeCancelled(), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{deletion}}}, answer: answer})
			id, over := e.session(), make(chan error, 1)
			go func() { _, err := e.prompt(id, sdk.TextBlock("Tidy up")); over <- err }()
			said := ""
			e.until(func() bool { said += e.heard(); return strings.Contains(said, "Answer it in piwork") })
			if len(e.fake.Answers()) != 0 {
				t.Error("it was answered")
			}
			if _, err := e.fake.Answer(t.Context(), string(id), "q1", consent.AnswerRequest{Answer: "deny"}); err != nil {
				t.Error(err)
			}
			if err := <-over; err != nil {
				t.Error(err)
			}
		})
	}
}

// until waits for something.
func (e *editor) until(is func() bool) {
	e.t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			e.t.Fatal("it does not come")
		}
	}
}

// A question that is answered in piwork is withdrawn in the editor.
func TestWithdrawn(t *testing.T) {
	var e *editor
	withdrawn := make(chan struct{})
	e = open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{deletion}}}, answer: func(ctx context.Context, r sdk.RequestPermissionRequest) (out sdk.RequestPermissionOutcome, _ error) {
		if _, err := e.fake.Answer(context.Background(), string(r.SessionId), "q1", consent.AnswerRequest{Answer: "allow"}); err != nil {
			return out, err
		}
		<-ctx.Done()
		close(withdrawn)
		return out, ctx.Err()
	}})
	e.ask(e.session(), "Tidy up", sdk.StopReasonEndTurn)
	<-withdrawn
	if got := e.heard(); !strings.Contains(got, "tool completed") {
		t.Error(got)
	}
}

// A prompt that is cancelled ends what the AI does, also while it asks, and so does an editor
// that goes.
func TestCancel(t *testing.T) {
	for _, asks := range []bool{false, true} {
		script := apitest.Script{Endless: true}
		if asks {
			script.Consent.Questions = []vmhost.Question{deletion}
		}
		e := open(t, wish{script: script, answer: func(ctx context.Context, _ sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error) {
			<-ctx.Done()
			return sdk.NewRequestPermissionOutcomeCancelled(), nil
		}})
		id, over := e.session(), make(chan sdk.StopReason, 1)
		for _, end := range []func() error{func() error { return e.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}) }, e.in.Close} {
			state := func() task.State {
				r, err := e.fake.Task(t.Context(), string(id))
				if err != nil {
					return ""
				}
				return r.State
			}
			go func() { got, _ := e.prompt(id, sdk.TextBlock("Go")); over <- got }()
			e.until(func() bool { s := state(); return asks && s == task.StateWaiting || !asks && s == task.StateRunning })
			if err := end(); err != nil {
				t.Fatal(err)
			}
			e.until(func() bool { return state() == task.StateCancelled })
			if got := <-over; got != sdk.StopReasonCancelled && got != "" {
				t.Errorf("%q", got)
			}
			id = ""
			if r, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}}); err == nil {
				id = r.SessionId
			}
		}
	}
}

// staged are changes that wait: a text that was changed, one that is new, and what is no text.
var staged = apitest.Changed{
	List: []journal.Change{
		{ID: "c1", Folder: "f1", Path: "a.txt", Effect: journal.EffectChange, Staged: true, Before: &journal.FileState{Size: 4}, After: &journal.FileState{Size: 4}},
		{ID: "c2", Folder: "f1", Path: "sub/b.txt", Effect: journal.EffectCreate, Staged: true, After: &journal.FileState{Size: 3}},
		{ID: "c3", Folder: "f1", Path: "c.bin", Effect: journal.EffectCreate, Staged: true, After: &journal.FileState{Size: 1 << 30}},
		{ID: "c4", Folder: "f1", Path: "d.txt", Effect: journal.EffectDelete, Staged: true, Before: &journal.FileState{Size: 2}},
		{ID: "c5", Folder: "f1", Path: "e.txt", Effect: journal.EffectCreate},
	},
	Contents: map[string]map[changes.Which][]byte{
		"c1": {changes.Before: []byte("old\n"), changes.After: []byte("new\n")}, "c2": {changes.After: []byte("b\n")}, "c4": {changes.Before: []byte("d\n")},
	},
}

// Changes that wait are shown, and applied after a yes: those that were shown, and no others.
func TestReview(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  func(context.Context, sdk.RequestPermissionRequest) (sdk.RequestPermissionOutcome, error)
		applied int
		say     string
	}{
		"yes":           {chosen(sdk.PermissionOptionKindAllowOnce), 4, "Applied: 4 changes"},
		"not now":       {chosen(sdk.PermissionOptionKindRejectOnce), 0, "tool failed"},
		"it cannot ask": {nil, 0, "tool failed"},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, wish{script: apitest.Script{Changed: staged}, answer: tt.answer})
			id := e.session()
			e.ask(id, "Tidy up", sdk.StopReasonEndTurn)
			var got []string
			for _, w := range e.fake.Wishes() {
				if r, ok := w.(history.ApplyRequest); ok {
					got = append(got, r.IDs...)
				}
			}
			if len(got) != tt.applied || tt.applied > 0 && strings.Join(got, " ") != "c1 c2 c3 c4" {
				t.Errorf("applied %q", got)
			}
			said := e.heard()
			if !strings.Contains(said, "4 changes to review") || !strings.Contains(said, "1 change. Undo") || !strings.Contains(said, "piwork task diff "+string(id)[:13]) || !strings.Contains(said, tt.say) {
				t.Error(said)
			}
			call := e.asked[0].ToolCall
			b, err := json.Marshal(call.Content)
			if err != nil || *call.Title != "Apply 4 changes?" || len(call.Content) != 4 || len(call.Locations) != 4 {
				t.Fatalf("%+v %v", call, err)
			}
			a, sub := call.Content[1].Diff, call.Content[2].Diff
			if a.Path != filepath.Join(e.dir, "a.txt") || *a.OldText != "old\n" || a.NewText != "new\n" || sub.OldText != nil || sub.Path != filepath.Join(e.dir, "sub", "b.txt") || call.Content[3].Diff.NewText != "" {
				t.Errorf("%s", b)
			}
		})
	}
}

// Who applies the changes in piwork is not asked in the editor any more.
func TestReviewedElsewhere(t *testing.T) {
	var e *editor
	e = open(t, wish{script: apitest.Script{Changed: staged}, answer: func(ctx context.Context, r sdk.RequestPermissionRequest) (out sdk.RequestPermissionOutcome, _ error) {
		e.fake.Publish(task.Event{Task: string(r.SessionId), Kind: task.EventApply, Data: task.ApplyData{Applied: []string{"c1"}}})
		<-ctx.Done()
		return out, ctx.Err()
	}})
	e.ask(e.session(), "Tidy up", sdk.StopReasonEndTurn)
}

// Failures are said in piwork's words; a budget that is used up is an end, too.
func TestFailures(t *testing.T) {
	e := open(t, wish{script: apitest.Script{TaskErr: problem.New(problem.CodeDiskFull)}})
	if _, err := e.prompt(e.session(), sdk.TextBlock("x")); !strings.Contains(words(err), "disk") {
		t.Error(err)
	}
	e = open(t, wish{script: apitest.Script{TaskErr: problem.New(problem.CodeModelFailed).By("budget")}})
	e.ask(e.session(), "x", sdk.StopReasonMaxTokens)
	e = open(t, wish{script: apitest.Script{Refuse: map[string]error{"StartTask": problem.New(problem.CodeNoModel)}}})
	if _, err := e.prompt(e.session(), sdk.TextBlock("x")); words(err) == "" || strings.Contains(words(err), "no-model") {
		t.Error(err)
	}
}

// A session has a folder that piwork does not refuse, in those that the person named, where they
// named some; links count as where they lead.
func TestFolders(t *testing.T) {
	outer := t.TempDir()
	inner, other := filepath.Join(outer, "inner"), t.TempDir()
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(outer, "link")); err != nil {
		t.Fatal(err)
	}
	bound := []task.FolderRequest{{Path: outer, Mode: task.ModeReadOnly}, {Path: inner, Mode: task.ModeReadWrite}}
	for name, tt := range map[string]struct {
		cwd    string
		more   []string
		bound  []task.FolderRequest
		want   []task.FolderRequest
		refuse string
	}{
		"itself":      {outer, nil, bound, []task.FolderRequest{{Path: outer, Mode: task.ModeReadOnly}}, ""},
		"in it":       {inner, nil, bound, []task.FolderRequest{{Path: inner, Mode: task.ModeReadWrite}}, ""},
		"beside":      {other, nil, bound, nil, "Add it in the editor’s settings with `--folder PATH`"},
		"above":       {filepath.Dir(outer), nil, bound, nil, "outside the folders"},
		"up":          {inner + "/../../", nil, bound, nil, "outside the folders"},
		"by a link":   {filepath.Join(outer, "link"), nil, bound, nil, "outside the folders"},
		"one more":    {inner, []string{other}, bound, nil, "outside the folders"},
		"twice":       {outer, []string{inner, outer}, bound, []task.FolderRequest{{Path: outer, Mode: task.ModeReadOnly}}, ""},
		"the outer":   {inner, []string{outer}, bound, nil, "overlap"},
		"two":         {inner, []string{other}, nil, []task.FolderRequest{{Path: inner}, {Path: other}}, ""},
		"relative":    {"inner", nil, nil, nil, "absolute"},
		"nothing":     {"", nil, nil, nil, ""},
		"not there":   {filepath.Join(outer, "none"), nil, nil, nil, "doesn’t exist"},
		"a zero byte": {outer + "\x00", nil, nil, nil, "absolute"},
		"very many":   {outer, make([]string, 100), nil, nil, "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, wish{folders: tt.bound})
			r, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: tt.cwd, AdditionalDirectories: tt.more, McpServers: []sdk.McpServer{}})
			if tt.want == nil {
				if err == nil || !strings.Contains(words(err), tt.refuse) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			e.ask(r.SessionId, "x", sdk.StopReasonEndTurn)
			got := e.fake.Started()[0].Folders
			if len(got) != len(tt.want) {
				t.Fatalf("%+v", got)
			}
			for i := range got {
				if tt.want[i].Exact = true; got[i] != tt.want[i] { // a link that is made later leads nowhere
					t.Errorf("%+v", got[i])
				}
			}
		})
	}
	refused := problem.New(problem.CodeFolderRefused).By("home")
	e := open(t, wish{script: apitest.Script{Has: []any{[]tasks.DroppedFolder{{Path: "/home/me", Problem: refused}}}}})
	if _, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}}); !strings.Contains(words(err), "whole home folder") {
		t.Error(err)
	}
}

// A task that is there goes on in an editor, which hears all of it first; tasks outside the
// folders of the door, and what is no AI task, are not there.
func TestLoad(t *testing.T) {
	script := apitest.Script{Agent: apitest.Agent{Events: []task.Event{
		event(task.EventTool, task.ToolData{ID: "t1", Name: "read", Verb: "read", Target: "/folders/folder1/a.txt", State: "done", Output: "x"}),
		event(task.EventMessage, task.MessageData{ID: "m1", Role: "assistant", Text: "Done."}),
	}}}
	e := open(t, wish{script: script})
	start := func(kind task.Kind, dir string) string {
		id, err := task.NewID()
		if err != nil {
			t.Fatal(err)
		}
		r := tasks.StartRequest{ID: id, Kind: kind, Folders: []task.FolderRequest{{Path: dir}}, Detached: true}
		r.Prompt = "Look"
		if _, err := e.fake.StartTask(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		e.until(func() bool { r, err := e.fake.Task(t.Context(), id); return err == nil && r.State.Final() })
		return id
	}
	id, program := start(task.KindAI, e.dir), start(task.KindExec, e.dir)
	r, err := e.ListSessions(t.Context(), sdk.ListSessionsRequest{})
	if err != nil || len(r.Sessions) != 1 || string(r.Sessions[0].SessionId) != id || r.Sessions[0].Cwd != e.dir {
		t.Errorf("%+v %v", r, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(e.dir, link); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{e.dir: 1, link: 1, filepath.Dir(link): 0} { // as the editor calls it
		r, err := e.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &dir})
		if err != nil || len(r.Sessions) != want || want > 0 && r.Sessions[0].Cwd != dir {
			t.Errorf("in %s: %+v %v", dir, r, err)
		}
	}
	load := func(e *editor, id string) error {
		_, err := e.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: e.dir, McpServers: []sdk.McpServer{}})
		return err
	}
	if err := load(e, id); err != nil {
		t.Fatal(err)
	}
	e.until(func() bool { e.mu.Lock(); defer e.mu.Unlock(); return len(e.said) == 3 })
	if got := e.heard(); !strings.HasPrefix(got, "person Look\ntool read completed ") || !strings.HasSuffix(got, "@"+filepath.Join(e.dir, "a.txt")+"\nsays Done.") {
		t.Error(got)
	}
	e.ask(sdk.SessionId(id), "More", sdk.StopReasonEndTurn)
	for _, wrong := range []string{program, "", "../" + id, strings.Repeat("x", 1<<16)} {
		if err := load(e, wrong); err == nil {
			t.Errorf("%.40q is loaded", wrong)
		}
	}
	if _, err := e.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: sdk.SessionId(id)}); err != nil {
		t.Error(err)
	}
	if _, err := e.prompt(sdk.SessionId(id), sdk.TextBlock("x")); !strings.Contains(words(err), "doesn’t have this session") {
		t.Error(err)
	}
	bound := open(t, wish{script: script, folders: []task.FolderRequest{{Path: t.TempDir()}}})
	*bound.fake = *e.fake
	if err := load(bound, id); err == nil {
		t.Error("a task outside the folders is loaded")
	}
	if r, err := bound.ListSessions(t.Context(), sdk.ListSessionsRequest{}); err != nil || len(r.Sessions) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

// Another AI program works in the sessions where the person said so, with models that it can use.
func TestAgent(t *testing.T) {
	has := models.Catalogue{Default: "sub/one", List: []models.Model{{ID: "sub/one", Provider: "sub"}, {ID: "key/two", Provider: "key"}, {ID: "key/three", Provider: "key"}}}
	programs := []program.Info{{Name: program.Pi, Providers: []string{"sub", "key"}}, {Name: program.OpenCode, Providers: []string{"key"}}}
	e := open(t, wish{agent: program.OpenCode, script: apitest.Script{Has: []any{has, programs}}})
	r, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if err != nil || r.Models == nil || r.Models.CurrentModelId != "key/two" || len(r.Models.AvailableModels) != 2 {
		t.Fatalf("%+v %v", r.Models, err)
	}
	if _, err := e.UnstableSetSessionModel(t.Context(), sdk.UnstableSetSessionModelRequest{SessionId: r.SessionId, ModelId: "sub/one"}); err == nil {
		t.Error("a model that it cannot use")
	}
	e.ask(r.SessionId, "x", sdk.StopReasonEndTurn)
	if got := e.fake.Started()[0]; got.Program != program.OpenCode || got.Model != "key/two" {
		t.Errorf("%+v", got.AIRequest)
	}
	if _, err := acp.Open(controller(e.fake), acp.Options{Agent: "codex"}); err == nil {
		t.Error("a program that there is not")
	}
}

// The models of a session are piwork's, before its task and after.
func TestModels(t *testing.T) {
	has := models.Catalogue{Default: "a/one", List: []models.Model{{ID: "a/one", Name: "One"}, {ID: "a/two", Name: "Two"}}}
	e := open(t, wish{script: apitest.Script{Has: []any{has}}})
	r, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if err != nil || r.Models == nil || r.Models.CurrentModelId != "a/one" || len(r.Models.AvailableModels) != 2 || len(r.ConfigOptions) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	set := func(model string) error {
		_, err := e.UnstableSetSessionModel(t.Context(), sdk.UnstableSetSessionModelRequest{SessionId: r.SessionId, ModelId: sdk.UnstableModelId(model)})
		return err
	}
	if err := set("none"); err == nil {
		t.Error("a model that is not there")
	}
	if err := set("a/two"); err != nil {
		t.Error(err)
	}
	e.ask(r.SessionId, "x", sdk.StopReasonEndTurn)
	if got := e.fake.Started()[0].Model; got != "a/two" {
		t.Error(got)
	}
	got, err := e.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: r.SessionId, ConfigId: "model", Value: "a/one"}})
	if err != nil || len(got.ConfigOptions) != 1 || got.ConfigOptions[0].Select.CurrentValue != "a/one" {
		t.Errorf("%+v %v", got, err)
	}
	if now, err := e.fake.Task(t.Context(), string(r.SessionId)); err != nil || now.AI.Model != "a/one" {
		t.Errorf("%+v %v", now.AI, err)
	}
}
