package sessions

import (
	"context"
	"os"
	"strconv"
	"time"

	"piwork/app/problem"
)

// A command that took too long is interrupted; a session that does not follow is ended.
const interruptWithin = 3 * time.Second

// command is one that a shell does.
type command struct {
	number         string
	stdout, stderr capture
	began          time.Time
	done           chan struct{} // closed when it ended, and then result is complete but for the files
	result         RunResult
}

// finish notes what the shell said at the end of the command; before is how much processor
// time the shell had taken until then. The session is held.
func (c *command) finish(w said, before time.Duration) {
	c.result.ExitCode, _ = strconv.Atoi(w.word)
	c.result.ExitCode &= 0xff
	if n := c.result.ExitCode - 128; n > 0 && n <= 64 {
		c.result.Signal = n
	}
	c.result.CPUMS = max(0, w.cpu-before).Milliseconds()
	close(c.done)
}

// tell has the shell do a command and waits for its end, or that of the session. When ctx
// ends first, the command goes on.
func (s *session) tell(ctx context.Context, r RunRequest) (RunResult, error) {
	c, err := s.order(ctx, r)
	if err != nil {
		return RunResult{}, err
	}
	var late <-chan time.Time
	if r.TimeoutMS > 0 {
		late = s.set.o.After(time.Duration(r.TimeoutMS) * time.Millisecond)
	}
	var ended Reason
	for waiting := true; waiting; {
		select {
		case <-c.done:
			waiting = false
		case <-s.done:
			waiting = false
		case <-ctx.Done():
			go func() { // what it writes is for nobody
				select {
				case <-c.done:
				case <-s.done:
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				c.stdout.drop()
				c.stderr.drop()
			}()
			return RunResult{}, context.Cause(ctx)
		case <-late:
			if ended != "" {
				s.end(errLate)
				late = nil
				continue
			}
			ended, late = ReasonTimeout, s.set.o.After(interruptWithin)
			s.send(ctx, signals["INT"])
		}
	}
	return s.answer(c, ended)
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
	if r.RequiresRuntime != nil {
		if err := r.RequiresRuntime.Check(s.has); err != nil {
			return nil, problem.From(err)
		}
	}
	switch {
	case s.over():
		return nil, refused(problem.CodeSessionOver, string(s.public.Reason))
	case s.command != nil:
		return nil, refused(problem.CodeSessionBusy, "command")
	}
	typed := s.clients.writer() != nil
	dir := s.set.o.Dir(s.public.Task)
	c := &command{
		number: newNumber(), began: s.set.o.Now(), done: make(chan struct{}),
		stdout: capture{dir: dir}, stderr: capture{dir: dir},
	}
	select {
	case s.orders <- order(r.Command, c.number, typed): // it has room for one
	default:
		return nil, refused(problem.CodeSessionBusy, "command")
	}
	s.command = c
	s.active()
	s.enter(StateRunning)
	return c, nil
}

// answer is the result of a command, or what there is of one that the end of its session cut.
func (s *session) answer(c *command, ended Reason) (RunResult, error) {
	s.mu.Lock()
	if s.command == c { // the session is over
		s.command = nil
		if e := s.public.Ending; e != nil {
			c.result.ExitCode, c.result.Signal = e.ExitCode, e.Signal
		}
		if ended == "" && s.public.Reason != ReasonExited {
			ended = s.public.Reason
		}
	}
	task := s.public.Task
	r := c.result
	s.mu.Unlock()
	r.Ended, r.WallMS = ended, s.set.o.Now().Sub(c.began).Milliseconds()
	r.Stdout, r.StdoutSize, r.Stderr, r.StderrSize = c.stdout.data, c.stdout.size, c.stderr.data, c.stderr.size
	var err error
	if r.StdoutFile, err = s.keep(task, &c.stdout, "stdout"); err == nil {
		r.StderrFile, err = s.keep(task, &c.stderr, "stderr")
	}
	c.stdout.drop()
	c.stderr.drop()
	if r.Stdout == nil {
		r.Stdout = []byte{}
	}
	if r.Stderr == nil {
		r.Stderr = []byte{}
	}
	if err != nil {
		return r, problem.From(err)
	}
	return r, nil
}

// keep makes a long output a result of the task, and returns its name.
func (s *session) keep(task string, c *capture, stream string) (string, error) {
	if c.err != nil || c.file == nil {
		return "", c.err
	}
	if err := c.file.Sync(); err != nil {
		return "", err
	}
	if err := c.file.Close(); err != nil {
		return "", err
	}
	from := c.file.Name()
	c.file = nil
	name, err := s.set.o.Keep(task, from, "session-"+s.public.ID+"-"+stream+".txt")
	if err != nil {
		_ = os.Remove(from) // it is of no use
	}
	return name, err
}

// send sends a signal to the programs of the session; one that is over takes none.
func (s *session) send(ctx context.Context, number int) {
	select {
	case s.signal <- number:
	case <-s.done:
	case <-ctx.Done():
	}
}
