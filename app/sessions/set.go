package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Bounds of a [Set].
const (
	MaxSessions = 256       // at a time, those that are over and kept too
	maxKept     = 128 << 20 // bytes of output of all sessions
	defaultKept = 1 << 20   // of one
	leastKept   = 64 << 10  // however many there are
	linger      = 10 * time.Minute
	spare       = 15 * time.Second
)

// Place is where a session's program runs.
type Place interface {
	Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error)
	Capabilities() vmhost.Capabilities
	// Records has the audit log say that a shell there is about to do a command, for who ctx
	// says: without that it must not be done. ended says how the command ended.
	Records(ctx context.Context, id string, argv []string) (ended func(wire.ExecResult) error, err error)
}

// Options of a Set.
type Options struct {
	// Place is where a task works. It waits until that is ready.
	Place func(ctx context.Context, task string) (Place, error)
	// Dir is a directory of the task for files that are written; Keep makes such a file a
	// result of the task and returns its name there. It returns "" when the task is over.
	Dir  func(task string) string
	Keep func(task, file, name string) (string, error)

	// Linger is how long a session that ended by itself is kept to be read, also when its
	// task is over; 0 is ten minutes.
	Linger time.Duration
	// Spare is how long a place in which no session runs is kept for the next one: others
	// may wait for what it takes of the computer. 0 is 15 seconds.
	Spare time.Duration

	Now   func() time.Time
	After func(time.Duration) <-chan time.Time // nil is time.After
}

// Set has all sessions.
type Set struct {
	o     Options
	count atomic.Int64 // of sessions in the table

	mu       sync.Mutex
	sessions map[string]*session
	changed  chan struct{}   // closed and replaced when sessions are made, end or are closed
	closed   map[string]bool // tasks of which somebody closed the last session

	rooms map[string]*atomic.Int64 // bytes that files of outputs may still have, by task
}

// New makes a Set without sessions.
func New(o Options) *Set {
	o.Linger = cmp.Or(o.Linger, linger)
	o.Spare = cmp.Or(o.Spare, spare)
	if o.After == nil {
		o.After = time.After
	}
	return &Set{o: o, sessions: map[string]*session{}, changed: make(chan struct{}), closed: map[string]bool{}, rooms: map[string]*atomic.Int64{}}
}

// roomOf is what files of outputs of a task may still have together.
func (c *Set) roomOf(task string) *atomic.Int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rooms[task] == nil {
		c.rooms[task] = &atomic.Int64{}
		c.rooms[task].Store(maxFiles)
	}
	return c.rooms[task]
}

// limit is how much output a session may keep that asked for so many KiB.
func (c *Set) limit(kilobytes int) int {
	want := defaultKept
	if kilobytes > 0 {
		want = kilobytes << 10
	}
	return min(want, max(leastKept, maxKept/int(max(1, c.count.Load()))))
}

// CreateSession starts a program in the place of a task, and returns when it runs. It waits
// until the place is ready.
func (c *Set) CreateSession(ctx context.Context, task string, r Request) (Session, error) {
	c.forget()
	s, err := c.add(context.WithoutCancel(ctx), task, r)
	if err != nil {
		return Session{}, err
	}
	for _, other := range c.of("") { // each may keep less from now on
		other.trim()
	}
	waiting, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(s.ctx, cancel)()
	p, err := c.o.Place(waiting, task)
	cancel()
	if err != nil {
		c.remove(s, errors.Is(context.Cause(s.ctx), errClosed))
		s.fail(err)
		return Session{}, err
	}
	secrets := r.Secrets
	go s.run(p, secrets)
	if err := s.until(ctx, func() bool { return s.public.State != StateCreating }); err != nil {
		s.end(errClosed)
		c.remove(s, false)
		return Session{}, err
	}
	out := s.snapshot()
	s.mu.Unlock()
	if out.Reason == ReasonFailed {
		c.remove(s, false)
		return Session{}, out.Problem
	}
	return out, nil
}

