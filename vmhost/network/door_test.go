package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// doorTo serves a network's door, and returns where.
func doorTo(t *testing.T, w *world, c Config) (*Network, string) {
	t.Helper()
	n := with(t, w, c)
	socket := filepath.Join(t.TempDir(), "door")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- n.ServeDoor(t.Context(), l) }()
	t.Cleanup(func() {
		n.Close()
		if err := <-served; !errors.Is(err, ErrClosed) && !errors.Is(err, context.Canceled) {
			t.Errorf("ServeDoor: %v", err)
		}
	})
	return n, socket
}

// through asks the door to connect, and returns the status that it answers with.
func through(t *testing.T, socket, address string) (net.Conn, int) {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address)
	r, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, 1<<10)), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	r.Body.Close()
	return c, r.StatusCode
}

// Programs reach through the door what the rules allow, and nothing else: not this computer, not
// its network, not the address at which clouds tell secrets, whatever they call it.
func TestDoor(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	w.serve("other.example", "93.184.215.15", 7777, echo)
	w.names["inner.example"] = []netip.Addr{netip.MustParseAddr("10.0.0.5")}
	w.names["home.example"] = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	w.names["cloud.example"] = []netip.Addr{netip.MustParseAddr("169.254.169.254")}
	n, socket := doorTo(t, w, restricted(t, "good.example:7777 inner.example:7777 home.example:7777 cloud.example:7777", ""))
	c, status := through(t, socket, "good.example:7777")
	if status != http.StatusOK {
		t.Fatalf("%d", status)
	}
	if err := says(c, "hello"); err != nil {
		t.Error(err)
	}
	for _, address := range []string{
		"other.example:7777", "good.example:7778", "inner.example:7777", "home.example:7777", "cloud.example:7777", "localhost:7777", "127.0.0.1:22", "[::1]:22",
		"169.254.169.254:80", "10.0.0.5:7777", "0.0.0.0:22", "198.18.0.1:53", "198.19.0.1:80", "[::ffff:127.0.0.1]:22", "2130706433:22",
	} {
		if _, status := through(t, socket, address); status != http.StatusForbidden && status != http.StatusBadGateway && status != http.StatusBadRequest {
			t.Errorf("%s: %d", address, status)
		}
	}
	for _, prefix := range []string{"10.", "127.", "169.254.", "0.", "198.1", "93.184.215.15"} {
		if w.hasDialled(prefix) {
			t.Errorf("%s was dialled", prefix)
		}
	}
	// What is not allowed any more ends.
	n.SetRules(nil)
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it goes on: %v", err)
	}
}

// A request in plain text reaches its host, as one to it, and no other one.
func TestDoorInPlainText(t *testing.T) {
	w := newWorld(t)
	heard := make(chan *http.Request, 1)
	w.serve("good.example", "93.184.215.14", 80, func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		body, _ := io.ReadAll(r.Body)
		heard <- r
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", body)
		c.Close()
	})
	_, socket := doorTo(t, w, restricted(t, "good.example", ""))
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) },
		Proxy:       func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy") },
	}}
	r, err := client.Post("http://good.example/a?b=c", "text/plain", io.MultiReader(strings.NewReader("what "), strings.NewReader("comes back")))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	got := <-heard
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "what comes back" || got.Host != "good.example" || got.RequestURI != "/a?b=c" || got.Header.Get("Proxy-Connection") != "" {
		t.Errorf("%q %v, %+v", b, err, got)
	}
	if r, err := client.Get("http://bad.example/"); err != nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("%+v %v", r, err)
	}
	for _, said := range []string{
		"GET http://good.example/ HTTP/1.1\r\nHost: bad.example\r\n\r\n", // the address counts
	} {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, said)
		if r := <-heard; r.Host != "good.example" {
			t.Errorf("%q: %s", said, r.Host)
		}
	}
}

// Nonsense is answered and ends nothing.
func TestDoorToNonsense(t *testing.T) {
	w := newWorld(t)
	w.serve("good.example", "93.184.215.14", 7777, echo)
	_, socket := doorTo(t, w, restricted(t, "good.example:7777", ""))
	for _, said := range []string{
		"SSH-2.0-x\r\n\r\n", "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "CONNECT good.example HTTP/1.1\r\n\r\n", "CONNECT good.example:0 HTTP/1.1\r\n\r\n",
		"GET ftp://good.example/ HTTP/1.1\r\n\r\n", "GET http://me:secret@good.example/ HTTP/1.1\r\n\r\n", "\x05\x01\x00",
		"GET http://good.example/ HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", maxDoorHead),
	} {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, said)
		c.(*net.UnixConn).CloseWrite()
		b, _ := io.ReadAll(c)
		if !strings.HasPrefix(string(b), "HTTP/1.1 400 ") && len(b) > 0 {
			t.Errorf("%.40q: %.80q", said, b)
		}
		c.Close()
	}
	if _, status := through(t, socket, "good.example:7777"); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
}
