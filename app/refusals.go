package app

import (
	"errors"
	"sync"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/vmhost"
)

// Bounds of what one task may ask while it runs. Whoever is asked often enough says yes
// in the end: after them everything else is refused.
const (
	maxAsked  = 500 // questions
	maxDenied = 20  // of them, that were answered with no
)

// topicRest is the topic of the decision to refuse everything else in a task.
const topicRest = "rest"

// refusals is how often a task was told no.
type refusals struct {
	once sync.Once // says that everything else is refused

	mu   sync.Mutex
	n    int
	rest bool
}

// denied counts a no.
func (r *refusals) denied() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
}

// all reports whether everything is refused of a task that asked so often before.
func (r *refusals) all(asked int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rest || r.n >= maxDenied || asked >= maxAsked
}

// refuseRest refuses everything else that the task asks while it runs, what it asks now
// first.
func (l *liveTask) refuseRest(by string) error {
	err := l.c.audit.Append(audit.Record{Event: audit.EventDecision, Task: l.id, Topic: topicRest,
		Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeTask, By: by})
	if err != nil {
		return auditProblem(err)
	}
	l.refusals.mu.Lock()
	l.refusals.rest = true
	l.refusals.mu.Unlock()
	for _, q := range l.c.desk.Open(l.id) {
		_, err := l.c.desk.Answer(l.id, q.ID, approval.Answer{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: by})
		if err != nil && !errors.Is(err, approval.ErrNotOpen) {
			return problem.From(err)
		}
	}
	return nil
}
