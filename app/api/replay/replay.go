// Package replay has a request that was sent twice done once: the header Idempotency-Key
// (draft-ietf-httpapi-idempotency-key-header). A program that does not know whether its
// request arrived sends it again with the same key, and gets the answer of the first.
//
// A request is known while it is at work. Its answer is remembered for a day from then on, for as
// long as the process lives, and up to bounds for each caller: its oldest go first. What did not get
// through (a fault of the server, a body that was needed and did not arrive), or was refused for what
// may be otherwise by now (another ETag, a conflict, a rule), may be tried again with its key; of an
// operation that does one thing after the other ([Begun]) only what found the server full or ending.
// What is too large to be remembered, or a stream, is done once all the same, and so is what failed
// when its caller was gone, perhaps halfway: the second request is told that the answer is gone.
package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"piwork/app/api/door"
)

// Header has the key, and Replayed is in an answer that was given before.
const (
	Header   = "Idempotency-Key"
	Replayed = "Idempotency-Replayed"
)

// Reason is why a request is not done.
type Reason string

// Reasons.
const (
	Wrong  Reason = "wrong"  // no key: 1 to 255 visible characters of ASCII, once
	Reused Reason = "reused" // the key was another request's
	Broken Reason = "broken" // it was done, and its body did not come whole this time
	Busy   Reason = "busy"   // the first request is not over
	Gone   Reason = "gone"   // it was done, or begun, and its answer was not kept
)

const (
	maxKey     = 255
	maxAnswer  = 64 << 10 // bytes of one answer
	maxAnswers = 500      // of one caller
	maxCallers = 200
	maxRest    = 1 << 20 // bytes of a body that its operation did not read
	day        = 24 * time.Hour
)

// Answers remembers the answers to requests with a key. It is safe for concurrent use.
type Answers struct {
	stall time.Duration // how long whoever sends a body again may stop

	mu      sync.Mutex
	atWork  map[request]bool // bounded by the requests that there can be at once
	callers *simplelru.LRU[string, *simplelru.LRU[string, *answer]]
}

// request is what a key stands for.
type request struct{ caller, name string }

// New returns a memory that is empty. Whoever sends a body again may stop for stall.
func New(stall time.Duration) *Answers {
	return &Answers{stall: stall, atWork: map[request]bool{}, callers: newLRU[*simplelru.LRU[string, *answer]](maxCallers)}
}

func newLRU[V any](most int) *simplelru.LRU[string, V] {
	l, _ := simplelru.NewLRU[string, V](most, nil) // fails for none or fewer
	return l
}

// answer is one that was given. It does not change.
type answer struct {
	ended  time.Time
	sum    [sha256.Size]byte
	size   int64 // of the body of the request
	cut    bool  // the body did not arrive, and was not needed; or the caller did not wait for an answer
	status int   // 0: it is not kept
	header http.Header
	body   []byte
}

// kept are the headers that belong to an answer; others belong to the request.
var kept = []string{"Content-Type", "Location", "Preference-Applied"}

// Handler has requests that make something (POST) done once for each key of a caller. refuse
// answers those that are not done.
func (a *Answers) Handler(next http.Handler, caller func(*http.Request) string, refuse func(http.ResponseWriter, *http.Request, Reason)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys := r.Header.Values(Header)
		if r.Method != http.MethodPost || len(keys) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if len(keys) > 1 || !isKey(keys[0]) {
			refuse(w, r, Wrong)
			return
		}
		about := sha256.Sum256([]byte(r.URL.RequestURI() + "\n" + keys[0]))
		this := request{caller(r), string(about[:])}
		given, busy := a.begin(this)
		if busy {
			refuse(w, r, Busy)
			return
		}
		if given != nil {
			a.again(w, r, given, refuse)
			return
		}
		var mine *answer
		defer func() { a.end(this, mine) }() // also when it panics
		body := &summed{ReadCloser: r.Body, sum: sha256.New()}
		r.Body = body
		rec := &recorder{ResponseWriter: w, request: body}
		begun := false
		next.ServeHTTP(rec, r.WithContext(context.WithValue(r.Context(), begunKey{}, &begun)))
		failed := rec.status >= http.StatusBadRequest
		again := rec.status >= http.StatusInternalServerError ||
			slices.Contains(refusals, rec.status) && w.Header().Get("Location") == "" // else a task was made
		if begun {
			again = rec.status == http.StatusTooManyRequests || rec.status == http.StatusServiceUnavailable
		}
		switch {
		case rec.status == 0:
			return
		case !rec.arrived && !failed:
			mine = &answer{cut: true}
			return
		case rec.arrived && r.Context().Err() != nil && (rec.status == http.StatusConflict || rec.status >= http.StatusInternalServerError):
			mine = &answer{cut: true} // it may have failed since the caller was gone, and halfway
			return
		case !rec.arrived || again:
			return
		}
		mine = &answer{size: body.size}
		body.sum.Sum(mine.sum[:0])
		if !rec.lost {
			mine.status, mine.header, mine.body = rec.status, http.Header{}, bytes.Clone(rec.body.Bytes())
			for _, h := range kept {
				if v := w.Header().Values(h); len(v) > 0 {
					mine.header[h] = v
				}
			}
		}
	})
}

