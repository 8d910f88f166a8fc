package tasks

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"piwork/app/consent"
	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Sessions are programs that people keep in the places of tasks.
type Sessions interface {
	// Stay returns when a task with nothing else to do is to end.
	Stay(ctx context.Context, task string) error
	// EndTask ends those of a task, and returns when nothing of them runs.
	EndTask(task string)
}

// room is the place of a task while people can have sessions in it.
type room struct {
	mu          sync.Mutex
	environment *environment
	open        chan struct{} // closed when there is one
	once        sync.Once
}

// lend lets people have sessions in b. Whoever closes b calls the returned function first.
func (r *room) lend(b *environment) (end func()) {
	r.mu.Lock()
	r.environment = b
	r.mu.Unlock()
	r.once.Do(func() { close(r.open) })
	return func() {
		r.mu.Lock()
		r.environment = nil
		r.mu.Unlock()
		b.l.c.o.Kinds.Sessions.EndTask(b.l.id)
	}
}

// lent is a place as sessions have it.
type lent struct{ b *environment }

// Execute implements sessions.Place: it is in the audit log as all that runs.
func (p lent) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	return p.b.Execute(consent.InSession(ctx), a)
}

// Capabilities implements sessions.Place.
func (p lent) Capabilities() vmhost.Capabilities { return p.b.rt.Capabilities() }

// Records implements sessions.Place: commands of a shell are in the audit log as what is executed
// by itself, for who asks for them.
func (p lent) Records(ctx context.Context, id string, argv []string) (ended func(wire.ExecResult) error, err error) {
	log := p.b.l.c.o.Audit
	x := executionOf(ctx, p.b.l, id)
	if err := log.Append(x.Begin(log.Key, p.b.place(), vmhost.Action{Exec: &wire.ExecParams{Argv: argv}})); err != nil {
		return nil, problem.NotRecorded(err)
	}
	return func(r wire.ExecResult) error {
		if err := log.Append(x.End(vmhost.Observation{Exec: &r}, nil)); err != nil {
			return problem.NotRecorded(err)
		}
		return nil
	}, nil
}

// PlaceOf is where a task works, for sessions. It waits until that is ready.
func (c *Runner) PlaceOf(ctx context.Context, id string) (sessions.Place, error) {
	none := problem.New(problem.CodeNoSessions).With("task", id)
	l := c.Live(id)
	if l == nil {
		if _, err := c.o.Registry.Task(id); err != nil {
			return nil, err
		}
		return nil, none
	}
	if l.req.Kind != task.KindExec && (l.req.Kind != task.KindAI || l.req.Chore != "") {
		return nil, none
	}
	select {
	case <-l.room.open:
	case <-l.done:
		select {
		case <-l.room.open: // how the task ended is nothing of its place
			return nil, none
		default:
		}
		if t, err := c.o.Registry.Task(id); err == nil && t.Error != nil {
			return nil, t.Error // why there will be none
		}
		return nil, none
	case <-ctx.Done():
		return nil, problem.From(context.Cause(ctx))
	}
	l.room.mu.Lock()
	defer l.room.mu.Unlock()
	if l.room.environment == nil {
		return nil, none
	}
	if err := task.MaySteer(ctx, l.room.environment.rt.Capabilities().Isolation); err != nil { // where it works was not known before
		return nil, err
	}
	return lent{l.room.environment}, nil
}

// KeepFile makes a file beside the results of a task one of them, and returns its name. A task
// that is over gets no results any more: its name is "" then.
func KeepFile(c *Runner, id, file, name string) (string, error) {
	l := c.Live(id)
	if l == nil {
		return "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	name, err = nameResult(file, filepath.Dir(file), filename.Plain(name, "output.txt"), 0) // each command has a file of its own
	if err != nil {
		return "", err
	}
	l.addResults([]task.Result{{Path: name, Size: info.Size()}})
	return name, nil
}
