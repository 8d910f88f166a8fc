package update

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var quiet = log.New(io.Discard, "", 0)

// What servers do, and what comes of it.
func TestGet(t *testing.T) {
	a := newArchive(60, 1)
	good := content(a.data, `"v1"`)
	other := newArchive(60, 1)
	for i := range other.data {
		other.data[i] ^= 0xff
	}
	none := http.NotFoundHandler()
	all := bytesOf(a.chunks)
	page := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "<html>Sign in")
		})
	}
	partial := func(contentRange string, n int, headers ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.Header().Set("Content-Range", contentRange)
			w.Header().Set("Content-Length", fmt.Sprint(n))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(make([]byte, n))
		})
	}
	modified := func(data []byte, at int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Date(2020, 1, at, 0, 0, 0, 0, time.UTC), bytes.NewReader(data))
		})
	}
	endless := func(data []byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(data)
			for {
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		})
	}
	var atOnce atomic.Int64
	one := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer atOnce.Add(-1)
		if atOnce.Add(1) > 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		paced(64<<10, 10*time.Millisecond, good).ServeHTTP(w, r)
	})
	swap := first(2, good, content(other.data, `"v2"`))

	tests := []struct {
		name     string
		mirrors  []http.Handler // at m0.test, m1.test…; nil refuses connections
		base     []string       // in place of them
		have     int            // every nth chunk is there already
		want     Code           // "" is success
		sent     int64          // bytes at most, of all servers; 0 is what is missing
		requests int64          // at most, of the first; 0 is any number
		atLeast  time.Duration  // virtual time
		atMost   time.Duration
	}{
		{name: "a good server", mirrors: []http.Handler{good}, atMost: time.Second},
		{name: "a good server, half is there", mirrors: []http.Handler{good}, have: 2, sent: all, atMost: time.Second},
		{name: "without tags", mirrors: []http.Handler{content(a.data, "")}, atMost: time.Second},
		{name: "weak tags", mirrors: []http.Handler{content(a.data, `W/"1"`)}, atMost: time.Second},
		{name: "new tags in each answer", mirrors: []http.Handler{newTags(a.data)}, sent: 3 * all},
		{name: "gives less at a time", mirrors: []http.Handler{stingy(20_000, good)}},
		{name: "gives a byte at a time", mirrors: []http.Handler{stingy(1, good)}, want: CodeBadAnswer, requests: 4 * defaultAttempts},

		{name: "cuts off again and again", mirrors: []http.Handler{limited(50_000, good, hangUp)}},
		{name: "cuts off once", mirrors: []http.Handler{first(3, limited(10_000, good, hangUp), good)}},
		{name: "cuts off at once, always", mirrors: []http.Handler{limited(0, good, hangUp)}, want: CodeInterrupted, atLeast: 30 * time.Second, atMost: 5 * time.Minute},
		{name: "stalls once", mirrors: []http.Handler{first(1, limited(40_000, good, silence), good)}, atLeast: defaultStall, atMost: 2 * defaultStall},
		{name: "stalls always", mirrors: []http.Handler{limited(0, good, silence)}, want: CodeStalled, atLeast: 4 * time.Minute, atMost: 20 * time.Minute},
		{name: "never answers", mirrors: []http.Handler{http.HandlerFunc(silence)}, want: CodeStalled, atLeast: 4 * time.Minute, atMost: 20 * time.Minute},
		{name: "trickles", mirrors: []http.Handler{paced(1, time.Second, good)}, want: CodeStalled},
		{name: "slow and steady", mirrors: []http.Handler{paced(512, 10*time.Second, good)}, atLeast: time.Hour},

		{name: "ignores ranges", mirrors: []http.Handler{whole(a.data)}, sent: a.length(), requests: 1},
		{name: "ignores ranges, half is there", mirrors: []http.Handler{whole(a.data)}, have: 2, sent: a.length(), requests: 1},
		{name: "ignores ranges and cuts off once", mirrors: []http.Handler{first(1, limited(200_000, whole(a.data), hangUp), whole(a.data))}, sent: 2 * a.length(), requests: 2},
		{name: "ignores ranges, another knows them", mirrors: []http.Handler{whole(a.data), good}, have: 2, sent: 2 * a.length(), requests: 1},
		{name: "knows ranges, then ignores them", mirrors: []http.Handler{first(2, good, whole(a.data))}, sent: 4 * a.length()},
		{name: "ignores ranges, no end", mirrors: []http.Handler{endless(a.data)}, sent: a.length() + 1<<20},

		{name: "announces less than it should", mirrors: []http.Handler{partial(fmt.Sprintf("bytes 3000-100000/%d", a.length()), 500)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "another range", mirrors: []http.Handler{partial(fmt.Sprintf("bytes 0-499/%d", a.length()), 500)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "more than was asked for", mirrors: []http.Handler{partial(fmt.Sprintf("bytes 3000-%d/%d", a.length()-1, a.length()), 500)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "a range that contradicts itself", mirrors: []http.Handler{partial("bytes 3000-2000/*", 500)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "a range of something else", mirrors: []http.Handler{partial("lines 1-2/3", 500)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "several ranges", mirrors: []http.Handler{partial("", 500, "Content-Type", "multipart/byteranges; boundary=x")}, want: CodeBadAnswer, atMost: time.Second},
		{name: "another length in the range", mirrors: []http.Handler{partial("bytes 3000-3499/777777", 500)}, want: CodeChanged, atMost: time.Second},
		{name: "another length", mirrors: []http.Handler{whole(a.data[:70_000])}, want: CodeChanged, atMost: time.Second},
		{name: "shorter than the range", mirrors: []http.Handler{status(416, "Content-Range", "bytes */5")}, want: CodeChanged, atMost: time.Second},
		{name: "an empty answer", mirrors: []http.Handler{status(204)}, want: CodeBadAnswer, atMost: time.Second},
		{name: "compressed, it says", mirrors: []http.Handler{partial(fmt.Sprintf("bytes 3000-3499/%d", a.length()), 500, "Content-Encoding", "gzip")}, want: CodeBadAnswer, atMost: time.Second},
		{name: "no HTTP", mirrors: []http.Handler{raw("SSH-2.0-OpenSSH_9.2\r\n")}, want: CodeBadAnswer},
		{name: "a header without an end", mirrors: []http.Handler{raw("HTTP/1.1 206 OK\r\nX: " + strings.Repeat("x", 1<<20))}, want: CodeBadAnswer},
		{name: "hangs up", mirrors: []http.Handler{raw("")}, want: CodeInterrupted},
		{name: "garbage without an end", mirrors: []http.Handler{endless(other.data)}, want: CodeWrongContent, sent: 1 << 20, requests: 2},

		{name: "other content", mirrors: []http.Handler{content(other.data, "")}, want: CodeWrongContent, sent: 1 << 20},
		{name: "other content once", mirrors: []http.Handler{first(1, content(other.data, ""), good)}, sent: all + 1<<20},
		{name: "changes in between, with tags", mirrors: []http.Handler{swap}, want: CodeChanged, sent: 2 * all},
		{name: "changes in between, with times", mirrors: []http.Handler{first(2, modified(a.data, 1), modified(other.data, 2))}, want: CodeChanged, sent: 2 * all},
		{name: "changes in between, without a sign", mirrors: []http.Handler{first(2, content(a.data, ""), content(other.data, ""))}, want: CodeWrongContent, sent: 2 * all},
		{name: "grows in between", mirrors: []http.Handler{first(2, content(a.data, ""), content(append(a.data, 1), ""))}, want: CodeChanged, sent: 2 * all},

		{name: "a page to sign in", mirrors: []http.Handler{page(200)}, want: CodeCaptivePortal, atMost: time.Second},
		{name: "a network that says so", mirrors: []http.Handler{page(511)}, want: CodeCaptivePortal, atMost: time.Second},
		{name: "sent on to a page to sign in", mirrors: []http.Handler{http.RedirectHandler("http://m1.test/login", 302), page(200)}, base: []string{"http://m0.test"}, want: CodeCaptivePortal, atMost: time.Second},

		{name: "busy, with seconds", mirrors: []http.Handler{first(1, status(429, "Retry-After", "70"), good)}, atLeast: 70 * time.Second, atMost: 75 * time.Second},
		{name: "busy, with a date", mirrors: []http.Handler{first(1, status(503, "Retry-After", "Sat, 01 Jan 2000 00:01:30 GMT"), good)}, atLeast: 90 * time.Second, atMost: 95 * time.Second},
		{name: "serves one at a time", mirrors: []http.Handler{one}, atMost: 20 * time.Second},
		{name: "busy for hours", mirrors: []http.Handler{status(503, "Retry-After", "7200")}, want: CodeServerError, requests: 1, atMost: time.Second},
		{name: "broken", mirrors: []http.Handler{status(500)}, want: CodeServerError, requests: defaultAttempts, atLeast: 30 * time.Second, atMost: 5 * time.Minute},
		{name: "broken for a while", mirrors: []http.Handler{first(5, status(502), good)}},
		{name: "a request it does not like", mirrors: []http.Handler{status(400)}, want: CodeServerError, requests: 1},
		{name: "not there", mirrors: []http.Handler{none}, want: CodeNotFound, requests: 1, atMost: time.Second},
		{name: "not any more", mirrors: []http.Handler{status(410)}, want: CodeNotFound, requests: 1},
		{name: "not for us", mirrors: []http.Handler{status(403)}, want: CodeDenied, requests: 1},

		{name: "sent on", mirrors: []http.Handler{http.RedirectHandler("http://m1.test/x", 307), good}, base: []string{"http://m0.test"}, sent: all + 4096},
		{name: "sent on in a circle", mirrors: []http.Handler{http.RedirectHandler("http://m0.test/x", 302)}, want: CodeRedirect, requests: maxRedirects + 1, atMost: time.Second},
		{name: "sent on to a file", mirrors: []http.Handler{http.RedirectHandler("file:///etc/passwd", 302)}, want: CodeRedirect, requests: 1},
		{name: "sent on to nowhere", mirrors: []http.Handler{status(302)}, want: CodeBadAnswer},

		{name: "nobody there", mirrors: []http.Handler{nil}, want: CodeUnreachable, atLeast: 30 * time.Second},
		{name: "no such name", base: []string{"http://unknown.test"}, want: CodeUnreachable},
		{name: "nobody to ask for names", base: []string{"http://nameless.test"}, want: CodeOffline},
		{name: "no way out", base: []string{"http://noroute.test"}, want: CodeOffline},
		{name: "no answer to the connection", base: []string{"http://silent.test"}, want: CodeUnreachable},
		{name: "no mirror", want: CodeNoMirror, atMost: time.Second},

		{name: "the first does not have it", mirrors: []http.Handler{none, good}, sent: all + 4096, atMost: time.Second},
		{name: "the first is down", mirrors: []http.Handler{nil, good}, atMost: time.Second},
		{name: "the first stalls", mirrors: []http.Handler{limited(100, good, silence), good}, sent: all + 1000, atLeast: defaultStall, atMost: defaultStall + 5*time.Second},
		{name: "the first lies", mirrors: []http.Handler{content(other.data, ""), good}, sent: all + 2<<20},
		{name: "the first dies half-way", mirrors: []http.Handler{first(3, limited(30_000, good, hangUp), status(500)), good}, sent: all + 4*60<<10},
		{name: "two that break off in turn", mirrors: []http.Handler{limited(70_000, good, hangUp), limited(50_000, good, hangUp)}, sent: 2 * all},
		{name: "all bad in their own way: what can be mended is told", mirrors: []http.Handler{nil, none, page(200)}, want: CodeCaptivePortal},
		{name: "one is overloaded, another ahead", mirrors: []http.Handler{status(503, "Retry-After", "60"), good}, atMost: 5 * time.Second},
	}
	for _, tt := range tests {
		run(t, tt.name, func(t *testing.T, w *world) {
			var servers []*server
			base := tt.base
			for i, h := range tt.mirrors {
				at := fmt.Sprintf("m%d.test", i)
				if h != nil {
					servers = append(servers, w.serve(at+":80", h, nil))
				}
				if tt.base == nil {
					base = append(base, "http://"+at)
				}
			}
			s := a.store()
			if tt.have > 0 {
				for i := 0; i < len(a.chunks); i += tt.have {
					s.have[a.chunks[i].Offset] = true
				}
			}
			missing := bytesOf(s.Missing())
			var last Progress
			begin := time.Now()
			err := w.client(Options{Mirrors: base}).get(t.Context(), "packs/x", a.length(), s, func(p Progress) {
				if p.Done < last.Done {
					t.Errorf("progress goes back from %d to %d", last.Done, p.Done)
				}
				last = p
			})
			took := time.Since(begin)
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Fatalf("got %v, want code %q", err, tt.want)
			}
			if n := len(s.Missing()); err == nil && (n > 0 || last.Done != missing || last.Total != missing) {
				t.Errorf("%d chunks are missing, progress %+v, %d bytes were missing", n, last, missing)
			}
			if s.again > 0 {
				t.Errorf("%d chunks came twice", s.again)
			}
			var sent int64
			for _, s := range servers {
				sent += s.sent.Load()
			}
			if most := max(tt.sent, missing); err == nil && sent > most {
				t.Errorf("%d bytes were sent for %d, at most %d", sent, missing, most)
			} else if tt.sent > 0 && sent > tt.sent {
				t.Errorf("%d bytes were sent, at most %d", sent, tt.sent)
			}
			if len(servers) > 0 && tt.requests > 0 && servers[0].requests.Load() > tt.requests {
				t.Errorf("%d requests, at most %d", servers[0].requests.Load(), tt.requests)
			}
			if took < tt.atLeast || tt.atMost > 0 && took > tt.atMost {
				t.Errorf("took %s, want %s to %s", took, tt.atLeast, tt.atMost)
			}
		})
	}
}

// Connections are used again: about as many as requests at a time.
func TestConnections(t *testing.T) {
	a := newArchive(200, 13)
	run(t, "", func(t *testing.T, w *world) {
		srv := w.serve("m0.test:80", stingy(20_000, content(a.data, `"1"`)), nil)
		if err := w.client(Options{Mirrors: []string{"http://m0.test"}}).get(t.Context(), "x", a.length(), a.store(), nil); err != nil {
			t.Fatal(err)
		}
		if w.dials.Load() > 3*defaultParallel || srv.requests.Load() < 100 {
			t.Errorf("%d connections, %d requests", w.dials.Load(), srv.requests.Load())
		}
	})
}

// A cache on the way that has something else is gone round.
func TestCache(t *testing.T) {
	a := newArchive(20, 14)
	other := bytes.Repeat([]byte{1}, len(a.data))
	run(t, "", func(t *testing.T, w *world) {
		w.serve("m0.test:80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			data := other
			if r.Header.Get("Cache-Control") == "no-cache" {
				data = a.data
			}
			content(data, "").ServeHTTP(rw, r)
		}), nil)
		s := a.store()
		if err := w.client(Options{Mirrors: []string{"http://m0.test"}}).get(t.Context(), "x", a.length(), s, nil); err != nil || len(s.Missing()) > 0 {
			t.Errorf("%v, %d chunks missing", err, len(s.Missing()))
		}
	})
}

// What is waited for costs nothing but time.
func TestWaiting(t *testing.T) {
	a := newArchive(20, 15)
	run(t, "", func(t *testing.T, w *world) {
		w.serve("m0.test:80", first(1, status(503, "Retry-After", "30"), content(a.data, "")), nil)
		still := 0
		var last Progress
		err := w.client(Options{Mirrors: []string{"http://m0.test"}}).get(t.Context(), "x", a.length(), a.store(), func(p Progress) {
			if last = p; p.Done == 0 && p.Rate == 0 {
				still++
			}
		})
		if err != nil || still < 100 || last.Done != last.Total {
			t.Errorf("%v, nothing came at %d of the reports, and in the end %+v", err, still, last)
		}
	})
}

// FuzzAnswer: whatever a server sends, a download ends, keeps nothing that is
// wrong and leaves nothing running.
func FuzzAnswer(f *testing.F) {
	a := newArchive(1, 16)
	last := a.chunks[0].Offset + a.chunks[0].Packed - 1
	f.Add("")
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n")
	f.Add(fmt.Sprintf("HTTP/1.1 206 OK\r\nContent-Range: bytes 3000-%d/%d\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", last, len(a.data)))
	f.Add(fmt.Sprintf("HTTP/1.1 206 OK\r\nContent-Range: bytes 3000-%d/*\r\nETag: \"x\"\r\n\r\n%s", last, a.data[3000:]))
	f.Add("HTTP/1.1 301 Moved\r\nLocation: http://m0.test/y\r\nContent-Length: 0\r\n\r\n")
	f.Add("HTTP/1.1 503 Busy\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n")
	f.Fuzz(func(t *testing.T, answer string) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t, at: map[string]*listener{}}
			w.serve("m0.test:80", raw(answer), nil)
			s := a.store()
			err := w.client(Options{Mirrors: []string{"http://m0.test"}}).get(t.Context(), "x", a.length(), s, nil)
			if (err == nil) != (len(s.Missing()) == 0) || err != nil && CodeOf(err) == "" {
				t.Errorf("got %v with %d chunks missing", err, len(s.Missing()))
			}
		})
	})
}

