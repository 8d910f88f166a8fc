package agent_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/agent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// fake is a pi that says what a test wants.
type fake struct {
	t     *testing.T
	s     *agent.Session
	out   *io.PipeWriter
	heard chan map[string]any // what the session sends, but for what Start needs

	mu      sync.Mutex
	entries []agent.Entry
}

const emptyState = `{"id":%q,"type":"response","command":"get_state","success":true,"data":{"messageCount":0}}`

// newFake starts a session with a fake pi that answers what Start asks.
func newFake(t *testing.T, o agent.Options) *fake {
	t.Helper()
	f := &fake{t: t, heard: make(chan map[string]any, 1000)}
	o.Task = sessionTask
	o.Emit = func(e agent.Entry) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.entries = append(f.entries, e)
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	f.out, f.s = out, agent.New(o)
	first := make(chan struct{})
	go func() {
		defer close(f.heard)
		r := bufio.NewReader(in)
		for n := 0; ; n++ {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				t.Errorf("the session wrote %q: %v", line, err)
			}
			if n == 0 {
				f.say(fmt.Sprintf(emptyState, m["id"]))
				close(first)
				continue
			}
			f.heard <- m
		}
	}()
	if _, err := f.s.Start(t.Context(), agent.Transport{In: stdin, Out: stdout}); err != nil {
		t.Fatal(err)
	}
	<-first
	t.Cleanup(func() {
		out.Close()
		<-f.s.Done()
		in.Close()
	})
	return f
}

func (f *fake) say(lines ...string) {
	for _, l := range lines {
		if _, err := io.WriteString(f.out, l+"\n"); err != nil {
			return
		}
	}
}

// hear returns the next line of the session, which is of a type.
func (f *fake) hear(kind string) map[string]any {
	f.t.Helper()
	m, ok := <-f.heard
	if !ok || m["type"] != kind {
		f.t.Fatalf("heard %v, not %s", m, kind)
	}
	return m
}

func ok(m map[string]any, data string) string {
	return fmt.Sprintf(`{"id":%q,"type":"response","command":%q,"success":true,"data":%s}`, m["id"], m["type"], data)
}

func (f *fake) codes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, e := range f.entries {
		if n, ok := e.Data.(task.NoticeData); ok {
			out = append(out, n.Code)
		}
	}
	return out
}

func TestRunOverWhatCannotBeRead(t *testing.T) {
	f := newFake(t, agent.Options{})
	done := make(chan error, 1)
	go func() { done <- f.s.Prompt(t.Context(), "Hello\u2028there") }()
	m := f.hear("prompt")
	if m["message"] != "Hello\u2028there" || m["streamingBehavior"] != nil {
		t.Errorf("sent %v", m)
	}
	f.say("garbage", "", "[]", "null", `{"type":5}`, `{"type":"from the future","x":[1]}`, ok(m, `{"disposition":"started"}`))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	waited := make(chan agent.Outcome, 1)
	go func() {
		o, err := f.s.Wait(t.Context())
		if err != nil {
			t.Error(err)
		}
		waited <- o
	}()
	f.say(`{"type":"agent_start"}`, `{"type":"message_end","message":{"role":"assistant","timestamp":5,"stopReason":"error","errorMessage":"no\u001b[31m luck"}}`)
	select {
	case o := <-waited:
		t.Fatalf("settled too early: %+v", o)
	default:
	}
	f.say(`{"type":"agent_settled","aborted":false}`)
	if o := <-waited; o.Failure != "no luck" || o.Aborted {
		t.Errorf("outcome %+v", o)
	}
	if got := f.codes(); !slices.Equal(got, []string{"unreadable", "unreadable", "unreadable", "turn", "failed", "settled"}) {
		t.Errorf("notices %v", got)
	}
}

