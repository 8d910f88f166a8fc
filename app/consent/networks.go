package consent

import (
	"maps"
	"slices"
	"sync"

	"piwork/vmhost/network"
)

// networks are those beside the machines of tasks, about whose connections written rules are
// asked: of MCP servers, and of tools that fetch from the host.
type networks struct {
	mu  sync.Mutex
	all map[*network.Network]struct{}
}

// follow has the connections of a network be asked about again when the rules change, until over
// is called.
func (l *networks) follow(n *network.Network) (over func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*network.Network]struct{}{}
	}
	l.all[n] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, n)
	}
}

// reconsider ends the connections that the rules of now refuse.
func (l *networks) reconsider() {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.all))
	l.mu.Unlock()
	for _, n := range all {
		n.Reconsider()
	}
}

// reconsider ends connections that the rules of now refuse, although none has changed: at another
// time they may say something else.
func (c *Consent) reconsider() {
	for _, l := range c.o.Registry.All() {
		if gated, ok := l.(Gated); ok {
			if n := gated.Gate().network.Load(); n != nil {
				n.Reconsider()
			}
		}
	}
	c.beside.reconsider()
}

// Follow has the connections of a server's network be asked about again when the rules change,
// until over is called.
func (a *Apart) Follow(n *network.Network) (over func()) { return a.c.beside.follow(n) }
