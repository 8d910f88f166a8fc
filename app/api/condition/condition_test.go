package condition_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/api/condition"
)

// book is a record that is counted up, and what is below it.
type book struct {
	http.Handler
	mu    sync.Mutex
	count int

	asked, answer chan struct{} // of an operation that waits for a person
}

func (b *book) get(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("id") == "broken" {
		http.Error(w, "the disk failed", http.StatusInternalServerError)
		return
	}
	if r.PathValue("id") != "7" {
		http.Error(w, "no such book", http.StatusNotFound)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(b.count)
}

// long is a record that is too large for an ETag.
func long(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for range 9 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
}

func newBook(never304 bool) *book {
	b := &book{asked: make(chan struct{}), answer: make(chan struct{})}
	records, all := http.NewServeMux(), http.NewServeMux()
	changes := condition.NewChanges(records, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPreconditionFailed) })
	get := condition.Tagged(http.HandlerFunc(b.get), never304)
	records.Handle("GET /v1/books/{id}", get)
	all.Handle("GET /v1/books/{id}", get)
	all.Handle("GET /v1/text", condition.Tagged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "text") }), false))
	all.Handle("GET /v1/long", condition.Tagged(http.HandlerFunc(long), false))
	does := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.count++
		w.WriteHeader(http.StatusNoContent)
	})
	up := changes.Handler(does, false, false)
	asking := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked <- struct{}{}
		<-b.answer
		does(w, r)
	})
	records.Handle("GET /v1/books/long", condition.Tagged(http.HandlerFunc(long), never304))
	all.Handle("POST /v1/books/{id}/lend", changes.Handler(asking, false, true))
	records.Handle("GET /v1/books/{id}/cover", condition.Tagged(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `"red"`)
	}), never304))
	all.Handle("POST /v1/books/{id}/cover", changes.Handler(does, true, false))
	all.Handle("POST /v1/books/{id}", up)
	all.Handle("PUT /v1/books/{id}", up)
	all.Handle("POST /v1/books/{id}/pages/{page}", up)
	all.Handle("POST /v1/other", up)
	b.Handler = all
	return b
}

func (b *book) ask(method, path, header, value string) *http.Response {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader("{}"))
	if header != "" {
		r.Header.Set(header, value)
	}
	b.ServeHTTP(w, r)
	return w.Result()
}

// A record has the same ETag until it changes, and who has it is told so.
func TestETagFollowsTheRecord(t *testing.T) {
	b := newBook(false)
	first := b.ask("GET", "/v1/books/7", "", "")
	tag := first.Header.Get("ETag")
	if len(tag) != 22 || tag[0] != '"' || first.StatusCode != http.StatusOK {
		t.Fatal(first.StatusCode, tag)
	}
	for value, want := range map[string]int{tag: 304, "*": 304, `"x", ` + tag: 304, "W/" + tag: 304, `"x"`: 200, "": 200, "W/": 200, strings.Trim(tag, `"`): 200, strings.Repeat(`"x",`, 5000): 200} {
		res := b.ask("GET", "/v1/books/7", "If-None-Match", value)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != want || res.Header.Get("ETag") != tag || (len(body) == 0) != (want == 304) {
			t.Errorf("%.40q: %d %q %q", value, res.StatusCode, res.Header.Get("ETag"), body)
		}
	}
	b.ask("POST", "/v1/books/7", "", "")
	if res := b.ask("GET", "/v1/books/7", "If-None-Match", tag); res.StatusCode != http.StatusOK || res.Header.Get("ETag") == tag {
		t.Error("it changed")
	}
	if res := b.ask("GET", "/v1/books/8", "If-None-Match", "*"); res.StatusCode != http.StatusNotFound || res.Header.Get("ETag") != "" {
		t.Error("what is not there has no ETag")
	}
}

// The window's engine hangs for a 304.
func TestNever304(t *testing.T) {
	b := newBook(true)
	if res := b.ask("GET", "/v1/books/7", "If-None-Match", "*"); res.StatusCode != http.StatusOK {
		t.Error(res.StatusCode)
	}
}

// What is no record, or too large for one, is answered as it is.
func TestOnlyRecordsHaveETags(t *testing.T) {
	b := newBook(false)
	for path, size := range map[string]int{"/v1/text": 4, "/v1/long": 9 << 20} {
		res := b.ask("GET", path, "If-None-Match", "*")
		if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK || len(body) != size || res.Header.Get("ETag") != "" {
			t.Errorf("%s: %d, %d bytes, %s", path, res.StatusCode, len(body), res.Header.Get("ETag"))
		}
	}
}