// What may change during a task goes with each message, as it is then. In the timeline is what the
// person said.
func TestHintsGoWithEachMessage(t *testing.T) {
	h := vmhost.Hints{Time: time.Date(2026, 11, 30, 8, 12, 0, 0, time.UTC), TimeZone: "Asia/Tokyo", Locale: "ja_JP.UTF-8"}
	f := newFake(t, agent.Options{Hints: func() vmhost.Hints { return h }})
	picture := agent.Image{Name: "cat.png", MediaType: "image/png", Data: []byte("png")}
	for i, want := range []string{"[Now: Monday, 2026-11-30 17:12 +09:00, Asia/Tokyo, ja_JP.UTF-8]\n\n/look", "[Now: Monday, 2026-11-30 08:12 +00:00, No/Where, d e]\n\n/look"} {
		done := make(chan error, 1)
		go func() { done <- f.s.Steer(t.Context(), "/look", picture) }()
		m := f.hear("prompt")
		if m["message"] != want {
			t.Errorf("sent %q, not %q", m["message"], want)
		}
		said, err := json.Marshal(m["message"])
		if err != nil {
			t.Fatal(err)
		}
		f.say(ok(m, `{"disposition":"started"}`), fmt.Sprintf(`{"type":"queue_update","steering":[%s],"followUp":[]}`, said), `{"type":"queue_update","steering":[],"followUp":[]}`,
			fmt.Sprintf(`{"type":"message_end","message":{"role":"user","timestamp":%d,"content":[{"type":"text","text":%s},{"type":"image","mimeType":"image/png"}]}}`, i, said))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		h.TimeZone, h.Locale = "No/Where", "d]\n\ne"
	}
	f.say(`{"type":"agent_settled"}`)
	if _, err := f.s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var shown []string
	f.mu.Lock()
	for _, e := range f.entries {
		switch d := e.Data.(type) {
		case task.MessageData:
			shown = append(shown, fmt.Sprint(d.How, d.Text, d.Images))
		case task.QueueData:
			shown = append(shown, fmt.Sprint(d.Steering))
		}
	}
	f.mu.Unlock()
	if want := "[/look] [] steer/look[cat.png]"; strings.Join(shown, " ") != want+" "+want {
		t.Errorf("the timeline has %q", shown)
	}
}

func TestRefusal(t *testing.T) {
	f := newFake(t, agent.Options{})
	done := make(chan error, 1)
	go func() { done <- f.s.SetModel(t.Context(), "a/b/c") }()
	m := f.hear("set_model")
	if m["provider"] != "a" || m["modelId"] != "b/c" {
		t.Errorf("sent %v", m)
	}
	f.say(fmt.Sprintf(`{"id":%q,"type":"response","command":"set_model","success":false,"error":"no such\u0007 model"}`, m["id"]))
	var refused *agent.CommandError
	if err := <-done; !errors.As(err, &refused) || refused.Text != "no such model" || refused.Command != "set_model" {
		t.Errorf("got %v", err)
	}
}

func TestEndFailsWhatWaits(t *testing.T) {
	f := newFake(t, agent.Options{})
	const n = 5
	errs := make(chan error, n+1)
	for range n {
		go func() { errs <- f.s.Prompt(t.Context(), "x") }()
	}
	for range n {
		f.hear("prompt")
	}
	f.say(`{"type":"agent_start"}`)
	heard := make(chan error, 1)
	go func() { heard <- f.s.SetThinking(t.Context(), "low") }()
	f.say(ok(f.hear("set_thinking_level"), `null`))
	if err := <-heard; err != nil { // and with it what was said before
		t.Fatal(err)
	}
	if st, err := f.s.Wait(expired(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait without patience: %v %v", st, err)
	}
	f.out.Close()
	for range n {
		if err := <-errs; !errors.Is(err, agent.ErrEnded) {
			t.Errorf("a command ended with %v", err)
		}
	}
	<-f.s.Done()
	if _, err := f.s.Wait(t.Context()); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("Wait: %v", err)
	}
	if err := f.s.Prompt(t.Context(), "x"); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("a command after the end: %v", err)
	}
	if !errors.Is(f.s.Err(), agent.ErrEnded) {
		t.Errorf("Err: %v", f.s.Err())
	}
}

