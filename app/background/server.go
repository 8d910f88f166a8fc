package background

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/background/notice"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/telemetry"
)

const (
	// IdleEnd is how long a launched controller stays without being used.
	IdleEnd = 10 * time.Minute
	// EnvIdleEnd says how long instead, as "30s"; for tests and for who wants it gone sooner.
	EnvIdleEnd = "PIWORK_IDLE_END"

	closeWithin = 20 * time.Second // to end tasks in order
)

// Controller is what a Server needs of an opened data directory.
type Controller interface {
	api.Service
	Socket() string
	Close(ctx context.Context) error
	// Work is what changes folders or the data: tasks, and all else.
	Work() registry.Work
	// Retire refuses whatever would begin from now on, unless work goes on: it returns that work.
	Retire() registry.Work
}

// ServerOptions say how to have a controller.
type ServerOptions struct {
	App        app.Options
	Background bool          // nobody sees it run: it gives way to one that somebody starts in a terminal
	Idle       time.Duration // ends after this long without use; 0 never

	Pages fs.FS // the built front end, for windows; without an index.html none

	Notices notice.Shower // tells the person of tasks while no window does; nil tells nobody

	// Open takes the data directory; nil is app.Open. A *lock.HeldError says
	// that another process has it.
	Open func(ctx context.Context, o app.Options) (Controller, error)
}

// Server has the controller and answers on its socket.
type Server struct {
	copies     *api.Copies // of a shell of tests
	o          ServerOptions
	Controller Controller
	API        *api.API // for others than those who come by the socket
	file       identity
	since      time.Time
	use        use
	windows    atomic.Int32
	rest       *rest
	alone      chan struct{} // the last window went
	ln         net.Listener

	once sync.Once
	end  chan struct{}
}

// NewServer takes the data directory and listens. [Server.Run] has to be called.
func NewServer(ctx context.Context, o ServerOptions) (*Server, error) {
	defer time.AfterFunc(startGrace, starting.begin()) // which begins now, and the time when this returns
	if o.Open == nil {
		o.Open = func(ctx context.Context, ao app.Options) (Controller, error) { return app.Open(ctx, ao) }
	}
	o.App.Log = cmp.Or(o.App.Log, slog.New(slog.DiscardHandler))
	if o.Pages != nil {
		if _, err := fs.Stat(o.Pages, "index.html"); err != nil {
			o.Pages = nil // a build of the command line alone
		}
	}
	s := &Server{o: o, file: ownFile(), since: time.Now(), alone: make(chan struct{}, 1), end: make(chan struct{})}
	var err error
	if s.Controller, err = o.Open(ctx, o.App); err != nil {
		return nil, err
	}
	var counting *telemetry.Telemetry // nil: it counts nothing
	if c, ok := s.Controller.(interface{ Counting() *telemetry.Telemetry }); ok {
		counting = c.Counting()
	}
	s.copies = api.NewCopies(filepath.Join(o.App.WithDefaults().CacheDir, history.OpenedDir))
	clients, _ := s.Controller.(api.Clients) // that of a test has none
	s.API = api.New(api.Options{
		Telemetry: counting, Clients: clients, Service: s.Controller, Shell: api.TestShell(), Copies: s.copies, Process: s, Pages: o.Pages, Version: o.App.Version, Developer: o.App.Developer, Log: o.App.Log,
		Admitted: s.counted,
	})
	if s.ln, err = api.ListenSocket(s.Controller.Socket()); err != nil {
		s.API.Close()
		return nil, errors.Join(err, s.Controller.Close(ctx))
	}
	s.rest = newRest(restAfter, giveBack)
	return s, nil
}

// Run answers until ctx ends, somebody has it end, its data is at another place, or nobody
// used it for Idle. Then it ends the tasks in order and gives the data directory back.
func (s *Server) Run(ctx context.Context) error {
	serve, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- api.Serve(serve, s.ln, s.API.Handler()) }()
	go s.watch(serve)
	told := make(chan struct{})
	go func() {
		defer close(told)
		if s.o.Notices != nil {
			s.telling().run(serve)
		}
	}()
	var err error
	select {
	case <-ctx.Done():
	case <-s.end:
	case <-s.leaves():
	case err = <-over:
		over <- nil
	}
	s.use.close()
	s.rest.stop()
	stop()
	err = errors.Join(err, <-over)
	s.API.Close()
	s.copies.Close()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- s.Controller.Close(end) }()
	select {
	case why := <-closed:
		err = errors.Join(err, why)
	case <-time.After(closeWithin + app.CloseLate + time.Second): // its own deadline did not hold
		err = errors.Join(err, errors.New("the controller does not close"))
	}
	select {
	case <-told:
	case <-end.Done(): // a service of the system that hangs
	}
	return err
}

