package inspect

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowIsNoStall holds that a deadline counts while the guest is waited for, and not while
// the server is.
func TestSlowIsNoStall(t *testing.T) {
	const slow = 3 * stallWait
	big := bytes.Repeat([]byte("x"), 3<<20)
	for name, c := range map[string]struct {
		body   []byte
		handle http.HandlerFunc
		want   string
	}{
		"an answer that begins late": {nil, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(slow)
			io.WriteString(w, "late")
		}, "late"},
		"an answer with a pause": {nil, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			time.Sleep(slow)
			io.WriteString(w, "b")
		}, "ab"},
		"a body that is read late": {big, func(w http.ResponseWriter, r *http.Request) {
			one := make([]byte, 1)
			io.ReadFull(r.Body, one)
			time.Sleep(slow)
			rest, err := io.ReadAll(r.Body)
			if err != nil || len(rest) != len(big)-1 {
				w.WriteHeader(http.StatusTeapot)
			}
			io.WriteString(w, "whole")
		}, "whole"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, h2 bool) {
				synctest.Test(t, func(t *testing.T) { slowly(t, h2, c.body, c.handle, c.want) })
			})
		})
	}
}

func slowly(t *testing.T, h2 bool, body []byte, handle http.HandlerFunc, want string) {
	conns, done := make(chan net.Conn), make(chan struct{})
	server := httptest.NewUnstartedServer(handle)
	server.Listener.Close()
	server.Listener = &queue{conns: conns, done: done}
	server.StartTLS()
	defer server.Close()
	defer close(done)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	rules, err := ParseRules([]string{"allow * /**"})
	if err != nil {
		t.Fatal(err)
	}
	var recorded Request
	i, err := New(Config{Roots: roots, Sites: []Site{{Host: host, Rules: rules}}, OnRequest: func(r Request) { recorded = r }}, func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		conns <- b
		return a, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(i.Certificate())
	protocols := []string{"http/1.1"}
	if h2 {
		protocols = []string{"h2"}
	}
	tr := &http.Transport{DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		a, b := net.Pipe()
		go i.Serve(t.Context(), b, host, 443)
		c := tls.Client(a, &tls.Config{ServerName: host, RootCAs: trust, NextProtos: protocols})
		return c, c.HandshakeContext(ctx)
	}, ForceAttemptHTTP2: h2}
	defer tr.CloseIdleConnections()
	q, err := http.NewRequest("POST", "https://"+host+"/a", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r, err := tr.RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	i.Close()
	if err != nil || string(got) != want || r.StatusCode != http.StatusOK || recorded.Reason != "" {
		t.Errorf("%d, %q, %v, recorded %+v", r.StatusCode, got, err, recorded)
	}
}
