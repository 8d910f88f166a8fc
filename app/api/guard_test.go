package api_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
)

var pages = fstest.MapFS{
	"index.html":    {Data: []byte("<!doctype html>")},
	"assets/app.js": {Data: []byte("1")},
	".secret":       {Data: []byte("x")},
}

// Who may use the API on loopback: attacks, and the few that are none.
func TestGuard(t *testing.T) {
	const token = "the-token"
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	h, err := a.Guarded(api.Guard{Token: token, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, Pages: pages})
	if err != nil {
		t.Fatal(err)
	}
	const host, bearer = "127.0.0.1:4711", "Bearer " + token
	for _, tt := range []struct {
		name, method, path string
		header             []string
		status             int
	}{
		{"with the token", "GET", "/v1/tasks", []string{"Host", host, "Authorization", bearer}, 200},
		{"by name", "GET", "/v1/tasks", []string{"Host", "localhost:4711", "Authorization", bearer}, 200},
		{"own page", "GET", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Origin", "http://" + host, "Sec-Fetch-Site", "same-origin"}, 200},
		{"health needs none", "GET", "/_health", []string{"Host", host}, 200},
		{"page", "GET", "/", []string{"Host", host, "Sec-Fetch-Site", "none"}, 200},
		{"page's file", "GET", "/assets/app.js", []string{"Host", host}, 200},

		{"without a token", "GET", "/v1/tasks", []string{"Host", host}, 401},
		{"document without a token", "GET", "/openapi.yaml", []string{"Host", host}, 401},
		{"manifest without a token", "GET", "/_manifest", []string{"Host", host}, 401},
		{"wrong token", "GET", "/v1/tasks", []string{"Host", host, "Authorization", "Bearer the-tokem"}, 401},
		{"start of the token", "GET", "/v1/tasks", []string{"Host", host, "Authorization", "Bearer the-toke"}, 401},
		{"empty token", "GET", "/v1/tasks", []string{"Host", host, "Authorization", "Bearer "}, 401},
		{"other scheme", "GET", "/v1/tasks", []string{"Host", host, "Authorization", "Basic " + token}, 401},
		{"token in the address", "GET", "/v1/tasks?access_token=" + token, []string{"Host", host}, 401},
		{"the path in other words", "GET", "/./api/tasks", []string{"Host", host}, 404},
		{"double slash", "GET", "//v1/tasks", []string{"Host", host}, 404},
		{"DNS rebinding", "GET", "/v1/tasks", []string{"Host", "evil.example:4711", "Authorization", bearer}, 403},
		{"other port", "GET", "/v1/tasks", []string{"Host", "127.0.0.1:80", "Authorization", bearer}, 403},
		{"host without port", "GET", "/v1/tasks", []string{"Host", "127.0.0.1", "Authorization", bearer}, 403},
		{"rebinding to health", "GET", "/_health", []string{"Host", "evil.example"}, 403},
		{"foreign origin", "POST", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Origin", "http://evil.example"}, 403},
		{"opaque origin", "POST", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Origin", "null"}, 403},
		{"other local server", "POST", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Origin", "http://127.0.0.1:3000"}, 403},
		{"two origins", "GET", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Origin", "http://" + host, "Origin", "http://evil.example"}, 403},
		{"other site", "GET", "/v1/tasks", []string{"Host", host, "Authorization", bearer, "Sec-Fetch-Site", "cross-site"}, 403},
		{"same site, other port", "GET", "/", []string{"Host", host, "Sec-Fetch-Site", "same-site"}, 403},
		{"preflight", "OPTIONS", "/v1/tasks", []string{"Host", host, "Origin", "http://evil.example", "Access-Control-Request-Method", "POST"}, 403},
		{"list of a directory", "GET", "/assets/", []string{"Host", host}, 404},
		{"out of the pages", "GET", "/../etc/passwd", []string{"Host", host}, 404},
		{"write to a page", "POST", "/", []string{"Host", host}, 405},
		{"another version of the API", "GET", "/v2/tasks", []string{"Host", host}, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := ask(t, h, tt.method, tt.path, "", tt.header...)
			if res.StatusCode != tt.status {
				t.Errorf("got %d %s, want %d", res.StatusCode, res.raw, tt.status)
			}
			if got := res.Header.Get("Content-Type"); tt.status >= 400 && (got != "application/problem+json" || res.body["status"] != float64(tt.status)) {
				t.Errorf("no problem: %q %s", got, res.raw)
			}
			if res.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Error("another origin is allowed")
			}
			if res.Header.Get("X-Request-Id") == "" {
				t.Error("no request id")
			}
		})
	}
}

// The metrics are there beside the pages, for who may have them.
func TestMetricsBesidePages(t *testing.T) {
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{Pages: pages})
	if res := ask(t, a.Handler(), "GET", "/metrics", ""); res.StatusCode != 200 {
		t.Errorf("on the socket: %d %s", res.StatusCode, res.raw)
	}
	h, err := a.Guarded(api.Guard{Token: "t", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, Pages: pages})
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]int{"t": 200, "x": 401} {
		if res := ask(t, h, "GET", "/metrics", "", "Host", "127.0.0.1:4711", "Authorization", "Bearer "+token); res.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", token, res.StatusCode, res.raw, want)
		}
	}
}

