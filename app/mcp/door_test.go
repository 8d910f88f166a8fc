package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"piwork/app/actions"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/chore"
	"piwork/app/client"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/mcp"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// opened is a door on a fake controller, with one assistant in it.
type opened struct {
	*sdk.ClientSession
	t    *testing.T
	fake *apitest.Fake
	door *mcp.Door
	dir  string // the one folder, which may be changed

	mu       sync.Mutex
	progress []*sdk.ProgressNotificationParams
	asked    []string
}

// wish says how a test's assistant is.
type wish struct {
	script   apitest.Script
	revision string                                          // of the protocol; "" is the newest
	answer   func(message string) (*sdk.ElicitResult, error) // nil: it cannot ask the person
	folders  []task.FolderRequest
	noAI     bool
	noPlans  bool
	network  task.Network
	runtime  string // kind of place
	budget   int64
}

func open(t *testing.T, w wish) *opened {
	t.Helper()
	o := &opened{t: t, fake: apitest.New(w.script), dir: t.TempDir()}
	if w.folders == nil {
		w.folders = []task.FolderRequest{{Path: o.dir, Mode: task.ModeReadWrite}}
	}
	c := client.New(client.InProcess(api.New(api.Options{Service: o.fake}).Handler()), slog.New(slog.DiscardHandler))
	var err error
	options := mcp.Options{Version: "1", Folders: w.folders, Title: "Workroom", AI: !w.noAI, Budget: w.budget, Network: w.network, Machine: tasks.MachineChoice{Runtime: w.runtime}}
	if !w.noPlans {
		options.PlanLines = func(p chore.Plan) []string { return []string{p.Chore + " makes one PDF"} }
	}
	if o.door, err = mcp.Open(c, options); err != nil {
		t.Fatal(err)
	}
	assistant := &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.progress = append(o.progress, r.Params)
	}}
	if w.answer != nil {
		assistant.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			o.mu.Lock()
			o.asked = append(o.asked, r.Params.Message)
			o.mu.Unlock()
			return w.answer(r.Params.Message)
		}
	}
	theirs, ours := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- o.door.Server().Run(ctx, theirs) }()
	o.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, assistant).Connect(t.Context(), ours, &sdk.ClientSessionOptions{ProtocolVersion: w.revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.ClientSession.Close()
		cancel()
		<-over
		o.door.Close()
	})
	return o
}

// call calls a tool, and reads its answer into out where that is not nil. It returns the text,
// and whether that is an error.
func (o *opened) call(name string, in map[string]any, out any) (string, bool) {
	o.t.Helper()
	p := &sdk.CallToolParams{Name: name, Arguments: in}
	p.SetProgressToken(name)
	r, err := o.CallTool(o.t.Context(), p)
	if err != nil {
		o.t.Fatalf("%s: %v", name, err)
	}
	if r.StructuredContent != nil {
		o.valid(name, r.StructuredContent)
	}
	if out != nil && !r.IsError {
		b, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(b, out)
		}
		if err != nil {
			o.t.Fatalf("%s: %v", name, err)
		}
	}
	text := ""
	if len(r.Content) > 0 {
		if c, ok := r.Content[0].(*sdk.TextContent); ok {
			text = c.Text
		}
	}
	return text, r.IsError
}

// valid fails where a tool answers something else than its schema says.
func (o *opened) valid(name string, answer any) {
	o.t.Helper()
	for tool, err := range o.Tools(o.t.Context(), nil) {
		if err != nil {
			o.t.Fatal(err)
		}
		if tool.Name != name {
			continue
		}
		c := jsonschema.NewCompiler()
		err := c.AddResource("urn:answer", tool.OutputSchema)
		if err == nil {
			var s *jsonschema.Schema
			if s, err = c.Compile("urn:answer"); err == nil {
				err = s.Validate(answer)
			}
		}
		if err != nil {
			o.t.Errorf("%s: %v", name, err)
		}
		return
	}
	o.t.Errorf("%s is no tool", name)
}

// name is what the folder is called in the workroom.
func (o *opened) name() string { return wire.FoldersDir + "/" + filepath.Base(o.dir) }

type in = map[string]any

