package network

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"

	"piwork/vmhost"
	"piwork/vmhost/network/frame"
)

// raw makes frames of the guest that no stack sends.
type raw struct {
	from, to [6]byte
	src, dst netip.Addr
}

func honestly(to netip.Addr) raw {
	return raw{guestMAC, gatewayMAC, guestNet.Addr(), to}
}

func (r raw) ether(typ uint16, payload []byte) []byte {
	f := append(bytes.Clone(r.to[:]), r.from[:]...)
	return append(binary.BigEndian.AppendUint16(f, typ), payload...)
}

// ip is a packet with a right checksum; flags is the field with the fragment's
// offset.
func (r raw) ip(proto uint8, flags uint16, body []byte) []byte {
	b := make([]byte, 20, 20+len(body))
	h := header.IPv4(b)
	h.Encode(&header.IPv4Fields{TotalLength: uint16(20 + len(body)), TTL: 64, Protocol: proto,
		SrcAddr: tcpip.AddrFrom4(r.src.As4()), DstAddr: tcpip.AddrFrom4(r.dst.As4())})
	binary.BigEndian.PutUint16(b[6:], flags)
	h.SetChecksum(0)
	h.SetChecksum(^h.CalculateChecksum())
	return r.ether(0x0800, append(b, body...))
}

func (r raw) tcp(from, to uint16, flags header.TCPFlags, window uint16) []byte {
	b := make([]byte, 20)
	header.TCP(b).Encode(&header.TCPFields{SrcPort: from, DstPort: to, SeqNum: rand.Uint32(), DataOffset: 20, Flags: flags, WindowSize: window})
	return r.ip(6, 0, b)
}

func (r raw) udp(to uint16, body []byte) []byte {
	b := make([]byte, 8, 8+len(body))
	binary.BigEndian.PutUint16(b, 9999)
	binary.BigEndian.PutUint16(b[2:], to)
	binary.BigEndian.PutUint16(b[4:], uint16(8+len(body)))
	return r.ip(17, 0, append(b, body...))
}

// never fails if an address was dialled.
func (w *world) never(t *testing.T, prefixes ...string) {
	t.Helper()
	for _, p := range prefixes {
		if w.hasDialled(p) {
			t.Errorf("%s was dialled", p)
		}
	}
}

