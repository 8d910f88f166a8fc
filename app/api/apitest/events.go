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
	subs   map[chan task.Event]func()
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
	for c, end := range s.subs {
		select {
		case c <- e:
		default:
			end()
		}
	}
}

func (s *stream) Subscribe(after int64) (<-chan task.Event, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan task.Event, 1024+len(s.events))
	for _, e := range s.events {
		if e.Seq > after {
			c <- e
		}
	}
	if s.subs == nil {
		s.subs = map[chan task.Event]func(){}
	}
	s.subs[c] = func() { delete(s.subs, c); close(c) }
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if end := s.subs[c]; end != nil {
			end()
		}
	}
}

// Hangup ends every subscription, as for readers that are too slow.
func (s *stream) Hangup() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.subs {
		end()
	}
}

// Subscribers counts the streams.
func (s *stream) Subscribers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.subs)
}
