// Package piwork is the SDK for Go: piwork's own controller in a program, or one that runs
// already.
//
//	p, err := piwork.Open(ctx, app.Options{Version: "0.1.0", Developer: true})
//	…
//	defer p.Close(ctx)
//	t, err := p.Run(ctx, []string{"sort", "-o", "/folders/Lists/sorted.txt", "/folders/Lists/names.txt"}, map[string]task.Mode{"/home/me/Lists": task.ModeReadWrite})
//	for event, err := range t.Events(ctx) { … }
//	undone, err := t.Undo(ctx)
//
// The operations of the API are methods of [Piwork], as they are of app/client.Client. A data
// directory has one controller: [Open] uses that of a window or of the background where there is
// one, and else has its own; [New] always has its own, and fails with a *lock.HeldError where
// another one has the directory; [At] uses one over HTTP, with a token. [Language] has each of them
// answer in a language.
package piwork

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"piwork/app"
	"piwork/app/actions"
	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/history"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// Piwork is a controller. Its methods may be called from several goroutines at once.
type Piwork struct {
	*client.Client
	end func(context.Context) error

	life  context.Context // until Close
	close context.CancelFunc
}

func newPiwork(way http.RoundTripper, log *slog.Logger, use options, end func(context.Context) error) *Piwork {
	p := &Piwork{Client: client.InLanguage(client.New(way, log), use.language), end: end}
	p.life, p.close = context.WithCancel(context.Background())
	return p
}

// Option says more of how a controller is used.
type Option func(*options) error

// options are what all of them say.
type options struct{ language client.Language }

// Language has problems, plans and questions in a language, such as "de", or in the first of several
// that piwork has: "de-AT, en;q=0.5". Without it they are in English.
func Language(text string) Option {
	return func(o *options) (err error) {
		o.language, err = client.ParseLanguage(text)
		return err
	}
}

// optionsOf is what a list of them says.
func optionsOf(all []Option) (o options, err error) {
	for _, one := range all {
		err = errors.Join(err, one(&o))
	}
	return o, err
}

// New takes a data directory, and has a controller of its own in it.
func New(ctx context.Context, o app.Options, more ...Option) (*Piwork, error) {
	use, err := optionsOf(more)
	if err != nil {
		return nil, err
	}
	return own(ctx, o, use)
}

func own(ctx context.Context, o app.Options, use options) (*Piwork, error) {
	c, err := app.Open(ctx, o)
	if _, held := errors.AsType[*lock.HeldError](err); held {
		return nil, fmt.Errorf("%w: to use what has it, call Open", err)
	}
	if err != nil {
		return nil, err
	}
	a := api.New(api.Options{Service: c, Telemetry: c.Counting(), Version: o.Version, Developer: o.Developer, Log: o.Log})
	return newPiwork(client.InProcess(a.Handler()), o.Log, use, func(ctx context.Context) error {
		a.Close()
		return c.Close(ctx)
	}), nil
}

// Open uses the controller that has the data directory, as a window or the background does, and
// else takes the directory as New does. Close ends a controller of its own alone.
func Open(ctx context.Context, o app.Options, more ...Option) (*Piwork, error) {
	use, err := optionsOf(more)
	if err != nil {
		return nil, err
	}
	for until := time.Now().Add(startWithin); ; {
		p, err := own(ctx, o, use)
		held, is := errors.AsType[*lock.HeldError](err)
		if !is || held.Socket == "" {
			return p, err
		}
		p = connect(client.Socket(held.Socket), use)
		_, answered := p.ProcessStatus(ctx)
		if said, is := errors.AsType[*problem.Problem](answered); !client.IsUnreachable(answered) && (!is || said.Code != problem.CodeShuttingDown) {
			return p, nil
		}
		if time.Now().After(until) {
			return nil, errors.Join(err, answered)
		}
		select { // it begins, or ends
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, errors.Join(err, context.Cause(ctx))
		}
	}
}

// How long Open waits for who has the data directory, and for how long it looks away meanwhile.
const (
	startWithin = 30 * time.Second
	startPause  = 100 * time.Millisecond
)