type begunKey struct{}

// Begun says that a request may be refused, or fail, when some of it was done.
func Begun(ctx context.Context) {
	if begun, ok := ctx.Value(begunKey{}).(*bool); ok {
		*begun = true
	}
}

// refusals say that nothing was done, for a reason that may pass.
var refusals = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusPreconditionFailed,
	http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
}

// isKey tells whether a key can be one.
func isKey(key string) bool {
	return key != "" && len(key) <= maxKey && strings.IndexFunc(key, func(c rune) bool { return c < '!' || c > '~' }) < 0
}

// begin finds what was answered to a request, or that it is at work. With neither it is at work from
// now on, until end.
func (a *Answers) begin(this request) (given *answer, busy bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.atWork[this] {
		return nil, true
	}
	if all, ok := a.callers.Get(this.caller); ok {
		if one, ok := all.Peek(this.name); ok && time.Since(one.ended) < day {
			return one, false
		}
	}
	a.atWork[this] = true
	return nil, false
}

// end remembers what was answered to a request; nil is nothing that counts.
func (a *Answers) end(this request, given *answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.atWork, this)
	if given == nil {
		return
	}
	all, ok := a.callers.Get(this.caller)
	if !ok {
		all = newLRU[*answer](maxAnswers)
		a.callers.Add(this.caller, all)
	}
	given.ended = time.Now()
	all.Add(this.name, given)
}

// again answers a request whose key was there before.
func (a *Answers) again(w http.ResponseWriter, r *http.Request, one *answer, refuse func(http.ResponseWriter, *http.Request, Reason)) {
	if one.cut {
		refuse(w, r, Gone)
		return
	}
	body := door.NewPatient(w, r, a.stall) // that of a form came as slowly the first time
	defer body.Done()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(body, one.size+1)); err != nil {
		refuse(w, r, Broken)
		return
	}
	if !bytes.Equal(sum.Sum(nil), one.sum[:]) {
		refuse(w, r, Reused)
		return
	}
	if one.status == 0 {
		refuse(w, r, Gone)
		return
	}
	for name, v := range one.header {
		w.Header()[name] = v
	}
	w.Header().Set(Replayed, "true")
	w.WriteHeader(one.status)
	_, _ = w.Write(one.body) // the caller is gone
}

// summed is a body whose sum is made while it is read.
type summed struct {
	io.ReadCloser
	sum  hash.Hash
	size int64
	end  bool
}

// Read implements io.Reader.
func (s *summed) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	s.end = s.end || err == io.EOF
	return n, err
}

// arrived reads a little that may be left, and tells whether that was all. An operation that
// takes no body is done, whatever comes with it: what is longer than a bound does not count as
// the same when it comes again, and is not done again.
func (s *summed) arrived(done bool) bool {
	if s.end {
		return true
	}
	rest := int64(1 << 10)
	if done {
		rest = maxRest
	}
	_, err := io.CopyN(io.Discard, s, rest)
	return s.end || done && err == nil
}

// recorder keeps what is answered, up to a bound.
type recorder struct {
	http.ResponseWriter
	request *summed
	arrived bool // it did, all of it
	status  int
	body    bytes.Buffer
	lost    bool // it was more, or a stream
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush is what streams do.
func (r *recorder) Flush() {
	r.begin(http.StatusOK)
	r.lost = true
	_ = http.NewResponseController(r.ResponseWriter).Flush()
}

// begin reads what is left of the request before an answer is written: net/http closes its body
// then.
func (r *recorder) begin(status int) {
	if r.status == 0 {
		r.status = status
		r.arrived = r.request.arrived(status < http.StatusBadRequest)
	}
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		r.begin(status)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	r.begin(http.StatusOK)
	if r.lost = r.lost || r.body.Len()+len(p) > maxAnswer; !r.lost {
		r.body.Write(p)
	}
	return r.ResponseWriter.Write(p)
}
