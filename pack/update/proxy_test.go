package update

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"piwork/pack/update/proxy"
)

// forward is a proxy in a world: for requests, and for connections by CONNECT.
type forward struct {
	w       *world
	user    string // "name:password", "" lets everybody through
	offers  []string
	connect int // status of CONNECT, 0 connects
}

func (f *forward) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if f.user != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(f.user)) {
		for _, o := range f.offers {
			rw.Header().Add("Proxy-Authenticate", o)
		}
		rw.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if r.Method != http.MethodConnect {
		out := r.Clone(r.Context())
		out.RequestURI = ""
		t := &http.Transport{DialContext: f.w.dial, DisableKeepAlives: true, DisableCompression: true}
		resp, err := t.RoundTrip(out)
		if err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			rw.Header()[k] = v
		}
		rw.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(rw, resp.Body)
		return
	}
	if f.connect != 0 {
		rw.WriteHeader(f.connect)
		return
	}
	there, err := f.w.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	here, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(there, here)
		there.Close()
	}()
	_, _ = io.Copy(here, there)
	here.Close()
	<-done
}

// Proxies with and without a password, for http and https.
func TestProxy(t *testing.T) {
	arch := newArchive(20, 8)
	basic := []string{`Negotiate`, `Basic realm="x"`}
	tests := []struct {
		name   string
		proxy  forward
		o      Options
		absent bool // nobody listens at the proxy's address
		want   Code // with https
		plain  Code // with http
		kinds  string
	}{
		{name: "open", o: Options{Proxy: "proxy.test:3128"}},
		{name: "password in the address", proxy: forward{user: "ann:s3cret", offers: basic}, o: Options{Proxy: "http://ann:s3cret@proxy.test:3128"}},
		{name: "signs in the password", proxy: forward{user: "ann:s3:c/ret", offers: basic}, o: Options{Proxy: "http://ann:s3%3Ac%2Fret@proxy.test:3128"}},
		{name: "wrong password", proxy: forward{user: "ann:other", offers: basic}, o: Options{Proxy: "http://ann:s3cret@proxy.test:3128"},
			want: CodeProxyAuth, plain: CodeProxyAuth, kinds: "Negotiate Basic"},
		{name: "no password", proxy: forward{user: "ann:other"}, o: Options{Proxy: "http://proxy.test:3128"}, want: CodeProxyAuth, plain: CodeProxyAuth},
		{name: "another way to sign in", proxy: forward{user: "ann:other", offers: []string{"NTLM", "Negotiate"}}, o: Options{Proxy: "http://ann:s3cret@proxy.test:3128"},
			want: CodeProxyAuthKind, plain: CodeProxyAuthKind, kinds: "NTLM Negotiate"},
		{name: "does not connect", proxy: forward{connect: 403}, o: Options{Proxy: "http://proxy.test:3128"}, want: CodeProxyRefused},
		{name: "does not reach it", proxy: forward{connect: 502}, o: Options{Proxy: "http://proxy.test:3128"}, want: CodeProxyRefused},
		{name: "is not there", absent: true, o: Options{Proxy: "http://ann:s3cret@proxy.test:3128"}, want: CodeProxyUnreachable, plain: CodeProxyUnreachable},
		{name: "has no address", absent: true, o: Options{Proxy: "http://unknown.test:3128"}, want: CodeProxyUnreachable, plain: CodeProxyUnreachable},
	}
	for _, scheme := range []string{"https", "http"} {
		for _, tt := range tests {
			run(t, scheme+" "+tt.name, func(t *testing.T, w *world) {
				ca := newAuthority(t, "CA")
				srv := w.serve("m0.test:443", content(arch.data, `"1"`), ca.server(time.Hour, "m0.test"))
				open := w.serve("m0.test:80", content(arch.data, `"1"`), nil)
				if !tt.absent {
					f := tt.proxy
					f.w = w
					w.serve("proxy.test:3128", &f, nil)
				}
				tt.o.CAFiles, tt.o.Mirrors = []string{ca.File}, []string{scheme + "://m0.test/"}
				want := tt.want
				if scheme == "http" {
					want = tt.plain
				}
				s := arch.store()
				err := w.client(tt.o).get(t.Context(), "x", arch.length(), s, nil)
				if CodeOf(err) != want || (err == nil) != (want == "") {
					t.Fatalf("got %v, want %q", err, want)
				}
				if err == nil {
					if len(s.Missing()) > 0 || srv.requests.Load()+open.requests.Load() == 0 {
						t.Error("not all is there")
					}
					srv.agents.Range(func(k, v any) bool {
						if strings.HasPrefix(k.(string), "Proxy-") {
							t.Errorf("the server saw %v: %v", k, v)
						}
						return true
					})
					return
				}
				if e := err.(*Error); tt.kinds != "" && strings.Join(e.Kinds, " ") != tt.kinds {
					t.Errorf("kinds %q", e.Kinds)
				}
				if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "s3cret") || !strings.Contains(text, "3128") {
					t.Errorf("the error does not name the proxy, or tells its password: %s", text)
				}
			})
		}
	}
}

