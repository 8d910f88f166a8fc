// Package condition has requests that depend on what a client saw last (RFC 9110, section 13).
//
//	GET /v1/tasks/7          200, ETag: "b3Vy…"
//	GET /v1/tasks/7          If-None-Match: "b3Vy…"     304 while nothing changed
//	PATCH /v1/tasks/7        If-Match: "b3Vy…"          412 where something did, and nothing is done
//	PUT /v1/services/hub     If-None-Match: *           412 where there is one, which is not replaced
//
// An ETag is strong: a digest of the answer, byte for byte, so it differs by Accept-Language.
// What is changed at a path is the record that GET gives there, or at the nearest path above:
// a cancel (/v1/tasks/7/cancel) is about the task. An undo (/v1/tasks/7/undo) is about it, too: what
// GET gives there is another thing, so it is looked for above. Of several changes with the same ETag one is
// done: they wait for each other. A change without a condition waits for nobody, and nobody waits for
// one that itself waits for a person or a program: its answer may be a change of the same record.
// It is compared as the others, when it begins.
//
// A 304 hangs WebView2, the engine of the window on Windows, for good. So it is given only to
// who asked for it with a header, which the window takes out of its requests, and never where
// there is a window.
package condition

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"path"
	"strings"
	"sync"
)

// maxBody is how large an answer with an ETag can be.
const maxBody = 8 << 20 // bytes

// Tagged gives the answers of a record their ETag. With never304, it is answered whole always.
func Tagged(next http.Handler, never304 bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := &held{ResponseWriter: w}
		next.ServeHTTP(held, r)
		if held.passed {
			return
		}
		if tag := held.tag(); tag != "" {
			h := w.Header()
			h.Set("ETag", tag)
			h.Add("Vary", "Accept-Language")
			if !never304 && Matches(r.Header.Values("If-None-Match"), tag, true) {
				h.Del("Content-Type")
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		held.pass()
	})
}

// Changes does what requests ask for that change something, if it is still what they say.
type Changes struct {
	records *http.ServeMux // what GET gives
	refuse  http.HandlerFunc
	turns   turns
}

// NewChanges makes one. records has the records, tagged; what else it answers is none. refuse
// answers a request whose record is another by now.
func NewChanges(records *http.ServeMux, refuse http.HandlerFunc) *Changes {
	return &Changes{records: records, refuse: refuse, turns: turns{by: map[string]*turn{}}}
}

// Handler is around an operation that changes something: a record above its path, or one at it.
// waits is that it waits for a person or a program.
func (c *Changes) Handler(next http.Handler, above, waits bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want, other := r.Header.Values("If-Match"), r.Header.Values("If-None-Match")
		if len(want)+len(other) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		get := c.record(r, above)
		if get == nil {
			c.refuse(w, r)
			return
		}
		leave, err := c.turns.take(r.Context(), get.URL.Path)
		if err != nil {
			return // nobody waits for the answer
		}
		leave = sync.OnceFunc(leave)
		defer leave()
		now := &held{ResponseWriter: nowhere{http.Header{}}}
		c.records.ServeHTTP(now, get)
		switch {
		case now.status == http.StatusNotFound && r.Method == http.MethodPut && len(want) > 0: // it would be made anew
			c.refuse(w, r)
			return
		case now.status == http.StatusUnauthorized, now.status == http.StatusForbidden, now.status == http.StatusNotFound:
			// What is not there, or not to be seen, the operation says itself.
		default: // nothing is changed of a record that cannot be compared
			tag := now.tag()
			if now.status != http.StatusOK || len(want) > 0 && !Matches(want, tag, false) || len(other) > 0 && (tag == "" || Matches(other, tag, true)) {
				c.refuse(w, r)
				return
			}
		}
		if waits {
			leave()
		}
		next.ServeHTTP(w, r)
	})
}

// record is the request for what a request changes; nil where nothing is.
func (c *Changes) record(r *http.Request, above bool) *http.Request {
	at := r.URL.Path
	if above {
		at = path.Dir(at)
	}
	for ; strings.Count(at, "/") >= 2; at = path.Dir(at) {
		get := r.Clone(r.Context())
		get.Method, get.Body, get.ContentLength = http.MethodGet, http.NoBody, 0
		get.URL.Path, get.URL.RawPath, get.URL.RawQuery = at, "", ""
		for _, h := range []string{"If-None-Match", "If-Match", "Content-Type", "Content-Length", "Idempotency-Key"} {
			get.Header.Del(h)
		}
		if _, pattern := c.records.Handler(get); strings.HasPrefix(pattern, http.MethodGet+" ") {
			return get
		}
	}
	return nil
}

// Matches reports whether a tag is among those of a header. weak takes weak ones for strong.
func Matches(header []string, tag string, weak bool) bool {
	for _, line := range header {
		for one := range strings.SplitSeq(line, ",") {
			one = strings.TrimSpace(one)
			if weak {
				one = strings.TrimPrefix(one, "W/")
			}
			if one == "*" || one == tag && tag != "" {
				return true
			}
		}
	}
	return false
}

// held is an answer that is not sent before it is whole, as far as it is a record.
type held struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	passed bool // it is sent as it comes
}

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) {
	if h.status != 0 {
		return
	}
	h.status = status
	if status != http.StatusOK || h.Header().Get("Content-Type") != "application/json" {
		h.pass()
	}
}

// Write implements io.Writer.
func (h *held) Write(p []byte) (int, error) {
	if h.status == 0 {
		h.WriteHeader(http.StatusOK)
	}
	if h.passed {
		return h.ResponseWriter.Write(p)
	}
	if h.body.Len()+len(p) > maxBody {
		h.pass()
		return h.ResponseWriter.Write(p)
	}
	return h.body.Write(p)
}

// pass sends what is held; what follows is sent as it comes.
func (h *held) pass() {
	h.passed = true
	if h.status != 0 {
		h.ResponseWriter.WriteHeader(h.status)
	}
	if h.body.Len() > 0 {
		_, _ = h.ResponseWriter.Write(h.body.Bytes()) // the client is gone
	}
}

// tag is the ETag of what is held, "" of what is no record, or too large for one.
func (h *held) tag() string {
	if h.status != http.StatusOK || h.passed {
		return ""
	}
	sum := sha256.Sum256(h.body.Bytes())
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// Unwrap is for http.ResponseController.
func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// nowhere takes an answer that nobody reads.
type nowhere struct{ header http.Header }

// Header implements http.ResponseWriter.
func (n nowhere) Header() http.Header { return n.header }

// Write implements io.Writer.
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements http.ResponseWriter.
func (nowhere) WriteHeader(int) {}

// turns has changes of one record wait for each other.
type turns struct {
	mu sync.Mutex
	by map[string]*turn
}

type turn struct {
	free chan struct{} // has one entry while nobody is at it
	want int
}

// take waits for the turn at a record.
func (t *turns) take(ctx context.Context, record string) (leave func(), err error) {
	t.mu.Lock()
	one := t.by[record]
	if one == nil {
		one = &turn{free: make(chan struct{}, 1)}
		one.free <- struct{}{}
		t.by[record] = one
	}
	one.want++
	t.mu.Unlock()
	done := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.want--; one.want == 0 {
			delete(t.by, record)
		}
	}
	select {
	case <-one.free:
		return func() { one.free <- struct{}{}; done() }, nil
	case <-ctx.Done():
		done()
		return nil, ctx.Err()
	}
}
