package aitask

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/app/agent/program"
	"piwork/app/aitask/agentlog"
	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/gateway"
	"piwork/app/gateway/provider"
	"piwork/app/mcpservers"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// stderrKept is how many bytes of the AI program's stderr are kept, the last ones.
const stderrKept = 8 << 10

// Task is the task that a conversation belongs to: its record, written in order and beside the
// work.
type Task interface {
	Last() *task.Task                                  // as it was written last
	Update(change func(*task.Task)) (task.Task, error) // after what was recorded before
	Later(change func(*task.Task))                     // is Update beside the work
	Written() error                                    // waits for what was recorded before, and says whether it could be written
	Timeline
}

// Timeline is what happens in the task.
type Timeline interface {
	Record(kind task.EventKind, data any) // keeps an event
	Tell(kind task.EventKind, data any)   // tells of an event that is not kept
	Settle()                              // waits for what was recorded before
	Room(ctx context.Context) error       // waits while the disk is far behind
}

// Environment is where the AI program runs; it is ready.
type Environment interface {
	Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error)
	InitData() vmhost.InitData
	Hints() vmhost.Hints
	InView() []vmhost.FolderInView // the folders as programs see them
}

// Options are the task of a conversation, and the rooms that it works with.
type Options struct {
	Task
	ID      string
	Context context.Context // ends with the task
	Cancel  func(cause error)
	Done    <-chan struct{} // closed when the task is over
	Gate    *consent.Gate
	Accept  bool // whoever asked for the task said yes to its commands
	// AddFolder gives the task a folder that a person chose; nil for a task whose folders cannot
	// change.
	AddFolder func(task.FolderRequest, approval.Who) (task.Task, task.Folder, error)

	Store    *task.Store
	Models   *models.Access
	Servers  *mcpservers.Servers
	FileRule func() vmhost.Requirement                    // where files may be written for an AI program
	Grace    func() (context.Context, context.CancelFunc) // for ending the AI program
	Log      *slog.Logger
}

// Conversation is that of an AI task with its agent. It is safe for concurrent use.
type Conversation struct {
	o     Options
	agent agentRun

	Lines        agentlog.Lines // of the agent, for those who follow them
	ResumePrompt bool           // the agent is told to go on; set before the task runs
	Compacts     bool           // it goes on to have its messages summarised; set before the task runs
	Before       *Resting       // what the task is again after that; nil when it does more. Of the task's goroutine
	SetupErr     error          // why what belongs to its first message is not there; set before the task runs
}

// Resting is what an AI task was before it works on something that changes nothing of that.
type Resting struct {
	State task.State
	Why   *problem.Problem
}

// New makes the conversation of a task that does not run yet.
func New(o Options) *Conversation {
	return &Conversation{o: o, agent: agentRun{opened: make(chan struct{})}}
}

// Session is the one that accepts messages; nil while there is none.
func (c *Conversation) Session() program.Session {
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	return c.agent.session
}

// Hear has a task that runs take a message, or waits for its end: then it goes on
// with the message. It is durable before the agent gets it.
func (c *Conversation) Hear(p task.Pending) (task.Task, <-chan struct{}, error) {
	r := &c.agent
	r.mu.Lock()
	if r.over || c.o.Context.Err() != nil {
		r.mu.Unlock()
		return task.Task{}, c.o.Done, nil
	}
	t, err := c.o.Update(func(t *task.Task) { t.AI.Pending = append(slices.Clone(t.AI.Pending), p) })
	s := r.session
	r.mu.Unlock()
	if err != nil || s == nil {
		return t, nil, err
	}
	if err := c.deliver(c.o.Context, s); err != nil { // the task says what is wrong; the message waits for it to go on
		c.o.Log.Info("a message did not reach the agent", "error", err)
	}
	return *c.o.Last(), nil, nil
}

// agentRun is the state of a task's agent that several goroutines share: the session, and
// which pending messages it was given.
type agentRun struct {
	talk   sync.Mutex       // held while messages are sent or withdrawn, or the model changes; lock it before mu
	gate   *gateway.Session // the task's access to models; guarded by talk, and there before a session is
	laid   bool             // the AI program's model and start files are decided; later changes go to the session; guarded by talk
	opened chan struct{}    // closed when the first session opens

	mu      sync.Mutex
	session program.Session                  // the session that accepts messages; nil while there is none
	told    map[string]bool                  // ids of pending messages that were sent to the session
	heard   map[string]bool                  // ids of sent messages that the session confirmed
	over    bool                             // the task accepts no more messages
	failure atomic.Pointer[gateway.Error]    // the last failure of a model
	tail    tail                             // the end of the program's stderr
	models  atomic.Pointer[[]provider.Model] // the models that pi was told of
	asked   atomic.Pointer[string]           // the model that the session was told to change to last
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
// to be sent. talk is held: none is being withdrawn.
func (r *agentRun) finish(pending func() []task.Pending) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
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
