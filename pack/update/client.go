package update

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"piwork/pack/update/proxy"
)

// Defaults of [Options].
const (
	defaultParallel = 4
	defaultStall    = 30 * time.Second
	defaultAttempts = 8
)

// Bounds on connections.
const (
	dialTimeout    = 15 * time.Second // for one address
	tlsTimeout     = 15 * time.Second
	idleTimeout    = 60 * time.Second
	maxHeaderBytes = 64 << 10
	maxRedirects   = 5
	proxyLifetime  = time.Minute // then the settings are looked at again: people carry their computers about
	maxCAFile      = 4 << 20
)

// Options of [New]; the zero value is valid, and has no mirror.
type Options struct {
	Mirrors  []string      // base addresses, best first: https://…, http://…, or file:///… for a directory
	Version  string        // of this program, for User-Agent
	Proxy    string        // "" follows environment and system, proxy.Direct has none, else its address
	CAFiles  []string      // PEM or DER files of authorities that are trusted besides those of the system
	Parallel int           // requests at a time for one archive; 0 is 4
	Stall    time.Duration // without (nearly) any data before a request is given up; 0 is 30 s
	Attempts int           // failures in a row before a mirror is given up; 0 is 8
	Log      *slog.Logger  // nil is silent

	dial      func(ctx context.Context, network, addr string) (net.Conn, error) // for tests
	connected func() bool                                                       // for tests
}

// Client fetches from the mirrors of one channel. It may be used from several
// goroutines. Close it in the end.
type Client struct {
	o         Options
	agent     string
	log       *slog.Logger
	http      *http.Client
	transport *http.Transport
	mirrors   []*mirror

	mu      sync.Mutex
	proxy   proxy.Settings
	choose  func(*url.URL) (*url.URL, error)
	proxyAt time.Time // when proxy was found out
}

// New makes a client. It connects nowhere. Errors are [Error]s: of
// [CodeBadAddress] and [CodeBadCA].
func New(o Options) (*Client, error) {
	o.Version = cmp.Or(o.Version, "0")
	o.Parallel = cmp.Or(max(o.Parallel, 0), defaultParallel)
	o.Stall = cmp.Or(max(o.Stall, 0), defaultStall)
	o.Attempts = cmp.Or(max(o.Attempts, 0), defaultAttempts)
	c := &Client{o: o, agent: "piwork/" + o.Version, log: o.Log}
	c.log = cmp.Or(c.log, slog.New(slog.DiscardHandler))
	if _, _, err := proxy.FromSetting(o.Proxy); err != nil {
		return nil, &Error{Code: CodeBadAddress, Err: err, lasting: true}
	}
	for _, base := range o.Mirrors {
		m, err := newMirror(base)
		if err != nil {
			return nil, err
		}
		c.mirrors = append(c.mirrors, m)
	}
	roots, err := authorities(o.CAFiles)
	if err != nil {
		return nil, err
	}
	if o.dial == nil {
		o.dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext
	}
	if c.o.connected == nil {
		c.o.connected = connected
	}
	c.transport = &http.Transport{
		Proxy:                  c.chooseProxy,
		OnProxyConnectResponse: connectAnswer,
		DialContext:            o.dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    o.Parallel,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // lengths and ranges are about what is on the server
		Protocols:              new(http.Protocols),
	}
	// Requests side by side are of use on connections of their own.
	c.transport.Protocols.SetHTTP1(true)
	c.http = &http.Client{Transport: c.transport, CheckRedirect: checkRedirect}
	return c, nil
}

// Close ends idle connections. Calls that are under way end by their contexts.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// settings finds out the proxy, at most once a minute.
func (c *Client) settings(ctx context.Context) (proxy.Settings, func(*url.URL) (*url.URL, error), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.choose != nil && time.Since(c.proxyAt) < proxyLifetime {
		return c.proxy, c.choose, nil
	}
	s, err := proxy.Find(ctx, c.o.Proxy)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return s, nil, ctx.Err()
	case errors.Is(err, proxy.ErrUnknown):
		c.log.Warn("trying without a proxy", "error", err)
	default:
		return s, nil, &Error{Code: CodeBadAddress, Err: err, lasting: true}
	}
	if c.choose == nil || c.proxy.String() != s.String() {
		c.log.Info("proxy", "settings", s.String())
		if s.PAC != "" && !s.Any() {
			c.log.Warn("a proxy script is set, which is not supported: trying without a proxy", "settings", s.String())
		}
	}
	c.proxy, c.choose, c.proxyAt = s, s.Func(), time.Now()
	return c.proxy, c.choose, nil
}

// chooseProxy is http.Transport.Proxy.
func (c *Client) chooseProxy(r *http.Request) (*url.URL, error) {
	return c.proxyFor(r.Context(), r.URL)
}

func (c *Client) proxyFor(ctx context.Context, u *url.URL) (*url.URL, error) {
	_, choose, err := c.settings(ctx)
	if err != nil {
		return nil, err
	}
	return choose(u)
}

// checkRedirect follows a few steps, and never to an unprotected place.
func checkRedirect(r *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	switch {
	case len(via) > maxRedirects:
		return &Error{Code: CodeRedirect, Err: fmt.Errorf("more than %d times", maxRedirects), lasting: true}
	case r.URL.Scheme != "http" && r.URL.Scheme != "https":
		return &Error{Code: CodeRedirect, Err: fmt.Errorf("from %s to a place of kind %q", from.Host, r.URL.Scheme), lasting: true}
	case from.Scheme == "https" && r.URL.Scheme != "https":
		return &Error{Code: CodeRedirect, Err: fmt.Errorf("from https://%s to http://%s", from.Host, r.URL.Host), lasting: true}
	}
	r.Header.Del("Referer") // nobody needs to know where we come from
	return nil
}

// authorities are those of the system and of files; nil without files.
func authorities(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, name := range files {
		bad := func(err error) error { return &Error{Code: CodeBadCA, Err: err, lasting: true} }
		if info, err := os.Stat(name); err != nil {
			return nil, bad(err)
		} else if info.Size() > maxCAFile {
			return nil, bad(fmt.Errorf("%s: %d bytes, more than %d", name, info.Size(), maxCAFile))
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, bad(err)
		}
		if pool.AppendCertsFromPEM(data) {
			continue
		}
		certs, err := x509.ParseCertificates(data) // DER, as Windows exports it
		if err != nil || len(certs) == 0 {
			return nil, bad(fmt.Errorf("%s: no certificate, neither PEM nor DER", name))
		}
		for _, c := range certs {
			pool.AddCert(c)
		}
	}
	return pool, nil
}

// errDone ends what a call started and needs no longer.
var errDone = errors.New("done")
