package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/problem"
)

// shutdownTimeout is what open requests get when a server ends. Streams end at
// once, because their context does.
const shutdownTimeout = 3 * time.Second

// errEnding ends the requests of a server that ends.
var errEnding = problem.Cause(problem.CodeShuttingDown, "ended", context.Canceled)

// Serve answers on ln until ctx ends, and then closes it. It returns nil when ctx ended it.
func (l ListenerLimits) Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel := func() { end(errEnding) }
	defer context.AfterFunc(ctx, cancel)()
	g := newGate(l)
	defer g.notes.rest()
	refused := make(chan net.Conn, maxRefused)
	s, late := g.server(base, h), g.refuser(base, h)
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		_ = late.Serve(&refusals{refused, base.Done(), ln.Addr()}) // ends with base
	}()
	defer func() {
		cancel()
		<-over
		_ = late.Close()
		for len(refused) > 0 {
			_ = (<-refused).Close()
		}
	}()
	go func() { ended <- s.Serve(&door{ln, g, refused, peerProcess}) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer stop()
	if err := s.Shutdown(grace); err != nil {
		_ = s.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	}
	return nil
}

// place is a connection that has its place until it is closed, whoever has it then: what
// switched to a WebSocket is not the server's any more.
type place struct {
	net.Conn
	gate  *gate
	pid   int
	crowd *Crowd // why it has none
	once  sync.Once
	asked atomic.Bool // a request came
	gone  atomic.Bool // the other end closed it

	mu      sync.Mutex
	left    bool
	account account // whose place it is
	known   account // whose token it came with; "" before one did
	caller  account // whose request is answered at the moment; "" before one comes with a token
}

// Read implements net.Conn.
func (p *place) Read(b []byte) (int, error) {
	n, err := p.Conn.Read(b)
	broke := new(net.OpError)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &broke) && !broke.Timeout() && !errors.Is(err, net.ErrClosed) {
		p.gone.Store(true)
	}
	return n, err
}

// Close implements net.Conn.
func (p *place) Close() error {
	p.once.Do(p.leave)
	return p.Conn.Close()
}

func (p *place) leave() {
	p.gate.strangers.remove(p)
	p.mu.Lock()
	a, known := p.account, p.known
	p.left = true
	p.mu.Unlock()
	if p.crowd != nil {
		p.gate.refused.leave(a)
		return
	}
	p.gate.connections.leave(a)
	if known != "" {
		p.gate.known.leave(known)
	}
	if !p.asked.Load() && !p.gone.Load() && p.overTCP() {
		p.gate.notes.add(p.from(), "no request")
	}
}

// overTCP tells whether anybody can connect as this one did.
func (p *place) overTCP() bool {
	if p.pid != 0 {
		return false
	}
	_, is := p.RemoteAddr().(*net.TCPAddr)
	return is
}

// from says where a connection comes from.
func (p *place) from() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.account != "":
		return string(p.account)
	case p.Conn != nil && p.overTCP():
		return "loopback"
	}
	return "unknown"
}

// CloseWrite lets a client read why its body was not taken.
func (p *place) CloseWrite() error {
	if c, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// end closes the connection at once, without a word of TLS, which would wait for a reader.
func (p *place) end() {
	p.once.Do(p.leave)
	c := p.Conn
	if t, is := c.(interface{ NetConn() net.Conn }); is {
		c = t.NetConn()
	}
	_ = c.Close()
}

// strangers are connections over TCP on which no request was let in yet, the oldest first.
type strangers struct {
	mu   sync.Mutex
	list []*place
}

func (s *strangers) add(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, p)
}

func (s *strangers) remove(p *place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.list, p); i >= 0 {
		s.list = slices.Delete(s.list, i, i+1)
	}
}

// oldest is the one that came first, of an account or, with "", of all; nil where there is none.
func (s *strangers) oldest(a account) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.list {
		if a == "" || p.account == a { // it does not change while it is a stranger
			return p
		}
	}
	return nil
}

// door lets as many through as there is room for, and leads the others to refused.
type door struct {
	net.Listener
	gate    *gate
	refused chan net.Conn
	process func(net.Conn) int // peerProcess
}

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		pid := d.process(c)
		p := &place{Conn: c, gate: d.gate, pid: pid, account: accountOf(c, pid)}
		if p.crowd = d.enter(p); p.crowd == nil {
			if p.overTCP() {
				d.gate.strangers.add(p)
			}
			return p, nil
		}
		if d.gate.refused.enter(p.account) != nil {
			d.gate.notes.add(p.from(), "no room")
			_ = c.Close()
			continue
		}
		d.refused <- p // it has room for as many
	}
}

// enter takes a place for a connection, if need be that of one which said nothing yet.
func (d *door) enter(p *place) *Crowd {
	for tries := 0; ; tries++ {
		why := d.gate.connections.enter(p.account)
		if why == nil || tries == 2 || !p.overTCP() { // one of all, and one of its own
			return why
		}
		var of account
		if why.Cause == OfProgram {
			of = p.account
		}
		old := d.gate.strangers.oldest(of)
		if old == nil {
			return why
		}
		d.gate.notes.add(old.from(), "closed for another connection")
		old.asked.Store(true) // that is said of it
		old.end()
	}
}

// refusals is a listener of those for whom there is no room.
type refusals struct {
	conns <-chan net.Conn
	ended <-chan struct{}
	addr  net.Addr
}

// Accept implements net.Listener.
func (r *refusals) Accept() (net.Conn, error) {
	select {
	case c := <-r.conns:
		return c, nil
	case <-r.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener; it ends with the server's context.
func (r *refusals) Close() error { return nil }

// Addr implements net.Listener.
func (r *refusals) Addr() net.Addr { return r.addr }
