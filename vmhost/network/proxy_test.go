package network

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/transport/icmp"
	"gvisor.dev/gvisor/pkg/waiter"

	"piwork/vmhost"
)

// proxied is a network behind a proxy, which tells what it is asked for.
func proxied(t *testing.T, rules, via string, answer func(c net.Conn, r *http.Request)) (*guest, chan *http.Request) {
	w := newWorld(t)
	asked := make(chan *http.Request, 10)
	w.serve("", "10.9.9.9", 3128, func(c net.Conn) {
		b := bufio.NewReader(c)
		r, err := http.ReadRequest(b)
		if err != nil {
			return
		}
		asked <- r
		answer(c, r)
		io.Copy(c, b)
	})
	config := restricted(t, rules, "")
	config.Proxy = func(*url.URL) (*url.URL, error) { return url.Parse(via) }
	return boot(t, w, with(t, w, config)), asked
}

func connected(c net.Conn, _ *http.Request) {
	io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\nearly ")
}

func TestThroughProxy(t *testing.T) {
	g, asked := proxied(t, "good.example:7777 93.184.215.14:7777", "http://me:secret@10.9.9.9:3128", connected)
	g.w.names["good.example"] = []netip.Addr{netip.MustParseAddr("93.184.215.14")}
	for _, host := range []string{"good.example", "93.184.215.14"} { // the proxy is told where, not whom
		a, err := netip.ParseAddr(host)
		if err != nil {
			a, _ = g.lookup(host)
		}
		c, err := g.dialAddr(a, 7777)
		if err != nil {
			t.Fatal(err)
		}
		early := make([]byte, 6)
		if _, err := io.ReadFull(c, early); err != nil || string(early) != "early " {
			t.Errorf("%q, %v", early, err)
		}
		if err := says(c, "hello"); err != nil {
			t.Error(err)
		}
		c.Close()
		r := <-asked
		r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
		if user, password, _ := r.BasicAuth(); r.Method != "CONNECT" || r.Host != "93.184.215.14:7777" || user != "me" || password != "secret" {
			t.Errorf("%s %s as %s", r.Method, r.Host, user)
		}
	}
}

func TestProxyIsNoWayAroundThePolicy(t *testing.T) {
	g, asked := proxied(t, "inner.example:7777 only.inside.example:7777", "http://10.9.9.9:3128", connected)
	g.w.names["inner.example"] = []netip.Addr{netip.MustParseAddr("10.0.0.5")}
	c, err := g.dial("inner.example", 7777)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	// Only the proxy could say where it leads.
	if c, err := g.dial("only.inside.example", 7777); err == nil {
		c.Close()
		t.Error("a name that is not known here was reached")
	}
	if c, err := g.n.Dial(t.Context(), "tcp", "only.inside.example:7777"); err == nil { // for a page
		c.Close()
		t.Error("a name that is not known here was reached from the host")
	}
	c, err = g.dialAddr(netip.MustParseAddr("10.9.9.9"), 3128) // the proxy itself
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	if len(asked) > 0 {
		t.Error("the proxy was asked")
	}
}

func TestProxyThatDoesNot(t *testing.T) {
	for name, answer := range map[string]string{
		"refuses":       "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
		"speaks no":     "SSH-2.0-x\r\n\r\n",
		"never stops":   "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", maxProxyAnswer),
		"says nothing":  "",
		"is not chosen": "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := proxied(t, "good.example:7777", "http://10.9.9.9:3128", func(c net.Conn, _ *http.Request) {
				io.WriteString(c, answer)
				c.Close()
			})
			g.w.names["good.example"] = []netip.Addr{netip.MustParseAddr("93.184.215.14")}
			c, err := g.dial("good.example", 7777)
			if err := refused(c, err); err != nil {
				t.Error(err)
			}
			if told := told(g.n); len(told) != 1 || told[0].Kind != Failed {
				t.Errorf("told %+v", told)
			}
		})
	}
}

func TestProxyOfAnotherKind(t *testing.T) {
	g, _ := proxied(t, "good.example:7777", "socks5://10.9.9.9:3128", connected)
	g.w.names["good.example"] = []netip.Addr{netip.MustParseAddr("93.184.215.14")}
	c, err := g.dial("good.example", 7777)
	if err := refused(c, err); err != nil {
		t.Error(err)
	}
	if len(g.w.dialled) > 0 {
		t.Errorf("dialled %v, around the proxy", g.w.dialled)
	}
}

func TestGatewayAnswersPings(t *testing.T) {
	w := newWorld(t)
	g := boot(t, w, with(t, w, Config{Policy: vmhost.NetworkRestricted}))
	var queue waiter.Queue
	e, terr := g.stack.NewEndpoint(icmp.ProtocolNumber4, ipv4.ProtocolNumber, &queue)
	if terr != nil {
		t.Fatal(terr)
	}
	defer e.Close()
	ping := header.ICMPv4(make([]byte, 8))
	ping.SetType(header.ICMPv4Echo)
	to := g.full(gatewayIP, 0)
	var r strings.Reader
	r.Reset(string(ping))
	if _, err := e.Write(&r, tcpip.WriteOptions{To: &to}); err != nil {
		t.Fatal(err)
	}
	replies := g.stack.Stats().ICMP.V4.PacketsReceived.EchoReply
	waitFor(t, "the reply", func() bool { return replies.Value() == 1 })
}