// add makes a session that does not run yet; its program runs for who ctx says.
func (c *Set) add(ctx context.Context, task string, r Request) (*session, error) {
	s := &session{
		set: c, number: newNumber(), orders: make(chan string, 1), signal: make(chan int), done: make(chan struct{}),
		changed: make(chan struct{}), clients: clients{all: map[*conn]struct{}{}, polled: map[string]*poller{}}, last: c.o.Now(),
		public: Session{
			ID: strings.ToLower(rand.Text()[:12]), Task: task, Shell: len(r.Argv) == 0, Argv: r.Argv, Terminal: r.Terminal != nil,
			Size: r.Terminal, State: StateCreating, Created: c.o.Now().UTC(),
		},
	}
	if err := check(s.public.ID, r); err != nil {
		return nil, err
	}
	s.req = r
	s.req.Secrets = nil
	s.prog = attach.New(attach.Info{Terminal: r.Terminal != nil, Input: true}, false)
	s.ctx, s.end = context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) >= MaxSessions {
		return nil, problem.New(problem.CodeSessionBusy).By("many").With("max", MaxSessions)
	}
	delete(c.closed, task)
	c.sessions[s.public.ID] = s
	c.change()
	return s, nil
}

// check says what is wrong with a request.
func check(id string, r Request) error {
	env := map[string]string{}
	for k, v := range r.Secrets {
		if _, twice := r.Env[k]; twice {
			return problem.BadRequest("secrets", "%q is a variable of env, too", k)
		}
		env[k] = string(v)
	}
	for k, v := range r.Env {
		env[k] = v
	}
	argv := r.Argv
	if len(argv) == 0 {
		argv = shells[:1]
	}
	p := wire.ExecParams{ID: id, Argv: argv, Cwd: r.Cwd, Env: env, Terminal: r.Terminal, Limits: r.Limits}
	if err := p.Validate(); err != nil {
		return problem.BadRequest("session", "%w", err)
	}
	return nil
}

// wake is change for who does not hold mu.
func (c *Set) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change()
}

// change wakes who waits for a change of the table. mu is held.
func (c *Set) change() {
	c.count.Store(int64(len(c.sessions)))
	close(c.changed)
	c.changed = make(chan struct{})
}

// remove takes a session out of the table. By a person, the place of the task may close when
// it was the last.
func (c *Set) remove(s *session, person bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.public.ID] != s {
		return
	}
	delete(c.sessions, s.public.ID)
	task := s.public.Task
	if person && !s.orphan && !slices.ContainsFunc(c.all(), func(o *session) bool { return o.public.Task == task }) {
		c.closed[task] = true
	}
	c.change()
}

// all are the sessions in the table, the oldest first. mu is held.
func (c *Set) all() []*session {
	out := make([]*session, 0, len(c.sessions))
	for _, s := range c.sessions {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *session) int {
		if d := a.public.Created.Compare(b.public.Created); d != 0 {
			return d
		}
		return strings.Compare(a.public.ID, b.public.ID)
	})
	return out
}

// of are the sessions of a task, of all tasks without one.
func (c *Set) of(task string) (out []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all() {
		if task == "" || s.public.Task == task {
			out = append(out, s)
		}
	}
	return out
}

// find returns a session.
func (c *Set) find(id string) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		return s, nil
	}
	return nil, problem.New(problem.CodeNotFound).With("session", id)
}

// steered is find for who does something in a session. A client waits until the session has its
// place, and does nothing in one that is not kept apart.
func (c *Set) steered(ctx context.Context, id string) (*session, error) {
	s, err := c.find(id)
	if err != nil || task.ClientOf(ctx) == "" {
		return s, err
	}
	if err := s.until(ctx, func() bool { return s.place != nil || s.over() }); err != nil {
		return nil, problem.From(err)
	}
	defer s.mu.Unlock()
	if s.place == nil {
		return s, nil
	}
	return s, task.MaySteer(ctx, s.place.Capabilities().Isolation)
}

// Sessions lists the sessions of a task, of all tasks without one; the oldest first.
func (c *Set) Sessions(_ context.Context, task string) ([]Session, error) {
	c.forget()
	out := []Session{}
	for _, s := range c.of(task) {
		out = append(out, s.look())
	}
	return out, nil
}

// Session returns one session.
func (c *Set) Session(_ context.Context, id string) (Session, error) {
	s, err := c.find(id)
	if err != nil {
		return Session{}, err
	}
	return s.look(), nil
}

// RunInSession has a shell do a command and waits for its end.
func (c *Set) RunInSession(ctx context.Context, id string, r RunRequest) (RunResult, error) {
	s, err := c.steered(ctx, id)
	if err != nil {
		return RunResult{}, err
	}
	if strings.IndexByte(r.Command, 0) >= 0 {
		return RunResult{}, problem.BadRequest("command", "contains a NUL")
	}
	return s.tell(ctx, r)
}

