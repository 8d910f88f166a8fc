package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
)

// Transport is a running pi: its standard input and output. Closing In asks it
// to end by itself; Out ends when it is gone. Who started the program ends it.
type Transport struct {
	In  io.WriteCloser
	Out io.Reader
}

// Options are what a Session works with. The functions may be nil; they are
// called from the session's own goroutines and must not call the session.
type Options struct {
	Task string
	// Emit takes what happened, in order, one call at a time. While it does not
	// return, pi is not read.
	Emit func(Entry)
	// Record keeps a line of pi as it came, without its end, and returns its number
	// in the task's agent.jsonl, counted from 1.
	Record func(line []byte) int64
	// Known says what the task's timeline has already.
	Known func(id string) Presence
	// Hints are told with each message, as they are then; nil is none.
	Hints func() vmhost.Hints
	// Ask puts a question to the person. Several may be open at once. Without it
	// the answer is no.
	Ask vmhost.AskFunc
	// Paused says that the machine stands still on purpose, so that nothing is
	// expected from it.
	Paused func() bool
	// Stall is how long a command may go unanswered while pi says nothing at all; 0
	// is DefaultStall. A model may think as long as it likes.
	Stall time.Duration
	// Patience is how long a run may go on that was aborted; 0 is DefaultPatience.
	Patience time.Duration
	Log      *slog.Logger
}

// DefaultStall leaves time for the first start of Node in a slow machine on a busy
// computer, where 90 seconds were seen to be too few. A program that has ended, or
// a machine that hangs, is noticed at once by others.
const DefaultStall = 5 * time.Minute

// DefaultPatience is more than a program needs that ends a run when it is told to.
const DefaultPatience = 30 * time.Second

// ErrEnded says that pi is gone, or going.
var ErrEnded = errors.New("the AI program has ended")

// ErrStalled says that pi did not answer a command and said nothing else either.
var ErrStalled = errors.New("the AI program does not answer")

// ErrTooLong says that a line is longer than is read or written.
var ErrTooLong = errors.New("a line of the AI program is too long")

// CommandError is pi's refusal of a command.
type CommandError struct {
	Command string // as pi names it
	Text    string // pi's words, cleaned
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("the AI program refused %s: %s", e.Command, e.Text)
}

// Problem is problem.From, also for what the AI program refuses, or does not answer: with the
// cause "refused" or "silent", where it may be at work all the same.
func Problem(err error) *problem.Problem {
	var refused *CommandError
	p := problem.New(problem.CodeAgentFailed).Because(err)
	switch {
	case errors.As(err, &refused):
		p = p.By("refused")
	case errors.Is(err, ErrStalled):
		p = p.By("silent")
	case errors.Is(err, ErrEnded), errors.Is(err, ErrTooLong):
		return p
	default:
		return problem.From(err)
	}
	p.Fix = problem.Fixes(problem.FixShowDetails)
	return p
}

// Outcome is how a run ended.
type Outcome struct {
	Aborted bool
	Failure string // the model's error, "" when it answered
}

// Session talks to one pi, from its start to its end. Make another one for
// another pi. All methods may be called from several goroutines at once.
type Session struct {
	o      Options
	ctx    context.Context // ends with the session; its cause is why
	cancel context.CancelCauseFunc
	out    chan []byte // lines for pi

	names     names
	questions questions

	emitting sync.Mutex // keeps entries in order; guards line and o.Emit; lock it before mu
	line     *Timeline

	mu         sync.Mutex
	started    bool
	transport  Transport
	pending    map[string]*call
	last       time.Time // when pi last said something
	nextID     int64
	busy       bool // a run is under way
	compacting bool
	idle       chan struct{} // closed when busy ends
	outcome    Outcome

	over chan struct{} // closed when the transport is read to its end
	asks sync.WaitGroup
}

// call is a command that waits for its answer.
type call struct {
	command string
	answer  chan answer // gets one
}

type answer struct {
	data json.RawMessage
	err  error
}

// New makes a session for one pi.
func New(o Options) *Session {
	if o.Emit == nil {
		o.Emit = func(Entry) {}
	}
	if o.Record == nil {
		o.Record = func([]byte) int64 { return 0 }
	}
	if o.Paused == nil {
		o.Paused = func() bool { return false }
	}
	o.Stall, o.Patience = cmp.Or(o.Stall, DefaultStall), cmp.Or(o.Patience, DefaultPatience)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	idle := make(chan struct{})
	close(idle)
	return &Session{o: o, line: NewTimeline(o.Known), out: make(chan []byte, 256), idle: idle,
		pending: map[string]*call{}, questions: questions{task: o.Task, ask: o.Ask}, over: make(chan struct{})}
}

// Resumed says what pi knew when it started.
type Resumed struct {
	State
	// LastUser is the id of the last message of the person in the session, as in
	// the timeline; "" when there is none. A later one that the timeline has was
	// lost before pi had stored it.
	LastUser string
	// Unfinished says that pi ended in the middle of its work: the session ends with
	// a message or a result that nobody answered, or with an error of the model.
	Unfinished bool
}