// A full disk ends it at once, and is not blamed on anybody else.
func TestGetDisk(t *testing.T) {
	a := newArchive(60, 2)
	for name, tt := range map[string]struct {
		err  error
		want Code
	}{"full": {syscall.ENOSPC, CodeDiskFull}, "quota": {syscall.EDQUOT, CodeDiskFull}, "broken": {syscall.EIO, CodeDisk}} {
		run(t, name, func(t *testing.T, w *world) {
			srv := w.serve("m0.test:80", content(a.data, ""), nil)
			s := a.store()
			s.err = fmt.Errorf("write: %w", tt.err)
			err := w.client(Options{Mirrors: []string{"http://m0.test"}}).get(t.Context(), "x", a.length(), s, nil)
			if CodeOf(err) != tt.want || !errors.Is(err, tt.err) || srv.requests.Load() > defaultParallel {
				t.Errorf("got %v after %d requests", err, srv.requests.Load())
			}
		})
	}
}

// Pause is the end of the context; what arrived is not fetched again.
func TestPause(t *testing.T) {
	a := newArchive(60, 3)
	run(t, "", func(t *testing.T, w *world) {
		srv := w.serve("m0.test:80", paced(16<<10, 100*time.Millisecond, content(a.data, `"1"`)), nil)
		c := w.client(Options{Mirrors: []string{"http://m0.test"}})
		s := a.store()
		rounds := 0
		for len(s.Missing()) > 0 {
			rounds++
			ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
			err := c.get(ctx, "x", a.length(), s, nil)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		if rounds < 3 || s.again > 0 {
			t.Errorf("%d rounds, %d chunks came twice", rounds, s.again)
		}
		// A chunk that is under way when it is paused comes again.
		if most := bytesOf(a.chunks) + int64(rounds*defaultParallel)*(76<<10); srv.sent.Load() > most {
			t.Errorf("%d bytes sent, at most %d", srv.sent.Load(), most)
		}
	})
}

// Nothing is sent but what has to be.
func TestHeaders(t *testing.T) {
	a := newArchive(3, 4)
	run(t, "", func(t *testing.T, w *world) {
		srv := w.serve("m1.test:80", content(a.data, `"1"`), nil)
		w.serve("m0.test:80", http.RedirectHandler("http://m1.test/x", 302), nil)
		c := w.client(Options{Mirrors: []string{"http://m0.test/a%20b/"}, Version: "1.2.3"})
		if err := c.get(t.Context(), "x", a.length(), a.store(), nil); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		srv.agents.Range(func(k, v any) bool { got[k.(string)] = v.(string); return true })
		delete(got, "Range")
		if want := "map[Accept-Encoding:[identity] User-Agent:[piwork/1.2.3]]"; fmt.Sprint(got) != want {
			t.Errorf("sent %v", got)
		}
	})
}
