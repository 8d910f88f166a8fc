package audit

import (
	"cmp"
	"context"

	"piwork/app/problem"
	"piwork/app/task"
)

// Who decided, as Decision.By has it.
const (
	ByPerson  = "person"  // asked at this moment
	ByProgram = "program" // that has a token for it
	ByDefault = "default" // nobody: its time was over
)

// By is who asks in a request.
func By(ctx context.Context) string {
	if task.ClientOf(ctx) != "" {
		return ByProgram
	}
	return ByPerson
}

// Decide appends what whoever asks decided, about a task ("" for none). It is called before that
// is done: what cannot be recorded must not be.
func (l *Log) Decide(ctx context.Context, id string, d Decision) error {
	d.By = cmp.Or(d.By, By(ctx))
	err := l.Append(Record{Event: EventDecision, Task: id, Client: task.ClientOf(ctx), Door: task.DoorOf(ctx), Request: task.RequestID(ctx), Decision: d})
	if err != nil {
		return problem.NotRecorded(err)
	}
	return nil
}
