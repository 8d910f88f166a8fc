// Package registry knows who works with the tasks of a data directory: which tasks
// live, who holds one that is over, and what else changes the data. It decides what
// may begin while the program ends or its data moves, and what everything ends with.
//
// A task is, for whoever asks here, one of three: live (a goroutine works on it, until
// End), held (it is over, and one caller has its journal and files to itself, until
// release), or free. A use is any other change of the data. Nothing of these begins
// after Stop or during Freeze; Freeze does not begin while one of them is there.
//
// The final state of a task is seen, in its record and as an event, a moment before
// its End. Who asks for the task in this moment waits: `piwork task wait X && piwork
// task undo X` never hears that X is running.
//
// One lock guards all of it. It is a leaf: nothing is called while it is held.
package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"piwork/app/events"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// ErrClosing is the cause of contexts that ended because the program does. What undo or redo has
// not done by then is done when the program starts again.
var ErrClosing = problem.Cause(problem.CodeShuttingDown, "ended", fmt.Errorf("the program is ending: %w", journal.ErrLater))

// ErrInUse is returned by Freeze while a task lives or is held, or a use goes on.
var ErrInUse = errors.New("the data is in use")

// Live is a task that is not over. Its methods are called without the lock.
type Live interface {
	Working() bool         // false while it waits for a person
	Ending() bool          // its work is over and its machine is gone: it is Done soon
	Done() <-chan struct{} // closed after End
}

// Registry is safe for concurrent use.
type Registry struct {
	store    *task.Store
	events   *events.Broker
	log      *slog.Logger
	base     context.Context // ends when Stop is called
	stop     context.CancelCauseFunc
	grace    context.Context // ends when nobody waits any longer
	endGrace context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex
	live    map[string]Live
	held    map[string]chan struct{} // closed on release
	uses    map[*Use]bool
	unsaved map[string]task.Task // ends of tasks that could not be written
	refusal *problem.Problem     // why nothing may begin; nil when it may
	frozen  bool                 // between Freeze and thaw
}

// New makes a registry of the tasks of a store.
func New(store *task.Store, broker *events.Broker, log *slog.Logger) *Registry {
	r := &Registry{
		store: store, events: broker, log: log,
		live: map[string]Live{}, held: map[string]chan struct{}{}, uses: map[*Use]bool{}, unsaved: map[string]task.Task{},
	}
	r.base, r.stop = context.WithCancelCause(context.Background())
	r.grace, r.endGrace = context.WithCancel(context.Background())
	return r
}

// Base ends, because of ErrClosing, when the program does.
func (r *Registry) Base() context.Context { return r.base }

// Grace ends when what has to be ended in order is to be killed.
func (r *Registry) Grace() context.Context { return r.grace }

// Hurry ends Grace: nobody waits any longer.
func (r *Registry) Hurry() { r.endGrace() }

// Stop has nothing begin any more and ends Base.
func (r *Registry) Stop() {
	r.mu.Lock()
	r.refusal = problem.New(problem.CodeShuttingDown)
	r.mu.Unlock()
	r.stop(ErrClosing)
}

// Wait waits, after Stop, until nothing works any more, and ends Grace.
func (r *Registry) Wait() {
	r.work.Wait()
	r.saveEnds()
	r.endGrace()
}

// Go runs what Wait waits for.
func (r *Registry) Go(f func()) { r.work.Go(f) }

// Begin makes a task live, when write has written that down. Nobody else waits for
// the disk meanwhile. After a nil error the task has to End and then to call over.
func (r *Registry) Begin(id string, l Live, write func() error) (over func(), err error) {
	r.mu.Lock()
	if r.refusal != nil {
		defer r.mu.Unlock()
		return nil, r.refused()
	}
	if r.live[id] != nil { // its id was chosen by whoever started it, twice
		r.mu.Unlock()
		return nil, Problem(id, task.ErrExists)
	}
	r.live[id] = l
	r.work.Add(1)
	r.mu.Unlock()
	err = r.saveEnd(id) // what runs again has an end no more that could take its place
	if err == nil {
		err = write()
	}
	if err != nil {
		r.End(id, nil)
		r.work.Done()
		return nil, Problem(id, err)
	}
	return r.work.Done, nil
}

// refused is the refusal, of the caller's own. The lock is held.
func (r *Registry) refused() error {
	return r.refusal.Clone()
}

// End says that a task does not live any more. unsaved is its record when that could
// not be written: until the next start this is the truth.
func (r *Registry) End(id string, unsaved *task.Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, id)
	if unsaved != nil {
		r.unsaved[id] = *unsaved
	}
}

// Live is a task that is not over, nil for another one.
func (r *Registry) Live(id string) Live {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[id]
}

// All returns the tasks that live, in no order.
func (r *Registry) All() []Live {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Live, 0, len(r.live))
	for _, l := range r.live {
		out = append(out, l)
	}
	return out
}

// Working reports whether tasks are at work. One that waits for a person needs no
// processor.
func (r *Registry) Working() bool { return r.atWork() != nil }

func (r *Registry) atWork() Live {
	for _, l := range r.All() {
		if l.Working() {
			return l
		}
	}
	return nil
}

