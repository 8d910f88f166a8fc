// Package clock counts the time that somebody else had, for deadlines that are theirs: a
// virtual machine, or a program that answers.
//
// A [Clock] stands still while its owner says so ([Clock.Stop]), this computer sleeps or
// this program is stopped, so that nobody counts as hung who could not run. Its resolution
// is a beat: it is for deadlines, not for measuring.
package clock

import (
	"context"
	"sync"
	"time"
)

const (
	// Beat is how often a clock looks at this computer's, usually.
	Beat = 500 * time.Millisecond

	// creditBeats is how many beats may lie between two looks. What is more is
	// time in which this program did not run.
	creditBeats = 4

	// maxDrift is how far the host's wall clock may run from its steady one
	// between two looks. More is a computer that slept or a clock that was set.
	maxDrift = 1500 * time.Millisecond
)

// Host is what a clock reads of this computer.
type Host struct {
	Wall   func() time.Time
	Steady func() time.Duration // never goes back; may or may not go on while the computer sleeps
	Ticks  func(d time.Duration) (c <-chan time.Time, stop func())
}

// Real is this computer.
func Real() Host {
	began := time.Now()
	return Host{
		Wall:   func() time.Time { return time.Now().Round(0) },
		Steady: func() time.Duration { return time.Since(began) },
		Ticks: func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(d)
			return t.C, t.Stop
		},
	}
}

// Clock counts time; see the package comment. Its methods may be called from several
// goroutines.
type Clock struct {
	host Host
	beat time.Duration

	mu     sync.Mutex
	total  time.Duration
	steady time.Duration // of the last look
	wall   time.Time     // likewise
	still  bool
	timers map[*alarm]struct{}
}

// alarm runs f, once, in the clock's goroutine: f must not block.
type alarm struct {
	at time.Duration
	f  func()
}

// New returns a clock that goes on when Run is called. A zero Host is this computer.
func New(h Host, beat time.Duration) *Clock {
	if h.Wall == nil {
		h = Real()
	}
	return &Clock{host: h, beat: beat, steady: h.Steady(), wall: h.Wall(), timers: make(map[*alarm]struct{})}
}

// Run keeps the clock going until ctx ends. jumped is called after a sleep of
// the computer, a stop of this program or a change of its clock: the owner's
// time is wrong then. It must not block.
func (c *Clock) Run(ctx context.Context, jumped func()) {
	ticks, stop := c.host.Ticks(c.beat)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
		}
		due, jump := c.look()
		for _, f := range due {
			f()
		}
		if jump {
			jumped()
		}
	}
}

// look takes the time that has passed and returns what is due.
func (c *Clock) look() (due []func(), jump bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	jump = c.advance()
	for a := range c.timers {
		if c.total >= a.at {
			delete(c.timers, a)
			due = append(due, a.f)
		}
	}
	return due, jump
}

// advance is called with mu held.
func (c *Clock) advance() (jump bool) {
	steady, wall := c.host.Steady(), c.host.Wall()
	passed, byWall := steady-c.steady, wall.Sub(c.wall)
	c.steady, c.wall = steady, wall
	credit := creditBeats * c.beat
	if !c.still {
		c.total += min(max(passed, 0), credit)
	}
	return passed > credit+maxDrift || byWall-passed > maxDrift || passed-byWall > maxDrift
}

// Now is the time that its owner had.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still {
		return c.total
	}
	return c.total + min(max(c.host.Steady()-c.steady, 0), creditBeats*c.beat)
}

// Stop makes the clock stand still until start.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.still = true
}

// Stopped tells whether the clock stands still.
func (c *Clock) Stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.still
}

// Start lets the clock go on.
func (c *Clock) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.still = false
}

// After runs f when its owner had d more time, unless it is stopped before.
func (c *Clock) After(d time.Duration, f func()) (stop func()) {
	a := &alarm{at: c.Now() + d, f: f}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers[a] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, a)
	}
}

// Timeout is context.WithTimeoutCause on this clock.
func (c *Clock) Timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := c.After(d, func() { cancel(cause) })
	return ctx, func() { stop(); cancel(nil) }
}

// Sleep waits for d, and returns false when ctx ends first.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) bool {
	done := make(chan struct{})
	stop := c.After(d, func() { close(done) })
	defer stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// Watch calls bark, once, when signs has returned the same number for d. It is
// looked at every beat.
func (c *Clock) Watch(d time.Duration, signs func() int64, bark func()) (stop func()) {
	var mu sync.Mutex
	var stopped bool
	var undo func()
	last, since := signs(), c.Now()
	var look func()
	look = func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		now := c.Now()
		if s := signs(); s != last {
			last, since = s, now
		}
		if now-since >= d {
			stopped = true
			bark()
			return
		}
		undo = c.After(0, look) // at the next beat
	}
	mu.Lock()
	undo = c.After(0, look)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		undo()
	}
}

// Wall is the time of this computer.
func (c *Clock) Wall() time.Time { return c.host.Wall() }
