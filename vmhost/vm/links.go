package vm

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"piwork/vmhost/wire"
	"piwork/vmhost/wire/mux"
)

// Programs of a task reach a gateway of the host's over a port (ServeNet) and a network
// over a card (NIC). Both are plugged when the machine runs, so that the template knows
// nothing of them. While connecting, a link that fails is an error as any other. Later
// OnLink hears of it and the task goes on: the gateway's port is plugged anew after a
// moment; a card whose server ended stays, with its cable pulled.

// Links (Config.OnLink).
const (
	LinkGateway = "gateway"
	LinkNetwork = "network"
)

// NIC is the network card of a machine and who serves it.
type NIC struct {
	// Serve serves the card until ctx or conn ends. conn carries Ethernet frames,
	// each behind its length in 4 bytes, big-endian. All of it is hostile.
	Serve func(ctx context.Context, conn net.Conn) error

	MAC     net.HardwareAddr
	Address netip.Prefix // of the guest, IPv4, with its network
	Gateway netip.Addr   // in that network
	DNS     netip.Addr
	MTU     int // bytes

	Authority []byte // that programs of the task are to believe, PEM; nil is none
}

// params is what the guest is told.
func (n *NIC) params() wire.NetworkParams {
	return wire.NetworkParams{MAC: n.MAC.String(), Address: n.Address.String(), Gateway: n.Gateway.String(), DNS: n.DNS.String(), MTU: n.MTU, Authority: string(n.Authority)}
}

func (n *NIC) check() error {
	if n.Serve == nil {
		return errors.New("a network card that nobody serves")
	}
	return n.params().Validate()
}

// links are what a machine is to be joined to.
type links struct {
	gateway  func(ctx context.Context, conn io.ReadWriteCloser) error
	nic      *NIC
	cache    *Cache
	linkLost func(link string, err error) // may be nil
}

func (c *Config) links() links { return links{c.ServeNet, c.NIC, c.Cache, c.OnLink} }

// againMost is how many times longer than the first time it takes at most before
// the gateway's port is plugged anew; lasting is for how long it must have been
// served for the first time to be there again.
const (
	againMost = 32
	lasting   = time.Minute
)

// Sockets of links in the run directory, until QEMU has connected.
const (
	gatewaySocket = "net.sock"
	networkSocket = "nic.sock"
)

// linkedMachine is a machine with its links.
type linkedMachine struct {
	*machine
	links
}

// join joins a machine that is prepared to its links.
func (m linkedMachine) join(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	if m.gateway != nil {
		g.Go(func() error { return m.joinGateway(ctx) })
	}
	if m.nic != nil {
		g.Go(func() error { return m.joinNetwork(ctx) })
	}
	if m.cache != nil {
		g.Go(func() error { return m.joinCache(ctx) })
	}
	return g.Wait()
}

func (m linkedMachine) joinGateway(ctx context.Context) error {
	conn, err := m.plugGateway(ctx)
	if err != nil {
		return err
	}
	m.parts.Go(func() { m.keepGateway(conn) })
	if err := m.call(ctx, wire.MethodGateway, wire.Empty{}, nil); err != nil {
		return err
	}
	return nil
}

func (m linkedMachine) plugGateway(ctx context.Context) (io.ReadWriteCloser, error) {
	conn, err := m.proc.PlugPort(ctx, wire.PortNet, filepath.Join(m.runDir, gatewaySocket))
	if err != nil {
		return nil, err
	}
	return mux.Guard(conn), nil
}

// keepGateway serves the port, and plugs a new one when it ends: the bridge in the guest
// ends with its port, so that no message is cut in half.
func (m linkedMachine) keepGateway(conn io.ReadWriteCloser) {
	for after := m.timing.again; ; after = min(2*after, againMost*m.timing.again) {
		began := time.Now()
		if conn != nil {
			err := m.gateway(m.life, conn)
			_ = conn.Close()
			if time.Since(began) > lasting {
				after = m.timing.again
			}
			// The bridge in the guest is not to wait for the port that was.
			uerr := m.proc.UnplugPort(m.life, wire.PortNet)
			m.linkEnded(LinkGateway, err)
			if uerr != nil {
				m.linkEnded(LinkGateway, uerr)
			}
		}
		select {
		case <-time.After(after):
		case <-m.life.Done():
			return
		case <-m.proc.Done():
			return
		}
		err := m.proc.UnplugPort(m.life, wire.PortNet)
		if err == nil {
			conn, err = m.plugGateway(m.life)
		}
		if err != nil {
			conn = nil
			m.linkEnded(LinkGateway, err)
		}
	}
}

func (m linkedMachine) joinNetwork(ctx context.Context) error {
	conn, err := m.proc.PlugNetwork(ctx, m.nic.MAC, filepath.Join(m.runDir, networkSocket))
	if err != nil {
		return err
	}
	m.parts.Go(func() {
		defer conn.Close() // the cable is pulled
		defer context.AfterFunc(m.life, func() { _ = conn.Close() })()
		m.linkEnded(LinkNetwork, m.nic.Serve(m.life, conn))
	})
	if err := m.call(ctx, wire.MethodNetwork, m.nic.params(), nil); err != nil {
		return err
	}
	return nil
}

// linkEnded tells that a link is not served any more, unless the machine is over,
// whose connections end a little before it.
func (m linkedMachine) linkEnded(link string, err error) {
	t := time.NewTimer(m.timing.evidence)
	defer t.Stop()
	select {
	case <-m.life.Done():
		return
	case <-m.proc.Done():
		return
	case <-t.C:
	}
	if err == nil {
		err = errors.New("its server ended")
	}
	m.log.Warn("a link of the machine is not served any more", "link", link, "err", err)
	if m.linkLost != nil {
		m.linkLost(link, err)
	}
}
