package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"piwork/app/api/door"
)

// world is a server that counts, behind a memory.
type world struct {
	http.Handler
	done atomic.Int32
	hold chan struct{} // not nil: what is at work waits for it
	come chan struct{} // told when something is at work
}

// longAnswer is more than net/http keeps back.
var longAnswer = strings.Repeat("l", 5000)

func newWorld() *world {
	v := &world{}
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := v.done.Add(1)
		if v.come != nil {
			v.come <- struct{}{}
			<-v.hold
		}
		switch r.URL.Path {
		case "/early":
			w.WriteHeader(http.StatusBadRequest) // nothing of the body is read
			return
		case "/deaf":
			io.WriteString(w, "deaf")
			return
		case "/deaf-long": // net/http reads and closes the body before such an answer is over
			io.WriteString(w, longAnswer)
			return
		case "/refused", "/failed", "/begun": // the first of them
			if n == 1 {
				if r.URL.Path == "/begun" {
					Begun(r.Context())
				}
				if r.URL.Path == "/failed" {
					w.Header().Set("Location", "/made/1")
				}
				status, _ := strconv.Atoi(r.Header.Get("Status"))
				w.WriteHeader(status)
				return
			}
		case "/held":
			<-v.hold
		case "/waits":
			<-r.Context().Done()
			w.WriteHeader(http.StatusConflict)
			return
		case "/fault":
			w.WriteHeader(http.StatusInternalServerError)
			return
		case "/panic":
			panic(http.ErrAbortHandler)
		case "/large":
			io.Copy(io.Discard, r.Body)
			w.Write(make([]byte, maxAnswer+1))
			return
		case "/stream":
			io.Copy(io.Discard, r.Body)
			w.Write([]byte("a"))
			http.NewResponseController(w).Flush()
			return
		}
		b, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Location", "/made/"+fmt.Sprint(n))
		w.Header().Set("X-Other", "x")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%d %s", n, b)
	})
	v.Handler = New(time.Minute).Handler(next, func(r *http.Request) string { return r.Header.Get("Caller") }, func(w http.ResponseWriter, _ *http.Request, why Reason) {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, why)
	})
	return v
}

func (v *world) send(method, path, body string, header ...string) (int, string, http.Header) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if p := recover(); p != nil && !errors.Is(p.(error), http.ErrAbortHandler) {
				panic(p)
			}
		}()
		v.ServeHTTP(w, r)
	}()
	return w.Code, w.Body.String(), w.Header()
}

