package network

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/traffic"
)

func TestAllowedNameIsReached(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	n := with(t, w, restricted(t, "good.example:*", ""))
	g := boot(t, w, n)
	a, code := g.lookup("GOOD.example")
	if code != dnsmessage.RCodeSuccess || !namesPool.Contains(a) {
		t.Fatalf("%v, %v", a, code)
	}
	c, err := g.dialAddr(a, 7777)
	if err != nil {
		t.Fatal(err)
	}
	if err := says(c, "hello"); err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestNamesBeforeTheyAreDecided(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	g := boot(t, w, with(t, w, restricted(t, "good.example *.wide.example intranet localhost:8080", "bad.example *.bad.example fine.example:22")))
	for name, want := range map[string]dnsmessage.RCode{
		"good.example": dnsmessage.RCodeSuccess, "unknown.example": dnsmessage.RCodeSuccess, "fine.example": dnsmessage.RCodeSuccess,
		"missing.wide.example": dnsmessage.RCodeNameError, "bad.example": dnsmessage.RCodeNameError, "a.bad.example": dnsmessage.RCodeNameError,
		"printer": dnsmessage.RCodeNameError, "14.215.184.93.in-addr.arpa": dnsmessage.RCodeNameError, "127.1": dnsmessage.RCodeNameError,
	} {
		if _, code := g.lookup(name); code != want {
			t.Errorf("%s: %v; want %v", name, code, want)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range w.looked {
		if name != "good.example." && name != "missing.wide.example." {
			t.Errorf("the world was asked about %s", name)
		}
	}
}

func TestNameServerSaysNothingElse(t *testing.T) {
	w := newWorld(t)
	g := boot(t, w, with(t, w, restricted(t, "", "")))
	for _, typ := range []dnsmessage.Type{dnsmessage.TypeAAAA, dnsmessage.TypeTXT, dnsmessage.TypeMX, dnsmessage.TypeHTTPS, dnsmessage.TypeALL} {
		b, err := g.exchange(newQuery(t, "unknown.example", typ))
		var m dnsmessage.Message
		if err != nil || m.Unpack(b) != nil || len(m.Answers) != 0 || m.RCode != dnsmessage.RCodeSuccess {
			t.Errorf("%v: %v, %+v", typ, err, m)
		}
	}
}

func TestFirstBytes(t *testing.T) {
	hears := func(c net.Conn) { // says what it got
		buf := make([]byte, 64<<10)
		k, _ := c.Read(buf)
		c.Write(buf[:k])
		io.Copy(io.Discard, c)
	}
	w := newWorld(t)
	for _, port := range []int{80, 443} {
		w.serve("good.example", "93.184.215.14", port, hears)
		w.serve("", "93.184.215.99", port, hears)
	}
	const rules = "good.example other.example 93.184.215.99"
	n := with(t, w, restricted(t, rules, "bad.example"))
	g := boot(t, w, n)
	request := func(host string) string { return "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n" }
	for name, c := range map[string]struct {
		host  string // a name, or an address
		port  int
		first string
		ok    bool
	}{
		"Host is right":           {"good.example", 80, request("Good.Example"), true},
		"Host with port":          {"good.example", 80, request("good.example:80"), true},
		"Host lies":               {"good.example", 80, request("evil.example"), false},
		"Host is another allowed": {"good.example", 80, request("other.example"), false},
		"Host is an address":      {"good.example", 80, request("10.0.0.1"), false},
		"two Hosts":               {"good.example", 80, "GET / HTTP/1.1\r\nHost: good.example\r\nHost: evil.example\r\n\r\n", false},
		"not HTTP":                {"good.example", 80, "SSH-2.0-x\r\n", false},
		"not TLS":                 {"good.example", 443, "SSH-2.0-x\r\n", false},
		"HTTP where TLS is":       {"good.example", 443, request("good.example"), false},
		"address as Host":         {"93.184.215.99", 80, request("93.184.215.99"), true},
		"address, allowed Host":   {"93.184.215.99", 80, request("other.example"), true},
		"address, denied Host":    {"93.184.215.99", 80, request("bad.example"), false},
		"address, unknown Host":   {"93.184.215.99", 80, request("evil.example"), false},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := netip.ParseAddr(c.host)
			if err != nil {
				a, _ = g.lookup(c.host)
			}
			conn, err := g.dialAddr(a, c.port)
			if err != nil {
				t.Fatal(err)
			}
			if c.ok {
				defer conn.Close()
				if err := says(conn, c.first); err != nil {
					t.Error(err)
				}
				return
			}
			io.WriteString(conn, c.first)
			if err := refused(conn, nil); err != nil {
				t.Error(err)
			}
		})
	}
	for name, c := range map[string]struct {
		host, sni string
		ok        bool
	}{
		"name is right":           {"good.example", "good.example", true},
		"name lies":               {"good.example", "evil.example", false},
		"name is another allowed": {"good.example", "other.example", false},
		"no name":                 {"good.example", "", false},
		"address, no name":        {"93.184.215.99", "", true},
		"address, allowed name":   {"93.184.215.99", "other.example", true},
		"address, unknown name":   {"93.184.215.99", "evil.example", false},
	} {
		t.Run("TLS: "+name, func(t *testing.T) {
			a, err := netip.ParseAddr(c.host)
			if err != nil {
				a, _ = g.lookup(c.host)
			}
			conn, err := g.dialAddr(a, 443)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			// The server says the hello back, which no client takes for an answer.
			err = greetTLS(conn, c.sni)
			if passed := err != nil && strings.Contains(err.Error(), "unexpected"); passed != c.ok {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAllPolicyLooksAtFirstBytesForRulesThatDenyOnly(t *testing.T) {
	w := newWorld(t)
	w.serve("any.example", "93.184.215.14", 80, echo)
	c := Config{Policy: vmhost.NetworkAllow, Rules: mustRules(t, "", "bad.example")}
	g := boot(t, w, with(t, w, c))
	for first, ok := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: any.example\r\n\r\n": true, "GET / HTTP/1.1\r\nHost: www.any.example\r\n\r\n": true,
		"anything\r\n\r\n": true, "GET / HTTP/1.1\r\nHost: bad.example\r\n\r\n": false,
	} {
		conn, err := g.dial("any.example", 80)
		if err != nil {
			t.Fatal(err)
		}
		if err := says(conn, first); (err == nil) != ok {
			t.Errorf("%q: %v", first, err)
		}
		conn.Close()
	}
}

func TestHalfCloseAndBulk(t *testing.T) {
	w := newWorld(t)
	size := int64(tier.Pick(24, 8, 24) << 20)
	w.serve("good.example", "93.184.215.14", 7777, func(c net.Conn) {
		h := sha256.New() // all of it, then its sum, then as much again
		io.Copy(h, c)
		c.Write(h.Sum(nil))
		io.Copy(c, io.LimitReader(rand.NewChaCha8([32]byte{1}), size))
	})
	n := with(t, w, restricted(t, "good.example:7777", ""))
	g := boot(t, w, n)
	c, err := g.dial("good.example", 7777)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	start := time.Now()
	h := sha256.New()
	if _, err := io.Copy(c, io.TeeReader(io.LimitReader(rand.NewChaCha8([32]byte{2}), size), h)); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	sum := make([]byte, 32)
	if _, err := io.ReadFull(c, sum); err != nil || !bytes.Equal(sum, h.Sum(nil)) {
		t.Fatalf("%x, %v; want %x", sum, err, h.Sum(nil))
	}
	got, want := sha256.New(), sha256.New()
	io.Copy(want, io.LimitReader(rand.NewChaCha8([32]byte{1}), size))
	if k, err := io.Copy(got, c); err != nil || k != size || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Fatalf("%d bytes, %v", k, err)
	}
	t.Logf("%d MiB both ways in %v", size>>20, time.Since(start))
	c.Close()
	n.Close()
	if got := n.Traffic(); len(got) != 1 || got[0] != (traffic.Total{Host: "good.example", Port: 7777, Out: size, In: 32 + size, Times: 1}) {
		t.Errorf("counted %+v", got)
	}
}

func TestNextAddressIsTried(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	w.names["good.example"] = []netip.Addr{netip.MustParseAddr("2606:2800:21f::1"), netip.MustParseAddr("10.0.0.5"),
		netip.MustParseAddr("93.184.215.13"), netip.MustParseAddr("93.184.215.14")}
	g := boot(t, w, with(t, w, restricted(t, "good.example:7777", "")))
	c, err := g.dial("good.example", 7777)
	if err != nil || says(c, "hello") != nil {
		t.Error(err)
	}
	if want := "[2606:2800:21f::1]:7777 93.184.215.13:7777 93.184.215.14:7777"; strings.Join(w.dialled, " ") != want {
		t.Errorf("dialled %v", w.dialled)
	}
}

func TestUpstreamReset(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, func(c net.Conn) {
		c.Read(make([]byte, 1))
		c.(*net.TCPConn).SetLinger(0)
	})
	g := boot(t, w, with(t, w, restricted(t, "good.example:7777", "")))
	c, err := g.dial("good.example", 7777)
	if err != nil {
		t.Fatal(err)
	}
	c.Write([]byte("x"))
	if err := refused(c, nil); err != nil {
		t.Error(err)
	}
}

// told is what n told of.
func told(n *Network) []Event {
	n.tell.mu.Lock()
	defer n.tell.mu.Unlock()
	return slices.Collect(maps.Keys(n.tell.told))
}

func TestFailuresAreTold(t *testing.T) {
	w := newWorld(t)
	w.names["gone.example"] = nil
	w.serve("good.example", "93.184.215.14", 7777, echo)
	events := make(chan Event, 100)
	c := restricted(t, "good.example:* gone.example:*", "bad.example:22 never.example")
	c.OnEvent = func(e Event) { events <- e }
	g := boot(t, w, with(t, w, c))
	for _, c := range []struct {
		host   string
		port   int
		kind   EventKind
		reason string
	}{
		{"good.example", 1, Failed, ReasonUnreachable},
		{"gone.example", 80, Failed, ReasonUnreachable},
		{"bad.example", 22, Refused, "rule"},
		{"unknown.example", 443, Refused, ReasonNoAnswer},
		{"mail.example", 25, Refused, "mail-port"},
		{"10.0.0.1", 80, Refused, "private-address"},
		{"198.18.0.1", 80, Refused, ReasonGateway},
		{"198.19.77.7", 80, Refused, ReasonUnresolved},
	} {
		a, err := netip.ParseAddr(c.host)
		if err != nil {
			a, _ = g.lookup(c.host)
		}
		for range 2 { // told once
			conn, err := g.dialAddr(a, c.port)
			if err := refused(conn, err); err != nil {
				t.Errorf("%s: %v", c.host, err)
			}
		}
		e := <-events
		if e.Host != c.host || int(e.Port) != c.port || e.Kind != c.kind || e.Reason != c.reason {
			t.Errorf("%s: told %+v", c.host, e)
		}
	}
	for range 2 {
		g.lookup("never.example")
	}
	if e := <-events; e.Kind != Refused || e.Host != "never.example" || e.Port != 0 || e.Reason != "rule" {
		t.Errorf("told %+v", e)
	}
	if len(events) > 0 {
		t.Errorf("told twice: %+v", <-events)
	}
}

func TestServeEnds(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	config := restricted(t, "good.example:*", "")
	t.Run("with its connection", func(t *testing.T) {
		g := boot(t, w, with(t, w, config))
		c, err := g.dial("good.example", 7777)
		if err != nil || says(c, "hello") != nil {
			t.Fatal(err)
		}
		g.conn.Close()
		if err := <-g.ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("with Close", func(t *testing.T) {
		n := with(t, w, config)
		g := boot(t, w, n)
		g.lookup("good.example")
		n.Close()
		if err := <-g.ended; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := n.Serve(context.Background(), g.conn); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
	t.Run("and another machine comes", func(t *testing.T) {
		n := with(t, w, config)
		g := boot(t, w, n)
		before, _ := g.lookup("good.example")
		one, other := net.Pipe()
		defer other.Close()
		if err := n.Serve(context.Background(), one); !errors.Is(err, ErrServing) {
			t.Error(err)
		}
		g.conn.Close()
		<-g.ended
		g = boot(t, w, n)
		if after, _ := g.lookup("good.example"); after != before {
			t.Errorf("the name moved from %v to %v", before, after)
		}
		c, err := g.dialAddr(before, 7777)
		if err != nil || says(c, "hello") != nil {
			t.Error(err)
		}
	})
	t.Run("with its context", func(t *testing.T) {
		n := with(t, w, config)
		ctx, cancel := context.WithCancelCause(context.Background())
		one, other := net.Pipe()
		defer other.Close()
		ended := make(chan error)
		go func() { ended <- n.Serve(ctx, one) }()
		why := errors.New("enough")
		cancel(why)
		if err := <-ended; !errors.Is(err, why) {
			t.Error(err)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{{Policy: "open"}, {MTU: 100}, {MTU: 70000}} {
		if n, err := New(c); err == nil {
			n.Close()
			t.Errorf("%+v", c)
		}
	}
}
