// Package apitest has a scripted Service, so that the API, its client and
// the command line are tested without a machine. What it answers is decided by
// its fields; it keeps the contract of Service where that is about time:
// a record stands before StartTask returns, a task that is not detached ends
// with its context, and events are numbered.
package apitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"piwork/app/audit"
	"piwork/app/runtimepack"
	"piwork/app/tasks"
	"sync"
	"time"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
)

// Fake is an Service. The zero value is ready and has two chores.
type Fake struct {
	Report     setup.Report
	NotReady   *problem.Problem // StartTask answers this
	Refuse     map[string]error // by method name
	Pack       runtimepack.Info
	PlanOf     chore.Plan
	Problems   []problem.Problem // what a task could not do
	TaskErr    *problem.Problem  // how a task fails
	ExitCode   int               // of exec
	Output     []task.OutputData // of exec
	Endless    bool              // tasks run until they are cancelled
	Changed    Changed
	Consent    Consent
	Agent      Agent
	Beforehand Beforehand
	Audit      audit.Report
	Results    []ResultFile
	Info       []any  // of tool
	UploadDir  string // where uploads are kept; "" refuses them
	InstallHas int64  // bytes that InstallPack counts
	Updates    Updates
	Machinery  Machinery
	Wizardry   Wizardry
	Desk       Desk
	Waits      string // what tasks wait for before they begin: a step
	Export     []byte // of every task

	mu      sync.Mutex
	n       int
	seq     int64
	events  []task.Event
	subs    map[chan task.Event]func()
	tasks   []*running // oldest first
	started []tasks.StartRequest
	slow    bool
}

// ResultFile is a result and its bytes.
type ResultFile struct {
	task.Result
	Data []byte
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

var _ tasks.Uploader = (*Fake)(nil)

// NewUpload implements app.Uploader.
func (f *Fake) NewUpload(context.Context) (*tasks.Upload, error) {
	if f.UploadDir == "" {
		return nil, problem.New(problem.CodeUnsupported).With("what", "upload")
	}
	return tasks.NewUploadIn(f.UploadDir)
}

// Started are the requests so far.
func (f *Fake) Started() []tasks.StartRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]tasks.StartRequest(nil), f.started...)
}

func (f *Fake) refused(method string) error { return f.Refuse[method] }

// Publish gives an event a number, unless it is a delta, and sends it.
func (f *Fake) Publish(e task.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.V = task.RecordVersion
	e.Time = time.Now().UTC()
	if e.Kind != task.EventProgress && e.Kind != task.EventOutput && e.Kind != task.EventDelta {
		f.seq++
		e.Seq = f.seq
		f.events = append(f.events, e)
	}
	for c, end := range f.subs {
		select {
		case c <- e:
		default:
			end()
		}
	}
}

// Subscribe implements Service.
func (f *Fake) Subscribe(after int64) (<-chan task.Event, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := make(chan task.Event, 1024+len(f.events))
	for _, e := range f.events {
		if e.Seq > after {
			c <- e
		}
	}
	if f.subs == nil {
		f.subs = map[chan task.Event]func(){}
	}
	f.subs[c] = func() { delete(f.subs, c); close(c) }
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if end := f.subs[c]; end != nil {
			end()
		}
	}
}

// Hangup ends every subscription, as for readers that are too slow.
func (f *Fake) Hangup() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, end := range f.subs {
		end()
	}
}

// Subscribers counts the streams.
func (f *Fake) Subscribers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subs)
}

// Status implements Service.
func (f *Fake) Status(_ context.Context, recheck bool) (setup.Report, error) {
	r := f.Report
	r.Accel.SlowMode = r.Accel.SlowMode || f.slow
	if recheck {
		r.Time = r.Time.Add(time.Second)
	}
	return r, f.refused("Status")
}

// SetSlowMode implements Service.
func (f *Fake) SetSlowMode(ctx context.Context, on bool) (setup.Report, error) {
	f.slow = on
	return f.Status(ctx, true)
}

// Packs implements Service.
func (f *Fake) Packs(context.Context) ([]runtimepack.Info, error) {
	if f.Updates.Packs != nil {
		return f.Updates.Packs, f.refused("Packs")
	}
	if f.Pack.Version == "" {
		return nil, f.refused("Packs")
	}
	return []runtimepack.Info{f.Pack}, f.refused("Packs")
}

// VerifyPack implements Service.
func (f *Fake) VerifyPack(context.Context, string) (runtimepack.Info, error) {
	return f.Pack, f.refused("VerifyPack")
}

// InstallPack implements Service.
func (f *Fake) InstallPack(_ context.Context, _ string, progress func(done, total int64)) (runtimepack.Info, error) {
	for n := int64(1); n <= f.InstallHas; n++ {
		if progress != nil {
			progress(n, f.InstallHas)
		}
		f.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: n, Total: f.InstallHas}})
	}
	return f.Pack, f.refused("InstallPack")
}

// Chores implements Service.
func (f *Fake) Chores(context.Context) ([]chore.Info, error) {
	return []chore.Info{{
		Name: "pictures-to-pdf",
		Params: []chore.ParamInfo{
			{Name: "name", Type: "string", Default: "Pictures.pdf"},
			{Name: "recursive", Type: "bool", Default: false},
			{Name: "count", Type: "int", Default: 3},
			{Name: "order", Type: "choice", Default: "name", Choices: []string{"name", "time"}},
		},
		Effects: []chore.Effect{chore.EffectCreate},
	}, {
		Name: "summarise-notes", Params: []chore.ParamInfo{}, Effects: []chore.Effect{chore.EffectCreate},
		AI: &chore.AIPart{Results: []string{"Summary.md"}},
	}, {
		Name: "unlock-pdf", Params: []chore.ParamInfo{{Name: "password", Type: chore.TypePassword, Default: ""}},
		Effects: []chore.Effect{chore.EffectCreate},
	}}, f.refused("Chores")
}

func notFound(id string) error {
	return &problem.Problem{Code: problem.CodeNotFound, Severity: problem.Failed, Details: "task " + id}
}

func (f *Fake) find(id string) (*running, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.tasks {
		if r.t.ID == id {
			return r, nil
		}
	}
	return nil, notFound(id)
}

func (r *running) record() task.Task {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.t
}

// Task implements Service.
func (f *Fake) Task(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	return r.record(), nil
}

// AcceptPlan implements Service.
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

// Plan implements Service.
func (f *Fake) Plan(_ context.Context, id string) (chore.Plan, error) {
	if _, err := f.find(id); err != nil {
		return chore.Plan{}, err
	}
	return f.PlanOf, nil
}

// CancelTask implements Service.
func (f *Fake) CancelTask(_ context.Context, id string) (task.Task, error) {
	r, err := f.find(id)
	if err != nil {
		return task.Task{}, err
	}
	r.cancel()
	<-r.done
	return r.record(), nil
}

// DeleteTask implements Service.
func (f *Fake) DeleteTask(_ context.Context, id string) error {
	r, err := f.find(id)
	if err != nil {
		return err
	}
	if err := f.refused("DeleteTask"); err != nil {
		return err
	}
	if !r.record().State.Final() {
		return &problem.Problem{Code: problem.CodeTaskRunning, Severity: problem.Failed}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.tasks {
		if f.tasks[i] == r {
			f.tasks = append(f.tasks[:i], f.tasks[i+1:]...)
			break
		}
	}
	return nil
}

// Timeline implements Service.
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

// OpenResult implements Service.
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

// AuditVerify implements Service.
func (f *Fake) AuditVerify(context.Context) (audit.Report, error) {
	return f.Audit, f.refused("AuditVerify")
}
