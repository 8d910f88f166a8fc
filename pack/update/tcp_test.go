package update

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// rawServer answers connections over TCP, each in its own way.
func rawServer(t *testing.T, serve func(n int, c *net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(n, c.(*net.TCPConn))
			}()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// hello reads a request.
func hello(c net.Conn) string {
	b := make([]byte, 4096)
	n, _ := c.Read(b)
	return string(b[:n])
}

// The same over TCP, where connections end in ways that a pipe does not know.
func TestTCP(t *testing.T) {
	arch := newArchive(30, 11)
	good, _ := serveFiles(t, map[string][]byte{"x": arch.data}, nil)
	part := func(c net.Conn, n int) {
		hello(c)
		_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", arch.length())
		_, _ = c.Write(arch.data[:n])
	}
	tests := []struct {
		name   string
		server func(n int, c *net.TCPConn)
		base   string
		silent bool // it is given up for its silence
		only   bool // no good mirror besides
		want   Code
	}{
		{name: "resets at once", server: func(_ int, c *net.TCPConn) { _ = c.SetLinger(0) }},
		{name: "resets half-way", server: func(_ int, c *net.TCPConn) { part(c, 100_000); _ = c.SetLinger(0) }},
		{name: "closes half-way", server: func(_ int, c *net.TCPConn) { part(c, 100_000) }},
		{name: "falls silent", server: func(_ int, c *net.TCPConn) { part(c, 100_000); _, _ = io.Copy(io.Discard, c) }, silent: true},
		{name: "does not answer", server: func(_ int, c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }, silent: true},
		{name: "speaks another language", server: func(_ int, c *net.TCPConn) { hello(c); _, _ = io.WriteString(c, "220 mail ESMTP\r\n") }, only: true, want: CodeBadAnswer},
		{name: "speaks TLS", server: func(_ int, c *net.TCPConn) { hello(c); _, _ = c.Write([]byte{0x15, 3, 1, 0, 2, 2, 70}) }, only: true, want: CodeBadAnswer},
		{name: "is not there", base: "http://127.0.0.1:1", only: true, want: CodeUnreachable},
	}
	before := runtime.NumGoroutine()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Proxy: "direct", Attempts: 1, connected: func() bool { return true }}
			if tt.silent {
				o.Stall = 5 * time.Second // waited for in full here, and far from what a good server needs on a busy machine
			}
			if tt.base == "" {
				tt.base = rawServer(t, tt.server)
			}
			if o.Mirrors = []string{tt.base}; !tt.only {
				o.Mirrors = append(o.Mirrors, good)
			}
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s := arch.store()
			err = c.get(t.Context(), "x", arch.length(), s, nil)
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if err == nil && (len(s.Missing()) > 0 || s.again > 0) {
				t.Errorf("%d chunks missing, %d came twice", len(s.Missing()), s.again)
			}
		})
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("goroutines are left: %d of %d\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
