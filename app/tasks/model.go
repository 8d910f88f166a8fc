package tasks

import (
	"context"
	"slices"

	"piwork/app/agent/program"
	"piwork/app/aitask"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
)

// SetTaskModel changes the model of a task and how long it thinks: at once where it
// is at work, and for whenever it goes on. At work it cannot change to a model of
// another provider, which is a conflict then. Its budget holds.
func (c *conversations) SetTaskModel(ctx context.Context, id string, r TaskModelRequest) (task.Task, error) {
	switch {
	case r.Model == "" && r.Thinking == "":
		return task.Task{}, problem.BadRequest("model", "neither a model nor how long it thinks is named")
	case !slices.Contains(levels, r.Thinking):
		return task.Task{}, problem.BadRequest("thinking", "%q is not a choice", r.Thinking)
	}
	if r.Model != "" {
		if _, err := c.o.Models.ModelFor(ctx, r.Model); err != nil {
			return task.Task{}, err
		}
	}
	if t, err := c.o.Store.Get(id); err == nil && t.AI != nil {
		if by, _ := program.Find(t.AI.Program); r.Thinking != "" && !by.Thinks {
			return task.Task{}, problem.BadRequest("thinking", "%s decides itself how long it thinks", by.Title)
		}
		if err := usable(ctx, c.o.Models, t.AI.Program, r.Model); err != nil {
			return task.Task{}, err
		}
	}
	return c.reach(ctx, id,
		func(l *Live) (task.Task, <-chan struct{}, error) { return l.ai.Tune(ctx, aitask.ModelChoice(r)) },
		func() (task.Task, error) { return c.tuneOver(ctx, id, r) })
}

// tuneOver changes the record of a task that is over: it goes on with it.
func (c *conversations) tuneOver(ctx context.Context, id string, r TaskModelRequest) (task.Task, error) {
	var params map[string]any
	return c.editOver(ctx, id, func(t *task.Task) error {
		params = aitask.ModelChoice(r).Apply(t.AI)
		return nil
	}, func() {
		if len(params) > 0 {
			c.o.Registry.Record(id, task.EventNotice, aitask.TunedNotice(params))
		}
	})
}

// usable is the problem of a model that an AI program cannot use.
func usable(ctx context.Context, access *models.Access, name, model string) error {
	by, ok := program.Find(name)
	if !ok || by.Own() || model == "" { // what is no program the request says
		return nil
	}
	plain, err := access.Plain(ctx, models.ProviderOf(model))
	if err == nil && !plain {
		err = problem.New(problem.CodeAgentModel).With("agent", by.Title).With("model", model)
	}
	if err != nil {
		return problem.From(err)
	}
	return nil
}
