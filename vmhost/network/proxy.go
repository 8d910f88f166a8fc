package network

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

const maxProxyAnswer = 16 << 10 // bytes of the head

// throughProxy asks a proxy to connect to an address (RFC 9110, 9.3.6), never to a
// name: what the name is was judged here, and the proxy may find another address for it.
// The proxy itself is the host's choice, and may be anywhere.
func (u *upstream) throughProxy(ctx context.Context, via *url.URL, t netip.AddrPort) (net.Conn, error) {
	port := via.Port()
	switch {
	case via.Scheme != "http" && via.Scheme != "https":
		return nil, fmt.Errorf("a proxy of the kind %s is not known", via.Scheme)
	case port == "" && via.Scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	dial := u.dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	c, err := dial(ctx, "tcp", net.JoinHostPort(via.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("reach the proxy: %w", err)
	}
	if via.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: via.Hostname()})
	}
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	open, err := askProxy(c, via, t)
	if err == nil && !stop() {
		err = ctx.Err()
	}
	if err != nil {
		stop()
		c.Close()
		return nil, fmt.Errorf("ask the proxy: %w", err)
	}
	return open, nil
}

func askProxy(c net.Conn, via *url.URL, t netip.AddrPort) (net.Conn, error) {
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: t.String()}, Host: t.String(), Header: http.Header{}}
	if via.User != nil {
		password, _ := via.User.Password()
		r.Header.Set("Proxy-Authorization", "Basic "+
			base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+password)))
	}
	if err := r.Write(c); err != nil {
		return nil, err
	}
	head := &io.LimitedReader{R: c, N: maxProxyAnswer}
	b := bufio.NewReader(head)
	answer, err := http.ReadResponse(b, r) //nolint:bodyclose // of CONNECT: the connection is its body
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %d", answer.StatusCode)
	}
	early := make([]byte, b.Buffered()) // what the server said at once
	if _, err := io.ReadFull(b, early); err != nil {
		return nil, err
	}
	return &prefixed{Conn: c, before: early}, nil
}

// prefixed is a connection of which some bytes were already read.
type prefixed struct {
	net.Conn
	before []byte
}

func (p *prefixed) Read(b []byte) (int, error) {
	if len(p.before) > 0 {
		n := copy(b, p.before)
		p.before = p.before[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// CloseWrite says that no more is written.
func (p *prefixed) CloseWrite() error { return closeWrite(p.Conn) }

// closeWrite ends one direction of c, or all of it where it has no ends.
func closeWrite(c net.Conn) error {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return c.Close()
}
