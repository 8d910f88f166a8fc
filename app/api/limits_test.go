package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
	"piwork/app/api/door"
	"piwork/app/client"
	"piwork/app/events"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
)

// served is a server on a socket.
type served struct {
	*testing.T
	net.Addr
	socket string
	client *client.Client
}

func serveLimited(t *testing.T, s api.Service, l api.ListenerLimits, o api.Options) *served {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	ln, err := api.ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	out := serveOn(t, ln, s, l, o)
	out.socket, out.client = path, client.New(client.Socket(path), nil)
	return out
}

func serveOn(t *testing.T, ln net.Listener, s api.Service, l api.ListenerLimits, o api.Options) *served {
	t.Helper()
	a := newAPI(t, s, o)
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- l.Serve(ctx, ln, a.Handler()) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return &served{T: t, Addr: ln.Addr()}
}

// dial opens a connection and writes to it.
func (s *served) dial(lines ...string) net.Conn {
	s.Helper()
	c, err := new(net.Dialer).DialContext(s.Context(), s.Network(), s.Addr.String())
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	_, _ = io.WriteString(c, strings.Join(lines, "\r\n")) // it may be closed already
	return c
}

// said is an answer, read raw: its code is "" where it is no problem.
type said struct {
	status int
	header http.Header
	problem.Problem
}

// hear reads the answer to what was written.
func (s *served) hear(c net.Conn) (out said) {
	s.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil) // whose body ends with the connection
	if err != nil {
		s.Fatalf("no answer: %v", err)
	}
	out.status, out.header = res.StatusCode, res.Header
	if strings.Contains(res.Header.Get("Content-Type"), "problem+json") {
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
			s.Fatal(err)
		}
	}
	return out
}

const host = "Host: piwork"

