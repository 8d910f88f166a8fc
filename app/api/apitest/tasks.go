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

	"piwork/app/attach"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/runtimepack"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Run is how programs run.
type Run struct {
	Waits    string // what tasks wait for before they begin: a step
	Output   []task.OutputData
	ExitCode int
	Info     []any // that operations report
	// Program is what a program does that is attached to, and its exit status; nil: it says
	// what it is told.
	Program func(ctx context.Context, p *attach.Program) int
}

// ResultFile is a result and its bytes.
type ResultFile struct {
	task.Result
	Data []byte
}

// runs are the tasks so far.
type runs struct {
	*core
	asks *questions

	n       int
	tasks   []*running // oldest first
	started []tasks.StartRequest
}

type running struct {
	events   *core
	req      tasks.StartRequest
	prog     *attach.Program
	accept   chan struct{}
	cancel   context.CancelFunc
	unhook   func() bool // from who started it
	done     chan struct{}
	mu       sync.Mutex
	t        task.Task
	timeline []task.Event
}

// Started are the requests so far.
func (f *runs) Started() []tasks.StartRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.started)
}

func (f *runs) find(id string) (*running, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.tasks {
		if r.t.ID == id {
			return r, nil
		}
	}
	return nil, notFound(id)
}

// called is find for a method that may be refused.
func (f *runs) called(method, id string) (*running, error) {
	r, err := f.find(id)
	if err == nil {
		err = f.refused(method)
	}
	return r, err
}

