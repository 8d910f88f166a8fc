package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"piwork/app/tasks"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/access"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/tools"
)

const (
	// startPatience is how long a caller waits for a machine: it may have to boot
	// without acceleration, and others may be at work.
	startPatience = 15 * time.Minute
	// endPatience is what an operation gets beyond its own limit, for the folders to
	// be closed and results to be kept.
	endPatience = time.Minute

	maxPath   = 4096 // bytes
	maxPrefer = 200
)

// toolRun is one request for an operation.
type toolRun struct {
	*toolRoute
	call   tasks.ToolCall
	req    tasks.StartRequest
	events bool          // the answer is a stream
	file   bool          // the answer may be the file itself
	async  bool          // the answer is the task
	limit  time.Duration // of the operation's work
}

// serveTool answers a request for an operation.
func (a *API) serveTool(w http.ResponseWriter, r *http.Request, t *toolRoute) {
	if err := a.runTool(w, r, t); err != nil {
		e := toolError(err)
		if e.Status >= http.StatusInternalServerError {
			a.log.Warn("api: failed", "request", task.RequestID(r.Context()), "operation", t.Name, "code", e.Code, "error", err)
		}
		writeError(w, r, e)
	}
}

// toolError is fromService, but what does not fit in a call names its place.
func toolError(err error) *Error {
	var whole *Error
	e := fromService(err)
	if errors.As(err, &whole) || e.Code != problem.CodeBadRequest {
		return e
	}
	e = newError(http.StatusUnprocessableEntity, &e.Problem, e.Detail)
	if field, isText := e.Params["field"].(string); isText {
		e.Errors = []*huma.ErrorDetail{{Message: strings.TrimPrefix(e.Details, field+": "), Location: "body." + field}}
	}
	return e
}

// runTool runs an operation. Its errors are the answer; with nil there was one.
func (a *API) runTool(w http.ResponseWriter, r *http.Request, t *toolRoute) error {
	run := &toolRun{toolRoute: t, async: prefersAsync(r.Header), events: accepts(r.Header, "text/event-stream")}
	started := false
	defer func() {
		if run.call.Upload != nil && !started {
			if err := run.call.Upload.Close(); err != nil {
				a.log.Error("api: what a request brought could not be removed", "request", task.RequestID(r.Context()), "error", err)
			}
		}
	}()
	if err := a.readCall(w, r, run); err != nil {
		return err
	}
	if err := run.check(access.ClientOf(r.Context())); err != nil {
		return err
	}
	if run.async {
		run.req.Detached = true
		rec, err := a.service.StartTask(context.WithoutCancel(r.Context()), run.req)
		if err != nil {
			return err
		}
		started = true
		w.Header().Set("Preference-Applied", "respond-async")
		return answerJSON(w, r, http.StatusAccepted, rec.ID, rec)
	}
	f := &follower{a: a, start: startPatience, limit: run.limit + endPatience}
	var err error
	if run.req.ID, err = task.NewID(); err != nil {
		return err
	}
	f.events, f.leave = a.service.Subscribe(task.EventFilter{After: task.OnlyNew, Task: run.req.ID, Wait: true}) // before there is anything to hear
	defer func() { f.leave() }()
	rec, err := a.service.StartTask(r.Context(), run.req)
	if err != nil {
		return err
	}
	started = true
	f.id = rec.ID
	if run.events {
		a.streamTool(r.Context(), w, run, f)
		return nil
	}
	answer, err := a.finished(r.Context(), run, f)
	if err != nil {
		w.Header().Set("Location", taskURL(rec.ID))
		return err
	}
	if run.file && len(answer.Files) == 1 && len(answer.Problems) == 0 {
		return a.answerFile(w, r, answer)
	}
	return answerJSON(w, r, http.StatusOK, rec.ID, answer)
}

// readCall reads what is asked for, and the files that come with it.
func (a *API) readCall(w http.ResponseWriter, r *http.Request, run *toolRun) (err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := a.newPatient(w, r)
	defer body.done()
	switch {
	case kind == "application/json", kind == "" && r.Header.Get("Content-Type") == "":
		run.call, err = run.readJSON(body)
	case kind == "multipart/form-data" && run.takesForm():
		uploader, can := a.service.(tasks.Uploader)
		if !can {
			return problem.New(problem.CodeUnsupported).With("what", "upload").
				Because(errors.New("another process of piwork does the work: files that lie on this computer can be named"))
		}
		run.file = !run.events && !accepts(r.Header, "application/json")
		run.call, err = run.readForm(r, body, uploader)
	default:
		return simple(http.StatusUnsupportedMediaType, problem.CodeBadRequest, fmt.Sprintf("the body cannot be %q", r.Header.Get("Content-Type")))
	}
	return err
}