// Whatever a program does to a listener, it is told what to do, or loses its connection,
// and others are served.
func TestAttacks(t *testing.T) {
	l := api.ListenerLimits{Connections: 8, Streams: 4, Rate: 1000, Burst: 1000, Body: 1 << 20, HeadWithin: 200 * time.Millisecond}
	quick := api.Options{BodyWithin: 200 * time.Millisecond, Stall: 200 * time.Millisecond, Pages: fstest.MapFS{"small.js": {Data: []byte("1")}, "big.js": {Data: make([]byte, 16<<20)}}}
	closed := func(t *testing.T, all ...net.Conn) {
		t.Helper()
		for _, c := range all {
			_ = c.SetReadDeadline(time.Now().Add(20 * time.Second)) // fails far above what it takes
			if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
				t.Error("a connection stays open")
			}
		}
	}
	for name, attack := range map[string]func(s *served){
		"heads that never end (slow loris)": func(s *served) {
			var all []net.Conn
			for range 3 * l.Connections {
				all = append(all, s.dial("GET /v1/tasks HTTP/1.1", "X-A: b"))
			}
			closed(s.T, all...)
		},
		"an endless head": func(s *served) {
			c := s.dial("GET /v1/tasks HTTP/1.1", host)
			sent := 0
			for line := []byte("X-A: " + strings.Repeat("a", 4000) + "\r\n"); ; {
				n, err := c.Write(line)
				if sent += n; err != nil {
					break
				}
				if sent > 64<<20 {
					s.Fatal("it takes everything")
				}
			}
			if got := s.hear(c).status; got != http.StatusRequestHeaderFieldsTooLarge {
				s.Errorf("status %d", got)
			}
		},
		"a giant body": func(s *served) {
			c := s.dial("POST /v1/packs/verify HTTP/1.1", host, "Content-Type: application/json", "Content-Length: 1099511627776", "", "")
			go func() { _, _ = io.CopyN(c, endless('x'), 1<<40) }() // ends with the connection
			if got := s.hear(c); got.status != 413 || got.Code != answer.CodeTooLarge || got.Params["limit"] != 1048576.0 {
				s.Errorf("%+v", got)
			}
		},
		"an endless body without a length": func(s *served) {
			c := s.dial("POST /v1/packs/verify HTTP/1.1", host, "Content-Type: application/json", "Transfer-Encoding: chunked", "", "")
			go func() {
				for {
					if _, err := fmt.Fprintf(c, "1000\r\n%s\r\n", strings.Repeat("x", 0x1000)); err != nil {
						return
					}
				}
			}()
			if got := s.hear(c); got.status != 413 || got.Code != answer.CodeTooLarge {
				s.Errorf("%+v", got)
			}
		},
		"bodies that never come": func(s *served) {
			for _, path := range []string{"/v1/packs/verify", "/v1/nothing", "/v1/tools/pdf.merge"} {
				closed(s.T, s.dial("POST "+path+" HTTP/1.1", host, "Content-Type: application/json", "Content-Length: 100", "", "{"))
			}
		},
		"bodies that break off": func(s *served) {
			for _, body := range []string{"Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{", "Transfer-Encoding: chunked\r\n\r\nno number\r\n"} {
				c := s.dial("POST /v1/packs/verify HTTP/1.1", host, "Content-Type: application/json", body)
				_ = c.(*net.UnixConn).CloseWrite()
				if got := s.hear(c); got.status != 400 || got.Code != problem.CodeBadRequest {
					s.Errorf("%q: %+v", body, got)
				}
			}
		},
		"connections that do nothing": func(s *served) {
			var all []net.Conn
			for range 10 * l.Connections {
				all = append(all, s.dial())
			}
			closed(s.T, all...)
		},
		"pages that nobody reads": func(s *served) {
			for range l.Connections / 2 {
				s.dial("GET /big.js HTTP/1.1", host, "", "")
			}
			await(s.T, func() bool {
				return s.hear(s.dial("GET /v1/tasks HTTP/1.1", host, "Connection: close", "", "")).status == 200
			})
		},
		"answers that nobody reads": func(s *served) {
			for range l.Connections {
				s.dial("GET /openapi.yaml HTTP/1.1", host, "", "")
			}
			await(s.T, func() bool {
				return s.hear(s.dial("GET /v1/tasks HTTP/1.1", host, "Connection: close", "", "")).status == 200
			})
		},
		"small pages that nobody reads":   func(s *served) { unread(s, "/small.js") },
		"small answers that nobody reads": func(s *served) { unread(s, "/_health") },
		"streams that nobody reads": func(s *served) {
			for range 2 * l.Streams {
				s.dial("GET /v1/events HTTP/1.1", host, "", "")
			}
		},
		"all connections that one program can open": func(s *served) {
			greedy(s, l, "GET /v1/tasks HTTP/1.1", host, "", "")
		},
		"all streams that one program can open": func(s *served) {
			greedy(s, l, "GET /v1/events HTTP/1.1", host, "", "")
		},
		"knocking without a word": func(s *served) {
			greedy(s, l)
		},
		"requests that are none": func(s *served) {
			for _, line := range []string{"\x00\x00\x00\x00", "GET", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"} {
				closed(s.T, s.dial(line, "", ""))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, options := l, quick
			switch name { // where the size counts, not the time
			case "an endless head":
				own.HeadWithin = 0
			case "a giant body", "an endless body without a length", "bodies that break off":
				options.BodyWithin = time.Minute
			}
			s := serveLimited(t, apitest.New(apitest.Script{}), own, options)
			attack(s)
			s.othersWork()
		})
	}
}

// Who reads an answer slowly, and does not stop, gets all of it.
func TestSlowReader(t *testing.T) {
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const stall = 500 * time.Millisecond // and as long as what is left of a request may take
	s := serveOn(t, ln, apitest.New(apitest.Script{}), api.Limited, api.Options{Stall: stall})
	c := s.dial("GET /openapi.yaml HTTP/1.1", host, "Connection: close", "", "")
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	began, got := time.Now(), 0
	for buf := make([]byte, 32<<10); ; time.Sleep(stall / 2) {
		n, err := c.Read(buf)
		if got += n; err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
	}
	if whole, err := os.ReadFile("openapi.yaml"); err != nil || got < len(whole) {
		t.Errorf("%d of %d bytes %v", got, len(whole), err)
	}
	if took := time.Since(began); took < 2*(stall+door.RestWithin) {
		t.Errorf("it was not slow: %s", took)
	}
}

