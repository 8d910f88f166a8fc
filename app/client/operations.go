package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"piwork/app/actions"
	"piwork/app/api"
	"piwork/app/audit"
	"piwork/app/runtimepack"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/upkeep"
	"piwork/vmhost/wire"
)

// Operations that are more than one request and one answer. The others are generated.

// Status returns the last report on this computer; with recheck everything is checked again.
func (c *Client) Status(ctx context.Context, recheck bool) (setup.Report, error) {
	route := "GET /v1/status"
	if recheck {
		route = "POST /v1/status/check"
	}
	return call[setup.Report](ctx, c, route, nil, nil)
}

// VerifyPack checks that a signature covers every byte of a file.
func (c *Client) VerifyPack(ctx context.Context, file string) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, "POST /v1/packs/verify", nil, api.FileRequest{File: file})
}

// InstallPack installs a runtime pack; progress hears how many bytes are done.
func (c *Client) InstallPack(ctx context.Context, file string, progress func(done, total int64)) (runtimepack.Info, error) {
	defer packProgress(ctx, c, progress)()
	return call[runtimepack.Info](ctx, c, "POST /v1/packs/install", nil, api.FileRequest{File: file})
}

// RepairPack restores the runtime from a file, or with "" from what is found.
func (c *Client) RepairPack(ctx context.Context, file string) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, "POST /v1/packs/repair", nil, api.RepairRequest{File: file})
}

// BundlePack writes the file for an offline installation; progress is as of InstallPack.
func (c *Client) BundlePack(ctx context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error) {
	defer packProgress(ctx, c, progress)()
	return call[runtimepack.BundleInfo](ctx, c, "POST /v1/packs/bundle", nil, r)
}

// packProgress calls progress with what events of kind pack count, from now on
// until the function it returns is called.
func packProgress(ctx context.Context, c *Client, progress func(done, total int64)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	watch, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	ready := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(done)
		_ = c.Events(watch, EventsOptions{EventFilter: task.EventFilter{Kinds: []task.EventKind{task.EventPack}}, Ready: ready}, func(e task.Event) error {
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

// Tasks lists all tasks, the newest first.
func (c *Client) Tasks(ctx context.Context) ([]task.Task, error) {
	return c.FindTasks(ctx, task.Filter{})
}

// FindTasks lists the tasks that are meant, the newest first.
func (c *Client) FindTasks(ctx context.Context, f task.Filter) ([]task.Task, error) {
	out := []task.Task{}
	for t, err := range AllTasks(ctx, c, f) {
		if err != nil {
			return nil, err
		}
		if out = append(out, t); len(out) == f.Limit {
			break
		}
	}
	return out, nil
}

// AllTasks is listTasks, page by page; Limit is how many are in one.
func AllTasks(ctx context.Context, c *Client, f task.Filter) iter.Seq2[task.Task, error] {
	return pages[task.Task](ctx, c, "GET /v1/tasks", query("q", f.Text, "state", f.States, "kind", f.Kinds,
		"folder", f.Folder, "since", stamp(f.Since), "before", stamp(f.Before), "limit", f.Limit))
}

// stamp writes a time for a query, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// StartTask starts a task; see the package comment for its context.
func (c *Client) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	t, err := call[task.Task](ctx, c, "POST /v1/tasks", nil, r)
	return held(ctx, c, t, err, !r.Detached)
}

// StartAgain starts a task that asks for the same as another; its context is as of StartTask.
func (c *Client) StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error) {
	t, err := call[task.Task](ctx, c, "POST /v1/tasks/{id}/again", nil, r, id)
	return held(ctx, c, t, err, !r.Detached)
}

// Say gives a task a message. A task that goes on and is not detached is held as long as
// ctx lives.
func (c *Client) Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error) {
	t, err := call[task.Task](ctx, c, "POST /v1/tasks/{id}/messages", nil, r, id)
	return held(ctx, c, t, err, !r.Detached && t.State == task.StateQueued)
}

