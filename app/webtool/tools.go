package webtool

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/semaphore"
)

// Paths of the tools, below what the guest reaches the host at.
const (
	PathFetch  = "/piwork/fetch"  // {"url": …} → Page
	PathSearch = "/piwork/search" // {"query": …} → Results
)

// Bounds of what a guest asks for.
const (
	maxAsked   = 16 << 10 // bytes of a request
	maxQuery   = 400      // characters
	maxAtOnce  = 4
	maxWaiting = 16 // requests, those that are done, too
)

// Codes of answers that are none.
const (
	CodeBadRequest = "bad-request"
	CodeDenied     = "denied" // the person, or a rule, said no
	CodeFailed     = "failed" // it was allowed, and did not work
	CodeNoSearch   = "no-search"
	CodeBusy       = "busy"
)

// ErrDenied says that a person, or a rule, does not allow what was asked for.
// Functions of [Tools] return errors that wrap it.
var ErrDenied = errors.New("not allowed")

// Tools serve a guest that asks for pages and searches. It may be used for several
// requests at once.
type Tools struct {
	Fetch  func(ctx context.Context, u *url.URL) (Page, error)
	Search func(ctx context.Context, query string) (Results, error) // nil: nothing searches

	room, turn *semaphore.Weighted
}

// NewTools makes tools of the functions that do the work, consent included.
func NewTools(fetch func(context.Context, *url.URL) (Page, error), search func(context.Context, string) (Results, error)) *Tools {
	return &Tools{Fetch: fetch, Search: search, room: semaphore.NewWeighted(maxWaiting), turn: semaphore.NewWeighted(maxAtOnce)}
}

// asked is what a guest sends.
type asked struct {
	URL   string `json:"url"`
	Query string `json:"query"`
}

// ServeHTTP implements http.Handler. What cannot be done is said in words for the
// program that asked.
func (t *Tools) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.room.TryAcquire(1) {
		say(w, http.StatusServiceUnavailable, CodeBusy, "too many requests at once")
		return
	}
	defer t.room.Release(1)
	if r.Method != http.MethodPost || r.URL.RawQuery != "" {
		say(w, http.StatusMethodNotAllowed, CodeBadRequest, "only POST")
		return
	}
	a, err := readAsked(http.MaxBytesReader(w, r.Body, maxAsked))
	if err != nil {
		say(w, http.StatusBadRequest, CodeBadRequest, err.Error())
		return
	}
	if t.turn.Acquire(r.Context(), 1) != nil {
		return // nobody waits
	}
	defer t.turn.Release(1)
	var out any
	switch r.URL.Path {
	case PathFetch:
		out, err = t.fetch(r.Context(), a)
	case PathSearch:
		out, err = t.search(r.Context(), a)
	default:
		say(w, http.StatusNotFound, CodeBadRequest, "there is no such tool")
		return
	}
	var bad *badRequest
	switch {
	case r.Context().Err() != nil:
	case errors.As(err, &bad):
		say(w, http.StatusBadRequest, bad.code, bad.text)
	case errors.Is(err, ErrDenied):
		say(w, http.StatusForbidden, CodeDenied, "The person did not allow it. Do not try the same another way; say what you wanted to look up and ask.")
	case err != nil:
		say(w, http.StatusBadGateway, CodeFailed, clip(err.Error(), 500))
	default:
		write(w, http.StatusOK, out)
	}
}

// badRequest is a request that makes no sense.
type badRequest struct{ code, text string }

func (e *badRequest) Error() string { return e.text }

// readAsked reads one JSON object, and nothing after it.
func readAsked(r io.Reader) (asked, error) {
	var a asked
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil {
		return a, errors.New("no request that can be read")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, errors.New("more than one request")
	}
	return a, nil
}

func (t *Tools) fetch(ctx context.Context, a asked) (Page, error) {
	u, err := Address(a.URL)
	if err != nil {
		return Page{}, &badRequest{CodeBadRequest, clip(err.Error(), 500)}
	}
	return t.Fetch(ctx, u)
}

func (t *Tools) search(ctx context.Context, a asked) (Results, error) {
	if t.Search == nil {
		return Results{}, &badRequest{CodeNoSearch, "piwork was not told what to search the web with"}
	}
	query := strings.Join(strings.Fields(strings.ToValidUTF8(a.Query, "")), " ")
	if query == "" || utf8.RuneCountInString(query) > maxQuery || strings.ContainsFunc(query, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Results{}, &badRequest{CodeBadRequest, "a query is a few words"}
	}
	return t.Search(ctx, query)
}

// Address reads the address of a page of the web: without a user, and not too long.
func Address(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("no address")
	}
	if err := check(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func say(w http.ResponseWriter, status int, code, message string) {
	write(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

func write(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"failed","message":"no answer"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the guest may be gone
}

// clip is a text of at most so many bytes.
func clip(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
