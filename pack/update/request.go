package update

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// wish is what a request asks for.
type wish struct {
	path   string
	length int64 // of the whole file, 0 when unknown
	from   int64 // first byte
	to     int64 // behind the last; 0 asks for the whole file
	count  func(n int)
	fresh  bool   // not from the memory of a proxy
	tag    string // sent as If-Range
}

// maxChanges is how often validators may change before they are not asked for any
// more: some servers have new ones in each answer.
const maxChanges = 2

// answer is the begin of a successful one, checked against the wish.
type answer struct {
	*body
	from  int64 // position of its first byte in the file
	to    int64 // behind its last; -1 when it does not say
	whole bool  // the whole file comes, although a part may have been asked for
}

// request asks a mirror. The answer must be closed. Errors are [Error]s, or that
// of ctx.
func (c *Client) request(ctx context.Context, m *mirror, w wish) (_ *answer, err error) {
	u, err := m.at(w.path)
	if err != nil {
		return nil, err
	}
	rctx, dog := watch(ctx, c.o.Stall)
	defer func() {
		if err != nil {
			dog.end()
		}
	}()
	r, err := http.NewRequestWithContext(rctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Error{Code: CodeBadAddress, Server: m.name(), Err: err, lasting: true}
	}
	r.Header.Set("User-Agent", c.agent)
	r.Header.Set("Accept-Encoding", "identity")
	known := m.know(w.path)
	if w.fresh || known.wrong > 0 {
		r.Header.Set("Cache-Control", "no-cache") // what is on the server, not what a proxy remembers
	}
	if w.to > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", w.from, w.to-1))
		if w.tag = known.etag; w.tag != "" && known.changes < maxChanges {
			r.Header.Set("If-Range", w.tag) // another file comes whole (RFC 9110, 13.1.5)
		} else {
			w.tag = ""
		}
	}
	// The last address that was asked, for the evidence.
	at := u
	resp, err := c.send(m, r)
	explain := func(err error) error { return c.explain(ctx, rctx, m, at, err) }
	if err != nil {
		if ue, is := errors.AsType[*url.Error](err); is {
			if last, perr := url.Parse(ue.URL); perr == nil && last.Host != "" {
				at = last
			}
		}
		return nil, explain(err)
	}
	if resp.Request != nil && resp.Request.URL != nil {
		at = resp.Request.URL
	}
	a := &answer{body: &body{ReadCloser: resp.Body, w: dog, explain: explain, count: w.count}}
	dog.fresh()
	if err := c.check(a, resp, m, w); err != nil {
		resp.Body.Close()
		return nil, explain(err)
	}
	return a, nil
}

// send is http.Client.Do, also for a directory.
func (c *Client) send(m *mirror, r *http.Request) (*http.Response, error) {
	if m.files != nil {
		return m.files.RoundTrip(r)
	}
	return c.http.Do(r)
}

// check refuses an answer that is not about the file that was asked for, and
// remembers what it tells about the mirror.
func (c *Client) check(a *answer, resp *http.Response, m *mirror, w wish) error {
	if err := checkStatus(resp); err != nil {
		return err
	}
	h := resp.Header
	if m.files == nil && isPage(h.Get("Content-Type")) {
		return &Error{Code: CodeCaptivePortal, Status: resp.StatusCode, Err: errors.New("a web page came"), lasting: true}
	}
	if e := h.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return bad(resp, "encoded as %q, which was not asked for", e)
	}
	if resp.StatusCode == http.StatusOK {
		a.whole, a.from, a.to = true, 0, resp.ContentLength
		if w.length > 0 && a.to >= 0 && a.to != w.length {
			return changed(resp, "%d bytes long, announced were %d", a.to, w.length)
		}
		m.learn(w.path, func(f *facts) {
			f.validators(h)
			// With If-Range and another file, this says nothing about ranges.
			if w.to > 0 && (w.tag == "" || f.etag == w.tag) {
				f.ranges = rangesIgnored
			}
		})
		return nil
	}
	if w.to == 0 {
		return bad(resp, "a part, and the whole was asked for")
	}
	from, to, total, err := contentRange(h.Get("Content-Range"))
	switch {
	case err != nil:
		return bad(resp, "Content-Range %.80q: %w", h.Get("Content-Range"), err)
	case w.length > 0 && total >= 0 && total != w.length:
		return changed(resp, "%d bytes long, announced were %d", total, w.length)
	case from != w.from || to > w.to:
		return bad(resp, "bytes %d to %d, asked for were %d to %d", from, to-1, w.from, w.to-1)
	case resp.ContentLength >= 0 && resp.ContentLength != to-from:
		return bad(resp, "%d bytes announced as bytes %d to %d", resp.ContentLength, from, to-1)
	}
	a.from, a.to = from, to
	m.learn(w.path, func(f *facts) {
		f.validators(h)
		f.ranges = rangesWork
	})
	return nil
}