// over is send over a connection, where net/http has the body. With chunked it comes without a
// length.
func (v *world) over(t *testing.T, chunked bool, method, path, body string, header ...string) (string, http.Header) {
	t.Helper()
	s := httptest.NewServer(v)
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if chunked {
		r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(body))
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil { // a panic
		return "", http.Header{}
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return string(b), res.Header
}

// What was refused for a reason that may pass is done when it is sent again; what is wrong stays
// so, and so does what was begun.
func TestRefusedIsTriedAgain(t *testing.T) {
	for _, row := range []struct {
		path         string
		status, want int
	}{
		{"/refused", 403, 201}, {"/refused", 409, 201}, {"/refused", 412, 201}, {"/refused", 413, 201}, {"/refused", 429, 201},
		{"/refused", 400, 400}, {"/refused", 404, 404}, {"/refused", 422, 422}, {"/failed", 409, 409},
		{"/begun", 403, 403}, {"/begun", 409, 409}, {"/begun", 412, 412}, {"/begun", 502, 502}, {"/begun", 429, 201}, {"/begun", 503, 201},
	} {
		v := newWorld()
		header := []string{Header, "k", "Status", strconv.Itoa(row.status)}
		first, _, _ := v.send("POST", row.path, "", header...)
		if second, _, _ := v.send("POST", row.path, "", header...); first != row.status || second != row.want {
			t.Errorf("%s: %d, then %d, want %d", row.path, first, second, row.want)
		}
	}
}

// What is sent again is done once, and what is another request is none of it.
func TestAgain(t *testing.T) {
	for _, row := range []struct {
		name                             string
		method, path, body, key, caller  string // of the first
		method2, path2, body2, key2, by2 string // of the second
		times                            int32
		said                             string // to the second
	}{
		{"the same", "POST", "/", "b", "k", "", "POST", "/", "b", "k", "", 1, "1 b"},
		{"without a body", "POST", "/", "", "k", "", "POST", "/", "", "k", "", 1, "1 "},
		{"another key", "POST", "/", "b", "k", "", "POST", "/", "b", "l", "", 2, "2 b"},
		{"another body", "POST", "/", "b", "k", "", "POST", "/", "c", "k", "", 1, "reused"},
		{"a longer body", "POST", "/", "b", "k", "", "POST", "/", "bb", "k", "", 1, "reused"},
		{"another path", "POST", "/", "b", "k", "", "POST", "/x", "b", "k", "", 2, "2 b"},
		{"another query", "POST", "/?a=1", "b", "k", "", "POST", "/?a=2", "b", "k", "", 2, "2 b"},
		{"another caller", "POST", "/", "b", "k", "one", "POST", "/", "b", "k", "two", 2, "2 b"},
		{"no POST", "PUT", "/", "b", "k", "", "PUT", "/", "b", "k", "", 2, "2 b"},
		{"a key of spaces", "POST", "/", "b", "k", "", "POST", "/", "b", "a b", "", 1, "wrong"},
		{"a key that is too long", "POST", "/", "b", "k", "", "POST", "/", "b", strings.Repeat("k", 256), "", 1, "wrong"},
		{"a key in other letters", "POST", "/", "b", "k", "", "POST", "/", "b", "ü", "", 1, "wrong"},
		{"a fault", "POST", "/fault", "b", "k", "", "POST", "/fault", "b", "k", "", 2, ""},
		{"a panic", "POST", "/panic", "b", "k", "", "POST", "/panic", "b", "k", "", 2, ""},
		{"what was not read", "POST", "/early", strings.Repeat("b", 9999), "k", "", "POST", "/early", strings.Repeat("b", 9999), "k", "", 2, ""},
		{"what was done without reading", "POST", "/deaf", strings.Repeat("b", 9999), "k", "", "POST", "/deaf", strings.Repeat("b", 9999), "k", "", 1, "deaf"},
		{"what was done without reading, and is long", "POST", "/deaf", strings.Repeat("b", 2<<20), "k", "", "POST", "/deaf", strings.Repeat("b", 2<<20), "k", "", 1, "reused"},
		{"what was done without reading, and said much", "POST", "/deaf-long", "{}", "k", "", "POST", "/deaf-long", "{}", "k", "", 1, longAnswer},
		{"what was done without reading, with another body", "POST", "/deaf-long", "{}", "k", "", "POST", "/deaf-long", "[]", "k", "", 1, "reused"},
		{"what was refused and is short", "POST", "/early", "b", "k", "", "POST", "/early", "b", "k", "", 1, ""},
		{"an answer that is too large", "POST", "/large", "b", "k", "", "POST", "/large", "b", "k", "", 1, "gone"},
		{"a stream", "POST", "/stream", "b", "k", "", "POST", "/stream", "b", "k", "", 1, "gone"},
	} {
		check := func(how string, v *world, said string, header http.Header) {
			if said != row.said || v.done.Load() != row.times {
				t.Errorf("%s, %s: done %d times, %q", row.name, how, v.done.Load(), said)
			}
			if replayed := header.Get(Replayed) == "true"; replayed != (row.times == 1 && said == "1 "+row.body || row.name == "what was refused and is short" || said == "deaf" || said == longAnswer) {
				t.Errorf("%s, %s: replayed %v", row.name, how, replayed)
			} else if replayed && row.path == "/" && (header.Get("Location") != "/made/1" || header.Get("X-Other") != "") {
				t.Errorf("%s, %s: %v", row.name, how, header)
			}
		}
		v := newWorld()
		v.send(row.method, row.path, row.body, Header, row.key, "Caller", row.caller)
		_, said, header := v.send(row.method2, row.path2, row.body2, Header, row.key2, "Caller", row.by2)
		check("by itself", v, said, header)
		for how, chunked := range map[string]bool{"with a length": false, "in chunks": true} {
			v := newWorld()
			v.over(t, chunked, row.method, row.path, row.body, Header, row.key, "Caller", row.caller)
			said, header := v.over(t, chunked, row.method2, row.path2, row.body2, Header, row.key2, "Caller", row.by2)
			check(how, v, said, header)
		}
	}
	v := newWorld()
	if _, said, _ := v.send("POST", "/", "b", Header, "a", Header, "b"); said != string(Wrong) {
		t.Errorf("two keys: %q", said)
	}
}

// Of many that come at once, one is done, and the others are told to wait.
func TestAtOnce(t *testing.T) {
	v := newWorld()
	v.come, v.hold = make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() { v.send("POST", "/", "b", Header, "k") })
	<-v.come
	for range 20 {
		if _, said, _ := v.send("POST", "/", "b", Header, "k"); said != string(Busy) {
			t.Errorf("%q", said)
		}
	}
	close(v.hold)
	first.Wait()
	if _, said, _ := v.send("POST", "/", "b", Header, "k"); said != "1 b" || v.done.Load() != 1 {
		t.Errorf("%q, %d times", said, v.done.Load())
	}
}

