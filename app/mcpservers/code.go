package mcpservers

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// guardedCode sends the code of a sign-in, and PKCE's proof of whose it is, only to the service that
// the person signed in to. A server that describes the sign-in itself can name another service's
// page to sign in at, and its own place for tokens: it would get a code of that service, and use it
// there (a mix-up, RFC 9700, section 4.4). That the person agreed to both hosts does not help: one
// is the server that they added.
type guardedCode struct {
	*announced
	at atomic.Pointer[url.URL] // where the person signs in
}

// RoundTrip implements http.RoundTripper.
func (g *guardedCode) RoundTrip(r *http.Request) (*http.Response, error) {
	// In a sign-in only the request for a token is a form: registrations and messages are JSON.
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		if err := g.takes(g.at.Load(), r.URL); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	return g.announced.RoundTrip(r)
}

// leads notes where the person is about to sign in. It returns an error where the code would go to
// somebody else afterwards, so that nobody signs in for nothing; and where something is asked for
// twice (RFC 6749, section 3.1): an address that comes with a program or a resource of its own would
// hide those that piwork adds.
func (g *guardedCode) leads(at *url.URL) error {
	q, err := url.ParseQuery(at.RawQuery)
	if err != nil {
		return err
	}
	for name, values := range q {
		if len(values) > 1 {
			return fmt.Errorf("the address to sign in at has %s twice", strconv.QuoteToASCII(cut(name, 64)))
		}
	}
	g.at.Store(at)
	for _, d := range g.descriptions() {
		token, err := url.Parse(d.token)
		if err != nil || d.login == "" || !strings.HasPrefix(at.String(), d.login) {
			continue
		}
		if err := g.takes(at, token); err != nil {
			return err
		}
	}
	return nil
}

// takes returns an error for a place of tokens that is neither of the site where the person signs in,
// nor named by that site: accounts.google.com names oauth2.googleapis.com.
func (g *guardedCode) takes(at, token *url.URL) error {
	if at == nil {
		return fmt.Errorf("%s is sent what signs in before anybody signed in", originOf(token))
	}
	if sameSite(at, token) {
		return nil
	}
	for _, d := range g.descriptions() {
		named, err := url.Parse(d.token)
		if err == nil && sameSite(d.from, at) && named.Scheme == token.Scheme && originOf(named) == originOf(token) {
			return nil
		}
	}
	return fmt.Errorf("one signs in at %s, and %s would get what comes of it", originOf(at), originOf(token))
}

// sameSite reports whether two addresses belong to one party, as browsers have it: login.example.com
// and api.example.com do, and those of two customers of a hoster (one.github.io) do not.
func sameSite(a, b *url.URL) bool {
	if a.Scheme != b.Scheme {
		return false
	}
	if originOf(a) == originOf(b) {
		return true
	}
	one := siteOf(a)
	return one != "" && one == siteOf(b)
}

// siteOf is what somebody registered of a host; "" where that cannot be told, as of an IP address.
func siteOf(u *url.URL) string {
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ""
	}
	name, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return ""
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return ""
	}
	return site
}
