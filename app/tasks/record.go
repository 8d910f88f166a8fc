package tasks

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/app/tasks/notes"
	"piwork/vmhost/wire"
)

// record is the record of a task that lives, and its timeline. Both are written in
// order and beside the work of the task.
type record struct {
	id  string
	o   *Options
	log *slog.Logger // with its id and that of the request

	notes     notes.Notes
	writing   sync.Mutex
	last      atomic.Pointer[task.Task] // as it was written last
	unwritten atomic.Pointer[error]     // the first note that could not be written
}

// ID is that of its record.
func (r *record) ID() string { return r.id }

// Last is the record as it was written last.
func (r *record) Last() *task.Task { return r.last.Load() }

// Record adds an event to the timeline and tells everybody, in the order of the
// calls and soon. A timeline that cannot be written ends no task: the record is
// what counts.
func (r *record) Record(kind task.EventKind, data any) {
	r.notes.Add(func() {
		r.o.Noted(kind, data, false)
		e, err := r.o.Store.Append(r.id, kind, data)
		if err != nil {
			r.log.Error("an event could not be written", "kind", kind, "error", err)
			e = task.Event{Task: r.id, Kind: kind, Data: data}
		}
		r.o.Noted(kind, data, true)
		r.o.Events.Publish(e)
	})
}

// Tell sends an event that is not kept.
func (r *record) Tell(kind task.EventKind, data any) {
	r.o.Events.Publish(task.Event{Task: r.id, Kind: kind, Data: data})
	r.o.Noted(kind, data, true)
}

// step says what is waited for.
func (r *record) step(name string) { r.Record(task.EventStep, task.StepData{Step: name}) }

// tellOutput passes on what a program writes.
func (r *record) tellOutput(o wire.ExecOutput) {
	r.Tell(task.EventOutput, task.OutputData{Stream: o.Stream, Data: o.Data})
}

// Update changes the record without an event.
func (r *record) Update(change func(*task.Task)) (task.Task, error) {
	r.notes.Wait()
	return r.write(change)
}

// end is Update to the final state of a run.
func (r *record) end(change func(*task.Task)) (task.Task, error) {
	r.notes.Wait()
	return r.writeBy(r.o.Store.End, change)
}

// Later is Update beside the work: what could not be written is the error of
// Written.
func (r *record) Later(change func(*task.Task)) {
	r.notes.Add(func() {
		if _, err := r.write(change); err != nil {
			r.NotWritten(err)
		}
	})
}

func (r *record) write(change func(*task.Task)) (task.Task, error) {
	return r.writeBy(r.o.Store.Update, change)
}

func (r *record) writeBy(write func(string, func(*task.Task) error) (task.Task, error), change func(*task.Task)) (task.Task, error) {
	r.writing.Lock() // last is what was written last
	defer r.writing.Unlock()
	t, err := write(r.id, func(t *task.Task) error {
		change(t)
		return nil
	})
	if err != nil {
		return t, registry.Problem(r.id, err)
	}
	r.last.Store(&t)
	return t, nil
}

// Written waits until everything so far is written.
func (r *record) Written() error {
	r.notes.Wait()
	if err := r.unwritten.Load(); err != nil {
		return *err
	}
	return nil
}

// Settle waits until what was recorded so far is written.
func (r *record) Settle() { r.notes.Wait() }

// Room waits while much is left to write; see [notes.Notes.Room].
func (r *record) Room(ctx context.Context) error { return r.notes.Room(ctx) }

// NotWritten says that what belongs to the record could not be written: nothing is
// executed any more.
func (r *record) NotWritten(err error) { r.unwritten.CompareAndSwap(nil, &err) }

// Do runs note when what was recorded so far is.
func (r *record) Do(note func()) { r.notes.Add(note) }

// addProblems records what could not be done while the rest is.
func (r *record) addProblems(ps []problem.Problem) {
	if len(ps) > 0 {
		r.change(func(t *task.Task) { t.Problems = append(t.Problems, ps...) })
		r.tell(ps, nil)
	}
}

// addResults records files that the task made.
func (r *record) addResults(rs []task.Result) {
	if len(rs) > 0 {
		r.change(func(t *task.Task) { t.Results = append(t.Results, rs...) })
		r.tell(nil, rs)
	}
}

// change changes the record; that this failed is only logged.
func (r *record) change(change func(*task.Task)) {
	if _, err := r.Update(change); err != nil {
		r.log.Error("what came of a task could not be written", "error", err)
	}
}

// tell records events about problems and results that the record has.
func (r *record) tell(ps []problem.Problem, rs []task.Result) {
	for _, p := range ps {
		r.Record(task.EventProblem, p)
	}
	for _, made := range rs {
		r.Record(task.EventResult, made)
	}
}

// goneOn records how a task that went on came out: its results and problems are
// those of all its rounds. With whole, nothing was left undone but what problems
// says.
func (r *record) goneOn(plan chore.Plan, out chore.Outcome, whole bool) {
	var results []task.Result
	var problems []problem.Problem
	r.change(func(t *task.Task) {
		at := map[string]int{}
		for i, r := range t.Results {
			at[r.Folder+"/"+r.Path] = i
		}
		for _, r := range out.Results {
			if i, ok := at[r.Folder+"/"+r.Path]; ok {
				t.Results[i] = r
				continue
			}
			t.Results, results = append(t.Results, r), append(results, r)
		}
		known := map[string]bool{}
		for _, p := range t.Problems {
			known[problemMark(p)] = true
		}
		for _, p := range out.Problems {
			if !known[problemMark(p)] {
				problems = append(problems, p)
			}
		}
		if whole { // what went wrong before went well now, or is said again
			t.Problems = append(slices.Clone(plan.Skipped), out.Problems...)
		} else {
			t.Problems = append(t.Problems, problems...)
		}
	})
	r.tell(problems, results)
}

// noticed reports whether the timeline has a notice.
func (r *record) noticed(code string) (bool, error) {
	r.notes.Wait()
	events, err := r.o.Store.Timeline(r.id, 0)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(events, func(e task.Event) bool {
		raw, ok := e.Data.(json.RawMessage)
		var d task.NoticeData
		return ok && e.Kind == task.EventNotice && json.Unmarshal(raw, &d) == nil && d.Code == code
	}), nil
}

// problemMark tells the problems of inputs apart.
func problemMark(p problem.Problem) string {
	path, _ := p.Params["path"].(string)
	return p.Code + "\x00" + path
}
