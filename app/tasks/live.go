package tasks

import (
	"context"
	"errors"
	"sync"
	"time"

	"piwork/app/aitask"
	"piwork/app/approval"
	"piwork/app/attach"
	"piwork/app/audit"
	"piwork/app/capacity"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// PlanQuestion is the id of the question that a waiting plan is: its decision
// and its audit record carry it.
const PlanQuestion = "plan"

// Live is a task from its start to its end. One goroutine does its work (run); the others
// cancel, accept, answer, look, and bring it from running to waiting and back (Rest).
type Live struct {
	record
	workplace
	ai   *aitask.Conversation
	gate *consent.Gate
	prog *attach.Program // nil where nobody can be attached

	c      *Runner
	req    StartRequest
	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool // lets the caller's context go; nil when the request is detached
	done   chan struct{}
	gone   func()        // says, in the end, that nothing of it works any more
	accept chan struct{} // closed when the plan was accepted

	plan  *chore.Plan // that it goes on with; nil for one that makes its plan
	round int         // how often it went on

	// mu guards what follows. The record changes under it, but for the last state (finish)
	// and that of a task that goes on (relive).
	mu       sync.Mutex
	state    task.State
	offered  bool // its plan waits
	accepted bool
	over     bool // its work is, whatever the record says yet
}

// NewLive makes a task that lives of its record; nothing of it runs yet.
func NewLive(c *Runner, t task.Task, r StartRequest) *Live {
	l := &Live{
		record: record{id: t.ID, o: &c.o, log: r.by.Log(c.o.Log, t.ID)}, c: c, req: r, prog: r.attached(), state: t.State,
		done: make(chan struct{}), accept: make(chan struct{}),
	}
	l.room.open = make(chan struct{})
	l.last.Store(&t)
	l.gate = c.o.Consent.Gate(l, r.Kind, r.Accept, r.by)
	l.kind = c.o.Kinds.Chooser.FirstPlace(needOf(l)).Kind
	l.ctx, l.cancel = context.WithCancelCause(c.o.Telemetry.Task(c.o.Registry.Base(), r.asked, r.Kind, t.ID))
	l.ai = aitask.New(talkOptions(l))
	return l
}

// Done is closed when the task is over.
func (l *Live) Done() <-chan struct{} { return l.done }

// Working reports whether it waits for no person.
func (l *Live) Working() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state != task.StateWaiting
}

// Ending reports whether its work is over, and its journal is closed.
func (l *Live) Ending() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// moveLocked brings the task to another state. mu is held, which keeps the events
// in the order of the states.
func (l *Live) moveLocked(to task.State) error {
	if err := l.Written(); err != nil {
		return err
	}
	if _, err := l.write(l.entering(to)); err != nil {
		return err
	}
	l.state = to
	l.Record(task.EventState, task.StateData{State: to})
	return l.Written()
}

// begin is moveLocked without waiting for the disk. Before anything is executed, Written
// says whether it worked.
func (l *Live) begin(to task.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Later(l.entering(to))
	l.state = to
	l.Record(task.EventState, task.StateData{State: to})
}

// entering is the change of a record whose task enters a state now.
func (l *Live) entering(to task.State) func(*task.Task) {
	now := l.c.o.Now().UTC()
	return func(t *task.Task) {
		t.State = to
		if to == task.StatePreparing {
			t.Started = &now
		}
	}
}

// enter waits for room for the task on this computer. While there is none, everybody hears
// what is waited for; a task that was not at work yet stays queued.
func (l *Live) enter() error {
	l.line()
	if l.claim == nil {
		return nil
	}
	err := l.claim.Wait(l.ctx, func(why capacity.Verdict) { l.step(string(why)) })
	if err != nil {
		l.exit()
	}
	return err
}

// line has the task stand in line, from when it is asked for: whose goroutine runs
// first makes no order.
func (l *Live) line() {
	switch {
	case l.claim != nil:
	case l.inMachine():
		l.claim = l.c.o.Fleet.Queue.Request(l.id, l.size)
	case l.c.o.Kinds.Chooser.Here(l.kind):
		l.claim = l.c.o.Fleet.Places.Request(l.id, capacity.Size{})
	}
}

// acceptPlan is the decision of whoever asks; once, and only while the task waits.
func (l *Live) acceptPlan(ctx context.Context) (task.Task, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != task.StateWaiting || !l.offered || l.accepted || l.over {
		return task.Task{}, problem.New(problem.CodeTaskNotWaiting).With("task", l.id)
	}
	if err := l.decide(consent.WhoOf(ctx)); err != nil {
		return task.Task{}, problem.From(err)
	}
	if err := l.moveLocked(task.StateRunning); err != nil {
		return task.Task{}, problem.From(err)
	}
	l.accepted = true
	l.line() // the task's goroutine left it to this one until accept is closed
	close(l.accept)
	return *l.last.Load(), nil
}

// decide records that the plan is accepted, and by whom: the audit log first, because
// what cannot be recorded must not be done.
func (l *Live) decide(by approval.Who) error {
	d := vmhost.Decision{
		ID: PlanQuestion, Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask, By: by.By, Client: by.Client, Time: l.c.o.Now().UTC(),
	}
	if err := l.c.o.Audit.Append(consent.Record(by, l.id, audit.Decision{Question: d.ID, Topic: d.ID, Answer: d.Answer, Scope: d.Scope})); err != nil {
		return problem.NotRecorded(err)
	}
	l.Record(task.EventDecision, d)
	return nil
}

