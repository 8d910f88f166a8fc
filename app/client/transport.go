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

// DialSocket connects to the unix socket of a controller, on Windows to its named pipe.
func DialSocket(ctx context.Context, path string) (net.Conn, error) { return dialSocket(ctx, path) }

// Over is the transport to a controller on another computer, to which dial makes connections
// (vmhost/remote.Piwork). Of those there are few: a server of SSH lets a connection have ten
// channels.
func Over(dial func(context.Context) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:            func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableCompression:     true,
		MaxIdleConns:           2,
		MaxConnsPerHost:        8,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
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
