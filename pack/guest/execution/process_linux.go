package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

const (
	chunkSize   = 64 << 10               // bytes of output handed on at a time
	pipeSize    = 256 << 10              // bytes that a program writes ahead of its receiver, where the kernel lets it: with fewer the two wake each other for each piece
	drainPause  = 250 * time.Millisecond // silence after which a pipe that children keep open is left
	drainLimit  = 5 * time.Second        // for one that they go on writing to
	drainRest   = 1 << 20                // bytes that are taken after that: a receiver may be slow, and a pipe holds no more
	useInterval = 200 * time.Millisecond // between looks at what a tree used up
	emptyLimit  = time.Minute            // for killed processes to be gone; hundreds take seconds in slow mode
)

// ErrEnded is returned for what only a running program can take.
var ErrEnded = errors.New("execution: the program has ended")

// use is what a cgroup used up.
type use struct {
	cpu time.Duration
	io  int64 // bytes read and written
}

// Process is a running program with everything that it starts.
type Process struct {
	starter *Starter
	program Program
	group   *Group
	pid     int
	started time.Time
	before  use // by its cgroup, while it stood by
	stdin   input

	takers    context.Context // ends when nobody waits for output any more
	dropTaker context.CancelFunc
	readers   sync.WaitGroup
	taken     atomic.Int64 // bytes of output
	truncated atomic.Bool
	wall      *time.Timer

	mu     sync.Mutex
	exited time.Time // when the program was over; zero while it runs
	reaped bool      // its pid means nothing any more
	ending bool      // SIGTERM was sent
	reason string    // why it was ended, "" by itself

	done    chan struct{}
	outcome Outcome // before done is closed
}

// start runs the program; on an error nothing of it is left.
func (p *Process) start(ctx context.Context) error {
	pp, err := newPipes(p.program.Terminal, p.program.Control, p.starter.UID)
	if err != nil {
		return errors.Join(err, p.group.Remove(ctx))
	}
	p.pid, err = p.starter.fork(pp, p.group)
	pp.closeChild()
	if err != nil {
		pp.closeAll()
		return errors.Join(&StartError{Step: "start the launcher", Err: err}, p.group.Remove(ctx))
	}
	return p.begin(ctx, pp)
}

// begin takes charge of a process that was forked, and tells it what to be.
// On an error nothing of it is left.
func (p *Process) begin(ctx context.Context, pp *pipes) error {
	p.stdin = newInput(pp.stdin)
	p.takers, p.dropTaker = context.WithCancel(context.Background())
	if pp.terminal {
		p.stdin.terminal = pp.stdout
	}
	stdout := newOutlet(pp.stdout)
	outputs := []*outlet{stdout}
	p.readers.Go(func() { p.read(stdout, wire.Stdout, nil) })
	if pp.stderr != nil {
		o := newOutlet(pp.stderr)
		outputs = append(outputs, o)
		p.readers.Go(func() { p.read(o, wire.Stderr, nil) })
	}
	if pp.controlIn != nil {
		p.stdin.control = new(newInput(pp.controlIn))
		go p.stdin.control.feed(nil, true)
		o, before := newOutlet(pp.controlOut), outputs
		outputs = append(outputs, o)
		p.readers.Go(func() { p.read(o, wire.Control, before) })
	}
	if p.program.Limits.Wall > 0 {
		p.wall = time.AfterFunc(p.program.Limits.Wall, func() { p.End(wire.EndedTimeout) })
	}
	go p.supervise(outputs)
	p.watch()

	stop := context.AfterFunc(ctx, p.kill)
	err := p.starter.order(pp, p.program)
	closeFiles(pp.status, pp.spec)
	if !stop() || err != nil {
		p.kill()
		p.stdin.pass(true)
		<-p.done
		if err == nil {
			err = ctx.Err()
		}
		return err
	}
	go p.stdin.feed(p.program.Stdin, p.program.KeepStdin)
	return nil
}

// Write writes to stdin, after everything written before, and closes it when
// last. It waits until the program takes it; when ctx ends first, a part may
// have been written, and stdin is closed.
func (p *Process) Write(ctx context.Context, data []byte, last bool) error {
	return p.stdin.write(ctx, data, last)
}

