package background

import (
	"runtime/debug"
	"time"
)

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
