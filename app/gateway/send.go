package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
	"piwork/app/telemetry"
	"piwork/vmhost/traffic"
)

// Sizes of what is copied.
const (
	copySize   = 64 << 10
	maxErrBody = 64 << 10 // of an error that is looked at before it is passed on
)

// send asks the provider, and passes its answer on.
func (f *forward) send(body []byte) *Error {
	ctx, cancel := context.WithCancelCause(f.r.Context())
	defer cancel(nil)
	dog := time.AfterFunc(f.s.g.c.Stall, func() { cancel(errStalled) })
	defer dog.Stop()
	resp, e := f.ask(ctx, body)
	if e == nil && resp.StatusCode == http.StatusUnauthorized && f.c.Kind == keys.KindOAuth && !f.c.Refresh.IsZero() {
		resp.Body.Close()
		c, err := f.s.g.c.Keys.Renew(ctx, f.c)
		if err != nil {
			return f.fail(keyCode(ctx, err), err)
		}
		f.c = c
		dog.Reset(f.s.g.c.Stall)
		resp, e = f.ask(ctx, body)
	}
	if e != nil {
		if f.op.Meters && f.asked.Load() && context.Cause(ctx) != nil {
			// Nobody waits any more, here or there, for what the provider works on.
			f.count(f.abandoned(ctx))
		}
		return e
	}
	defer resp.Body.Close()
	return f.answer(ctx, resp, dog)
}

// count adds what the answer used.
func (f *forward) count(t meter.Tokens) {
	f.used = telemetry.Tokens{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite}
	f.s.count(f.p, f.q.model, t)
}

// ask sends the request once.
func (f *forward) ask(ctx context.Context, body []byte) (*http.Response, *Error) {
	q, err := url.ParseQuery(f.r.URL.RawQuery)
	if err != nil {
		return nil, f.fail(CodeBadRequest, nil)
	}
	header := provider.RequestHeader(f.r.Header)
	provider.Wishes(f.p, f.r.Header, header)
	var count *traffic.Count
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) {
		count.Add(int64(len(body)), 0, 1) // of one that broke off it may be less
		if i.Err == nil {
			f.asked.Store(true)
		}
	}})
	r, err := f.s.g.request(ctx, f.p, f.c, f.op, header, q, body)
	if err != nil {
		return nil, f.fail(CodeProvider, nil)
	}
	port, _ := strconv.Atoi(r.URL.Port()) // 0 is the usual one
	count = f.s.traffic.Host(r.URL.Hostname(), port)
	f.since = f.s.g.c.now()
	resp, err := f.s.g.c.Transport.RoundTrip(r)
	if err != nil {
		return nil, explain(ctx, &Error{Provider: f.p.ID, Host: r.URL.Host}, err)
	}
	resp.Body = count.Body(resp.Body)
	if bad := check(resp); bad != "" {
		resp.Body.Close()
		return nil, &Error{Code: bad, Provider: f.p.ID, Host: r.URL.Host, Status: resp.StatusCode}
	}
	return resp, nil
}

// check refuses answers that are none of a provider's.
func check(resp *http.Response) Code {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return CodeRedirect
	case resp.StatusCode < 200:
		return CodeBadAnswer // 101: another protocol
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return CodeBadAnswer // not asked for, and not to be searched
	}
	return ""
}

