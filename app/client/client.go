package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"piwork/app/audit"
	"piwork/app/history"
	"piwork/app/runtimepack"
	"piwork/app/tasks"
	"strconv"
	"time"

	"piwork/app/api"
	"piwork/app/changes"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

const (
	maxAnswer = 256 << 20 // of one JSON answer; a controller of the same user is trusted, a fault is not
	maxError  = 1 << 20
)

// Client is an api.Service over HTTP. It may be used by several goroutines.
type Client struct {
	http *http.Client
	base string // never resolved: the transport knows where to go
	log  *slog.Logger
}

var _ api.Service = (*Client)(nil)

// New makes a Client on a transport of this package.
func New(rt http.RoundTripper, log *slog.Logger) *Client {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Client{
		http: &http.Client{
			Transport:     rt,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		base: "http://piwork",
		log:  log,
	}
}

// UnreachableError says that no answer came: the controller is not there, or
// went away.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string {
	return "the running piwork does not answer: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// do sends one request, in as JSON or, of an io.Reader, as it is; the caller closes the body of a success.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, in any, header http.Header) (*http.Response, error) {
	body, raw := in.(io.Reader)
	if in != nil && !raw {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("request %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(data)
	}
	u := c.base + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u, body)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if in != nil && !raw {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &UnreachableError{Err: err}
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, problemOf(res)
}

// problemOf reads the error of an answer.
func problemOf(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	var e api.Error
	if err != nil || kind != "application/problem+json" || json.Unmarshal(data, &e) != nil || e.Code == "" {
		return &UnreachableError{Err: fmt.Errorf("unexpected answer %s (%s)", res.Status, kind)}
	}
	p := e.Problem
	p.Title, p.Detail = e.Title, e.Detail
	for _, d := range e.Errors { // what does not fit in a bad request
		p.Details += fmt.Sprintf("; %s %s", d.Location, d.Message)
	}
	return &p
}

// call sends in as JSON and reads a T.
func call[T any](ctx context.Context, c *Client, method, path string, query url.Values, in any) (T, error) {
	res, err := c.do(ctx, method, path, query, in, nil)
	if err != nil {
		var out T
		return out, err
	}
	defer res.Body.Close()
	return decode[T](ctx, res)
}

// decode reads the T of an answer.
func decode[T any](ctx context.Context, res *http.Response) (T, error) {
	var out T
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&out); err != nil {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		return out, &UnreachableError{Err: fmt.Errorf("answer to %s %s: %w", res.Request.Method, res.Request.URL.Path, err)}
	}
	return out, nil
}

// remove deletes what a path names.
func (c *Client) remove(ctx context.Context, path string) error {
	res, err := c.do(ctx, http.MethodDelete, path, nil, nil, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func taskPath(id string, rest ...string) string {
	p := "/api/tasks/" + url.PathEscape(id)
	for _, r := range rest {
		p += "/" + r
	}
	return p
}

// Status implements api.Service.
func (c *Client) Status(ctx context.Context, recheck bool) (setup.Report, error) {
	if recheck {
		return call[setup.Report](ctx, c, http.MethodPost, "/api/status/check", nil, nil)
	}
	return call[setup.Report](ctx, c, http.MethodGet, "/api/status", nil, nil)
}

// SetSlowMode implements api.Service.
func (c *Client) SetSlowMode(ctx context.Context, on bool) (setup.Report, error) {
	return call[setup.Report](ctx, c, http.MethodPost, "/api/settings/slow-mode", nil, api.SwitchRequest{On: on})
}

// Packs implements api.Service.
func (c *Client) Packs(ctx context.Context) ([]runtimepack.Info, error) {
	return call[[]runtimepack.Info](ctx, c, http.MethodGet, "/api/packs", nil, nil)
}

// VerifyPack implements api.Service.
func (c *Client) VerifyPack(ctx context.Context, file string) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, http.MethodPost, "/api/packs/verify", nil, api.FileRequest{File: file})
}

// InstallPack implements api.Service.
func (c *Client) InstallPack(ctx context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error) {
	defer c.packProgress(ctx, progress)()
	return call[runtimepack.Info](ctx, c, http.MethodPost, "/api/packs/install", nil, api.FileRequest{File: file})
}

// packProgress calls progress with what events of kind pack count, from now on
// until the function it returns is called.
func (c *Client) packProgress(ctx context.Context, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	watch, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	ready := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		_ = c.Events(watch, EventsOptions{Ready: ready}, func(e task.Event) error {
			if d, ok := e.Data.(task.PackData); ok && e.Kind == task.EventPack && !e.Time.Before(began) {
				progress(d.Done, d.Total)
			}
			return nil
		})
	}()
	select { // no progress is lost, and a stream that cannot be had stops nothing
	case <-ready:
	case <-done:
	}
	return func() { cancel(); <-done }
}

