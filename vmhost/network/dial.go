package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"

	"piwork/vmhost/network/policy"
)

// RefusedError says that a connection of [Network.Dial] is not allowed, or that
// it was and could not be made.
type RefusedError struct {
	Kind   EventKind // Refused or Failed
	Host   string
	Port   uint16
	Reason string // as in events
}

// Error is for a log.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("connect to %s port %d: %s: %s", e.Host, e.Port, e.Kind, e.Reason)
}

// Dial connects from the host, for tools that fetch in the guest's place: by the
// same rules and questions, and without a machine. It has the signature
// that http.Transport wants; network is "tcp", address a name or an address with a
// port. The connection ends when the rules do not allow it any more. The error is
// a *RefusedError, or says that address is none.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" {
		return nil, fmt.Errorf("connect to %q by %s: no address", address, network)
	}
	t, err := targetOf(address)
	if err != nil {
		return nil, fmt.Errorf("connect to %q: %w", address, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(n.life, cancel)()
	f, kind, reason := n.open(ctx, t, nil, caller{})
	if f == nil {
		n.tell.event(kind, t, reason)
		return nil, &RefusedError{kind, t.Host(), t.Port, reason}
	}
	return &dialedConn{Conn: f.count.Conn(f.up), n: n, f: f}, nil
}

// targetOf is what a host and a port mean, "example.org:443".
func targetOf(address string) (policy.Target, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return policy.Target{}, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil || port == 0 {
		return policy.Target{}, errors.New("no port")
	}
	t := policy.Target{Port: uint16(port)}
	if a, err := netip.ParseAddr(host); err == nil {
		t.Addr = a.Unmap()
		return t, nil
	}
	t.Name, err = policy.Name(host)
	return t, err
}

// dialedConn is forgotten when it is closed.
type dialedConn struct {
	net.Conn
	n    *Network
	f    *flow
	once sync.Once
}

// Close ends the connection.
func (c *dialedConn) Close() error {
	c.once.Do(func() { c.n.forget(c.f) })
	return c.Conn.Close()
}
