package inspect

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/vmhost/network/scrub"
)

const secret = "ghp_0123456789abcdefXYZ"

// host is what the certificate of httptest is for, too.
const host = "example.com"

// fixture is an Inspector in front of a server.
type fixture struct {
	t        *testing.T
	i        *Inspector
	server   *httptest.Server
	has      atomic.Bool // the secret is there
	done     chan struct{}
	mu       sync.Mutex
	got      []*http.Request
	bodies   []string
	dialled  []string
	recorded []Request
}

// newFixture starts a server that answers by handle, nil: with 200, "hello".
func newFixture(t *testing.T, rules []string, handle http.HandlerFunc) *fixture {
	f := &fixture{t: t, done: make(chan struct{})}
	f.has.Store(true)
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.got, f.bodies = append(f.got, r), append(f.bodies, string(body))
		f.mu.Unlock()
		if handle == nil {
			io.WriteString(w, "hello")
			return
		}
		handle(w, r)
	}))
	f.server.EnableHTTP2 = true
	f.server.StartTLS()
	t.Cleanup(f.server.Close)
	parsed, err := ParseRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(f.server.Certificate())
	f.i, err = New(Config{
		Roots: roots,
		Sites: []Site{{Service: "test", Host: host, Rules: parsed, Done: f.done, Credential: func() (Credential, bool) {
			return Credential{Header: "Authorization", Value: "Bearer " + secret, Scrub: scrub.New(secret)}, f.has.Load()
		}}, {Service: "plain", Host: "plain.example.com", Rules: parsed}},
		OnRequest: func(r Request) { f.mu.Lock(); f.recorded = append(f.recorded, r); f.mu.Unlock() },
	}, func(ctx context.Context, network, address string) (net.Conn, error) {
		f.mu.Lock()
		f.dialled = append(f.dialled, address)
		f.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, network, f.server.Listener.Addr().String())
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.i.Close)
	return f
}

// connect is a connection of the guest, before its handshake.
func (f *fixture) connect(name string) net.Conn {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.t.Fatal(err)
	}
	defer l.Close()
	guest, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		f.t.Fatal(err)
	}
	end, err := l.Accept()
	if err != nil {
		f.t.Fatal(err)
	}
	go f.i.Serve(f.t.Context(), end, name, 443)
	f.t.Cleanup(func() { guest.Close() })
	guest.SetDeadline(time.Now().Add(20 * time.Second))
	return guest
}

// trust believes in the authority of the task.
func (f *fixture) trust() *x509.CertPool {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(f.i.Certificate()) {
		f.t.Fatal("no certificate")
	}
	return pool
}

// client is a program of the guest.
func (f *fixture) client(h2 bool) *http.Client {
	protocols := []string{"http/1.1"}
	if h2 {
		protocols = []string{"h2"}
	}
	tr := &http.Transport{DialTLSContext: func(_ context.Context, _, address string) (net.Conn, error) {
		name, _, _ := net.SplitHostPort(address)
		c := tls.Client(f.connect(name), &tls.Config{ServerName: name, RootCAs: f.trust(), NextProtos: protocols})
		return c, c.Handshake()
	}, ForceAttemptHTTP2: h2, DisableCompression: true}
	f.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: 20 * time.Second}
}

// raw sends bytes over TLS, and returns what comes until the end.
func (f *fixture) raw(text string) string {
	c := tls.Client(f.connect(host), &tls.Config{ServerName: host, RootCAs: f.trust()})
	if _, err := io.WriteString(c, text); err != nil {
		f.t.Fatal(err)
	}
	out, _ := io.ReadAll(c)
	return string(out)
}

// seen are what the server got.
func (f *fixture) seen() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.got
}

func (f *fixture) last() Request {
	f.t.Helper()
	f.i.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.recorded) == 0 {
		f.t.Fatal("nothing was recorded")
	}
	return f.recorded[len(f.recorded)-1]
}

func both(t *testing.T, do func(t *testing.T, h2 bool)) {
	t.Run("HTTP/1.1", func(t *testing.T) { do(t, false) })
	t.Run("HTTP/2", func(t *testing.T) { do(t, true) })
}

