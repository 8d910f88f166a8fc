package acpagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/agent"
	"piwork/app/agent/transcript"
	"piwork/app/task"
	"piwork/vmhost"
)

// Options are what a Session works with, beside those that it shares with one of pi; Known is not
// used.
type Options struct {
	agent.Options
	Version string                       // of piwork
	Dir     string                       // where the program works
	Session string                       // the program's id of the session that goes on; "" begins one
	Opened  func(id string) error        // keeps that of the session which is open
	Model   string                       // "<provider>/<model>" that it is started with
	Named   func(model string) string    // what the program calls a model
	Folders func() []vmhost.FolderInView // of the task, now
	Files   Files                        // in the machine
	Asks    bool                         // the person is asked about commands that do more than read
}

// Files are those of the task in the machine. A link that leads out of its folders is refused.
type Files interface {
	ReadFile(ctx context.Context, path string) ([]byte, error)
	WriteFile(ctx context.Context, path string, data []byte) error
}

// How long a program may take until its session is open, in times of Stall: opencode needs minutes
// of a processor to say anything where each instruction is emulated.
const (
	silentStart = 2 // without a word
	maxStart    = 4 // whatever it says meanwhile
)

// Session talks to one program, from its start to its end. All methods may be called from several
// goroutines at once.
type Session struct {
	o      Options
	ctx    context.Context // ends with the session; its cause is why
	cancel context.CancelCauseFunc

	in     *outbox
	conn   *sdk.Connection
	gate   *gate
	open   questions
	able   sdk.AgentCapabilities
	chosen choices

	choosing sync.Mutex // held while the program is told of a model: one after the other; lock it before emitting
	emitting sync.Mutex // keeps entries in order; guards line; lock it before mu
	line     *transcript.Transcript
	flush    chan struct{} // deltas wait; holds one

	mu sync.Mutex
	id sdk.SessionId
	runs

	work sync.WaitGroup
	over chan struct{} // closed when the program is gone and all of it was passed on
}

// runs are what the program is at, and what it is to do; Session.mu guards them.
type runs struct {
	queue []message
	now   *turn         // under way
	busy  bool          // a run is
	news  chan struct{} // the queue is not empty; holds one
	idle  chan struct{} // closed when busy ends
	last  agent.Outcome
}

// New makes a session for one program.
func New(o Options) *Session {
	if o.Emit == nil {
		o.Emit = func(agent.Entry) {}
	}
	if o.Record == nil {
		o.Record = func([]byte) int64 { return 0 }
	}
	if o.Paused == nil {
		o.Paused = func() bool { return false }
	}
	if o.Opened == nil {
		o.Opened = func(string) error { return nil }
	}
	if o.Named == nil {
		o.Named = func(model string) string { return model }
	}
	if o.Folders == nil {
		o.Folders = func() []vmhost.FolderInView { return nil }
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Stall, o.Patience = cmp.Or(o.Stall, agent.DefaultStall), cmp.Or(o.Patience, agent.DefaultPatience)
	idle := make(chan struct{})
	close(idle)
	prefix := strconv.FormatInt(time.Now().UnixMilli(), 36)
	return &Session{
		o: o, line: transcript.New(prefix, o.Model), open: questions{prefix: prefix}, flush: make(chan struct{}, 1),
		runs: runs{news: make(chan struct{}, 1), idle: idle}, over: make(chan struct{}),
	}
}

// Start talks to a program that has just been started, until its session is open. ctx bounds the
// start only. After an error the session is over.
func (s *Session) Start(ctx context.Context, t agent.Transport) (agent.Resumed, error) {
	if s.conn != nil {
		return agent.Resumed{}, errors.New("the session was started before")
	}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.gate = newGate(s, t.Out)
	s.in = newOutbox(t.In, func(err error) { s.cancel(fmt.Errorf("%w: write to it: %w", agent.ErrEnded, err)) }, s.gate.asked.answered)
	s.conn = sdk.NewConnection(s.handle, s.in, s.gate)
	s.conn.SetLogger(slog.New(slog.DiscardHandler)) // it would write lines of the program
	s.work.Go(s.gate.pump)
	s.work.Go(s.runTurns)
	s.work.Go(s.flushDeltas)
	s.work.Go(func() { s.in.drain(s.ctx) })
	s.work.Go(func() {
		s.watch(s.ctx, s.o.Stall, func() bool { return s.in.moves(s.gate.asked.wait()) }, func() { s.end(fmt.Errorf("%w: it does not read", agent.ErrStalled)) })
	})
	go s.finish()
	bounded, late := context.WithCancelCause(ctx)
	defer late(nil)
	go s.watch(bounded, maxStart*s.o.Stall, func() bool { return false }, func() {
		late(fmt.Errorf("%w: its session is not open", agent.ErrStalled))
	})
	resumed, err := s.begin(bounded)
	if err != nil {
		s.end(err)
		return agent.Resumed{}, fmt.Errorf("start the AI program: %w", err)
	}
	return resumed, nil
}

// finish ends what belongs to a program that is gone.
func (s *Session) finish() {
	<-s.conn.Done()
	s.cancel(agent.ErrEnded)
	s.open.withdrawAll()
	s.gate.close()
	s.work.Wait()
	s.gate.open.Wait()
	close(s.over)
}

// end ends the session with a cause, the first of which counts.
func (s *Session) end(err error) {
	s.cancel(err)
	s.in.Close()
}

// Done is closed when the program is gone and everything it said was passed on.
func (s *Session) Done() <-chan struct{} { return s.over }

// Close asks the program to end by itself and waits until it has, or ctx ends.
func (s *Session) Close(ctx context.Context) error {
	if s.conn == nil {
		return nil
	}
	err := s.in.Close()
	select {
	case <-s.over:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("wait for the end of the AI program: %w", ctx.Err()), err)
	}
}

