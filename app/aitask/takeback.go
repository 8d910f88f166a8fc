package aitask

import (
	"errors"
	"slices"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/problem"
	"piwork/app/task"
)

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

// Withdraw takes a message off those that wait in the record of a task that is over. One that
// the agent heard, or that the task began with, is a conflict.
func Withdraw(t *task.Task, message string) error {
	if !canTakeBack(*t, message) {
		return heard(t.ID, message)
	}
	without(t, message)
	return nil
}

// TakeBack takes a message back from a task that runs, or waits for its end: then
// its record says what was heard.
func (c *Conversation) TakeBack(message string) (task.Task, <-chan struct{}, error) {
	r := &c.agent
	r.talk.Lock() // what the agent was not given stays so, and what it was is in order
	defer r.talk.Unlock()
	r.mu.Lock()
	s, told, over := r.session, r.told[message], r.over || c.o.Context.Err() != nil
	r.mu.Unlock()
	c.o.Settle() // of what was heard
	switch {
	case over:
		return task.Task{}, c.o.Done, nil
	case !canTakeBack(*c.o.Last(), message):
		return task.Task{}, nil, heard(c.o.ID, message)
	case told && s == nil: // the agent is going
		return task.Task{}, c.o.Done, nil
	case told:
		if err := c.unqueue(s); err != nil {
			if errors.Is(err, agent.ErrEnded) || c.o.Context.Err() != nil {
				return task.Task{}, c.o.Done, nil
			}
			return task.Task{}, nil, err
		}
	}
	waits := !r.was(message)
	t, err := *c.o.Last(), error(nil)
	if waits {
		t, err = c.o.Update(func(t *task.Task) { without(t, message) })
	}
	if told { // what else waited waits again, in the same order
		if again := c.give(c.o.Context, s); again != nil {
			c.o.Log.Info("a message did not reach the agent again", "error", again)
		}
	}
	if err == nil && !waits {
		err = heard(c.o.ID, message)
	}
	return t, nil, err
}

// unqueue takes all messages back that the agent was given and has not heard. Of
// each kind it hears one after the other, so they are the last ones.
func (c *Conversation) unqueue(s program.Session) error {
	steering, followUp, err := s.Unqueue(c.o.Context)
	if err != nil {
		return err
	}
	c.o.Settle() // of what was heard before that
	for _, p := range slices.Backward(c.o.Last().AI.Pending) {
		left := &steering
		if p.How == "followUp" {
			left = &followUp
		}
		if *left > 0 && c.agent.was(p.ID) {
			*left--
			c.agent.putBack(p.ID)
		}
	}
	return nil
}
