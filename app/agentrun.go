package app

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/app/agent"
	"piwork/app/gateway"
	"piwork/app/gateway/provider"
	"piwork/app/task"
)

// stderrKept is how much of what the AI program writes beside is kept, in bytes.
const stderrKept = 8 << 10

// agentRun is the agent of a task as others reach it.
type agentRun struct {
	talk   sync.Mutex       // held while messages are given to the session or taken back, or its model changes; before mu
	gate   *gateway.Session // what it may ask of models; guarded by talk
	laid   bool             // what the session starts with is decided; guarded by talk
	opened chan struct{}    // closed when there is a session for the first time

	mu      sync.Mutex
	session *agent.Session                   // that takes messages; nil while there is none
	told    map[string]bool                  // pending messages that the session was given, by id
	heard   map[string]bool                  // those of them that it said it has
	taking  bool                             // messages are taken back, and some of them given again
	over    bool                             // the task takes no more messages before its end
	failure atomic.Pointer[gateway.Error]    // the last, of a model
	tail    tail                             // of what the program wrote to stderr
	models  atomic.Pointer[[]provider.Model] // that pi was told of
	stopped bool                             // its last run was ended by the person; of the task's goroutine
}

func (r *agentRun) open(s *agent.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		close(r.opened)
	}
	r.session = s
}

// finish reports that no message waits, and takes none from then on.
func (r *agentRun) finish(pending func() []task.Pending) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taking {
		return false
	}
	for _, p := range pending() {
		if !r.told[p.ID] {
			return false
		}
	}
	r.over, r.session = true, nil
	return true
}

func (r *agentRun) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over, r.session = true, nil
}

// take reports whether a message is to be given to the agent, once.
func (r *agentRun) take(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[id] {
		return false
	}
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[id] = true
	return true
}

// putBack says that the agent was not given a message after all.
func (r *agentRun) putBack(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.told, id)
}

// was reports whether the agent may have a message.
func (r *agentRun) was(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[id]
}

// hears reports whether the agent may have a message and was not said to have it yet.
func (r *agentRun) hears(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.told[id] || r.heard[id] {
		return false
	}
	if r.heard == nil {
		r.heard = map[string]bool{}
	}
	r.heard[id] = true
	return true
}

// all says that the agent may have every message that waits, none that it has none.
func (r *agentRun) all(list []task.Pending) {
	for _, p := range list {
		r.take(p.ID)
	}
}

func (r *agentRun) none() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = nil
}

// tail is the end of what was written.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) add(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data...)
	if n := len(t.data) - stderrKept; n > 0 {
		t.data = slices.Delete(t.data, 0, n)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.data), "\uFFFD")
}
