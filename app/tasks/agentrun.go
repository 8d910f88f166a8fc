package tasks

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/app/agent/program"
	"piwork/app/gateway"
	"piwork/app/gateway/provider"
	"piwork/app/task"
	"piwork/app/tasks/agentlog"
)

// stderrKept is how many bytes of the AI program's stderr are kept, the last ones.
const stderrKept = 8 << 10

// conversation is what an AI task has beside every other task: its agent, and how it
// goes on.
type conversation struct {
	*Live
	agent        agentRun
	lines        agentlog.Lines // of the agent, for those who follow them
	resumePrompt bool           // the agent is told to go on; set before the task runs
	compacts     bool           // it goes on to have its messages summarised; set before the task runs
	before       *resting       // what the task is again after that; nil when it does more. Of the task's goroutine
	setupErr     error          // why what belongs to its first message is not there; set before the task runs
}

// agentRun is the state of a task's agent that several goroutines share: the session, and
// which pending messages it was given.
type agentRun struct {
	talk   sync.Mutex       // held while messages are sent or withdrawn, or the model changes; lock it before mu
	gate   *gateway.Session // the task's access to models; guarded by talk
	laid   bool             // the AI program's model and start files are decided; later changes go to the session; guarded by talk
	opened chan struct{}    // closed when the first session opens

	mu      sync.Mutex
	session program.Session                  // the session that accepts messages; nil while there is none
	told    map[string]bool                  // ids of pending messages that were sent to the session
	heard   map[string]bool                  // ids of sent messages that the session confirmed
	taking  bool                             // messages are being withdrawn; some are sent again
	over    bool                             // the task accepts no more messages
	failure atomic.Pointer[gateway.Error]    // the last failure of a model
	tail    tail                             // the end of the program's stderr
	models  atomic.Pointer[[]provider.Model] // the models that pi was told of
	volume  atomic.Int64                     // what the timeline has of it, in bytes
	stopped bool                             // the person ended the last run; only the task's goroutine uses it
}

func (r *agentRun) open(s program.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		close(r.opened)
	}
	r.session = s
}

// finish closes the run to further messages and returns true, unless a message still has
// to be sent or messages are being withdrawn.
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

// take marks a message as sent. It returns false when it was marked already, so that each
// message is sent once.
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

// putBack unmarks a message that could not be sent.
func (r *agentRun) putBack(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.told, id)
}

// was reports whether a message was marked as sent; the agent may not have read it yet.
func (r *agentRun) was(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[id]
}

// hears marks a sent message as confirmed by the agent. It returns false when the message
// was not sent or was confirmed before.
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

// all marks every message of list as sent; none unmarks all.
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

// tail keeps the last stderrKept bytes that were added.
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
