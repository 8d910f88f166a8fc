package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/agent"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/task"
	"piwork/vmhost"
)

// scenario is a session with the real pi; each run of pi in it gives a recording.
type scenario struct {
	name    string
	replies []gatewaytest.Turn
	run     func(t *testing.T, b *bench) [][][]byte
}

func call(name string, args any) gatewaytest.Turn {
	return gatewaytest.Turn{Tools: []gatewaytest.Tool{{Name: name, Input: args}}}
}

func says(pieces ...string) gatewaytest.Turn { return gatewaytest.Turn{Parts: pieces} }

type args map[string]any

// oneThenWait lets one part of an answer go; the others when it is closed.
func oneThenWait() chan struct{} {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	return c
}

// thinks answers with what the model thinks, as servers of open models send it.
func thinks(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range []string{`{"role":"assistant","reasoning_content":"First "}`, `{"reasoning_content":"look."}`, `{"content":"Seen."}`} {
		fmt.Fprintf(w, `data: {"id":"c1","object":"chat.completion.chunk","model":"scripted","choices":[{"index":0,"delta":%s,"finish_reason":null}]}`+"\n\n", delta)
	}
	fmt.Fprint(w, `data: {"id":"c1","object":"chat.completion.chunk","model":"scripted","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// decides makes what decides about commands, in order.
func decides(t *testing.T, give ...bool) func(context.Context, string) bool {
	return func(_ context.Context, command string) bool {
		if len(give) == 0 {
			t.Errorf("asked once more: %s", command)
			return false
		}
		a := give[0]
		give = give[1:]
		return a
	}
}

func scenarios() []scenario {
	gate, gate2, gate3, never := oneThenWait(), oneThenWait(), oneThenWait(), oneThenWait()
	return []scenario{
		{name: "tools", replies: []gatewaytest.Turn{
			{Parts: []string{"I read ", "the notes."},
				Tools: []gatewaytest.Tool{{Name: "read", Input: args{"path": "notes.txt"}}, {Name: "ls", Input: args{"path": "."}}}},
			call("write", args{"path": "report.md", "content": "# Report\nThree lines.\n"}),
			call("edit", args{"path": "notes.txt", "edits": []args{{"oldText": "two", "newText": "zwei"}}}),
			call("bash", args{"command": "wc -l notes.txt; cat nothing"}),
			says("Done: ", "report.md ", "is there."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Read the notes and write a report."))
			if o := b.settled(); o.Failure != "" || o.Aborted {
				t.Errorf("ended as %+v", o)
			}
			if b.read("report.md") != "# Report\nThree lines.\n" || b.read("notes.txt") != "one\nzwei\nthree\n" {
				t.Errorf("files: %q, %q", b.read("report.md"), b.read("notes.txt"))
			}
			return [][][]byte{b.stop()}
		}},
		{name: "thinking", replies: []gatewaytest.Turn{{Raw: thinks}}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Think."))
			b.settled()
			return [][][]byte{b.stop()}
		}},
		{name: "anthropic", replies: []gatewaytest.Turn{
			{Parts: []string{"I read ", "it."}, Tools: []gatewaytest.Tool{{Name: "read", Input: args{"path": "notes.txt"}}}},
			{Status: 529, Message: "overloaded"},
			{Parts: []string{"Three ", "lines."}, CacheRead: 50, CacheWrite: 5},
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.launch.Argv = replaceAfter(replaceAfter(b.launch.Argv, "--model", gatewaytest.AnthropicModel), "--provider", "claude")
			b.settings(`"retry":{"baseDelayMs":10}`)
			b.start()
			b.do(b.s.Prompt(b.ctx, "Read."))
			if o := b.settled(); o.Failure != "" {
				t.Errorf("ended as %+v", o)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "consent", replies: []gatewaytest.Turn{
			call("bash", args{"command": "rm notes.txt"}),
			call("bash", args{"command": "mv notes.txt old.txt"}),
			says("I left it."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.allow = decides(t, false, true)
			b.start()
			b.do(b.s.Prompt(b.ctx, "Delete the notes."))
			b.settled()
			if b.read("notes.txt") != "" || b.read("old.txt") != "one\ntwo\nthree\n" {
				t.Errorf("files: %q, %q", b.read("notes.txt"), b.read("old.txt"))
			}
			return [][][]byte{b.stop()}
		}},
		{name: "steer", replies: []gatewaytest.Turn{
			{Parts: []string{"Let me ", "look."}, Step: gate, Tools: []gatewaytest.Tool{{Name: "bash", Input: args{"command": "cat notes.txt"}}}},
			says("Only the first line: one."),
			says("Also done."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Summarise the notes."))
			b.until("delta", kind(task.EventDelta))
			b.do(b.s.FollowUp(b.ctx, "Then say goodbye."))
			b.do(b.s.Steer(b.ctx, "Only the first line."))
			close(gate)
			b.settled()
			return [][][]byte{b.stop()}
		}},
		{name: "take-back", replies: []gatewaytest.Turn{
			{Parts: []string{"Let me ", "look."}, Step: gate3}, says("Goodbye."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Summarise the notes."))
			b.until("delta", kind(task.EventDelta))
			b.do(b.s.Steer(b.ctx, "Only the first line."))
			b.do(b.s.FollowUp(b.ctx, "Then say goodbye."))
			steering, followUp, err := b.s.Unqueue(b.ctx)
			if err != nil || steering != 1 || followUp != 1 {
				t.Errorf("%d and %d waited, %v", steering, followUp, err)
			}
			b.do(b.s.FollowUp(b.ctx, "Then say goodbye."))
			close(gate3)
			b.settled()
			for _, q := range b.model.Questions() {
				if bytes.Contains(q.Body, []byte("Only the first line.")) {
					t.Error("the model was told what was taken back")
				}
			}
			if n := len(b.model.Questions()); n != 2 {
				t.Errorf("the model was asked %d times", n)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "abort", replies: []gatewaytest.Turn{
			{Parts: []string{"This takes ", "long."}, Step: never},
			call("bash", args{"command": "sleep 20"}),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Think."))
			b.until("delta", kind(task.EventDelta))
			b.do(b.s.FollowUp(b.ctx, "And then this."))
			q, err := b.s.Abort(b.ctx)
			b.do(err)
			if len(q.FollowUp) != 1 || len(q.Steering) != 0 {
				t.Errorf("taken back: %+v", q)
			}
			if o := b.settled(); !o.Aborted {
				t.Errorf("ended as %+v", o)
			}
			b.do(b.s.Prompt(b.ctx, "Run."))
			b.until("tool", kind(task.EventTool))
			_, err = b.s.Abort(b.ctx)
			b.do(err)
			if o := b.settled(); !o.Aborted {
				t.Errorf("ended as %+v", o)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "asked-abort", replies: []gatewaytest.Turn{
			call("bash", args{"command": "rm notes.txt"}),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			asked := make(chan struct{})
			b.allow = func(ctx context.Context, _ string) bool {
				close(asked)
				<-ctx.Done()
				return false
			}
			b.start()
			b.do(b.s.Prompt(b.ctx, "Delete."))
			b.wait(asked)
			_, err := b.s.Abort(b.ctx)
			b.do(err)
			b.settled()
			if b.read("notes.txt") == "" {
				t.Error("deleted without an answer")
			}
			return [][][]byte{b.stop()}
		}},
		{name: "unauthorized", replies: []gatewaytest.Turn{
			{Status: http.StatusUnauthorized, Message: "the key is not valid"},
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Hello."))
			if o := b.settled(); !strings.Contains(o.Failure, "the key is not valid") {
				t.Errorf("ended as %+v", o)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "retry", replies: []gatewaytest.Turn{
			{Status: http.StatusTooManyRequests, Message: "slow down"},
			{Parts: []string{"I was ", "say"}, Cut: true},
			says("Here ", "I am."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Hello."))
			if o := b.settled(); o.Failure != "" {
				t.Errorf("ended as %+v", o)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "gave-up", replies: slices.Repeat([]gatewaytest.Turn{{Status: http.StatusServiceUnavailable, Message: "overloaded"}}, 4), run: func(t *testing.T, b *bench) [][][]byte {
			b.settings(`"retry":{"baseDelayMs":10}`)
			b.start()
			b.do(b.s.Prompt(b.ctx, "Hello."))
			if o := b.settled(); !strings.Contains(o.Failure, "overloaded") {
				t.Errorf("ended as %+v", o)
			}
			return [][][]byte{b.stop()}
		}},
		{name: "compact-itself", replies: []gatewaytest.Turn{
			{Parts: []string{strings.Repeat("A long answer. ", 20)}, Input: 100}, {Status: http.StatusBadRequest, Message: "no summaries here"},
			says("The summary."), says("The rest of it."), says("Still here."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.settings(`"compaction":{"keepRecentTokens":10,"reserveTokens":127950}`)
			b.start()
			for _, p := range []string{"One.", "Two."} {
				b.do(b.s.Prompt(b.ctx, p))
				b.settled()
			}
			b.until("failure to summarise", noticed(agent.NoticeNotCompact))
			b.until("summary", noticed(agent.NoticeCompacted))
			return [][][]byte{b.stop()}
		}},
		{name: "outputs", replies: []gatewaytest.Turn{
			call("read", args{"path": "dot.png"}),
			call("bash", args{"command": "yes | head -n 2100"}),
			says("Many lines."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.write("dot.png", string(dot(t)))
			b.start()
			b.do(b.s.Prompt(b.ctx, "Look."))
			b.settled()
			return [][][]byte{b.stop()}
		}},
		{name: "extension", replies: []gatewaytest.Turn{says("Hello.")}, run: func(t *testing.T, b *bench) [][][]byte {
			b.extension(`export default function (pi) {
				pi.on("agent_start", async (_, ctx) => {
					ctx.ui.notify("a \u001b[1mword\u001b[0m", "warning");
					ctx.ui.setStatus("key", "text");
					ctx.ui.setWidget("key", ["line"]);
					ctx.ui.setTitle("title");
					ctx.ui.setEditorText("text");
					const got = [await ctx.ui.confirm("Sure?", "Really?"), await ctx.ui.select("Which?", ["a", "b"]),
						await ctx.ui.input("What?", "hint"), await ctx.ui.editor("Write", "text"), await ctx.ui.confirm("Quick?", "Now", { timeout: 50 })];
					ctx.ui.notify(JSON.stringify(got), "info");
					pi.appendEntry("test", { got });
					pi.setSessionName("named");
					throw new Error("an extension fails");
				});
			}`)
			n := 0
			b.ask = func(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
				switch q.Text.Code {
				case agent.AskSelect:
					return vmhost.Decision{Answer: vmhost.AnswerAllow, Choice: new(1)}, nil
				case agent.AskInput:
					return vmhost.Decision{Answer: vmhost.AnswerAllow, Text: "written"}, nil
				case agent.AskEditor:
					return vmhost.Decision{Answer: vmhost.AnswerDeny}, nil
				}
				if n++; n == 2 {
					<-ctx.Done()
					return vmhost.Decision{Answer: vmhost.AnswerDeny}, ctx.Err()
				}
				return vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerAllow}, nil
			}
			b.start()
			b.do(b.s.Prompt(b.ctx, "Hello."))
			b.settled()
			b.until("what it got", func(e agent.Entry) bool {
				d, ok := e.Data.(task.NoticeData)
				return ok && d.Text == `[true,"b","written",null,false]`
			})
			return [][][]byte{b.stop()}
		}},
		{name: "compact", replies: []gatewaytest.Turn{
			says(strings.Repeat("A long answer. ", 20)), says(strings.Repeat("Another one. ", 20)), says("The summary."), says("The rest of it."), says("Still here."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.settings(`"compaction":{"keepRecentTokens":10}`)
			b.start()
			for _, p := range []string{"One.", "Two."} {
				b.do(b.s.Prompt(b.ctx, p))
				b.settled()
			}
			b.do(b.s.Compact(b.ctx))
			b.until("summary", noticed(agent.NoticeCompacted))
			b.do(b.s.Prompt(b.ctx, "Three."))
			b.settled()
			first := b.stop()
			b.start() // everything is in the timeline already
			return [][][]byte{first, b.stop()}
		}},
		{name: "image", replies: []gatewaytest.Turn{says("A small picture.")}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "What is it?", agent.Image{Name: "dot.png", MediaType: "image/png", Data: dot(t)}))
			b.settled()
			if m, ok := b.until("message", kind(task.EventMessage)).Data.(task.MessageData); !ok || !slices.Equal(m.Images, []string{"dot.png"}) {
				t.Errorf("message %+v", m)
			}
			if asked := b.model.Questions(); len(asked) != 1 || !bytes.Contains(asked[0].Body, []byte("data:image/png;base64,")) {
				t.Error("the model got no picture")
			}
			return [][][]byte{b.stop()}
		}},
		{name: "model", replies: []gatewaytest.Turn{says("From the other.")}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.SetModel(b.ctx, "test/other"))
			b.do(b.s.SetThinking(b.ctx, "high"))
			b.do(b.s.Prompt(b.ctx, "Who are you?"))
			b.settled()
			st, err := b.s.State(b.ctx)
			b.do(err)
			if st.Model != "test/other" || st.Thinking != "high" || st.Running || st.Messages == 0 {
				t.Errorf("state %+v", st)
			}
			if err := b.s.SetModel(b.ctx, "test/none"); err == nil {
				t.Error("a model that is not there was taken")
			}
			return [][][]byte{b.stop()}
		}},
		{name: "killed", replies: []gatewaytest.Turn{
			{Parts: []string{"I run it."}, Tools: []gatewaytest.Tool{{Name: "bash", Input: args{"command": "sleep 20"}}}},
			says("I go on."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Run it."))
			b.until("tool", kind(task.EventTool))
			b.proc.Kill()
			b.wait(b.s.Done())
			first := b.taken()
			r := b.start()
			if !r.Unfinished || r.LastUser == "" || b.known.Of(r.LastUser) != agent.Whole {
				t.Errorf("resumed %+v", r)
			}
			b.do(b.s.Prompt(b.ctx, "Go on."))
			b.settled()
			// The call that was cut off has a result, without which providers refuse.
			if asked := b.model.Questions(); !bytes.Contains(asked[len(asked)-1].Body, []byte(`"tool_call_id":"call_0"`)) {
				t.Errorf("the model was asked %s", asked[len(asked)-1].Body)
			}
			if asked := b.model.Questions(); systemOf(t, asked[0].Body) != systemOf(t, asked[len(asked)-1].Body) {
				t.Error("the system prompt is another after a restart")
			}
			return [][][]byte{first, b.stop()}
		}},
		{name: "killed-early", replies: []gatewaytest.Turn{
			{Parts: []string{"I am about to ", "answer."}, Step: gate2},
			says("Now."),
		}, run: func(t *testing.T, b *bench) [][][]byte {
			b.start()
			b.do(b.s.Prompt(b.ctx, "Say something."))
			b.until("delta", kind(task.EventDelta))
			b.proc.Kill()
			b.wait(b.s.Done())
			first := b.taken()
			r := b.start()
			t.Logf("after a kill before the first answer: %+v", r)
			b.do(b.s.Prompt(b.ctx, "Say something again."))
			b.settled()
			return [][][]byte{first, b.stop()}
		}},
	}
}

// systemOf is the system prompt of a request, with the tools: what a provider
// keeps in its cache.
func systemOf(t *testing.T, request []byte) string {
	t.Helper()
	var r struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools"`
	}
	if err := json.Unmarshal(request, &r); err != nil || len(r.Messages) == 0 {
		t.Fatalf("request %s: %v", request, err)
	}
	return string(r.Messages[0]) + string(r.Tools)
}

// dot is a small picture.
func dot(t *testing.T) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 4, 4))
	img.Set(1, 1, color.White)
	var p bytes.Buffer
	if err := png.Encode(&p, img); err != nil {
		t.Fatal(err)
	}
	return p.Bytes()
}

// extension adds an extension beside that of the pack.
func (b *bench) extension(source string) {
	file := filepath.Join(b.root, "extension.js")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.launch.Argv = append(b.launch.Argv, "--extension", file)
}

func noticed(code string) func(agent.Entry) bool {
	return func(e agent.Entry) bool {
		n, ok := e.Data.(task.NoticeData)
		return ok && n.Code == code
	}
}

// settings adds members to pi's settings, for what would take long otherwise.
func (b *bench) settings(members string) {
	for i, f := range b.launch.Files {
		if f.Path == "pi/settings.json" {
			b.launch.Files[i].Data = []byte(strings.Replace(string(f.Data), "{", "{"+members+",", 1))
		}
	}
}