func expired(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paused atomic.Bool
		f := newFake(t, agent.Options{Stall: time.Minute, Paused: paused.Load})
		done := make(chan error, 1)
		prompt := func() map[string]any {
			go func() { done <- f.s.Prompt(t.Context(), "x") }()
			return f.hear("prompt")
		}
		open := func(what string) {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-done:
				t.Fatalf("%s: gave up with %v", what, err)
			default:
			}
		}
		m := prompt()
		for range 10 { // it says something
			time.Sleep(50 * time.Second)
			f.say(`{"type":"turn_start"}`)
			open("while it speaks")
		}
		paused.Store(true)
		time.Sleep(10 * time.Hour)
		open("while the machine stands still")
		paused.Store(false)
		f.say(`{"type":"compaction_start","reason":"threshold"}`)
		time.Sleep(10 * time.Hour)
		open("while it summarises")
		f.say(`{"type":"compaction_end","reason":"threshold","aborted":true}`, ok(m, `{"disposition":"started"}`))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		prompt()
		if err := <-done; !errors.Is(err, agent.ErrStalled) {
			t.Errorf("got %v", err)
		}
	})
}

// Whatever is in pi's place: a run that the person ended comes to its end.
func TestAbortOfARunThatGoesOn(t *testing.T) {
	for name, row := range map[string]struct {
		answers []string      // to clear_queue and abort
		says    string        // again and again
		leaves  time.Duration // whoever aborts
		within  time.Duration
	}{
		"without an answer":     {nil, `{"type":"turn_start"}`, time.Hour, 40 * time.Second},
		"with every answer":     {[]string{"clear_queue", "abort"}, `{"type":"agent_start"}`, time.Hour, 40 * time.Second},
		"that nobody waits for": {nil, `{"type":"turn_start"}`, time.Second, 40 * time.Second},
		"with a summary":        {nil, `{"type":"compaction_start","reason":"threshold"}`, time.Hour, 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t, agent.Options{})
				prompted := make(chan error, 1)
				go func() { prompted <- f.s.Prompt(t.Context(), "x") }()
				f.say(ok(f.hear("prompt"), `{"disposition":"started"}`))
				if err := <-prompted; err != nil {
					t.Fatal(err)
				}
				end := make(chan struct{})
				defer close(end)
				go func() {
					for {
						select {
						case <-end:
							return
						case <-time.After(5 * time.Second):
							f.say(row.says)
						}
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), row.leaves)
				defer cancel()
				aborted := make(chan error, 1)
				begun := time.Now()
				go func() { _, err := f.s.Abort(ctx); aborted <- err }()
				for _, name := range row.answers {
					f.say(ok(f.hear(name), `{}`))
				}
				out, err := f.s.Wait(t.Context())
				if took := time.Since(begun); err != nil || !out.Aborted || took > row.within {
					t.Errorf("it ended with %+v, %v after %s", out, err, took)
				}
				if err := <-aborted; (err != nil) != (row.leaves < time.Minute) {
					t.Error(err)
				}
				if err := f.s.Prompt(t.Context(), "y"); !errors.Is(err, agent.ErrEnded) {
					t.Errorf("it takes another message: %v", err)
				}
				got := f.codes()
				if !slices.Contains(got, "aborted") || got[len(got)-1] != "settled" {
					t.Errorf("notices %v", got)
				}
				f.say(`{"type":"agent_start"}`, `{"type":"message_end","message":{"role":"assistant","timestamp":5}}`, `{"type":"agent_settled"}`)
				synctest.Wait()
				f.mu.Lock()
				defer f.mu.Unlock()
				if len(f.entries) != len(got) {
					t.Errorf("after its end it tells %+v", f.entries[len(got):])
				}
			})
		})
	}
}

