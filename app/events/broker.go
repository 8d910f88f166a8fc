// Package events hands what happens to whoever listens: windows, command lines,
// programs.
//
// One [Broker] serves one controller. A publisher never waits for a subscriber,
// with one exception: output of a program is never cut, so a task that writes faster
// than a subscriber reads waits for it, and no other task does.
package events

import (
	"context"
	"sync"
	"time"

	"piwork/app/task"
)

const (
	ringSize    = 4096             // events that a new subscriber can still get
	queueSize   = 1024             // events that a subscriber may lag behind, and as many for up to stallLimit
	taskLag     = 64               // pieces of output of one task that may wait beside that, and delay nobody
	stallLimit  = 30 * time.Second // how long a subscriber that lags further may take nothing
	maxPerMilli = 1000             // events per millisecond before ids of two controllers could meet
)

// Broker numbers events and hands them to subscribers. Its methods may be called from
// several goroutines at once.
//
// Numbers grow over restarts too: they start at the milliseconds since 1970
// times maxPerMilli. A subscriber that comes back with the number of an
// earlier controller, or too late for the ring, gets EventReset first and has
// to look at everything again.
//
// Events that carry no number are not kept. Of these, progress is dropped for
// a subscriber whose queue is full. Everything else waits behind the queue; whoever
// publishes more than taskLag pieces of output of one task waits with them. So a
// subscriber that does not read delays only tasks that pour out output, and no
// others.
type Broker struct {
	now func() time.Time

	mu     sync.Mutex // held over a whole publish, but for waiting: one order for all subscribers
	seq    int64
	ring   []task.Event // at most ringSize, oldest first from head
	head   int
	subs   map[*subscriber]struct{}
	closed bool

	rush context.Context // ends when nobody is waited for any more
	end  context.CancelFunc
}

// subscriber is guarded by Broker.mu.
type subscriber struct {
	ch      chan task.Event
	gone    chan struct{} // closed when it is dropped, so that a waiting publish goes on
	late    []lateEvent   // that had no room in ch, the oldest first; pump sends them
	pumped  bool          // pump runs: it closes ch when the subscriber is dropped
	dropped bool
}

// lateEvent waits for room. sent is closed when it got that, nil when nobody waits.
type lateEvent struct {
	task.Event
	sent chan struct{}
}

// New makes a broker without subscribers; now stamps its events.
func New(now func() time.Time) *Broker {
	h := &Broker{now: now, seq: now().UnixMilli() * maxPerMilli, subs: map[*subscriber]struct{}{}}
	h.rush, h.end = context.WithCancel(context.Background())
	return h
}

// Publish gives e to every subscriber. Numbered events (all but deltas) get the
// next number.
func (h *Broker) Publish(e task.Event) {
	delta := e.Kind == task.EventProgress || e.Kind == task.EventOutput || e.Kind == task.EventDelta
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	e.V = task.RecordVersion
	if e.Time.IsZero() {
		e.Time = h.now().UTC()
	}
	e.Seq = 0
	if !delta {
		h.seq++
		e.Seq = h.seq
		if len(h.ring) < ringSize {
			h.ring = append(h.ring, e)
		} else {
			h.ring[h.head] = e
			h.head = (h.head + 1) % ringSize
		}
	}
	type wait struct{ sent, gone <-chan struct{} }
	var waits []wait
	for s := range h.subs {
		if len(s.late) == 0 {
			select {
			case s.ch <- e:
				continue
			default:
			}
		}
		switch {
		case e.Kind == task.EventProgress, e.Kind == task.EventDelta: // a later one, and the whole message, says more
		case e.Kind == task.EventOutput:
			l := lateEvent{Event: e}
			if s.pieces(e.Task) >= taskLag {
				l.sent = make(chan struct{})
				waits = append(waits, wait{l.sent, s.gone})
			}
			h.queue(s, l)
		case len(s.late) >= queueSize:
			h.drop(s)
		default:
			h.queue(s, lateEvent{Event: e})
		}
	}
	h.mu.Unlock()
	for _, w := range waits {
		select {
		case <-w.sent:
		case <-w.gone:
		}
	}
}

// pieces counts the output of a task that waits. Broker.mu is held.
func (s *subscriber) pieces(id string) (n int) {
	for _, l := range s.late {
		if l.Kind == task.EventOutput && l.Task == id {
			n++
		}
	}
	return n
}

// queue has an event wait for room. mu is held.
func (h *Broker) queue(s *subscriber, l lateEvent) {
	s.late = append(s.late, l)
	if !s.pumped {
		s.pumped = true
		go h.pump(s) // ends with what is late, or with the subscriber
	}
}

// pump sends what is late, and drops a subscriber that takes nothing for too long.
func (h *Broker) pump(s *subscriber) {
	for {
		h.mu.Lock()
		if s.dropped {
			close(s.ch)
			h.mu.Unlock()
			return
		}
		if len(s.late) == 0 {
			s.pumped = false
			h.mu.Unlock()
			return
		}
		next := s.late[0]
		h.mu.Unlock()
		sent := h.send(s, next.Event)
		h.mu.Lock()
		if !sent {
			h.drop(s)
		} else if s.late = s.late[1:]; next.sent != nil {
			close(next.sent)
		}
		h.mu.Unlock()
	}
}

// send waits until a subscriber takes an event, and reports whether it did.
func (h *Broker) send(s *subscriber, e task.Event) bool {
	limit, cancel := context.WithTimeout(h.rush, stallLimit)
	defer cancel()
	select {
	case s.ch <- e:
		return true
	case <-s.gone:
		return false
	case <-limit.Done():
	}
	select {
	case s.ch <- e: // it came back in the last moment
		return true
	default:
		return false
	}
}

// drop ends a subscriber. h.mu is held.
func (h *Broker) drop(s *subscriber) {
	if s.dropped {
		return
	}
	s.dropped = true
	delete(h.subs, s)
	close(s.gone)
	if !s.pumped {
		close(s.ch)
	}
}

// Subscribe returns the kept events after the number and every later one. The
// channel is closed when the subscriber does not keep up, after cancel, or
// when the Broker closes.
func (h *Broker) Subscribe(after int64) (<-chan task.Event, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var replay []task.Event
	for i := range h.ring {
		if e := h.ring[(h.head+i)%len(h.ring)]; e.Seq > after {
			replay = append(replay, e)
		}
	}
	first := h.seq - int64(len(h.ring)) + 1 // number of the oldest kept event
	if after > 0 && after < first-1 {
		reset := task.Event{V: task.RecordVersion, Time: h.now().UTC(), Kind: task.EventReset, Data: struct{}{}}
		replay = append([]task.Event{reset}, replay...)
	}
	s := &subscriber{ch: make(chan task.Event, len(replay)+queueSize), gone: make(chan struct{})}
	for _, e := range replay {
		s.ch <- e
	}
	if h.closed {
		close(s.ch)
		return s.ch, func() {}
	}
	h.subs[s] = struct{}{}
	return s.ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.drop(s)
	}
}

// Hurry gives up subscribers that output waits for.
func (h *Broker) Hurry() { h.end() }

// Close ends every subscriber after what it has in its queue.
func (h *Broker) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.end()
	for s := range h.subs {
		h.drop(s)
	}
}