// Every operation is a tool, and every tool says what it does, takes and gives.
func TestTools(t *testing.T) {
	o := open(t, wish{})
	var names []string
	for tool, err := range o.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		input, _ := tool.InputSchema.(map[string]any)
		output, _ := tool.OutputSchema.(map[string]any)
		if !regexp.MustCompile(`^[a-z_]{3,40}$`).MatchString(tool.Name) || tool.Title == "" || len(tool.Description) < 15 || input["type"] != "object" || output["type"] != "object" {
			t.Errorf("%+v", tool)
		}
	}
	for _, op := range tools.Catalogue() {
		if !slices.Contains(names, strings.ReplaceAll(op.Name, ".", "_")) {
			t.Errorf("%s is no tool", op.Name)
		}
	}
	if got := len(names) - len(tools.Catalogue()); got != 13 {
		t.Errorf("%d tools beside the operations: %q", got, names)
	}
	for _, name := range names {
		if strings.Contains(name, "apply") || strings.Contains(name, "answer") || strings.Contains(name, "accept") {
			t.Errorf("%s is the person's", name)
		}
	}
	if text := o.InitializeResult().Instructions; !strings.Contains(text, o.name()+": may be changed") || strings.Contains(text, o.dir) {
		t.Error(text)
	}
}

// A command reaches the open world exactly where its workroom has a network.
func TestOpenWorld(t *testing.T) {
	for network, want := range map[task.Network]bool{"": false, task.NetworkOff: false, task.NetworkRestricted: true, task.NetworkOn: true} {
		found := false
		for tool, err := range open(t, wish{network: network}).Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if tool.Name != "run_command" {
				continue
			}
			if found = true; tool.Annotations.OpenWorldHint == nil || *tool.Annotations.OpenWorldHint != want {
				t.Errorf("network %q: %+v", network, tool.Annotations)
			}
		}
		if !found {
			t.Error("there is no run_command")
		}
	}
}

// Folders lie apart, and are there.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	inner, link := filepath.Join(dir, "inner"), filepath.Join(t.TempDir(), "link")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(inner, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	other, file := t.TempDir(), filepath.Join(inner, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, folders := range map[string][]task.FolderRequest{
		"is not there":     {{Path: filepath.Join(dir, "none")}},
		"twice":            {{Path: inner}, {Path: inner}},
		"one in the other": {{Path: filepath.Dir(other)}, {Path: other}},
		"by a link":        {{Path: inner}, {Path: link}},
		"a file":           {{Path: file}},
		"all of a home":    {{Path: dir}},
		"a whole disk":     {{Path: filepath.VolumeName(dir) + string(filepath.Separator)}},
	} {
		if _, err := mcp.Open(nil, mcp.Options{Folders: folders}); err == nil {
			t.Errorf("%s: it is open", name)
		}
	}
	d, err := mcp.Open(nil, mcp.Options{Folders: []task.FolderRequest{{Path: inner}, {Path: other}}})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// The operations get the folders that were named, as they were named, and nothing else.
