package api

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
)

// Serve answers on ln, with the limits of every listener, until ctx ends, and then closes
// it. It returns nil when ctx ended it. h is of this package.
func Serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	l := Limited
	if of, is := h.(logged); is {
		l.Log = of.log
	}
	return l.Serve(ctx, ln, h)
}

// ListenLoopback opens a TCP port on a loopback address, e.g. "127.0.0.1:0".
func ListenLoopback(addr string) (net.Listener, error) {
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", addr, err)
	}
	if !a.IP.IsLoopback() {
		return nil, fmt.Errorf("%s: %w", addr, ErrNotLoopback)
	}
	ln, err := net.ListenTCP("tcp", a)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// ListenTLS opens a TCP port for TLS on any address, with a certificate (with its chain) and a
// key in PEM files. names tells whether a host is one of the certificate's.
func ListenTLS(addr, certFile, keyFile string) (ln net.Listener, names func(host string) error, err error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrCertificate, err)
	}
	if ln, err = new(net.ListenConfig).Listen(context.Background(), "tcp", addr); err != nil {
		return nil, nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), pair.Leaf.VerifyHostname, nil
}
