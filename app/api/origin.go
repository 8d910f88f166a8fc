package api

import (
	"net/http"
	"strings"
)

// Pages of the web in a browser use the API over HTTP with a token that names their origin
// (access.Token.Origins). A browser lets a page read an answer that names its origin, and asks
// beforehand, without the token, whether it may send one (https://fetch.spec.whatwg.org, CORS).

// originOf is where a browser says that a request comes from; "null" is nowhere.
func originOf(r *http.Request) (origin string, is bool) {
	all := r.Header.Values("Origin")
	if len(all) != 1 || all[0] == "null" || all[0] == "" {
		return "", false
	}
	return all[0], true
}

// shareWith has a browser let pages of an origin read the answer. Cookies are no part of it:
// there are none.
func shareWith(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id")
	h.Add("Vary", "Origin")
}

// foretold answers what a browser asks before a request of another origin, where pages of that may
// have a token; else it answers nothing, and the request is refused as any other.
func (k *keeper) foretold(w http.ResponseWriter, r *http.Request) bool {
	origin, is := originOf(r)
	if !is || r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" || isPage(r.URL.Path) || k.Clients == nil || !k.isOwn(strings.ToLower(r.Host)) || !k.Clients.Origin(origin) {
		return false
	}
	shareWith(w, origin)
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Prefer, Range, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}