func TestOperations(t *testing.T) {
	second := filepath.Join(t.TempDir(), "Notes")
	o := open(t, wish{folders: []task.FolderRequest{}})
	o.ClientSession.Close()
	for _, dir := range []string{second} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	first := filepath.Join(t.TempDir(), "Notes")
	if err := os.Mkdir(first, 0o700); err != nil {
		t.Fatal(err)
	}
	o = open(t, wish{
		folders: []task.FolderRequest{{Path: first}, {Path: second, Mode: task.ModeReview}},
		script:  apitest.Script{Results: []apitest.ResultFile{{Result: task.Result{Path: "b.txt", Size: 3}, Data: []byte("abc")}}},
	})
	for name, tt := range map[string]struct {
		tool    string
		in      in
		refused string
		modes   []task.Mode
		tooled  wire.ToolParams
	}{
		"a report":    {"file_hash", in{"in": []string{"/folders/Notes/a.txt"}}, "", []task.Mode{"ro", "ro"}, wire.ToolParams{In: []string{"/folders/Notes/a.txt"}}},
		"a result":    {"image_convert", in{"in": []string{"/folders/Notes/a.png"}, "out": "/folders/Notes (2)/a.jpg"}, "", []task.Mode{"ro", "review"}, wire.ToolParams{In: []string{"/folders/Notes/a.png"}, Out: "/folders/Notes (2)/a.jpg"}},
		"kept":        {"image_convert", in{"in": []string{"/folders/Notes/a.png"}, "params": in{"format": "jpeg"}}, "", []task.Mode{"ro", "ro"}, wire.ToolParams{In: []string{"/folders/Notes/a.png"}, Out: "/work/out/a.jpg"}},
		"changes":     {"file_remove", in{"in": []string{"/folders/Notes (2)/a"}}, "", []task.Mode{"ro", "review"}, wire.ToolParams{In: []string{"/folders/Notes (2)/a"}}},
		"up":          {"file_hash", in{"in": []string{"/folders/Notes/../../etc/passwd"}}, "outside", nil, wire.ToolParams{}},
		"a neighbour": {"file_hash", in{"in": []string{"/folders/Notes2/a"}}, "outside", nil, wire.ToolParams{}},
		"of the host": {"file_hash", in{"in": []string{filepath.Join(first, "a.txt")}}, "outside", nil, wire.ToolParams{}},
		"relative":    {"file_hash", in{"in": []string{"a.txt"}}, "outside", nil, wire.ToolParams{}},
		"out, up":     {"image_convert", in{"in": []string{"/folders/Notes/a.png"}, "out": "/folders/Notes/../x.jpg"}, "outside", nil, wire.ToolParams{}},
		"no input":    {"file_hash", in{"in": []string{}}, "minitems", nil, wire.ToolParams{}},
		"more":        {"file_hash", in{"in": []string{"/folders/Notes/a"}, "folders": []string{"/etc"}}, "additional", nil, wire.ToolParams{}},
		"no format":   {"image_convert", in{"in": []string{"/folders/Notes/a.png"}}, "format", nil, wire.ToolParams{}},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(o.fake.Started())
			var out mcp.Outcome
			text, failed := o.call(tt.tool, tt.in, &out)
			started := o.fake.Started()[before:]
			if tt.refused != "" {
				if !failed || !strings.Contains(strings.ToLower(text), tt.refused) || len(started) != 0 {
					t.Errorf("%q, %d started", text, len(started))
				}
				return
			}
			if failed || out.State != "done" || len(started) != 1 || len(out.Files) != 1 || out.Files[0].Name != "b.txt" {
				t.Fatalf("%q, %+v, %d started", text, out, len(started))
			}
			var modes []task.Mode
			for _, f := range started[0].Folders {
				if modes = append(modes, f.Mode); !f.Exact {
					t.Errorf("a link may lead elsewhere: %+v", f)
				}
			}
			got := started[0].Tool
			if !slices.Equal(modes, tt.modes) || !slices.Equal(got.In, tt.tooled.In) || tt.tooled.Out != "" && got.Out != tt.tooled.Out || !started[0].Agent {
				t.Errorf("%q %+v", modes, got)
			}
			r, err := o.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: out.Files[0].URI})
			if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != "abc" {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
}

var deletion = vmhost.Question{ID: "q1", Kind: vmhost.AskDelete, Items: []string{"a", "b"}, Text: vmhost.Text{Code: "delete", Params: map[string]any{"folder": "Notes"}}}

// A person answers in the assistant, or in piwork where that cannot ask or gets no answer.
func TestQuestions(t *testing.T) {
	say := func(action, answer string) func(string) (*sdk.ElicitResult, error) {
		return func(string) (*sdk.ElicitResult, error) {
			r := &sdk.ElicitResult{Action: action}
			if answer != "" {
				r.Content = map[string]any{"answer": answer}
			}
			return r, nil
		}
	}
	for _, revision := range []string{"", "2025-06-18"} {
		for name, tt := range map[string]struct {
			answer func(string) (*sdk.ElicitResult, error)
			want   string // what piwork hears; "" is nothing
		}{
			"yes":       {say("accept", "allow"), "allow once 2"},
			"no":        {say("accept", "deny"), "deny  0"},
			"declined":  {say("decline", ""), "deny  0"},
			"put aside": {say("cancel", ""), ""},
			"nonsense":  {say("accept", "always"), ""},
			"nobody":    {nil, ""},
		} {
			t.Run(revision+name, func(t *testing.T) {
				second := deletion
				second.ID = "q2"
				o := open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{deletion, second}}}, answer: tt.answer, revision: revision})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				type answered struct {
					r   *sdk.CallToolResult
					err error
				}
				got := make(chan answered, 1)
				go func() {
					r, err := o.CallTool(ctx, &sdk.CallToolParams{Name: "file_hash", Arguments: in{"in": []string{o.name() + "/a"}}})
					got <- answered{r, err}
				}()
				a := <-got
				if name == "nonsense" && a.err != nil && len(o.fake.Answers()) == 0 {
					return // some clients refuse to send it
				}
				if a.err != nil || a.r.IsError {
					t.Fatalf("%+v %v", a.r, a.err)
				}
				text := a.r.Content[0].(*sdk.TextContent).Text
				if tt.want == "" { // it stays open in piwork
					if !strings.Contains(text, "waiting") || !strings.Contains(text, "The person decides") || len(o.fake.Answers()) != 0 {
						t.Errorf("%q", text)
					}
					return
				}
				answers := o.fake.Answers()
				if len(answers) != 2 || len(o.asked) != 2 || !strings.Contains(o.asked[0], "- b") {
					t.Fatalf("%+v %q", answers, o.asked)
				}
				if one := answers[1]; strings.Join([]string{one.Answer, one.Scope, string(rune('0' + one.Seen))}, " ") != tt.want {
					t.Errorf("%+v", one)
				}
			})
		}
	}
}