// Wait returns when the program waits for a message: how the last run ended. One that is gone is
// heard to its end, one that was given up is not.
func (s *Session) Wait(ctx context.Context) (agent.Outcome, error) {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, func() {
		if errors.Is(context.Cause(s.ctx), agent.ErrStalled) {
			stop()
		}
	})()
	select {
	case <-idle:
	case <-s.over:
	case <-waiting.Done():
	}
	select {
	case <-idle:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.last, nil
	default:
	}
	if err := ctx.Err(); err != nil {
		return agent.Outcome{}, err
	}
	return agent.Outcome{}, context.Cause(s.ctx)
}

// emit passes entries on. emitting is held.
func (s *Session) emit(entries []agent.Entry) {
	for _, e := range entries {
		s.o.Emit(e)
	}
}

// say passes on what the transcript makes of something.
func (s *Session) say(make func() []agent.Entry) {
	s.emitting.Lock()
	defer s.emitting.Unlock()
	s.emit(make())
}

// flushDeltas passes on what waits of a message, when nothing more of it came for a while.
func (s *Session) flushDeltas() {
	tick := time.NewTimer(0)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.flush:
			tick.Reset(agent.DeltaEvery)
		case <-tick.C:
			s.say(func() []agent.Entry { return s.line.Flush(time.Now()) })
		}
	}
}

// call does a request that is answered at once, and gives up on a program that says nothing.
func call[T any](ctx context.Context, s *Session, method string, params any) (T, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	before, limit := s.gate.heard.Load(), s.o.Stall
	if s.session() == "" {
		limit *= silentStart
	}
	go s.watch(ctx, limit, func() bool {
		now := s.gate.heard.Load()
		heard := now != before
		before = now
		return heard
	}, func() { cancel(fmt.Errorf("%w (%s)", agent.ErrStalled, method)) })
	out, err := sdk.SendRequest[T](s.conn, ctx, method, params)
	return out, s.failed(ctx, method, err)
}

// watch calls late when there was no sign of life for limit, unless ctx ends before. Time in which
// the program is paused does not count.
func (s *Session) watch(ctx context.Context, limit time.Duration, sign func() bool, late func()) {
	p := agent.NewPatience(limit, time.Now())
	tick := time.NewTicker(p.Beat())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-tick.C:
			if heard := sign(); p.Over(at, s.o.Paused() || heard) {
				late()
				return
			}
		}
	}
}

// failed is what the error of a request means.
func (s *Session) failed(ctx context.Context, method string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-s.conn.Done():
		return cmp.Or(context.Cause(s.ctx), agent.ErrEnded)
	default:
	}
	return &agent.CommandError{Command: method, Text: said(err)}
}

// said are the words of an error of the program.
func said(err error) string {
	if refused, ok := errors.AsType[*sdk.RequestError](err); ok {
		return agent.OneLine(refused.Message, agent.MaxNotice)
	}
	return agent.OneLine(err.Error(), agent.MaxNotice)
}

// queued are the messages that wait. mu is held.
func (r *runs) queued() task.QueueData {
	q := task.QueueData{Steering: []string{}, FollowUp: []string{}}
	for _, m := range r.queue {
		switch text := agent.Beginning(m.text, agent.MaxTarget); m.how {
		case howSteer:
			q.Steering = append(q.Steering, text)
		case howFollowUp:
			q.FollowUp = append(q.FollowUp, text)
		}
	}
	return q
}
