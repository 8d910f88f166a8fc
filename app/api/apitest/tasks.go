package apitest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Run is how programs run.
type Run struct {
	Waits    string // what tasks wait for before they begin: a step
	Output   []task.OutputData
	ExitCode int
	Info     []any // that operations report
}

// ResultFile is a result and its bytes.
type ResultFile struct {
	task.Result
	Data []byte
}

// records are the tasks so far.
type records struct {
	n       int
	tasks   []*running // oldest first
	started []tasks.StartRequest
}

type running struct {
	req      tasks.StartRequest
	mu       sync.Mutex
	t        task.Task
	timeline []task.Event
	accept   chan struct{}
	cancel   context.CancelFunc
	done     chan struct{}
}

// Started are the requests so far.
func (f *Fake) Started() []tasks.StartRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]tasks.StartRequest(nil), f.records.started...)
}

func (f *Fake) find(id string) (*running, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.records.tasks {
		if r.t.ID == id {
			return r, nil
		}
	}
	return nil, notFound(id)
}

// called is find for a method that may be refused.
func (f *Fake) called(method, id string) (*running, error) {
	r, err := f.find(id)
	if err == nil {
		err = f.refused(method)
	}
	return r, err
}

func (r *running) record() task.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.t
}

// AcceptPlan is of the service.
func (f *Fake) AcceptPlan(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	if r.record().State != task.StateWaiting {
		return task.Task{}, &problem.Problem{Code: problem.CodeTaskNotWaiting, Severity: problem.Failed}
	}
	close(r.accept)
	return r.record(), nil
}

