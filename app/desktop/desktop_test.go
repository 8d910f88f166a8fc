package desktop

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/lock"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// The API's requests go to its handler, pages keep their headers, and nothing
// is answered by a 304.
func TestMiddleware(t *testing.T) {
	theirs := false
	h := middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "api") }), func() bool { return theirs })(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
			}
			_, _ = io.WriteString(w, "page")
		}))
	ask := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", "x")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for path, want := range map[string]string{
		"/": "page", "/index.html": "page", "/v1x": "page", "/v1": "page", "/wails/ipc.js": "page",
		"/v1/status": "api", "/_manifest": "api", "/_health": "api",
	} {
		w := ask(path)
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); (csp != "") != (want == "page") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	theirs = true
	if w := ask("/"); w.Body.String() != "api" {
		t.Errorf("pages of the controller: %s", w.Body)
	}
}

// Each data directory has a window of its own, and each task beside it.
func TestInstance(t *testing.T) {
	t.Setenv(app.EnvDataDir, "")
	all := map[string]bool{instance(""): true}
	t.Setenv(app.EnvDataDir, "/a")
	all[instance("")] = true
	t.Setenv(app.EnvDataDir, "/b")
	all[instance("")] = true
	all[instance(someTask)] = true
	if len(all) != 4 {
		t.Errorf("%v", all)
	}
}

// controller is a fake that this or another process has.
type controller struct {
	*apitest.Fake
	socket string
	closed chan struct{}
	once   sync.Once
}

func (c *controller) Socket() string { return c.socket }
func (c *controller) Close(context.Context) error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// opening opens sessions with a controller of this process, which open takes.
func opening(t *testing.T, open func(context.Context, app.Options) (background.Controller, error)) opener {
	return func(ctx context.Context) (*background.Session, error) {
		here := &background.Here{Server: background.ServerOptions{Open: open}}
		s, err := background.Open(ctx, background.SessionOptions{Window: acting{}, Launch: here.Launch})
		t.Cleanup(func() {
			if err := here.Close(); err != nil {
				t.Error(err)
			}
		})
		return s, err
	}
}

// acting is a window that does nothing.
type acting struct{ api.Window }