// CompactTask has the older messages of a task summarised; its context is as of Say.
func (c *Client) CompactTask(ctx context.Context, id string, detached bool) (task.Task, error) {
	t, err := call[task.Task](ctx, c, "POST /v1/tasks/{id}/compact", query("detached", detached), nil, id)
	return held(ctx, c, t, err, !detached && t.State == task.StateQueued)
}

// ResumeTask has a task go on; its context is as of Say.
func (c *Client) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	t, err := call[task.Task](ctx, c, "POST /v1/tasks/{id}/resume", nil, nil, id)
	return held(ctx, c, t, err, t.State == task.StateQueued)
}

// ResumeDetached is ResumeTask for a task that does not end with the caller.
func (c *Client) ResumeDetached(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/resume", query("detached", true), nil, id)
}

// CancelTask stops a task.
func (c *Client) CancelTask(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/cancel", nil, nil, id)
}

// DetachTask lets a task go on when its callers are gone. Where the context with which this
// client started it ends meanwhile, the task is cancelled only if it was not detached.
func (c *Client) DetachTask(ctx context.Context, id string) (task.Task, error) {
	c.detaching.RLock()
	defer c.detaching.RUnlock()
	return call[task.Task](ctx, c, "POST /v1/tasks/{id}/detach", nil, nil, id)
}

// held holds a task from here, where it is to end with this caller.
func held(ctx context.Context, c *Client, t task.Task, err error, hold bool) (task.Task, error) {
	if err == nil && hold {
		go holdTask(ctx, c, t.ID)
	}
	return t, err
}

// ExportTask returns everything that is known of a task as a ZIP file. ctx must live until
// the end of the file.
func (c *Client) ExportTask(ctx context.Context, id string) (io.ReadCloser, error) {
	return download(ctx, c, request{route: "GET /v1/tasks/{id}/export", path: []any{id}})
}

// AuditRecords finds records of the audit log, the latest first.
func (c *Client) AuditRecords(ctx context.Context, f audit.Filter) (audit.Page, error) {
	return call[audit.Page](ctx, c, "GET /v1/audit", query("task", f.Task, "client", f.Client, "request", f.Request, "event", f.Event,
		"about", f.About, "since", stamp(f.Since), "before", f.Before, "limit", f.Limit), nil)
}

// ExportAudit returns the audit log as a file. ctx must live until it is read.
func (c *Client) ExportAudit(ctx context.Context) (io.ReadCloser, error) {
	return download(ctx, c, request{route: "GET /v1/audit/export"})
}

