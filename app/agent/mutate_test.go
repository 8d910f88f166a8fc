package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/scripts/lib/tier"
)

// Values that stand where pi puts others.
var odd = []any{nil, true, -1e300, 5, "\x1b]0;x\x07\u202e\x00", strings.Repeat("ä\n", 300), []any{}, []any{nil, 5, "x", map[string]any{}},
	map[string]any{}, map[string]any{"type": "text", "text": 5, "role": []any{}}}

// TestOddMembers takes every kind of line that was recorded and puts something
// odd in the place of each of its members, one at a time.
func TestOddMembers(t *testing.T) {
	tier.Unraced(t)
	kinds := map[string]bool{}
	n := 0
	for _, runs := range recordings(t) {
		for _, lines := range runs {
			for i, l := range lines {
				var v map[string]any
				if err := json.Unmarshal(l, &v); err != nil {
					t.Fatal(err)
				}
				var k struct {
					Type, Command, Method string
					Message               struct{ Role, StopReason string }
					Event                 struct{ Type string } `json:"assistantMessageEvent"`
				}
				_ = json.Unmarshal(l, &k) // some have members of the same name and another kind
				kind := fmt.Sprint(k)
				if kinds[kind] || len(l) > 2500 {
					continue
				}
				kinds[kind] = true
				replace(v, func() {
					n++
					line, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					feed(t, lines, i, line)
				})
			}
		}
	}
	if n < 3000 {
		t.Errorf("only %d lines were tried", n)
	}
	t.Logf("%d lines of %d kinds", n, len(kinds))
}

// feed gives a timeline some lines around the i-th, which is another.
func feed(t *testing.T, lines [][]byte, i int, line []byte) {
	tl := agent.NewTimeline(nil)
	now := time.UnixMilli(1700000000000)
	for j := max(0, i-3); j < min(len(lines), i+3); j++ {
		l := lines[j]
		if j == i {
			l = line
		}
		now = now.Add(time.Second)
		checkSafe(t, tl.Line(l, int64(j+1), now))
	}
	checkSafe(t, tl.Replay([]json.RawMessage{bytes.Replace(line, []byte(`"type":"message_end"`), []byte(`"type":"message"`), 1)}))
}

// replace calls try with every member of v, at any depth, replaced by each odd
// value.
func replace(v any, try func()) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			for _, o := range odd {
				v[k] = o
				try()
			}
			v[k] = old
			replace(old, try)
		}
	case []any:
		for i, old := range v[:min(len(v), 3)] {
			for _, o := range odd {
				v[i] = o
				try()
			}
			v[i] = old
			replace(old, try)
		}
	}
}