func bad(resp *http.Response, format string, args ...any) error {
	return &Error{Code: CodeBadAnswer, Status: resp.StatusCode, Err: fmt.Errorf(format, args...), lasting: true}
}

func changed(resp *http.Response, format string, args ...any) error {
	return &Error{Code: CodeChanged, Status: resp.StatusCode, Err: fmt.Errorf(format, args...), lasting: true}
}

// checkStatus sorts status codes (RFC 9110, 15; RFC 6585).
func checkStatus(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode, lasting: true}
	switch s := resp.StatusCode; s {
	case http.StatusOK, http.StatusPartialContent:
		return nil
	case http.StatusNotFound, http.StatusGone:
		e.Code = CodeNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		e.Code = CodeDenied
	case http.StatusProxyAuthRequired:
		return proxyAuth(resp)
	case http.StatusRequestedRangeNotSatisfiable:
		return changed(resp, "shorter than announced: %.80s", resp.Header.Get("Content-Range"))
	case http.StatusNetworkAuthenticationRequired:
		e.Code = CodeCaptivePortal
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		e.Code, e.lasting = CodeServerError, false
		e.Wait = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	default:
		switch {
		case s >= 500:
			e.Code, e.lasting = CodeServerError, false
			e.Wait = retryAfter(resp.Header.Get("Retry-After"), time.Now())
		case s >= 400:
			e.Code = CodeServerError
		default:
			e.Code = CodeBadAnswer
		}
	}
	return e
}

// proxyAuth says what a proxy wants (RFC 9110, 11.7.1).
func proxyAuth(resp *http.Response) error {
	e := &Error{Code: CodeProxyAuthKind, Status: resp.StatusCode, lasting: true}
	for _, v := range resp.Header.Values("Proxy-Authenticate") {
		kind, _, _ := strings.Cut(strings.TrimSpace(v), " ")
		if len(kind) > 32 || kind == "" || len(e.Kinds) >= 8 {
			continue
		}
		e.Kinds = append(e.Kinds, kind)
		if strings.EqualFold(kind, "Basic") {
			e.Code = CodeProxyAuth
		}
	}
	if len(e.Kinds) == 0 {
		e.Code = CodeProxyAuth
	}
	return e
}

// connectAnswer is http.Transport.OnProxyConnectResponse.
func connectAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch s := resp.StatusCode; {
	case s == http.StatusOK:
		return nil
	case s == http.StatusProxyAuthRequired:
		return proxyAuth(resp)
	case s >= 500:
		return &Error{Code: CodeProxyRefused, Status: s, Err: errors.New("the proxy does not reach the server")}
	default:
		return &Error{Code: CodeProxyRefused, Status: s, Err: errors.New("the proxy does not connect to the server"), lasting: true}
	}
}

// retryAfter reads seconds or a date (RFC 9110, 10.2.3); 0 for anything else.
func retryAfter(v string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(strings.TrimSpace(v), 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// isPage reports the content type of a page for a browser.
func isPage(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "text/html" || t == "application/xhtml+xml")
}

// contentRange reads "bytes 0-99/200", or "/*" (RFC 9110, 14.4), as a half-open
// range; total is -1 when it is not said.
func contentRange(v string) (from, to, total int64, err error) {
	errForm := errors.New("not a range of bytes")
	rest, ok := strings.CutPrefix(v, "bytes ")
	if !ok {
		return 0, 0, 0, errForm
	}
	span, size, ok := strings.Cut(strings.TrimSpace(rest), "/")
	if !ok {
		return 0, 0, 0, errForm
	}
	a, b, ok := strings.Cut(span, "-")
	if !ok {
		return 0, 0, 0, errForm
	}
	number := func(s string) int64 {
		n, perr := strconv.ParseUint(s, 10, 62)
		if perr != nil {
			err = errForm
		}
		return int64(n)
	}
	from, to, total = number(a), number(b)+1, -1
	if size != "*" {
		total = number(size)
	}
	if err == nil && (to <= from || total >= 0 && to > total) {
		err = errors.New("contradicts itself")
	}
	return from, to, total, err
}