// Chores implements api.Service.
func (c *Client) Chores(ctx context.Context) ([]chore.Info, error) {
	return call[[]chore.Info](ctx, c, http.MethodGet, "/api/chores", nil, nil)
}

// Task implements api.Service.
func (c *Client) Task(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodGet, taskPath(id), nil, nil)
}

// StartTask implements api.Service; see the package comment for its context.
func (c *Client) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	if r.Folders == nil {
		r.Folders = []task.FolderRequest{}
	}
	t, err := call[task.Task](ctx, c, http.MethodPost, "/api/tasks", nil, r)
	if err == nil && !r.Detached {
		go c.hold(ctx, t.ID)
	}
	return t, err
}

// AcceptPlan implements api.Service.
func (c *Client) AcceptPlan(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPost, taskPath(id, "accept"), nil, nil)
}

// Plan implements api.Service.
func (c *Client) Plan(ctx context.Context, id string) (chore.Plan, error) {
	return call[chore.Plan](ctx, c, http.MethodGet, taskPath(id, "plan"), nil, nil)
}

// CancelTask implements api.Service.
func (c *Client) CancelTask(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPost, taskPath(id, "cancel"), nil, nil)
}

// Timeline implements api.Service. The data of events has the types of
// [DecodeEvent].
func (c *Client) Timeline(ctx context.Context, id string, after int64) ([]task.Event, error) {
	raw, err := call[[]json.RawMessage](ctx, c, http.MethodGet, taskPath(id, "timeline"),
		url.Values{"after": {strconv.FormatInt(after, 10)}}, nil)
	if err != nil {
		return nil, err
	}
	events := make([]task.Event, 0, len(raw))
	for _, line := range raw {
		e, err := DecodeEvent(line)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// Changes implements api.Service.
func (c *Client) Changes(ctx context.Context, id string) ([]journal.Change, error) {
	return call[[]journal.Change](ctx, c, http.MethodGet, taskPath(id, "changes"), nil, nil)
}

// Undo implements api.Service.
func (c *Client) Undo(ctx context.Context, id string, r history.UndoRequest) (history.UndoReport, error) {
	return call[history.UndoReport](ctx, c, http.MethodPost, taskPath(id, "undo"), nil, r)
}

// CompareChange implements api.Service.
func (c *Client) CompareChange(ctx context.Context, id, change string) (changes.Comparison, error) {
	return call[changes.Comparison](ctx, c, http.MethodGet, taskPath(id, "changes", url.PathEscape(change)), nil, nil)
}

// Redo implements api.Service.
func (c *Client) Redo(ctx context.Context, id string, r history.RedoRequest) (history.RedoReport, error) {
	return call[history.RedoReport](ctx, c, http.MethodPost, taskPath(id, "redo"), nil, r)
}

// Apply implements api.Service.
func (c *Client) Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error) {
	return call[history.ApplyReport](ctx, c, http.MethodPost, taskPath(id, "apply"), nil, r)
}

// UndoSpace implements api.Service.
func (c *Client) UndoSpace(ctx context.Context, id string) (history.UndoSpace, error) {
	return call[history.UndoSpace](ctx, c, http.MethodGet, taskPath(id, "undo"), nil, nil)
}

// ForgetUndo implements api.Service.
func (c *Client) ForgetUndo(ctx context.Context, id string) (history.UndoSpace, error) {
	return call[history.UndoSpace](ctx, c, http.MethodDelete, taskPath(id, "undo"), nil, nil)
}

// UndoKeeping implements api.Service.
func (c *Client) UndoKeeping(ctx context.Context) (history.UndoKeeping, error) {
	return call[history.UndoKeeping](ctx, c, http.MethodGet, "/api/settings/undo", nil, nil)
}

// SetUndoKeeping implements api.Service.
func (c *Client) SetUndoKeeping(ctx context.Context, s history.UndoSettings) (history.UndoKeeping, error) {
	return call[history.UndoKeeping](ctx, c, http.MethodPost, "/api/settings/undo", nil, s)
}

// AuditVerify implements api.Service.
func (c *Client) AuditVerify(ctx context.Context) (audit.Report, error) {
	return call[audit.Report](ctx, c, http.MethodGet, "/api/audit/verify", nil, nil)
}

// Health asks whether the controller answers.
func (c *Client) Health(ctx context.Context) (api.Health, error) {
	return call[api.Health](ctx, c, http.MethodGet, "/_health", nil, nil)
}

// About asks what the controller's program is.
func (c *Client) About(ctx context.Context) (api.About, error) {
	return call[api.About](ctx, c, http.MethodGet, "/_manifest", nil, nil)
}

// IsUnreachable reports whether no answer came at all.
func IsUnreachable(err error) bool {
	var u *UnreachableError
	return errors.As(err, &u)
}

// problemCode is the code of an error, "" for none.
func problemCode(err error) string {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}