// Each attack leaves the connection of an honest program, and new ones, working,
// and reaches nothing that is not allowed.
func TestAttacks(t *testing.T) {
	victims := []string{"10.0.0.5", "127.0.0.1", "169.254.169.254", "192.168.1.1", "[::1]", "93.184.215.1:"}
	refuse := func(t *testing.T, g *guest, host string, port int) {
		t.Helper()
		a, err := netip.ParseAddr(host)
		if err != nil {
			a, _ = g.lookup(host)
		}
		if !a.IsValid() {
			return // not even a name
		}
		c, err := g.dialAddr(a, port)
		if err := refused(c, err); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	var endless atomic.Int64 // bytes that endless.example got rid of
	attacks := map[string]func(*testing.T, *guest){
		"truncated frames": func(_ *testing.T, g *guest) {
			whole := honestly(netip.MustParseAddr("93.184.215.14")).tcp(1, 443, header.TCPFlagSyn, 100)
			for i := range whole {
				g.send(whole[:i])
			}
		},
		"jumbo frames": func(_ *testing.T, g *guest) {
			g.send(honestly(gatewayIP).udp(53, make([]byte, 9000)))
			g.send(make([]byte, 60000))
		},
		"random frames": func(_ *testing.T, g *guest) {
			for range 2000 {
				f := make([]byte, rand.IntN(1514))
				for i := range f {
					f[i] = byte(rand.Uint32())
				}
				if len(f) > 34 && rand.IntN(2) == 0 {
					copy(f, honestly(gatewayIP).ip(uint8(rand.Uint32()), 0, f[34:]))
				}
				g.send(f)
			}
		},
		"spoofed cards": func(_ *testing.T, g *guest) {
			for i := range 256 {
				r := honestly(netip.MustParseAddr("93.184.215.14"))
				r.from[5] = byte(i)
				if r.from != guestMAC {
					g.send(r.tcp(uint16(i+1), 7777, header.TCPFlagSyn, 1000))
				}
			}
		},
		"spoofed addresses": func(_ *testing.T, g *guest) {
			for i := range 256 {
				r := honestly(gatewayIP)
				r.src = netip.AddrFrom4([4]byte{198, 18, 0, byte(i)})
				if r.src != guestNet.Addr() {
					g.send(r.udp(53, newQuery(g.t, "spoofed.example", dnsmessage.TypeA)))
					g.send(r.tcp(1, 7777, header.TCPFlagSyn, 1000))
				}
			}
		},
		"fragments that never end": func(_ *testing.T, g *guest) {
			for i := range 5000 {
				g.send(honestly(gatewayIP).ip(17, 0x2000|uint16(i%100), make([]byte, 1400)))
			}
		},
		"tiny fragments over the header": func(_ *testing.T, g *guest) {
			r := honestly(netip.MustParseAddr("10.0.0.5"))
			g.send(r.ip(6, 0x2000, make([]byte, 8)))
			g.send(r.ip(6, 1, make([]byte, 20)))
		},
		"ARP: the gateway is elsewhere": func(_ *testing.T, g *guest) {
			for op := range 3 {
				p := []byte{0, 1, 8, 0, 6, 4, 0, byte(op), 2, 0, 0, 0, 0, 0x66, 198, 18, 0, 1, 2, 0, 0, 0, 0, 0x66, 198, 18, 0, 1}
				r := honestly(gatewayIP)
				g.send(r.ether(0x0806, p))
				r.to = [6]byte{255, 255, 255, 255, 255, 255}
				g.send(r.ether(0x0806, p))
			}
		},
		"DHCP junk": func(_ *testing.T, g *guest) {
			for _, n := range []int{0, 1, 236, 240, 576, 1400} {
				g.send(honestly(gatewayIP).udp(67, bytes.Repeat([]byte{53, 255}, n/2)))
			}
		},
		"IPv6 and other protocols": func(_ *testing.T, g *guest) {
			for _, typ := range []uint16{0x86dd, 0x8100, 0x88cc, 0x8863, 0x0600, 10} {
				g.send(honestly(gatewayIP).ether(typ, make([]byte, 100)))
			}
			for proto := range 256 {
				g.send(honestly(gatewayIP).ip(uint8(proto), 0, make([]byte, 60)))
			}
		},
		"DNS messages": func(t *testing.T, g *guest) {
			for _, msg := range hostileQueries(t) {
				if len(msg) < 1400 {
					g.send(honestly(gatewayIP).udp(53, msg))
				}
			}
		},
		"DNS flood": func(t *testing.T, g *guest) {
			for i := range 3000 {
				g.send(honestly(gatewayIP).udp(53, newQuery(t, fmt.Sprintf("n%d.flood.example", i), dnsmessage.TypeA)))
			}
		},
		"DNS rebinding": func(t *testing.T, g *guest) {
			for i, a := range []string{"10.0.0.5", "127.0.0.1", "::1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::10.0.0.5", "93.184.215.1", "0.0.0.0"} {
				name := fmt.Sprintf("r%d.rebind.example", i)
				g.w.mu.Lock()
				g.w.names[name] = []netip.Addr{netip.MustParseAddr(a)}
				g.w.mu.Unlock()
				refuse(t, g, name, 443)
			}
		},
		"DNS rebinding between two answers": func(t *testing.T, g *guest) {
			g.w.serve("turn.rebind.example", "93.184.215.20", 443, echo)
			a, _ := g.lookup("turn.rebind.example")
			g.w.mu.Lock()
			g.w.names["turn.rebind.example"] = []netip.Addr{netip.MustParseAddr("10.0.0.5")}
			g.w.mu.Unlock()
			g.n.up.mu.Lock()
			clear(g.n.up.cache) // as time does
			g.n.up.mu.Unlock()
			c, err := g.dialAddr(a, 443)
			if err := refused(c, err); err != nil {
				t.Error(err)
			}
		},
		"a private address among public ones": func(t *testing.T, g *guest) {
			g.w.mu.Lock()
			g.w.names["mixed.rebind.example"] = []netip.Addr{netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("93.184.215.14")}
			g.w.mu.Unlock()
			c, err := g.dial("mixed.rebind.example", 443)
			if err != nil || !strings.Contains(greetTLS(c, "mixed.rebind.example").Error(), "unexpected") {
				t.Errorf("the public address: %v", err)
			}
			c.Close()
		},
		"a dial that ends elsewhere": func(t *testing.T, g *guest) {
			g.w.serve("moved.rebind.example", "93.184.215.30", 8443, func(c net.Conn) { c.Write([]byte("secret")) })
			g.w.mu.Lock()
			g.w.moved["93.184.215.30:8443"] = netip.MustParseAddr("127.0.0.1")
			g.w.mu.Unlock()
			refuse(t, g, "moved.rebind.example", 8443)
		},
		"a redirect to a private address": func(t *testing.T, g *guest) {
			g.w.serve("redirect.rebind.example", "93.184.215.40", 80, func(c net.Conn) {
				io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nConnection: close\r\n\r\n")
			})
			c, err := g.dial("redirect.rebind.example", 80)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: redirect.rebind.example\r\n\r\n")
			answer, _ := io.ReadAll(c)
			c.Close()
			if !strings.Contains(string(answer), "169.254.169.254") {
				t.Fatalf("%q", answer)
			}
			refuse(t, g, "169.254.169.254", 80) // where it leads
		},
		"addresses of all kinds": func(t *testing.T, g *guest) {
			for _, a := range []string{"10.0.0.5", "169.254.169.254", "192.168.1.1", "100.64.0.1", "100.100.100.200", "168.63.129.16",
				"172.16.0.1", "192.0.2.1", "93.184.215.1", "93.184.215.50", "198.18.0.1", "198.18.0.77"} {
				refuse(t, g, a, 80)
			}
		},
		"addresses as names": func(t *testing.T, g *guest) {
			for _, name := range []string{"127.0.0.1", "0x7f000001", "127.1", "2130706433", "localhost", "metadata"} {
				if a, code := g.lookup(name); code == dnsmessage.RCodeSuccess {
					t.Errorf("%s is %v", name, a)
				}
			}
		},
		"guessed addresses of names": func(t *testing.T, g *guest) {
			for i := range 20 {
				refuse(t, g, fmt.Sprintf("198.19.200.%d", i+1), 443)
			}
		},
		"an address whose time is over": func(t *testing.T, g *guest) {
			a := g.n.names.address("old.rebind.example")
			g.n.names.mu.Lock()
			g.n.names.byAddr[a].Value.(*binding).last = time.Now().Add(-2 * bindingIs)
			g.n.names.mu.Unlock()
			c, err := g.dialAddr(a, 443)
			if err := refused(c, err); err != nil {
				t.Error(err)
			}
		},
		"ports of the gateway": func(t *testing.T, g *guest) {
			for _, port := range []int{22, 53, 80, 443, 8377} {
				refuse(t, g, "198.18.0.1", port)
			}
		},
		"mail": func(t *testing.T, g *guest) { refuse(t, g, "good.example", 25) },
		"a flood of SYNs": func(_ *testing.T, g *guest) {
			a, _ := g.lookup("good.example")
			for i := range 5000 {
				g.send(honestly(a).tcp(uint16(10000+i), 7777, header.TCPFlagSyn, 1000))
			}
		},
		"SYNs to everywhere": func(_ *testing.T, g *guest) {
			for i := range 5000 {
				to := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
				g.send(honestly(to).tcp(uint16(i+1), 80, header.TCPFlagSyn, 1000))
			}
		},
		"TCP without a connection": func(_ *testing.T, g *guest) {
			for flags := range 64 {
				g.send(honestly(gatewayIP).tcp(1, 7777, header.TCPFlags(flags), 0))
			}
		},
		"slow first bytes": func(t *testing.T, g *guest) {
			var all []*gonet.TCPConn
			for range 20 {
				c, err := g.dial("good.example", 443)
				if err != nil {
					t.Fatal(err)
				}
				c.Write([]byte{22})
				all = append(all, c)
			}
			for _, c := range all {
				if err := refused(c, nil); err != nil {
					t.Error(err)
				}
			}
		},
		"who never reads": func(t *testing.T, g *guest) {
			c, err := g.dial("endless.example", 7777)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			waitFor(t, "the window to be closed", func() bool {
				before := endless.Load()
				time.Sleep(50 * time.Millisecond)
				return before > 0 && endless.Load() == before
			})
			if got := endless.Load(); got > 32<<20 { // with what the host's sockets hold
				t.Errorf("%d bytes were taken for a guest that does not read", got)
			}
		},
		"names that lie": func(t *testing.T, g *guest) {
			c, err := g.dial("good.example", 443)
			if err != nil {
				t.Fatal(err)
			}
			if err := greetTLS(c, "evil.example"); err == nil || !strings.Contains(err.Error(), "reset") {
				t.Error(err)
			}
			c.Close()
		},
		"pings of the world": func(_ *testing.T, g *guest) {
			for i := range 255 {
				g.send(honestly(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})).ip(1, 0, []byte{8, 0, 0xf7, 0xff, 0, 0, 0, 0}))
			}
		},
	}
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	w.serve("good.example", "93.184.215.14", 443, echo)
	w.serve("endless.example", "93.184.215.60", 7777, func(c net.Conn) {
		for buf := make([]byte, 64<<10); ; {
			k, err := c.Write(buf)
			endless.Add(int64(k))
			if err != nil {
				return
			}
		}
	})
	for _, v := range []string{"10.0.0.5", "127.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "93.184.215.1", "93.184.215.50"} {
		for _, port := range []int{80, 443} {
			w.serve("", v, port, func(c net.Conn) { c.Write([]byte("secret")) })
		}
	}
	n := with(t, w, restricted(t, "good.example good.example:7777 endless.example:7777 *.rebind.example moved.rebind.example:8443", ""))
	n.sniffWait = 300 * time.Millisecond
	g := boot(t, w, n)
	neighbour, err := g.dial("good.example", 7777)
	if err != nil {
		t.Fatal(err)
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			attack(t, g)
			if err := says(neighbour, "still here after "+name); err != nil {
				t.Fatalf("the neighbour's connection: %v", err)
			}
			waitFor(t, "a new connection", func() bool { // there may be no free place for a while
				a, err := g.tryLookup("good.example")
				if err != nil {
					return false
				}
				c, err := g.dialAddr(a, 7777)
				if err != nil {
					return false
				}
				defer c.Close()
				return says(c, "and new") == nil
			})
			w.never(t, victims...)
		})
	}
	if len(n.tell.told) > maxRemembered {
		t.Errorf("%d events are remembered", len(n.tell.told))
	}
	if got := n.Dropped(); got["spoofed"] < 500 || got["fragment"] < 5000 || got["jumbo"] < 2 || got["protocol"] < 100 || got["elsewhere"] < 250 {
		t.Errorf("dropped: %v", got)
	}
}