// The pages say what they may do, and are never answered by a 304.
func TestPageHeaders(t *testing.T) {
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	h, err := a.Guarded(api.Guard{Token: "t", Addr: &net.TCPAddr{IP: net.IPv6loopback, Port: 1}, Pages: pages})
	if err != nil {
		t.Fatal(err)
	}
	res := ask(t, h, "GET", "/", "", "Host", "[::1]:1", "If-Modified-Since", "Sat, 01 Jan 2999 00:00:00 GMT")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, res.raw)
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, directive := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"} {
		if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, directive) {
			t.Errorf("the policy lacks %q: %s", directive, got)
		}
	}
}

// It is not served to a network, and not without a token.
func TestGuardRefuses(t *testing.T) {
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	for _, ip := range []net.IP{nil, net.IPv4zero, net.IPv6zero, net.IPv4(192, 168, 0, 1)} {
		if _, err := a.Guarded(api.Guard{Token: "t", Addr: &net.TCPAddr{IP: ip}}); !errors.Is(err, api.ErrNotLoopback) {
			t.Errorf("%v: %v", ip, err)
		}
	}
	if _, err := a.Guarded(api.Guard{Addr: &net.TCPAddr{IP: net.IPv6loopback}}); err == nil {
		t.Error("no token is needed")
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0"} {
		if ln, err := api.ListenLoopback(addr); !errors.Is(err, api.ErrNotLoopback) {
			t.Errorf("%s: %v %v", addr, ln, err)
		}
	}
	if x, y := access.NewSecret(), access.NewSecret(); x == y || len(x) < 40 {
		t.Errorf("tokens %q and %q", x, y)
	}
}

// On a network there are programs with a token, and neither a token of the person nor a page.
func TestOnlyOnANetwork(t *testing.T) {
	names := func(string) error { return nil }
	others := func(*http.Request, string) http.Handler { return nil }
	far := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}
	for name, tt := range map[string]struct {
		guard  api.Guard
		others func(*http.Request, string) http.Handler
		stands bool
	}{
		"programs":               {api.Guard{Addr: far, Names: names}, others, true},
		"nobody":                 {api.Guard{Addr: far, Names: names}, nil, false},
		"the person":             {api.Guard{Addr: far, Names: names, Token: "x"}, others, false},
		"without TLS":            {api.Guard{Addr: far}, others, false},
		"programs of loopback":   {api.Guard{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}}, others, true},
		"nobody on loopback":     {api.Guard{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}}, nil, false},
		"the person on loopback": {api.Guard{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Token: "x"}, nil, true},
	} {
		if _, err := tt.guard.Only(http.NotFoundHandler(), tt.others, time.Second); (err == nil) != tt.stands {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who has the token keeps their connection however many others knock, is told so where there is no
// room, and has so long for a body.
func TestOnly(t *testing.T) {
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun, end := make(chan struct{}, 9), make(chan struct{})
	h, err := api.Guard{Token: "x", Addr: ln.Addr().(*net.TCPAddr)}.Only(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
		begun <- struct{}{}
		<-end
	}), nil, 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- api.ListenerLimits{Connections: 4, Rate: 100, Burst: 100}.Serve(ctx, ln, h)
	}()
	defer func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	s := &served{T: t, Addr: ln.Addr()}
	say := func(more ...string) net.Conn {
		c := s.dial(append([]string{"POST / HTTP/1.1", "Host: " + ln.Addr().String(), "Authorization: Bearer x"}, append(more, "", "")...)...)
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second)) // fails far above what it takes
		return c
	}
	var working []net.Conn
	for range 2 { // as many as one can have of four
		working = append(working, say())
		<-begun
	}
	for range 10 {
		s.dial()
	}
	if got := s.hear(say()); got.status != http.StatusTooManyRequests || got.Code != answer.CodeTooManyConnections || got.header.Get("Retry-After") == "" {
		t.Errorf("one more: %+v", got)
	}
	close(end)
	for _, c := range working {
		if got := s.hear(c).status; got != http.StatusOK {
			t.Errorf("one at work: %d", got)
		}
		_ = c.Close()
	}
	await(t, func() bool { return s.hear(say("Content-Length: 5")).status == http.StatusRequestTimeout })
}
