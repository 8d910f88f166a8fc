package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/ethernet"
	"gvisor.dev/gvisor/pkg/tcpip/network/arp"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/icmp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"piwork/vmhost/network/frame"
	"piwork/vmhost/network/policy"
)

const card tcpip.NICID = 1

// segment is the wire to one machine while it is served: the gateway's stack, its
// name server and all connections that go through it.
type segment struct {
	n     *Network
	ctx   context.Context
	end   context.CancelFunc
	link  *link
	check frame.Filter
	stack *stack.Stack
	dns   *gonet.UDPConn
	slots chan struct{} // connections
	work  sync.WaitGroup

	mu     sync.Mutex
	fallen bool
}

// enter adds a goroutine to the work, unless all has to end.
func (s *segment) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.fallen {
		s.work.Add(1)
	}
	return !s.fallen
}

func newSegment(ctx context.Context, n *Network) (*segment, error) {
	s := &segment{n: n, link: newLink(n.config.MTU, gatewayMAC), slots: make(chan struct{}, maxConnections),
		check: frame.Filter{GuestMAC: guestMAC, GatewayMAC: gatewayMAC, Guest: guestNet.Addr(), Gateway: gatewayIP, MTU: n.config.MTU}}
	s.ctx, s.end = context.WithCancel(ctx)
	if err := s.raise(); err != nil {
		s.fall()
		return nil, err
	}
	return s, nil
}

// raise makes the stack. The gateway's card takes packets for every address
// (promiscuous), and answers in their names (spoofing).
func (s *segment) raise() error {
	s.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol, icmp.NewProtocol4},
	})
	gateway, guest := tcpip.AddrFrom4(gatewayIP.As4()), tcpip.AddrFrom4(guestNet.Addr().As4())
	for _, step := range []func() tcpip.Error{
		func() tcpip.Error { return s.stack.CreateNIC(card, ethernet.New(s.link)) },
		func() tcpip.Error {
			return s.stack.AddProtocolAddress(card, tcpip.ProtocolAddress{
				Protocol:          ipv4.ProtocolNumber,
				AddressWithPrefix: tcpip.AddressWithPrefix{Address: gateway, PrefixLen: guestNet.Bits()},
			}, stack.AddressProperties{})
		},
		func() tcpip.Error { return s.stack.SetPromiscuousMode(card, true) },
		func() tcpip.Error { return s.stack.SetSpoofing(card, true) },
		// Nobody is asked where the guest is, so that nobody can lie about it.
		func() tcpip.Error {
			return s.stack.AddStaticNeighbor(card, ipv4.ProtocolNumber, guest, tcpip.LinkAddress(guestMAC[:]))
		},
		func() tcpip.Error {
			o := tcpip.TCPReceiveBufferSizeRangeOption{Min: 4 << 10, Default: bufferBytes, Max: bufferBytes}
			return s.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &o)
		},
		func() tcpip.Error {
			o := tcpip.TCPSendBufferSizeRangeOption{Min: 4 << 10, Default: bufferBytes, Max: bufferBytes}
			return s.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &o)
		},
		func() tcpip.Error {
			o := tcpip.TCPSACKEnabled(true)
			return s.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &o)
		},
		func() tcpip.Error { // a handshake that the guest does not finish ends soon
			o := tcpip.TCPSynRetriesOption(3)
			return s.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &o)
		},
		func() tcpip.Error { // nothing of an old connection is delayed on a cable in memory
			o := tcpip.TCPTimeWaitTimeoutOption(1e9)
			return s.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &o)
		},
	} {
		if err := step(); err != nil {
			return errors.New(err.String())
		}
	}
	s.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: card}})
	s.stack.SetTransportProtocolHandler(tcp.ProtocolNumber, tcp.NewForwarder(s.stack, bufferBytes, maxConnections, s.accept).HandlePacket)
	var err error
	at := tcpip.FullAddress{NIC: card, Addr: gateway, Port: 53}
	if s.dns, err = gonet.DialUDP(s.stack, &at, nil, ipv4.ProtocolNumber); err != nil {
		return fmt.Errorf("name server: %w", err)
	}
	return nil
}

// run carries frames until conn ends, and ends everything.
func (s *segment) run(conn net.Conn) error {
	// A stack that waits for the guest to take a frame waits no longer.
	stop := context.AfterFunc(s.ctx, func() { s.link.close(); conn.Close() })
	defer stop()
	s.work.Go(s.serveDNS)
	s.work.Go(func() {
		if err := s.link.write(conn); err != nil {
			s.end() // reading, too
		}
	})
	err := s.link.read(conn, func(f []byte) bool {
		v := s.check.Check(f)
		s.n.frames[v].Add(1)
		return v == frame.Pass || v == frame.Unreachable
	})
	s.fall()
	return err
}

// fall ends the segment and waits for all of it.
func (s *segment) fall() {
	s.mu.Lock()
	s.fallen = true
	s.mu.Unlock()
	s.end()
	s.link.close()
	s.n.mu.Lock()
	flows := make([]*flow, 0, len(s.n.flows))
	for f := range s.n.flows {
		if f.owner == s {
			flows = append(flows, f)
		}
	}
	s.n.mu.Unlock()
	for _, f := range flows {
		f.abort()
	}
	if s.dns != nil {
		s.dns.Close()
	}
	s.stack.Close()
	s.work.Wait()
	s.stack.Destroy()
}

// serveDNS answers the guest's queries. Those that are too many at once are lost,
// as UDP may lose them.
func (s *segment) serveDNS() {
	busy := make(chan struct{}, maxQueries)
	buf := make([]byte, 64<<10)
	for {
		n, from, err := s.dns.ReadFrom(buf)
		if err != nil {
			return
		}
		q, err := parseQuery(buf[:n])
		if err != nil {
			continue
		}
		select {
		case busy <- struct{}{}:
		default:
			continue
		}
		s.work.Go(func() {
			defer func() { <-busy }()
			addr, code := netip.Addr{}, q.code
			if q.found {
				addr, code = s.n.resolve(s.ctx, q.name)
			}
			if msg, err := q.answer(code, addr); err == nil && s.ctx.Err() == nil {
				_, _ = s.dns.WriteTo(msg, from) // lost, as UDP may be
			}
		})
	}
}

// resolve gives a name its address. What is known to be allowed is looked up
// first, so that a name that there is not is answered as such; for what is not,
// nothing leaves this computer.
func (n *Network) resolve(ctx context.Context, name string) (netip.Addr, dnsmessage.RCode) {
	set := n.current()
	if !answerable(set, name) {
		if set.Denied(name) {
			n.tell.event(Refused, policy.Target{Name: name}, policy.ReasonRule)
		}
		return netip.Addr{}, dnsmessage.RCodeNameError
	}
	if set.Known(name) {
		_, err := n.up.lookup(ctx, name)
		var e *net.DNSError
		switch {
		case errors.As(err, &e) && e.IsNotFound:
			return netip.Addr{}, dnsmessage.RCodeNameError
		case err != nil:
			return netip.Addr{}, dnsmessage.RCodeServerFailure
		}
	}
	return n.names.address(name), dnsmessage.RCodeSuccess
}
