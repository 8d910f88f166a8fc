package tasks

import (
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Before the place of a task is chosen, a client is attached to one that has to be kept apart, and
// to no other.
func TestAClientBeforeThePlace(t *testing.T) {
	for at, code := range map[vmhost.Isolation]string{"": problem.CodeTokenScope, vmhost.IsolationNone: problem.CodeTokenScope, vmhost.IsolationNamespace: "", vmhost.IsolationHardware: ""} {
		r := StartRequest{Kind: task.KindExec, StreamsRequest: StreamsRequest{Interactive: true}}
		if at != "" {
			r.Requires = &vmhost.Requirement{AtLeast: at}
		}
		l := bareLive(t, task.Task{}, r)
		over, err := l.c.o.Registry.Begin(l.id, l, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer over()
		if _, err := l.c.AttachTask(task.WithClient(t.Context(), "ci@12345678"), l.id, false); (err == nil) != (code == "") || err != nil && problem.From(err).Code != code {
			t.Errorf("%q: %v", at, err)
		}
		if _, err := l.c.AttachTask(t.Context(), l.id, false); err != nil {
			t.Errorf("%q, the person: %v", at, err)
		}
	}
}