// When the controller goes away, the window starts another, the page hears a reset, and
// requests are answered again.
func TestLinkSurvivesItsController(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if len(path) > 100 {
		t.Skip("the temporary directory is too long for a socket")
	}
	log := slog.New(slog.DiscardHandler)
	first := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	other := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) { return first, nil }}}
	if _, err := other.Launch(t.Context(), app.Options{}); err != nil {
		t.Fatal(err)
	}
	second := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	l := newLink(opening(t, func(context.Context, app.Options) (background.Controller, error) {
		select {
		case <-first.closed:
			return second, nil
		default:
			return nil, &lock.HeldError{Socket: path}
		}
	}), log)
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	events := make(chan task.Event, 100)
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		l.pump(ctx, func(e task.Event) { events <- e })
	}()
	next := func() task.Event {
		select {
		case e := <-events:
			return e
		case <-time.After(time.Minute):
			t.Fatal("no event")
			return task.Event{}
		}
	}
	first.Publish(task.Event{Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateRunning}})
	if e := next(); e.Task != "a" {
		t.Errorf("%+v", e)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if e := next(); e.Kind != task.EventReset {
		t.Errorf("%+v instead of a reset", e)
	}
	second.Publish(task.Event{Task: "b", Kind: task.EventState, Data: task.StateData{State: task.StateDone}})
	if e := next(); e.Task != "b" {
		t.Errorf("%+v", e)
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/tasks", nil))
	if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	cancel()
	<-pumped
	l.close(false)
	select {
	case <-second.closed:
		t.Error("the controller ends with a window")
	default:
	}
}

// Tasks that nobody would see without the window are counted, and cancelled when the
// person says so. One that waits with its plan is not counted.
func TestRunning(t *testing.T) {
	f := &controller{Fake: apitest.New(apitest.Script{Endless: true}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	l := newLink(opening(t, func(context.Context, app.Options) (background.Controller, error) { return f, nil }), slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer l.close(false)
	got, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	isRunning(t, l, 1)
	l.cancel(t.Context(), true)
	if got, _ = f.Task(t.Context(), got.ID); got.State != task.StateCancelled {
		t.Errorf("a task at work is %s", got.State)
	}
	isRunning(t, l, 0)
	got, err = f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	for got.State == task.StateQueued || got.State == task.StatePreparing {
		time.Sleep(time.Millisecond)
		got, _ = f.Task(t.Context(), got.ID)
	}
	isRunning(t, l, 0)
	l.cancel(t.Context(), false)
	if got, _ = f.Task(t.Context(), got.ID); got.State != task.StateCancelled {
		t.Errorf("a task that waits with its plan is %s", got.State)
	}
	held, err := l.session().StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec})
	if err != nil {
		t.Fatal(err)
	}
	isRunning(t, l, 0)
	l.cancel(t.Context(), true)
	if got, _ = f.Task(t.Context(), held.ID); got.State.Final() {
		t.Errorf("a task of a command line is %s", got.State)
	}
}

func isRunning(t *testing.T, l *link, want int) {
	t.Helper()
	if n, err := l.running(t.Context()); n != want || err != nil {
		t.Errorf("%d tasks at work instead of %d: %v", n, want, err)
	}
}

// A task that asks in the middle of its work is at work; who cannot ask how many are does
// not take them for none.
func TestRunningAsks(t *testing.T) {
	f := &controller{Fake: apitest.New(apitest.Script{Endless: true, Consent: apitest.Consent{Questions: []vmhost.Question{{ID: "q1"}}}}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	l := newLink(opening(t, func(context.Context, app.Options) (background.Controller, error) { return f, nil }), slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer l.close(false)
	got, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	for got.State != task.StateWaiting {
		time.Sleep(time.Millisecond)
		got, _ = f.Task(t.Context(), got.ID)
	}
	isRunning(t, l, 1)
	over, end := context.WithCancel(t.Context())
	end()
	if n, err := l.running(over); err == nil {
		t.Errorf("no answer, taken for %d tasks", n)
	}
	l.cancel(over, true)
	l.cancel(t.Context(), false)
	if got, _ = f.Task(t.Context(), got.ID); got.State != task.StateWaiting {
		t.Errorf("a task that asks is %s", got.State)
	}
	l.cancel(t.Context(), true)
	if got, _ = f.Task(t.Context(), got.ID); got.State != task.StateCancelled {
		t.Errorf("a task that asks is %s", got.State)
	}
}

// A page hears once that no controller answers, and a reset when one does again.
func TestLinkIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	first := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	second := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	var refused atomic.Int32
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) { return first, nil }}}
	once := opening(t, func(context.Context, app.Options) (background.Controller, error) { return second, nil })
	l := newLink(func(ctx context.Context) (*background.Session, error) {
		switch n := refused.Load(); {
		case n == 0:
			refused.Add(1)
			return background.Open(ctx, background.SessionOptions{Window: acting{}, Launch: here.Launch})
		case n < 2:
			refused.Add(1)
			return nil, errors.New("no memory")
		}
		return once(ctx)
	}, slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	events := make(chan task.Event, 100)
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		l.pump(ctx, func(e task.Event) { events <- e })
	}()
	defer func() { cancel(); <-pumped; l.close(false) }()
	if err := here.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []task.EventKind{eventLost, task.EventReset} {
		select {
		case e := <-events:
			if e.Kind != want {
				t.Errorf("%s instead of %s", e.Kind, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("no %s", want)
		}
	}
}

// Of two windows the first to be closed leaves the tasks to the other.
func TestTwoWindows(t *testing.T) {
	f := &controller{Fake: apitest.New(apitest.Script{Endless: true}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	first := newLink(opening(t, func(context.Context, app.Options) (background.Controller, error) { return f, nil }), slog.New(slog.DiscardHandler))
	second := newLink(func(ctx context.Context) (*background.Session, error) {
		return background.Open(ctx, background.SessionOptions{Window: acting{}, Launch: func(context.Context, app.Options) (background.Ready, error) {
			return background.Ready{Socket: f.socket}, nil
		}})
	}, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	defer func() { stop(); streams.Wait() }()
	for _, l := range []*link{first, second} {
		if err := l.connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer l.close(false)
		streams.Go(func() { l.pump(ctx, func(task.Event) {}) })
	}
	for first.windows(ctx) < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Detached: true}); err != nil {
		t.Fatal(err)
	}
	isRunning(t, first, 0)
}

// A window that cannot have a controller says why.
func TestConnectFails(t *testing.T) {
	want := errors.New("no space")
	l := newLink(func(context.Context) (*background.Session, error) { return nil, want }, slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); !errors.Is(err, want) {
		t.Error(err)
	}
	l.close(false)
}