// asked is what came to Ask; answer it by its channel.
type asked struct {
	q      vmhost.Question
	answer chan string
	open   chan vmhost.Decision // for a choice or a text
}

func TestQuestions(t *testing.T) {
	asks := make(chan asked, 100)
	f := newFake(t, agent.Options{
		Ask: func(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
			a := asked{q, make(chan string), make(chan vmhost.Decision)}
			asks <- a
			select {
			case s := <-a.answer:
				return vmhost.Decision{ID: q.ID, Answer: s}, nil
			case d := <-a.open:
				return d, nil
			case <-ctx.Done():
				return vmhost.Decision{Answer: vmhost.AnswerDeny}, ctx.Err()
			}
		},
	})
	request := func(id, method, more string) {
		f.say(fmt.Sprintf(`{"type":"extension_ui_request","id":%q,"method":%q%s}`, id, method, more))
	}
	expect := func(id, key string, value any) {
		t.Helper()
		m := f.hear("extension_ui_response")
		if m["id"] != id || m[key] != value {
			t.Errorf("answered %v, want %s: %s=%v", m, id, key, value)
		}
	}
	// Two at once, answered the other way round.
	request("one", "confirm", `,"title":"piwork.command","message":"rm \u001b[2Kx"`) // no name makes it more than a program's question
	a1 := <-asks
	request("two", "confirm", `,"title":"Sure?","message":"really"`)
	a2 := <-asks
	if a1.q.ID == a2.q.ID || a1.q.Kind != vmhost.AskCommand || a1.q.Text.Code != agent.AskConfirm || a1.q.Task != sessionTask ||
		a1.q.Text.Params["message"] != "rm x" {
		t.Errorf("asked %+v", a1.q)
	}
	if a2.q.Text.Code != agent.AskConfirm || a2.q.Text.Params["title"] != "Sure?" || a2.q.Items == nil {
		t.Errorf("asked %+v", a2.q)
	}
	a2.answer <- vmhost.AnswerDeny
	expect("two", "confirmed", false)
	a1.answer <- vmhost.AnswerAllow
	expect("one", "confirmed", true)
	request("four", "confirm", `,"title":"x"`)
	<-asks
	f.say(`{"type":"agent_settled"}`)
	expect("four", "cancelled", true)
	// pi gives up by itself.
	request("five", "confirm", `,"title":"x","timeout":1`)
	if a := <-asks; a.q.Expires == nil {
		t.Error("the question does not say when it expires")
	}
	expect("five", "cancelled", true)
	yes := func(d vmhost.Decision) vmhost.Decision { d.Answer = vmhost.AnswerAllow; return d }
	for i, tt := range []struct {
		method, more string
		code         string
		answer       vmhost.Decision
		key          string
		value        any
	}{
		{"select", `,"title":"x","options":["a","b\u0007"]`, agent.AskSelect, yes(vmhost.Decision{Choice: new(1)}), "value", "b\u0007"},
		{"select", `,"title":"x","options":["a"]`, agent.AskSelect, yes(vmhost.Decision{Choice: new(1)}), "cancelled", true},
		{"select", `,"title":"x","options":["a"]`, agent.AskSelect, yes(vmhost.Decision{Choice: new(-1)}), "cancelled", true},
		{"select", `,"title":"x","options":["a"]`, agent.AskSelect, yes(vmhost.Decision{Text: "a"}), "cancelled", true},
		{"select", `,"title":"x","options":["a"]`, agent.AskSelect, vmhost.Decision{Answer: vmhost.AnswerDeny, Choice: new(0)}, "cancelled", true},
		{"input", `,"title":"x","placeholder":"h\u001b[1mint"`, agent.AskInput, yes(vmhost.Decision{Text: "text"}), "value", "text"},
		{"input", `,"title":"x"`, agent.AskInput, yes(vmhost.Decision{}), "value", ""},
		{"editor", `,"title":"x","prefill":"one\ntwo"`, agent.AskEditor, yes(vmhost.Decision{Text: "one"}), "value", "one"},
		{"editor", `,"title":"x"`, agent.AskEditor, vmhost.Decision{Answer: vmhost.AnswerDeny, Text: "lost"}, "cancelled", true},
	} {
		id := fmt.Sprint("open", i)
		request(id, tt.method, tt.more)
		a := <-asks
		if a.q.Text.Code != tt.code || !a.q.Open() || a.q.Kind != vmhost.AskCommand || a.q.Task != sessionTask || a.q.Items == nil || a.q.Input == (tt.method == "select") {
			t.Errorf("%s: asked %+v", id, a.q)
		}
		switch tt.method {
		case "input":
			if hint := a.q.Text.Params["hint"]; hint != "" && hint != "hint" {
				t.Errorf("%s: hint %q", id, hint)
			}
		case "editor":
			if text := a.q.Text.Params["text"]; text != "" && text != "one\ntwo" {
				t.Errorf("%s: text %q", id, text)
			}
		}
		a.open <- tt.answer
		expect(id, tt.key, tt.value)
	}
	// What a person could not be shown whole is not asked.
	request("many", "select", `,"options":["`+strings.Repeat(`a","`, 101)+`"]`)
	expect("many", "cancelled", true)
	request("none", "select", `,"options":[]`)
	expect("none", "cancelled", true)
	request("long", "editor", `,"prefill":"`+strings.Repeat("a", 17<<10)+`"`)
	expect("long", "cancelled", true)
	if len(asks) != 0 {
		t.Error("they were asked")
	}
	request("nine", "from the future", ``)
	expect("nine", "cancelled", true)
	for _, m := range []string{"notify", "setStatus", "setWidget", "setTitle", "set_editor_text"} {
		request("none", m, `,"message":"hello"`)
	}
	// Nothing is kept of what is far too long: not its id, for the answer, nor the rest of it.
	request(strings.Repeat("i", 1<<20), "from the future", ``)
	request("huge", "confirm", `,"title":"x","message":"`+strings.Repeat("a", 2<<20)+`"`)
	expect("huge", "cancelled", true)
	if len(asks) != 0 {
		t.Error("it was asked")
	}
	// A flood: what is too much is refused at once, and the rest at the end.
	for i := range 100 {
		request(fmt.Sprint("flood", i), "confirm", `,"title":"x"`)
	}
	refused := 0
	for refused < 100-32 {
		if m := f.hear("extension_ui_response"); m["cancelled"] == true {
			refused++
		}
	}
	f.out.Close()
	<-f.s.Done() // and with it every goroutine that asks
	if got := f.codes(); !slices.Contains(got, "notify") {
		t.Errorf("notices %v", got)
	}
}

