package client_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
)

// What the agent says comes as it said it. What becomes of a stream that breaks is in the table of
// app/sdk/sdktest.
func TestAgentEvents(t *testing.T) {
	said := []string{`{"type":"message_update", "text":"ü\u2028<b>"}`, `"event: agent.over"`, `{"type":"agent_end"}`}
	f := apitest.New(apitest.Script{})
	f.Agent.Lines = map[int64]json.RawMessage{}
	for i, line := range said {
		f.Agent.Lines[int64(i+1)] = json.RawMessage(line)
	}
	id := over(t, f).ID
	each(t, f, func(t *testing.T, c *client.Client) {
		var got []string
		err := c.AgentEvents(t.Context(), id, task.OnlyNew, func(_ int64, line json.RawMessage) error {
			got = append(got, string(line))
			return nil
		})
		if err != nil || !slices.Equal(got, said) {
			t.Errorf("%v: %q", err, got)
		}
		got = nil
		var last int64
		err = c.AgentEvents(t.Context(), id, 1, func(n int64, line json.RawMessage) error {
			got, last = append(got, string(line)), n
			return nil
		})
		if err != nil || !slices.Equal(got, said[1:]) || last != 3 {
			t.Errorf("who comes back: %v: %q, %d", err, got, last)
		}
		enough := errors.New("enough")
		if err := c.AgentEvents(t.Context(), id, task.OnlyNew, func(int64, json.RawMessage) error { return enough }); !errors.Is(err, enough) {
			t.Error(err)
		}
		_, none := c.Task(t.Context(), "other")
		if err := c.AgentEvents(t.Context(), "other", task.OnlyNew, nil); err == nil || none == nil || problem.From(err).Code != problem.From(none).Code {
			t.Errorf("%v, not %v", err, none)
		}
	})
}