// answer passes an answer on.
func (f *forward) answer(ctx context.Context, resp *http.Response, dog *time.Timer) *Error {
	scrub := newScrubber(f.c)
	var first []byte
	if resp.StatusCode >= 400 {
		var err error
		if first, err = io.ReadAll(io.LimitReader(resp.Body, maxErrBody)); err != nil && len(first) == 0 {
			return explain(ctx, &Error{Provider: f.p.ID, Status: resp.StatusCode}, err)
		}
		f.s.tell(&Error{Code: sort(resp.StatusCode, first), Provider: f.p.ID, Model: f.q.model, Status: resp.StatusCode})
		dog.Stop()
		if err := f.hold(ctx, resp); err != nil {
			return f.fail(CodeUnreachable, err)
		}
	}
	header := provider.ResponseHeader(resp.Header)
	scrub.header(header)
	counts := f.op.Meters && resp.StatusCode < 300
	if resp.ContentLength >= 0 && !counts { // an answer is counted before the guest can see that it has ended
		header.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	to := f.w.Header()
	for k, v := range header {
		to[k] = v
	}
	to.Set("X-Content-Type-Options", "nosniff")
	m := meter.NewReader(f.op.Protocol, resp.Header.Get("Content-Type"))
	whole := false
	if counts {
		defer func() {
			t := m.Tokens(f.sent)
			if t.Guessed && !whole { // of an answer in one piece the provider has made all
				t.Output = max(t.Output, f.abandoned(ctx).Output)
			}
			f.count(t)
		}()
	}
	f.begun = true
	f.w.WriteHeader(resp.StatusCode)
	err := copyAnswer(f.w, resp.Body, first, scrub, m, dog, f.s.g.c.Stall)
	whole = err == nil
	if scrub.Found {
		f.s.g.log.Warn("a provider's answer had the key in it", "provider", f.p.ID, "task", f.s.o.Task)
	}
	if err != nil {
		return explain(ctx, &Error{Provider: f.p.ID, Status: resp.StatusCode}, err)
	}
	return nil
}

// copyAnswer copies first and then body to w, each part as it comes. While w does
// not take it, nothing is read, and the provider's time does not run.
func copyAnswer(w http.ResponseWriter, body io.Reader, first []byte, scrub *scrubber, m *meter.Reader, dog *time.Timer, stall time.Duration) error {
	rc := http.NewResponseController(w)
	pass := func(b []byte) error {
		if len(b) == 0 {
			return nil
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		return rc.Flush()
	}
	if err := rc.Flush(); err != nil {
		return err
	}
	if len(first) > 0 {
		if err := pass(scrub.pass(first)); err != nil {
			return err
		}
	}
	buf := make([]byte, copySize)
	for {
		dog.Reset(stall)
		n, rerr := body.Read(buf)
		dog.Stop()
		if n > 0 {
			m.Write(buf[:n]) //nolint:errcheck // it takes everything
			if err := pass(scrub.pass(buf[:n])); err != nil {
				return err
			}
		}
		if errors.Is(rerr, io.EOF) {
			return pass(scrub.rest())
		}
		if rerr != nil {
			return rerr
		}
	}
}

// hold waits as long as the provider asked for, when it named a time that is not
// too long: pi tries again without looking at it.
func (f *forward) hold(ctx context.Context, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, 529:
	default:
		return nil
	}
	wait := retryAfter(resp.Header, time.Now())
	if wait <= 0 {
		return nil
	}
	f.s.tellWait(f.p.ID, time.Now().Add(wait))
	if wait > f.s.g.c.Hold {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-f.s.g.c.after(wait):
	}
	// It is over: nobody should wait for it again.
	resp.Header.Del("Retry-After")
	resp.Header.Del("Retry-After-Ms")
	return nil
}

// retryAfter is the time that an answer names (RFC 9110, 10.2.3, and providers'
// own retry-after-ms); 0 for none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	const most = float64(24 * time.Hour)
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), most))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 {
			return time.Duration(min(s*float64(time.Second), most))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return min(max(0, t.Sub(now)), time.Duration(most))
	}
	return 0
}

// sort says what a refusal of a provider means, by its status and by words that
// providers document.
func sort(status int, body []byte) Code {
	text := strings.ToLower(string(body[:min(len(body), 4096)]))
	for _, w := range []string{"credit balance is too low", "insufficient_quota", "insufficient credits", "insufficient balance", "billing_error"} {
		if strings.Contains(text, w) {
			return CodeNoCredit
		}
	}
	switch {
	case status == http.StatusUnauthorized, strings.Contains(text, "api_key_invalid"):
		return CodeKeyRefused
	case status == http.StatusPaymentRequired:
		return CodeNoCredit
	case status == http.StatusForbidden:
		return CodeDenied
	case status == http.StatusTooManyRequests:
		return CodeLimited
	case status >= 500:
		return CodeOverloaded
	}
	return CodeBadRequest
}