// A change is done only to what its client saw, also one of a part.
func TestIfMatch(t *testing.T) {
	b := newBook(false)
	tag := b.ask("GET", "/v1/books/7", "", "").Header.Get("ETag")
	for _, tt := range []struct {
		path, value string
		want        int
	}{
		{"/v1/books/7", `"x"`, 412}, {"/v1/books/7", "W/" + tag, 412}, {"/v1/other", "*", 412}, {"/v1/books/7/pages/1", `"x"`, 412},
		{"/v1/books/7/pages/1", tag, 204}, {"/v1/books/7/pages/1", tag, 412}, {"/v1/books/7", "*", 204},
		{"/v1/books/7/cover", "*", 204}, {"/v1/books/7/cover", tag, 412}, {"/v1/books/broken/cover", "*", 412}, // it is about the book
		{"/v1/books/broken", tag, 412}, {"/v1/books/broken", "*", 412}, // what cannot be compared is not changed
		{"/v1/books/long", "*", 204}, {"/v1/books/long", tag, 412}, // it is there, and has no ETag
		{"/v1/books/8", "*", 204}, // the operation says what it thinks of what is not there
	} {
		if res := b.ask("POST", tt.path, "If-Match", tt.value); res.StatusCode != tt.want {
			t.Errorf("%+v: %d", tt, res.StatusCode)
		}
	}
	if b.count != 5 {
		t.Errorf("%d changes", b.count)
	}
	for _, value := range []string{"*", tag} { // what somebody removed meanwhile is not made anew
		if res := b.ask("PUT", "/v1/books/8", "If-Match", value); res.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s: %d", value, res.StatusCode)
		}
	}
}

// What is to be made is made where it is not there, and replaces nothing.
func TestIfNoneMatchOfAChange(t *testing.T) {
	b := newBook(false)
	tag := b.ask("GET", "/v1/books/7", "", "").Header.Get("ETag")
	for _, tt := range []struct {
		method, path, value string
		want                int
	}{
		{"PUT", "/v1/books/7", "*", 412}, {"PUT", "/v1/books/7", tag, 412}, {"PUT", "/v1/books/7", "W/" + tag, 412}, {"POST", "/v1/books/7/pages/1", tag, 412},
		{"PUT", "/v1/books/broken", "*", 412}, {"PUT", "/v1/books/long", `"x"`, 412}, {"POST", "/v1/other", "*", 412},
		{"PUT", "/v1/books/8", "*", 204}, {"PUT", "/v1/books/7", `"x"`, 204},
	} {
		if res := b.ask(tt.method, tt.path, "If-None-Match", tt.value); res.StatusCode != tt.want {
			t.Errorf("%+v: %d", tt, res.StatusCode)
		}
	}
	if b.count != 2 {
		t.Errorf("%d changes", b.count)
	}
}

// Who waits for an answer does not have the answer wait: both depend on what was seen of the
// same record.
func TestWhoAsksIsAnswered(t *testing.T) {
	b := newBook(false)
	tag := b.ask("GET", "/v1/books/7", "", "").Header.Get("ETag")
	lent, answered := make(chan int, 1), make(chan int, 1)
	go func() { lent <- b.ask("POST", "/v1/books/7/lend", "If-Match", tag).StatusCode }()
	<-b.asked
	go func() { answered <- b.ask("POST", "/v1/books/7/pages/1", "If-Match", tag).StatusCode }()
	select {
	case got := <-answered:
		if got != http.StatusNoContent {
			t.Error(got)
		}
	case <-time.After(time.Minute):
		t.Error("the answer waits for what waits for it")
	}
	close(b.answer)
	if got := <-lent; got != http.StatusNoContent {
		t.Error(got)
	}
	if res := b.ask("POST", "/v1/books/7/lend", "If-Match", tag); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("the record is another: %d", res.StatusCode)
	}
}

// Of many who saw the same, one changes it.
func TestOneOfManyWins(t *testing.T) {
	b := newBook(false)
	tag := b.ask("GET", "/v1/books/7", "", "").Header.Get("ETag")
	var won atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if b.ask("POST", "/v1/books/7", "If-Match", tag).StatusCode == http.StatusNoContent {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || b.count != 1 {
		t.Errorf("%d won", won.Load())
	}
}
