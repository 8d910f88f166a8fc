package toolroute

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/tools"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/online"
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
	maxKind   = 64
)

// request is one request for an operation.
type request struct {
	*route
	call   tasks.ToolCall
	req    tasks.StartRequest
	events bool          // the answer is a stream
	file   bool          // the answer may be the file itself
	async  bool          // the answer is the task
	limit  time.Duration // of the operation's work
}

// serve answers a request for an operation.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, t *route) {
	if err := s.runTool(w, r, t); err != nil {
		e := toolError(err)
		if e.Status >= http.StatusInternalServerError {
			s.Log.Warn("api: failed", "request", task.RequestID(r.Context()), "operation", t.Name, "code", e.Code, "error", err)
		}
		answer.Write(w, r, e)
	}
}

// toolError is FromService of package answer, but what does not fit in a call names its place.
func toolError(err error) *answer.Error {
	var whole *answer.Error
	e := answer.FromService(err)
	if errors.As(err, &whole) || e.Code != problem.CodeBadRequest {
		return e
	}
	e = answer.NewError(http.StatusUnprocessableEntity, &e.Problem, e.Detail)
	if field, isText := e.Params["field"].(string); isText {
		e.Errors = []*huma.ErrorDetail{{Message: strings.TrimPrefix(e.Details, field+": "), Location: "body." + field}}
	}
	return e
}

// runTool runs an operation. Its errors are the answer; with nil there was one.
func (s *Server) runTool(w http.ResponseWriter, r *http.Request, t *route) error {
	run := &request{route: t, async: prefersAsync(r.Header), events: accepts(r.Header, "text/event-stream")}
	started := false
	defer func() {
		if run.call.Upload != nil && !started {
			if err := run.call.Upload.Close(); err != nil {
				s.Log.Error("api: what a request brought could not be removed", "request", task.RequestID(r.Context()), "error", err)
			}
		}
	}()
	for name := range r.URL.Query() {
		return answer.Invalid(http.StatusUnprocessableEntity, "validation failed", &huma.ErrorDetail{Message: "unknown query parameter", Location: "query." + short(name)})
	}
	if err := s.readCall(w, r, run); err != nil {
		return err
	}
	if err := run.check(r.Context()); err != nil {
		return err
	}
	if run.async {
		run.req.Detached = true
		rec, err := s.Service.StartTask(context.WithoutCancel(r.Context()), run.req)
		if err != nil {
			return err
		}
		started = true
		w.Header().Set("Preference-Applied", "respond-async")
		return answerJSON(w, r, http.StatusAccepted, rec.ID, rec)
	}
	f := &follower{s: s, start: startPatience, limit: run.limit + endPatience}
	var err error
	if run.req.ID, err = task.NewID(); err != nil {
		return err
	}
	f.events, f.leave = s.Service.Subscribe(task.EventFilter{After: task.OnlyNew, Task: run.req.ID, Wait: true}) // before there is anything to hear
	defer func() { f.leave() }()
	rec, err := s.Service.StartTask(r.Context(), run.req)
	if err != nil {
		return err
	}
	started = true
	f.id = rec.ID
	if run.events {
		s.streamTool(r.Context(), w, run, f)
		return nil
	}
	made, err := s.finished(r.Context(), run, f)
	if err != nil {
		w.Header().Set("Location", taskURL(rec.ID))
		return err
	}
	if run.file && len(made.Files) == 1 && len(made.Problems) == 0 {
		return s.answerFile(w, r, made)
	}
	return answerJSON(w, r, http.StatusOK, rec.ID, made)
}

// readCall reads what is asked for, and the files that come with it.
func (s *Server) readCall(w http.ResponseWriter, r *http.Request, run *request) (err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := door.NewPatient(w, r, s.Stall)
	defer body.Done()
	switch {
	case kind == "application/json", kind == "" && r.Header.Get("Content-Type") == "":
		run.call, err = run.readJSON(body)
	case kind == "multipart/form-data" && run.takesForm():
		uploader, can := s.Service.(Uploader)
		if !can {
			return problem.New(problem.CodeUnsupported).With("what", "upload").
				Because(errors.New("another process of piwork does the work: files that lie on this computer can be named"))
		}
		run.file = !run.events && !accepts(r.Header, "application/json")
		run.call, err = run.readForm(r, body, uploader)
	default:
		return answer.Simple(http.StatusUnsupportedMediaType, problem.CodeBadRequest, fmt.Sprintf("the body cannot be %q", r.Header.Get("Content-Type")))
	}
	return err
}

// check makes the request of a task; what does not fit is known before anything
// is started.
func (run *request) check(ctx context.Context) error {
	c := access.ClientOf(ctx)
	start := run.call.Request
	if run.call.Upload == nil && !c.May(access.Manage) {
		start = func() (tasks.StartRequest, error) { return c.Tool(run.call.Call) }
	}
	req, err := start()
	if err != nil {
		return err
	}
	req.Runtime = run.call.Runtime
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
		if st, err := drive.Stat(ctx, in); err == nil {
			if file, _ := online.Of(in, st); file {
				load.Bytes += st.Size()
			}
		}
	}
	run.req, run.limit = req, run.op.Limits(load).Wall
	return nil
}

// finished waits for the end of the task and makes the answer.
func (s *Server) finished(ctx context.Context, run *request, f *follower) (Answer, error) {
	rec, err := f.follow(ctx)
	if err != nil {
		return Answer{}, err
	}
	return s.toolAnswer(ctx, run, rec)
}

// streamTool answers with the events of the task, and its end.
func (s *Server) streamTool(ctx context.Context, w http.ResponseWriter, run *request, f *follower) {
	w.Header().Set("Location", taskURL(f.id))
	out := answer.NewEventWriter(w)
	f.heard, f.idle = out.Event, out.Beat
	var last any
	name := "result"
	made, err := s.finished(ctx, run, f)
	if last = made; err != nil {
		e := toolError(err)
		e.Instance = answer.Instance(ctx)
		name, last = "problem", e
	}
	if err := out.Named(name, last); err != nil {
		s.Log.Debug("api: stream ended", "request", task.RequestID(ctx), "reason", err)
	}
}

// follower waits for the end of a task.
type follower struct {
	s      *Server
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
	beat := time.NewTicker(f.s.Heartbeat)
	defer beat.Stop()
	if f.idle != nil {
		if err := f.idle(); err != nil {
			return task.Task{}, err
		}
	}
	for {
		select {
		case <-ctx.Done():
			return task.Task{}, problem.From(context.Cause(ctx))
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
				return f.s.Service.Task(ctx, f.id)
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
	f.events, f.leave = f.s.Service.Subscribe(task.EventFilter{After: max(f.last, 1), Task: f.id, Wait: true})
	rec, err := f.s.Service.Task(ctx, f.id)
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
	if _, err := f.s.Service.CancelTask(ctx, f.id); err != nil {
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