// leaves is closed when the data was moved to another place.
func (s *Server) leaves() <-chan struct{} {
	if c, ok := s.Controller.(interface{ Moved() <-chan struct{} }); ok {
		return c.Moved()
	}
	return nil
}

// Moved reports whether the data was moved to another place.
func (s *Server) Moved() bool {
	select {
	case <-s.leaves():
		return true
	default:
		return false
	}
}

// watch has it end when nobody uses it.
func (s *Server) watch(ctx context.Context) {
	if s.o.Idle <= 0 {
		return
	}
	again := time.NewTicker(min(max(s.o.Idle/10, 10*time.Millisecond), time.Minute))
	defer again.Stop()
	for {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
		if s.Controller.Work().Any() || s.fetching(ctx) {
			s.use.touch()
		}
		if s.use.closeAfter(s.o.Idle) {
			s.o.App.Log.Info("controller: nobody uses it, so it ends")
			s.stop()
			return
		}
	}
}

func (s *Server) stop() { s.once.Do(func() { close(s.end) }) }

// fetching reports whether an update or an add-on is on its way: a download overnight outlasts
// the window that began it. One that is paused or offline goes on with the next start.
func (s *Server) fetching(ctx context.Context) bool {
	u, err := s.Controller.Update(ctx)
	if err != nil {
		return false
	}
	switch u.Phase {
	case updater.PhaseChecking, updater.PhaseDownloading, updater.PhaseInstalling, updater.PhaseTrying:
		return true
	default:
		return false
	}
}

// Status implements api.Process.
func (s *Server) Status(context.Context) (api.ProcessStatus, error) {
	o := s.o.App.WithDefaults()
	return api.ProcessStatus{
		PID: os.Getpid(), Version: o.Version, Program: s.file.path, Built: s.file.built, Since: s.since.UTC(),
		Background: s.o.Background, IdleEnd: int(s.o.Idle.Seconds()), Accel: o.Accel, Env: environment(o, os.Environ()), Pages: s.o.Pages != nil, Working: len(s.Controller.Work().Tasks), Held: s.API.Held(), Clients: s.use.open() - 1, Windows: int(s.windows.Load()), // without this request
	}, nil
}

// End implements api.Process. It ends once this is answered.
func (s *Server) End(_ context.Context, r api.EndRequest) error {
	if w := s.Controller.Retire(); w.Any() && !r.Cancel {
		return working(w)
	}
	s.use.close()
	s.stop()
	return nil
}

// working is the problem of work that the end would interrupt.
func working(w registry.Work) error {
	if w.Frozen {
		return problem.New(problem.CodeMoving).By("moving")
	}
	p := problem.New(problem.CodeControllerWorking)
	if len(w.Tasks) > 0 {
		p = p.With("tasks", len(w.Tasks))
		if len(w.Tasks) == 1 {
			p = p.With("task", w.Tasks[0])
		}
		return p
	}
	for _, u := range w.Uses {
		switch u.What {
		case registry.UseUndo, registry.UseRedo, registry.UseApply:
			return p.By("changing").With("task", u.Task)
		}
	}
	return p
}

// counted is a handler whose requests are use of the controller.
func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.use.begin() {
			answer.Write(w, r, answer.FromService(problem.New(problem.CodeShuttingDown))) // whoever asks starts another
			return
		}
		defer s.use.end()
		s.rest.asked()
		defer s.rest.asked()
		if r.URL.Path == api.EventsPath && r.Header.Get(api.ClientHeader) == api.ClientWindow && task.ClientOf(r.Context()) == "" {
			s.windows.Add(1)
			defer func() {
				if s.windows.Add(-1) == 0 {
					select {
					case s.alone <- struct{}{}:
					default: // it is known already
					}
				}
			}()
		}
		h.ServeHTTP(w, r)
	})
}

// use counts the requests that are open. The zero value is ready.
type use struct {
	mu     sync.Mutex
	count  int
	last   time.Time
	closed bool
}

func (u *use) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.count++
	return true
}

func (u *use) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count--
	u.last = time.Now()
}

func (u *use) open() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count
}

func (u *use) touch() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = time.Now()
}

func (u *use) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
}

// closeAfter closes it when for so long nothing was open.
func (u *use) closeAfter(idle time.Duration) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last.IsZero() {
		u.last = time.Now()
	}
	if u.count > 0 || time.Since(u.last) < idle {
		return false
	}
	u.closed = true
	return true
}
