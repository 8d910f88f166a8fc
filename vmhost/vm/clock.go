package vm

import (
	"context"
	"sync"
	"time"
)

const (
	// beat is how often a machine's clock looks at the host's.
	beat = 500 * time.Millisecond

	// creditBeats is how many beats may lie between two looks. What is more is
	// time in which this program did not run.
	creditBeats = 4

	// maxDrift is how far the host's wall clock may run from its steady one
	// between two looks. More is a computer that slept or a clock that was set.
	maxDrift = 1500 * time.Millisecond
)

// hostTime is what a machine's clock reads of this computer.
type hostTime struct {
	wall   func() time.Time
	steady func() time.Duration // never goes back; may or may not go on while the computer sleeps
	ticks  func(d time.Duration) (c <-chan time.Time, stop func())
}

func realTime() hostTime {
	began := time.Now()
	return hostTime{
		wall:   func() time.Time { return time.Now().Round(0) },
		steady: func() time.Duration { return time.Since(began) },
		ticks: func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(d)
			return t.C, t.Stop
		},
	}
}

// clock counts the time that a machine had: it stands still while the machine is
// paused, this computer sleeps or this program is stopped, so that no machine counts as
// hung because it could not run. Its resolution is a beat: it is for deadlines, not for
// measuring. Its methods may be called from several goroutines.
type clock struct {
	host hostTime
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

func newClock(h hostTime, beat time.Duration) *clock {
	return &clock{host: h, beat: beat, steady: h.steady(), wall: h.wall(), timers: make(map[*alarm]struct{})}
}

// run keeps the clock going until ctx ends. jumped is called after a sleep of
// the computer, a stop of this program or a change of its clock: the guest's
// time is wrong then. It must not block.
func (c *clock) run(ctx context.Context, jumped func()) {
	ticks, stop := c.host.ticks(c.beat)
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
func (c *clock) look() (due []func(), jump bool) {
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
func (c *clock) advance() (jump bool) {
	steady, wall := c.host.steady(), c.host.wall()
	passed, byWall := steady-c.steady, wall.Sub(c.wall)
	c.steady, c.wall = steady, wall
	credit := creditBeats * c.beat
	if !c.still {
		c.total += min(max(passed, 0), credit)
	}
	return passed > credit+maxDrift || byWall-passed > maxDrift || passed-byWall > maxDrift
}

// now is the time that the machine had.
func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still {
		return c.total
	}
	return c.total + min(max(c.host.steady()-c.steady, 0), creditBeats*c.beat)
}

// stop makes the clock stand still until start.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.still = true
}

// stopped tells whether the clock stands still.
func (c *clock) stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.still
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	c.still = false
}

// after runs f when the machine had d more time, unless it is stopped before.
func (c *clock) after(d time.Duration, f func()) (stop func()) {
	a := &alarm{at: c.now() + d, f: f}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers[a] = struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, a)
	}
}

// timeout is context.WithTimeoutCause on this clock.
func (c *clock) timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := c.after(d, func() { cancel(cause) })
	return ctx, func() { stop(); cancel(nil) }
}

// sleep waits for d, and returns false when ctx ends first.
func (c *clock) sleep(ctx context.Context, d time.Duration) bool {
	done := make(chan struct{})
	stop := c.after(d, func() { close(done) })
	defer stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// watch calls bark, once, when signs has returned the same number for d. It is
// looked at every beat.
func (c *clock) watch(d time.Duration, signs func() int64, bark func()) (stop func()) {
	var mu sync.Mutex
	var stopped bool
	var undo func()
	last, since := signs(), c.now()
	var look func()
	look = func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		now := c.now()
		if s := signs(); s != last {
			last, since = s, now
		}
		if now-since >= d {
			stopped = true
			bark()
			return
		}
		undo = c.after(0, look) // at the next beat
	}
	mu.Lock()
	undo = c.after(0, look)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		undo()
	}
}
