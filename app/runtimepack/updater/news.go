package updater

import (
	"sync"
	"time"
)

// newsEvery is the shortest time between two messages.
const newsEvery = 200 * time.Millisecond

// news tells of states no more often than newsEvery, and always of the last one.
type news struct {
	on func(State)

	turn sync.Mutex // held while somebody is told: messages come one at a time, in order

	mu     sync.Mutex
	last   time.Time
	next   *State // not told yet
	timer  *time.Timer
	closed bool
}

func newNews(on func(State)) *news {
	if on == nil {
		on = func(State) {}
	}
	return &news{on: on}
}

// tell notes a state. It is told by another goroutine, so that whoever holds a
// lock may call it.
func (n *news) tell(s State) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	n.next = &s
	if n.timer == nil {
		n.timer = time.AfterFunc(max(0, newsEvery-time.Since(n.last)), n.flush)
	}
}

func (n *news) flush() {
	n.turn.Lock()
	defer n.turn.Unlock()
	n.mu.Lock()
	s := n.next
	n.next, n.timer, n.last = nil, nil, time.Now()
	n.mu.Unlock()
	if s != nil {
		n.on(*s)
	}
}

// close tells the last state and ends.
func (n *news) close() {
	n.mu.Lock()
	n.closed = true
	if n.timer != nil {
		n.timer.Stop()
	}
	n.mu.Unlock()
	n.flush()
}
