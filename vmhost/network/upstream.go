package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"piwork/vmhost/network/policy"
)

const maxAddresses = 8 // of one name

// forbidden says that no address of a target may be connected to.
type forbidden struct{ reason string }

func (e *forbidden) Error() string { return "refused: " + e.reason }

// upstream is the host's side: names become addresses, and these connections.
type upstream struct {
	resolver Resolver
	dial     DialFunc // nil: net.Dialer
	proxy    ProxyFunc
	now      func() time.Time

	mu    sync.Mutex
	cache map[string]resolved
}

type resolved struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

// lookup finds the addresses of a name, and remembers them for a while.
func (u *upstream) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	now := u.now()
	u.mu.Lock()
	r, ok := u.cache[name]
	u.mu.Unlock()
	if ok && now.Before(r.until) {
		return r.addrs, r.err
	}
	host := name
	if strings.Contains(name, ".") {
		host += "." // it is whole; one word may be a name of the local network
	}
	wait, cancel := context.WithTimeout(ctx, resolveWait)
	defer cancel()
	addrs, err := u.resolver.LookupNetIP(wait, "ip", host)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("look up a name: %w", ctx.Err()) // which says nothing about the name
	}
	keep := resolvedFor
	if err != nil {
		err = fmt.Errorf("look up a name: %w", err)
		keep = unresolvedFor
	}
	r = resolved{addrs: addrs[:min(len(addrs), maxAddresses)], err: err, until: now.Add(keep)}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.cache) >= maxRemembered {
		clear(u.cache)
	}
	u.cache[name] = r
	return r.addrs, r.err
}

// connect connects to t where check allows it, and says to which address: also behind
// a proxy it is found and judged here.
func (u *upstream) connect(ctx context.Context, t policy.Target, check func(netip.Addr) policy.Verdict) (net.Conn, netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	via, err := u.proxy(target(t))
	if err != nil {
		return nil, netip.Addr{}, fmt.Errorf("find the proxy: %w", err)
	}
	addrs := []netip.Addr{t.Addr}
	if t.Name != "" {
		addrs, err = u.lookup(ctx, t.Name)
	}
	if err != nil {
		return nil, netip.Addr{}, err
	}
	var open []netip.Addr
	var refused error
	for _, a := range addrs {
		a = a.Unmap()
		if v := check(a); v.Answer == policy.Allow {
			open = append(open, a)
		} else if refused == nil {
			refused = &forbidden{v.Reason}
		}
	}
	if len(open) == 0 && refused != nil {
		return nil, netip.Addr{}, refused
	}
	err = errors.New("the name has no address")
	for i, a := range open {
		wait := dialNext
		if i == len(open)-1 {
			wait = dialWait
		}
		var c net.Conn
		if via != nil {
			c, err = u.throughProxy(ctx, via, netip.AddrPortFrom(a, t.Port))
		} else {
			c, err = u.dialOne(ctx, a, t.Port, wait, check)
		}
		if err == nil {
			return c, a, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, netip.Addr{}, err
}

// dialOne connects to one address, which is checked again by what the connection
// really goes to.
func (u *upstream) dialOne(ctx context.Context, a netip.Addr, port uint16, wait time.Duration, check func(netip.Addr) policy.Verdict) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	allowed := func(address string) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		if v := check(to.Addr().Unmap()); v.Answer != policy.Allow {
			return &forbidden{v.Reason}
		}
		return nil
	}
	address := netip.AddrPortFrom(a, port).String()
	dial := u.dial
	if dial == nil {
		d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error { return allowed(address) }}
		dial = d.DialContext
	}
	c, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if to, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		if err := allowed(to.String()); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// target is t as those see it who choose a proxy.
func target(t policy.Target) *url.URL {
	u := &url.URL{Scheme: "https", Host: t.String()}
	if t.Port == 80 {
		u.Scheme = "http"
	}
	return u
}

// whereHostIs asks the system for the host's cards and gateways. Without an answer
// nothing is known to be near; what is not public is refused all the same.
func whereHostIs() policy.Own {
	var own policy.Own
	list, err := net.InterfaceAddrs()
	if err != nil {
		list = nil
	}
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			own.Add(p)
		}
	}
	for _, a := range gateways() {
		a = a.Unmap().WithZone("")
		own.Near = append(own.Near, netip.PrefixFrom(a, a.BitLen()))
	}
	return own
}