// At uses the controller at an address of HTTP or HTTPS (piwork serve --http), with a token
// (piwork token create).
func At(address, token string, more ...Option) (*Piwork, error) {
	use, err := optionsOf(more)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of piwork: it is written as http://127.0.0.1:8080, or with https", address)
	}
	return connect(&bearer{u, token, &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}}, use), nil
}

// bearer sends requests to an address, with a token.
type bearer struct {
	to    *url.URL
	token string
	over  http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = b.to.Scheme, b.to.Host, ""
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.over.RoundTrip(r)
}

// Connect uses a controller that runs already, by a way to it (client.Socket). Its Client can
// be given a language: p.Client = client.InLanguage(p.Client, language).
func Connect(way http.RoundTripper) *Piwork { return connect(way, options{}) }

func connect(way http.RoundTripper, use options) *Piwork {
	return newPiwork(way, nil, use, func(context.Context) error { return nil })
}

// Close ends a controller of its own, which gives the data directory back, and then streams of
// events, and with them tasks that are not detached.
func (p *Piwork) Close(ctx context.Context) error {
	defer p.close()
	return p.end(ctx)
}

var errClosed = errors.New("piwork was closed")

// open is ctx until Close.
func (p *Piwork) open(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(p.life, func() { end(errClosed) })
	return ctx, func() { unhook(); end(nil) }
}

