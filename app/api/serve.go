package api

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
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

// ListenSocket opens the unix socket at path for this user alone: mode 0600, in
// a directory that nobody else can change (made with mode 0700 where it is not
// there), and on systems that tell who connects, only for processes of the same
// user. The caller holds the controller's lock, so a
// socket that is already there was left by a controller that is gone.
func ListenSocket(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("directory of the socket: %w", err)
	}
	if err := checkPrivate(dir); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("%s is in the way of the socket", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove the old socket: %w", err)
		}
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("make the socket private: %w", err)
	}
	return &sameUser{Listener: ln}, nil
}

// sameUser accepts connections of this user only.
type sameUser struct{ net.Listener }

// Accept closes what comes from others and goes on.
func (l *sameUser) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if u, ok := c.(*net.UnixConn); ok && checkPeer(u) == nil {
			return c, nil
		}
		_ = c.Close()
	}
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