// StartTask is of the service: the task goes through its states by itself
// and waits with its plan like a real one.
func (f *Fake) StartTask(ctx context.Context, req tasks.StartRequest) (task.Task, error) {
	if err := f.refused("StartTask"); err != nil {
		return task.Task{}, err
	}
	if req.Detached {
		ctx = context.WithoutCancel(ctx)
	}
	life, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	f.records.n++
	r := &running{req: req, accept: make(chan struct{}), cancel: cancel, done: make(chan struct{}), t: task.Task{
		V: task.RecordVersion, ID: fmt.Sprintf("0195%04x-0000-7000-8000-000000000000", f.records.n),
		Kind: req.Kind, Title: req.Title, State: task.StateQueued, Created: time.Now().UTC(),
		Network: cmp.Or(req.Network, task.NetworkOff), Place: task.Place{Runtime: "vm", Pack: has[runtimepack.Info](f).Version}, Outcome: task.Outcome{Accel: req.Accel},
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
	f.records.tasks = append(f.records.tasks, r)
	f.records.started = append(f.records.started, req)
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
	if f.Run.Waits != "" {
		f.emit(r, task.EventStep, task.StepData{Step: f.Run.Waits})
	}
	f.state(r, task.StatePreparing, nil)
	f.emit(r, task.EventStep, task.StepData{Step: "boot"})
	if req.Chore != "" {
		f.emit(r, task.EventPlan, value[chore.Plan](f))
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
	for _, o := range f.Run.Output {
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
		r.t.Info = f.Run.Info
	}
	if req.Kind == task.KindExec {
		r.t.ExitCode = &f.Run.ExitCode
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

// CancelTask is of the service.
func (f *Fake) CancelTask(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.cancel()
	<-r.done
	return r.record(), nil
}

// DeleteTask is of the service.
func (f *Fake) DeleteTask(_ context.Context, id string) error {
	r, err := f.called("DeleteTask", id)
	if err != nil {
		return err
	}
	if !r.record().State.Final() {
		return &problem.Problem{Code: problem.CodeTaskRunning, Severity: problem.Failed}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records.tasks = slices.DeleteFunc(f.records.tasks, func(t *running) bool { return t == r })
	return nil
}

// Timeline is of the service.
func (f *Fake) Timeline(_ context.Context, id string, after int64) ([]task.Event, error) {
	r, err := f.find(id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var events []task.Event
	for _, e := range r.timeline {
		if e.Seq > after {
			events = append(events, e)
		}
	}
	return events, nil
}

// OpenResult is of the service.
func (f *Fake) OpenResult(_ context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error) {
	if _, err := f.find(id); err != nil {
		return nil, task.Result{}, err
	}
	if index < 0 || index >= len(f.Results) {
		return nil, task.Result{}, notFound(fmt.Sprintf("%s, result %d", id, index))
	}
	return nopCloser{bytes.NewReader(f.Results[index].Data)}, f.Results[index].Result, nil
}

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

// Tasks is of the service.
func (f *Fake) Tasks(ctx context.Context) ([]task.Task, error) {
	return f.FindTasks(ctx, task.Filter{})
}

// FindTasks is of the service; its text is looked for in titles as it is.
func (f *Fake) FindTasks(_ context.Context, filter task.Filter) ([]task.Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []task.Task{}
	for _, r := range slices.Backward(f.records.tasks) {
		t := r.record()
		if strings.Contains(t.Title, filter.Text) && (filter.States == nil || slices.Contains(filter.States, t.State)) &&
			(filter.Kinds == nil || slices.Contains(filter.Kinds, t.Kind)) {
			all = append(all, t)
		}
	}
	return all, f.refused("Tasks")
}

// RenameTask is of the service.
func (f *Fake) RenameTask(_ context.Context, id string, req tasks.RenameRequest) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	r.t.Title, r.t.Titled = req.Title, req.Title != ""
	r.mu.Unlock()
	return r.record(), f.refused("RenameTask")
}

// StartAgain is of the service.
func (f *Fake) StartAgain(ctx context.Context, id string, again tasks.AgainRequest) (task.Task, error) {
	r, err := f.called("StartAgain", id)
	if err != nil {
		return task.Task{}, err
	}
	req := r.req
	req.Accept, req.Detached = again.Accept, again.Detached
	return f.StartTask(ctx, req)
}

// AddFolder is of the service; a task that is over takes none.
func (f *Fake) AddFolder(_ context.Context, id string, req task.FolderRequest) (task.Task, error) {
	folder := task.Folder{Path: req.Path, Name: path.Base(filepath.ToSlash(req.Path)), Mode: cmp.Or(req.Mode, task.ModeReadOnly)}
	return f.changeFolders(id, "AddFolder", func(t *task.Task) (task.Folder, error) {
		folder.ID = fmt.Sprintf("f%d", len(t.Folders)+1)
		t.Folders = append(slices.Clone(t.Folders), folder)
		return folder, nil
	})
}

// RemoveFolder is of the service.
func (f *Fake) RemoveFolder(_ context.Context, id, folder string) (task.Task, error) {
	return f.changeFolders(id, "RemoveFolder", func(t *task.Task) (task.Folder, error) {
		t.Folders = slices.Clone(t.Folders)
		i := slices.IndexFunc(t.Folders, func(f task.Folder) bool { return f.ID == folder && f.Removed == nil })
		if i < 0 {
			return task.Folder{}, problem.New(problem.CodeNotFound).With("folder", folder)
		}
		now := time.Now().UTC()
		t.Folders[i].Removed = &now
		return t.Folders[i], nil
	})
}

func (f *Fake) changeFolders(id, method string, change func(*task.Task) (task.Folder, error)) (task.Task, error) {
	r, err := f.called(method, id)
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	if r.t.State.Final() {
		r.mu.Unlock()
		p := problem.New(problem.CodeFoldersFixed).With("task", id)
		p.Cause = "over"
		return task.Task{}, p
	}
	folder, err := change(&r.t)
	r.mu.Unlock()
	if err != nil {
		return task.Task{}, err
	}
	f.emit(r, task.EventFolder, task.FolderData{Folder: folder, By: "person"})
	return r.record(), nil
}

// ExportTask is of the service.
func (f *Fake) ExportTask(_ context.Context, id string) (io.ReadCloser, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Export == nil {
		return nil, problem.New(problem.CodeNotFound).With("task", id)
	}
	return io.NopCloser(bytes.NewReader(f.Export)), f.refused("ExportTask")
}
