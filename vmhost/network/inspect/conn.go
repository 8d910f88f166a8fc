package inspect

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Serve answers a connection of the guest to a host that is covered, and returns when it has
// ended. It closes conn.
func (i *Inspector) Serve(ctx context.Context, conn net.Conn, host string, port uint16) {
	g := &guestConn{Conn: conn, site: i.sites[address(host, port)], done: make(chan struct{})}
	defer g.Close()
	if g.site == nil || !i.enter() {
		return
	}
	defer i.work.Done()
	select {
	case i.connections <- struct{}{}:
		defer func() { <-i.connections }()
	default:
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(i.life, cancel)()
	defer context.AfterFunc(ctx, func() { g.Close() })()
	t := i.shake(ctx, g)
	if t == nil {
		return
	}
	select {
	case i.queue.conns <- t:
		<-g.done // the server closes what it serves
	case <-ctx.Done():
	}
}

// shake does the handshake; nil is that there is none. Those that wait for their turn have no
// more time than those that have it.
func (i *Inspector) shake(ctx context.Context, g *guestConn) *tls.Conn {
	ctx, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	select {
	case i.handshakes <- struct{}{}:
		defer func() { <-i.handshakes }()
	case <-ctx.Done():
		return nil
	}
	g.SetDeadline(time.Now().Add(handshakeWait))
	t := tls.Server(g, g.site.tls)
	if t.HandshakeContext(ctx) != nil {
		return nil
	}
	g.SetDeadline(time.Time{})
	return t
}

// guestConn is a connection of the guest to a site.
type guestConn struct {
	net.Conn
	site *site
	once sync.Once
	done chan struct{} // closed when the connection is
}

// Close implements net.Conn.
func (g *guestConn) Close() (err error) {
	g.once.Do(func() {
		err = g.Conn.Close()
		close(g.done)
	})
	return err
}

// queue is the listener of the server.
type queue struct {
	conns chan net.Conn
	done  <-chan struct{}
}

// Accept implements net.Listener.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener: it ends with the Inspector.
func (q *queue) Close() error { return nil }

// Addr implements net.Listener.
func (q *queue) Addr() net.Addr { return &net.TCPAddr{} }
