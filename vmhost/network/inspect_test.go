package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/network/scrub"
)

const (
	named       = "example.com" // what the certificate of httptest is for
	namedAt     = "93.184.216.34"
	tokenOfSite = "ghp_0123456789abcdef"
)

// inspected is a configuration that answers for named, in front of a server of the world.
func inspected(t *testing.T, w *world, p vmhost.NetworkPolicy, rules []policy.Rule) (Config, func() []inspect.Request) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Method+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	forward := func(c net.Conn) {
		up, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		defer up.Close()
		go func() { io.Copy(up, c); up.Close() }()
		io.Copy(c, up)
	}
	w.serve(named, namedAt, 443, forward)
	w.serve("", namedAt, 80, echo)
	w.serve("other.example.com", "93.184.216.35", 443, forward)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	allowed, err := inspect.ParseRules([]string{"allow GET /repos/**"})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []inspect.Request
	return Config{Task: "task", Policy: p, Rules: rules, Inspect: &inspect.Config{
			Roots: roots,
			Sites: []inspect.Site{{Service: "hub", Host: named, Rules: allowed, Credential: func() (inspect.Credential, bool) {
				return inspect.Credential{Header: "Authorization", Value: "Bearer " + tokenOfSite, Scrub: scrub.New(tokenOfSite)}, true
			}}},
			OnRequest: func(r inspect.Request) { mu.Lock(); all = append(all, r); mu.Unlock() },
		}}, func() []inspect.Request {
			mu.Lock()
			defer mu.Unlock()
			return all
		}
}

// fetch is a GET of the guest over a connection of its own, with the roots that it trusts.
func (g *guest) fetch(name, path string, roots *x509.CertPool) (status int, body string, err error) {
	tr := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return g.dial(name, 443)
	}}
	r, err := (&http.Client{Transport: tr, Timeout: 20 * time.Second}).Get("https://" + name + path)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), err
}

func TestRequestsToANamedHostAreJudged(t *testing.T) {
	w := newWorld(t)
	c, recorded := inspected(t, w, vmhost.NetworkRestricted, mustRules(t, named+":443 other.example.com", ""))
	n := with(t, w, c)
	g := boot(t, w, n)
	task := x509.NewCertPool()
	if !task.AppendCertsFromPEM(n.Guest().Authority) {
		t.Fatal("the guest gets no authority")
	}
	status, body, err := g.fetch(named, "/repos/a?q=1", task)
	if err != nil || status != 200 || body != "GET /repos/a?q=1 Bearer "+strings.Repeat("*", len(tokenOfSite)) {
		t.Errorf("allowed: %d, %q, %v", status, body, err)
	}
	if status, _, err = g.fetch(named, "/user", task); err != nil || status != http.StatusForbidden {
		t.Errorf("not allowed: %d, %v", status, err)
	}
	// Another host is end to end: it shows its own certificate.
	if _, _, err := g.fetch("other.example.com", "/", task); err == nil {
		t.Error("the authority answers for another host")
	}
	if status, body, err = g.fetch("other.example.com", "/x", c.Inspect.Roots); err != nil || strings.Contains(body, "Bearer") || status != 200 {
		t.Errorf("another host: %d, %q, %v", status, body, err)
	}
	waitFor(t, "records", func() bool { return len(recorded()) == 2 })
	if r := recorded()[0]; r.Path != "/repos/a" || r.Status != 200 || !r.Allowed || r.Service != "hub" {
		t.Errorf("recorded %+v", r)
	}
	if r := recorded()[1]; r.Path != "/user" || r.Allowed || r.Reason != inspect.ReasonNoRule {
		t.Errorf("recorded %+v", r)
	}
	out := int64(0)
	waitFor(t, "traffic", func() bool {
		for _, total := range n.Traffic() {
			if total.Host == named {
				out += total.Out
			}
		}
		return out > 0
	})
}

func TestThereIsNoWayAroundTheRulesOfANamedHost(t *testing.T) {
	for _, p := range []vmhost.NetworkPolicy{vmhost.NetworkRestricted, vmhost.NetworkAllow} {
		t.Run(string(p), func(t *testing.T) {
			w := newWorld(t)
			w.serve("mine.example", namedAt, 443, echo)
			w.serve("mine.example", namedAt, 80, echo)
			c, _ := inspected(t, w, p, mustRules(t, named+" mine.example "+namedAt, ""))
			g := boot(t, w, with(t, w, c))
			if conn, err := g.dial(named, 80); refused(conn, err) != nil {
				t.Errorf("in plain text: %v", refused(conn, err))
			}
			// By its address, or by another name of it, it cannot be named in the handshake.
			for _, name := range []string{"mine.example", ""} {
				conn, err := g.dial(name, 443)
				if name == "" {
					conn, err = g.dialAddr(netip.MustParseAddr(namedAt), 443)
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := greetTLS(conn, named); err == nil {
					t.Errorf("by %q it is reached", name)
				}
				conn.Close()
			}
			// Nor in plain text, where nobody judges what is asked.
			for _, name := range []string{"mine.example", ""} {
				conn, err := g.dial(name, 80)
				if name == "" {
					conn, err = g.dialAddr(netip.MustParseAddr(namedAt), 80)
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(conn, "DELETE /repos/a HTTP/1.1\r\nHost: "+named+"\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				if err := refused(conn, nil); err != nil {
					t.Errorf("by %q in plain text: %v", name, err)
				}
			}
			// What is at the address for others is still reached.
			conn, err := g.dial("mine.example", 80)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: mine.example\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Errorf("another name of the address: %v", err)
			}
		})
	}
}

func TestANamedHostStillHasToBeAllowed(t *testing.T) {
	w := newWorld(t)
	c, _ := inspected(t, w, vmhost.NetworkRestricted, mustRules(t, "", named))
	n := with(t, w, c)
	g := boot(t, w, n)
	if conn, err := g.dial(named, 443); err == nil {
		conn.Close()
		t.Error("a denied host is answered for")
	}
	n.SetRules(mustRules(t, named+":443", ""))
	conn, err := g.dial(named, 443)
	if err != nil {
		t.Fatal(err)
	}
	task := x509.NewCertPool()
	task.AppendCertsFromPEM(n.Guest().Authority)
	guest := tls.Client(conn, &tls.Config{ServerName: named, RootCAs: task})
	if err := guest.Handshake(); err != nil {
		t.Fatal(err)
	}
	n.SetRules(mustRules(t, "", named))
	guest.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := guest.Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("the connection goes on: %v", err)
	}
	// A private address behind the name stays refused.
	w.serve(named, "192.168.1.1", 443, echo)
	n.SetRules(mustRules(t, named+":443", ""))
	n.up.mu.Lock()
	clear(n.up.cache)
	n.up.mu.Unlock()
	if status, _, err := g.fetch(named, "/repos/a", task); err != nil || status != http.StatusBadGateway || w.hasDialled("192.168") {
		t.Errorf("a private address: %d, %v", status, err)
	}
}