// Who answers in piwork while the assistant asks, is heard: what the assistant has to say then
// stops nothing.
func TestAnsweredElsewhere(t *testing.T) {
	second := deletion
	second.ID = "q2"
	var o *opened
	first := true
	o = open(t, wish{script: apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{deletion, second}}}, answer: func(string) (*sdk.ElicitResult, error) {
		said := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "allow"}}
		if !first {
			return said, nil
		}
		first = false
		all, err := o.fake.Questions(t.Context(), "")
		if err == nil && len(all) == 1 {
			_, err = o.fake.Answer(t.Context(), all[0].Task, all[0].ID, consent.AnswerRequest{Answer: "allow"})
		}
		return said, err
	}})
	var out mcp.Outcome
	if text, failed := o.call("file_hash", in{"in": []string{o.name() + "/a"}}, &out); failed || out.State != "done" || len(out.Waits) != 0 {
		t.Errorf("%q %+v", text, out)
	}
}

// A plan is accepted by the person, or nothing is done.
func TestChore(t *testing.T) {
	for answer, state := range map[string]string{"allow": "done", "deny": "cancelled"} {
		o := open(t, wish{script: apitest.Script{Has: []any{chore.Plan{Chore: "pictures-to-pdf"}}}, answer: func(string) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer}}, nil
		}})
		var out mcp.Outcome
		text, failed := o.call("run_chore", in{"chore": "pictures-to-pdf", "folders": []string{o.name()}, "set": in{"count": 4}}, &out)
		if failed || out.State != state || len(o.asked) != 1 || !strings.Contains(o.asked[0], "makes one PDF") {
			t.Errorf("%s: %q %+v %q", answer, text, out, o.asked)
		}
		if r := o.fake.Started()[0]; r.Chore != "pictures-to-pdf" || r.Accept || r.Folders[0].Mode != task.ModeReadWrite || !r.Folders[0].Exact || r.Params["count"] != float64(4) {
			t.Errorf("%+v", r)
		}
	}
	o := open(t, wish{noPlans: true, answer: func(string) (*sdk.ElicitResult, error) { return nil, errors.New("it was asked") }})
	var out mcp.Outcome
	if text, failed := o.call("run_chore", in{"chore": "pictures-to-pdf"}, &out); failed || out.State != "waiting" || len(out.Waits) != 1 || len(o.asked) != 0 {
		t.Errorf("a plan that nobody saw: %q %+v", text, out)
	}
	o = open(t, wish{})
	if text, failed := o.call("run_chore", in{"chore": "pictures-to-pdf", "folders": []string{"/folders"}}, nil); !failed {
		t.Error(text)
	}
	var all mcp.ChoreList
	if text, failed := o.call("list_chores", in{}, &all); failed || len(all.Chores) != 3 || all.Chores[0].About == "" {
		t.Errorf("%q %+v", text, all)
	}
}