// waitForAccept waits with a plan until it is accepted.
func (l *Live) waitForAccept() error {
	l.mu.Lock()
	err := l.moveLocked(task.StateWaiting)
	l.offered = true
	l.mu.Unlock()
	if err != nil {
		return err
	}
	l.step("accept")
	l.c.o.Fleet.Pool.TaskResting()
	l.c.o.Fleet.Pool.Expect()
	select {
	case <-l.accept:
		l.c.o.Fleet.Pool.TaskStarted()
		return nil
	case <-l.ctx.Done():
		return context.Cause(l.ctx)
	}
}

// run does the work and records how it ended.
func (l *Live) run() {
	l.log.Info("a task begins", "kind", l.req.Kind, "door", l.req.by.Door, "client", l.req.by.Client)
	err := l.work()
	l.mu.Lock() // a plan is accepted before this, with all that goes with it, or not at all
	l.over = true
	unhook := l.unhook
	l.mu.Unlock()
	if err != nil {
		l.c.o.History.ClearParts(*l.last.Load())
	}
	if unhook != nil {
		unhook()
	}
	if l.prog != nil {
		l.prog.Close()
	}
	l.exit()
	if l.release != nil {
		l.release()
	}
	if err := l.req.Release(); err != nil {
		l.log.Error("what a request brought could not be removed", "error", err)
	}
	l.finish(err)
	close(l.done)
}

// finish brings the task to its final state. Nothing of it runs any more. Who sees that
// state and wants the task waits until it is done (see package registry).
func (l *Live) finish(err error) {
	l.gate.End()
	state, why := l.outcome(err)
	now := l.c.o.Now().UTC()
	end := func(t *task.Task) { t.State, t.Ended, t.Error = state, &now, why }
	t, unsaved := l.end(end)
	if unsaved != nil {
		// The disk keeps an older record until the next start makes it failed;
		// until then this is the truth.
		l.log.Error("the end of a task could not be written", "error", unsaved)
		t = *l.last.Load()
		end(&t)
	}
	l.log.Info("a task is over", "state", state)
	l.Record(task.EventState, task.StateData{State: state, Error: why})
	l.c.o.Telemetry.TaskEnded(l.ctx, l.req.Kind, l.kind, state)
	l.notes.Wait()
	l.c.o.Store.Release(l.id)
	l.cancel(nil)
	if unsaved != nil {
		l.c.o.Registry.End(l.id, &t)
	} else {
		l.c.o.Registry.End(l.id, nil)
	}
	l.notes.Wait()
	l.c.o.Store.Release(l.id) // again: a command of a session may have brought a result meanwhile
	l.ai.Lines.End()
	l.c.o.Fleet.Pool.TaskResting()
}

// startClock gives a chore the time that it was asked to take at most; a program and
// an operation have theirs in the machine.
func (l *Live) startClock() {
	if ms := l.req.Limits.WallMS; ms > 0 {
		t := time.AfterFunc(time.Duration(ms)*time.Millisecond, func() { l.cancel(problem.New(problem.CodeTimeout)) })
		context.AfterFunc(l.ctx, func() { t.Stop() })
	}
}

// outcome is the final state that an error of the work means.
func (l *Live) outcome(err error) (task.State, *problem.Problem) {
	if l.ai.Before != nil && (err == nil || l.ctx.Err() != nil) { // it is as it was
		return l.ai.Before.State, l.ai.Before.Why
	}
	if err == nil {
		return task.StateDone, nil
	}
	if cause := context.Cause(l.ctx); cause != nil {
		if stopped, is := errors.AsType[*problem.Problem](cause); is { // by piwork
			return task.StateFailed, onward(l, stopped)
		}
		p := problem.New(problem.CodeCancelled)
		switch {
		case errors.Is(cause, errCaller):
			p.Cause = "caller-gone"
		case errors.Is(cause, errClosing):
			p.Cause = "closing"
		default:
			p.Cause = "person"
		}
		return task.StateCancelled, p
	}
	return task.StateFailed, onward(l, problem.From(err))
}

// Rest brings the task from running to waiting, or back.
func (l *Live) Rest(waits bool) {
	from, to := task.StateRunning, task.StateWaiting
	if !waits {
		from, to = to, from
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != from || l.ctx.Err() != nil {
		return
	}
	if err := l.moveLocked(to); err != nil {
		l.log.Error("the state of a task could not be written", "state", to, "error", err)
		return
	}
	if waits {
		l.step("accept")
	} else {
		l.step("run")
	}
}

// Cancel ends the task, because of cause.
func (l *Live) Cancel(cause error) { l.cancel(cause) }

// Followed reports whether somebody follows the lines of its agent.
func (l *Live) Followed() bool { return l.ai.Lines.Followed() }

// Gate is what the task may do without a person.
func (l *Live) Gate() *consent.Gate { return l.gate }

// Context ends with the task.
func (l *Live) Context() context.Context { return l.ctx }

// MayHave says why the task cannot be given a folder.
func (l *Live) MayHave(folder string) error {
	_, err := l.c.folder(l.req, task.FolderRequest{Path: folder}, l.last.Load().Folders)
	return err
}