// WriteControl is Write for the control descriptor.
func (p *Process) WriteControl(ctx context.Context, data []byte, last bool) error {
	if p.stdin.control == nil {
		return ErrNoControl
	}
	return p.stdin.control.write(ctx, data, last)
}

// read hands one stream on until its end. What is written to before, so far, is handed on
// first.
func (p *Process) read(o *outlet, stream string, before []*outlet) {
	defer o.close()
	buf := make([]byte, chunkSize)
	lost := false // the receiver failed: read on, so that the program is not stuck
	for late := 0; late <= drainRest; {
		n, err := o.read(buf, func(data []byte) {
			for _, b := range before {
				b.settle()
			}
			if !lost && p.take(stream, data) != nil {
				lost = true
				p.truncated.Store(true)
			}
		})
		switch {
		case err == nil:
			if over, since := p.over(); over {
				if since > drainLimit {
					late += n
				}
				o.file.SetReadDeadline(time.Now().Add(min(drainPause, drainLimit-since)))
			}
		case errors.Is(err, os.ErrDeadlineExceeded) && n > 0:
		case errors.Is(err, os.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded), p.stdin.terminal != nil && errors.Is(err, unix.EIO):
			return // nobody has the other end, or nobody who is waited for
		default:
			p.report(fmt.Errorf("read %s of a program: %w", stream, err))
			return
		}
	}
}

// take counts output and hands it on.
func (p *Process) take(stream string, data []byte) error {
	limit := p.program.Limits.Output
	if sum := p.taken.Add(int64(len(data))); limit > 0 && sum > limit {
		data = data[:max(0, int64(len(data))-(sum-limit))]
		p.truncated.Store(true)
		go p.End(wire.EndedOutputLimit)
	}
	if len(data) == 0 || p.program.Output == nil {
		return nil
	}
	return p.program.Output(p.takers, stream, data)
}

// over reports whether the program has exited, and for how long it is over.
func (p *Process) over() (over bool, since time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.exited.IsZero(), time.Since(p.exited)
}

// supervise waits for the end of the program and cleans up after it.
func (p *Process) supervise(outputs []*outlet) {
	err := p.starter.Children.AwaitExit(p.pid)
	p.mu.Lock()
	p.exited = time.Now()
	leave := p.program.KeepChildren && p.reason == "" && !p.ending
	if !leave {
		p.killTree() // the unreaped pid still holds the process group
	}
	status, usage, rerr := p.starter.Children.Reap(p.pid)
	p.reaped = true
	p.mu.Unlock()
	p.report(errors.Join(err, rerr))

	for _, o := range outputs { // somebody may keep it open: a child that is left, or what is in no group and left the session
		o.file.SetReadDeadline(time.Now().Add(drainPause))
	}
	p.readers.Wait()
	p.stopWall()
	p.dropTaker()
	p.outcome = p.conclude(status, usage)
	if p.group.Empty() {
		close(p.done) // what is left to do nobody waits for
		p.removeGroup(false)
	} else {
		p.removeGroup(leave)
		close(p.done)
	}
	p.stdin.end()
	if p.stdin.control != nil {
		p.stdin.control.end()
	}
}

