package app

import (
	"context"
	"sync"
	"time"

	"piwork/app/task"
)

const (
	ringSize    = 4096             // events that a new subscriber can still get
	queueSize   = 1024             // events that a subscriber may lag behind
	stallLimit  = 30 * time.Second // how long output waits for a subscriber before it is closed
	maxPerMilli = 1000             // events per millisecond before ids of two controllers could meet
)

// hub numbers events and hands them to subscribers.
//
// Numbers grow over restarts too: they start at the milliseconds since 1970
// times maxPerMilli. A subscriber that comes back with the number of an
// earlier controller, or too late for the ring, gets EventReset first and has
// to look at everything again.
//
// Events that carry no number are not kept. Of these, progress is dropped for
// a subscriber whose queue is full, and output waits for it.
type hub struct {
	now func() time.Time

	pub sync.Mutex // held over a whole publish: one order for all subscribers

	mu     sync.Mutex
	seq    int64
	ring   []task.Event // at most ringSize, oldest first from head
	head   int
	subs   map[*subscriber]struct{}
	closed bool

	rush context.Context // ends when nobody is waited for any more
	end  context.CancelFunc
}

// subscriber is guarded by hub.mu.
type subscriber struct {
	ch      chan task.Event
	gone    chan struct{} // closed when it is dropped, so that a waiting publish goes on
	waiting bool          // a publish waits to send: it closes ch when the subscriber is dropped
	dropped bool
}

func newHub(now func() time.Time) *hub {
	h := &hub{now: now, seq: now().UnixMilli() * maxPerMilli, subs: map[*subscriber]struct{}{}}
	h.rush, h.end = context.WithCancel(context.Background())
	return h
}

// publish gives e to every subscriber. Numbered events (all but deltas) get the
// next number.
func (h *hub) publish(e task.Event) {
	h.pub.Lock()
	defer h.pub.Unlock()
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
	var full []*subscriber
	for s := range h.subs {
		select {
		case s.ch <- e:
			continue
		default:
		}
		switch e.Kind {
		case task.EventProgress, task.EventDelta: // a later one, and the whole message, says more
		case task.EventOutput:
			s.waiting = true
			full = append(full, s)
		default:
			h.drop(s)
		}
	}
	h.mu.Unlock()
	h.await(full, e)
}

// await gives e to subscribers whose queue was full, waiting for each.
func (h *hub) await(full []*subscriber, e task.Event) {
	if len(full) == 0 {
		return
	}
	limit, cancel := context.WithTimeout(h.rush, stallLimit)
	defer cancel()
	for _, s := range full {
		sent := true
		select {
		case s.ch <- e:
		case <-s.gone:
		case <-limit.Done(): // waiting for the one before may have taken it
			select {
			case s.ch <- e:
			default:
				sent = false
			}
		}
		h.mu.Lock()
		s.waiting = false
		switch {
		case s.dropped:
			close(s.ch)
		case !sent:
			h.drop(s)
		}
		h.mu.Unlock()
	}
}

// drop ends a subscriber. h.mu is held.
func (h *hub) drop(s *subscriber) {
	if s.dropped {
		return
	}
	s.dropped = true
	delete(h.subs, s)
	close(s.gone)
	if !s.waiting {
		close(s.ch)
	}
}

// subscribe returns the kept events after the number and every later one. The
// channel is closed when the subscriber does not keep up, after cancel, or
// when the hub closes.
func (h *hub) subscribe(after int64) (<-chan task.Event, func()) {
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

// hurry gives up subscribers that output waits for.
func (h *hub) hurry() { h.end() }

// close ends every subscriber after what it has in its queue.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.end()
	for s := range h.subs {
		h.drop(s)
	}
}
