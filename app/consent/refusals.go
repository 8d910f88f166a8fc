package consent

import (
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
	MaxDenied = 20  // of them, that were answered with no
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
	return r.rest || r.n >= MaxDenied || asked >= maxAsked
}

// RefuseRest refuses everything else that the task asks while it runs, what it asks now
// first.
func (g *Gate) RefuseRest(by approval.Who) error {
	err := g.c.o.Audit.Append(Record(by, g.id, audit.Decision{Topic: topicRest, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeTask}))
	if err != nil {
		return problem.NotRecorded(err)
	}
	g.refusals.mu.Lock()
	g.refusals.rest = true
	g.refusals.mu.Unlock()
	return g.c.Refuse(g.id, by)
}
