package mcpservers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/idna"

	"piwork/vmhost/network/policy"
)

// Outlet is a way to the internet, which reaches public addresses and those that it was made
// for (vmhost/network).
type Outlet interface {
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	Close() error
}

// checkAddress is the address of a remote server: https, or http to this computer itself.
func checkAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, errors.New("it is no address of a server")
	case u.User != nil:
		return nil, errors.New("an address has no place for a password: use a header")
	case u.Fragment != "":
		return nil, errors.New("it has a fragment")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u):
		return u, nil
	}
	return nil, errors.New("a server is reached with https")
}

// loopback reports whether an address is one of this computer itself, in figures: what a name
// leads to is not the person's choice.
func loopback(u *url.URL) bool {
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && a.IsLoopback()
}

// originOf is where an address leads, as a person reads it: international names as they are on the
// wire, since some look like others.
func originOf(u *url.URL) string {
	host, port := u.Hostname(), u.Port()
	if name, err := idna.Lookup.ToASCII(host); err == nil {
		host = name
	} else {
		host = strings.Trim(strconv.QuoteToASCII(host), `"`)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return host
	}
	return host + ":" + port
}

// hostError is a host that a server wants to be asked, and to which the person did not agree.
type hostError struct{ host string }

func (e *hostError) Error() string { return "the server leads to " + e.host }

// guarded sends requests to the origin of a server, and to those that the person agreed to. No
// other is asked, whoever names it: the server, what it redirects to, or its sign-in.
type guarded struct {
	base    http.RoundTripper
	server  *url.URL
	hosts   []string          // origins besides
	headers map[string]string // for the server alone
	refused atomic.Pointer[hostError]
}

// RoundTrip implements http.RoundTripper.
func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.allows(r.URL); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	if r.URL.Scheme == g.server.Scheme && originOf(r.URL) == originOf(g.server) && len(g.headers) > 0 {
		r = r.Clone(r.Context())
		for name, value := range g.headers {
			r.Header.Set(name, value)
		}
	}
	a, err := g.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	most := int64(maxLine)
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
		most = maxOutput // of which no event is longer than maxLine
	}
	a.Body = &bounded{a.Body, most}
	return a, nil
}

// allows returns an error for an address that may not be asked.
func (g *guarded) allows(u *url.URL) error {
	host := originOf(u)
	switch {
	case u.Scheme == g.server.Scheme && host == originOf(g.server):
		return nil
	case !slices.Contains(g.hosts, host):
		err := &hostError{host}
		g.refused.CompareAndSwap(nil, err)
		return err
	case u.Scheme == "https", u.Scheme == "http" && loopback(u):
		return nil
	}
	return fmt.Errorf("%s is not reached with https", host)
}

// agreed is allows for what is not for the server by itself: the person has to have agreed to its
// host, too.
func (g *guarded) agreed(u *url.URL) error {
	if host := originOf(u); !slices.Contains(g.hosts, host) {
		err := &hostError{host}
		g.refused.CompareAndSwap(nil, err)
		return err
	}
	return g.allows(u)
}

// why is what hindered a conversation, before what followed from it.
func (g *guarded) why(err error) error {
	if refused := g.refused.Load(); refused != nil {
		return refused
	}
	return err
}

// client is what requests of a server are sent with. close ends all of them.
func (s *Servers) client(v Server, hosts []string, p Program, headers map[string]string) (c *http.Client, g *guarded, done func(), err error) {
	at, err := checkAddress(v.URL)
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := s.o.Outlet(p, named(at, hosts))
	if err != nil {
		return nil, nil, nil, err
	}
	t := &http.Transport{
		DialContext: out.Dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialWithin, ResponseHeaderTimeout: callWithin,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: 2, IdleConnTimeout: dialWithin,
	}
	g = &guarded{base: t, server: at, hosts: hosts, headers: headers}
	c = &http.Client{Transport: g, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 {
			return errors.New("the server redirects again and again")
		}
		if at := via[0].URL; r.URL.Scheme != at.Scheme || originOf(r.URL) != originOf(at) {
			return fmt.Errorf("the server leads from %s to %s", originOf(at), originOf(r.URL)) // agreed to or not: what it is sent is for the first
		}
		return nil
	}}
	return c, g, func() {
		t.CloseIdleConnections()
		if err := out.Close(); err != nil {
			s.o.Log.Warn("the way to an MCP server did not end well", "server", v.Name, "error", err)
		}
	}, nil
}

// named are rules for addresses in figures that the person wrote or agreed to: only these may be
// private.
func named(at *url.URL, hosts []string) (out []policy.Rule) {
	for _, host := range append([]string{at.Host}, hosts...) {
		if at.Scheme == "https" && !strings.Contains(host, ":") {
			host += ":443"
		}
		if p, err := policy.ParsePattern(host); err == nil {
			out = append(out, policy.Rule{Allow: true, Pattern: p})
		}
	}
	return out
}

// longWord is how long a part of the path of an address is that may be a key.
const longWord = 16

// hiddenOf is what is secret of a remote server: the values of its headers, and what of its address
// is as good as a key, as services hand them out.
func hiddenOf(v Server, headers map[string]string) *secrets {
	out := newSecrets(headers)
	u, err := url.Parse(v.URL)
	if err != nil {
		return out
	}
	out.add(u.RawQuery)
	for _, values := range u.Query() {
		out.add(values...)
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) >= longWord {
			out.add(part)
		}
	}
	return out
}

// openRemote greets a remote server. life ends the conversation at the latest.
func (s *Servers) openRemote(ctx, life context.Context, v Server, p Program) (*session, error) {
	p.Server = v.Name
	headers, err := s.env(ctx, v)
	if err != nil {
		return nil, err
	}
	c, g, done, err := s.client(v, v.Hosts, p, headers)
	if err != nil {
		return nil, err
	}
	hidden := hiddenOf(v, headers)
	signed, err := s.signedIn(ctx, v, c, hidden)
	if err != nil {
		done()
		return nil, err
	}
	out, err := s.talk(ctx, life, v, c, signed, hidden, done)
	if err != nil {
		return nil, g.why(err)
	}
	return out, nil
}

// talk greets a remote server over c.
func (s *Servers) talk(ctx, life context.Context, v Server, c *http.Client, h auth.OAuthHandler, hidden *secrets, done func()) (*session, error) {
	t := &mcp.StreamableClientTransport{Endpoint: v.URL, HTTPClient: c, MaxRetries: -1, DisableStandaloneSSE: true, OAuthHandler: h, MaxEventSize: maxLine}
	out, err := connect(ctx, t, hidden, true, func() string { return "" }, done)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(life, out.end)
	return out, nil
}
