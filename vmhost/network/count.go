package network

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"piwork/vmhost/network/frame"
	"piwork/vmhost/network/policy"
)

// EventKind says what happened to a connection.
type EventKind string

// Kinds of events.
const (
	Allowed EventKind = "allowed" // it was made
	Refused EventKind = "refused" // by the policy; Reason says why
	Failed  EventKind = "failed"  // it was allowed, and could not be made
)

// Event is something that happened. The same is told at most once a minute; the
// counters have them all.
type Event struct {
	Time   time.Time
	Kind   EventKind
	Host   string // a name, or an address
	Port   uint16 // 0 where the name itself is denied
	Reason string // a code
}

// HostCount is what was exchanged with a host.
type HostCount struct {
	Host        string // "" for all that are too many to be counted one by one
	Connections int64
	Refused     int64
	Failed      int64
	Up          int64 // bytes from the guest
	Down        int64 // bytes to the guest
}

type told struct {
	kind   EventKind
	host   string
	port   uint16
	reason string
}

// counters are those of one machine, for its whole life.
type counters struct {
	now     func() time.Time
	onEvent func(Event)

	mu     sync.Mutex
	hosts  map[string]*HostCount
	frames [frame.Verdicts]int64
	told   map[told]time.Time
}

func newCounters(now func() time.Time, onEvent func(Event)) *counters {
	return &counters{now: now, onEvent: onEvent, hosts: map[string]*HostCount{}, told: map[told]time.Time{}}
}

// event counts e, and tells it if it is new.
func (c *counters) event(kind EventKind, t policy.Target, reason string) {
	now := c.now()
	c.mu.Lock()
	h := c.host(t.Host(), kind)
	switch kind {
	case Allowed:
		h.Connections++
	case Refused:
		h.Refused++
	case Failed:
		h.Failed++
	}
	tell := c.onEvent != nil && c.fresh(told{kind, t.Host(), t.Port, reason}, now)
	c.mu.Unlock()
	if tell {
		c.onEvent(Event{Time: now, Kind: kind, Host: t.Host(), Port: t.Port, Reason: reason})
	}
}

// fresh reports whether k was not told in the last minute. mu is held.
func (c *counters) fresh(k told, now time.Time) bool {
	if at, ok := c.told[k]; ok && now.Sub(at) < time.Minute {
		return false
	}
	if len(c.told) >= places(maxRemembered, k.kind) {
		for k, at := range c.told {
			if now.Sub(at) >= time.Minute {
				delete(c.told, k)
			}
		}
		if len(c.told) >= places(maxRemembered, k.kind) { // a storm: the counters have it
			return false
		}
	}
	c.told[k] = now
	return true
}

// bytes counts what a connection carried.
func (c *counters) bytes(host string, up, down int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(host, Allowed)
	h.Up += up
	h.Down += down
}

func (c *counters) frame(v frame.Verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames[v]++
}

// host is the count of a host. Half of the places are for those that were
// connected to: what is refused cannot hide them. mu is held.
func (c *counters) host(name string, kind EventKind) *HostCount {
	h := c.hosts[name]
	if h == nil {
		if len(c.hosts) >= places(maxHosts, kind) {
			if h = c.hosts[""]; h != nil {
				return h
			}
			name = ""
		}
		h = &HostCount{Host: name}
		c.hosts[name] = h
	}
	return h
}

func places(all int, kind EventKind) int {
	if kind == Allowed {
		return all
	}
	return all / 2
}

// Hosts is what was exchanged with each host so far, by name.
func (n *Network) Hosts() []HostCount {
	c := n.count
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]HostCount, 0, len(c.hosts))
	for _, h := range c.hosts {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b HostCount) int { return cmp.Compare(a.Host, b.Host) })
	return out
}

// Dropped is how many frames of the guest were not let through, by reason.
func (n *Network) Dropped() map[string]int64 {
	c := n.count
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int64{}
	for v, count := range c.frames {
		if v := frame.Verdict(v); v != frame.Pass && count > 0 {
			out[v.String()] = count
		}
	}
	return out
}
