package door

import (
	"log/slog"
	"sync"
	"time"
)

const (
	maxNotes  = 32          // accounts and reasons that are logged apart
	noteEvery = time.Minute // of one
)

// notes log who was refused what, without as many lines as there are refusals.
type notes struct {
	log *slog.Logger

	mu sync.Mutex
	by map[note]*noted
}

type note struct{ who, why string }

type noted struct {
	times int
	said  time.Time
}

func (n *notes) add(who, why string) {
	if n.log == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for other, e := range n.by { // what was not said yet, and what is long over
		if now.Sub(e.said) >= noteEvery {
			n.say(other, e)
			delete(n.by, other)
		}
	}
	about := note{who, why}
	if n.by[about] == nil && len(n.by) >= maxNotes {
		about.who = "others"
	}
	e := n.by[about]
	if e == nil {
		e = &noted{}
		n.by[about] = e
	}
	e.times++
	if e.said.IsZero() {
		n.say(about, e)
		e.said = now
	}
}

// say logs what was counted. n.mu is held.
func (n *notes) say(about note, e *noted) {
	if e.times > 0 {
		n.log.Warn("api: refused", "who", about.who, "why", about.why, "times", e.times)
		e.times = 0
	}
}

// rest logs what was counted since.
func (n *notes) rest() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for about, e := range n.by {
		n.say(about, e)
	}
}