func TestNobodyToAsk(t *testing.T) {
	f := newFake(t, agent.Options{})
	f.say(`{"type":"extension_ui_request","id":"a","method":"confirm","title":"x"}`, `{"type":"extension_ui_request","id":"b","method":"select","title":"x","options":["y"]}`)
	for range 2 {
		if m := f.hear("extension_ui_response"); m["cancelled"] != true {
			t.Errorf("answered %v", m)
		}
	}
}

func TestAnswerTooLong(t *testing.T) {
	f := newFake(t, agent.Options{})
	done := make(chan error, 1)
	go func() {
		_, err := f.s.State(t.Context())
		done <- err
	}()
	m := f.hear("get_state")
	f.say(ok(m, `"`+strings.Repeat("x", 33<<20)+`"`))
	if err := <-done; !errors.Is(err, agent.ErrTooLong) {
		t.Errorf("got %v", err)
	}
	go func() { done <- f.s.SetThinking(t.Context(), "low") }()
	f.say(ok(f.hear("set_thinking_level"), `null`))
	if err := <-done; err != nil {
		t.Errorf("after a long line: %v", err)
	}
}

func TestCloseOfOneThatHangs(t *testing.T) {
	f := newFake(t, agent.Options{})
	if err := f.s.Close(expired(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, more := <-f.heard; more {
		t.Error("its input is still open")
	}
}

func TestStartThatFails(t *testing.T) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	go func() { // it reads, says something else, and is gone
		_, _ = bufio.NewReader(in).ReadBytes('\n')
		_, _ = io.WriteString(out, "Error: no such model\n")
		out.Close()
	}()
	s := agent.New(agent.Options{})
	if _, err := s.Start(t.Context(), agent.Transport{In: stdin, Out: stdout}); !errors.Is(err, agent.ErrEnded) {
		t.Errorf("got %v", err)
	}
	<-s.Done()
	if _, err := s.Start(t.Context(), agent.Transport{In: stdin, Out: stdout}); err == nil {
		t.Error("started twice")
	}
}

// The deltas of a message come at most so often, and all of them.
func TestDeltas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, agent.Options{})
		f.say(`{"type":"message_start","message":{"role":"assistant","timestamp":1}}`)
		var want string
		for i := range 1000 {
			d := fmt.Sprintf("%d ", i)
			want += d
			f.say(fmt.Sprintf(`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":%q}}`, d))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(agent.DeltaEvery)
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		var got string
		for _, e := range f.entries {
			got += e.Data.(task.DeltaData).Text
		}
		if got != want || len(f.entries) > 22 || len(f.entries) < 10 {
			t.Errorf("%d deltas with %d of %d bytes", len(f.entries), len(got), len(want))
		}
	})
}

