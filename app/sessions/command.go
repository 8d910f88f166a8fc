package sessions

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// A command that took too long is interrupted; a session that does not follow is ended.
const interruptWithin = 3 * time.Second

// command is one that a shell does.
type command struct {
	number         string
	stdout, stderr capture
	began          time.Time
	late           bool          // it took longer than it may; the session is held for this
	done           chan struct{} // closed when it ended, and then result is complete but for the files
	result         RunResult
	ended          func(wire.ExecResult) error // has the audit log say how it ended
}

// finish notes what the shell said at the end of the command; cpu is how much processor time
// the shell had taken until then, and peak the most memory that all of the session had. Less
// than that leaves unknown how much the command had. The session is held.
func (c *command) finish(w said, cpu time.Duration, peak int64) {
	c.result.ExitCode, _ = strconv.Atoi(w.word)
	c.result.ExitCode &= 0xff
	if n := c.result.ExitCode - 128; n > 0 && n <= 64 {
		c.result.Signal = n
	}
	c.result.CPUMS = max(0, w.cpu-cpu).Milliseconds()
	if w.peak > peak {
		c.result.PeakKB = min(w.peak>>10, wire.MaxMemoryMB<<10)
	}
	close(c.done)
}

// tell has the shell do a command and waits for its end, or that of the session. When ctx
// ends first, the command goes on.
func (s *session) tell(ctx context.Context, r RunRequest) (RunResult, error) {
	c, err := s.order(ctx, r)
	if err != nil {
		return RunResult{}, err
	}
	select {
	case <-c.done:
	case <-s.done:
	case <-ctx.Done():
		go func() { // what it writes is for nobody
			select {
			case <-c.done:
			case <-s.done:
			}
			_, _ = s.outcome(c) // without its end, the audit log says that it began
			s.mu.Lock()
			defer s.mu.Unlock()
			c.stdout.drop()
			c.stderr.drop()
		}()
		return RunResult{}, context.Cause(ctx)
	}
	return s.answer(c)
}

// bound interrupts a command that takes longer than it may, whether somebody waits for it or
// not, and ends the session of one that goes on.
func (s *session) bound(c *command, limit time.Duration) {
	select {
	case <-s.set.o.After(limit):
	case <-c.done:
		return
	case <-s.done:
		return
	}
	s.mu.Lock()
	c.late = true
	s.mu.Unlock()
	// The shell may not have begun the command when it hears of the first.
	end, again := s.set.o.After(interruptWithin), s.set.o.After(interruptWithin/2)
	for signal := s.signal; ; {
		select {
		case signal <- signals["INT"]:
			signal = nil
		case <-again:
			signal = s.signal
		case <-end:
			s.end(errLate)
			return
		case <-c.done:
			return
		case <-s.done:
			return
		}
	}
}

// order gives the shell a command.
func (s *session) order(ctx context.Context, r RunRequest) (*command, error) {
	refused := func(code, cause string) error {
		return problem.New(code).With("session", s.public.ID).By(cause)
	}
	switch {
	case !s.public.Shell:
		return nil, refused(problem.CodeSessionUnfit, "program")
	case s.req.Terminal != nil:
		return nil, refused(problem.CodeSessionUnfit, "terminal")
	}
	if err := s.until(ctx, func() bool { return s.public.State != StateCreating }); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if s.over() { // perhaps without ever having had a place
		return nil, refused(problem.CodeSessionOver, string(s.public.Reason))
	}
	if r.RequiresRuntime != nil {
		if err := r.RequiresRuntime.Check(s.place.Capabilities()); err != nil {
			return nil, problem.From(err)
		}
	}
	if s.command != nil {
		return nil, refused(problem.CodeSessionBusy, "command")
	}
	typed := s.clients.writer() != nil
	dir := s.set.o.Dir(s.public.Task)
	c := &command{
		number: newNumber(), began: s.set.o.Now(), done: make(chan struct{}),
		stdout: capture{dir: dir, room: s.room}, stderr: capture{dir: dir, room: s.room},
	}
	s.command = c
	s.active()
	s.enter(StateRunning)
	s.heard.ordered++
	place, id := s.place, fmt.Sprintf("%s/session-%s/%d", s.public.Task, s.public.ID, s.heard.ordered)
	s.mu.Unlock()
	ended, err := place.Records(ctx, id, commandArgv(r.Command)) // which waits for the disk
	s.mu.Lock()
	if err == nil {
		select {
		case s.orders <- order(r.Command, c.number, typed): // it has room for one
		default:
			err = refused(problem.CodeSessionBusy, "command")
		}
	}
	if err != nil {
		c.stdout.drop() // what a program in the background wrote meanwhile
		c.stderr.drop()
		s.command = nil
		s.enter(StateIdle)
		return nil, err
	}
	c.ended = ended
	if r.TimeoutMS > 0 {
		go s.bound(c, time.Duration(r.TimeoutMS)*time.Millisecond)
	}
	return c, nil
}

// outcome is how a command ended, or the end of its session cut it off, which the audit log has
// then. It is called once for each.
func (s *session) outcome(c *command) (RunResult, error) {
	s.mu.Lock()
	if c.late {
		c.result.Ended = ReasonTimeout
	}
	if s.command == c { // the session is over
		s.command = nil
		if e := s.public.Ending; e != nil {
			c.result.ExitCode, c.result.Signal = e.ExitCode, e.Signal
		}
		if c.result.Ended == "" && s.public.Reason != ReasonExited {
			c.result.Ended = s.public.Reason
		}
	}
	r := c.result
	s.mu.Unlock()
	r.WallMS = s.set.o.Now().Sub(c.began).Milliseconds()
	err := c.ended(wire.ExecResult{ExitCode: r.ExitCode, Signal: r.Signal, Ended: string(r.Ended), WallMS: r.WallMS, CPUMS: r.CPUMS, PeakKB: r.PeakKB})
	return r, err
}

// answer is the result of a command, or what there is of one that the end of its session cut.
func (s *session) answer(c *command) (RunResult, error) {
	r, unrecorded := s.outcome(c)
	r.Stdout, r.StdoutSize, r.Stderr, r.StderrSize = c.stdout.data, c.stdout.size, c.stderr.data, c.stderr.size
	keep := func(stream string) func(string) (string, error) {
		return func(file string) (string, error) {
			return s.set.o.Keep(s.public.Task, file, "session-"+s.public.ID+"-"+stream+".txt")
		}
	}
	r.StdoutFile, r.StderrFile = c.stdout.keep(keep("stdout")), c.stderr.keep(keep("stderr"))
	r.Truncated = c.stdout.cut() || c.stderr.cut()
	if r.Stdout == nil {
		r.Stdout = []byte{}
	}
	if r.Stderr == nil {
		r.Stderr = []byte{}
	}
	if unrecorded != nil {
		return r, problem.From(unrecorded)
	}
	return r, nil
}