// unread asks again and again for what everybody may have, and reads no answer: the connection
// ends.
func unread(s *served, path string) {
	s.Helper()
	c := s.dial()
	_ = c.SetWriteDeadline(time.Now().Add(20 * time.Second)) // fails far above what it takes
	for {
		_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\n"+host+"\r\n\r\n")
		if isTimeout(err) {
			s.Error("the connection stays open")
		}
		if err != nil {
			return
		}
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// Who finds no room is told so, in its language, and when to come back; one who leaves
// makes room. On loopback nobody knows which process it is.
func TestTooMany(t *testing.T) {
	for _, tt := range []struct {
		code    string
		limits  api.ListenerLimits
		request string
	}{
		{answer.CodeTooManyConnections, api.ListenerLimits{Connections: 2, Streams: 9, Rate: 100, Burst: 100}, "GET /v1/tasks HTTP/1.1"},
		{answer.CodeTooManyStreams, api.ListenerLimits{Connections: 9, Streams: 2, Rate: 100, Burst: 100}, "GET /v1/events HTTP/1.1"},
		{answer.CodeTooManyRequests, api.ListenerLimits{Connections: 9, Streams: 9, Rate: 0.001, Burst: 2}, "GET /v1/tasks HTTP/1.1"},
	} {
		t.Run(tt.code, func(t *testing.T) {
			ln, err := api.ListenLoopback("127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := serveOn(t, ln, apitest.New(apitest.Script{}), tt.limits, api.Options{})
			var first []net.Conn
			for range 2 {
				c := s.dial(tt.request, host, "", "")
				if got := s.hear(c).status; got != 200 {
					t.Fatalf("status %d", got)
				}
				first = append(first, c)
			}
			for lang, word := range map[string]string{"en": "Too many", "de": "Zu viele"} {
				got := s.hear(s.dial(tt.request, host, "Accept-Language: "+lang, "", ""))
				if got.status != 429 || got.Code != tt.code || got.header.Get("Retry-After") == "" || !strings.HasPrefix(got.Title, word) || got.Detail == "" {
					t.Errorf("%+v", got)
				}
			}
			if tt.code == answer.CodeTooManyRequests {
				if got := s.hear(s.dial("GET /_health HTTP/1.1", host, "", "")).status; got != 200 {
					t.Errorf("health: %d", got)
				}
				return
			}
			_ = first[0].Close()
			await(t, func() bool { return s.hear(s.dial(tt.request, host, "Connection: close", "", "")).status == 200 })
		})
	}
}

// What is left of the limits is in each answer, also of one that was refused, and 503 says when
// to come back.
func TestLimitsAreSaid(t *testing.T) {
	for end := time.Now().Add(time.Minute); ; {
		bad, took := limitsSaid(t)
		if took < 500*time.Millisecond { // what is left grows meanwhile
			for _, line := range bad {
				t.Error(line)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("four requests take %v", took)
		}
	}
}

// limitsSaid asks a new server four times: what its answers say that they should not, and how
// long that took.
func limitsSaid(t *testing.T) (bad []string, took time.Duration) {
	t.Helper()
	f := apitest.New(apitest.Script{Refuse: map[string]error{"Tasks": problem.New(problem.CodeMoving)}})
	s := serveLimited(t, f, api.ListenerLimits{Connections: 9, Streams: 7, Rate: 0.5, Burst: 3}, api.Options{})
	h := http.Client{Transport: client.Socket(s.socket)}
	t.Cleanup(h.CloseIdleConnections)
	began := time.Now()
	for i, want := range []struct {
		path, left, retry string
		status            int
	}{{"/v1/rules", `"requests";r=2;t=2`, "", 200}, {"/v1/tasks", `"requests";r=1;t=4`, "5", 503}, {"/v1/rules", `"requests";r=0;t=6`, "", 200}, {"/v1/rules", `"requests";r=0;t=6`, "2", 429}} {
		res, err := h.Get("http://piwork" + want.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := res.Header.Get("RateLimit"); res.StatusCode != want.status || got != want.left || res.Header.Get("Retry-After") != want.retry ||
			res.Header.Get("RateLimit-Policy") != `"requests";q=3;w=6, "streams";q=7;qu="concurrent-requests"` {
			bad = append(bad, fmt.Sprintf("%d: %d %v", i, res.StatusCode, res.Header))
		}
	}
	return bad, time.Since(began)
}

// A client of ours that asks too fast waits as long as it is told, and gets through.
func TestClientWaits(t *testing.T) {
	s := serveLimited(t, apitest.New(apitest.Script{}), api.ListenerLimits{Connections: 9, Streams: 9, Rate: 4, Burst: 1}, api.Options{})
	for range 3 {
		if _, err := s.client.FindTasks(t.Context(), task.Filter{}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := s.client.About(t.Context())
	if err != nil || a.Limits == nil || a.Limits.Rate != 4 || a.Limits.Connections != 9 {
		t.Errorf("%+v %v", a.Limits, err)
	}
}

// Ten thousand connections cost what the limit allows, and no more.
func TestTenThousandConnections(t *testing.T) {
	const dialled = 10_000
	l := api.ListenerLimits{Connections: 100, Streams: 9, Rate: 1e6, Burst: 1e6}
	ln := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- l.Serve(ctx, ln, newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Handler()) }()
	before := runtime.NumGoroutine()
	open := make([]net.Conn, dialled)
	for i := range open {
		open[i] = ln.dial()
	}
	if n := runtime.NumGoroutine() - before; n > 3*(l.Connections+100) {
		t.Errorf("%d goroutines", n)
	}
	await(t, func() bool { // the last ones are about to be
		dropped := 0
		for _, c := range open {
			_ = c.SetReadDeadline(time.Now()) // of those that are closed the end is known all the same
			if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
				dropped++
			}
		}
		return dropped >= dialled-l.Connections-64
	})
	for _, c := range open {
		_ = c.Close()
	}
	await(t, func() bool {
		c := ln.dial()
		defer c.Close()
		if _, err := io.WriteString(c, "GET /_health HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return false
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return false
		}
		return res.Body.Close() == nil && res.StatusCode == 200
	})
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// pipes is a listener whose connections are in memory: a test has few descriptors.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// Of two hundred streams each gets what it asked for and misses nothing, though others do
// not read, and nobody waits for those.
func TestTwoHundredStreams(t *testing.T) {
	const clients, each = 200, 50
	b := &brokered{Fake: apitest.New(apitest.Script{}), Broker: events.New(time.Now)}
	s := serveLimited(t, b, api.Limited, api.Options{})
	for range 20 {
		s.dial("GET /v1/events HTTP/1.1", host, "", "") // and nobody reads
	}
	var readers, ready sync.WaitGroup
	for i := range clients {
		ready.Add(1)
		readers.Go(func() {
			id := fmt.Sprint("task-", i)
			stands := make(chan struct{})
			go func() { <-stands; ready.Done() }()
			over := errors.New("that is all")
			n := 0
			err := s.client.Events(t.Context(), client.EventsOptions{EventFilter: task.EventFilter{Task: id}, Ready: stands}, func(e task.Event) error {
				if e.Task != id {
					t.Errorf("an event of %s for %s", e.Task, id)
				}
				if d, ok := e.Data.(task.StepData); !ok || d.Step != fmt.Sprint(n) {
					t.Errorf("event %d is %+v", n, e)
				}
				if n++; n == each {
					return over
				}
				return nil
			})
			if !errors.Is(err, over) {
				t.Errorf("%d of %d events: %v", n, each, err)
			}
		})
	}
	ready.Wait()
	for n := range each {
		for i := range clients {
			b.Publish(task.Event{Task: fmt.Sprint("task-", i), Kind: task.EventStep, Data: task.StepData{Step: fmt.Sprint(n)}})
		}
	}
	readers.Wait()
}

// A stream that comes back with a number that its controller never gave hears that it has
// to ask for everything again.
func TestResumeByWrongID(t *testing.T) {
	b := &brokered{Fake: apitest.New(apitest.Script{}), Broker: events.New(time.Now)}
	for range 3 {
		b.Publish(state("a", task.StateRunning))
	}
	s := serveLimited(t, b, api.Limited, api.Options{})
	for name, id := range map[string]int64{"of long ago": 1, "of the future": time.Now().Add(time.Hour).UnixMilli() * 1000, "of nobody": 1<<63 - 2} {
		t.Run(name, func(t *testing.T) {
			var got []task.EventKind
			over := errors.New("that is all")
			err := s.client.Events(t.Context(), client.EventsOptions{EventFilter: task.EventFilter{After: id, Task: "a"}}, func(e task.Event) error {
				if got = append(got, e.Kind); len(got) == 4 {
					return over
				}
				return nil
			})
			if !errors.Is(err, over) || got[0] != task.EventReset || got[3] != task.EventState {
				t.Errorf("%v %v", got, err)
			}
		})
	}
}

// A body has its time; what is done with it has its own.
func TestWorkOutlastsBody(t *testing.T) {
	const within = 50 * time.Millisecond
	s := serveLimited(t, &patientService{apitest.New(apitest.Script{}), 6 * within}, api.Limited, api.Options{BodyWithin: within})
	if _, err := s.client.VerifyPack(t.Context(), "/a"); err != nil {
		t.Error(err)
	}
}

type patientService struct {
	*apitest.Fake
	takes time.Duration
}

func (p *patientService) VerifyPack(ctx context.Context, file string) (runtimepack.Info, error) {
	select {
	case <-ctx.Done():
		return runtimepack.Info{}, context.Cause(ctx)
	case <-time.After(p.takes):
		return p.Fake.VerifyPack(ctx, file)
	}
}