// listen is client.Client.Events, whose error says why ctx ended.
func (p *Piwork) listen(ctx context.Context, o client.EventsOptions, f func(task.Event) error) error {
	err := p.Client.Events(ctx, o, f)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// AllTasks are the tasks that are meant, the newest first, page by page; Limit is how many are in one.
func (p *Piwork) AllTasks(ctx context.Context, f task.Filter) iter.Seq2[task.Task, error] {
	return client.AllTasks(ctx, p.Client, f)
}

// StreamEvents are the events that f lets through, until ctx, Close or the controller ends them. A stream
// that breaks goes on behind the last event that came (client.Client.Events).
func (p *Piwork) StreamEvents(ctx context.Context, f task.EventFilter) iter.Seq2[task.Event, error] {
	return func(yield func(task.Event, error) bool) {
		enough := errors.New("nobody listens any more")
		ctx, stop := p.open(ctx)
		defer stop()
		err := p.listen(ctx, client.EventsOptions{EventFilter: f, UntilEnd: true}, func(e task.Event) error {
			if !yield(e, nil) {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) && !errors.Is(err, io.EOF) {
			yield(task.Event{}, err)
		}
	}
}

// AgentEvents is client.Client.AgentEvents, until Close.
func (p *Piwork) AgentEvents(ctx context.Context, id string, after int64, fn func(int64, json.RawMessage) error) error {
	ctx, stop := p.open(ctx)
	defer stop()
	return p.Client.AgentEvents(ctx, id, after, fn)
}

// WatchFiles is client.Client.WatchFiles, until Close.
func (p *Piwork) WatchFiles(ctx context.Context, id string, r actions.WatchRequest, fn func(wire.FileChange) error) error {
	ctx, stop := p.open(ctx)
	defer stop()
	return p.Client.WatchFiles(ctx, id, r, fn)
}

// WhileStill are the operations, for changes of a record that are done only while it still is what
// was read: else nothing is, and the problem has the code problem.CodeChanged.
func (p *Piwork) WhileStill(seen client.Seen) *client.Client {
	return client.WhileStill(p.Client, seen)
}

// Read reads a record with an operation that answers it by itself, for WhileStill.
func Read[T any](ctx context.Context, get func(context.Context) (T, error)) (client.Record[T], error) {
	return client.Read(ctx, get)
}

// Run starts a program on folders. change may say more of the request.
func (p *Piwork) Run(ctx context.Context, argv []string, folders map[string]task.Mode, change ...func(*tasks.StartRequest)) (*Task, error) {
	r := tasks.StartRequest{Kind: task.KindExec, Argv: argv, Folders: []task.FolderRequest{}}
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		r.Folders = append(r.Folders, task.FolderRequest{Path: path, Mode: folders[path]})
	}
	for _, f := range change {
		f(&r)
	}
	return p.Start(ctx, r)
}

// Start starts a task of any kind. Unless it is detached it ends when ctx does, or with Close.
func (p *Piwork) Start(ctx context.Context, r tasks.StartRequest) (*Task, error) {
	var err error
	if r.ID == "" {
		if r.ID, err = task.NewID(); err != nil {
			return nil, err
		}
	}
	ctx, stop := p.open(ctx)
	t := &Task{ID: r.ID, p: p, events: make(chan task.Event), over: make(chan struct{}), stop: stop}
	ready, started := make(chan struct{}), make(chan struct{})
	defer close(started)
	go func() {
		t.err = p.listen(ctx, client.EventsOptions{EventFilter: task.EventFilter{Task: r.ID, Wait: true}, Hold: !r.Detached, Ready: ready}, func(e task.Event) error {
			select {
			case t.events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(t.over)
		<-started
		stop()
	}()
	select {
	case <-ready: // before there is anything to hear
	case <-t.over:
		return nil, t.err
	}
	if _, err := p.StartTask(ctx, r); err != nil {
		stop()
		<-t.over
		return nil, err
	}
	return t, nil
}

// Task is a task that was started here. It is for one goroutine.
type Task struct {
	ID     string
	p      *Piwork
	events chan task.Event
	over   chan struct{} // closed when no more come
	err    error         // why
	stop   context.CancelFunc
	done   bool  // the last one was seen
	part   int64 // of the output, that was seen last
	lost   bool  // a part of it did not come
}

var (
	errEnded = errors.New("the events of the task ended before it did")
	errLost  = errors.New("some of the output was lost while the connection was broken")
)

// Events are those of the task until it is over. What is not heard here is heard by the next
// call.
func (t *Task) Events(ctx context.Context) iter.Seq2[task.Event, error] {
	return func(yield func(task.Event, error) bool) {
		for !t.done {
			select {
			case e := <-t.events:
				if state, is := e.Data.(task.StateData); is && e.Task == t.ID && state.State.Final() {
					t.done = true
					t.stop()
				}
				if out, is := e.Data.(task.OutputData); is && e.Task == t.ID && out.Part > 0 {
					t.lost = t.lost || out.Part != t.part+1
					t.part = out.Part
				}
				if e.Task == t.ID && !yield(e, nil) {
					return
				}
			case <-t.over:
				yield(task.Event{}, errors.Join(errEnded, t.err))
				return
			case <-ctx.Done():
				yield(task.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

// Wait returns the record of the task, once it is over.
func (t *Task) Wait(ctx context.Context) (task.Task, error) {
	for _, err := range t.Events(ctx) {
		if err != nil {
			return task.Task{}, fmt.Errorf("wait for the task: %w", err)
		}
	}
	return t.p.Client.Task(ctx, t.ID)
}

// Record reads the record of the task as it is now, for WhileStill.
func (t *Task) Record(ctx context.Context) (client.Record[task.Task], error) {
	return Read(ctx, func(ctx context.Context) (task.Task, error) { return t.p.Client.Task(ctx, t.ID) })
}

// Output is what its program says until it is over, errors included. Where a part of that was
// lost with a connection, it is an error.
func (t *Task) Output(ctx context.Context) ([]byte, error) {
	var said bytes.Buffer
	for e, err := range t.Events(ctx) {
		if err != nil {
			return said.Bytes(), fmt.Errorf("read the output: %w", err)
		}
		if out, is := e.Data.(task.OutputData); is {
			said.Write(out.Data)
		}
	}
	if t.lost {
		return said.Bytes(), errLost
	}
	return said.Bytes(), nil
}

// Changes are what it changed in the folders.
func (t *Task) Changes(ctx context.Context) ([]journal.Change, error) {
	return t.p.Client.Changes(ctx, t.ID)
}

// Undo takes its changes back.
func (t *Task) Undo(ctx context.Context) (journal.Report, error) {
	return t.p.Client.Undo(ctx, t.ID, history.UndoRequest{})
}

// Cancel ends it.
func (t *Task) Cancel(ctx context.Context) (task.Task, error) { return t.p.CancelTask(ctx, t.ID) }
