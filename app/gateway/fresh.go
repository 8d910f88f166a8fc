package gateway

import (
	"net/http"
	"sync"
)

// fresh is a way to providers on which no answer is mistaken for the next one's.
// In HTTP/1 only its place on the connection says to which request an answer
// belongs (RFC 9112 §9.2): a server that sends more than it announced answers the
// next request with the rest, and that may be another task's. So a connection is
// kept only to servers that are known to speak HTTP/2, as providers do; any other
// carries one answer. Safe for concurrent use.
type fresh struct {
	way   http.RoundTripper
	known sync.Map // of scheme and host that answered with HTTP/2: struct{}
}

// RoundTrip implements [http.RoundTripper].
func (f *fresh) RoundTrip(r *http.Request) (*http.Response, error) {
	server := r.URL.Scheme + "://" + r.URL.Host
	if _, ok := f.known.Load(server); !ok {
		one := new(http.Request)
		*one = *r // a RoundTripper changes no request
		one.Close = true
		r = one
	}
	resp, err := f.way.RoundTrip(r)
	switch {
	case err != nil: // says nothing of the server
	case resp.ProtoMajor >= 2:
		f.known.Store(server, struct{}{})
	default:
		f.known.Delete(server)
	}
	return resp, err
}

// CloseIdleConnections is what [http.Client] looks for.
func (f *fresh) CloseIdleConnections() {
	if t, ok := f.way.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}
