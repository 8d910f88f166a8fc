package app

import (
	"context"
	"errors"
	"slices"

	"piwork/app/agent"
	"piwork/app/problem"
	"piwork/app/task"
)

// TakeBack takes back a message that waits to be heard; see Service.
func (c *Controller) TakeBack(ctx context.Context, id, message string) (task.Task, error) {
	for {
		l := c.liveTask(id)
		if l == nil {
			return c.takeBackOver(ctx, id, message)
		}
		if l.req.Kind != task.KindAI {
			return task.Task{}, notTold(id)
		}
		t, live, err := l.takeBack(message)
		if err != nil {
			return task.Task{}, problem.From(err)
		}
		if live {
			return t, nil
		}
		select { // it ends just now; then its record says what was heard
		case <-l.done:
		case <-ctx.Done():
			return task.Task{}, problem.From(context.Cause(ctx))
		}
	}
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
func (c *Controller) takeBackOver(ctx context.Context, id, message string) (task.Task, error) {
	release, err := c.hold(ctx, id)
	if err != nil {
		return task.Task{}, err
	}
	defer release()
	t, err := c.store.Get(id)
	if err != nil {
		return task.Task{}, taskProblem(id, err)
	}
	if t.Kind != task.KindAI {
		return task.Task{}, notTold(id)
	}
	if !canTakeBack(t, message) {
		return task.Task{}, heard(id, message)
	}
	t, err = c.store.Update(id, func(t *task.Task) error {
		without(t, message)
		return nil
	})
	if err != nil {
		return task.Task{}, taskProblem(id, err)
	}
	return t, nil
}

// takeBack takes a message back from a task that runs; false says that it ends
// just now.
func (l *liveTask) takeBack(message string) (task.Task, bool, error) {
	r := &l.agent
	r.talk.Lock() // what the agent was not given stays so, and what it was is in order
	defer r.talk.Unlock()
	r.mu.Lock()
	s, told, over := r.session, r.told[message], r.over || l.ctx.Err() != nil
	r.taking = !over && told && s != nil
	r.mu.Unlock()
	defer r.took()
	l.notes.wait() // of what was heard
	switch {
	case over:
		return task.Task{}, false, nil
	case !canTakeBack(*l.last.Load(), message):
		return task.Task{}, true, heard(l.id, message)
	case told && s == nil: // the agent is going
		return task.Task{}, false, nil
	case told:
		if err := l.unqueue(s); err != nil {
			if errors.Is(err, agent.ErrEnded) {
				return task.Task{}, false, nil
			}
			return task.Task{}, true, err
		}
	}
	waits := !r.was(message)
	t, err := *l.last.Load(), error(nil)
	if waits {
		t, err = l.update(func(t *task.Task) { without(t, message) })
	}
	if told { // what else waited waits again, in the same order
		if again := l.give(l.ctx, s); again != nil {
			l.c.log.Info("a message did not reach the agent again", "task", l.id, "error", again)
		}
	}
	if err == nil && !waits {
		err = heard(l.id, message)
	}
	return t, true, err
}

// unqueue takes all messages back that the agent was given and has not heard. Of
// each kind it hears one after the other, so they are the last ones.
func (l *liveTask) unqueue(s *agent.Session) error {
	steering, followUp, err := s.Unqueue(l.ctx)
	if err != nil {
		return err
	}
	l.notes.wait() // of what was heard before that
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
