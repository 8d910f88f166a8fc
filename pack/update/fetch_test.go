package update

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func errorIn(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Small files, and what comes in their place.
func TestFetch(t *testing.T) {
	const max = 1000
	good := content([]byte(`{"signed":1}`), "")
	text := func(s string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) })
	}
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 512)); err != nil {
				return
			}
		}
	})
	tests := []struct {
		name    string
		mirrors []http.Handler
		want    Code
		absent  bool // fs.ErrNotExist
		got     string
		atMost  time.Duration
	}{
		{name: "good", mirrors: []http.Handler{good}, got: `{"signed":1}`, atMost: time.Second},
		{name: "empty", mirrors: []http.Handler{text("")}},
		{name: "as long as it may be", mirrors: []http.Handler{text(strings.Repeat("x", max))}, got: strings.Repeat("x", max)},
		{name: "too long", mirrors: []http.Handler{text(strings.Repeat("x", max+1))}, want: CodeTooLarge, atMost: time.Second},
		{name: "no end", mirrors: []http.Handler{endless}, want: CodeTooLarge, atMost: time.Second},
		{name: "not there", mirrors: []http.Handler{http.NotFoundHandler()}, want: CodeNotFound, absent: true, atMost: time.Second},
		{name: "not handed out", mirrors: []http.Handler{status(403)}, want: CodeDenied, absent: true, atMost: time.Second},
		{name: "not on the first", mirrors: []http.Handler{http.NotFoundHandler(), good}, got: `{"signed":1}`},
		{name: "not on the first, the other is down", mirrors: []http.Handler{http.NotFoundHandler(), nil}, want: CodeNotFound, absent: true, atMost: time.Millisecond},
		{name: "the first is down, not on the other", mirrors: []http.Handler{nil, http.NotFoundHandler()}, want: CodeNotFound, absent: true, atMost: time.Millisecond},
		{name: "down", mirrors: []http.Handler{nil}, want: CodeUnreachable, atMost: 10 * time.Second},
		{name: "broken", mirrors: []http.Handler{status(500)}, want: CodeServerError, atMost: 10 * time.Second},
		{name: "broken once", mirrors: []http.Handler{first(1, status(500), good)}, got: `{"signed":1}`, atMost: 10 * time.Second},
		{name: "cut off", mirrors: []http.Handler{raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")}, want: CodeInterrupted, atMost: 10 * time.Second},
		{name: "chunks that are none", mirrors: []http.Handler{raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}, want: CodeInterrupted},
		{name: "a part", mirrors: []http.Handler{raw("HTTP/1.1 206 OK\r\nContent-Range: bytes 0-0/2\r\nContent-Length: 1\r\n\r\n{")}, want: CodeBadAnswer, atMost: time.Second},
		{name: "a page", mirrors: []http.Handler{text("  <!DOCTYPE html><title>Welcome")}, want: CodeCaptivePortal, atMost: time.Second},
		{name: "a page that does not say so", mirrors: []http.Handler{raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n\n<html><body>hi")}, want: CodeCaptivePortal},
		{name: "compressed", mirrors: []http.Handler{raw("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx")}, want: CodeBadAnswer},
		{name: "stalls", mirrors: []http.Handler{http.HandlerFunc(silence)}, want: CodeStalled, atMost: 2 * time.Minute},
	}
	for _, tt := range tests {
		run(t, tt.name, func(t *testing.T, w *world) {
			var base []string
			for i, h := range tt.mirrors {
				at := "m" + string(rune('0'+i)) + ".test"
				if h != nil {
					w.serve(at+":80", h, nil)
				}
				base = append(base, "http://"+at+"/channel")
			}
			begin := time.Now()
			data, err := w.client(Options{Mirrors: base}).Fetch(t.Context(), "metadata/1.root.json", max)
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") || string(data) != tt.got {
				t.Fatalf("got %.40q, %v; want %q, code %q", data, err, tt.got, tt.want)
			}
			if errors.Is(err, fs.ErrNotExist) != tt.absent {
				t.Errorf("fs.ErrNotExist in %v", err)
			}
			if took := time.Since(begin); tt.atMost > 0 && took > tt.atMost {
				t.Errorf("took %s", took)
			}
		})
	}
}

// A mirror that failed for good is the last choice for a while.
func TestMemory(t *testing.T) {
	run(t, "", func(t *testing.T, w *world) {
		portal := w.serve("m0.test:80", status(511), nil)
		w.serve("m1.test:80", content([]byte("x"), ""), nil)
		c := w.client(Options{Mirrors: []string{"http://m0.test", "http://m1.test"}})
		for range 5 {
			if _, err := c.Fetch(t.Context(), "a", 10); err != nil {
				t.Fatal(err)
			}
		}
		if n := portal.requests.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		time.Sleep(shunned)
		if _, err := c.Fetch(t.Context(), "a", 10); err != nil || portal.requests.Load() != 2 {
			t.Errorf("asked %d times, %v", portal.requests.Load(), err)
		}
	})
}

// A directory is a mirror too.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "metadata"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "metadata", "1.root.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	arch := newArchive(20, 9)
	if err := os.WriteFile(filepath.Join(dir, "x.tar.zst"), arch.data, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Mirrors: []string{"file://" + filepath.ToSlash(dir)}, Proxy: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if data, err := c.Fetch(t.Context(), "metadata/1.root.json", 10); string(data) != "{}" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := c.Fetch(t.Context(), "metadata/2.root.json", 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	s := arch.store()
	if err := c.get(t.Context(), "x.tar.zst", arch.length(), s, nil); err != nil || len(s.Missing()) > 0 {
		t.Errorf("%v, %d chunks missing", err, len(s.Missing()))
	}
}
