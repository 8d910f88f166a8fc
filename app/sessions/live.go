package sessions

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Why the context of a session ended.
var (
	errClosed = errors.New("the session was closed")
	errIdle   = errors.New("nothing happened in the session")
	errLate   = errors.New("a command took too long and could not be interrupted")
	errTask   = errors.New("the task of the session ended")
)

var reasons = map[error]Reason{errClosed: ReasonClosed, errIdle: ReasonIdle, errLate: ReasonTimeout, errTask: ReasonTask}

// session is one that is in the table.
type session struct {
	set    *Set
	req    Request // without its secrets
	number string  // with which its shell speaks, but for commands
	prog   *attach.Program
	orders chan string // for its shell's control descriptor
	signal chan int
	end    context.CancelCauseFunc
	ctx    context.Context // ends when it is to end
	done   chan struct{}   // closed when nothing of it runs
	orphan bool            // its task is over; guarded by the Set

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something below changes
	public  Session
	place   Place         // set before its program is started
	room    *atomic.Int64 // for files of outputs, likewise
	out     scrollback
	clients clients
	command *command // under way
	heard   listener
	last    time.Time // when something happened
}

// change wakes everybody who waits. mu is held.
func (s *session) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// until waits until is reports true, with mu held then, or ctx ends.
func (s *session) until(ctx context.Context, is func() bool) error {
	for {
		s.mu.Lock()
		if is() {
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// active notes that something happened. mu is held.
func (s *session) active() { s.last = s.set.o.Now() }

// enter brings it to another state. mu is held.
func (s *session) enter(to State) {
	if s.public.State != StateTerminated && s.public.State != to {
		s.public.State = to
		s.change()
	}
}

// over tells whether it has ended. mu is held.
func (s *session) over() bool { return s.public.State == StateTerminated }

// snapshot is the session as anybody may see it. mu is held.
func (s *session) snapshot() Session {
	s.lapse()
	p := s.public
	p.Output, p.Kept, p.Readers = s.out.end, s.out.end-s.out.start(), len(s.clients.all)
	p.Writer = s.clients.writer() != nil
	return p
}

// look is snapshot for who does not hold mu.
func (s *session) look() Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// run has the program run in a place until it is over.
func (s *session) run(p Place, secrets map[string]Secret) {
	defer close(s.done)
	defer s.set.wake()
	room := s.set.roomOf(s.public.Task)
	s.mu.Lock()
	s.place, s.room = p, room
	s.active() // until now it was no program's to be idle
	s.mu.Unlock()
	stop := s.watch()
	began := s.set.o.Now()
	obs, err := s.execute(p, secrets)
	stop()
	s.prog.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &Ending{Ended: s.set.o.Now().UTC(), WallMS: s.set.o.Now().Sub(began).Milliseconds()}
	s.public.Reason = ReasonExited
	if r := obs.Exec; r != nil {
		e.ExitCode, e.Signal, e.WallMS, e.CPUMS, e.PeakKB = r.ExitCode, r.Signal, r.WallMS, r.CPUMS, r.PeakKB
		switch r.Ended {
		case "", wire.EndedCancelled:
		case wire.EndedTimeout:
			s.public.Reason = ReasonTimeout
		default:
			s.public.Reason = ReasonLimit
		}
		if r.Ended == "" && r.Signal != 0 {
			s.public.Reason = ReasonSignal
		}
	}
	if why, ok := reasons[context.Cause(s.ctx)]; ok {
		s.public.Reason = why
	} else if err != nil {
		s.public.Reason, s.public.Problem = ReasonFailed, problem.From(err)
	}
	s.public.Ending = e
	s.enter(StateTerminated)
	s.change()
}

// fail ends one whose place is not to be had, for everybody who waits for it.
func (s *session) fail(err error) {
	defer close(s.done)
	s.prog.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	var closed bool
	if s.public.Reason, closed = reasons[context.Cause(s.ctx)]; !closed {
		s.public.Reason, s.public.Problem = ReasonFailed, problem.From(err)
	}
	s.public.Ending = &Ending{Ended: s.set.o.Now().UTC()}
	s.enter(StateTerminated)
}

// execute runs the program; a shell is the best that the place has.
func (s *session) execute(p Place, secrets map[string]Secret) (obs vmhost.Observation, err error) {
	names := []string{""}
	if s.public.Shell {
		names = shells
	}
	for _, name := range names {
		obs, err = p.Execute(s.ctx, s.action(name, secrets))
		if missing, is := errors.AsType[*vmhost.ActionError](err); !is || missing.Code != vmhost.ActionMissing {
			break
		}
	}
	return obs, err
}

// action is the program; name is that of its shell.
func (s *session) action(name string, secrets map[string]Secret) vmhost.Action {
	r := s.req
	env := maps.Clone(r.Env)
	if env == nil {
		env = map[string]string{}
	}
	for k, v := range secrets {
		env[k] = string(v)
	}
	a := vmhost.Action{
		Exec: &wire.ExecParams{
			ID: s.public.ID, Argv: r.Argv, Cwd: r.Cwd, Env: env, Clean: r.Clean, Terminal: r.Terminal, Limits: r.Limits,
		},
		Input: s.prog.Input(), Resize: s.prog.Sizes(), Signal: s.signal, OnOutput: s.hear, OnStart: s.started,
	}
	if r.RequiresRuntime != nil {
		a.Requires = *r.RequiresRuntime
	}
	a.Exec.Limits.WallMS = cmp.Or(a.Exec.Limits.WallMS, wire.MaxWallMS)
	a.Exec.Limits.OutputBytes = cmp.Or(a.Exec.Limits.OutputBytes, wire.MaxOutput)
	if name == "" {
		return a
	}
	a.Exec.Argv = shellArgv(name, r.Terminal != nil)
	if r.Terminal == nil {
		a.Control = newPipe(s.orders, begin(name, s.number))
	} else if name == "bash" {
		a.Control = newPipe(nil, prompt(s.number))
	}
	return a
}

// started notes that the program runs. A shell says itself when it is idle.
func (s *session) started() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active()
	if !s.public.Shell || s.req.Terminal != nil {
		s.enter(StateRunning)
	}
}

// hear takes what the program writes.
func (s *session) hear(o wire.ExecOutput) {
	limit := s.set.limit(s.req.KeepKB)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active()
	if o.Stream == wire.Control {
		for _, said := range s.heard.hear(o.Data, s.knows) {
			s.understand(said)
		}
		return
	}
	if c := s.command; c != nil {
		if o.Stream == wire.Stderr {
			c.stderr.take(o.Data)
		} else {
			c.stdout.take(o.Data)
		}
	}
	s.out.add(o, limit)
	s.change()
}

// trim drops output beyond what it may keep now.
func (s *session) trim() {
	limit := s.set.limit(s.req.KeepKB)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.trim(limit)
}

// knows reports whether its shell was told a number. mu is held.
func (s *session) knows(number string) bool {
	return number == s.number || s.command != nil && number == s.command.number
}

// understand follows what a shell says. mu is held.
func (s *session) understand(w said) {
	c := s.command
	s.heard.told = s.heard.told || w.number == s.number
	switch {
	case w.number == s.number && w.word == "run":
		s.enter(StateRunning)
	case w.number == s.number:
		s.heard.cpu, s.heard.peak = w.cpu, w.peak
		s.enter(StateIdle)
	case c != nil && w.number == c.number:
		c.finish(w, s.heard.cpu, s.heard.peak)
		s.heard.cpu, s.heard.peak, s.command = w.cpu, max(w.peak, s.heard.peak), nil
		s.enter(StateIdle)
		s.change()
	}
}

// watch ends the session when nothing happens in it for too long, until stop is called.
func (s *session) watch() (stop func()) {
	if s.req.IdleMS <= 0 {
		return func() {}
	}
	idle := time.Duration(s.req.IdleMS) * time.Millisecond
	ctx, cancel := context.WithCancel(s.ctx)
	go func() {
		for {
			s.mu.Lock()
			left := idle - s.set.o.Now().Sub(s.last)
			if s.command != nil || s.heard.told && s.public.State == StateRunning {
				left = idle // its end counts
			}
			s.mu.Unlock()
			if left <= 0 {
				s.end(errIdle)
				return
			}
			select {
			case <-s.set.o.After(left):
			case <-ctx.Done():
				return
			}
		}
	}()
	return cancel
}
