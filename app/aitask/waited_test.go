package aitask

import (
	"testing"

	"piwork/app/task"
)

// TestTheSameSaidTwice: each message that the agent has is another of those that wait.
func TestTheSameSaidTwice(t *testing.T) {
	c, b := bare(t, task.Task{AI: &task.AI{Pending: []task.Pending{
		{ID: "p1", Text: "Go on", How: "steer"}, {ID: "p2", Text: "Go on", How: "followUp"}, {ID: "p3", Text: "Go on", How: "steer"},
	}}})
	c.agent.all(b.Last().AI.Pending[:2]) // the third it was not given yet
	for _, want := range []string{"p1", "p2", ""} {
		m := task.MessageData{Role: "user", Text: "Go on"}
		if is := c.waited(&m); is != (want != "") || m.Pending != want {
			t.Errorf("it is %q, %v, want %q", m.Pending, is, want)
		}
	}
}