// Start talks to a pi that has just been started, waits until it answers, and
// adds what the timeline does not have of its session. ctx bounds the start
// only. After an error the session is over.
func (s *Session) Start(ctx context.Context, t Transport) (Resumed, error) {
	s.mu.Lock()
	if s.started {
		s.mu.Unlock()
		return Resumed{}, errors.New("the session was started before")
	}
	s.started, s.transport, s.last = true, t, time.Now()
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Unlock()
	lines := make(chan input)
	go s.read(t.Out, lines)
	go s.work(lines)
	go s.write(t.In)
	r, err := s.resume(ctx)
	if err != nil {
		s.end(err)
		return Resumed{}, fmt.Errorf("start the AI program: %w", err)
	}
	return r, nil
}

// Done is closed when pi is gone and everything it said was passed on. It is
// never closed before Start.
func (s *Session) Done() <-chan struct{} { return s.over }

// Err says why the session ended; nil while it has not. The plain end of pi is
// ErrEnded.
func (s *Session) Err() error {
	select {
	case <-s.over:
		return context.Cause(s.ctx)
	default:
		return nil
	}
}

// Close asks pi to end by itself and waits until it has, or ctx ends.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	t, started := s.transport, s.started
	s.mu.Unlock()
	if !started {
		return nil
	}
	err := t.In.Close()
	select {
	case <-s.over:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for the end of the AI program: %w", ctx.Err()), err)
	}
}

// Wait returns when pi waits for a message: how the last run ended.
func (s *Session) Wait(ctx context.Context) (Outcome, error) {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.outcome, nil
	default:
	}
	select {
	case <-idle:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.outcome, nil
	case <-s.over:
		return Outcome{}, context.Cause(s.ctx)
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// end ends the session with a cause, the first of which counts.
func (s *Session) end(err error) {
	s.cancel(err)
	s.mu.Lock()
	in := s.transport.In
	s.mu.Unlock()
	in.Close() // pi ends, if it can still read
}

// input is a line of pi.
type input struct {
	data []byte
	long bool // data is only its beginning
}

// read reads until pi is gone.
func (s *Session) read(r io.Reader, lines chan<- input) {
	defer close(lines)
	l := newLineReader(r, maxLine)
	for {
		data, long, err := l.next()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				s.o.Log.Info("reading from the AI program ended", "error", err)
			}
			return
		}
		if len(data) > 0 {
			lines <- input{data, long}
		}
	}
}

// work handles what pi says, until it is gone.
func (s *Session) work(lines <-chan input) {
	defer close(s.over)
	flush := time.NewTimer(0)
	defer flush.Stop()
	for {
		select {
		case in, ok := <-lines:
			if !ok {
				s.finish()
				return
			}
			if s.take(in) {
				flush.Reset(DeltaEvery)
			}
		case <-flush.C:
			s.emitting.Lock()
			s.emit(s.line.Flush(time.Now()))
			s.emitting.Unlock()
		}
	}
}

// take handles one line and says whether deltas wait.
func (s *Session) take(in input) bool {
	now := time.Now()
	s.mu.Lock()
	s.last = now
	s.mu.Unlock()
	if in.long {
		s.tooLong(in.data)
		return false
	}
	s.emitting.Lock()
	defer s.emitting.Unlock()
	raw := s.o.Record(in.data)
	e, _ := parseObject(in.data)
	s.before(e)
	s.emit(s.line.object(e, raw, now))
	s.after(e)
	return s.line.Pending()
}

// before and after keep what the session must know itself: questions are put and
// answers delivered when what they belong to was emitted.
func (s *Session) before(e object) {
	switch e.str("type") {
	case "agent_start":
		s.run(true, Outcome{})
	case "compaction_start":
		s.setCompacting(true)
	case "compaction_end":
		s.setCompacting(false)
	}
}

func (s *Session) after(e object) {
	switch e.str("type") {
	case "agent_settled":
		s.questions.withdrawAll()
		s.run(false, s.line.ended)
	case "extension_ui_request":
		s.request(e)
	case "response":
		s.answered(e)
	}
}

func (s *Session) emit(entries []Entry) {
	for _, e := range entries {
		s.o.Emit(s.names.give(e))
	}
}

func (s *Session) setCompacting(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacting = on
}

// run notes the beginning or the end of a run.
func (s *Session) run(busy bool, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.pending == nil: // whoever was given up begins none
		return
	case busy && !s.busy:
		s.idle = make(chan struct{})
	case !busy:
		s.outcome = o
		if s.busy {
			close(s.idle)
		}
	}
	s.busy = busy
}

// finish fails what waits for a pi that is gone.
func (s *Session) finish() {
	s.cancel(ErrEnded)
	s.mu.Lock()
	waiting := s.pending
	s.pending = nil
	s.mu.Unlock()
	for _, c := range waiting {
		c.answer <- answer{err: context.Cause(s.ctx)}
	}
	s.questions.withdrawAll()
	s.asks.Wait()
}