func TestARequestGetsTheSecretAndTheAnswerLosesIt(t *testing.T) {
	both(t, func(t *testing.T, h2 bool) {
		f := newFixture(t, []string{"allow * /**"}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Echo", r.Header.Get("Authorization"))
			w.Header().Set("Alt-Svc", `h3=":443"`)
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprintf(w, "you sent %s and %s", r.Header.Get("Authorization"), base64.StdEncoding.EncodeToString([]byte(r.Header.Get("Authorization"))))
		})
		q, _ := http.NewRequest("POST", "https://"+host+"/a/b?q="+secret[:5], strings.NewReader("the body"))
		q.Header.Set("Authorization", "Bearer mine")
		q.Header.Set("Accept-Encoding", "gzip")
		q.Header.Set("Range", "bytes=0-3")
		q.Header["AUTHORIZATION"] = []string{"Bearer other"}
		q.Header.Set("Authorization_", "x")
		q.Header.Set("Cookie", "a=b")
		r, err := f.client(h2).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusTeapot || r.ProtoMajor != map[bool]int{false: 1, true: 2}[h2] {
			t.Fatalf("%d, %s, %v", r.StatusCode, r.Proto, err)
		}
		if strings.Contains(string(body), secret) || !strings.Contains(string(body), "you sent Bearer ****") || strings.Contains(fmt.Sprint(r.Header), secret) || r.Header.Get("Alt-Svc") != "" {
			t.Errorf("the guest got %v, %s", r.Header, body)
		}
		if left := base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)); strings.Contains(string(body), left[12:30]) {
			t.Errorf("in base64: %s", body)
		}
		got := f.seen()[0]
		if got.Header.Get("Authorization") != "Bearer "+secret || len(got.Header["Authorization"]) != 1 || got.Header.Get("Range") != "" || got.Header.Get("Accept-Encoding") != "identity" || got.Header.Get("Cookie") != "a=b" {
			t.Errorf("the server got %v", got.Header)
		}
		if f.bodies[0] != "the body" || got.Host != host || got.RequestURI != "/a/b?q=ghp_0" {
			t.Errorf("the server got %q for %s %s", f.bodies[0], got.Host, got.RequestURI)
		}
		if rec := f.last(); rec.Path != "/a/b" || rec.Method != "POST" || rec.Status != http.StatusTeapot || !rec.Allowed || rec.Sent != 8 || rec.Received != int64(len(body)) || rec.Service != "test" {
			t.Errorf("recorded %+v", rec)
		}
	})
}

