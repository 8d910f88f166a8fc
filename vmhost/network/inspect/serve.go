package inspect

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// serve answers a request.
func (i *Inspector) serve(w http.ResponseWriter, r *http.Request) {
	s, _ := r.Context().Value(siteKey{}).(*site)
	if s == nil || !i.enter() {
		abort()
		return
	}
	defer i.work.Done()
	e := &exchange{i: i, site: s, w: w, r: r, control: http.NewResponseController(w)}
	e.record = Request{Time: i.now(), Service: s.Service, Host: s.host}
	defer e.report()
	if r.ProtoMajor == 1 {
		e.last() // the deadline is of the connection: the one before may have passed
	}
	select {
	case i.requests <- struct{}{}:
		defer func() { <-i.requests }()
	default:
		e.refuse(http.StatusServiceUnavailable, ReasonBusy)
		return
	}
	if status, reason := e.judge(); reason != "" {
		e.refuse(status, reason)
		return
	}
	e.record.Allowed = true
	e.pass()
}

// abort ends the connection, or in HTTP/2 the stream, so that the guest sees that there is no
// whole answer. net/http has no other way, and catches it.
func abort() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // see above
}

// exchange is one request and its answer.
type exchange struct {
	i       *Inspector
	site    *site
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	path    Path
	given   Credential
	record  Request
}

// report tells of the exchange, also when its handler panics to end the connection.
func (e *exchange) report() {
	if e.i.config.OnRequest != nil {
		e.i.config.OnRequest(e.record)
	}
}

// judge says why a request is refused, and by which status; no reason is that it is allowed.
func (e *exchange) judge() (status int, reason string) {
	r := e.r
	if validMethod(r.Method) {
		e.record.Method = r.Method
	}
	raw, query, _ := strings.Cut(r.RequestURI, "?")
	path, perr := ParsePath(raw)
	if perr == nil {
		e.path, e.record.Path = path, raw[:min(len(raw), maxRecorded)]
	}
	switch {
	case !validMethod(r.Method) || never(r.Method):
		return http.StatusMethodNotAllowed, ReasonMethod
	case !e.sameHost():
		return http.StatusMisdirectedRequest, ReasonHost
	case perr != nil || r.URL.Host != "" || r.URL.Scheme != "" || e.url("").EscapedPath() != raw || !visible(query) || overrides(query):
		return http.StatusBadRequest, ReasonPath
	case fields(r.Header) > maxFields:
		return http.StatusRequestHeaderFieldsTooLarge, ReasonHeader
	case r.Header.Get("Upgrade") != "" || httpguts.HeaderValuesContainsToken(r.Header["Connection"], "upgrade"):
		return http.StatusForbidden, ReasonUpgrade
	case r.ContentLength > maxBody:
		return http.StatusRequestEntityTooLarge, ReasonCut
	}
	if allowed, reason := Decide(e.site.Rules, r.Method, path); !allowed {
		return http.StatusForbidden, reason
	}
	if e.site.Credential != nil {
		var ok bool
		if e.given, ok = e.site.Credential(); !ok {
			return http.StatusForbidden, ReasonGone
		}
	}
	return 0, ""
}

// sameHost reports whether the request is for the site: exactly, but for case and the usual
// port.
func (e *exchange) sameHost() bool {
	same := func(host string) bool {
		return strings.EqualFold(host, e.site.host) || strings.EqualFold(host, e.site.address)
	}
	return same(e.r.Host) && !slices.ContainsFunc(e.r.Header["Host"], func(h string) bool { return !same(h) })
}

// visible reports whether a query has only bytes that it may have (RFC 3986): what others mean
// is up to each server.
func visible(query string) bool {
	return !strings.ContainsFunc(query, func(c rune) bool { return c < '!' || c > '~' })
}

// overrides reports whether a query names another method, which some servers heed.
func overrides(query string) bool {
	for part := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err != nil || strings.EqualFold(plain, "_method") {
			return true
		}
	}
	return false
}

// fields counts values: a field with many is many lines.
func fields(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// refuse answers in the place of the server.
func (e *exchange) refuse(status int, reason string) {
	e.record.Status, e.record.Reason = status, reason
	h := e.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Piwork-Refused", reason)
	if e.r.ProtoMajor == 1 && e.r.ContentLength != 0 {
		h.Set("Connection", "close") // what is left of the body is not read
	}
	e.last()
	e.w.WriteHeader(status)
	fmt.Fprintf(e.w, "piwork: no answer from %s through the service %q (%s). piwork service show %s lists its rules.\n", e.site.host, e.site.Service, reason, e.site.Service)
}

// connection are the fields about a connection (RFC 9110, 7.6.1), which nobody passes on.
var connection = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings",
}

// misleading are fields by which some servers read another request than was judged, or take
// it for someone else's.
var misleading = []string{
	"X-Http-Method", "X-Http-Method-Override", "X-Method-Override", "X-Original-Url", "X-Original-Method", "X-Rewrite-Url", "X-Forwarded-Host", "X-Forwarded-Uri", "X-Forwarded-Path",
	"X-Forwarded-Prefix", "X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "X-Forwarded-For", "X-Host", "Forwarded", "Via", "Host", "Expect",
}

// drop leaves out the fields of a connection, those that it names too.
func drop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range connection {
		h.Del(name)
	}
}

// request is what the server gets.
func (e *exchange) request(ctx context.Context, up *upload) *http.Request {
	h := e.r.Header.Clone()
	drop(h)
	deny := slices.Clone(misleading)
	secret := e.given.Header != ""
	if secret {
		deny = append(deny, e.given.Header, "Range", "If-Range")
	}
	for name := range h {
		if slices.ContainsFunc(deny, func(no string) bool { return alike(name, no) }) {
			delete(h, name)
		}
	}
	h.Del("Content-Length")
	if secret {
		h.Set(e.given.Header, e.given.Value)
		h.Set("Accept-Encoding", "identity")
	}
	if _, has := h["User-Agent"]; !has {
		h["User-Agent"] = []string{""} // none, rather than Go's
	}
	_, query, _ := strings.Cut(e.r.RequestURI, "?")
	out := &http.Request{Method: e.r.Method, URL: e.url(query), Host: e.site.host, Header: h, ContentLength: e.r.ContentLength, Body: http.NoBody}
	if e.r.ContentLength != 0 {
		out.Body = up
	}
	return out.WithContext(ctx)
}

// url is where the server is, with the path as it came.
func (e *exchange) url(query string) *url.URL {
	return &url.URL{Scheme: "https", Host: e.site.address, Path: e.r.URL.Path, RawPath: e.path.raw, RawQuery: query}
}

// alike reports whether two names of fields are the same to a server that makes variables of
// them: X_Api_Key is X-Api-Key.
func alike(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-"))
}

// failure is the reason why a server did not answer.
func failure(err error) string {
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return ReasonCertificate
	}
	return ReasonUnreachable
}