// What was done without its body, which did not arrive, is not done again.
func TestCut(t *testing.T) {
	v := newWorld()
	for _, want := range []string{"deaf", string(Gone)} {
		r := httptest.NewRequest("POST", "/deaf", iotest.ErrReader(io.ErrUnexpectedEOF))
		r.Header.Set(Header, "k")
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		if w.Body.String() != want || v.done.Load() != 1 {
			t.Errorf("%q, done %d times", w.Body, v.done.Load())
		}
	}
}

// A caller that sends many keys forgets its own, and not another's.
func TestBounded(t *testing.T) {
	v := newWorld()
	v.send("POST", "/", "b", Header, "k", "Caller", "one")
	for i := range maxAnswers + 10 {
		v.send("POST", "/", "", Header, fmt.Sprint(i), "Caller", "two")
	}
	was := v.done.Load()
	if _, said, _ := v.send("POST", "/", "b", Header, "k", "Caller", "one"); said != "1 b" {
		t.Errorf("another's: %q", said)
	}
	if v.send("POST", "/", "", Header, "0", "Caller", "two"); v.done.Load() != was+1 {
		t.Error("more is kept than may be")
	}
}

// What is at work is known until it is over, whatever else its caller sends meanwhile; its answer for a day
// from then on.
func TestAtWorkIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newWorld()
		v.hold = make(chan struct{})
		go v.send("POST", "/held", "b", Header, "k")
		synctest.Wait()
		for i := range maxAnswers + 10 {
			v.send("POST", "/", "", Header, fmt.Sprint(i))
		}
		time.Sleep(day + time.Hour)
		was := v.done.Load()
		if _, said, _ := v.send("POST", "/held", "b", Header, "k"); said != string(Busy) || v.done.Load() != was {
			t.Fatalf("at work: %q, %d times", said, v.done.Load()-was)
		}
		close(v.hold)
		synctest.Wait()
		time.Sleep(day - time.Second)
		if _, said, _ := v.send("POST", "/held", "b", Header, "k"); said != "1 b" || v.done.Load() != was {
			t.Errorf("over: %q, %d times", said, v.done.Load()-was)
		}
	})
}

// slow is a connection on which a body comes with a pause in it.
type slow struct {
	*httptest.ResponseRecorder
	rest     []string
	deadline time.Time
}

func (s *slow) SetReadDeadline(at time.Time) error { s.deadline = at; return nil }

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(20 * time.Second)
	if !s.deadline.IsZero() && time.Now().After(s.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest[0])
	s.rest = s.rest[1:]
	return n, nil
}

// What is sent again may take as long as at the first time. Of a body that breaks off nobody says that it
// was another's.
func TestAgainSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newWorld()
		v.send("POST", "/", "body", Header, "k")
		for _, row := range []struct {
			body []string
			ends error
			want string
		}{{[]string{"bo", "dy"}, nil, "1 body"}, {[]string{"bo"}, io.ErrUnexpectedEOF, string(Broken)}, {[]string{"bo", "ld"}, nil, string(Reused)}} {
			s := &slow{ResponseRecorder: httptest.NewRecorder(), rest: row.body}
			body := io.Reader(s)
			if row.ends != nil {
				body = io.MultiReader(io.LimitReader(s, 2), iotest.ErrReader(row.ends))
			}
			r := httptest.NewRequest("POST", "/", body)
			r.Body = door.NewTimedBody(s, r.Body, 10*time.Second)
			r.Header.Set(Header, "k")
			v.ServeHTTP(s, r)
			if s.Body.String() != row.want || v.done.Load() != 1 {
				t.Errorf("%q: %q, done %d times", row.body, s.Body, v.done.Load())
			}
		}
	})
}

// An answer is remembered for a day.
func TestDay(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		v := newWorld()
		v.send("POST", "/", "b", Header, "k")
		time.Sleep(day - time.Second)
		if _, said, _ := v.send("POST", "/", "b", Header, "k"); said != "1 b" {
			t.Errorf("within the day: %q", said)
		}
		time.Sleep(2 * time.Second)
		if _, said, _ := v.send("POST", "/", "b", Header, "k"); said != "2 b" {
			t.Errorf("after it: %q", said)
		}
	})
}

// What failed when its caller was gone may be half done: that is no answer to the next one, and it
// is not done again.
func TestGone(t *testing.T) {
	v := newWorld()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, "POST", "/waits", strings.NewReader("b"))
	r.Header.Set(Header, "k")
	v.ServeHTTP(httptest.NewRecorder(), r)
	if _, said, header := v.send("POST", "/waits", "b", Header, "k"); said != string(Gone) || header.Get(Replayed) != "" || v.done.Load() != 1 {
		t.Errorf("%q %v, %d times", said, header, v.done.Load())
	}
}
