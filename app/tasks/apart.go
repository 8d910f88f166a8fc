package tasks

import (
	"context"

	"piwork/app/consent"
	"piwork/app/task"
	"piwork/app/telemetry"
)

// ask notes in a request who asks. What a client asks for is kept apart.
func (r *StartRequest) ask(ctx context.Context) {
	r.asked, r.by, r.Requires = telemetry.OriginOf(ctx), consent.WhoOf(ctx), task.RequireApart(ctx, r.Requires)
}

// maySteer returns an error where a client asks, and a task is not kept apart, or may come not
// to be: where its place is not chosen yet, what it requires of it counts. So it does for one that
// has MCP servers of the person.
func maySteer(ctx context.Context, l *Live) error {
	if t := l.last.Load(); t.AI != nil && t.AI.Servers {
		return task.MaySteer(ctx, "") // whoever steers it uses them
	}
	in := l.gate.Isolation()
	if in == "" && l.req.Requires != nil {
		in = l.req.Requires.AtLeast
	}
	return task.MaySteer(ctx, in)
}

// requireApart has the record of a task that a client tells something, or has go on, require that
// the task is kept apart, also where the person has it go on later. A record without Asked is older
// than that member and stays as it is: the requirement then holds for this run alone.
func requireApart(ctx context.Context, t *task.Task) {
	if task.ClientOf(ctx) == "" || t.Asked == nil {
		return
	}
	a := *t.Asked
	a.Requires = task.RequireApart(ctx, a.Requires)
	t.Asked = &a
}
