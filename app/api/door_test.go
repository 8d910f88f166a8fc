package api_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
)

// tcp is a listener that everybody reaches, with tokens of two programs.
type tcp struct {
	*testing.T
	addr    string
	name    string // in the header Host
	pool    *x509.CertPool
	secrets map[string]string
	log     *bytes.Buffer
	mu      *sync.Mutex // of log
	all     *[]net.Conn
}

// placed has connections come from an address of 192.0.2.0/24, which their first byte says: a
// computer has few of its own.
type placed struct{ net.Listener }

type placedConn struct {
	net.Conn
	at *net.TCPAddr
}

func (c placedConn) RemoteAddr() net.Addr { return c.at }

func (p placed) Accept() (net.Conn, error) {
	c, err := p.Listener.Accept()
	if err != nil {
		return nil, err
	}
	var b [1]byte // the address comes first
	if _, err := io.ReadFull(c, b[:]); err != nil {
		b[0] = 255
	}
	at := &net.TCPAddr{IP: net.IPv4(192, 0, 2, b[0]), Port: 1}
	if b[0] == 0 {
		at.IP = net.IPv4(127, 0, 0, 1)
	}
	return placedConn{c, at}, nil
}

type lockedWriter struct {
	mu *sync.Mutex
	to io.Writer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// serveTCP serves on loopback, or with TLS as on a network.
func serveTCP(t *testing.T, secure bool, l api.ListenerLimits) *tcp {
	t.Helper()
	list, secrets := tokens(t, ownDir(t), "read", "tasks")
	s := &tcp{T: t, secrets: secrets, log: &bytes.Buffer{}, mu: &sync.Mutex{}, all: &[]net.Conn{}}
	l.Log = slog.New(slog.NewTextHandler(lockedWriter{s.mu, s.log}, nil))
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{BodyWithin: 500 * time.Millisecond})
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	g := api.Guard{Token: "person", Clients: list, Addr: ln.Addr().(*net.TCPAddr)}
	s.name = s.addr
	ln = placed{Listener: ln}
	if secure {
		cert, key, pool := certificate(t, "piwork.test")
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
		g.Token, g.Names, s.pool, s.name = "", pair.Leaf.VerifyHostname, pool, "piwork.test"
	}
	h, err := a.Guarded(g)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- l.Serve(ctx, ln, h) }()
	t.Cleanup(func() {
		for _, c := range *s.all {
			_ = c.Close()
		}
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return s
}

// dial connects from an address, without a word of TLS.
func (s *tcp) dial(from byte) net.Conn {
	s.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	s.mu.Lock()
	*s.all = append(*s.all, c)
	s.mu.Unlock()
	_, _ = c.Write([]byte{from})
	return c
}

// say sends a request from an address, with TLS where that is spoken.
func (s *tcp) say(from byte, secret, request string, header ...string) net.Conn {
	s.Helper()
	c := s.dial(from)
	if s.pool != nil {
		c = tls.Client(c, &tls.Config{RootCAs: s.pool, ServerName: s.name, MinVersion: tls.VersionTLS12})
	}
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute)) // fails far above what it takes
	lines := append([]string{request + " HTTP/1.1", "Host: " + s.name, "Authorization: Bearer " + secret}, header...)
	_, _ = io.WriteString(c, strings.Join(append(lines, "", ""), "\r\n"))
	return c
}

// status reads the head of an answer; 0 is none.
func status(c net.Conn) int {
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	return res.StatusCode
}

// honest is served at once, whatever others do.
func (s *tcp) honest(name string, from byte) {
	s.Helper()
	began := time.Now()
	c := s.say(from, s.secrets[name], "GET /v1/tasks", "Connection: close")
	if got := status(c); got != http.StatusOK {
		s.Errorf("an honest program is answered by %d", got)
	}
	_ = c.Close()
	if took := time.Since(began); took > time.Minute { // a second, where nothing else is at work
		s.Errorf("an honest program waits %s", took)
	}
}

