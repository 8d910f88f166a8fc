// Package events hands what happens to whoever listens: windows, command lines,
// programs.
//
// One [Broker] serves one controller. A subscriber gets what its filter lets through, and
// costs nothing for the rest. A publisher never waits for a subscriber, with one exception:
// a subscriber of one task may ask for all of its output (task.EventFilter.Wait). When that
// task writes faster than the subscriber reads, it waits, and no other task does.
package events

import (
	"context"
	"sync"
	"time"

	"piwork/app/task"
)

const (
	ringSize    = 4096             // events that a new subscriber can still get
	bufferSize  = 64               // events in the channel of a subscriber
	queueSize   = 2048             // events that a subscriber may lag behind that; half as many for longer than stallLimit
	taskLag     = 64               // of these, pieces of output that delay nobody
	stallLimit  = 30 * time.Second // how long a subscriber may take nothing while a task waits for it, or half of queueSize does
	maxPerMilli = 1000             // events per millisecond before ids of two controllers could meet
)

// Broker numbers events and hands them to subscribers. Its methods may be called from
// several goroutines at once.
//
// Numbers grow over restarts too: they start at the milliseconds since 1970
// times maxPerMilli. A subscriber that comes back with the number of another
// controller, or too late for the ring, gets EventReset first and has
// to look at everything again.
//
// Events that carry no number are not kept, nor is what happened in a task that was deleted. What does not fit into the channel of a
// subscriber waits in its queue, but for progress, which is dropped. A subscriber whose
// queue is full loses output of programs, and is disconnected by anything else. For a
// subscriber that asked for it, whoever publishes more than taskLag pieces of output waits.
// The pieces of a task are counted, so that whoever lost one knows.
type Broker struct {
	now func() time.Time

	mu     sync.Mutex // held over a whole publish, but for waiting: one order for all subscribers
	seq    int64
	serial uint64
	pieces map[string]int64 // of output, by the task that is at work
	ring   []task.Event     // at most ringSize, oldest first from head
	head   int
	subs   map[*subscriber]struct{}
	closed bool

	rush context.Context // ends when nobody is waited for any more
	end  context.CancelFunc
}

// subscriber is guarded by Broker.mu.
type subscriber struct {
	filter  task.EventFilter
	ch      chan task.Event
	gone    chan struct{} // closed when it is dropped, so that a waiting publish goes on
	late    []lateEvent   // its queue: what had no room in ch, the oldest first; pump sends them
	pieces  int           // of output among them
	waited  int           // of these, how many somebody waits for
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
	h := &Broker{now: now, seq: now().UnixMilli() * maxPerMilli, pieces: map[string]int64{}, subs: map[*subscriber]struct{}{}}
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
	h.serial++
	e.Seq, e.Serial = 0, h.serial
	switch d := e.Data.(type) {
	case task.OutputData:
		h.pieces[e.Task]++
		d.Part = h.pieces[e.Task]
		e.Data = d
	case task.StateData:
		if d.State.Final() {
			delete(h.pieces, e.Task)
		}
	}
	if e.Kind == task.EventGone {
		h.forget(e.Task)
	}
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
		if !s.filter.Wants(e) {
			continue
		}
		if len(s.late) == 0 {
			select {
			case s.ch <- e:
				continue
			default:
			}
		}
		switch {
		case e.Kind == task.EventProgress, e.Kind == task.EventDelta: // a later one, and the whole message, says more
		case e.Kind == task.EventOutput && s.filter.Wait && s.filter.Task != "":
			l := lateEvent{Event: e}
			if s.pieces >= taskLag {
				l.sent = make(chan struct{})
				waits = append(waits, wait{l.sent, s.gone})
			}
			h.queue(s, l)
		case len(s.late) < queueSize:
			h.queue(s, lateEvent{Event: e})
		case e.Kind != task.EventOutput:
			h.drop(s)
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

// forget has nobody hear any more of what happened in a task that is gone: whose it was is not
// known from now on. The events keep their places, and so their numbers. mu is held.
func (h *Broker) forget(gone string) {
	for i := range h.ring {
		if h.ring[i].Task == gone {
			h.ring[i] = task.Event{Seq: h.ring[i].Seq}
		}
	}
}

// queue has an event wait for room. mu is held.
func (h *Broker) queue(s *subscriber, l lateEvent) {
	s.late = append(s.late, l)
	s.count(l, 1)
	if !s.pumped {
		s.pumped = true
		go h.pump(s) // ends with what is late, or with the subscriber
	}
}

// count keeps the numbers of what is late.
func (s *subscriber) count(l lateEvent, n int) {
	if l.Kind == task.EventOutput {
		s.pieces += n
	}
	if l.sent != nil {
		s.waited += n
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
			s.late, s.pumped = nil, false // a queue that was long is not kept
			h.mu.Unlock()
			return
		}
		next := s.late[0]
		h.mu.Unlock()
		sent := h.send(s, next.Event)
		h.mu.Lock()
		switch {
		case s.dropped: // meanwhile
		case sent:
			s.late[0] = lateEvent{}
			s.late = s.late[1:]
			s.count(next, -1)
			if next.sent != nil {
				close(next.sent)
			}
		case s.waited > 0 || len(s.late) > queueSize/2 || h.rush.Err() != nil:
			h.drop(s)
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
	s.dropped, s.late = true, nil
	delete(h.subs, s)
	close(s.gone)
	if !s.pumped {
		close(s.ch)
	}
}

// Subscribe returns the kept events that f lets through and every later one. The
// channel is closed when the subscriber does not keep up, after cancel, or
// when the Broker closes.
func (h *Broker) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.seq - int64(len(h.ring)) + 1 // number of the oldest kept event
	var replay []task.Event
	if f.After > 0 && f.After < first-1 || f.After > h.seq && f.After != task.OnlyNew {
		f.After = 0 // what another controller counted
		replay = append(replay, task.Event{V: task.RecordVersion, Time: h.now().UTC(), Kind: task.EventReset, Data: struct{}{}})
	}
	for i := range h.ring {
		if e := h.ring[(h.head+i)%len(h.ring)]; e.Seq > f.After && e.Kind != "" && f.Wants(e) {
			replay = append(replay, e)
		}
	}
	s := &subscriber{filter: f, ch: make(chan task.Event, len(replay)+bufferSize), gone: make(chan struct{})}
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
