package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/paging"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/telemetry"
)

const (
	maxAnswer = 256 << 20 // of one JSON answer; a controller of the same user is trusted, a fault is not
	maxError  = 1 << 20
	maxPages  = 1000 // of a list, each of paging.Most entries at most

	maxTurns    = 5               // to ask again when there was too much to do
	maxWait     = 2 * time.Second // before the next
	longestWait = time.Minute     // that a controller is believed
)

// Client is an [api.Service] over HTTP. Most of its methods are generated from the table of
// operations. It may be used by several goroutines.
type Client struct {
	http *http.Client
	base string // never resolved: the transport knows where to go
	log  *slog.Logger

	still     string        // the ETag with which changes depend on a record; "" is none
	language  Language      // of answers
	detaching *sync.RWMutex // read while DetachTask waits for its answer
}

var _ api.Service = (*Client)(nil)

// New makes a Client on a transport of this package.
func New(rt http.RoundTripper, log *slog.Logger) *Client {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &Client{
		http: &http.Client{
			Transport:     rt,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		base:      "http://piwork",
		log:       log,
		detaching: &sync.RWMutex{},
	}
}

// UnreachableError says that no answer came that could be read: the controller is not there,
// or went away, or is none.
type UnreachableError struct {
	Err error

	unread bool // an answer came
}

func (e *UnreachableError) Error() string {
	return "the running piwork does not answer: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Problem is what a person hears who asks here, not by a command line: whoever serves this API
// ends, or is gone.
func (e *UnreachableError) Problem() *problem.Problem {
	if e.unread {
		return problem.New(problem.CodeUnknown).Because(e)
	}
	return problem.New(problem.CodeShuttingDown).Because(e)
}

// request is what goes to the controller.
type request struct {
	route  string // a method, and a path with {parameters}
	path   []any  // the parameters in their order
	query  url.Values
	body   any // sent as JSON, an io.Reader as it is
	header http.Header
}

// do sends a request; the caller closes the body of a success.
func (c *Client) do(ctx context.Context, r request) (*http.Response, error) {
	body, raw := r.body.(io.Reader)
	var data []byte
	if r.body != nil && !raw {
		var err error
		if data, err = json.Marshal(answer.NoNull(r.body)); err != nil {
			return nil, fmt.Errorf("request %s: %w", r.route, err)
		}
	}
	method, u, _ := strings.Cut(r.route, " ")
	for _, v := range r.path {
		before, rest, _ := strings.Cut(u, "{")
		_, after, _ := strings.Cut(rest, "}")
		u = before + url.PathEscape(fmt.Sprint(v)) + after
	}
	if len(r.query) > 0 {
		u += "?" + r.query.Encode()
	}
	for turn := 0; ; turn++ {
		if data != nil {
			body = bytes.NewReader(data)
		}
		res, err := once(ctx, c, method, u, body, data != nil, r.header)
		if err != nil || res.StatusCode >= 200 && res.StatusCode < 300 {
			return res, err
		}
		err = problemOf(res)
		_ = res.Body.Close()
		wait, room := comeBack(res), res.StatusCode == http.StatusTooManyRequests
		if wait == 0 && res.StatusCode < http.StatusInternalServerError {
			return nil, err
		}
		if raw || !room || turn == maxTurns || wait > maxWait {
			return nil, &busyError{err, wait, room}
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// busyError is an answer of a controller that cannot do it at the moment.
type busyError struct {
	error
	wait time.Duration // before it can be asked again, 0 where it does not say
	room bool          // it has too much to do, and nothing was done; else it ends, or failed
}

// Unwrap returns the problem.
func (e *busyError) Unwrap() error { return e.error }

// comeBack is how long a controller that cannot do it at the moment asks to wait, 0 for others.
func comeBack(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || res.StatusCode != http.StatusTooManyRequests && res.StatusCode < http.StatusInternalServerError || seconds <= 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longestWait)
}

// pause waits, but not longer than ctx lives.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send sends a request as it is, for what passes on those of others, and tries nothing twice.
// The caller closes the body of the answer.
func Send(ctx context.Context, c *Client, method, path string, header http.Header, body io.Reader) (*http.Response, error) {
	return once(ctx, c, method, path, body, false, header)
}

// once sends a request; the caller closes the body of the answer.
func once(ctx context.Context, c *Client, method, u string, body io.Reader, isJSON bool, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+u, body)
	if err != nil {
		return nil, err
	}
	telemetry.Inject(ctx, req.Header)
	if c.still != "" && method != http.MethodGet {
		req.Header.Set("If-Match", c.still)
	}
	c.language.ask(req.Header)
	for k, v := range header {
		req.Header[k] = v
	}
	if isJSON {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &UnreachableError{Err: err}
	}
	telemetry.Heard(ctx, res.Header)
	return res, nil
}

// problemOf reads the error of an answer.
func problemOf(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	var e answer.Error
	if err != nil || kind != "application/problem+json" || json.Unmarshal(data, &e) != nil || e.Code == "" {
		return &UnreachableError{Err: fmt.Errorf("unexpected answer %s (%s)", res.Status, kind), unread: true}
	}
	p := e.Problem
	p.Title, p.Detail = e.Title, e.Detail
	for _, d := range e.Errors { // what does not fit in a bad request
		p.Details += fmt.Sprintf("; %s %s", d.Location, d.Message)
	}
	return &p
}

// call sends a request and reads a T. The parameters of the path are in their order.
func call[T any](ctx context.Context, c *Client, route string, query url.Values, body any, path ...any) (T, error) {
	res, err := c.do(ctx, request{route: route, path: path, query: query, body: body})
	if err != nil {
		var out T
		return out, err
	}
	defer res.Body.Close()
	remember(ctx, res)
	return decode[T](ctx, res)
}

// pages are the entries of a list, as they come: a page is asked for when the one before was used up.
func pages[T any](ctx context.Context, c *Client, route string, query url.Values, path ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next := request{route: route, path: path, query: query}
		for asked := 0; ; asked++ {
			list, more, err := onePage[T](ctx, c, next)
			if err == nil && asked == maxPages {
				err = &UnreachableError{Err: errors.New("the list does not end"), unread: true}
			}
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, one := range list {
				if !yield(one, nil) {
					return
				}
			}
			if more == "" {
				return
			}
			next = request{route: "GET " + more}
		}
	}
}

// onePage reads a page, and where the next one is.
func onePage[T any](ctx context.Context, c *Client, r request) (list []T, next string, err error) {
	res, err := c.do(ctx, r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	list, err = decodePage[T](ctx, res)
	return list, paging.Next(res.Header), err
}

// decodePage reads the entries of a page, of which there are never more than paging.Most.
func decodePage[T any](ctx context.Context, res *http.Response) (list []T, err error) {
	entries := json.NewDecoder(io.LimitReader(res.Body, maxAnswer))
	begin, err := entries.Token()
	switch {
	case err != nil:
	case begin == nil: // null
		return list, nil
	case begin != json.Delim('['):
		err = fmt.Errorf("it begins with %v", begin)
	}
	for list = []T{}; err == nil && entries.More(); {
		var one T
		if len(list) == paging.Most {
			err = errors.New("a page has too much")
		} else if err = decodeEntry(entries, &one); err == nil {
			list = append(list, one)
		}
	}
	if err == nil {
		_, err = entries.Token()
	}
	return list, unreadable(ctx, res, err)
}

// decodeEntry reads an entry of a page. Events have the data of [DecodeEvent].
func decodeEntry(entries *json.Decoder, one any) error {
	e, is := one.(*task.Event)
	if !is {
		return entries.Decode(one)
	}
	var raw json.RawMessage
	err := entries.Decode(&raw)
	if err == nil {
		*e, err = DecodeEvent(raw)
	}
	return err
}

// whole is a list of all entries.
func whole[T any](entries iter.Seq2[T, error]) ([]T, error) {
	out := []T{}
	for one, err := range entries {
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// done sends a request that is answered with nothing.
func (c *Client) done(ctx context.Context, route string, query url.Values, path ...any) error {
	res, err := c.do(ctx, request{route: route, query: query, path: path})
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// query is one of name and value pairs, without those that are zero.
func query(pairs ...any) url.Values {
	out := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, v := fmt.Sprint(pairs[i]), reflect.ValueOf(pairs[i+1])
		switch {
		case v.Kind() == reflect.Slice && v.Len() > 0: // parted by commas
			var list []string
			for i := range v.Len() {
				list = append(list, fmt.Sprint(v.Index(i)))
			}
			out.Set(name, strings.Join(list, ","))
		case v.Kind() != reflect.Slice && !v.IsZero():
			out.Set(name, fmt.Sprint(v))
		}
	}
	return out
}

// decode reads the T of an answer.
func decode[T any](ctx context.Context, res *http.Response) (T, error) {
	var out T
	err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&out)
	return out, unreadable(ctx, res, err)
}

// unreadable is the error of an answer that cannot be read; nil for none.
func unreadable(ctx context.Context, res *http.Response, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	return &UnreachableError{
		Err:    fmt.Errorf("answer to %s %s: %w", res.Request.Method, res.Request.URL.Path, err),
		unread: errors.As(err, &syntax) || errors.As(err, &other),
	}
}

// IsUnreachable reports whether no answer came at all.
func IsUnreachable(err error) bool {
	var u *UnreachableError
	return errors.As(err, &u)
}

// problemCode is the code of an error, "" for none.
func problemCode(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	return ""
}
