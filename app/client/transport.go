package client

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Socket is the transport to a controller that listens on a unix socket, on Windows on a named
// pipe.
func Socket(path string) http.RoundTripper {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			return dialSocket(ctx, path)
		},
		DisableCompression: true,
		MaxIdleConns:       4,
		IdleConnTimeout:    30 * time.Second,
	}
}

// InProcess is the transport to a handler of this process: HTTP over pipes in memory. Bodies
// of answers stream.
func InProcess(h http.Handler) http.RoundTripper {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	return &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			_ = srv.Serve(&oneConn{theirs, theirs}) // until the listener has no more; the connection goes on
			return ours, nil
		},
		DisableCompression: true,
		MaxIdleConns:       4,
		IdleConnTimeout:    30 * time.Second,
	}
}

// oneConn is a listener to which one connection is made.
type oneConn struct{ conn, next net.Conn }

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.next; c != nil {
		l.next = nil
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }
