package network

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

	"piwork/vmhost"
	"piwork/vmhost/network/frame"
	"piwork/vmhost/network/policy"
)

// world is what lies behind the host: names, and servers at addresses. Servers
// are sockets of the loopback that claim to be elsewhere.
type world struct {
	t  testing.TB
	mu sync.Mutex

	names   map[string][]netip.Addr
	servers map[string]func(net.Conn) // by "ip:port"
	dialled []string
	looked  []string
	moved   map[string]netip.Addr // dialling one address reaches another
}

func newWorld(t testing.TB) *world {
	return &world{t: t, names: map[string][]netip.Addr{}, servers: map[string]func(net.Conn){}, moved: map[string]netip.Addr{}}
}

// serve puts a server at a name and a port.
func (w *world) serve(name, address string, port int, handle func(net.Conn)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if name != "" {
		w.names[name] = []netip.Addr{netip.MustParseAddr(address)}
	}
	w.servers[net.JoinHostPort(address, fmt.Sprint(port))] = handle
}

func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = append(w.looked, host)
	a, ok := w.names[strings.TrimSuffix(host, ".")]
	if !ok || !strings.HasSuffix(host, ".") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return a, nil
}

// elsewhere is a connection that claims to go to another address.
type elsewhere struct {
	*net.TCPConn
	addr net.Addr
}

func (e *elsewhere) RemoteAddr() net.Addr { return e.addr }

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	handle, ok := w.servers[address]
	w.dialled = append(w.dialled, address)
	to := netip.MustParseAddrPort(address)
	if a, ok := w.moved[address]; ok {
		to = netip.AddrPortFrom(a, to.Port())
	}
	w.mu.Unlock()
	if !ok {
		return nil, errors.New("connection refused")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	c, err := new(net.Dialer).DialContext(ctx, network, l.Addr().String())
	if err != nil {
		return nil, err
	}
	accepted, err := l.Accept()
	if err != nil {
		c.Close()
		return nil, err
	}
	go func() {
		defer accepted.Close()
		handle(accepted)
	}()
	return &elsewhere{c.(*net.TCPConn), net.TCPAddrFromAddrPort(to)}, nil
}

func (w *world) hasDialled(prefix string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.dialled {
		if strings.HasPrefix(d, prefix) {
			return true
		}
	}
	return false
}

func echo(c net.Conn) { io.Copy(c, c) }

// guest is a machine with a TCP/IP stack of its own, and a wire to write frames
// on.
type guest struct {
	t     testing.TB
	n     *Network
	w     *world
	link  *link
	stack *stack.Stack
	conn  net.Conn
	ended chan error // of Serve
}

func with(t testing.TB, w *world, c Config) *Network {
	t.Helper()
	c.Resolver, c.Dial = w, w.dial
	if c.Proxy == nil {
		c.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	if c.Own == nil {
		c.Own = func() policy.Own { return policy.Own{Addrs: []netip.Addr{netip.MustParseAddr("93.184.215.1")}} }
	}
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

// boot connects a guest to n. At the end of the test nothing of it is left.
func boot(t testing.TB, w *world, n *Network) *guest {
	t.Helper()
	before := runtime.NumGoroutine()
	here, there := net.Pipe()
	g := &guest{t: t, n: n, w: w, conn: here, ended: make(chan error, 1), link: newLink(n.Guest().MTU, guestMAC)}
	go func() { g.ended <- n.Serve(context.Background(), there) }()
	g.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol, arp.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol, icmp.NewProtocol4},
	})
	me := n.Guest()
	if err := g.stack.CreateNIC(card, ethernet.New(g.link)); err != nil {
		t.Fatal(err)
	}
	g.stack.AddProtocolAddress(card, tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: tcpip.AddressWithPrefix{
		Address: tcpip.AddrFrom4(me.Address.Addr().As4()), PrefixLen: me.Address.Bits()}}, stack.AddressProperties{})
	g.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, Gateway: tcpip.AddrFrom4(me.Gateway.As4()), NIC: card}})
	var wire sync.WaitGroup
	wire.Go(func() { g.link.read(here, func([]byte) bool { return true }) })
	wire.Go(func() { g.link.write(here) })
	t.Cleanup(func() {
		here.Close()
		g.link.close()
		wire.Wait()
		g.stack.Destroy()
		n.Close()
		waitFor(t, "all goroutines to end", func() bool { return runtime.NumGoroutine() <= before+1 })
	})
	return g
}

