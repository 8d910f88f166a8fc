package consent

import (
	"context"
	"errors"
	"slices"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
)

// What a person accepted of what AIs were refused stands in their rules as exceptions. They
// are grants as decisions are: one sees them, and takes them back.

// gone reports whether an exception is for a task that there is no more.
func (w *Written) gone(x policy.RuleException) bool {
	if x.Task == "" {
		return false
	}
	_, err := w.c.o.Store.Get(x.Task)
	return errors.Is(err, task.ErrNotFound)
}

// Exceptions lists the exceptions of the person's rules.
func (w *Written) Exceptions(context.Context) ([]policy.RuleException, error) {
	w.Fresh()
	return w.Engine.Exceptions(w.gone), nil
}

// RemoveException takes an exception back: its rule is what it was without it. One that was
// changed by hand stays.
func (w *Written) RemoveException(ctx context.Context, id string) error {
	_, done, err := w.c.o.Registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	w.proposals.mu.Lock()
	defer w.proposals.mu.Unlock()
	all := w.Engine.Exceptions(w.gone)
	i := slices.IndexFunc(all, func(x policy.RuleException) bool { return x.ID == id })
	changed := problem.New(problem.CodeExceptionChanged).With("path", w.Rules().Files()[1].Path)
	if i < 0 {
		return changed
	}
	x := all[i]
	if changed = changed.With("rule", x.Rule); x.Edited {
		return changed
	}
	about := audit.Decision{Topic: "policy/exception", Answer: "revoked", Rule: "yours/" + x.Rule, Folder: w.c.o.Audit.Digest(x.Cedar)}
	if err := w.c.o.Audit.Append(Record(WhoOf(ctx), x.Task, about)); err != nil {
		return problem.NotRecorded(err)
	}
	switch err := w.TakeBack(id, w.gone); {
	case errors.Is(err, policy.ErrNoException):
		return changed.Because(err)
	case err != nil:
		return unwritten(err)
	}
	if w.proposals.file == nil {
		return nil
	}
	if err := w.proposals.set(w.again(w.proposals.now().List)); err != nil {
		return problem.From(err)
	}
	return nil
}

// goneTurns is how often it is looked for ended exceptions until it is looked for those of tasks
// that there are no more, too: their records are on the disk.
const goneTurns = 30

// expire removes exceptions that have ended from the person's file. Tasks that live follow it as
// they do any change of the rules: connections that an exception let through end with it.
func (w *Written) expire(turn int) {
	w.proposals.mu.Lock()
	defer w.proposals.mu.Unlock()
	var other policy.Ended
	if turn%goneTurns == 0 {
		other = w.gone
	}
	list, err := w.Expire(other)
	if err != nil && !errors.Is(err, policy.ErrChanged) { // somebody writes the file: then the next time
		w.c.o.Log.Error("exceptions that have ended could not be removed", "error", err)
	}
	for _, x := range list {
		about := audit.Decision{Topic: "policy/exception", Answer: "expired", Rule: "yours/" + x.Rule, Folder: w.c.o.Audit.Digest(x.Cedar)}
		if err := w.c.o.Audit.Append(Record(approval.Who{By: "default"}, x.Task, about)); err != nil {
			w.c.o.Log.Error("the end of an exception could not be recorded", "error", err)
		}
	}
	if len(list) == 0 || w.proposals.file == nil {
		return
	}
	if err := w.proposals.set(w.again(w.proposals.now().List)); err != nil {
		w.c.o.Log.Error("proposals could not be made anew", "error", err)
	}
}