func TestWhatIsRefusedNeverReachesTheServer(t *testing.T) {
	both(t, func(t *testing.T, h2 bool) {
		f := newFixture(t, []string{"refuse DELETE /repos/**", "allow GET,DELETE,POST /repos/**"}, nil)
		c := f.client(h2)
		for name, q := range map[string]struct {
			method, url, host string
			header            http.Header
			status            int
			reason            string
		}{
			"a rule":                 {"DELETE", "/repos/a", "", nil, 403, ReasonRule},
			"a rule, in capitals":    {"DELETE", "/REPOS/a", "", nil, 403, ReasonRule},
			"no rule":                {"GET", "/user", "", nil, 403, ReasonNoRule},
			"another host":           {"GET", "/repos/a", "other.example.com", nil, 421, ReasonHost},
			"another inspected host": {"GET", "/repos/a", "plain.example.com", nil, 421, ReasonHost},
			"a dot at the end":       {"GET", "/repos/a", host + ".", nil, 421, ReasonHost},
			"another port":           {"GET", "/repos/a", host + ":444", nil, 421, ReasonHost},
			"an address":             {"GET", "/repos/a", "192.0.2.1", nil, 421, ReasonHost},
			"TRACE":                  {"TRACE", "/repos/a", "", nil, 405, ReasonMethod},
			"small letters":          {"get", "/repos/a", "", nil, 405, ReasonMethod},
			"up":                     {"GET", "/repos/../user", "", nil, 400, ReasonPath},
			"up, escaped":            {"GET", "/repos/%2e%2e/user", "", nil, 400, ReasonPath},
			"two slashes":            {"GET", "/repos//a", "", nil, 400, ReasonPath},
			"a parameter":            {"GET", "/repos/a;b", "", nil, 400, ReasonPath},
			"another method, said":   {"POST", "/repos/a?_method=DELETE", "", nil, 400, ReasonPath},
			"the same, escaped":      {"POST", "/repos/a?x=1&%5fmethod=DELETE", "", nil, 400, ReasonPath},
			"a letter in a query":    {"GET", "/repos/a?q=\u00e4", "", nil, 400, ReasonPath},
			"a byte in a query":      {"GET", "/repos/a?q=\xff", "", nil, 400, ReasonPath},
			"many fields":            {"GET", "/repos/a", "", http.Header{"X-A": strings.Split(strings.Repeat("a,", 101), ",")}, 431, ReasonHeader},
		} {
			r, err := http.NewRequest(q.method, "https://"+host+q.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Host = q.host; q.header != nil {
				r.Header = q.header
			}
			got, err := c.Do(r)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			body, _ := io.ReadAll(got.Body)
			got.Body.Close()
			if got.StatusCode != q.status || got.Header.Get("X-Piwork-Refused") != q.reason {
				t.Errorf("%s: %d, %q, %s", name, got.StatusCode, got.Header.Get("X-Piwork-Refused"), body)
			}
		}
		if len(f.seen()) != 0 || len(f.dialled) != 0 {
			t.Errorf("the server got %v", f.seen())
		}
	})
}

func TestRequestsThatTwoServersReadDifferently(t *testing.T) {
	head := "POST /a HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
	for name, c := range map[string]struct {
		text   string
		status string // that comes first
		server int    // requests that the server gets
		body   string
	}{
		"a length and chunks":        {head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "HTTP/1.1 200", 1, ""},
		"two lengths":                {head + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", "HTTP/1.1 400", 0, ""},
		"a length that is none":      {head + "Content-Length: +4\r\n\r\nabcd", "HTTP/1.1 400", 0, ""},
		"chunks that are not last":   {head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", "HTTP/1.1 501", 0, ""},
		"chunks by another name":     {head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 501", 0, ""},
		"a space before the colon":   {head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"a folded line":              {head + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200", 1, ""}, // becomes one line
		"a user":                     {"GET /a HTTP/1.1\r\nHost: x@" + host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"two hosts":                  {"GET /a HTTP/1.1\r\nHost: " + host + "\r\nHost: other\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"no host":                    {"GET /a HTTP/1.1\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"a whole address":            {"GET https://" + host + "/a HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"a whole address of another": {"GET https://other/a HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 421", 0, ""},
		"CONNECT":                    {"CONNECT other:443 HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 405", 0, ""},
		"everything":                 {"OPTIONS * HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", "HTTP/1.1 400", 0, ""},
		"a WebSocket":                {"GET /a HTTP/1.1\r\nHost: " + host + "\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 403", 0, ""},
		"HTTP/2 in plain text":       {"GET /a HTTP/1.1\r\nHost: " + host + "\r\nConnection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n", "HTTP/1.1 403", 0, ""},
		"a header without an end":    {"GET /a HTTP/1.1\r\nHost: " + host + "\r\nX: " + strings.Repeat("a", 2*maxHeader) + "\r\n\r\n", "HTTP/1.1 431", 0, ""},
		"chunks":                     {head + "Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n3\r\nabc\r\n0\r\nAuthorization: x\r\n\r\n", "HTTP/1.1 200", 1, "abc"},
		"a body of GET":              {strings.Replace(head, "POST", "GET", 1) + "Content-Length: 3\r\n\r\nabc", "HTTP/1.1 200", 1, "abc"},
		"fields of the connection":   {strings.Replace(head, "close", "close, Authorization, X-Secret", 1) + "X-Secret: a\r\nKeep-Alive: 5\r\nTE: trailers\r\nProxy-Authorization: b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200", 1, ""},
		"another path or method":     {head + "X-HTTP-Method-Override: DELETE\r\nX_HTTP_Method: DELETE\r\nX-Original-URL: /b\r\nX-Rewrite-URL: /b\r\nX-Forwarded-Host: other\r\nForwarded: host=other\r\nAUTHORIZATION: mine\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, []string{"allow * /**"}, nil)
			got := f.raw(c.text)
			f.i.Close()
			if !strings.HasPrefix(got, c.status) || len(f.seen()) != c.server {
				t.Fatalf("%d requests; the guest got %q", len(f.seen()), got)
			}
			for i, r := range f.seen() {
				if f.bodies[i] != c.body || r.RequestURI != "/a" || r.Host != host || r.Header.Get("Authorization") != "Bearer "+secret || len(r.Trailer) > 0 {
					t.Errorf("the server got %+v", r)
				}
				for name := range r.Header {
					switch name {
					case "Authorization", "Accept-Encoding", "Content-Length", "User-Agent", "X":
					default:
						t.Errorf("the server got %s", name)
					}
				}
			}
		})
	}
}

func TestTheHandshakeIsForTheHostThatWasConnectedTo(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, nil)
	for _, name := range []string{"plain.example.com", "other.example.com", ""} {
		c := tls.Client(f.connect(host), &tls.Config{ServerName: name, RootCAs: f.trust(), InsecureSkipVerify: true})
		if err := c.Handshake(); err == nil {
			t.Errorf("a handshake for %q was answered", name)
		}
	}
	if c := tls.Client(f.connect(host), &tls.Config{ServerName: host}); c.Handshake() == nil {
		t.Error("the authority is trusted by everybody")
	}
}

func TestTheAuthoritySignsForItsHostsAlone(t *testing.T) {
	a, err := newAuthority([]string{host}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	b, err := newAuthority([]string{host}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.certificate)
	check := func(c *tls.Certificate, name string, at time.Time) error {
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: name, CurrentTime: at})
		return err
	}
	if err := check(a.hosts[host], host, time.Now()); err != nil {
		t.Fatal(err)
	}
	if check(b.hosts[host], host, time.Now()) == nil {
		t.Error("the authority of another task is believed")
	}
	if check(a.hosts[host], host, time.Now().Add(Lasts+time.Hour)) == nil {
		t.Error("it is believed for ever")
	}
	if bytes.Contains(a.certificate, []byte("PRIVATE")) {
		t.Error("the key leaves")
	}
	// What the key would sign for another name, its constraints forbid.
	c, err := newAuthority([]string{host}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(c.certificate)
	if check(forged(t, c, "other.org"), "other.org", time.Now()) == nil {
		t.Error("a certificate for another name is believed")
	}
}

// forged is a leaf for any name by the authority's own means.
func forged(t *testing.T, a *authority, name string) *tls.Certificate {
	t.Helper()
	leaf, err := a.sign(name)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

func TestAnswers(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		method string
		handle http.HandlerFunc
		status int
		reason string
		check  func(r *http.Response, body string) bool
	}{
		"a redirect is not followed": {"GET", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/?t="+r.Header.Get("Authorization"), http.StatusFound)
		}, 302, "", func(r *http.Response, _ string) bool {
			return strings.HasPrefix(r.Header.Get("Location"), "https://evil.example/?t=") && !strings.Contains(r.Header.Get("Location"), secret)
		}},
		"a length stays": {"GET", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "a"+secret) }, 200, "", func(r *http.Response, body string) bool {
			return r.ContentLength == int64(1+len(secret)) && body == "a"+strings.Repeat("*", len(secret))
		}},
		"HEAD has a length and no body": {"HEAD", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "7") }, 200, "", func(r *http.Response, body string) bool {
			return r.ContentLength == 7 && body == ""
		}},
		"nothing": {"GET", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }, 204, "", func(r *http.Response, body string) bool { return body == "" }},
		"in pieces": {"GET", func(w http.ResponseWriter, r *http.Request) {
			for _, part := range []string{long + secret[:9], secret[9:] + long} {
				io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		}, 200, "", func(r *http.Response, body string) bool { return body == long+strings.Repeat("*", len(secret))+long }},
		"an error with the secret": {"GET", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "bad token "+secret, 401) }, 401, "", func(r *http.Response, body string) bool {
			return body == "bad token "+strings.Repeat("*", len(secret))+"\n"
		}},
		"compressed": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "who knows")
		}, 502, ReasonEncoded, nil},
		"compressed, by a list": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Encoding"] = []string{"identity, br"}
			io.WriteString(w, "who knows")
		}, 502, ReasonEncoded, nil},
		"a cookie and a trailer": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Late")
			w.Header().Set("Set-Cookie", "t="+secret)
			io.WriteString(w, "a")
			w.Header().Set("X-Late", secret)
		}, 200, "", func(r *http.Response, body string) bool {
			return r.Header.Get("Set-Cookie") == "t="+strings.Repeat("*", len(secret)) && len(r.Trailer) == 0
		}},
		"an early answer": {"GET", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "</"+secret+">")
			w.WriteHeader(103)
			w.Header().Del("Link")
			io.WriteString(w, "a")
		}, 200, "", func(r *http.Response, body string) bool { return r.Header.Get("Link") == "" }},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, h2 bool) {
				f := newFixture(t, []string{"allow * /**"}, c.handle)
				q, _ := http.NewRequest(c.method, "https://"+host+"/a", nil)
				r, err := f.client(h2).Do(q)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(r.Body)
				if err != nil || r.StatusCode != c.status || c.check != nil && !c.check(r, string(body)) {
					t.Errorf("%d, %v, %.200q, %v", r.StatusCode, r.Header, body, err)
				}
				if rec := f.last(); rec.Status != c.status || rec.Reason != c.reason || !rec.Allowed {
					t.Errorf("recorded %+v", rec)
				}
			})
		})
	}
}

// A server that has its fields left out does not hide that its answer is compressed.
func TestACompressedAnswerThatSaysItIsNot(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "Content-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "who knows")
	})
	f.i.transport.ForceAttemptHTTP2 = false // which has no such field
	r, err := f.client(false).Get("https://" + host + "/a")
	if err != nil || r.StatusCode != http.StatusBadGateway || r.Header.Get("X-Piwork-Refused") != ReasonEncoded || f.seen()[0].ProtoMajor != 1 {
		t.Errorf("%v, %v", r, err)
	}
}

// TestAServiceThatEndsEndsItsRequests holds before the answer and in its middle.
func TestAServiceThatEndsEndsItsRequests(t *testing.T) {
	for name, begun := range map[string]bool{"before the answer": false, "in the answer": true} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, h2 bool) {
				var f *fixture
				f = newFixture(t, []string{"allow * /**"}, func(w http.ResponseWriter, r *http.Request) {
					if begun {
						w.(http.Flusher).Flush()
					} else {
						close(f.done)
					}
					<-r.Context().Done()
				})
				r, err := f.client(h2).Get("https://" + host + "/a")
				if err != nil {
					t.Fatal(err)
				}
				if begun {
					close(f.done)
				}
				_, err = io.ReadAll(r.Body)
				if begun != (err != nil) || !begun && r.Header.Get("X-Piwork-Refused") != ReasonGone {
					t.Errorf("the guest got %v, %v", r, err)
				}
				if rec := f.last(); rec.Reason != ReasonGone || !rec.Allowed {
					t.Errorf("recorded %+v", rec)
				}
			})
		})
	}
}

func TestNamesOfSitesAreBounded(t *testing.T) {
	long := strings.Repeat(strings.Repeat("a", 50)+".", 5)
	for n, ok := range map[int]bool{16: true, 17: false} {
		var sites []Site
		for i := range n {
			sites = append(sites, Site{Host: fmt.Sprintf("%s%09d.org", long[:240], 100+i)})
		}
		i, err := New(Config{Sites: sites}, nil)
		if (err == nil) != ok {
			t.Errorf("%d names of %d bytes: %v", n, len(sites[0].Host), err)
		}
		if i != nil {
			i.Close()
		}
	}
}

func TestAnAnswerThatIsCutIsSeenToBe(t *testing.T) {
	both(t, func(t *testing.T, h2 bool) {
		f := newFixture(t, []string{"allow * /**"}, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		r, err := f.client(h2).Get("https://" + host + "/a")
		if err == nil {
			_, err = io.ReadAll(r.Body)
		}
		if err == nil {
			t.Error("it looks whole")
		}
		if rec := f.last(); rec.Reason != ReasonCut {
			t.Errorf("recorded %+v", rec)
		}
	})
}

func TestServersThatAreNotThemselves(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, nil)
	f.i.transport.TLSClientConfig.RootCAs = x509.NewCertPool() // nobody
	r, err := f.client(false).Get("https://" + host + "/a")
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != http.StatusBadGateway || r.Header.Get("X-Piwork-Refused") != ReasonCertificate || len(f.seen()) > 0 {
		t.Errorf("%d, %v", r.StatusCode, r.Header)
	}
}

func TestWithoutTheSecretNothingIsSent(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, nil)
	f.has.Store(false)
	r, err := f.client(true).Get("https://" + host + "/a")
	if err != nil || r.StatusCode != http.StatusForbidden || r.Header.Get("X-Piwork-Refused") != ReasonGone || len(f.seen()) > 0 {
		t.Errorf("%v, %v", r, err)
	}
}

func TestAHostWithoutASecretKeepsWhatTheGuestSends(t *testing.T) {
	f := newFixture(t, []string{"allow GET /**"}, nil)
	f.i.transport.TLSClientConfig.ServerName = host // of the certificate of the test
	q, _ := http.NewRequest("GET", "https://plain.example.com/a", nil)
	q.Header.Set("Authorization", "mine")
	q.Header.Set("Range", "bytes=1-2")
	r, err := f.client(false).Do(q)
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	if got := f.seen()[0].Header; got.Get("Authorization") != "mine" || got.Get("Range") == "" || f.dialled[0] != "plain.example.com:443" {
		t.Errorf("the server got %v at %v", got, f.dialled)
	}
}

func TestConnectionsAndHandshakesAreBounded(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, nil)
	const more = 40
	ended := make(chan error, maxConnections+more)
	for range maxConnections + more {
		c := f.connect(host)
		go func() { _, err := c.Read(make([]byte, 1)); ended <- err }()
	}
	for range more { // those that are too many are closed at once
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Errorf("one ended with %v", err)
		}
	}
	if len(f.i.connections) != maxConnections || len(f.i.handshakes) > maxHandshakes {
		t.Errorf("%d are open, %d shake", len(f.i.connections), len(f.i.handshakes))
	}
	done := make(chan struct{})
	go func() { f.i.Close(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Close waits for the guest")
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	both(t, func(t *testing.T, h2 bool) {
		f := newFixture(t, []string{"allow * /**"}, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		r, err := f.client(h2).Get("https://" + host + "/a")
		if err != nil {
			t.Fatal(err)
		}
		f.i.Close()
		if _, err := io.ReadAll(r.Body); err == nil {
			t.Error("the guest sees no end")
		}
		n := len(f.recorded)
		if n != 1 {
			t.Errorf("%d are recorded", n)
		}
		c := f.connect(host)
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("a connection after the end: %v", err)
		}
	})
}

func TestABodyThatGoesOnAfterTheAnswer(t *testing.T) {
	f := newFixture(t, []string{"allow * /**"}, nil)
	f.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusConflict) })
	c := tls.Client(f.connect(host), &tls.Config{ServerName: host, RootCAs: f.trust()})
	fmt.Fprintf(c, "POST /a HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000000\r\n\r\nabc", host)
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusConflict {
		t.Fatal(r, err)
	}
	if rec := f.last(); rec.Status != http.StatusConflict {
		t.Errorf("recorded %+v", rec)
	}
}

func TestCredentialsHideTheSecret(t *testing.T) {
	c := Credential{Value: secret}
	if s := fmt.Sprintf("%v %+v %#v %s", c, c, c, c); strings.Contains(s, secret) {
		t.Error(s)
	}
}
