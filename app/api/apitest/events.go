package apitest

import (
	"sync"
	"time"

	"piwork/app/task"
)

// stream is what subscribers hear.
type stream struct {
	mu     sync.Mutex
	seq    int64
	events []task.Event
	subs   map[chan task.Event]subscription
}

// subscription is one of a stream.
type subscription struct {
	filter task.EventFilter
	end    func()
}

// numbered reports whether events of a kind are kept for later readers.
func numbered(k task.EventKind) bool {
	return k != task.EventProgress && k != task.EventOutput && k != task.EventDelta
}

// Publish gives an event a number, unless it is a delta, and sends it.
func (s *stream) Publish(e task.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.V = task.RecordVersion
	e.Time = time.Now().UTC()
	if numbered(e.Kind) {
		s.seq++
		e.Seq = s.seq
		s.events = append(s.events, e)
	}
	for c, sub := range s.subs {
		if !sub.filter.Wants(e) {
			continue
		}
		select {
		case c <- e:
		default:
			sub.end()
		}
	}
}

func (s *stream) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan task.Event, 1024+len(s.events))
	for _, e := range s.events {
		if e.Seq > f.After && f.Wants(e) {
			c <- e
		}
	}
	if s.subs == nil {
		s.subs = map[chan task.Event]subscription{}
	}
	s.subs[c] = subscription{f, func() { delete(s.subs, c); close(c) }}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sub, open := s.subs[c]; open {
			sub.end()
		}
	}
}

// Hangup ends every subscription, as for readers that are too slow.
func (s *stream) Hangup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range s.subs {
		sub.end()
	}
}

// Subscribers counts the streams.
func (s *stream) Subscribers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.subs)
}
