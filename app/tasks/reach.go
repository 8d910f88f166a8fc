package tasks

import (
	"context"

	"piwork/app/agent"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
)

// reach has something done to an AI task: by live to one that runs, by over to one
// that does not. Where live returns what it waits for, it has done nothing, and is
// asked again when that is done or the task has ended.
func (c *conversations) reach(ctx context.Context, id string, live func(*Live) (task.Task, <-chan struct{}, error), over func() (task.Task, error)) (task.Task, error) {
	for {
		l := c.r.Live(id)
		if l == nil {
			t, err := over()
			if p := problem.From(err); p != nil && p.Code == problem.CodeTaskRunning && ctx.Err() == nil {
				continue // another message had it go on meanwhile
			}
			return t, err
		}
		if l.req.Kind != task.KindAI {
			return task.Task{}, notResumable(id, ResumeOver)
		}
		if err := maySteer(ctx, l); err != nil {
			return task.Task{}, err
		}
		t, wait, err := live(l)
		if err != nil {
			return task.Task{}, agent.Problem(err)
		}
		if wait == nil {
			return t, nil
		}
		select {
		case <-wait:
		case <-l.done:
		case <-ctx.Done():
			return task.Task{}, problem.From(context.Cause(ctx))
		}
	}
}

// editOver changes the record of an AI task that is over, unless edit refuses. The
// task is held meanwhile, and while then tells of it; then may be nil.
func (c *conversations) editOver(ctx context.Context, id string, edit func(*task.Task) error, then func()) (task.Task, error) {
	t, release, err := c.o.Registry.HoldTask(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	defer release()
	if t.Kind != task.KindAI || t.AI == nil {
		return task.Task{}, notResumable(id, ResumeOver)
	}
	t, err = c.o.Store.Update(id, edit)
	if err != nil {
		return task.Task{}, registry.Problem(id, err)
	}
	if then != nil {
		then()
	}
	return t, nil
}
