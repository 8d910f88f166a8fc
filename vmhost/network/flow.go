package network

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"

	"piwork/vmhost"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/network/sniff"
	"piwork/vmhost/traffic"
)

// flow is a TCP connection of the guest that is allowed.
type flow struct {
	target policy.Target
	addr   netip.Addr // it goes to
	once   bool       // allowed by an answer that reaches no further
	up     net.Conn
	count  *traffic.Count
	owner  any // the *segment or the *door that it is of; nil: the host itself, see Dial

	// inspected flows end here, on the host: up is only what ends them, and each of their
	// requests connects by itself (Dial).
	inspected bool
	ends      context.Context // when up is closed

	mu    sync.Mutex
	guest interface{ Abort() }
	dead  bool
}

// cut ends the upper half: nothing passes any more. Who carries the flow ends the
// guest's, which may have to wait for the guest.
func (f *flow) cut() {
	f.mu.Lock()
	f.dead = true
	f.mu.Unlock()
	if c, ok := f.up.(interface{ SetLinger(int) error }); ok {
		c.SetLinger(0) //nolint:errcheck // it ends anyway
	}
	f.up.Close()
}

// abort ends both sides at once: the guest sees a reset.
func (f *flow) abort() {
	f.cut()
	f.mu.Lock()
	guest := f.guest
	f.mu.Unlock()
	if guest != nil {
		guest.Abort()
	}
}

// finish ends both sides when both have said all they had to say. It waits until
// the guest has it, so that what is kept for it is bounded as connections are.
func (f *flow) finish(ctx context.Context, guest tcpip.Endpoint) {
	f.up.Close()
	end := time.NewTimer(lingerWait)
	defer end.Stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		switch tcp.EndpointState(guest.State()) {
		case tcp.StateTimeWait, tcp.StateClose, tcp.StateError:
			guest.Close()
			return
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
			continue
		case <-end.C:
		case <-ctx.Done():
		}
		again.Stop()
		guest.Abort()
		return
	}
}

// join takes the guest's side, unless the flow has ended.
func (f *flow) join(e interface{ Abort() }) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.guest = e
	return !f.dead
}

// stands reports whether the flow is allowed by set.
func (f *flow) stands(set policy.Set, own policy.Own) bool {
	v := set.Decide(f.target)
	if v.Answer == policy.Refuse || v.Answer == policy.Ask && !f.once {
		return false
	}
	if f.inspected {
		return true
	}
	return set.Address(f.addr, f.target.Port, own).Answer == policy.Allow
}

// accept is called for every new connection, in a goroutine of its own. The guest
// hears nothing before the connection is allowed and made.
func (s *segment) accept(r *tcp.ForwarderRequest) {
	if !s.enter() {
		r.Complete(false)
		return
	}
	defer s.work.Done()
	id := r.ID()
	by := caller{from: netip.AddrPortFrom(netip.AddrFrom4(id.RemoteAddress.As4()), id.RemotePort),
		to: netip.AddrPortFrom(netip.AddrFrom4(id.LocalAddress.As4()), id.LocalPort)}
	t := s.n.known(by.to)
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		s.n.tell.event(Refused, t, ReasonTooMany)
		r.Complete(true)
		return
	}
	f, kind, reason := s.n.open(s.ctx, t, s, by)
	if f == nil {
		s.n.tell.event(kind, t, reason)
		r.Complete(true)
		return
	}
	defer s.n.forget(f)
	var queue waiter.Queue
	guest, err := r.CreateEndpoint(&queue)
	r.Complete(false)
	if err != nil {
		f.cut() // the guest has gone
		return
	}
	if !f.join(guest) {
		guest.Abort()
		return
	}
	if s.n.carry(f, gonet.NewTCPConn(&queue, guest)) {
		f.finish(s.ctx, guest)
	} else {
		f.abort()
	}
}

// known is what the guest means by an address.
func (n *Network) known(to netip.AddrPort) policy.Target {
	if namesPool.Contains(to.Addr()) {
		if name, ok := n.names.name(to.Addr()); ok {
			return policy.Target{Name: name, Port: to.Port()}
		}
	}
	return policy.Target{Addr: to.Addr(), Port: to.Port()}
}

