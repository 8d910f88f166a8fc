package audit

import (
	"cmp"
	"context"
	"net/url"

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

// Use says that something changes the data until done is called, so that it does not move
// meanwhile: a record that is written to the place it leaves is lost, and the chain of the other
// one holds all the same. nil asks nobody.
type Use func(ctx context.Context) (during context.Context, done func(), err error)

// Begin asks, before anything is changed.
func (u Use) Begin(ctx context.Context) (during context.Context, done func(), err error) {
	if u == nil {
		return ctx, func() {}, nil
	}
	return u(ctx)
}

// Chosen is that something goes to an address from now on, of which the record has the host; to
// none with "".
func Chosen(topic, address string) Decision {
	if address == "" {
		return Decision{Topic: topic, Answer: "removed"}
	}
	d := Decision{Topic: topic, Answer: "written"}
	if u, err := url.Parse(address); err == nil {
		d.Mode = u.Host
	}
	return d
}

// Decide appends what whoever asks decided, about a task ("" for none). It is called before that
// is done: what cannot be recorded must not be.
func (l *Log) Decide(ctx context.Context, id string, d Decision) error {
	if err := l.Append(Decided(ctx, id, d)); err != nil {
		return problem.NotRecorded(err)
	}
	return nil
}

// Decided is the record of what whoever asks decided.
func Decided(ctx context.Context, id string, d Decision) Record {
	d.By = cmp.Or(d.By, By(ctx))
	return Record{Event: EventDecision, Task: id, Client: task.ClientOf(ctx), Door: task.DoorOf(ctx), Request: task.RequestID(ctx), Decision: d}
}
