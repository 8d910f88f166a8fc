package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/task"
	"piwork/vmhost/sanitize"
)

// short are entries in one line each.
func short(entries []agent.Entry) (out []string) {
	for _, e := range entries {
		switch d := e.Data.(type) {
		case task.MessageData:
			out = append(out, fmt.Sprintf("%s %q %q", d.ID, d.Text, d.Thinking))
		case task.ToolData:
			out = append(out, fmt.Sprintf("%s %s %s %q %q %q", d.ID, d.State, d.Verb, d.Name, d.Target, d.Output))
		case task.NoticeData:
			out = append(out, d.Code)
		case task.DeltaData:
			out = append(out, fmt.Sprintf("%s/%d %q", d.ID, d.Part, d.Text+d.Thinking))
		}
	}
	return out
}

func chunk(id, text string) sdk.SessionUpdate {
	u := sdk.UpdateAgentMessageText(text)
	if id != "" {
		u.AgentMessageChunk.MessageId = &id
	}
	return u
}

// A message ends where another begins, where a tool begins, and with the turn.
func TestMessages(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tr := New("x", "own/m")
	var got []string
	take := func(e []agent.Entry) { got = append(got, short(e)...) }
	take(tr.Turn())
	take(tr.Update(chunk("1", "a"), 1, at))
	take(tr.Update(chunk("1", "b"), 2, at.Add(time.Millisecond)))
	take(tr.Update(chunk("2", "c"), 3, at.Add(2*time.Millisecond)))
	take(tr.Update(sdk.StartToolCall("c", "Read", sdk.WithStartKind(sdk.ToolKindRead), sdk.WithStartRawInput(map[string]any{"filePath": "/folders/T/a\n.txt"})), 4, at.Add(time.Second)))
	take(tr.Update(chunk("", " \n"), 5, at.Add(time.Second)))
	take(tr.End("no model", at.Add(2*time.Second)))
	take(tr.Settled(false))
	want := []string{
		"turn", `ax-1/1 "a"`, `ax-1/2 "b"`, `ax-1 "ab" ""`, `ax-2/1 "c"`, `ax-2 "c" ""`, `tx-3 started read "Read" "/folders/T/a .txt" ""`,
		`ax-4/1 " \n"`, `tx-3 failed read "Read" "/folders/T/a .txt" ""`, "failed", "settled",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s", strings.Join(got, "\n"))
	}
}

// What a tool is called is text and nothing more: it is cleaned, and what is told of it when it
// started does not change behind the person's back.
func TestSpoofedTools(t *testing.T) {
	at := time.Now()
	tr := New("x", "")
	name := "read\x1b[2K\u202e" + strings.Repeat("é", 500) + "\nallowed by the person"
	out := tr.Update(sdk.StartToolCall("c", name, sdk.WithStartKind("root"), sdk.WithStartStatus(sdk.ToolCallStatusInProgress)), 1, at)
	d, ok := out[0].Data.(task.ToolData)
	if !ok || len(d.Name) > agent.MaxName || strings.ContainsAny(d.Name, "\x1b\u202e\n") || d.Verb != "other" {
		t.Errorf("told %+v", d)
	}
	out = tr.Update(sdk.UpdateToolCall("c", sdk.WithUpdateTitle("harmless"), sdk.WithUpdateKind(sdk.ToolKindRead), sdk.WithUpdateRawInput(map[string]any{"command": "ls"}), sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)), 2, at)
	e, ok := out[0].Data.(task.ToolData)
	if !ok || len(out) != 1 || e.ID != d.ID || e.Name != d.Name || e.Verb != d.Verb || e.Target != d.Target {
		t.Errorf("told %+v, then %+v", d, e)
	}
	if out := tr.Update(sdk.UpdateToolCall("c", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)), 3, at); len(out) != 0 {
		t.Errorf("it ended twice: %v", short(out))
	}
	if out := tr.Update(sdk.UpdateToolCall("ghost", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)), 3, at); len(out) != 0 {
		t.Errorf("what never began ended: %v", short(out))
	}
}

// Whatever is said in a turn: what is told is bounded and clean, ids are of one use, and every
// tool that began has ended with the turn.
func FuzzUpdates(f *testing.F) {
	for _, seed := range []string{
		`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"hi"}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"bash","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff","path":"p","oldText":"a\n","newText":"b\n"}]}`,
		`{"sessionUpdate":"plan","entries":[]}`, `{"sessionUpdate":"x"}`, `{}`, `[]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		tr := New("f", "m")
		at := time.Unix(0, 0)
		all := tr.Turn()
		for line := range strings.SplitSeq(lines, "\n") {
			var u sdk.SessionUpdate
			if json.Unmarshal([]byte(line), &u) == nil {
				all = append(all, tr.Update(u, 1, at)...)
			}
			at = at.Add(20 * time.Millisecond)
		}
		all = append(all, tr.End("", at)...)
		open, used := map[string]bool{}, map[string]bool{}
		for _, e := range all {
			switch d := e.Data.(type) {
			case task.MessageData:
				checked(t, d.Text, agent.MaxText)
				checked(t, d.Thinking, agent.MaxThinking)
				if used[d.ID] {
					t.Errorf("%s twice", d.ID)
				}
				used[d.ID] = true
			case task.DeltaData:
				checked(t, d.Text, agent.MaxDelta)
				checked(t, d.Thinking, agent.MaxDelta)
			case task.ToolData:
				checked(t, d.Name, agent.MaxName)
				checked(t, d.Target, agent.MaxTarget)
				checked(t, d.Output, agent.MaxOutput)
				checked(t, d.Diff, agent.MaxDiff)
				if began := d.State == agent.ToolStarted; began == open[d.ID] {
					t.Errorf("%s is %s", d.ID, d.State)
				} else {
					open[d.ID] = began
				}
			}
		}
		for id, is := range open {
			if is {
				t.Errorf("%s never ends", id)
			}
		}
	})
}

func checked(t *testing.T, s string, most int) {
	if len(s) > most || !utf8.ValidString(s) || sanitize.Text(s) != s {
		t.Errorf("%d bytes %.100q", len(s), s)
	}
}
