package tasks

import (
	"context"
	"errors"

	"piwork/app/agent"
	"piwork/app/agent/program"
	"piwork/app/problem"
	"piwork/app/task"
)

// compactingNotice is the NoticeData.Code of a task whose older messages are
// replaced by a summary because the person wants it.
const compactingNotice = "compacting"

// resting is what an AI task was before it works on something that changes nothing
// of that.
type resting struct {
	state task.State
	why   *problem.Problem
}

// CompactTask has a task that is over replace its older messages by a summary,
// which the model writes; it goes on for that, and is then as it was. Where there
// is nothing to summarise, its timeline says so. One that is at work is a conflict:
// it does so by itself when its conversation gets too long. Detached, it does not
// end with the caller.
// pi would break off what it does for it, so it is for tasks that are over.
func (c *conversations) CompactTask(ctx context.Context, id string, detached bool) (task.Task, error) {
	return c.goOn(ctx, id, goingOn{detached: detached, compact: true})
}

// compact has the session make the summary. What hinders it the session says in the
// timeline, and the task is as it was. It reports whether a message came meanwhile,
// for which the task goes on.
func (l *conversation) compact(ctx context.Context, s program.Session) (more bool, err error) {
	before := l.last.Load().AI.Pending
	err = s.Compact(ctx)
	if refused, ok := errors.AsType[*agent.CommandError](err); ok {
		l.c.o.Log.Info("the messages of a task were not summarised", "task", l.id, "error", refused.Text)
		err = nil
	}
	if err != nil {
		return false, err
	}
	r := &l.agent
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := l.last.Load().AI.Pending; len(now) > 0 && (len(before) == 0 || now[len(now)-1].ID != before[len(before)-1].ID) {
		return true, nil
	}
	r.over = true
	return false, nil
}