// socks is a SOCKS5 proxy (RFC 1928, RFC 1929) in a world.
func (w *world) socks(at, user string, reply byte) {
	l := w.listen(at)
	serve := func(here net.Conn) {
		defer here.Close()
		read := func(n int) []byte {
			b := make([]byte, n)
			if _, err := io.ReadFull(here, b); err != nil {
				return make([]byte, n)
			}
			return b
		}
		methods := read(int(read(2)[1]))
		want := byte(0)
		if user != "" {
			want = 2
		}
		if !bytes.Contains(methods, []byte{want}) {
			_, _ = here.Write([]byte{5, 0xff})
			return
		}
		_, _ = here.Write([]byte{5, want})
		if user != "" {
			name := string(read(int(read(2)[1])))
			if name+":"+string(read(int(read(1)[0]))) != user {
				_, _ = here.Write([]byte{1, 1})
				return
			}
			_, _ = here.Write([]byte{1, 0})
		}
		read(4) // version, command, zero, type: a name
		host := string(read(int(read(1)[0])))
		port := read(2)
		_, _ = here.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0})
		if reply != 0 {
			return
		}
		there, err := w.dial(context.Background(), "tcp", fmt.Sprintf("%s:%d", host, int(port[0])<<8|int(port[1])))
		if err != nil {
			return
		}
		done := make(chan struct{})
		go func() { defer close(done); _, _ = io.Copy(there, here); there.Close() }()
		_, _ = io.Copy(here, there)
		here.Close()
		<-done
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
}

func TestSOCKS(t *testing.T) {
	for name, tt := range map[string]struct {
		proxy, user string
		reply       byte
		want        Code
	}{
		"open":           {"socks5://proxy.test:1080", "", 0, ""},
		"password":       {"socks5://ann:s3cret@proxy.test:1080", "ann:s3cret", 0, ""},
		"wrong password": {"socks5://ann:s3cret@proxy.test:1080", "ann:other", 0, CodeProxyAuth},
		"no password":    {"socks5://proxy.test:1080", "ann:other", 0, CodeProxyAuth},
		"not allowed":    {"socks5://proxy.test:1080", "", 2, CodeProxyRefused},
		"not there":      {"socks5://proxy.test:1081", "", 0, CodeProxyUnreachable},
	} {
		run(t, name, func(t *testing.T, w *world) {
			w.serve("m0.test:80", content([]byte("{}"), ""), nil)
			w.socks("proxy.test:1080", tt.user, tt.reply)
			data, err := w.client(Options{Mirrors: []string{"http://m0.test"}, Proxy: tt.proxy}).Fetch(t.Context(), "x", 10)
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") || err == nil && string(data) != "{}" {
				t.Errorf("got %q, %v; want %q", data, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("tells the password: %v", err)
			}
		})
	}
}

// A script is not run; that it is there is said when nothing is reached without.
func TestProxyScript(t *testing.T) {
	run(t, "", func(t *testing.T, w *world) {
		c := w.client(Options{Mirrors: []string{"http://m0.test"}})
		c.proxy = proxy.Settings{Source: proxy.SourceGNOME, PAC: "http://ann:s3cret@wpad.test/proxy.pac?x=1"}
		c.choose, c.proxyAt = c.proxy.Func(), time.Now().Add(time.Hour)
		_, err := c.Fetch(t.Context(), "metadata/timestamp.json", 100)
		e, _ := errorIn(err)
		if e == nil || e.Code != CodeProxyScript || e.Script != "http://ann:xxxxx@wpad.test/proxy.pac" || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got %v", err)
		}
		w.serve("m0.test:80", content([]byte("{}"), ""), nil)
		if data, err := c.Fetch(t.Context(), "metadata/timestamp.json", 100); err != nil || string(data) != "{}" {
			t.Errorf("got %q, %v", data, err)
		}
	})
}

// The environment is followed.
func TestProxyEnvironment(t *testing.T) {
	for _, n := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		t.Setenv(n, "")
	}
	t.Setenv("HTTP_PROXY", "http://ann:pw@proxy.test:3128")
	t.Setenv("NO_PROXY", "m1.test")
	run(t, "", func(t *testing.T, w *world) {
		seen := w.serve("proxy.test:3128", &forward{w: w, user: "ann:pw"}, nil)
		w.serve("m0.test:80", content([]byte("zero"), ""), nil)
		w.serve("m1.test:80", content([]byte("one"), ""), nil)
		c, err := New(Options{Mirrors: []string{"http://m0.test"}, dial: w.dial})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if data, err := c.Fetch(t.Context(), "x", 100); string(data) != "zero" || err != nil || seen.requests.Load() != 1 {
			t.Errorf("got %q, %v; the proxy saw %d", data, err, seen.requests.Load())
		}
		if s, _, err := c.settings(t.Context()); err != nil || s.Source != proxy.SourceEnvironment {
			t.Errorf("settings %v, %v", s, err)
		}
		d, err := New(Options{Mirrors: []string{"http://m1.test"}, dial: w.dial})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if data, err := d.Fetch(t.Context(), "x", 100); string(data) != "one" || err != nil || seen.requests.Load() != 1 {
			t.Errorf("got %q, %v; the proxy saw %d", data, err, seen.requests.Load())
		}
	})
}