// UntilIdle waits until no task is at work.
func (r *Registry) UntilIdle(ctx context.Context) error {
	changes, stop := r.events.Subscribe(task.EventFilter{After: task.OnlyNew, Kinds: []task.EventKind{task.EventState}})
	defer stop()
	for l := r.atWork(); l != nil; l = r.atWork() {
		select {
		case <-l.Done():
		case _, ok := <-changes: // it may wait for a person now
			if !ok {
				changes = nil // then its end is awaited
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return ctx.Err()
}

// Hold waits for the only use of a task that is over: its journal and its files are
// nobody else's until release is called. A task that is ending is waited for too; one
// that still works is a conflict.
func (r *Registry) Hold(ctx context.Context, id string) (release func(), err error) {
	for {
		r.mu.Lock()
		if l := r.live[id]; l != nil {
			r.mu.Unlock()
			if !l.Ending() {
				return nil, problem.New(problem.CodeTaskRunning).With("task", id)
			}
			if err := await(ctx, l.Done()); err != nil {
				return nil, err
			}
			continue
		}
		if r.refusal != nil {
			defer r.mu.Unlock()
			return nil, r.refused()
		}
		other := r.held[id]
		if other == nil {
			mine := make(chan struct{})
			r.held[id] = mine
			r.work.Add(1)
			r.mu.Unlock()
			return func() {
				r.mu.Lock()
				delete(r.held, id)
				r.mu.Unlock()
				close(mine)
				r.work.Done()
			}, nil
		}
		r.mu.Unlock()
		if err := await(ctx, other); err != nil {
			return nil, err
		}
	}
}

// await waits until done is closed, or ctx ends.
func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return problem.From(context.Cause(ctx))
	}
}

// HoldTask is Hold for who needs the record, as it is once the task is held.
func (r *Registry) HoldTask(ctx context.Context, id string) (t task.Task, release func(), err error) {
	if release, err = r.Hold(ctx, id); err != nil {
		return t, nil, err
	}
	if end, unsaved := r.Unsaved(id); unsaved && r.saveEnd(id) != nil { // there may be room for it now
		return end, release, nil
	}
	if t, err = r.store.Get(id); err != nil {
		release()
		return t, nil, Problem(id, err)
	}
	return t, release, nil
}

// Use is something other than a task that changes the data or folders.
type Use struct {
	What string // UseUndo and the like; "" is of a moment, such as a setting
	Task string // whose changes or files they are, "" of none

	cancel context.CancelCauseFunc
}

// Values of Use.What.
const (
	UseUndo   = "undo"
	UseRedo   = "redo"
	UseApply  = "apply"
	UseUpload = "upload"
)

// Use says that something other than a task changes the data until done is called:
// no move begins meanwhile, and Wait waits. The context ends with ctx, and with Grace.
func (r *Registry) Use(ctx context.Context) (during context.Context, done func(), err error) {
	return r.UseFor(ctx, Use{})
}

// UseFor is Use for what takes long: whoever would end the program hears of it by Work. The
// context also ends with CancelUses.
func (r *Registry) UseFor(ctx context.Context, use Use) (during context.Context, done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal != nil {
		return nil, nil, r.refused()
	}
	during, use.cancel = context.WithCancelCause(ctx)
	u := &use
	r.uses[u] = true
	r.work.Add(1)
	unhook := context.AfterFunc(r.grace, func() { u.cancel(ErrClosing) })
	return during, func() {
		unhook()
		u.cancel(nil)
		r.mu.Lock()
		delete(r.uses, u)
		r.mu.Unlock()
		r.work.Done()
	}, nil
}

// CancelUses ends the contexts of uses of a task, because of cause.
func (r *Registry) CancelUses(id string, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for u := range r.uses {
		if u.Task == id && id != "" {
			u.cancel(cause)
		}
	}
}

// Work is what goes on with the data and the folders.
type Work struct {
	Tasks  []string // that are not over, also those that wait for a person
	Uses   []Use
	Frozen bool // the data is being moved
}

// Any reports whether anything goes on.
func (w Work) Any() bool { return len(w.Tasks)+len(w.Uses) > 0 || w.Frozen }

// Work is what goes on now.
func (r *Registry) Work() Work {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.workLocked()
}

// workLocked is Work; the caller holds r.mu.
func (r *Registry) workLocked() Work {
	w := Work{Tasks: slices.Sorted(maps.Keys(r.live)), Frozen: r.frozen}
	for u := range r.uses {
		w.Uses = append(w.Uses, Use{What: u.What, Task: u.Task})
	}
	return w
}

// Retire refuses whatever would begin from now on, as Stop does. While work goes on it changes
// nothing and returns that work.
func (r *Registry) Retire() Work {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.workLocked()
	if !w.Any() {
		r.refusal = problem.New(problem.CodeShuttingDown)
	}
	return w
}

// CanFreeze is the error that Freeze would return now.
func (r *Registry) CanFreeze() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.canFreeze()
}

func (r *Registry) canFreeze() error {
	if r.refusal != nil {
		return r.refused()
	}
	if n := len(r.live) + len(r.held) + len(r.uses); n > 0 {
		return fmt.Errorf("%w: %d at it", ErrInUse, n)
	}
	return nil
}

// Freeze has nothing begin until thaw: who asks is refused with why. Given a problem,
// thaw refuses with that instead, for good. The program that ends refuses anyway.
func (r *Registry) Freeze(why *problem.Problem) (thaw func(*problem.Problem), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.canFreeze(); err != nil {
		return nil, err
	}
	r.refusal, r.frozen = why, true
	return func(next *problem.Problem) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.frozen = false
		if r.refusal == why {
			r.refusal = next
		}
	}, nil
}
