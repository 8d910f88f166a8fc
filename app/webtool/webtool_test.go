package webtool

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is servers by "host:port"; whatever else is dialled is refused.
type web struct {
	mu      sync.Mutex
	servers map[string]string
	dialled []string
}

var errRefused = errors.New("refused by a rule")

func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dialled = append(w.dialled, address)
	to, ok := w.servers[address]
	if !ok {
		return nil, errRefused
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// serve is a fetcher for a web whose one server is at a.example and b.example.
func serve(t *testing.T, h http.HandlerFunc) (*Fetcher, *web) {
	t.Helper()
	plain, secure := httptest.NewServer(h), httptest.NewTLSServer(h)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	w := &web{servers: map[string]string{}}
	for _, host := range []string{"a.example", "b.example", "example.com"} {
		w.servers[host+":80"] = plain.Listener.Addr().String()
		w.servers[host+":443"] = secure.Listener.Addr().String()
	}
	f := NewFetcher(w.dial, nil)
	f.transport.TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	t.Cleanup(f.Close)
	return f, w
}

func says(typ, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if typ != "" {
			w.Header().Set("Content-Type", typ)
		}
		io.WriteString(w, body)
	}
}

func TestFetch(t *testing.T) {
	for name, c := range map[string]struct {
		typ, body string
		want      Page
		err       string
	}{
		"HTML":                {"text/html; charset=utf-8", "<title> A  page </title><p>Words.", Page{Type: "text/html", Title: "A page", Text: "Words."}, ""},
		"text":                {"text/plain", "as it\n  is", Page{Type: "text/plain", Text: "as it\n  is"}, ""},
		"JSON":                {"application/problem+json", `{"a":1}`, Page{Type: "application/problem+json", Text: `{"a":1}`}, ""},
		"another charset":     {"text/html; charset=iso-8859-1", "<p>caf\xe9", Page{Type: "text/html", Text: "café"}, ""},
		"charset in the page": {"text/html", `<meta charset="windows-1252"><p>` + "\x80", Page{Type: "text/html", Text: "€"}, ""},
		"not that charset":    {"text/plain; charset=utf-8", "a\xffb", Page{Type: "text/plain", Text: "a\uFFFDb"}, ""},
		"empty":               {"text/html", "", Page{Type: "text/html"}, ""},
		"a program":           {"application/octet-stream", "\x7fELF", Page{}, "no text"},
		"a picture":           {"image/svg", "<svg>", Page{}, "no text"},
		"no type at all":      {"/;;", "x", Page{}, "type"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := serve(t, says(c.typ, c.body))
			got, err := f.Fetch(context.Background(), "http://a.example/x#part")
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			c.want.URL, c.want.Status = "http://a.example/x", 200
			if err != nil || got != c.want {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestFetchIsBounded(t *testing.T) {
	t.Run("size", func(t *testing.T) {
		f, _ := serve(t, says("text/plain", strings.Repeat("€", maxBody)))
		p, err := f.Fetch(context.Background(), "http://a.example/")
		if err != nil || !p.Truncated || len(p.Text) > maxText || strings.Trim(p.Text, "€") != "" {
			t.Errorf("%d bytes, %v, %v", len(p.Text), p.Truncated, err)
		}
	})
	t.Run("what is packed", func(t *testing.T) {
		f, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(make([]byte, 64<<20))
			z.Close()
			w.Write(b.Bytes())
		})
		p, err := f.Fetch(context.Background(), "http://a.example/")
		if err != nil || !p.Truncated || len(p.Text) > maxText {
			t.Errorf("%d bytes, %v, %v", len(p.Text), p.Truncated, err)
		}
	})
	t.Run("depth", func(t *testing.T) {
		f, _ := serve(t, says("text/html", strings.Repeat("<div><b>", 100000)+"deep"))
		if p, err := f.Fetch(context.Background(), "http://a.example/"); err == nil && len(p.Text) > maxText {
			t.Errorf("%d bytes", len(p.Text))
		}
	})
	t.Run("header", func(t *testing.T) {
		f, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("y", 2*maxHeader)) })
		if _, err := f.Fetch(context.Background(), "http://a.example/"); err == nil {
			t.Error("taken")
		}
	})
	t.Run("time", func(t *testing.T) {
		done := make(chan struct{})
		f, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "<p>begun")
			w.(http.Flusher).Flush()
			<-done
		})
		f.wait = 50 * time.Millisecond
		if _, err := f.Fetch(context.Background(), "http://a.example/"); err == nil {
			t.Error("it ended")
		}
		close(done)
	})
	t.Run("redirects", func(t *testing.T) {
		n := 0
		f, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n++
			http.Redirect(w, r, fmt.Sprintf("/%d", n), http.StatusFound)
		})
		if _, err := f.Fetch(context.Background(), "http://a.example/"); err == nil || n != maxRedirects+1 {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}