// tryLookup is lookup for when answers may be lost.
func (g *guest) tryLookup(name string) (netip.Addr, error) {
	b, err := g.exchange(newQuery(g.t, name, dnsmessage.TypeA))
	if err != nil {
		return netip.Addr{}, err
	}
	var m dnsmessage.Message
	if err := m.Unpack(b); err != nil || len(m.Answers) == 0 {
		return netip.Addr{}, fmt.Errorf("%v, %w", m.RCode, err)
	}
	return netip.AddrFrom4(m.Answers[0].Body.(*dnsmessage.AResource).A), nil
}

// A stream that is no framing ends the network, and nothing else.
func TestBrokenFraming(t *testing.T) {
	for name, in := range map[string][]byte{
		"a length of 4 GiB": {0xff, 0xff, 0xff, 0xff},
		"too long":          {0, 2, 0, 0},
		"text":              []byte("GET / HTTP/1.1\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			g := boot(t, w, with(t, w, Config{Policy: vmhost.NetworkRestricted}))
			if _, err := g.conn.Write(in); err != nil {
				t.Fatal(err)
			}
			if err := <-g.ended; err == nil {
				t.Error("it went on")
			}
		})
	}
}

// A guest that takes nothing from its card holds up nobody on the host, and its
// own frames are still read: what is meant for it is lost, and once it reads
// again, it is answered.
func TestGuestThatTakesNoFrames(t *testing.T) {
	w := newWorld(t)
	n := with(t, w, restricted(t, "", ""))
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- n.Serve(t.Context(), there) }()
	send := func(f []byte) {
		t.Helper()
		here.SetWriteDeadline(time.Now().Add(time.Minute))
		if _, err := here.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(f))), f...)); err != nil {
			t.Fatalf("the stack reads no more: %v", err)
		}
	}
	syn := honestly(netip.MustParseAddr("10.0.0.5"))
	arp := honestly(gatewayIP).ether(0x0806, // answered by who reads frames
		[]byte{0, 1, 8, 0, 6, 4, 0, 1, 2, 0x70, 0x69, 0, 0, 2, 198, 18, 0, 2, 0, 0, 0, 0, 0, 0, 198, 18, 0, 1})
	for i := range 8 * queued {
		if send(arp); i%8 == 0 {
			send(syn.tcp(uint16(i+1), 80, header.TCPFlagSyn, 100))
		}
	}
	n.SetRules(nil)
	n.SetPolicy(vmhost.NetworkDeny)
	frames := frame.NewReader(here)
	for range queued + queued/2 { // what was queued, and answers to questions of now
		send(arp)
		if _, err := frames.Next(); err != nil {
			t.Fatal(err)
		}
	}
	n.Close()
	<-ended
	here.Close()
}

