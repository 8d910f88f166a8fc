package background

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// startGC is the percentage of [debug.SetGCPercent] for a start: it allocates for what
	// stays, so that a collection in the middle takes time and frees little.
	startGC = 200
	// startGrace is how long a start goes on when the controller listens: whoever waited
	// for it asks first now.
	startGrace = time.Second
)

// starting has garbage collected less often while any start of this process goes on.
var starting = relaxed{set: debug.SetGCPercent}

type relaxed struct {
	set          func(percent int) (before int)
	mu           sync.Mutex
	count, usual int
}

// begin relaxes it until the function that it returns is called.
func (r *relaxed) begin() (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count++; r.count == 1 {
		r.usual = r.set(startGC)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.count--; r.count == 0 {
			r.set(r.usual)
		}
	}
}

// restAfter is how long nobody asks until memory is given back that the last work needed.
const restAfter = 20 * time.Second

// rest does something once when nobody has asked for a while. Between two requests that are
// further apart than that, nothing ticks.
type rest struct {
	after time.Duration
	timer *time.Timer
}

func newRest(after time.Duration, do func()) *rest { return &rest{after, time.AfterFunc(after, do)} }

// asked says that somebody asks.
func (r *rest) asked() { r.timer.Reset(r.after) }

// stop ends it.
func (r *rest) stop() { r.timer.Stop() }

// giveBack returns to the system what the work so far needed and rest does not.
func giveBack() {
	debug.FreeOSMemory()
	unmapStart()
}