func TestRedirectsAreConnectionsOfTheirOwn(t *testing.T) {
	for to, ok := range map[string]bool{
		"http://b.example/end": true, "https://example.com/end": true,
		"http://evil.example/": false, "http://169.254.169.254/latest": false, "http://127.0.0.1:1/": false,
		"file:///etc/passwd": false, "http://user:password@b.example/": false, "gopher://b.example/": false,
	} {
		t.Run(to, func(t *testing.T) {
			f, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/end" {
					says("text/plain", "there")(w, r)
					return
				}
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
			})
			p, err := f.Fetch(context.Background(), "http://a.example/")
			if ok && (err != nil || p.Text != "there" || p.URL != to) || !ok && err == nil {
				t.Errorf("%+v, %v", p, err)
			}
			u, _ := url.Parse(to)
			if strings.Contains(to, "evil") && (!errors.Is(err, errRefused) || w.dialled[len(w.dialled)-1] != u.Host+":80") {
				t.Errorf("dialled %v: %v", w.dialled, err)
			}
		})
	}
}

func TestNoWayBackToPlainHTTP(t *testing.T) {
	f, w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://b.example/", http.StatusFound)
	})
	if _, err := f.Fetch(context.Background(), "https://example.com/"); err == nil || len(w.dialled) != 1 {
		t.Errorf("dialled %v, %v", w.dialled, err)
	}
}

func TestOnlyTheAddressLeaves(t *testing.T) {
	got := make(chan http.Header, 2)
	f, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	})
	if _, err := f.Fetch(context.Background(), "http://a.example/?q=1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for name := range <-got {
			if name != "Accept" && name != "Accept-Encoding" && name != "User-Agent" && name != "Connection" {
				t.Errorf("%s was sent", name)
			}
		}
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	f, w := serve(t, says("", ""))
	for _, a := range []string{"", "a.example", "ftp://a.example/", "http://", "http://me:pw@a.example/", "javascript:1",
		"http://a.example/" + strings.Repeat("x", maxAddress), "http://a\x00b/"} {
		if _, err := f.Fetch(context.Background(), a); err == nil {
			t.Errorf("%q was fetched", a)
		}
	}
	if len(w.dialled) > 0 {
		t.Errorf("dialled %v", w.dialled)
	}
}

func TestReadable(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("testdata", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "page.txt"))
	if err != nil {
		t.Fatal(err)
	}
	base, _ := url.Parse("https://a.example/dir/page.html")
	title, text, _, err := readable(bytes.NewReader(page), base, maxText)
	if err != nil || title != "Bread & butter" || text+"\n" != string(want) {
		t.Errorf("%q, %v\n%s", title, err, text)
	}
}

// A page makes no more text than is read of it, whatever its own address is: links are
// written with the whole of theirs.
func TestTextIsBoundedWhileItIsMade(t *testing.T) {
	base, err := url.Parse("https://evil.example/" + strings.Repeat("p", 4000) + "/")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{
		"links":     strings.Repeat("<a href=x>y</a>", 1000),
		"one word":  strings.Repeat("x", 1<<20),
		"words":     strings.Repeat("x ", 1<<20),
		"a title":   "<title>" + strings.Repeat("x", 1<<20) + "</title><p>" + strings.Repeat("x", 1<<20),
		"no spaces": "<pre>" + strings.Repeat("\n", 1<<20) + "x" + strings.Repeat("\n", 1<<20),
	} {
		const most = 1000
		title, text, more, err := readable(strings.NewReader(page), base, most)
		if err != nil || len(text) > most || !more || len(title) > maxTitle {
			t.Errorf("%s: %d bytes of text, %d of title, more: %v, %v", name, len(text), len(title), more, err)
		}
	}
	if _, text, more, err := readable(strings.NewReader("<p>short"), base, 1000); err != nil || text != "short" || more {
		t.Errorf("%q %v %v", text, more, err)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add("<p>a<b>b</b> c<ul><li>d<table><tr><td>e<td>f</table><pre>\n g </pre><a href=x>y</a>")
	f.Add("<main><title>x</title><svg><a href='//z'>")
	base, _ := url.Parse("https://a.example/")
	f.Fuzz(func(t *testing.T, s string) {
		_, text, _, err := readable(strings.NewReader(s), base, maxText)
		if err == nil && strings.TrimSpace(text) != text {
			t.Errorf("%q", text)
		}
	})
}
