package acpagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/agent/acpagent/acpagenttest"
	"piwork/app/task"
	"piwork/vmhost"
)

// world is a session, what it passed on, and the program at its other end.
type world struct {
	*Session
	t     *testing.T
	files *memory

	mu      sync.Mutex
	entries []agent.Entry
	raw     []string
	asked   []vmhost.Question
	news    chan struct{}
}

type memory struct {
	mu    sync.Mutex
	data  map[string]string
	reads int
}

func (m *memory) ReadFile(_ context.Context, p string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	s, ok := m.data[p]
	if !ok {
		return nil, errors.New("there is none")
	}
	return []byte(s), nil
}

func (m *memory) WriteFile(_ context.Context, p string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data[p] = string(data)
	return nil
}

func (m *memory) at(p string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[p]
}

// made makes a session that is not started. What is asked is answered by decide; nil is yes.
func made(t *testing.T, decide func(context.Context, vmhost.Question) (bool, error), change func(*Options)) *world {
	w := &world{t: t, news: make(chan struct{}, 1), files: &memory{data: map[string]string{"/folders/Trip/a.txt": "one\ntwo\nthree\n", "/etc/passwd": "root"}}}
	o := Options{Dir: "/folders/Trip", Model: "own/m", Asks: true, Files: w.files, Folders: func() []vmhost.FolderInView {
		return []vmhost.FolderInView{{Path: "/folders/Trip"}, {Path: "/folders/Fixed", ReadOnly: true}}
	}}
	o.Task, o.Patience = "task", time.Minute
	o.Emit = func(e agent.Entry) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.entries = append(w.entries, e)
		select {
		case w.news <- struct{}{}:
		default:
		}
	}
	o.Record = func(line []byte) int64 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.raw = append(w.raw, string(line))
		return int64(len(w.raw))
	}
	o.Ask = func(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
		w.mu.Lock()
		w.asked = append(w.asked, q)
		w.mu.Unlock()
		d := vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerAllow}
		if decide != nil {
			yes, err := decide(ctx, q)
			if err != nil {
				return d, err
			}
			if !yes {
				d.Answer = vmhost.AnswerDeny
			}
		}
		return d, nil
	}
	if change != nil {
		change(&o)
	}
	w.Session = New(o)
	return w
}

// runs starts a with the session.
func (w *world) runs(a *acpagenttest.Agent) agent.Resumed {
	w.t.Helper()
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		a.Serve(in, out)
		_ = out.Close()
	}()
	r, err := w.Start(w.t.Context(), agent.Transport{In: toAgent, Out: fromAgent})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			w.t.Error(err)
		}
		<-gone
	})
	return r
}

// settles waits for the end of the run.
func (w *world) settles() agent.Outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	out, err := w.Wait(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// told are the entries in short.
func (w *world) told() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.entries {
		switch d := e.Data.(type) {
		case task.MessageData:
			out = append(out, strings.TrimSpace(d.Role+" "+d.How+" "+d.Text+d.Thinking))
		case task.ToolData:
			out = append(out, fmt.Sprintf("%s %s %s %s", d.State, d.Verb, d.Name, d.Target))
		case task.NoticeData:
			out = append(out, "("+d.Code+")")
		case task.QueueData:
			out = append(out, fmt.Sprint("queue ", d.Steering, d.FollowUp))
		}
	}
	return out
}