// nowhere takes everything.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }

// Whatever a guest says in place of pi, the session ends when it is gone.
func FuzzSession(f *testing.F) {
	f.Add([]byte("{\"id\":\"c1\",\"type\":\"response\",\"success\":true,\"data\":{\"messageCount\":3}}\n" +
		"{\"id\":\"c2\",\"type\":\"response\",\"success\":true,\"data\":{\"entries\":[{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"}}]}}\n" +
		"{\"type\":\"extension_ui_request\",\"id\":\"x\",\"method\":\"confirm\"}\n{\"type\":\"agent_start\"}\n{\"type\":\"agent_settled\"}\n{\"type\":\"compaction_start\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var entries []agent.Entry
		s := agent.New(agent.Options{
			Emit: func(e agent.Entry) { entries = append(entries, e) },
			Ask: func(context.Context, vmhost.Question) (vmhost.Decision, error) {
				return vmhost.Decision{Answer: vmhost.AnswerAllow}, nil
			},
		})
		if _, err := s.Start(t.Context(), agent.Transport{In: nowhere{}, Out: bytes.NewReader(data)}); err != nil && !errors.Is(err, agent.ErrEnded) {
			if _, is := errors.AsType[*agent.CommandError](err); !is && !strings.Contains(err.Error(), "cannot be read") {
				t.Errorf("start: %v", err)
			}
		}
		<-s.Done()
		checkSafe(t, entries)
		if s.Err() == nil {
			t.Error("it has ended, and does not say so")
		}
	})
}

// What the AI program refuses, or does not answer, is a failure of that program.
func TestProblem(t *testing.T) {
	for _, err := range []error{agent.ErrEnded, agent.ErrTooLong, fmt.Errorf("%w (abort)", agent.ErrStalled), &agent.CommandError{Command: "abort", Text: "no"}} {
		if p := agent.Problem(err); p.Code != problem.CodeAgentFailed || p.Details != err.Error() {
			t.Errorf("%v is %+v", err, p)
		}
	}
	if p := agent.Problem(problem.New(problem.CodeTaskRunning)); p.Code != problem.CodeTaskRunning {
		t.Errorf("%+v", p)
	}
}
