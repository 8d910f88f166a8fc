package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"piwork/vmhost/wire/mux"
)

// bridged is a bridge, and the host's side of it.
type bridged struct {
	addr string
	host *yamux.Session
	over chan error
}

func start(t *testing.T) *bridged {
	t.Helper()
	a, b := net.Pipe()
	host, err := mux.Host(mux.Guard(a))
	if err != nil {
		t.Fatal(err)
	}
	guest, err := mux.Guest(b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	br := &bridged{addr: l.Addr().String(), host: host, over: make(chan error, 1)}
	go func() { br.over <- serve(l, guest) }()
	t.Cleanup(func() {
		_ = host.Close()
		select {
		case err := <-br.over:
			if err == nil {
				t.Error("a bridge without a host ended well")
			}
		case <-time.After(20 * time.Second):
			t.Error("the bridge does not end with its host")
		}
		if c, err := net.Dial("tcp4", br.addr); err == nil {
			_ = c.Close()
			t.Error("connections are taken without a host")
		}
	})
	return br
}

func (b *bridged) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp4", b.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c.(*net.TCPConn)
}

func (b *bridged) accept(t *testing.T) net.Conn {
	t.Helper()
	c, err := b.host.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func TestHTTP(t *testing.T) {
	b := start(t)
	large := bytes.Repeat([]byte("piwork "), 500_000)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/large" {
			_, _ = w.Write(large)
			return
		}
		fmt.Fprintf(w, "%s %s %d", r.Method, r.URL.Path, len(body))
	})}
	go func() { _ = srv.Serve(b.host) }()
	defer srv.Close()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range 3 * mux.MaxStreams / 4 {
		all.Go(func() {
			path := fmt.Sprintf("/%d", i)
			resp, err := client.Post("http://"+b.addr+path, "text/plain", bytes.NewReader(large[:1000*i]))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if got, err := io.ReadAll(resp.Body); err != nil || string(got) != fmt.Sprintf("POST %s %d", path, 1000*i) {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	all.Wait()
	resp, err := client.Get("http://" + b.addr + "/large")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, large) {
		t.Errorf("%d bytes %v", len(got), err)
	}
}

// The end of what one side says is passed on, and the other one goes on.
func TestHalfClose(t *testing.T) {
	b := start(t)
	for _, hostFirst := range []bool{false, true} {
		c := b.dial(t)
		s := b.accept(t)
		var first, last interface {
			io.ReadWriter
		} = c, s
		end, endLast := c.CloseWrite, s.Close
		if hostFirst {
			first, last, end, endLast = s, c, s.Close, c.CloseWrite
		}
		if _, err := io.WriteString(first, "question"); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(last); err != nil || string(got) != "question" {
			t.Errorf("%q %v", got, err)
		}
		if _, err := io.WriteString(last, "answer"); err != nil {
			t.Fatal(err)
		}
		if err := endLast(); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(first); err != nil || string(got) != "answer" {
			t.Errorf("%q %v", got, err)
		}
	}
}

// linger shortens lingerTime for a test. It is called before start.
func linger(t *testing.T, d time.Duration) {
	was := lingerTime
	lingerTime = d
	t.Cleanup(func() { lingerTime = was })
}

// What a program still sends after the end of the host arrives, however long it takes.
func TestLongUpload(t *testing.T) {
	linger(t, time.Second)
	b := start(t)
	c := b.dial(t)
	s := b.accept(t)
	_ = s.Close()
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		var errs error
		for range 10 {
			time.Sleep(lingerTime / 4)
			_, err := io.WriteString(c, "x")
			errs = errors.Join(errs, err)
		}
		sent <- errors.Join(errs, c.CloseWrite())
	}()
	if got, err := io.ReadAll(s); err != nil || string(got) != "xxxxxxxxxx" {
		t.Errorf("%q %v", got, err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
}

// After the end of the host, a connection that stands still ends: of a program that
// says nothing more, and to a host that takes nothing more.
func TestEndOfLinger(t *testing.T) {
	linger(t, time.Second)
	b := start(t)
	c := b.dial(t)
	s := b.accept(t)
	_ = s.Close()
	if got, err := io.ReadAll(s); err != nil || len(got) > 0 {
		t.Errorf("a silent program: %q %v", got, err)
	}
	_ = c.Close()
	c = b.dial(t)
	s = b.accept(t)
	_ = s.Close()
	if _, err := io.Copy(c, bytes.NewReader(make([]byte, 64*mux.Window))); err == nil {
		t.Error("a program sends on to a host that takes nothing")
	} else if n := net.Error(nil); errors.As(err, &n) && n.Timeout() {
		t.Error("the connection to a host that takes nothing stays")
	}
	for tries := time.Now(); b.host.NumStreams() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(tries) > 20*time.Second {
			t.Fatalf("%d streams stay", b.host.NumStreams())
		}
	}
}

// More connections than there can be streams are refused; when one of them has
// ended there is room for another.
func TestTooMany(t *testing.T) {
	b := start(t)
	var conns []*net.TCPConn
	var streams []net.Conn
	for range mux.MaxStreams {
		conns = append(conns, b.dial(t))
		streams = append(streams, b.accept(t))
	}
	if c := b.knock(t); c != nil && !refused(c) {
		t.Error("one too many is taken")
	}
	_ = conns[0].Close()
	if _, err := io.ReadAll(streams[0]); err != nil {
		t.Error(err)
	}
	_ = streams[0].Close()
	taken := make(chan net.Conn, 1)
	go func() {
		if s, err := b.host.Accept(); err == nil {
			taken <- s
		}
	}()
	var s net.Conn
	for tries := time.Now(); s == nil; { // the bridge hears of it a moment later
		if time.Since(tries) > 20*time.Second {
			t.Fatal("no room for another")
		}
		c := b.knock(t)
		if c == nil {
			continue
		}
		_, _ = io.WriteString(c, "x")
		over := make(chan bool, 1)
		go func() { over <- refused(c) }()
		select {
		case s = <-taken:
		case no := <-over:
			if !no {
				t.Fatal("a connection is neither taken nor refused")
			}
		}
	}
	_ = s.SetDeadline(time.Now().Add(20 * time.Second))
	got := make([]byte, 1)
	if _, err := io.ReadFull(s, got); err != nil || string(got) != "x" {
		t.Errorf("%q %v", got, err)
	}
}

// knock is a connection that the bridge may refuse, nil where it did at once.
func (b *bridged) knock(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp4", b.addr)
	if err != nil {
		return nil
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// refused waits for the bridge to end a connection, and tells whether it did.
func refused(c net.Conn) bool {
	var n net.Error
	_, err := c.Read(make([]byte, 1))
	return err != nil && (!errors.As(err, &n) || !n.Timeout())
}

// What a program breaks off ends on the host; what the host says to it meanwhile
// holds nothing up.
func TestBrokenOff(t *testing.T) {
	b := start(t)
	c := b.dial(t)
	s := b.accept(t)
	_ = c.SetLinger(0)
	_ = c.Close()
	if _, err := io.Copy(s, bytes.NewReader(make([]byte, 4*mux.Window))); err != nil {
		t.Errorf("what is said to nobody: %v", err)
	}
	if _, err := io.ReadAll(s); err != nil {
		t.Error(err)
	}
	_ = s.Close()
	c = b.dial(t)
	s = b.accept(t)
	_ = b.host.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a connection goes on without a host")
	}
	_ = s.Close()
}
