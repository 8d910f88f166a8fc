package aitask

import (
	"cmp"
	"context"
	"errors"

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

// ModelChoice is the model of a task and how long it thinks; what is empty stays as it is.
type ModelChoice struct {
	Model    string // "<provider>/<model>"
	Thinking string
}

// Apply changes a record and says what is different then.
func (r ModelChoice) Apply(t *task.AI) map[string]any {
	params := map[string]any{}
	if r.Model != "" && r.Model != t.Model {
		t.Model, params["model"] = r.Model, r.Model
	}
	if r.Thinking != "" && r.Thinking != t.Thinking {
		t.Thinking, params["thinking"] = r.Thinking, r.Thinking
	}
	return params
}

// TunedNotice says it in the timeline; a session at work says so itself.
func TunedNotice(params map[string]any) task.NoticeData {
	return task.NoticeData{Code: agent.NoticeModel, Params: params}
}

// Tune changes a task that runs. Where that has to wait for something, it says for
// what; nothing is changed then.
func (c *Conversation) Tune(ctx context.Context, r ModelChoice) (task.Task, <-chan struct{}, error) {
	run := &c.agent
	run.talk.Lock() // the AI program is started with what the record says, or is told
	defer run.talk.Unlock()
	run.mu.Lock()
	s, over := run.session, run.over || c.o.Context.Err() != nil
	run.mu.Unlock()
	now := c.o.Last()
	switch {
	case over:
		return task.Task{}, c.o.Done, nil
	case r.Model != "" && models.ProviderOf(r.Model) != models.ProviderOf(now.AI.Model):
		p := problem.New(problem.CodeTaskRunning).With("task", c.o.ID).By(CauseProvider)
		return task.Task{}, nil, p
	case run.laid && s == nil: // it starts just now
		return task.Task{}, run.opened, nil
	}
	next := *now.AI
	params := r.Apply(&next)
	// A change that nobody waits for may still be made: whoever wants the record's model says so again.
	asked := run.asked.Load()
	back := asked != nil && *asked != r.Model && r.Model == now.AI.Model
	if len(params) == 0 && !back {
		return *now, nil, nil
	}
	other := (back || next.Model != now.AI.Model) && run.gate != nil
	if other {
		run.gate.AddModel(next.Model) // until the AI program has changed over
	}
	took, failed := r, error(nil)
	if s != nil {
		took, failed = c.retune(ctx, s, r, *now.AI, other)
	}
	switch {
	case errors.Is(failed, agent.ErrEnded):
		return task.Task{}, c.o.Done, nil
	case took == ModelChoice{}:
		return task.Task{}, nil, failed
	}
	t, err := c.o.Update(func(t *task.Task) { took.Apply(t.AI) })
	if err == nil {
		if other {
			run.gate.ReplaceModel(next.Model, c.runOf(s))
		}
		if s == nil {
			c.o.Record(task.EventNotice, TunedNotice(params))
		}
		// The session's own notice may have come before the record was written.
		c.o.Tell(task.EventState, task.StateData{State: t.State, Error: t.Error})
	}
	return t, nil, cmp.Or(failed, err)
}

// runOf is closed when the run of a session ends whose AI program asks another model from its next
// turn on: nobody knows when that begins. nil for pi, which asks it at once.
func (c *Conversation) runOf(s program.Session) <-chan struct{} {
	by, _ := program.Find(c.o.Last().AI.Program) // what it is started with was made of it
	if s == nil || by.Own() {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.Wait(c.o.Context) // why it ends the task says
	}()
	return ended
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

// retune tells the session, of the model if it is another, and returns what it took of r. ctx ends
// it, and the end of the task. The AI program may still change to a model that nobody waits for any
// more: unless it refused that, the model stays allowed, and adopt writes it to the record.
func (c *Conversation) retune(ctx context.Context, s program.Session, r ModelChoice, now task.AI, other bool) (took ModelChoice, err error) {
	next := now
	r.Apply(&next)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.o.Context, func() { cancel(agent.ErrEnded) })()
	if other {
		before := c.agent.asked.Swap(&next.Model)
		err = s.SetModel(ctx, next.Model)
		if refused, ok := errors.AsType[*agent.CommandError](err); ok {
			c.agent.asked.Store(before)
			if next.Model != now.Model {
				c.agent.gate.DropModel(next.Model)
			}
			p := problem.New(problem.CodeTaskRunning).With("task", c.o.ID).With("model", next.Model).By(CauseModel)
			p.Details = refused.Text
			return took, p
		}
		if err == nil {
			took.Model = next.Model
		}
	}
	// Another model may have brought another level with it.
	if err == nil && next.Thinking != "" {
		if err = s.SetThinking(ctx, next.Thinking); err == nil {
			took.Thinking = r.Thinking
			var st agent.State
			st, err = s.State(ctx)
			if other := otherThinking(next.Thinking, st.Thinking); other != nil {
				c.o.Record(task.EventNotice, TunedNotice(other))
			}
		}
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return took, err
}

// adopt writes a model to the record that the AI program says it changed to, where it was told to,
// and allows the one before no longer than Tune does.
func (c *Conversation) adopt(n task.NoticeData) {
	if m := c.agent.asked.Load(); m != nil && n.Code == agent.NoticeModel && n.Params["model"] == *m {
		c.o.Later(func(t *task.Task) { t.AI.Model = *m })
		c.agent.gate.ReplaceModel(*m, c.runOf(c.Session()))
	}
}