// logged is what was logged.
func (s *tcp) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// Whatever comes over TCP, on loopback and with TLS: an honest program is answered, and it is
// said who was cut off and why.
func TestHostileClients(t *testing.T) {
	l := api.ListenerLimits{Connections: 40, Streams: 20, Rate: 1e6, Burst: 1e6, HeadWithin: time.Minute}
	for _, secure := range []bool{false, true} {
		for name, tt := range map[string]struct {
			attack func(s *tcp)
			logged string // on loopback; over a network with the account
			of     string
		}{
			"connections of one address that say nothing": {func(s *tcp) {
				for range 3 * l.Connections {
					s.dial(7)
				}
			}, "closed for another connection", "address 192.0.2.7"},
			"connections of many addresses that say nothing": {func(s *tcp) {
				for i := range 3 * l.Connections {
					s.dial(byte(1 + i%200))
				}
			}, "closed for another connection", "address 192.0.2."},
			"heads of many addresses that never end": {func(s *tcp) {
				for i := range 2 * l.Connections {
					_, _ = io.WriteString(s.dial(byte(1+i%200)), "GET / HTTP/1.1\r\nX: ") // with TLS it is not even that
				}
			}, "api: refused", "address 192.0.2."},
			"all streams that one program can have": {func(s *tcp) {
				refused := 0
				for range l.Streams {
					if status(s.say(7, s.secrets["read"], "GET /v1/events")) == http.StatusTooManyRequests {
						refused++
					}
				}
				if refused == 0 {
					s.Error("one program has all streams")
				}
				if got := status(s.say(9, s.secrets["tasks"], "GET /v1/events?task=01a21a37-9474-7479-80dc-5c4a0943a37c")); got != http.StatusOK {
					s.Errorf("a stream of another program: %d", got)
				}
			}, answer.CodeTooManyStreams, "token read@"},
			"all connections that one program can have": {func(s *tcp) {
				refused := 0
				for i := range 2 * l.Connections {
					if got := status(s.say(byte(1+i%200), s.secrets["read"], "GET /v1/tasks")); got != http.StatusOK {
						refused++
					}
				}
				if refused < l.Connections {
					s.Errorf("%d of %d are refused", refused, 2*l.Connections)
				}
			}, answer.CodeTooManyConnections, "token read@"},
			"tokens that are none": {func(s *tcp) {
				for i, secret := range []string{"", "x", "piwork_" + strings.Repeat("A", 43), s.secrets["read"][:20], s.secrets["read"] + "A", strings.ToUpper(s.secrets["read"]), "\x00", strings.Repeat("x", 60_000), s.secrets["read"] + " " + s.secrets["tasks"], "person "} {
					if got := status(s.say(byte(i+1), secret, "GET /v1/tasks")); got != http.StatusUnauthorized && got != http.StatusBadRequest && (secret != "person " || s.pool != nil) {
						s.Errorf("%.30q: %d", secret, got)
					}
				}
			}, "no token that is valid", "address 192.0.2.1"},
			"other servers' names and pages": {func(s *tcp) {
				for _, header := range []string{"Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Origin: " + s.name} {
					if got := status(s.say(7, s.secrets["read"], "GET /v1/tasks", header)); got != http.StatusForbidden {
						s.Errorf("%s: %d", header, got)
					}
				}
				for _, target := range []string{"http://evil.example/v1/tasks", "https://evil.example/v1/tasks"} {
					if got := status(s.say(7, s.secrets["read"], "GET "+target)); got != http.StatusForbidden && got != http.StatusBadRequest {
						s.Errorf("%s: %d", target, got)
					}
				}
			}, "another", "address 192.0.2.7"},
			"two requests in one": {func(s *tcp) {
				for _, header := range []string{"Transfer-Encoding: chunked\r\nContent-Length: 4", "Content-Length: 4\r\nContent-Length: 5", "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Content-Length: +4", "Host: evil.example"} {
					c := s.say(7, s.secrets["tasks"], "POST /v1/tasks", header)
					_, _ = io.WriteString(c, "0\r\n\r\nGET /v1/tasks HTTP/1.1\r\nHost: "+s.name+"\r\n\r\n")
					in := bufio.NewReader(c)
					for n := 0; ; n++ {
						res, err := http.ReadResponse(in, nil)
						if err != nil {
							break
						}
						if res.StatusCode < 400 || n > 1 {
							s.Errorf("%q: answer %d is %d", header, n, res.StatusCode)
						}
						_, _ = io.Copy(io.Discard, res.Body)
					}
				}
			}, "", ""},
			"ten megabytes of headers": {func(s *tcp) {
				c := s.say(7, s.secrets["read"], "GET /v1/tasks", "X: y")
				_ = c.Close()
				c = s.dial(7)
				if s.pool != nil {
					c = tls.Client(c, &tls.Config{RootCAs: s.pool, ServerName: s.name, MinVersion: tls.VersionTLS12})
				}
				_, _ = io.WriteString(c, "GET /v1/tasks HTTP/1.1\r\nHost: "+s.name+"\r\n")
				sent := 0
				for line := []byte("X-A: " + strings.Repeat("a", 8000) + "\r\n"); sent < 10<<20; {
					n, err := c.Write(line)
					if sent += n; err != nil {
						break
					}
				}
				if sent >= 10<<20 {
					s.Error("it takes all of them")
				}
			}, "no request", "address 192.0.2.7"},
			"bodies that never end": {func(s *tcp) {
				for range l.Connections / 2 {
					c := s.say(7, s.secrets["read"], "POST /v1/tasks", "Content-Type: application/json", "Content-Length: 100")
					_, _ = io.WriteString(c, "{")
				}
			}, "", ""},
		} {
			t.Run(fmt.Sprint(name, map[bool]string{true: ", with TLS", false: ", on loopback"}[secure]), func(t *testing.T) {
				t.Parallel()
				s := serveTCP(t, secure, l)
				tt.attack(s)
				s.honest("tasks", 99)
				s.honest("tasks", 7) // behind the same address
				await(t, func() bool {
					log := s.logged()
					return strings.Contains(log, tt.logged) && strings.Contains(log, tt.of)
				})
				if n := strings.Count(s.logged(), "\n"); n > 70 {
					t.Errorf("%d lines of log:\n%s", n, s.logged())
				}
			})
		}
	}
}

// Ten thousand connections over TLS that say nothing, by as many addresses as there are: the
// honest one that comes last is answered.
func TestTenThousandOverTLS(t *testing.T) {
	const dialled, open = 10_000, 300 // at a time: this test has both ends of each
	s := serveTCP(t, true, api.ListenerLimits{Connections: 100, Streams: 9, Rate: 1e6, Burst: 1e6})
	for i := range dialled {
		c := s.dial(byte(1 + i%250))
		if i >= open {
			_ = (*s.all)[i-open].Close()
		}
		if i%2 == 0 {
			_, _ = c.Write([]byte{0x16, 3, 1})
		}
		if i%2000 == 1999 {
			s.honest("tasks", 251)
		}
	}
	s.honest("tasks", 252)
	if n := strings.Count(s.logged(), "\n"); n > 70 {
		t.Errorf("%d lines of log", n)
	}
}