func download(ctx context.Context, c *Client, r request) (io.ReadCloser, error) {
	res, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// AgentEvents calls fn with the agent's own events: with those that are kept behind the number
// after, none behind task.OnlyNew, and those to come. A stream that breaks is opened again behind
// the last number that came: parts of messages that came meanwhile are missing, and behind
// task.OnlyNew what came before the first number.
func (c *Client) AgentEvents(ctx context.Context, id string, after int64, fn func(int64, json.RawMessage) error) error {
	r := request{route: "GET /v1/tasks/{id}/agent", path: []any{id}}
	return lines(ctx, c, r, after, api.AgentEvent, api.AgentOver, func(n int64, data []byte) (bool, error) {
		return true, fn(n, append(json.RawMessage(nil), data...))
	})
}

// WatchFiles calls fn with what changes in a directory of a task. After a break it hears
// wire.ChangeLost, and then what changes; seconds and limit begin anew.
func (c *Client) WatchFiles(ctx context.Context, id string, r actions.WatchRequest, fn func(wire.FileChange) error) error {
	q := query("path", r.Path, "depth", r.Depth, "seconds", r.Seconds, "limit", r.Limit, "requires", r.Requires)
	watch := request{route: "GET /v1/tasks/{id}/files/watch", path: []any{id}, query: q}
	return lines(ctx, c, watch, task.OnlyNew, api.FileChanged, api.FileOver, func(_ int64, data []byte) (bool, error) {
		var change wire.FileChange
		if err := json.Unmarshal(data, &change); err != nil {
			return false, err
		}
		return change.What != wire.ChangeReady && change.What != wire.ChangeLost, fn(change) // those begin each stream
	})
}

// lines calls fn with the numbers and the data of events of a name, those behind after first,
// until one comes that is named over. fn says whether an event is one with which it went on. What
// does not answer at first is not asked again.
func lines(ctx context.Context, c *Client, r request, after int64, name, over string, fn func(int64, []byte) (bool, error)) error {
	stood := false
	return follow(ctx, c, false, func(stands, heard func()) (bool, error) {
		r.header = http.Header{}
		if after != task.OnlyNew {
			r.header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
		}
		ended, err := oneStream(ctx, c, r, name, over, func() { stood = true; stands() }, func(n int64, data []byte) error {
			if n > 0 {
				after = n
			}
			news, err := fn(n, data)
			if news {
				heard()
			}
			return err
		})
		return ended || !stood && ctx.Err() == nil, err
	})
}

// oneStream is lines until the response breaks: the stream is over where its last event came, or
// fn returned an error.
func oneStream(ctx context.Context, c *Client, r request, name, over string, stands func(), fn func(int64, []byte) error) (ended bool, err error) {
	r.header.Set("Accept", "text/event-stream")
	res, err := c.do(ctx, r)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	stands()
	done := errors.New("the stream is over")
	var stopped error
	err = ReadStream(res.Body, func(named string, id int64, data []byte) error {
		switch named {
		case name:
			stopped = fn(id, data)
			return stopped
		case over:
			return done
		}
		return nil
	})
	switch {
	case errors.Is(err, done):
		return true, nil
	case stopped != nil:
		return true, stopped
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	}
	return false, &UnreachableError{Err: cut(err)}
}

// Log returns the end of a log, at most tail bytes.
func (c *Client) Log(ctx context.Context, name string, tail int64) ([]byte, error) {
	res, err := c.do(ctx, request{route: "GET /v1/logs/{name}", path: []any{name}, query: query("tail", tail)})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 2*upkeep.MaxTail))
	if err != nil {
		return nil, &UnreachableError{Err: err}
	}
	return data, nil
}

// Metrics are the metrics in the text format of Prometheus.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	res, err := c.do(ctx, request{route: "GET /metrics"})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, &UnreachableError{Err: err}
	}
	return data, nil
}

// HealthPage asks how everything stands.
func (c *Client) HealthPage(ctx context.Context) (api.HealthPage, error) {
	return call[api.HealthPage](ctx, c, "GET /v1/health", nil, nil)
}

// Health asks whether the controller answers.
func (c *Client) Health(ctx context.Context) (api.Health, error) {
	return call[api.Health](ctx, c, "GET /_health", nil, nil)
}

// About asks what the controller's program is.
func (c *Client) About(ctx context.Context) (api.About, error) {
	return call[api.About](ctx, c, "GET /_manifest", nil, nil)
}

// ProcessStatus says what the process of the controller does.
func (c *Client) ProcessStatus(ctx context.Context) (api.ProcessStatus, error) {
	return call[api.ProcessStatus](ctx, c, "GET /v1/process", nil, nil)
}

// EndProcess has the process of the controller end.
func (c *Client) EndProcess(ctx context.Context, r api.EndRequest) error {
	res, err := c.do(ctx, request{route: "POST /v1/process/end", body: r})
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// AtLogin says whether the system starts the process of the controller at login.
func (c *Client) AtLogin(ctx context.Context) (api.AtLogin, error) {
	return call[api.AtLogin](ctx, c, "GET /v1/settings/at-login", nil, nil)
}

// SetAtLogin has the system do so from the next login on, or not.
func (c *Client) SetAtLogin(ctx context.Context, r api.AtLoginChoice) (api.AtLogin, error) {
	return call[api.AtLogin](ctx, c, "PUT /v1/settings/at-login", nil, r)
}