// open decides about a connection and makes its upper half. Without a flow it says
// why there is none.
func (n *Network) open(ctx context.Context, t policy.Target, owner any, by caller) (*flow, EventKind, string) {
	if t.Name == "" && wholeNet.Contains(t.Addr) {
		if t.Addr == gatewayIP {
			return nil, Refused, ReasonGateway
		}
		return nil, Refused, ReasonUnresolved
	}
	if n.bare(t) {
		return nil, Refused, policy.ReasonRule
	}
	if v := n.decide(ctx, t, by); v.Answer != policy.Allow {
		return nil, Refused, v.Reason
	}
	f := &flow{target: t, owner: owner, inspected: owner != nil && n.inspects(t)}
	var err error
	if f.inspected {
		f.up, f.ends = newEnder()
	} else {
		f.up, f.addr, err = n.up.connect(ctx, t, func(a netip.Addr) policy.Verdict {
			return n.current().Address(a, t.Port, n.config.Own())
		})
	}
	if err != nil {
		var no *forbidden
		var e *net.DNSError
		switch {
		case errors.As(err, &no):
			return nil, Refused, no.reason
		case errors.As(err, &e) && e.IsNotFound:
			return nil, Failed, ReasonNoSuchName
		}
		return nil, Failed, ReasonUnreachable
	}
	own := n.config.Own()
	n.mu.Lock()
	// The rules may have changed while the connection was made.
	v := n.judge(t)
	f.once = v.Answer == policy.Allow && n.set.Decide(t).Answer == policy.Ask
	ok := v.Answer == policy.Allow && f.stands(n.set, own) && ctx.Err() == nil && n.life.Err() == nil
	if ok {
		n.flows[f] = struct{}{}
	}
	n.mu.Unlock()
	if !ok {
		f.up.Close()
		return nil, Refused, ReasonWithdrawn
	}
	if f.count = n.traffic.Host(t.Host(), int(t.Port)); !f.inspected {
		f.count.Add(0, 0, 1)
	}
	return f, "", ""
}

func (n *Network) forget(f *flow) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.flows, f)
}

// carry looks at the first bytes where the port has a protocol that names its
// host, and carries both directions until they end. It reports whether both came
// to their end.
func (n *Network) carry(f *flow, guest net.Conn) bool {
	if f.inspected {
		n.inspect.Serve(f.ends, guest, f.target.Name, f.target.Port)
		return true
	}
	first, reason := n.first(f.target, guest)
	if reason != "" {
		n.tell.event(Refused, f.target, reason)
		return false
	}
	var work sync.WaitGroup
	up := false
	work.Go(func() {
		up = carryOne(f, f.up, io.MultiReader(bytes.NewReader(first), guest), func(n int64) { f.count.Add(n, 0, 0) })
	})
	down := carryOne(f, guest, f.up, func(n int64) { f.count.Add(0, n, 0) })
	work.Wait()
	return up && down
}

// carryOne carries one direction. Its end is passed on as such; an error ends the
// whole connection.
func carryOne(f *flow, to net.Conn, from io.Reader, carried func(bytes int64)) bool {
	n, err := io.Copy(to, from)
	carried(n)
	if err == nil {
		err = closeWrite(to)
	}
	if err != nil {
		f.abort()
	}
	return err == nil
}

// first reads for whom a connection is, where its port says that it must say so,
// and returns what it read. A reason refuses it.
//
// Restricted, the first bytes must be for the host that was connected to. A
// connection to an address may also be for a name that a rule allows, and TLS to
// an address may have no name. Where the policy is to allow, only names that a rule
// denies are refused.
func (n *Network) first(t policy.Target, guest net.Conn) (read []byte, reason string) {
	set := n.current()
	strict := set.Policy != vmhost.NetworkAllow
	if t.Port != 80 && t.Port != 443 || !strict && n.inspect == nil && set.Over == nil && !slices.ContainsFunc(set.Rules, func(r policy.Rule) bool { return !r.Allow }) {
		return nil, ""
	}
	sniffed := sniff.ServerName
	if t.Port == 80 {
		sniffed = sniff.Host
	}
	guest.SetReadDeadline(time.Now().Add(n.sniffWait))
	host, read, err := sniffed(guest)
	guest.SetReadDeadline(time.Time{})
	switch {
	case errors.Is(err, sniff.ErrNoName) && t.Name == "":
		return read, ""
	case err != nil && !strict:
		return read, ""
	case isTimeout(err):
		return nil, ReasonSilent
	case err != nil:
		return nil, ReasonNoName
	case !n.meant(t, host, strict):
		return nil, ReasonOtherName
	}
	return read, ""
}

// meant reports whether a connection to t may be for host.
func (n *Network) meant(t policy.Target, host string, strict bool) bool {
	said := policy.Target{Port: t.Port}
	if a, err := netip.ParseAddr(host); err == nil {
		said.Addr = a.Unmap()
	} else if said.Name, err = policy.Name(host); err != nil {
		return false
	}
	if said == t {
		return true
	}
	if n.inspects(said) || n.bare(said) { // its address, or another name of it, is no way around
		return false
	}
	v := n.current().Decide(said)
	if strict {
		return t.Name == "" && said.Name != "" && v.Answer == policy.Allow
	}
	return v.Answer == policy.Allow // what is asked about is asked by its own name
}

// inspects reports whether requests to t are judged.
func (n *Network) inspects(t policy.Target) bool {
	return n.inspect != nil && t.Name != "" && n.inspect.Covers(t.Name, t.Port)
}

// bare reports whether t is a host whose requests are judged, at the port where they would come in
// plain text, and nobody judges them.
func (n *Network) bare(t policy.Target) bool {
	return n.inspect != nil && t.Port == 80 && t.Name != "" && n.inspect.Names(t.Name)
}

// ender is in the place of the upper half of a flow that ends here.
type ender struct {
	net.Conn // nil
	end      context.CancelFunc
}

func newEnder() (net.Conn, context.Context) {
	ctx, cancel := context.WithCancel(context.Background())
	return &ender{end: cancel}, ctx
}

// Close implements net.Conn.
func (e *ender) Close() error { e.end(); return nil }

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
