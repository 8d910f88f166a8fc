// Package consent is what a person allows: questions and answers, the rules that answers
// make, what the network of tasks may reach, and what is asked about no more.
//
// A [Consent] has the rules of the program, a [Gate] stands before each task that lives:
// whatever the task does that needs a yes goes through it. An answer is in the audit log
// before it counts; a rule that changes holds at once in every task.
package consent

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/share/guard"
)

// Options say what consent is written to, and how a network is made.
type Options struct {
	Rules    *approval.Rules
	Written  *policy.Engine // the rules that are written; nil are those of piwork alone
	Audit    *audit.Log
	Store    *task.Store
	Registry *registry.Registry
	Search   settings.Value[WebSearch]
	Network  func(network.Config) (*network.Network, error)
	DataDir  string // what is needed to undo is written there
	// DiskFree is how many MiB can still be written below a directory; nil does not know.
	DiskFree func(ctx context.Context, dir string) (int, error)
	// Writes is how many bytes a task may write beyond its plan before a person is asked; nil is
	// guard.DefaultWrites.
	Writes      func() int64
	CloseWithin time.Duration // in which a machine has to stand still, or to go on
	Log         *slog.Logger
	Now         func() time.Time
}

// Consent is safe for concurrent use.
type Consent struct {
	*Written
	o       Options
	rules   *approval.Rules
	written *policy.Engine
	inbox   approval.Inbox
	beside  networks
	// Patience is how long a machine runs on while a person thinks. It is set before
	// the first task lives.
	Patience time.Duration
}

// New makes a Consent.
func New(o Options) *Consent {
	if o.Written == nil {
		o.Written = policy.BuiltIn()
	}
	c := &Consent{o: o, rules: o.Rules, written: o.Written, Patience: pauseAfter}
	c.Written = &Written{Engine: o.Written, c: c}
	return c
}

// graceful is the context for what a machine has to do at last.
func (c *Consent) graceful() (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.o.Registry.Grace(), c.o.CloseWithin)
}

// Task is what a Gate stands before.
type Task interface {
	Context() context.Context // ends with the task
	Last() *task.Task         // its record, as it was written last
	Record(kind task.EventKind, data any)
	Tell(kind task.EventKind, data any)
	Later(change func(*task.Task)) // changes its record, beside the work
	Do(note func())                // after what was recorded before
	Rest(waits bool)               // from running to waiting, or back
	Machine() vmhost.Runtime       // that it works in; nil before
	Cancel(cause error)            // ends it, because of cause
	MayHave(folder string) error   // whether the path is of a folder that it may be given
}

// Gated is a task that lives and has a Gate.
type Gated interface{ Gate() *Gate }

// Gate is what one task may do without a person, and how it asks. It is safe for
// concurrent use.
type Gate struct {
	*Ruling
	c      *Consent
	task   Task
	id     string
	kind   task.Kind
	accept bool         // who asked for the task said yes beforehand
	by     approval.Who // that is

	questions atomic.Int64 // asked so far, for their ids
	pending   pending
	refusals  refusals
	still     atomic.Bool                     // its machine stands still while a person thinks
	network   atomic.Pointer[network.Network] // of its machine; nil without
	guard     atomic.Pointer[guard.Guard]     // of its folders; nil before
	following sync.Mutex                      // held while the rules are read for these two
	presets   sync.Once                       // makes the rules of its groups of hosts
	presetErr error                           // why they were not made
	granted   []guard.Grant                   // what its accepted plan says
	writes    int64                           // bytes
	fetches   int64                           // bytes that are downloaded
}

// log is the log of the task.
func (g *Gate) log() *slog.Logger { return g.by.Log(g.c.o.Log, g.id) }

// Gate makes the gate of a task. accept is a yes beforehand to what it does here, of by.
func (c *Consent) Gate(t Task, kind task.Kind, accept bool, by approval.Who) *Gate {
	by.By = ByBeforehand
	g := &Gate{c: c, task: t, id: t.Last().ID, kind: kind, accept: accept, by: by}
	g.Ruling = &Ruling{g: g}
	return g
}

// Beforehand is who decided when the task was started, or went on.
func (g *Gate) Beforehand() approval.Who { return g.by }

func (g *Gate) last() *task.Task { return g.task.Last() }

// Grant says what an accepted plan does, and how many bytes it writes and has downloaded, before
// the guard is made.
func (g *Gate) Grant(list []guard.Grant, writes, fetches int64) {
	g.granted, g.writes, g.fetches = list, writes, fetches
}

// Asked is how many questions there were so far.
func (g *Gate) Asked() int64 { return g.questions.Load() }

// Still reports whether the machine stands still while a person thinks.
func (g *Gate) Still() bool { return g.still.Load() }

// End forgets the rules of a task that is over.
func (g *Gate) End() { g.c.rules.End(g.id) }

// Refuse answers everything that a task asks now with no.
func (c *Consent) Refuse(id string, by approval.Who) error {
	for _, q := range c.inbox.Open(id) {
		_, err := c.inbox.Answer(id, q.ID, approval.Answer{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, Who: by})
		if err != nil && !errors.Is(err, approval.ErrNotOpen) {
			return problem.From(err)
		}
	}
	return nil
}
