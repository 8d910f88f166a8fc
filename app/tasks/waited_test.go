package tasks

import (
	"context"
	"testing"
	"time"

	"piwork/app/task"
)

// TestTheSameSaidTwice: each message that the agent has is another of those that wait.
func TestTheSameSaidTwice(t *testing.T) {
	l := &conversation{Live: &Live{}}
	l.last.Store(&task.Task{AI: &task.AI{Pending: []task.Pending{
		{ID: "p1", Text: "Go on", How: "steer"}, {ID: "p2", Text: "Go on", How: "followUp"}, {ID: "p3", Text: "Go on", How: "steer"},
	}}})
	l.agent.all(l.last.Load().AI.Pending[:2]) // the third it was not given yet
	for _, want := range []string{"p1", "p2", ""} {
		m := task.MessageData{Role: "user", Text: "Go on"}
		if is := l.waited(&m); is != (want != "") || m.Pending != want {
			t.Errorf("it is %q, %v, want %q", m.Pending, is, want)
		}
	}
}

// TestADetachedProgramAwaitsNobody: whoever started it may never have been attached to it.
func TestADetachedProgramAwaitsNobody(t *testing.T) {
	l := bareLive(t, task.Task{}, StartRequest{Kind: task.KindExec, StreamsRequest: StreamsRequest{Interactive: true}})
	over, err := l.c.o.Registry.Begin(l.id, l, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	if _, err := l.c.DetachTask(t.Context(), l.id); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second) // far above what it takes
	defer stop()
	if l.prog.Awaited(ctx); ctx.Err() != nil {
		t.Error("it waits still")
	}
}