func (w *world) saw(want ...string) {
	w.t.Helper()
	if got := w.told(); !slices.Equal(got, want) {
		w.t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// until waits until the timeline has an entry.
func (w *world) until(entry string) {
	w.t.Helper()
	late := time.After(time.Minute)
	for !slices.Contains(w.told(), entry) {
		select {
		case <-w.news:
		case <-late:
			w.t.Fatalf("%q was never told: %q", entry, w.told())
		}
	}
}

// A turn with a message, tools and an answer gives what pi gives.
func TestTurn(t *testing.T) {
	w := made(t, nil, nil)
	w.runs(&acpagenttest.Agent{Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
		return sdk.StopReasonEndTurn, errors.Join(
			p.Update(ctx, sdk.UpdateAgentThoughtText("hm")),
			p.Say(ctx, "I look"), p.Say(ctx, " at it."),
			p.Update(ctx, sdk.StartToolCall("c1", "bash", sdk.WithStartKind(sdk.ToolKindExecute), sdk.WithStartStatus(sdk.ToolCallStatusPending))),
			p.Update(ctx, sdk.UpdateToolCall("c1", sdk.WithUpdateStatus(sdk.ToolCallStatusInProgress), sdk.WithUpdateTitle("ls -la"), sdk.WithUpdateRawInput(map[string]any{"command": "ls -la"}))),
			p.Update(ctx, sdk.UpdateToolCall("c1", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock("a.txt"))}))),
			p.Update(ctx, sdk.StartEditToolCall("c2", "write", "/folders/Trip/b.txt", "x")),
			p.Update(ctx, sdk.UpdateToolCall("c2", sdk.WithUpdateStatus(sdk.ToolCallStatusFailed), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolDiffContent("b.txt", "new\n", "old\n")}))),
			p.Update(ctx, sdk.StartToolCall("c3", "grep", sdk.WithStartKind(sdk.ToolKindSearch), sdk.WithStartRawInput(map[string]any{"pattern": "x"}))),
			p.Say(ctx, "Done."),
		)
	}})
	if err := w.Prompt(t.Context(), "Please"); err != nil {
		t.Fatal(err)
	}
	if out := w.settles(); out != (agent.Outcome{}) {
		t.Errorf("it ended with %+v", out)
	}
	w.saw("(turn)", "user prompt Please", "assistant  I look at it.hm", "started run bash ls -la", "done run bash ls -la",
		"started edit write /folders/Trip/b.txt", "failed edit write /folders/Trip/b.txt", "started search grep x", "assistant  Done.", "failed search grep x", "(settled)")
	w.mu.Lock()
	defer w.mu.Unlock()
	text, diff := "", ""
	for _, e := range w.entries {
		if d, ok := e.Data.(task.DeltaData); ok {
			if e.Stored {
				t.Error("a part of a message is stored")
			}
			text += d.Text
		}
		if d, ok := e.Data.(task.ToolData); ok {
			diff += d.Diff
			if d.State == agent.ToolDone && (d.Output != "a.txt" || d.Raw == 0 || !strings.Contains(w.raw[d.Raw-1], "completed")) {
				t.Errorf("the end of a tool is %+v", d)
			}
		}
	}
	if text != "I look at it.Done." || !strings.Contains(diff, "-old\n+new\n") {
		t.Errorf("parts %q, difference %q", text, diff)
	}
}

// What is said meanwhile waits, and is heard in order: what steers before what is for later.
func TestMessagesWait(t *testing.T) {
	w := made(t, nil, nil)
	go_ := make(chan struct{})
	w.runs(&acpagenttest.Agent{Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
		err := p.Say(ctx, "heard "+p.Text)
		<-go_
		return sdk.StopReasonEndTurn, err
	}})
	_ = w.Prompt(t.Context(), "one")
	w.until("user prompt one")
	_, _ = w.FollowUp(t.Context(), "later"), w.Steer(t.Context(), "now")
	close(go_)
	w.settles()
	w.saw("(turn)", "user prompt one", "queue [] [later]", "queue [now] [later]", "assistant  heard one", "queue [] [later]", "user steer now", "assistant  heard now",
		"queue [] []", "user followUp later", "assistant  heard later", "(settled)")
}

// Messages that were not heard can be taken back.
func TestUnqueue(t *testing.T) {
	w := made(t, nil, nil)
	go_ := make(chan struct{})
	w.runs(&acpagenttest.Agent{Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
		err := p.Say(ctx, "x")
		<-go_
		return sdk.StopReasonEndTurn, err
	}})
	_ = w.Prompt(t.Context(), "one")
	w.until("user prompt one")
	_, _, _ = w.Steer(t.Context(), "a"), w.Steer(t.Context(), "b"), w.FollowUp(t.Context(), "c")
	steering, later, err := w.Unqueue(t.Context())
	if steering != 2 || later != 1 || err != nil {
		t.Errorf("taken back %d %d %v", steering, later, err)
	}
	close(go_)
	w.settles()
	if slices.ContainsFunc(w.told(), func(s string) bool { return strings.HasPrefix(s, "user steer") }) {
		t.Errorf("%q", w.told())
	}
}

// Stopping ends the turn and withdraws what it asks; what waited is taken back.
func TestAbort(t *testing.T) {
	asking := make(chan struct{})
	withdrawn := make(chan error, 1)
	w := made(t, func(ctx context.Context, _ vmhost.Question) (bool, error) {
		close(asking)
		<-ctx.Done()
		withdrawn <- ctx.Err()
		return false, ctx.Err()
	}, nil)
	w.runs(&acpagenttest.Agent{Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
		if got, err := p.May(context.WithoutCancel(ctx), toolCall("c", sdk.ToolKindExecute, "rm *", map[string]any{"command": "rm *"})); got != "" || err != nil {
			return "", fmt.Errorf("the answer is %q %w", got, err)
		}
		<-ctx.Done()
		return sdk.StopReasonCancelled, nil
	}})
	_ = w.Prompt(t.Context(), "one")
	<-asking
	_ = w.Steer(t.Context(), "more")
	q, err := w.Abort(t.Context())
	if err != nil || !slices.Equal(q.Steering, []string{"more"}) {
		t.Errorf("stopped %+v %v", q, err)
	}
	if out := w.settles(); !out.Aborted || out.Failure != "" {
		t.Errorf("it ended with %+v", out)
	}
	if <-withdrawn == nil {
		t.Error("the question stays")
	}
	w.saw("(turn)", "user prompt one", "queue [more] []", "queue [] []", "(aborted)", "(settled)")
}

