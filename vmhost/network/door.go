package network

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"piwork/vmhost/network/policy"
)

// maxDoorHead bounds the head of a request to the door, in bytes.
const maxDoorHead = 64 << 10

// door is an HTTP proxy: the way out of a place that has no card, but a socket to here. What
// comes through it is judged as what a machine sends is.
type door struct {
	n   *Network
	ctx context.Context
}

// ServeDoor is [Network.Serve] for a place without a card, whose programs connect to l: to
// HTTP's proxy, by CONNECT or with the whole address of a request in plain text. A name has to
// be one that a machine would be given an address for. It closes l.
func (n *Network) ServeDoor(ctx context.Context, l net.Listener) error {
	defer l.Close()
	ctx, done, err := n.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	d, slots := &door{n, ctx}, make(chan struct{}, maxConnections)
	var work sync.WaitGroup
	defer work.Wait()
	for {
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("network of a place: %w", err)
		case err != nil: // too many files are open: that passes
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		default: // whoever has all others is in the same place
			c.Close()
			continue
		}
		work.Go(func() {
			defer func() { <-slots }()
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			d.accept(c)
		})
	}
}

// accept takes one connection from its request to its end.
func (d *door) accept(c net.Conn) {
	t, guest, err := d.request(c)
	if err != nil {
		answer(c, http.StatusBadRequest, "This is a proxy for HTTP and HTTPS: "+err.Error())
		return
	}
	if set := d.n.current(); t.Name != "" && !answerable(set, t.Name) {
		d.n.tell.event(Refused, t, ReasonNoSuchName)
		answer(c, http.StatusForbidden, "piwork does not let this task reach "+t.Host())
		return
	}
	f, kind, reason := d.n.open(d.ctx, t, d, caller{})
	if f == nil {
		d.n.tell.event(kind, t, reason)
		status, said := http.StatusForbidden, "piwork does not let this task reach "
		if kind == Failed {
			status, said = http.StatusBadGateway, "piwork could not reach "
		}
		answer(c, status, said+t.Host()+" ("+reason+")")
		return
	}
	defer d.n.forget(f)
	defer f.cut()
	defer context.AfterFunc(d.ctx, f.abort)() // the host may be silent for ever
	if !f.join(aborter{c}) {
		return
	}
	if guest.connect {
		if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
			return
		}
	}
	d.n.carry(f, guest)
}

// visitor is a connection whose request was read.
type visitor struct {
	prefixed
	connect bool
}

// request reads what is asked for, and what is to be said to whom then.
func (d *door) request(c net.Conn) (t policy.Target, _ *visitor, err error) {
	c.SetReadDeadline(time.Now().Add(d.n.sniffWait))
	defer c.SetReadDeadline(time.Time{})
	b := bufio.NewReader(&io.LimitedReader{R: c, N: maxDoorHead})
	r, err := http.ReadRequest(b)
	if err != nil {
		return t, nil, err
	}
	var head bytes.Buffer
	connect := r.Method == http.MethodConnect
	switch {
	case connect:
		t, err = targetOf(r.Host)
	case r.URL.Scheme == "http" && r.URL.Host != "" && r.URL.User == nil:
		port := r.URL.Port()
		if port == "" {
			port = "80"
		}
		if t, err = targetOf(net.JoinHostPort(r.URL.Hostname(), port)); err == nil {
			plain(&head, r)
		}
	default:
		err = fmt.Errorf("%.80q has no address", r.RequestURI)
	}
	if err != nil {
		return t, nil, err
	}
	if b.Buffered() > 0 {
		rest, _ := b.Peek(b.Buffered()) // it has them
		head.Write(rest)
	}
	return t, &visitor{prefixed{Conn: c, before: head.Bytes()}, connect}, nil
}

// plain writes the head of a request as its host is to have it. That ends the connection with
// its answer: the next request may be for another host.
func plain(head *bytes.Buffer, r *http.Request) {
	for _, name := range strings.Split(r.Header.Get("Connection"), ",") {
		r.Header.Del(strings.TrimSpace(name))
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "Te", "Upgrade"} {
		r.Header.Del(name)
	}
	fmt.Fprintf(head, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", r.Method, r.URL.RequestURI(), r.URL.Host)
	if len(r.TransferEncoding) > 0 {
		head.WriteString("Transfer-Encoding: chunked\r\n")
	}
	_ = r.Header.Write(head) // in memory
	head.WriteString("\r\n")
}

// answer says why there is no connection.
func answer(c net.Conn, status int, why string) {
	c.SetWriteDeadline(time.Now().Add(sniffWait))
	fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", status, http.StatusText(status), len(why)+1, why)
}

// aborter is a connection that a flow can end.
type aborter struct{ net.Conn }

// Abort ends it.
func (a aborter) Abort() { a.Close() }