// Without a yes to them there are no AI tasks.
func TestNoAI(t *testing.T) {
	o := open(t, wish{noAI: true, script: apitest.Script{Has: []any{[]chore.Info{{Name: "plain"}, {Name: "summary", AI: &chore.AIPart{}}}}}})
	if r, err := o.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask_ai", Arguments: in{"text": "x"}}); err == nil {
		t.Errorf("%+v", r)
	}
	var all mcp.ChoreList
	if text, failed := o.call("list_chores", in{}, &all); failed || len(all.Chores) != 1 {
		t.Errorf("%q %+v", text, all)
	}
	if text, failed := o.call("run_chore", in{"chore": "summary"}, nil); !failed || len(o.fake.Started()) != 0 {
		t.Error(text)
	}
}

// What the person answered is not asked again by whoever waits for the task.
func TestWaitIsForWhatComes(t *testing.T) {
	o := open(t, wish{script: apitest.Script{Endless: true, Consent: apitest.Consent{Questions: []vmhost.Question{deletion}}}})
	var out mcp.Outcome
	if text, failed := o.call("file_hash", in{"in": []string{o.name() + "/a"}}, &out); failed || len(out.Waits) != 1 {
		t.Fatalf("%q %+v", text, out)
	}
	if _, err := o.fake.Answer(t.Context(), out.Task, "q1", consent.AnswerRequest{Answer: vmhost.AnswerAllow}); err != nil {
		t.Fatal(err)
	}
	for now, err := o.fake.Task(t.Context(), out.Task); now.State != task.StateRunning; now, err = o.fake.Task(t.Context(), out.Task) {
		if err != nil || now.State.Final() {
			t.Fatal(now.State, err)
		}
		time.Sleep(time.Millisecond)
	}
	var later mcp.Outcome
	if text, failed := o.call("wait_for_task", in{"task": out.Task, "seconds": 1}, &later); failed || len(later.Waits) != 0 || later.State != "running" {
		t.Errorf("%q %+v", text, later)
	}
}

// An AI task answers with what was said last.
func TestAskAI(t *testing.T) {
	o := open(t, wish{budget: 500_000, script: apitest.Script{Agent: apitest.Agent{Events: []task.Event{
		{Kind: task.EventMessage, Data: task.MessageData{ID: "1", Role: "assistant", Text: "first"}},
		{Kind: task.EventMessage, Data: task.MessageData{ID: "2", Role: "assistant", Text: "All is tidy."}},
	}}}})
	var out mcp.Outcome
	if text, failed := o.call("ask_ai", in{"text": "Tidy up", "model": "mine/one"}, &out); failed || out.Answer != "All is tidy." || !strings.Contains(text, "All is tidy.") {
		t.Errorf("%q %+v", text, out)
	}
	var later mcp.Outcome
	if text, failed := o.call("wait_for_task", in{"task": out.Task}, &later); failed || later.Answer != "All is tidy." {
		t.Errorf("%q %+v", text, later)
	}
	if r := o.fake.Started()[0]; r.Prompt != "Tidy up" || r.Model != "mine/one" || r.Kind != task.KindAI || r.Budget != 500_000 {
		t.Errorf("%+v", r)
	}
}

