package tasks

import (
	"context"
	"errors"
	"slices"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
)

// CauseProvider is the problem.Problem.Cause of a model that a task at work cannot
// change to: its machine reaches one provider.
const CauseProvider = "provider"

// CauseModel is the cause of a model that the AI program of a task at work was not
// told of when it started. It reads its list of models only then.
const CauseModel = "model"

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
		func(l *Live) (task.Task, <-chan struct{}, error) { return l.ai.tune(ctx, r) },
		func() (task.Task, error) { return c.tuneOver(ctx, id, r) })
}

// tuned changes a record and says what is different then.
func (r TaskModelRequest) tuned(t *task.AI) map[string]any {
	params := map[string]any{}
	if r.Model != "" && r.Model != t.Model {
		t.Model, params["model"] = r.Model, r.Model
	}
	if r.Thinking != "" && r.Thinking != t.Thinking {
		t.Thinking, params["thinking"] = r.Thinking, r.Thinking
	}
	return params
}

// tunedNotice says it in the timeline; a session at work says so itself.
func tunedNotice(params map[string]any) task.NoticeData {
	return task.NoticeData{Code: agent.NoticeModel, Params: params}
}

// tuneOver changes the record of a task that is over: it goes on with it.
func (c *conversations) tuneOver(ctx context.Context, id string, r TaskModelRequest) (task.Task, error) {
	var params map[string]any
	return c.editOver(ctx, id, func(t *task.Task) error {
		params = r.tuned(t.AI)
		return nil
	}, func() {
		if len(params) > 0 {
			c.o.Registry.Record(id, task.EventNotice, tunedNotice(params))
		}
	})
}

// tune changes a task that runs. Where that has to wait for something, it says for
// what; nothing is changed then.
func (l *conversation) tune(ctx context.Context, r TaskModelRequest) (task.Task, <-chan struct{}, error) {
	run := &l.agent
	run.talk.Lock() // the AI program is started with what the record says, or is told
	defer run.talk.Unlock()
	run.mu.Lock()
	s, over := run.session, run.over || l.ctx.Err() != nil
	run.mu.Unlock()
	now := l.last.Load()
	switch {
	case over:
		return task.Task{}, l.done, nil
	case r.Model != "" && models.ProviderOf(r.Model) != models.ProviderOf(now.AI.Model):
		p := problem.New(problem.CodeTaskRunning).With("task", l.id).By(CauseProvider)
		return task.Task{}, nil, p
	case run.laid && s == nil: // it starts just now
		return task.Task{}, run.opened, nil
	}
	next := *now.AI
	params := r.tuned(&next)
	if len(params) == 0 {
		return *now, nil, nil
	}
	if run.gate != nil {
		run.gate.SetModels(now.AI.Model, next.Model) // what is asked already is asked to its end
	}
	if s != nil {
		if err := l.retune(ctx, s, *now.AI, next); err != nil {
			run.gate.SetModels(now.AI.Model)
			if errors.Is(err, agent.ErrEnded) {
				return task.Task{}, l.done, nil
			}
			return task.Task{}, nil, err
		}
	}
	t, err := l.update(func(t *task.Task) { r.tuned(t.AI) })
	if err == nil {
		if s == nil {
			l.Record(task.EventNotice, tunedNotice(params))
		}
		// The session's own notice may have come before the record was written.
		l.Tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
	}
	return t, nil, err
}

// otherThinking is what a notice of a model says when it does not think as long as
// the person chose: pi takes the nearest level that a model has, off where it is not
// known to think.
func otherThinking(wanted, has string) map[string]any {
	if wanted == "" || has == "" || has == wanted {
		return nil
	}
	return map[string]any{"thinking": has, paramWanted: wanted}
}

// paramWanted is the level that was chosen, in task.NoticeData.Params.
const paramWanted = "wanted"

// retune tells the session. ctx ends it, and the end of the task.
func (l *conversation) retune(ctx context.Context, s program.Session, now, next task.AI) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(agent.ErrEnded) })()
	var err error
	if next.Model != now.Model {
		err = s.SetModel(ctx, next.Model)
		if refused, ok := errors.AsType[*agent.CommandError](err); ok {
			p := problem.New(problem.CodeTaskRunning).With("task", l.id).With("model", next.Model).By(CauseModel)
			p.Details = refused.Text
			return p
		}
	}
	// Another model may have brought another level with it.
	if err == nil && next.Thinking != "" {
		if err = s.SetThinking(ctx, next.Thinking); err == nil {
			var st agent.State
			st, err = s.State(ctx)
			if other := otherThinking(next.Thinking, st.Thinking); other != nil {
				l.Record(task.EventNotice, tunedNotice(other))
			}
		}
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