// edited changes a task, and answers with it.
func (f *runs) edited(method, id string, change func(*task.Task) error) (task.Task, error) {
	r, err := f.called(method, id)
	if err != nil {
		return task.Task{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := change(&r.t); err != nil {
		return task.Task{}, err
	}
	return r.t, nil
}

func (f *runs) AcceptPlan(_ context.Context, id string) (task.Task, error) {
	r, err := f.called("AcceptPlan", id)
	if err != nil {
		return task.Task{}, err
	}
	if r.record().State != task.StateWaiting {
		return task.Task{}, problem.New(problem.CodeTaskNotWaiting)
	}
	close(r.accept)
	return r.record(), nil
}

// StartTask lets the task go through its states by itself; it waits with its plan like a real one.
func (f *runs) StartTask(ctx context.Context, req tasks.StartRequest) (task.Task, error) {
	err := f.refused("StartTask")
	if err == nil {
		err = computer{f.core}.chooser().CheckRuntime(req.Runtime)
	}
	if err == nil && req.ID != "" && !task.ValidID(req.ID) {
		err = problem.BadRequest("id", "%q is not one", req.ID)
	}
	if err != nil {
		return task.Task{}, err
	}
	req.Client = task.ClientOf(ctx)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := func() bool { return true }
	if !req.Detached {
		unhook = context.AfterFunc(ctx, cancel)
	}
	f.mu.Lock()
	f.n++
	r := &running{req: req, events: f.core, unhook: unhook, accept: make(chan struct{}), cancel: cancel, done: make(chan struct{}), t: task.Task{
		V: task.RecordVersion, ID: cmp.Or(req.ID, fmt.Sprintf("0195%04x-0000-7000-8000-000000000000", f.n)),
		Kind: req.Kind, Title: req.Title, State: task.StateQueued, Created: time.Now().UTC(),
		Network: cmp.Or(req.Network, task.NetworkOff), Place: task.Place{Runtime: cmp.Or(req.Runtime, "vm"), Pack: has[runtimepack.Info](f.core).Version}, Outcome: task.Outcome{Accel: req.Accel},
		Chore: req.Chore, Params: req.Params, Argv: req.Argv,
		Asked: &task.Asked{Limits: req.Limits}, Policy: task.Policy{PolicyRequest: req.PolicyRequest},
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
		r.t.AI = &task.AI{Model: req.Model, Thinking: req.Thinking, Budget: req.Budget, Servers: f.Agent.Servers && req.Client == ""}
	}
	if f.Agent.Waits != nil {
		if r.t.AI == nil {
			r.t.AI = &task.AI{}
		}
		r.t.AI.Pending = slices.Clone(f.Agent.Waits)
	}
	r.prog = attach.New(attach.Info{Terminal: req.Terminal != nil, Input: req.Interactive}, streams(req) && !req.Detached)
	f.tasks = append(f.tasks, r)
	f.started = append(f.started, req)
	f.mu.Unlock()
	t := r.record()
	go f.live(life, r, req)
	return t, nil
}

// emit writes the timeline and the stream.
func (r *running) emit(kind task.EventKind, data any) {
	r.mu.Lock()
	e := task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Task: r.t.ID, Kind: kind, Data: data}
	if numbered(kind) {
		e.Seq = int64(len(r.timeline) + 1)
		r.timeline = append(r.timeline, e)
	}
	r.mu.Unlock()
	e.Seq = 0
	r.events.Publish(e)
}

func (r *running) state(s task.State, p *problem.Problem) {
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
	r.emit(task.EventState, task.StateData{State: s, Error: p})
}

// again runs a task that is over once more, and answers with it while it is queued.
func (r *running) again(do func(), end task.State, p *problem.Problem) task.Task {
	r.state(task.StateQueued, nil)
	queued := r.record()
	go func() {
		r.state(task.StateRunning, nil)
		do()
		r.state(end, p)
	}()
	return queued
}

func (r *running) record() task.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.t
}

func (f *runs) live(ctx context.Context, r *running, req tasks.StartRequest) {
	defer close(r.done)
	defer r.prog.Close()
	defer r.cancel()
	cancelled := func() bool {
		if ctx.Err() == nil {
			return false
		}
		_ = req.Release()
		r.state(task.StateCancelled, nil)
		return true
	}
	if f.Run.Waits != "" {
		r.emit(task.EventStep, task.StepData{Step: f.Run.Waits})
	}
	r.state(task.StatePreparing, nil)
	r.emit(task.EventStep, task.StepData{Step: "boot"})
	if req.Chore != "" {
		r.emit(task.EventPlan, value[chore.Plan](f.core))
		if req.PlanOnly {
			r.state(task.StateDone, nil)
			return
		}
		if !req.Accept {
			r.state(task.StateWaiting, nil)
			r.emit(task.EventStep, task.StepData{Step: "accept"})
			select {
			case <-r.accept:
			case <-ctx.Done():
			}
		}
	}
	if cancelled() {
		return
	}
	r.state(task.StateRunning, nil)
	if req.Kind == task.KindAI {
		f.Agent.turn(r, req.Prompt, "prompt")
	}
	f.asks.put(ctx, r)
	var output []task.OutputData
	if len(req.Argv) > 0 && req.Argv[0] == "env" {
		for _, name := range slices.Sorted(maps.Keys(req.Env)) {
			output = append(output, task.OutputData{Stream: "stdout", Data: []byte(name + "=" + req.Env[name] + "\n")})
		}
	}
	output = append(output, f.Run.Output...)
	for _, o := range output {
		r.prog.Output(ctx, o.Stream, o.Data)
		if !streams(req) {
			r.emit(task.EventOutput, o)
		}
	}
	exit := f.Run.ExitCode
	if streams(req) {
		exit = f.program(ctx, r.prog)
	}
	r.emit(task.EventProgress, task.ProgressData{Done: 1, Total: 2, Item: "a.jpg"})
	if f.Endless {
		<-ctx.Done()
	}
	if cancelled() {
		return
	}
	for _, p := range f.Problems {
		r.emit(task.EventProblem, p)
	}
	r.mu.Lock()
	r.t.Problems = f.Problems
	if req.Kind == task.KindTool {
		r.t.Info = f.Run.Info
	}
	if req.Kind == task.KindExec {
		r.t.ExitCode = &exit
	}
	for _, res := range f.Results {
		r.t.Results = append(r.t.Results, res.Result)
	}
	r.mu.Unlock()
	for _, res := range f.Results {
		r.emit(task.EventResult, res.Result)
	}
	_ = req.Release()
	if f.TaskErr != nil {
		r.state(task.StateFailed, f.TaskErr)
		return
	}
	r.state(task.StateDone, nil)
}

// streams reports whether the output of a program is for those alone who are attached.
func streams(r tasks.StartRequest) bool { return r.Attached || r.Interactive || r.Terminal != nil }

// program is one that is attached to.
func (f *runs) program(ctx context.Context, p *attach.Program) int {
	defer p.Awaited(ctx)
	if f.Run.Program != nil {
		return f.Run.Program(ctx, p)
	}
	in := p.Input()
	if in == nil {
		return f.Run.ExitCode
	}
	defer context.AfterFunc(ctx, func() { _ = in.Close() })()
	for buf := make([]byte, 32<<10); ; {
		n, err := in.Read(buf)
		if err != nil {
			return f.Run.ExitCode
		}
		p.Output(ctx, "stdout", bytes.Clone(buf[:n]))
	}
}

// AttachTask joins a program until it is over.
func (f *runs) AttachTask(_ context.Context, id string, wait bool) (attach.Conn, error) {
	r, err := f.called("AttachTask", id)
	if err != nil {
		return nil, err
	}
	if r.req.Kind != task.KindExec || r.record().State.Final() {
		return nil, problem.New(problem.CodeNotAttachable).With("task", id)
	}
	return r.prog.Attach(wait), nil
}

// AttachSession joins a program that is over, where there is one.
func (f *runs) AttachSession(ctx context.Context, id string, r sessions.AttachRequest) (attach.Conn, error) {
	if f.Run.Program == nil {
		return nil, problem.New(problem.CodeNotFound).With("session", id)
	}
	p := attach.New(attach.Info{Terminal: true, Input: r.Write}, false)
	p.Output(ctx, "stdout", []byte("$ "))
	p.Close()
	return p.Attach(false), nil
}

// DetachTask lets a task go on when its caller is gone.
func (f *runs) DetachTask(_ context.Context, id string) (task.Task, error) {
	r, err := f.called("DetachTask", id)
	if err != nil {
		return task.Task{}, err
	}
	r.unhook()
	r.prog.AwaitNobody()
	return r.record(), nil
}

func (f *runs) CancelTask(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.cancel()
	<-r.done
	return r.record(), nil
}

// Work implements background.Controller.
func (f *runs) Work() (w registry.Work) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.tasks {
		if t := r.record(); !t.State.Final() {
			w.Tasks = append(w.Tasks, t.ID)
		}
	}
	return w
}

