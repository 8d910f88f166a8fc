package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of a process that stands by.
const (
	standbyStall = 2 * time.Minute       // for it to be ready; emulation needs a second
	standbyPause = 20 * time.Millisecond // before the next is started: the answer goes out first
	waitingScore = "1000"                // oom_score_adj(5): the first to go when memory is short
)

// Standby keeps one process of a program started that reads all it is to do from
// its standard input. Starting a program of Go in an emulated machine takes longer
// than most of what it is asked for; one that waits has that behind it, and is
// saved with it in a template.
//
// It has the user and a cgroup of its own as if it were started for its work, and
// has done nothing until it is taken: bounds that depend on the work are set
// first, then it is told what to do, once. Where it cannot be taken the program
// is started plainly.
//
// Machines restored from one template have the same waiting process. What it draws
// at random it has to draw from the kernel, whose generator is seeded anew then;
// crypto/rand of Go does so each time.
//
// The program writes one line feed when it is ready to read, and ends when
// there is nothing to read. Everything after the line feed is of its work.
type Standby struct {
	Starter *Starter
	Group   *Group         // above its cgroup
	Program func() Program // what is started, with the limits that do not depend on the work: Processes, Processors, IO, Output
	Enough  func() bool    // whether there is memory for a process that only waits; nil is yes

	mu      sync.Mutex
	waiting *standing
	later   *time.Timer
	wanted  bool // one was taken or started before
	closed  bool
}

// standing is a process that waits, or is started to wait.
type standing struct {
	program Program
	cancel  context.CancelFunc // of the start
	up      chan struct{}      // closed when process or err is there
	process *Process
	err     error
	used    time.Duration // processor time until it waited
	ready   chan error    // has its first word: nil for a line feed

	mu     sync.Mutex
	said   bool       // something
	output OutputFunc // of its work
}

// take is its Output.
func (s *standing) take(ctx context.Context, stream string, data []byte) error {
	s.mu.Lock()
	said, output := s.said, s.output
	if !said {
		s.said = true
		if stream != wire.Stdout || data[0] != '\n' {
			s.mu.Unlock()
			err := fmt.Errorf("it says %q and not that it is ready", data[:min(len(data), 200)])
			s.ready <- err
			return err
		}
		data = data[1:]
		s.ready <- nil
	}
	s.mu.Unlock()
	if len(data) == 0 || output == nil {
		return nil
	}
	return output(ctx, stream, data)
}

// Start has a process stand by, unless one does, and returns when it is ready.
func (s *Standby) Start(ctx context.Context) error {
	sp := s.begin()
	if sp == nil {
		return nil
	}
	if err := sp.await(ctx); err != nil && s.drop(sp) {
		return fmt.Errorf("start %s to stand by: %w", sp.program.Argv[0], err)
	}
	return nil
}

// begin starts one in the background and returns it, or the one that is there;
// nil when none is to be.
func (s *Standby) begin() *standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = true
	if s.waiting != nil || s.closed || s.Enough != nil && !s.Enough() {
		return s.waiting
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), standbyStall, errors.New("it does not say that it is ready"))
	sp := &standing{program: s.Program(), cancel: cancel, up: make(chan struct{}), ready: make(chan error, 1)}
	s.waiting = sp
	go func() {
		defer cancel()
		p := sp.program
		p.Stdin, p.KeepStdin, p.Output = nil, true, sp.take
		sp.process, sp.err = s.Starter.Start(ctx, s.Group, p)
		if sp.err == nil {
			select {
			case sp.err = <-sp.ready:
			case <-sp.process.done:
				sp.err = errors.New("it ended")
			case <-ctx.Done():
				sp.err = context.Cause(ctx)
			}
		}
		if sp.err == nil {
			// The first to go when memory is short, until it has something to do.
			sp.err = sp.process.score(waitingScore)
			sp.used, _ = sp.process.group.CPU() // without cgroups nothing is counted from it
		}
		if sp.err != nil && sp.process != nil {
			sp.process.kill()
		}
		close(sp.up)
	}()
	return sp
}

// await waits until it is ready.
func (s *standing) await(ctx context.Context) error {
	select {
	case <-s.up:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Take makes the process that waits one of p, or returns nil: then p is to be
// started plainly. One that is being started is waited for.
func (s *Standby) Take(ctx context.Context, p Program) *Process {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	sp := s.waiting
	s.wanted, s.waiting = true, nil
	if s.later != nil {
		s.later.Stop()
	}
	s.mu.Unlock()
	if sp == nil {
		return nil
	}
	if !slices.Equal(sp.program.Env, p.Env) || sp.await(ctx) != nil {
		sp.dismiss()
		return nil
	}
	sp.mu.Lock()
	sp.output = p.Output
	sp.mu.Unlock()
	if err := sp.process.employ(p.Limits, sp.used); err != nil {
		sp.dismiss()
		return nil
	}
	// What does not fit into the pipe at once is read by then, or it ended.
	if err := sp.process.Write(ctx, p.Stdin, true); err != nil {
		sp.dismiss()
		return nil
	}
	return sp.process
}

// employ sets what bounds a process that was started without from now on.
func (p *Process) employ(l Limits, used time.Duration) error {
	p.mu.Lock() // with it the pid means this process
	defer p.mu.Unlock()
	if !p.exited.IsZero() {
		return ErrEnded
	}
	if err := errors.Join(p.group.Bound(GroupLimits{Memory: l.Memory}), limitProcess(p.pid, l), p.score("0")); err != nil {
		return err
	}
	p.started, p.before = time.Now(), use{used, p.group.IO()}
	p.program.Limits.CPU, p.program.Limits.IOTotal = l.CPU, l.IOTotal
	if l.Wall > 0 {
		p.wall = time.AfterFunc(l.Wall, func() { p.End(wire.EndedTimeout) })
	}
	p.watch()
	return nil
}

// score says how soon the process is ended when memory is short.
func (p *Process) score(value string) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.pid), []byte(value), 0)
}

// dismiss ends one that is not needed, without waiting for that.
func (s *standing) dismiss() {
	s.cancel()
	go func() {
		if <-s.up; s.process != nil {
			s.process.kill()
		}
	}()
}

// drop forgets one that is no use, unless somebody else has it or ended it.
func (s *Standby) drop(sp *standing) bool {
	s.mu.Lock()
	mine := s.waiting == sp
	if mine {
		s.waiting = nil
	}
	s.mu.Unlock()
	if mine {
		sp.dismiss()
	}
	return mine
}

// Renew starts another after a moment, where one was wanted before and none is
// there.
func (s *Standby) Renew() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wanted || s.closed || s.waiting != nil {
		return
	}
	s.later = s.Starter.startLater(s.later, standbyPause, s.Start)
}

// startLater calls start after pause and cancels the start that before had planned. When
// start fails, the next program is started plainly.
func (s *Starter) startLater(before *time.Timer, pause time.Duration, start func(context.Context) error) *time.Timer {
	if before != nil {
		before.Stop()
	}
	return time.AfterFunc(pause, func() {
		if err := start(context.Background()); err != nil && s.Report != nil {
			s.Report(err)
		}
	})
}

// Discard ends the one that waits and returns when it is gone.
func (s *Standby) Discard() {
	if s == nil {
		return
	}
	s.mu.Lock()
	sp := s.waiting
	s.waiting = nil
	if s.later != nil {
		s.later.Stop()
	}
	s.mu.Unlock()
	if sp == nil {
		return
	}
	sp.dismiss()
	if <-sp.up; sp.process != nil {
		<-sp.process.done
	}
}

// Close ends the one that waits; none is started any more.
func (s *Standby) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Discard()
}