// Nobody waits for a program that does not stop. It is stopped also when whoever told it to has left.
func TestAbortWithoutAnEnd(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, ctx := range []context.Context{t.Context(), left} {
		w := made(t, nil, func(o *Options) { o.Patience = time.Millisecond })
		begun, hold := make(chan struct{}), make(chan struct{})
		defer close(hold)
		w.runs(&acpagenttest.Agent{Turn: func(context.Context, *acpagenttest.Turn) (sdk.StopReason, error) {
			close(begun)
			<-hold
			return sdk.StopReasonEndTurn, nil
		}})
		_ = w.Prompt(t.Context(), "one")
		<-begun
		if _, err := w.Abort(ctx); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		if out := w.settles(); !out.Aborted {
			t.Errorf("it ended with %+v", out)
		}
		if err := w.Prompt(t.Context(), "two"); !errors.Is(err, agent.ErrEnded) {
			t.Errorf("a message is taken: %v", err)
		}
	}
}

// A program that does not stop is at one turn, and gets no other: what was said after the stop was
// not heard, and whoever waits for it is told so.
func TestMessageAfterAbortWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := made(t, nil, nil)
		turns, hold := make(chan string, 2), make(chan struct{})
		defer close(hold)
		w.runs(&acpagenttest.Agent{Turn: func(_ context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
			turns <- p.Text
			<-hold
			return sdk.StopReasonEndTurn, nil
		}})
		_ = w.Prompt(t.Context(), "one")
		<-turns
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		stopped := make(chan error, 1)
		go func() { _, err := w.Abort(ctx); stopped <- err }()
		synctest.Wait()
		if err := w.FollowUp(t.Context(), "two"); err != nil {
			t.Fatal(err)
		}
		if out, err := w.Wait(ctx); !errors.Is(err, agent.ErrStalled) {
			t.Errorf("waiting ends with %+v, %v", out, err)
		}
		if err := <-stopped; !errors.Is(err, agent.ErrStalled) {
			t.Errorf("stopping ends with %v", err)
		}
		synctest.Wait()
		if len(turns) > 0 {
			t.Errorf("it is told %q", <-turns)
		}
		if err := w.Prompt(t.Context(), "three"); !errors.Is(err, agent.ErrEnded) {
			t.Errorf("a message is taken: %v", err)
		}
	})
}

// A model that fails is the outcome of the run; the rest of what waits is still said.
func TestFailure(t *testing.T) {
	for _, row := range []struct {
		stop sdk.StopReason
		err  error
		want string
	}{
		{"", &sdk.RequestError{Code: -32603, Message: "piwork: the task is out of budget"}, "piwork: the task is out of budget"},
		{sdk.StopReasonMaxTokens, nil, "max_tokens"}, {sdk.StopReasonRefusal, nil, "refusal"}, {sdk.StopReasonEndTurn, nil, ""},
	} {
		w := made(t, nil, nil)
		w.runs(&acpagenttest.Agent{Turn: func(context.Context, *acpagenttest.Turn) (sdk.StopReason, error) { return row.stop, row.err }})
		_ = w.Prompt(t.Context(), "one")
		if out := w.settles(); out.Failure != row.want || out.Aborted {
			t.Errorf("%s %v: %+v", row.stop, row.err, out)
		}
		if failed := slices.Contains(w.told(), "(failed)"); failed != (row.want != "") {
			t.Errorf("%s: %q", row.stop, w.told())
		}
	}
}

