package background_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/tasks"
)

// place is a data directory of a fake controller.
type place struct{ dir string }

func newPlace(t *testing.T) place {
	dir, err := os.MkdirTemp("", "pw") // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return place{dir}
}

// controller is a fake that has a place.
type controller struct {
	*apitest.Fake
	socket string
	held   *flock.Flock
	once   sync.Once
	closed chan struct{}
}

func (c *controller) Socket() string { return c.socket }
func (c *controller) Close(context.Context) error {
	c.once.Do(func() { close(c.closed) })
	return c.held.Close()
}

func (p place) open(f *apitest.Fake) func(context.Context, app.Options) (background.Controller, error) {
	return func(context.Context, app.Options) (background.Controller, error) {
		held := flock.New(filepath.Join(p.dir, "lock"))
		if ok, err := held.TryLock(); !ok || err != nil {
			return nil, &lock.HeldError{PID: 7, Socket: filepath.Join(p.dir, "s")}
		}
		return &controller{Fake: f, socket: filepath.Join(p.dir, "s"), held: held, closed: make(chan struct{})}, nil
	}
}

// Sixteen that start at once have one controller, and all are served.
func TestManyStarts(t *testing.T) {
	p := newPlace(t)
	f := apitest.New(apitest.Script{})
	var all sync.WaitGroup
	here := make([]*background.Here, 16)
	for i := range here {
		here[i] = &background.Here{Server: background.ServerOptions{Open: p.open(f)}}
		all.Go(func() {
			s, err := background.Open(t.Context(), background.SessionOptions{Launch: here[i].Launch})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.Tasks(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, h := range here {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// serve runs a server of a place until the test ends.
func serve(t *testing.T, o background.ServerOptions) (s *background.Server, over <-chan error) {
	t.Helper()
	s = newServer(t, o)
	return s, run(t, s)
}

// newServer has the data directory and answers nobody yet.
func newServer(t *testing.T, o background.ServerOptions) *background.Server {
	t.Helper()
	s, err := background.NewServer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, s *background.Server) (over <-chan error) {
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- s.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	return ended
}

// busy is at work.
type busy struct {
	background.Controller
	work registry.Work
	over atomic.Bool
}

func (b *busy) Work() registry.Work {
	if b.over.Load() {
		return registry.Work{}
	}
	return b.work
}

func (b *busy) Retire() registry.Work { return b.Work() }

// with has a server be at work, and checks that it does not end meanwhile.
func with(work registry.Work, code string) func(t *testing.T, s *background.Server) (end func()) {
	return func(t *testing.T, s *background.Server) func() {
		b := &busy{Controller: s.Controller, work: work}
		s.Controller = b
		if err := s.End(t.Context(), api.EndRequest{}); problem.From(err).Code != code {
			t.Errorf("it is to end in the middle of %+v: %v", work, err)
		}
		return func() { b.over.Store(true) }
	}
}

// fetcher downloads an update.
type fetcher struct {
	background.Controller
	over atomic.Bool
}

func (f *fetcher) Update(context.Context) (updater.State, error) {
	if f.over.Load() {
		return updater.State{Phase: updater.PhaseUpToDate}, nil
	}
	return updater.State{Phase: updater.PhaseDownloading}, nil
}

// A launched controller ends when nobody uses it, and not while a request is open, a
// task is unfinished, an update is on its way or anything changes folders or the data. What uses it begins before its idle time does.
func TestIdleEnd(t *testing.T) {
	const idle = 200 * time.Millisecond
	for name, busy := range map[string]func(t *testing.T, s *background.Server) (end func()){
		"nobody": nil,
		"a request": func(t *testing.T, s *background.Server) func() {
			srv := httptest.NewServer(s.API.Handler())
			res, err := srv.Client().Get(srv.URL + api.EventsPath)
			if err != nil {
				t.Fatal(err)
			}
			return func() { _ = res.Body.Close(); srv.Close() }
		},
		"a task": func(t *testing.T, s *background.Server) func() {
			made, err := s.Controller.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if _, err := s.Controller.CancelTask(context.Background(), made.ID); err != nil {
					t.Error(err)
				}
			}
		},
		"a move":    with(registry.Work{Frozen: true}, problem.CodeMoving),
		"an undo":   with(registry.Work{Uses: []registry.Use{{What: registry.UseUndo, Task: "t"}}}, problem.CodeControllerWorking),
		"an upload": with(registry.Work{Uses: []registry.Use{{What: registry.UseUpload}}}, problem.CodeControllerWorking),
		"a download": func(_ *testing.T, s *background.Server) func() {
			f := &fetcher{Controller: s.Controller}
			s.Controller = f
			return func() { f.over.Store(true) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := apitest.New(apitest.Script{Endless: true})
			s := newServer(t, background.ServerOptions{Background: true, Idle: idle, Open: newPlace(t).open(f)})
			end := func() {}
			if busy != nil {
				end = busy(t, s)
			}
			over := run(t, s)
			if busy != nil {
				select {
				case <-over:
					t.Error("it ended while it was used")
				case <-time.After(3 * idle):
				}
			}
			end()
			select {
			case err := <-over:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it goes on though nobody uses it")
			}
		})
	}
}

// One that is told to end does not while tasks are at work, unless it is to cancel them;
// then it lets go of the data directory, for the next one.
func TestEnd(t *testing.T) {
	p := newPlace(t)
	f := apitest.New(apitest.Script{Endless: true})
	_, over := serve(t, background.ServerOptions{Background: true, Idle: time.Hour, Open: p.open(f)})
	s, err := background.Open(t.Context(), background.SessionOptions{Window: here{}, Launch: (&background.Here{Server: background.ServerOptions{Open: p.open(f)}}).Launch})
	if err != nil {
		t.Fatal(err)
	}
	started, err := s.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.ProcessStatus(t.Context())
	if err != nil || now.PID != os.Getpid() || now.Working != 1 || !now.Background || now.IdleEnd != 3600 || now.Clients != 0 {
		t.Errorf("%+v, %v", now, err)
	}
	var working *problem.Problem
	if err := s.EndProcess(t.Context(), api.EndRequest{}); !errors.As(err, &working) || working.Params["task"] != started.ID {
		t.Fatalf("it ends in the middle of a task, or says not of which: %v", err)
	}
	if err := s.EndProcess(t.Context(), api.EndRequest{Cancel: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	c, err := p.open(f)(t.Context(), app.Options{})
	if err != nil {
		t.Fatalf("it keeps the data directory: %v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