// Retire implements background.Controller. The fake lets more begin.
func (f *runs) Retire() registry.Work { return f.Work() }

func (f *runs) DeleteTask(_ context.Context, id string, abandonUndo bool) error {
	r, err := f.called("DeleteTask", id)
	if err = unlessAbandoned(err, abandonUndo); err != nil {
		return err
	}
	if !r.record().State.Final() {
		return &problem.Problem{Code: problem.CodeTaskRunning, Severity: problem.Failed}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks = slices.DeleteFunc(f.tasks, func(t *running) bool { return t == r })
	return nil
}

func (f *runs) Timeline(_ context.Context, id string, after int64) ([]task.Event, error) {
	r, err := f.find(id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.timeline), func(e task.Event) bool { return e.Seq <= after }), nil
}

func (f *runs) OpenResult(_ context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error) {
	if _, err := f.find(id); err != nil {
		return nil, task.Result{}, err
	}
	if index < 0 || index >= len(f.Results) {
		return nil, task.Result{}, notFound(fmt.Sprintf("%s, result %d", id, index))
	}
	return held{bytes.NewReader(f.Results[index].Data)}, f.Results[index].Result, nil
}

func (f *runs) Tasks(ctx context.Context) ([]task.Task, error) {
	return f.FindTasks(ctx, task.Filter{})
}

// FindTasks searches titles for the text as it is.
func (f *runs) FindTasks(_ context.Context, filter task.Filter) ([]task.Task, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []task.Task{}
	for _, r := range slices.Backward(f.tasks) {
		t := r.record()
		if strings.Contains(t.Title, filter.Text) && filter.Means(t) && (filter.Limit == 0 || len(all) < filter.Limit) {
			all = append(all, t)
		}
	}
	return all, f.refused("Tasks")
}

func (f *runs) RenameTask(_ context.Context, id string, req tasks.RenameRequest) (task.Task, error) {
	return f.edited("RenameTask", id, func(t *task.Task) error {
		t.Title, t.Titled = req.Title, req.Title != ""
		return nil
	})
}

func (f *runs) StartAgain(ctx context.Context, id string, again tasks.AgainRequest) (task.Task, error) {
	r, err := f.called("StartAgain", id)
	if err != nil {
		return task.Task{}, err
	}
	req := r.req
	req.ID, req.Accept, req.Detached = again.ID, again.Accept, again.Detached
	req.Runtime = cmp.Or(again.Runtime, req.Runtime)
	return f.StartTask(ctx, req)
}

func (f *runs) AddFolder(_ context.Context, id string, req task.FolderRequest) (task.Task, error) {
	folder := task.Folder{Path: req.Path, Name: path.Base(filepath.ToSlash(req.Path)), Mode: cmp.Or(req.Mode, task.ModeReadOnly)}
	return f.changeFolders(id, "AddFolder", func(t *task.Task) (task.Folder, error) {
		folder.ID = fmt.Sprintf("f%d", len(t.Folders)+1)
		t.Folders = append(slices.Clone(t.Folders), folder)
		return folder, nil
	})
}

func (f *runs) RemoveFolder(_ context.Context, id, folder string) (task.Task, error) {
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

func (f *runs) changeFolders(id, method string, change func(*task.Task) (task.Folder, error)) (task.Task, error) {
	var folder task.Folder
	t, err := f.edited(method, id, func(t *task.Task) (err error) {
		if t.State.Final() {
			p := problem.New(problem.CodeFoldersFixed).With("task", id)
			p.Cause = "over"
			return p
		}
		folder, err = change(t)
		return err
	})
	if err == nil {
		r, _ := f.find(id)
		r.emit(task.EventFolder, task.FolderData{Folder: folder, By: "person"})
	}
	return t, err
}

func (f *runs) ExportTask(_ context.Context, id string) (io.ReadCloser, error) {
	if _, err := f.find(id); err != nil {
		return nil, err
	}
	if f.Export == nil {
		return nil, problem.New(problem.CodeNotFound).With("task", id)
	}
	return io.NopCloser(bytes.NewReader(f.Export)), f.refused("ExportTask")
}

// ExportAudit is of the service.
func (f *runs) ExportAudit(context.Context) (io.ReadCloser, error) {
	if err := f.asked("ExportAudit"); err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(f.Audit)), nil
}
