package apitest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"piwork/app/tasks"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
)

// StartTask implements api.Service: the task goes through its states by itself
// and waits with its plan like a real one.
func (f *Fake) StartTask(ctx context.Context, req tasks.StartRequest) (task.Task, error) {
	if f.NotReady != nil {
		return task.Task{}, f.NotReady
	}
	if err := f.refused("StartTask"); err != nil {
		return task.Task{}, err
	}
	if req.Detached {
		ctx = context.WithoutCancel(ctx)
	}
	life, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	f.n++
	r := &running{req: req, accept: make(chan struct{}), cancel: cancel, done: make(chan struct{}), t: task.Task{
		V: task.RecordVersion, ID: fmt.Sprintf("0195%04x-0000-7000-8000-000000000000", f.n),
		Kind: req.Kind, Title: req.Title, State: task.StateQueued, Created: time.Now().UTC(),
		Network: cmp.Or(req.Network, task.NetworkOff), Place: task.Place{Runtime: "vm", Pack: f.Pack.Version}, Outcome: task.Outcome{Accel: req.Accel},
		Chore: req.Chore, Params: req.Params, Argv: req.Argv,
		Asked: &task.Asked{Limits: req.Limits},
	}}
	for i, folder := range req.Folders {
		if folder.Mode == "" {
			folder.Mode = task.ModeReadOnly
			if req.Kind == task.KindChore {
				folder.Mode = task.ModeReadWrite
			}
		}
		r.t.Folders = append(r.t.Folders, task.Folder{ID: fmt.Sprintf("f%d", i+1), Path: folder.Path, Name: fmt.Sprintf("folder%d", i+1), Mode: folder.Mode})
	}
	if req.Kind == task.KindAI {
		r.t.AI = &task.AI{Model: req.Model, Thinking: req.Thinking, Budget: req.Budget}
	}
	if f.Agent.Waits != nil {
		if r.t.AI == nil {
			r.t.AI = &task.AI{}
		}
		r.t.AI.Pending = slices.Clone(f.Agent.Waits)
	}
	f.tasks = append(f.tasks, r)
	f.started = append(f.started, req)
	f.mu.Unlock()
	go f.live(life, r, req)
	return r.record(), nil
}

// emit writes the timeline and the stream.
func (f *Fake) emit(r *running, kind task.EventKind, data any) {
	r.mu.Lock()
	id := r.t.ID
	if kind != task.EventProgress && kind != task.EventOutput && kind != task.EventDelta {
		r.timeline = append(r.timeline, task.Event{V: task.RecordVersion, Seq: int64(len(r.timeline) + 1),
			Time: time.Now().UTC(), Task: id, Kind: kind, Data: data})
	}
	r.mu.Unlock()
	f.Publish(task.Event{Task: id, Kind: kind, Data: data})
}

func (f *Fake) state(r *running, s task.State, p *problem.Problem) {
	r.mu.Lock()
	r.t.State, r.t.Error = s, p
	now := time.Now().UTC()
	if r.t.Started == nil {
		r.t.Started = &now
	}
	if s.Final() {
		r.t.Ended = &now
	}
	r.mu.Unlock()
	f.emit(r, task.EventState, task.StateData{State: s, Error: p})
}

func (f *Fake) live(ctx context.Context, r *running, req tasks.StartRequest) {
	defer close(r.done)
	defer r.cancel()
	cancelled := func() bool {
		if ctx.Err() == nil {
			return false
		}
		_ = req.Release()
		f.state(r, task.StateCancelled, nil)
		return true
	}
	if f.Waits != "" {
		f.emit(r, task.EventStep, task.StepData{Step: f.Waits})
	}
	f.state(r, task.StatePreparing, nil)
	f.emit(r, task.EventStep, task.StepData{Step: "boot"})
	if req.Chore != "" {
		f.emit(r, task.EventPlan, f.PlanOf)
		if req.PlanOnly {
			f.state(r, task.StateDone, nil)
			return
		}
		if !req.Accept {
			f.state(r, task.StateWaiting, nil)
			f.emit(r, task.EventStep, task.StepData{Step: "accept"})
			select {
			case <-r.accept:
			case <-ctx.Done():
			}
		}
	}
	if cancelled() {
		return
	}
	f.state(r, task.StateRunning, nil)
	if req.Kind == task.KindAI {
		f.turn(r, req.Prompt, "prompt")
	}
	f.putQuestions(ctx, r)
	if len(req.Argv) > 0 && req.Argv[0] == "env" {
		for _, name := range slices.Sorted(maps.Keys(req.Env)) {
			f.emit(r, task.EventOutput, task.OutputData{Stream: "stdout", Data: []byte(name + "=" + req.Env[name] + "\n")})
		}
	}
	for _, o := range f.Output {
		f.emit(r, task.EventOutput, o)
	}
	f.emit(r, task.EventProgress, task.ProgressData{Done: 1, Total: 2, Item: "a.jpg"})
	if f.Endless {
		<-ctx.Done()
	}
	if cancelled() {
		return
	}
	for _, p := range f.Problems {
		f.emit(r, task.EventProblem, p)
	}
	r.mu.Lock()
	r.t.Problems = f.Problems
	if req.Kind == task.KindTool {
		r.t.Info = f.Info
	}
	if req.Kind == task.KindExec {
		r.t.ExitCode = &f.ExitCode
	}
	for _, res := range f.Results {
		r.t.Results = append(r.t.Results, res.Result)
	}
	r.mu.Unlock()
	for _, res := range f.Results {
		f.emit(r, task.EventResult, res.Result)
	}
	_ = req.Release()
	if f.TaskErr != nil {
		f.state(r, task.StateFailed, f.TaskErr)
		return
	}
	f.state(r, task.StateDone, nil)
}