func TestOtherProtocols(t *testing.T) {
	w := newWorld(t)
	g := boot(t, w, with(t, w, Config{Policy: vmhost.NetworkAllow}))
	for i, to := range []netip.AddrPort{netip.MustParseAddrPort("93.184.215.14:443"), netip.AddrPortFrom(gatewayIP, 123), netip.MustParseAddrPort("8.8.8.8:53")} {
		at := g.full(to.Addr(), int(to.Port()))
		c, err := gonet.DialUDP(g.stack, nil, &at, ipv4.ProtocolNumber)
		if err != nil {
			t.Fatal(err)
		}
		c.Write([]byte("hello"))
		unreachable := g.stack.Stats().ICMP.V4.PacketsReceived.DstUnreachable
		waitFor(t, "port unreachable", func() bool { return unreachable.Value() == uint64(i+1) })
		// The guest's stack counts the answer before it hands it to the
		// socket, and a read that waits already is not woken by it: one
		// after the other, until it says so.
		waitFor(t, fmt.Sprintf("UDP to %v is refused", to), func() bool {
			c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			_, err := c.Read(make([]byte, 10))
			return err != nil && strings.Contains(err.Error(), "refused")
		})
		c.Close()
	}
	if len(w.dialled) > 0 {
		t.Errorf("dialled %v", w.dialled)
	}
}