// check makes the request of a task; what does not fit is known before anything
// is started.
func (run *toolRun) check(c *access.Client) error {
	request := run.call.Request
	if run.call.Upload == nil && !c.May(access.Manage) {
		request = func() (tasks.StartRequest, error) { return c.Tool(run.call.Call) }
	}
	req, err := request()
	if err != nil {
		return err
	}
	folders := req.Folders
	if run.call.Upload != nil {
		req.Folders = nil // the only one is piwork's own
	}
	if err := c.Start(&req); err != nil {
		return err
	}
	if run.call.Upload != nil {
		req.Folders = folders
	}
	if _, err := run.op.Check(*req.Tool); err != nil {
		return err
	}
	load := tools.Load{Inputs: len(run.call.In)}
	for _, in := range run.call.In {
		if !c.May(access.Manage) && run.call.Upload == nil {
			break // a link would be followed here
		}
		if st, err := os.Stat(in); err == nil && st.Mode().IsRegular() {
			load.Bytes += st.Size()
		}
	}
	run.req, run.limit = req, run.op.Limits(load).Wall
	return nil
}

// finished waits for the end of the task and makes the answer.
func (a *API) finished(ctx context.Context, run *toolRun, f *follower) (ToolAnswer, error) {
	rec, err := f.follow(ctx)
	if err != nil {
		return ToolAnswer{}, err
	}
	return a.toolAnswer(ctx, run, rec)
}

// streamTool answers with the events of the task, and its end.
func (a *API) streamTool(ctx context.Context, w http.ResponseWriter, run *toolRun, f *follower) {
	w.Header().Set("Location", taskURL(f.id))
	out := newEventWriter(w)
	f.heard, f.idle = out.event, out.beat
	var last any
	name := "result"
	answer, err := a.finished(ctx, run, f)
	if last = answer; err != nil {
		e := toolError(err)
		e.Instance = instance(ctx)
		name, last = "problem", e
	}
	if err := out.named(name, last); err != nil {
		a.log.Debug("api: stream ended", "request", task.RequestID(ctx), "reason", err)
	}
}

// follower waits for the end of a task.
type follower struct {
	a      *API
	id     string
	events <-chan task.Event
	leave  func()
	start  time.Duration          // until it has a machine
	limit  time.Duration          // from then on
	heard  func(task.Event) error // nil: nobody wants to know
	idle   func() error           // now and then; likewise

	last int64 // event that was heard
}

// follow returns the record of a task that is over. The task ends with ctx; when
// it takes longer than it may, it is cancelled.
func (f *follower) follow(ctx context.Context) (task.Task, error) {
	patience := time.NewTimer(f.start)
	defer patience.Stop()
	beat := time.NewTicker(f.a.opts.Heartbeat)
	defer beat.Stop()
	if f.idle != nil {
		if err := f.idle(); err != nil {
			return task.Task{}, err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return task.Task{}, problem.New(problem.CodeCancelled).Because(context.Cause(ctx))
		case <-patience.C:
			return task.Task{}, f.giveUp(ctx)
		case <-beat.C:
			if f.idle != nil {
				if err := f.idle(); err != nil {
					return task.Task{}, err
				}
			}
		case e, open := <-f.events:
			if !open {
				if over, err := f.again(ctx); err != nil || over.State.Final() {
					return over, err
				}
				continue
			}
			f.last = max(f.last, e.Seq)
			if e.Task != f.id {
				continue
			}
			if f.heard != nil {
				if err := f.heard(e); err != nil {
					return task.Task{}, err
				}
			}
			state, _ := e.Data.(task.StateData)
			switch {
			case e.Kind != task.EventState:
			case state.State.Final():
				return f.a.service.Task(ctx, f.id)
			case state.State == task.StateRunning:
				patience.Reset(f.limit)
			}
		}
	}
}

// again subscribes after the last event that was heard, for a stream that ended
// because it was slow. The record says whether the end was missed.
func (f *follower) again(ctx context.Context) (task.Task, error) {
	f.leave()
	f.events, f.leave = f.a.service.Subscribe(task.EventFilter{After: max(f.last, 1), Task: f.id, Wait: true})
	rec, err := f.a.service.Task(ctx, f.id)
	if err != nil || rec.State.Final() {
		return rec, err
	}
	select { // a service that ends closes every stream at once
	case <-ctx.Done():
	case <-time.After(resubscribePause):
	}
	return task.Task{}, nil
}

const resubscribePause = 100 * time.Millisecond

// giveUp cancels the task.
func (f *follower) giveUp(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer stop()
	p := problem.New(problem.CodeTimeout).With("task", f.id)
	if _, err := f.a.service.CancelTask(ctx, f.id); err != nil {
		return p.Because(err)
	}
	return p
}

// accepts reports whether a media type is among those that are asked for by name.
func accepts(h http.Header, want string) bool {
	for _, line := range h.Values("Accept") {
		for one := range strings.SplitSeq(line, ",") {
			if kind, _, _ := mime.ParseMediaType(one); kind == want {
				return true
			}
		}
	}
	return false
}

// prefersAsync reports whether the caller does not want to wait (RFC 7240).
func prefersAsync(h http.Header) bool {
	for _, line := range h.Values("Prefer") {
		for one := range strings.SplitSeq(line, ",") {
			if name, _, _ := strings.Cut(one, ";"); strings.EqualFold(strings.TrimSpace(name), "respond-async") {
				return true
			}
		}
	}
	return false
}

func taskURL(id string) string { return "/v1/tasks/" + id }
