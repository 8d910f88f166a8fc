package aitask

import (
	"encoding/json"
	"testing"

	"piwork/app/task"
	"piwork/pack/guest/agentkit"
)

// The timeline names the tools of MCP servers that the AI is not offered.
func TestToolsThatAreLeftOutAreSaid(t *testing.T) {
	c, b := bare(t, task.Task{Place: task.Place{Runtime: "vm"}})
	all := []agentkit.ServerTool{{Name: "a__x"}}
	for _, left := range [][]string{nil, {"a__y"}, {"a__y", "a__z", "b__y"}} {
		if got := c.offered(all, left); len(got) != 1 {
			t.Errorf("the AI has %+v", got)
		}
	}
	events, err := b.store.Timeline(b.id, 0)
	if err != nil || len(events) != 2 {
		t.Fatalf("%+v %v", events, err)
	}
	for i, want := range []string{`{"code":"mcp-tools-left","params":{"tool":"a__y"}}`, `{"code":"mcp-tools-left","params":{"more":2,"tool":"a__y"}}`} {
		if got, err := json.Marshal(events[i].Data); err != nil || string(got) != want {
			t.Errorf("%s %v", got, err)
		}
	}
}
