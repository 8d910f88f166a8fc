package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"piwork/app/agent"
	"piwork/app/task"
	"piwork/scripts/lib/tier"
)

// checkSafe holds entries to what a window may be given, whatever the guest says.
func checkSafe(t *testing.T, entries []agent.Entry) {
	t.Helper()
	for _, e := range entries {
		data, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		if len(data) > 16<<20 {
			t.Errorf("an entry of %d bytes", len(data))
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		checkText(t, v)
		switch d := e.Data.(type) {
		case task.ToolData:
			if len(d.Output) > 4<<10 || len(d.Diff) > 16<<10 || d.Verb == "" || d.State == "" || d.ID == "" || d.WallMS < 0 {
				t.Errorf("tool %+v", d)
			}
		case task.MessageData:
			if d.ID == "" || d.Role == "user" && d.How == "" {
				t.Errorf("message %+v", d)
			}
		case task.QueueData:
			if d.Steering == nil || d.FollowUp == nil {
				t.Errorf("queue %+v", d)
			}
		}
	}
}

func checkText(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			checkText(t, k)
			checkText(t, m)
		}
	case []any:
		for _, m := range v {
			checkText(t, m)
		}
	case string:
		if !utf8.ValidString(v) {
			t.Errorf("%q is not UTF-8", v)
		}
		for _, r := range v {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Errorf("%q has the control character %U", v, r)
			}
		}
	}
}

func FuzzTimeline(f *testing.F) {
	// One short line of every kind, a few at a time.
	kinds := map[string]bool{}
	var few [][]byte
	for _, sc := range scenarios() {
		data, _ := readRecording(sc.name, 1) // TestReplay misses it
		for l := range bytes.Lines(data) {
			var v struct{ Type, Command, Method string }
			if json.Unmarshal(l, &v) != nil || len(l) > 1000 || kinds[fmt.Sprint(v)] {
				continue
			}
			kinds[fmt.Sprint(v)] = true
			if few = append(few, l); len(few) == 4 {
				f.Add(bytes.Join(few, nil))
				few = nil
			}
		}
	}
	f.Add([]byte("{\"type\":\"message_end\",\"message\":{\"role\":\"user\",\"content\":\"\x1b]0;x\x07\xff\"}}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte("\n"))
		one, other := agent.NewTimeline(nil), agent.NewTimeline(nil)
		now := time.UnixMilli(0)
		for i, l := range lines {
			now = now.Add(7 * time.Millisecond)
			a := one.Line(l, int64(i+1), now)
			checkSafe(t, a)
			if b := other.Line(l, int64(i+1), now); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("the same line gives\n%v\nand\n%v", a, b)
			}
		}
		checkSafe(t, one.Flush(now))
		var entries []json.RawMessage
		for _, l := range lines {
			if json.Valid(l) {
				entries = append(entries, json.RawMessage(fmt.Sprintf(`{"type":"message","message":%s}`, l)))
			}
		}
		checkSafe(t, one.Replay(entries))
		if again := one.Replay(entries); len(again) > len(entries) {
			t.Errorf("replayed twice: %v", again)
		}
	})
}

func TestBounds(t *testing.T) {
	tier.Unraced(t)
	tl := agent.NewTimeline(nil)
	now := time.UnixMilli(0)
	say := func(v any) []agent.Entry {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		entries := tl.Line(line, 1, now)
		checkSafe(t, entries)
		return entries
	}
	type m = map[string]any
	long := strings.Repeat("ä\x1b[31mö\n", 1<<16)
	for i := range 1000 { // more than are remembered
		say(m{"type": "tool_execution_start", "toolCallId": fmt.Sprint(i), "toolName": "bash", "args": m{"command": "x"}})
		say(m{"type": fmt.Sprint("kind", i)})
	}
	say(m{"type": "message_end", "message": m{"role": "user", "content": long, "timestamp": 1}})
	say(m{"type": "message_end", "message": m{"role": "assistant", "timestamp": 2,
		"content": []any{m{"type": "text", "text": long}, m{"type": "thinking", "thinking": long}}}})
	say(m{"type": "tool_execution_start", "toolCallId": "0", "toolName": long, "args": m{"path": long}})
	got := say(m{"type": "tool_execution_end", "toolCallId": "0", "result": m{"content": long, "details": m{"patch": long}}, "isError": false, "durationMs": -1e300})
	if len(got) != 1 || !strings.HasPrefix(got[0].Data.(task.ToolData).Output, "…") {
		t.Errorf("got %.200v", got)
	}
	say(m{"type": "queue_update", "steering": []any{long, 5, nil}, "followUp": "odd"})
	say(m{"type": "auto_retry_start", "errorMessage": long, "attempt": 1e300, "delayMs": "soon"})
	say(m{"type": "message_start", "message": m{"role": "assistant", "timestamp": 3}})
	for range 10 {
		say(m{"type": "message_update", "assistantMessageEvent": m{"type": "text_delta", "delta": long}})
	}
}

// A flood of lines that cannot be read is not a flood of notices.
func TestUnreadable(t *testing.T) {
	tl := agent.NewTimeline(nil)
	n := 0
	for range 100000 {
		n += len(tl.Line([]byte("{"), 0, time.UnixMilli(0)))
	}
	if n != 17 {
		t.Errorf("%d notices", n)
	}
}

func TestToolsThatCountFromZero(t *testing.T) {
	tl := agent.NewTimeline(nil)
	ids := map[string]int{}
	for _, at := range []int{1, 2} {
		for _, l := range []string{
			fmt.Sprintf(`{"type":"message_end","message":{"role":"assistant","timestamp":%d,"content":[]}}`, at),
			`{"type":"tool_execution_start","toolCallId":"call_0","toolName":"read","args":{"path":"a"}}`,
			`{"type":"tool_execution_end","toolCallId":"call_0","result":{"content":[]},"isError":false}`,
			`{"type":"tool_execution_end","toolCallId":"call_0","result":{"content":[]},"isError":false}`,
		} {
			for _, e := range tl.Line([]byte(l), 0, time.UnixMilli(0)) {
				ids[e.Data.(task.ToolData).ID]++
			}
		}
	}
	if len(ids) != 2 {
		t.Fatalf("ids %v", ids)
	}
	for id, n := range ids {
		if n != 2 {
			t.Errorf("%s came %d times", id, n)
		}
	}
}

// Tools that run are known by their ids, which may be as long as a line: no such id is kept.
func TestLongToolIDs(t *testing.T) {
	tier.Unraced(t)
	tl := agent.NewTimeline(nil)
	const size = 1 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 64 {
		id := fmt.Sprint(i) + strings.Repeat("x", size)
		tl.Line([]byte(`{"type":"tool_execution_start","toolCallId":"`+id+`","toolName":"read"}`), 1, time.Now())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8*size {
		t.Errorf("%d bytes are kept", kept)
	}
	got := tl.Line([]byte(`{"type":"tool_execution_end","toolCallId":"7`+strings.Repeat("x", size)+`"}`), 2, time.Now())
	if len(got) != 1 || got[0].Data.(task.ToolData).State != agent.ToolDone {
		t.Errorf("its end: %+v", got)
	}
}
