package tasks

import (
	"context"
	"errors"
	"slices"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/problem"
	"piwork/app/task"
)

// TakeBack takes back a message that the agent has not heard yet, by its id
// (task.Pending). One that it has, or that the task began with, is a conflict.
func (c *conversations) TakeBack(ctx context.Context, id, message string) (task.Task, error) {
	return c.reach(ctx, id,
		func(l *Live) (task.Task, <-chan struct{}, error) { return l.ai.takeBack(message) },
		func() (task.Task, error) { return c.takeBackOver(ctx, id, message) })
}

// heard says that a message does not wait any more.
func heard(id, message string) error {
	return problem.New(problem.CodeMessageHeard).With("task", id).With("message", message)
}

// canTakeBack reports whether a message waits that is not what the task is for.
func canTakeBack(t task.Task, message string) bool {
	return t.AI != nil && slices.ContainsFunc(t.AI.Pending, func(p task.Pending) bool { return p.ID == message && p.How != "prompt" })
}

// without takes a message off those that wait.
func without(t *task.Task, message string) {
	t.AI.Pending = slices.DeleteFunc(slices.Clone(t.AI.Pending), func(p task.Pending) bool { return p.ID == message })
}

// takeBackOver takes a message back that a task which is over did not get to.
func (c *conversations) takeBackOver(ctx context.Context, id, message string) (task.Task, error) {
	return c.editOver(ctx, id, func(t *task.Task) error {
		if !canTakeBack(*t, message) {
			return heard(id, message)
		}
		without(t, message)
		return nil
	}, nil)
}

// takeBack takes a message back from a task that runs, or waits for its end: then
// its record says what was heard.
func (l *conversation) takeBack(message string) (task.Task, <-chan struct{}, error) {
	r := &l.agent
	r.talk.Lock() // what the agent was not given stays so, and what it was is in order
	defer r.talk.Unlock()
	r.mu.Lock()
	s, told, over := r.session, r.told[message], r.over || l.ctx.Err() != nil
	r.taking = !over && told && s != nil
	r.mu.Unlock()
	defer r.took()
	l.notes.Wait() // of what was heard
	switch {
	case over:
		return task.Task{}, l.done, nil
	case !canTakeBack(*l.last.Load(), message):
		return task.Task{}, nil, heard(l.id, message)
	case told && s == nil: // the agent is going
		return task.Task{}, l.done, nil
	case told:
		if err := l.unqueue(s); err != nil {
			if errors.Is(err, agent.ErrEnded) || l.ctx.Err() != nil {
				return task.Task{}, l.done, nil
			}
			return task.Task{}, nil, err
		}
	}
	waits := !r.was(message)
	t, err := *l.last.Load(), error(nil)
	if waits {
		t, err = l.update(func(t *task.Task) { without(t, message) })
	}
	if told { // what else waited waits again, in the same order
		if again := l.give(l.ctx, s); again != nil {
			l.c.o.Log.Info("a message did not reach the agent again", "task", l.id, "error", again)
		}
	}
	if err == nil && !waits {
		err = heard(l.id, message)
	}
	return t, nil, err
}

// unqueue takes all messages back that the agent was given and has not heard. Of
// each kind it hears one after the other, so they are the last ones.
func (l *conversation) unqueue(s program.Session) error {
	steering, followUp, err := s.Unqueue(l.ctx)
	if err != nil {
		return err
	}
	l.notes.Wait() // of what was heard before that
	for _, p := range slices.Backward(l.last.Load().AI.Pending) {
		left := &steering
		if p.How == "followUp" {
			left = &followUp
		}
		if *left > 0 && l.agent.was(p.ID) {
			*left--
			l.agent.putBack(p.ID)
		}
	}
	return nil
}

// took says that messages are no longer taken back.
func (r *agentRun) took() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taking = false
}
