package qemu

import (
	"bytes"
	"cmp"
	"sync"
	"time"

	"piwork/vmhost/wire"
)

const (
	consoleTail = 8 << 10 // bytes of the console kept as evidence
	consoleLine = 4 << 10 // bytes of a line that are looked at for a marker
)

// What a guest says when it stops: Linux's last words (kernel/panic.c), those of
// its dm-verity among them (drivers/md/dm-verity-target.c), and what that said
// of a block just before.
var (
	panicMark   = []byte("Kernel panic - not syncing")
	verityPanic = []byte("Kernel panic - not syncing: dm-verity device")
	verityBlock = []byte("device-mapper: verity: ")
	damagedMark = []byte(wire.ConsoleDamaged)
)

// Console follows what a guest prints. What is there may have been written by a
// hostile guest: it can make its own machine count as failed and nothing else.
type Console struct {
	first, ready, panicked, damaged chan struct{}

	mu     sync.Mutex
	line   []byte // the present line, as much of it as is looked at
	last   time.Time
	bytes  int64
	firstT time.Time
	readyT time.Time
	damage string // what the guest says of an image
	tail   tail
}

func newConsole() *Console {
	return &Console{
		first: make(chan struct{}), ready: make(chan struct{}), panicked: make(chan struct{}), damaged: make(chan struct{}),
		tail: tail{max: consoleTail},
	}
}

// First is closed at the first byte.
func (c *Console) First() <-chan struct{} { return c.first }

// Ready is closed when the agent's marker stands alone on a line.
func (c *Console) Ready() <-chan struct{} { return c.ready }

// Panicked is closed when the guest's kernel says that it gave up.
func (c *Console) Panicked() <-chan struct{} { return c.panicked }

// Damaged is closed when the guest stops because an image is not what it was
// signed as: when that is a panic, before Panicked.
func (c *Console) Damaged() <-chan struct{} { return c.damaged }

// Damage returns what the guest said of the image, one line.
func (c *Console) Damage() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.damage
}

// Activity returns how many bytes came, and when the last of them.
func (c *Console) Activity() (bytes int64, last time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes, c.last
}

// Tail returns the last lines, as evidence for a log.
func (c *Console) Tail() string { return c.tail.String() }

// Write takes what came from the guest; it never fails.
func (c *Console) Write(p []byte) (int, error) {
	n := len(p)
	if n == 0 {
		return 0, nil
	}
	_, _ = c.tail.Write(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
	if c.bytes == 0 {
		c.firstT = c.last
		close(c.first)
	}
	c.bytes += int64(n)
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		c.line = append(c.line, part[:min(len(part), consoleLine-len(c.line))]...)
		if whole {
			c.look()
			c.line = c.line[:0]
		}
		p = rest
	}
	return n, nil
}

// look takes a whole line; c.mu is held.
func (c *Console) look() {
	once := func(ch chan struct{}) bool {
		select {
		case <-ch:
			return false
		default:
			close(ch)
			return true
		}
	}
	switch {
	case string(bytes.TrimSpace(c.line)) == wire.ConsoleReady:
		if once(c.ready) {
			c.readyT = c.last
		}
	case bytes.HasPrefix(c.line, damagedMark):
		c.damage = wire.Short(string(bytes.TrimSpace(bytes.TrimPrefix(c.line, damagedMark))))
		once(c.damaged)
	case bytes.Contains(c.line, verityBlock):
		_, what, _ := bytes.Cut(c.line, verityBlock)
		c.damage = wire.Short(string(bytes.TrimSpace(what)))
	case bytes.Contains(c.line, verityPanic):
		c.damage = cmp.Or(c.damage, "dm-verity stopped the machine")
		once(c.damaged)
		once(c.panicked)
	case bytes.Contains(c.line, panicMark):
		once(c.panicked)
	}
}

// times returns when the first byte and the marker came.
func (c *Console) times() (first, ready time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.firstT, c.readyT
}

// Watchdog closes a channel when nothing has happened for a while.
type Watchdog struct {
	timer *time.Timer
	mu    sync.Mutex
	ended bool
}

// Watch closes the channel it returns when last, which says when something
// happened the last time, is d ago. A computer that slept meanwhile, or had no
// time for this program, did nothing: the time begins anew then. The Watchdog
// must be stopped.
func Watch(d time.Duration, last func() time.Time) (*Watchdog, <-chan struct{}) {
	w := &Watchdog{}
	began, barked := time.Now(), make(chan struct{})
	due := began.Add(d)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.ended {
			return
		}
		t, now := last(), time.Now()
		if now.Sub(due) > d/2 {
			began = now
		}
		if t.Before(began) {
			t = began
		}
		if left := d - now.Sub(t); left > 0 {
			due = now.Add(left)
			w.timer.Reset(left)
			return
		}
		w.ended = true
		close(barked)
	})
	return w, barked
}

// Stop ends the Watchdog; it does not bark afterwards.
func (w *Watchdog) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.timer.Stop()
}
