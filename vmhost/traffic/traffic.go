// Package traffic counts what goes to hosts and comes from them, in bytes, for a record of what
// left this computer. The names are those that a guest asked for: their number is bounded.
package traffic

import (
	"cmp"
	"io"
	"net"
	"slices"
	"sync"
)

// MaxHosts are counted one by one. What goes to further ones is counted as to [Others].
const MaxHosts = 500

// Others is the host of what is beyond MaxHosts.
const Others = "*"

// Total is what went to a port of a host and came from it.
type Total struct {
	Host    string
	Port    int
	Out, In int64
	Times   int64 // connections, or requests
}

type target struct {
	host string
	port int
}

// Counter counts. The zero value is ready; it may be used from several goroutines at once.
type Counter struct {
	mu  sync.Mutex
	all map[target]*Total
}

// Host is the counter of a host.
func (c *Counter) Host(host string, port int) *Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := target{host, port}
	if c.all[t] == nil && len(c.all) >= MaxHosts {
		t = target{host: Others}
	}
	if c.all[t] == nil {
		if c.all == nil {
			c.all = map[target]*Total{}
		}
		c.all[t] = &Total{Host: t.host, Port: t.port}
	}
	return &Count{c, c.all[t]}
}

// Take lists what was counted since it was called last.
func (c *Counter) Take() []Total {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Total
	for _, t := range c.all {
		if none := (Total{Host: t.Host, Port: t.Port}); *t != none {
			out = append(out, *t)
			*t = none
		}
	}
	slices.SortFunc(out, func(a, b Total) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port)) })
	return out
}

// Count counts for one host.
type Count struct {
	c *Counter
	t *Total
}

// Add counts bytes, and times.
func (n *Count) Add(out, in, times int64) {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	n.t.Out, n.t.In, n.t.Times = n.t.Out+out, n.t.In+in, n.t.Times+times
}

// Conn counts what a connection carries: what is written to it goes out.
func (n *Count) Conn(c net.Conn) net.Conn { return &conn{c, n} }

type conn struct {
	net.Conn
	n *Count
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(0, int64(n), 0)
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.n.Add(int64(n), 0, 0)
	return n, err
}

// Body counts what is read of an answer.
func (n *Count) Body(b io.ReadCloser) io.ReadCloser { return &body{b, n} }

type body struct {
	io.ReadCloser
	n *Count
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n.Add(0, int64(n), 0)
	return n, err
}
