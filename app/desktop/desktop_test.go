package desktop

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"piwork/app/tasks"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/lock"
	"piwork/app/task"
)

// The API's requests go to its handler, pages keep their headers, and nothing
// is answered by a 304.
func TestMiddleware(t *testing.T) {
	h := middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "api") }))(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != "" {
				w.WriteHeader(http.StatusNotModified)
			}
			_, _ = io.WriteString(w, "page")
		}))
	for path, want := range map[string]string{
		"/": "page", "/index.html": "page", "/apiary": "page", "/api": "page", "/wails/ipc.js": "page",
		"/api/status": "api", "/_manifest": "api", "/_health": "api",
	} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("If-None-Match", "x")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); (csp != "") != (want == "page") {
			t.Errorf("%s: policy %q", path, csp)
		}
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

// When the process that has the controller goes away, the window opens its own,
// the page hears a reset, and requests are answered again.
func TestLinkSurvivesItsController(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if len(path) > 100 {
		t.Skip("the temporary directory is too long for a socket")
	}
	log := slog.New(slog.DiscardHandler)
	session := func(open func(context.Context, app.Options) (client.Controller, error)) *client.Session {
		s, err := client.Open(t.Context(), client.SessionOptions{App: app.Options{Log: log}, Open: open})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	other := session(func(context.Context, app.Options) (client.Controller, error) { return first, nil })
	second := &controller{Fake: apitest.New(apitest.Script{}), socket: path, closed: make(chan struct{})}
	l := newLink(func(ctx context.Context) (*client.Session, error) {
		return client.Open(ctx, client.SessionOptions{App: app.Options{Log: log}, Open: func(context.Context, app.Options) (client.Controller, error) {
			select {
			case <-first.closed:
				return second, nil
			default:
				return nil, &lock.HeldError{Socket: path}
			}
		}})
	}, log)
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l.session().Own != nil || l.running(t.Context()) != 0 {
		t.Fatal("the link is not a client of the other process")
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
		case <-time.After(15 * time.Second):
			t.Fatal("no event")
			return task.Event{}
		}
	}
	first.Publish(task.Event{Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateRunning}})
	if e := next(); e.Task != "a" {
		t.Errorf("%+v", e)
	}
	if err := other.Close(t.Context()); err != nil {
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
	l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/tasks", nil))
	if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	cancel()
	<-pumped
	l.close()
	select {
	case <-second.closed:
	default:
		t.Error("the controller of this process was not closed")
	}
}

// Tasks that would end with the window are counted.
func TestRunning(t *testing.T) {
	f := &controller{Fake: apitest.New(apitest.Script{Endless: true}), socket: filepath.Join(t.TempDir(), "none", "s"), closed: make(chan struct{})}
	l := newLink(func(ctx context.Context) (*client.Session, error) {
		return client.Open(ctx, client.SessionOptions{Open: func(context.Context, app.Options) (client.Controller, error) { return f, nil }})
	}, slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	got, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := l.running(t.Context()); n != 1 {
		t.Errorf("%d tasks", n)
	}
	_, _ = f.CancelTask(t.Context(), got.ID)
	if n := l.running(t.Context()); n != 0 {
		t.Errorf("%d tasks", n)
	}
	got, err = f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	for got.State == task.StateQueued || got.State == task.StatePreparing {
		time.Sleep(time.Millisecond)
		got, _ = f.Task(t.Context(), got.ID)
	}
	if n := l.running(t.Context()); n != 0 || got.State != task.StateWaiting {
		t.Errorf("%d tasks while one only waits (%s)", n, got.State)
	}
	_, _ = f.CancelTask(t.Context(), got.ID)
}

// A window that cannot have a controller says why.
func TestConnectFails(t *testing.T) {
	want := errors.New("no space")
	l := newLink(func(context.Context) (*client.Session, error) { return nil, want }, slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); !errors.Is(err, want) {
		t.Error(err)
	}
	l.close()
}

// movedController is one whose data can be moved away.
type movedController struct {
	*controller
	moved chan struct{}
}

func (c *movedController) Moved() <-chan struct{} { return c.moved }

// When the data was moved, the window closes what it has before it opens the new
// place, and the page hears a reset.
func TestLinkFollowsItsData(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	fake := func() *controller {
		return &controller{Fake: apitest.New(apitest.Script{}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	}
	first := &movedController{controller: fake(), moved: make(chan struct{})}
	second := &movedController{controller: fake(), moved: make(chan struct{})}
	next, fails := client.Controller(first), true
	l := newLink(func(ctx context.Context) (*client.Session, error) {
		return client.Open(ctx, client.SessionOptions{App: app.Options{Log: log}, Open: func(context.Context, app.Options) (client.Controller, error) {
			if next == second {
				select {
				case <-first.closed:
				default:
					return nil, errors.New("the first has it")
				}
				if fails {
					fails = false
					return nil, errors.New("not yet")
				}
			}
			return next, nil
		}})
	}, log)
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	next = second
	ctx, stop := context.WithCancel(t.Context())
	reset, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		l.pump(ctx, func(e task.Event) {
			if e.Kind == task.EventReset {
				close(reset)
			}
		})
	}()
	close(first.moved)
	<-reset
	if l.session().Own != client.Controller(second) {
		t.Errorf("%T", l.session().Own)
	}
	stop()
	<-over
}