// conclude tells how it ended.
func (p *Process) conclude(status unix.WaitStatus, usage unix.Rusage) Outcome {
	p.mu.Lock()
	o := Outcome{Wall: time.Since(p.started), Truncated: p.truncated.Load(), Ended: p.reason}
	p.mu.Unlock()
	if cpu, err := p.group.CPU(); err == nil {
		o.CPU = cpu - p.before.cpu
	} else {
		o.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	o.Peak = usage.Maxrss << 10 // of the program and all whose end was waited for
	if peak, err := p.group.MemoryPeak(); err == nil {
		o.Peak = peak
	}
	if status.Signaled() {
		o.Signal = int(status.Signal())
		o.ExitCode = 128 + o.Signal
	} else {
		o.ExitCode = status.ExitStatus()
	}
	if o.Ended == "" && o.Signal == int(unix.SIGKILL) {
		if kills, err := p.group.OOMKills(); err == nil && kills > 0 {
			o.Ended = wire.EndedOutOfMemory
		}
	}
	if o.Ended == "" && o.Signal == int(unix.SIGXCPU) {
		o.Ended = wire.EndedCPULimit
	}
	return o
}

func (p *Process) removeGroup(leave bool) {
	ctx, cancel := context.WithTimeout(context.Background(), emptyLimit)
	defer cancel()
	if leave {
		// With children left in it the session removes it.
		ended, stop := context.WithCancel(ctx)
		stop()
		if p.group.AwaitEmpty(ended) != nil {
			return
		}
	}
	p.report(p.group.Remove(ctx))
}

func (p *Process) report(err error) {
	if err != nil && p.starter.Report != nil {
		p.starter.Report(err)
	}
}

// watch ends a tree that used up its processor time, or what it may read and write. The
// kernel accounts both but has no limit for a whole tree.
func (p *Process) watch() {
	l := p.program.Limits
	if p.group == nil || l.CPU == 0 && l.IOTotal == 0 {
		return
	}
	go func() {
		ticks := time.NewTicker(useInterval)
		defer ticks.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-ticks.C:
			}
			if used, err := p.group.CPU(); l.CPU > 0 && err == nil && used-p.before.cpu >= l.CPU {
				p.End(wire.EndedCPULimit)
				return
			}
			if l.IOTotal > 0 && p.group.IO()-p.before.io >= l.IOTotal {
				p.End(wire.EndedIOLimit)
				return
			}
		}
	}()
}

// End asks the program to end and makes it after the grace. The first reason
// counts; a program that is over already has none.
func (p *Process) End(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reason == "" && p.exited.IsZero() {
		p.reason = reason
	}
	if p.ending {
		return
	}
	p.ending = true
	if p.exited.IsZero() {
		if p.stdin.terminal != nil {
			unix.Kill(-p.pid, unix.SIGHUP) // a shell on a terminal ignores the other
		}
		unix.Kill(-p.pid, unix.SIGTERM)
		unix.Kill(-p.pid, unix.SIGCONT) // a stopped one hears it too
	}
	timer := time.AfterFunc(p.starter.grace(), p.kill)
	go func() {
		<-p.done
		timer.Stop()
	}()
}

// kill ends the tree at once and stops waiting for its output to be taken.
func (p *Process) kill() {
	p.dropTaker()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending = true
	p.killTree()
}

// killTree is called with the lock held.
func (p *Process) killTree() {
	switch {
	case p.group != nil:
		p.report(p.group.Kill())
	case !p.reaped:
		killSession(p.pid)
	}
}

// Signal sends a signal to the process group of the program and, on a terminal, to the one in
// front there: what a shell runs has a group of its own.
func (p *Process) Signal(signal int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.exited.IsZero() {
		return ErrEnded
	}
	if p.stdin.terminal != nil {
		if front := foreground(p.stdin.terminal); front > 1 && front != p.pid {
			_ = unix.Kill(-front, syscall.Signal(signal)) // of one that has just ended
		}
	}
	return unix.Kill(-p.pid, syscall.Signal(signal))
}

// Resize changes the size of the program's terminal, which hears of it (SIGWINCH).
func (p *Process) Resize(size wire.TerminalSize) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.exited.IsZero():
		return ErrEnded
	case p.stdin.terminal == nil:
		return ErrNoTerminal
	}
	return resize(p.stdin.terminal, size)
}

// SetWall replaces the limit of time, counted from now.
func (p *Process) SetWall(limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wall != nil && p.exited.IsZero() {
		p.wall.Reset(limit)
	}
}

// stopWall ends the limit of time of a program that has exited.
func (p *Process) stopWall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wall != nil {
		p.wall.Stop()
	}
}

// Done is closed when the program is over, its output taken and its tree gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the process is done or ctx ends.
func (p *Process) Wait(ctx context.Context) (Outcome, error) {
	select {
	case <-p.done:
		return p.outcome, nil
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}