// A chore with a part for the AI is an AI task, within the limit; another costs nothing.
func TestChoreWithAI(t *testing.T) {
	o := open(t, wish{budget: 500_000, script: apitest.Script{Has: []any{[]chore.Info{{Name: "plain"}, {Name: "summary", AI: &chore.AIPart{}}}}}})
	for name, want := range map[string]tasks.StartRequest{
		"plain": {Kind: task.KindChore}, "summary": {Kind: task.KindAI, AIRequest: tasks.AIRequest{Budget: 500_000}},
	} {
		text, failed := o.call("run_chore", in{"chore": name, "set": in{"count": 4}}, nil)
		all := o.fake.Started()
		if failed || len(all) == 0 {
			t.Fatalf("%s: %q", name, text)
		}
		if r := all[len(all)-1]; r.Kind != want.Kind || r.Budget != want.Budget || r.Chore != name || r.Params["count"] != float64(4) || len(r.Folders) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// The shell stays for the next command, and is opened anew when it is gone.
func TestWorkroom(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	o := open(t, wish{script: apitest.Script{Endless: true, Has: []any{
		sessions.Session{ID: "s1"},
		sessions.RunResult{ExitCode: 3, Stdout: []byte(long), StdoutSize: int64(len(long)), Stderr: []byte("bad \xff"), StderrSize: 5, WallMS: 1500},
		actions.FileContent{FileInfo: wire.FileInfo{Path: "/work/a", Size: 3, SHA256: "aa"}, Data: []byte{0xff, 1, 2}},
		actions.FileContent{FileInfo: wire.FileInfo{Path: "/work/b", Size: 9}, Data: []byte("\x84Ü\xc3")},
		actions.FileList{Entries: []wire.FileInfo{{Path: "/work/a", Kind: "file", Size: 3}}},
		wire.FileInfo{Path: "/work/a", Kind: "file", Size: 3},
	}}})
	var ran mcp.RunOutput
	text, failed := o.call("run_command", in{"command": "make"}, &ran)
	if failed || ran.ExitCode != 3 || ran.Whole || ran.Seconds != 1.5 || len(ran.Stdout) > 66<<10 || !strings.Contains(text, "bytes are left out") || !strings.Contains(text, "exit status 3") || !strings.Contains(ran.Stderr, "bad \uFFFD") {
		t.Errorf("%.200q %+v", text, ran.ExitCode)
	}
	var read mcp.ReadOutput
	if text, failed := o.call("read_file", in{"path": "/work/a"}, &read); failed || read.Base64 != "/wEC" || read.Size != 3 {
		t.Errorf("%q %+v", text, read)
	}
	read = mcp.ReadOutput{}
	if text, failed := o.call("read_file", in{"path": "/work/b", "offset": 4, "length": 1}, &read); failed || read.Text != "Ü" || read.Base64 != "" || read.Offset != 5 || read.Next != 7 {
		t.Errorf("%q %+v", text, read)
	}
	var list mcp.ListOutput
	if text, failed := o.call("list_files", in{"path": "/work", "depth": 2}, &list); failed || len(list.Entries) != 1 {
		t.Errorf("%q %+v", text, list)
	}
	if text, failed := o.call("write_file", in{"path": "/work/a", "base64": "/wEC"}, nil); failed {
		t.Error(text)
	}
	for _, wrong := range []in{{"path": "/work/a", "base64": "%"}, {"path": "/work/a", "base64": "/wEC", "text": "x"}, {"text": "x"}} {
		if text, failed := o.call("write_file", wrong, nil); !failed {
			t.Errorf("%v: %q", wrong, text)
		}
	}
	started := o.fake.Started()
	if len(started) != 1 || !started[0].Open || !started[0].Agent || started[0].Title != "Workroom" || started[0].Detached {
		t.Errorf("%+v", started)
	}
	var wrote actions.WriteRequest
	var pieces []actions.ReadRequest
	for _, w := range o.fake.Wishes() {
		switch r := w.(type) {
		case actions.WriteRequest:
			wrote = r
		case actions.ReadRequest:
			pieces = append(pieces, r)
		}
	}
	if len(pieces) != 2 || pieces[0].Length != 64<<10 || pieces[1].Offset != 4 || pieces[1].Length != 4 {
		t.Errorf("%+v", pieces)
	}
	if want := (actions.WriteRequest{StatRequest: actions.StatRequest{Path: "/work/a"}, Data: []byte{0xff, 1, 2}, Parents: true}); !reflect.DeepEqual(wrote, want) {
		t.Errorf("%+v", wrote)
	}
}

// What was not begun here is as if it were not there.
func TestOthers(t *testing.T) {
	o := open(t, wish{script: apitest.Script{Results: []apitest.ResultFile{{Result: task.Result{Path: "b.txt", Size: 3}, Data: []byte("abc")}}}})
	other, err := o.fake.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"wait_for_task", "cancel_task", "list_changes", "undo_changes", "redo_changes"} {
		for _, id := range []string{other.ID, "", "../" + other.ID, strings.Repeat("x", 1<<16)} {
			if text, failed := o.call(tool, in{"task": id}, nil); !failed {
				t.Errorf("%s of %.40q: %s", tool, id, text)
			}
		}
	}
	for _, uri := range []string{
		"piwork://tasks/" + other.ID + "/results/0", "piwork://tasks//results/0", "piwork://tasks/x/results/-1", "file:///etc/passwd",
		"piwork://tasks/" + other.ID + "/results/0/../../x", "piwork://tasks/%2e%2e/results/0",
	} {
		if r, err := o.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %+v", uri, r)
		}
	}
	var list mcp.TaskList
	if o.call("list_tasks", in{}, &list); len(list.Tasks) != 0 {
		t.Errorf("%+v", list)
	}
	if r, err := o.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_tasks", Arguments: in{}, RequestState: "guessed"}); err == nil && !r.IsError {
		t.Errorf("a call that is over goes on: %+v", r)
	}
}

