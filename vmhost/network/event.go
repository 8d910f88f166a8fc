package network

import (
	"sync"
	"time"

	"piwork/vmhost/network/policy"
)

// EventKind says what happened to a connection.
type EventKind string

// Kinds of events.
const (
	Refused EventKind = "refused" // by the policy; Reason says why
	Failed  EventKind = "failed"  // it was allowed, and could not be made
)

// Event is a connection that was not made. The same is told at most once a minute.
type Event struct {
	Kind   EventKind
	Host   string // a name, or an address
	Port   uint16 // 0 where the name itself is denied
	Reason string // a code
}

// teller tells of one machine's events, for its whole life.
type teller struct {
	now     func() time.Time
	onEvent func(Event)

	mu   sync.Mutex
	told map[Event]time.Time
}

func newTeller(now func() time.Time, onEvent func(Event)) *teller {
	if onEvent == nil {
		onEvent = func(Event) {}
	}
	return &teller{now: now, onEvent: onEvent, told: map[Event]time.Time{}}
}

// event tells what happened, if it is new.
func (t *teller) event(kind EventKind, target policy.Target, reason string) {
	if e := (Event{kind, target.Host(), target.Port, reason}); t.fresh(e) {
		t.onEvent(e)
	}
}

// fresh reports whether e was not told in the last minute.
func (t *teller) fresh(e Event) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if at, ok := t.told[e]; ok && now.Sub(at) < time.Minute {
		return false
	}
	if len(t.told) >= maxRemembered {
		for e, at := range t.told {
			if now.Sub(at) >= time.Minute {
				delete(t.told, e)
			}
		}
		if len(t.told) >= maxRemembered { // a storm
			return false
		}
	}
	t.told[e] = now
	return true
}