// waitFor waits for something that happens by itself.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for range 3000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Fatalf("waited in vain for %s\n%s", what, buf[:runtime.Stack(buf, true)])
}

func (g *guest) full(a netip.Addr, port int) tcpip.FullAddress {
	return tcpip.FullAddress{NIC: card, Addr: tcpip.AddrFrom4(a.As4()), Port: uint16(port)}
}

// exchange sends a message to the name server.
func (g *guest) exchange(msg []byte) ([]byte, error) {
	to := g.full(g.n.Guest().DNS, 53)
	c, err := gonet.DialUDP(g.stack, nil, &to, ipv4.ProtocolNumber)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	buf := make([]byte, 4096)
	for range 20 { // UDP may be lost
		if _, err = c.Write(msg); err != nil {
			return nil, err
		}
		c.SetReadDeadline(time.Now().Add(time.Second))
		var k int
		if k, err = c.Read(buf); err == nil {
			return buf[:k], nil
		}
	}
	return nil, err
}

func newQuery(t testing.TB, name string, typ dnsmessage.Type) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name + "."), Type: typ, Class: dnsmessage.ClassINET}}}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lookup asks for the address of a name.
func (g *guest) lookup(name string) (netip.Addr, dnsmessage.RCode) {
	g.t.Helper()
	b, err := g.exchange(newQuery(g.t, name, dnsmessage.TypeA))
	if err != nil {
		g.t.Fatalf("look up %s: %v", name, err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(b); err != nil || m.ID != 7 || !m.Response {
		g.t.Fatalf("look up %s: %v, %+v", name, err, m.Header)
	}
	if len(m.Answers) == 0 {
		return netip.Addr{}, m.RCode
	}
	return netip.AddrFrom4(m.Answers[0].Body.(*dnsmessage.AResource).A), m.RCode
}

func (g *guest) dialAddr(a netip.Addr, port int) (*gonet.TCPConn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return g.dialAddrContext(ctx, a, port)
}

func (g *guest) dialAddrContext(ctx context.Context, a netip.Addr, port int) (*gonet.TCPConn, error) {
	return gonet.DialContextTCP(ctx, g.stack, g.full(a, port), ipv4.ProtocolNumber)
}

// dial looks a name up and connects to it.
func (g *guest) dial(name string, port int) (*gonet.TCPConn, error) {
	g.t.Helper()
	a, code := g.lookup(name)
	if code != dnsmessage.RCodeSuccess {
		return nil, fmt.Errorf("name server: %v", code)
	}
	return g.dialAddr(a, port)
}

// says reports whether what is said comes back.
func says(c net.Conn, what string) error {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	defer c.SetDeadline(time.Time{})
	if _, err := io.WriteString(c, what); err != nil {
		return err
	}
	buf := make([]byte, len(what))
	if _, err := io.ReadFull(c, buf); err != nil {
		return err
	}
	if string(buf) != what {
		return fmt.Errorf("%q came back as %q", what, buf)
	}
	return nil
}

// refused reports whether a connection was reset, now or at its first byte.
func refused(c net.Conn, err error) error {
	if err != nil {
		if strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "reset") {
			return nil
		}
		return fmt.Errorf("not refused, but: %w", err)
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err = c.Read(make([]byte, 1)); err == nil {
		return errors.New("it was made, and answers")
	}
	if !strings.Contains(err.Error(), "reset") && !strings.Contains(err.Error(), "aborted") {
		return fmt.Errorf("not reset, but: %w", err)
	}
	return nil
}

// send puts a frame on the wire.
func (g *guest) send(f []byte) {
	select {
	case g.link.out <- frame.Append(nil, f):
	case <-g.link.done:
	}
}

func mustRules(t testing.TB, allow, deny string) []policy.Rule {
	t.Helper()
	r, err := policy.ParseRules(strings.Fields(allow), strings.Fields(deny))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// restricted is a network with rules, and a person who is not there.
func restricted(t testing.TB, allow, deny string) Config {
	return Config{Task: "task", Policy: vmhost.NetworkRestricted, Rules: mustRules(t, allow, deny)}
}

// greetTLS says a ClientHello for a name and reports what came of it.
func greetTLS(c net.Conn, name string) error {
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return tls.Client(c, &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake()
}