// A call that is cancelled ends its task; the door ends all that it began.
func TestEnds(t *testing.T) {
	o := open(t, wish{script: apitest.Script{Endless: true}})
	state := func(n int) task.State {
		all, err := o.fake.FindTasks(t.Context(), task.Filter{})
		if err != nil || len(all) <= n {
			return ""
		}
		return all[n].State
	}
	awaits := func(n int, want task.State) {
		t.Helper()
		for began := time.Now(); state(n) != want; time.Sleep(time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("it is %q, and not %q", state(n), want)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	begin := func(ctx context.Context) {
		go func() {
			_, err := o.CallTool(ctx, &sdk.CallToolParams{Name: "file_hash", Arguments: in{"in": []string{o.name() + "/a"}}})
			over <- err
		}()
	}
	begin(ctx)
	awaits(0, task.StateRunning)
	cancel()
	if err := <-over; err == nil {
		t.Error("it says that it is done")
	}
	awaits(0, task.StateCancelled)
	begin(t.Context())
	awaits(0, task.StateRunning) // the newest is the first
	o.door.Close()
	<-over
	awaits(0, task.StateCancelled)
}

// A signal and the end of the input end the program also while a call is at work, and the call
// with it: whether the assistant still reads or not.
func TestEndsAtOnce(t *testing.T) {
	for name, tt := range map[string]struct{ reads, signal bool }{
		"a signal": {true, true}, "a signal, unread": {false, true}, "the end of the input": {true, false}, "the end of the input, unread": {false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, wish{script: apitest.Script{Endless: true}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, typed := io.Pipe()
			said, out := io.Pipe()
			over := make(chan error, 1)
			go func() { over <- o.door.Run(ctx, in, out) }()
			heard := bufio.NewReader(said)
			if tt.reads {
				go func() { _, _ = io.Copy(io.Discard, heard) }()
			}
			for _, line := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2030-01-01","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"file_hash","_meta":{"progressToken":7},"arguments":{"in":["` + o.name() + `/a"]}}}`,
			} {
				if _, err := io.WriteString(typed, line+"\n"); err != nil {
					t.Fatal(err)
				}
				if !tt.reads && strings.Contains(line, `"initialize"`) {
					if _, err := heard.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
			}
			awaits := func(want task.State) {
				t.Helper()
				for began := time.Now(); ; time.Sleep(time.Millisecond) {
					if all, _ := o.fake.FindTasks(t.Context(), task.Filter{}); len(all) > 0 && all[0].State == want {
						return
					}
					if time.Since(began) > 20*time.Second {
						t.Fatalf("the task is not %s", want)
					}
				}
			}
			awaits(task.StateRunning)
			if !tt.reads {
				if _, err := heard.ReadByte(); err != nil { // the rest of what it says now hangs
					t.Fatal(err)
				}
			}
			if tt.signal {
				cancel()
			} else {
				typed.Close()
			}
			select {
			case err := <-over:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it goes on")
			}
			awaits(task.StateCancelled)
		})
	}
}

// What the person took back stays so: only what was taken back here is brought back.
func TestRedo(t *testing.T) {
	change := func(id string) journal.Change {
		return journal.Change{ID: id, Folder: "f1", Path: id + ".txt", Effect: journal.EffectCreate}
	}
	o := open(t, wish{script: apitest.Script{Changed: apitest.Changed{List: []journal.Change{change("c1"), change("c2")}}}})
	var made mcp.Outcome
	o.call("file_hash", in{"in": []string{o.name() + "/a"}}, &made)
	redone := func() (ids []string) {
		for _, w := range o.fake.Wishes() {
			if r, ok := w.(history.RedoRequest); ok {
				ids = append(ids, r.IDs...)
			}
		}
		return ids
	}
	var done mcp.UndoOutput
	if text, failed := o.call("redo_changes", in{"task": made.Task}, &done); failed || len(done.Done) != 0 || len(redone()) != 0 {
		t.Errorf("%q %+v", text, done)
	}
	if text, failed := o.call("undo_changes", in{"task": made.Task, "changes": []string{"c1"}}, &done); failed || len(done.Done) != 1 || !strings.HasSuffix(done.Done[0].Path, "/c1.txt") {
		t.Errorf("%q %+v", text, done)
	}
	now := time.Now()
	o.fake.Changed.List[0].Undone = &now
	if text, failed := o.call("redo_changes", in{"task": made.Task, "changes": []string{"c2"}}, nil); !failed || len(redone()) != 0 {
		t.Error(text)
	}
	if text, failed := o.call("redo_changes", in{"task": made.Task}, &done); failed {
		t.Error(text)
	}
	if got := redone(); !slices.Equal(got, []string{"c1"}) {
		t.Errorf("asked %q", got)
	}
	// It is the person's to take back now, and to leave so.
	if text, failed := o.call("redo_changes", in{"task": made.Task, "changes": []string{"c1"}}, nil); !failed {
		t.Error(text)
	}
	if text, failed := o.call("redo_changes", in{"task": made.Task}, &done); failed || len(redone()) != 1 {
		t.Errorf("%q, asked %q", text, redone())
	}
}

// Over HTTP nobody gets in without the token, from elsewhere, or by another name.
func TestHTTP(t *testing.T) {
	o := open(t, wish{})
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- o.door.Serve(ctx, ln, api.Guard{Token: "secret"}, nil) }()
	url := "http://" + ln.Addr().String()
	for name, tt := range map[string]struct {
		set    http.Header
		host   string
		status int
	}{
		"no token":     {nil, "", 401},
		"another":      {http.Header{"Authorization": {"Bearer secre"}}, "", 401},
		"another host": {http.Header{"Authorization": {"Bearer secret"}}, "evil.example", 403},
		"a web page":   {http.Header{"Authorization": {"Bearer secret"}, "Origin": {"https://evil.example"}}, "", 403},
		"another site": {http.Header{"Authorization": {"Bearer secret"}, "Sec-Fetch-Site": {"cross-site"}}, "", 403},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range tt.set {
			r.Header[k] = v
		}
		r.Host = tt.host
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.status {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	with := &http.Client{Transport: bearer{"secret", http.DefaultTransport}}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: with}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "file_hash", Arguments: in{"in": []string{o.name() + "/a"}}})
	if err != nil || r.IsError {
		t.Errorf("%+v %v", r, err)
	}
	o.fake.Endless = true
	gone, leave := context.WithCancel(t.Context())
	defer leave()
	body := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"file_hash","arguments":{"in":["` + o.name() + `/a"]}}}`
	req, err := http.NewRequestWithContext(gone, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {c.ID()}, "Mcp-Protocol-Version": {"2025-06-18"}}
	go func() {
		if res, err := with.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}()
	state := func() task.State {
		all, err := o.fake.FindTasks(t.Context(), task.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return all[0].State
	}
	for _, want := range []task.State{task.StateRunning, task.StateCancelled} { // a client that goes away ends its call
		for began := time.Now(); state() != want; time.Sleep(time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("it is %q, and not %q", state(), want)
			}
		}
		leave()
	}
	_ = c.Close()
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// bearer sends a token along.
type bearer struct {
	secret string
	http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.secret)
	return b.RoundTripper.RoundTrip(r)
}

// An assistant is told where it works: what keeps it apart, or that nothing does, and where the
// folders are for its commands.
func TestInstructionsSayWhereItWorks(t *testing.T) {
	for runtime, want := range map[string]string{
		"": "/work, which is for everything else", vmhost.KindVM: "kept apart from the computer", vmhost.KindContainer: "kept apart from the computer",
		vmhost.KindHost: "Nothing keeps programs from their other files", "remote:lab": "on another computer", "kubernetes:big": "in a container of a cluster",
	} {
		o := open(t, wish{runtime: runtime})
		said := o.InitializeResult().Instructions
		list, err := o.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(list.Tools, func(x *sdk.Tool) bool { return x.Name == "run_command" })
		for _, text := range []string{said, list.Tools[at].Description} {
			if apart := strings.Contains(text, "kept apart"); !strings.Contains(text, want) || strings.Contains(text, "$PIWORK_FOLDERS") != (runtime == vmhost.KindHost) || strings.Contains(text, "/work is for") == (runtime == vmhost.KindHost || runtime == "") || apart != (want == "kept apart from the computer") {
				t.Errorf("%q: %s", runtime, text)
			}
		}
	}
}