// A session goes on where the program has it, without repeating what was said, and begins anew
// where it has not, which the timeline says.
func TestSessionGoesOn(t *testing.T) {
	resume := sdk.AgentCapabilities{SessionCapabilities: sdk.SessionCapabilities{Resume: &sdk.SessionResumeCapabilities{}}}
	load := sdk.AgentCapabilities{LoadSession: true}
	for _, row := range []struct {
		name   string
		before string
		able   sdk.AgentCapabilities
		lost   bool
		opened []string
		kept   string
		first  string
	}{
		{"the first time", "", resume, false, []string{"new"}, "ses_1", "(turn)"},
		{"resumed", "ses_9", resume, false, []string{"resume ses_9"}, "", "(resumed)"},
		{"loaded", "ses_9", load, false, []string{"load ses_9"}, "", "(resumed)"},
		{"lost", "ses_9", resume, true, []string{"resume ses_9", "new"}, "ses_1", "(forgot)"},
		{"cannot", "ses_9", sdk.AgentCapabilities{}, false, []string{"new"}, "ses_1", "(forgot)"},
	} {
		kept := ""
		w := made(t, nil, func(o *Options) {
			o.Session, o.Opened = row.before, func(id string) error { kept = id; return nil }
		})
		a := &acpagenttest.Agent{Able: row.able, NoSuch: row.lost, Turn: func(context.Context, *acpagenttest.Turn) (sdk.StopReason, error) { return sdk.StopReasonEndTurn, nil }}
		w.runs(a)
		_ = w.Prompt(t.Context(), "more")
		w.settles()
		if got := w.told(); got[0] != row.first || slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "old answer") }) {
			t.Errorf("%s: %q", row.name, got)
		}
		if !slices.Equal(a.Opened, row.opened) || kept != row.kept {
			t.Errorf("%s: opened %q, kept %q", row.name, a.Opened, kept)
		}
	}
}

// The model is changed where the program lets one choose it, under its own name for it.
func TestSetModel(t *testing.T) {
	w := made(t, nil, func(o *Options) { o.Named = func(m string) string { return "piwork-" + m } })
	a := &acpagenttest.Agent{Models: []string{"piwork-own/m"}}
	w.runs(a)
	if err := w.SetModel(t.Context(), "own/other"); err != nil || !slices.Equal(a.Chosen, []string{"piwork-own/other"}) {
		t.Errorf("chosen %q %v", a.Chosen, err)
	}
	w.saw("(model)")
	w = made(t, nil, nil)
	w.runs(&acpagenttest.Agent{})
	err := w.SetModel(t.Context(), "own/other")
	if _, refused := errors.AsType[*agent.CommandError](err); !refused {
		t.Errorf("without a choice: %v", err)
	}
}

// A change of the model is told of when the program makes it, though nobody waits for it any more.
func TestSetModelLate(t *testing.T) {
	w, slow := made(t, nil, nil), make(chan struct{})
	w.runs(&acpagenttest.Agent{Models: []string{"own/m"}, Slow: slow})
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if err := w.SetModel(ctx, "own/other"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller leaves: %v", err)
	}
	w.saw()
	close(slow)
	w.until("(model)")
}

// Pictures go with a message where the program looks at them.
func TestPictures(t *testing.T) {
	for _, able := range []bool{true, false} {
		w := made(t, nil, nil)
		images, text := 0, ""
		w.runs(&acpagenttest.Agent{Able: sdk.AgentCapabilities{PromptCapabilities: sdk.PromptCapabilities{Image: able}}, Turn: func(_ context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
			images, text = p.Images, p.Text
			return sdk.StopReasonEndTurn, nil
		}})
		if err := w.Prompt(t.Context(), "look", agent.Image{Name: "cat.png", MediaType: "image/png", Data: []byte("png")}); err != nil {
			t.Fatal(err)
		}
		w.settles()
		if able && (images != 1 || text != "look") || !able && (images != 0 || !strings.Contains(text, "/state/uploads: cat.png")) {
			t.Errorf("%v: %d %q", able, images, text)
		}
	}
	w := made(t, nil, nil)
	w.runs(&acpagenttest.Agent{})
	if w.Prompt(t.Context(), "x", agent.Image{MediaType: "text/html"}) == nil {
		t.Error("what is no picture goes with a message")
	}
}

// A program that ends in the middle of its work ends the session.
func TestProgramEnds(t *testing.T) {
	w := made(t, nil, nil)
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	a := &acpagenttest.Agent{Turn: func(ctx context.Context, p *acpagenttest.Turn) (sdk.StopReason, error) {
		err := p.Say(ctx, "half")
		_, _ = p.ReadTextFile(ctx, sdk.ReadTextFileRequest{SessionId: p.Session, Path: "/none"}) // what was said is heard
		_ = out.Close()
		<-ctx.Done()
		return sdk.StopReasonEndTurn, err
	}}
	go a.Serve(in, out)
	if _, err := w.Start(t.Context(), agent.Transport{In: toAgent, Out: fromAgent}); err != nil {
		t.Fatal(err)
	}
	_ = w.Prompt(t.Context(), "one")
	if _, err := w.Wait(t.Context()); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("waiting ends with %v", err)
	}
	<-w.Done()
	if err := w.Prompt(t.Context(), "more"); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("a message is taken: %v", err)
	}
	w.saw("(turn)", "user prompt one", "assistant  half")
}

func toolCall(id sdk.ToolCallId, kind sdk.ToolKind, title string, input any) sdk.ToolCallUpdate {
	return sdk.ToolCallUpdate{ToolCallId: id, Kind: &kind, Title: &title, RawInput: input}
}
