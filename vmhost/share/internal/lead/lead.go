// Package lead deals with requests where they are taken, and yet lets none hold
// up the next one.
//
// A request of a guest is mostly done in less time than it takes to wake somebody
// else for it. So one goroutine leads: it takes requests and deals with them
// itself. When it has to do with one for long (a slow disk), another goroutine
// leads in the meantime, and the first one ends after its request.
package lead

import (
	"sync"
	"time"
)

// slow is after how long another goroutine leads: between one and two of it.
const slow = 2 * time.Millisecond

// Loop takes requests and deals with them.
type Loop[T any] struct {
	// Take waits for a request; more is false when there will be none. It is
	// called by one goroutine at a time.
	Take func() (request T, more bool)
	// Deal deals with a request.
	Deal func(T)
	// Work counts the goroutines that Run starts.
	Work *sync.WaitGroup

	mu      sync.Mutex
	leader  uint64 // changes with who leads
	taken   uint64
	dealing bool // the leader, with the request taken last
	awake   bool // watch looks
	active  chan struct{}
	over    chan struct{} // closed when Take has said that there are no more
}

// Start begins the loop. Done is closed when Take has said that there are no more
// requests; those before may still be dealt with.
func (l *Loop[T]) Start() (done <-chan struct{}) {
	l.active, l.over = make(chan struct{}, 1), make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Work.Go(l.watch)
	l.lead()
	return l.over
}

// lead lets another goroutine lead. mu is held.
func (l *Loop[T]) lead() {
	l.leader++
	me := l.leader
	l.dealing = false
	l.Work.Go(func() { l.run(me) })
}

func (l *Loop[T]) run(me uint64) {
	for leads := true; leads; {
		request, more := l.Take()
		if !more {
			close(l.over)
			return
		}
		l.begin()
		l.Deal(request)
		leads = l.end(me)
	}
}

func (l *Loop[T]) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken++
	l.dealing = true
	if !l.awake {
		l.awake = true
		l.active <- struct{}{} // there is room: watch has taken the one before
	}
}

func (l *Loop[T]) end(me uint64) (leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leader != me {
		return false
	}
	l.dealing = false
	return true
}

// watch has another goroutine lead when a request takes long. It sleeps while
// nothing happens.
func (l *Loop[T]) watch() {
	tick := time.NewTicker(slow)
	defer tick.Stop()
	for {
		tick.Stop()
		select {
		case <-l.active:
		case <-l.over:
			return
		}
		tick.Reset(slow)
		for last := uint64(0); ; {
			select {
			case <-tick.C:
			case <-l.over:
				return
			}
			if l.look(&last) {
				break
			}
		}
	}
}

// look has another goroutine lead when the request that is dealt with is the one
// that it saw before, and reports whether there is nothing to look at.
func (l *Loop[T]) look(last *uint64) (asleep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.taken != *last:
		*last = l.taken
	case l.dealing:
		l.lead()
	default:
		l.awake = false
	}
	return !l.awake
}