// AttachSession joins a session.
func (c *Set) AttachSession(ctx context.Context, id string, r AttachRequest) (attach.Conn, error) {
	s, err := c.steered(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.attach(r)
}

// ReadSession answers a client that has no connection with output.
func (c *Set) ReadSession(ctx context.Context, id string, r OutputRequest) (Output, error) {
	s, err := c.steered(ctx, id)
	if err != nil {
		return Output{}, err
	}
	return s.read(ctx, r)
}

// WriteSession types what a client says that has no connection. A conflict while another
// client writes.
func (c *Set) WriteSession(ctx context.Context, id string, r InputRequest) (Session, error) {
	s, err := c.steered(ctx, id)
	if err != nil {
		return Session{}, err
	}
	return s.write(ctx, r)
}

// ResizeSession changes the size of a session's terminal, for a program that steers it: it needs
// no lease, as [conn.Resize] of a client does.
func (c *Set) ResizeSession(ctx context.Context, id string, size wire.TerminalSize) (Session, error) {
	s, err := c.steered(ctx, id)
	switch {
	case err != nil:
		return Session{}, err
	case s.req.Terminal == nil:
		return Session{}, problem.New(problem.CodeSessionUnfit).With("session", id).By("no-terminal")
	}
	if err := s.resize(size); err != nil {
		return Session{}, problem.BadRequest("size", "%w", err)
	}
	return s.look(), nil
}

// SignalSession sends a signal to the process group of a session, and on a terminal to that of
// the program in front.
func (c *Set) SignalSession(ctx context.Context, id string, r SignalRequest) (Session, error) {
	s, err := c.steered(ctx, id)
	if err != nil {
		return Session{}, err
	}
	number, ok := signals[r.Signal]
	if !ok {
		return Session{}, problem.BadRequest("signal", "%q is not a choice", r.Signal)
	}
	select {
	case s.signal <- number:
	case <-s.done:
		return Session{}, problem.New(problem.CodeSessionOver).With("session", id).By(string(s.look().Reason))
	case <-ctx.Done():
		return Session{}, problem.From(context.Cause(ctx))
	}
	return s.look(), nil
}

// CloseSession ends a session with everything that it started, and forgets it. The last one
// of a task that has nothing else to do ends the task.
func (c *Set) CloseSession(ctx context.Context, id string) (Session, error) {
	s, err := c.find(id)
	if err != nil {
		return Session{}, err
	}
	s.end(errClosed)
	select {
	case <-s.done:
	case <-ctx.Done():
		return Session{}, problem.From(context.Cause(ctx))
	}
	c.remove(s, true)
	return s.look(), nil
}

// EndTask ends the sessions of a task and waits until nothing of them runs. Those that had
// ended before stay to be read.
func (c *Set) EndTask(task string) {
	var running []*session
	for _, s := range c.of(task) {
		if s.look().Ending == nil {
			running = append(running, s)
			s.end(errTask)
		}
	}
	for _, s := range running {
		<-s.done
		c.remove(s, false)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		s.orphan = s.orphan || s.public.Task == task
	}
	delete(c.closed, task)
	delete(c.rooms, task)
}

// Stay returns when a task that has nothing else to do is to end: somebody closed its last
// session, or none has run in it for a while. The error is that of ctx.
func (c *Set) Stay(ctx context.Context, task string) error {
	var quiet time.Time // since when nothing runs
	for {
		c.mu.Lock()
		changed, closed := c.changed, c.closed[task]
		c.mu.Unlock()
		if closed {
			return nil
		}
		var end <-chan time.Time
		switch now := c.o.Now(); {
		case c.runs(task):
			quiet = time.Time{}
		case quiet.IsZero():
			quiet = now
			fallthrough
		default:
			end = c.o.After(c.o.Spare - now.Sub(quiet))
		}
		select {
		case <-end:
			return nil
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// runs tells whether a task has a session that is not over.
func (c *Set) runs(task string) bool {
	return slices.ContainsFunc(c.of(task), func(s *session) bool { return s.look().Ending == nil })
}

// forget forgets sessions that ended long ago and that nobody reads.
func (c *Set) forget() {
	for _, s := range c.of("") {
		if p := s.look(); p.Ending != nil && p.Readers == 0 && c.o.Now().Sub(p.Ending.Ended) > c.o.Linger {
			c.remove(s, false)
		}
	}
}
