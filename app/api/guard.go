package api

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/task"
)

// Guard says who may use the API over TCP: on loopback, where every program and every web
// page of this computer can knock, and on a network, where everybody can.
type Guard struct {
	Token   string             // bearer token of the person; "" is none, as it has to be on a network
	Clients Clients            // who has another one; nil is nobody
	Addr    *net.TCPAddr       // where it is served
	Names   func(string) error // whether a host is this one (x509.Certificate.VerifyHostname); nil without TLS, which is on loopback only
	Pages   fs.FS              // the built front end, on loopback; nil: none
}

// Clients finds the program that has a token (access.TokenList).
type Clients interface {
	Client(secret string) (*access.Client, bool)
	Origin(origin string) bool // pages of it may use a token that is valid
}

// ErrCertificate is a certificate or a key that can't be used.
var ErrCertificate = errors.New("the certificate and its key cannot be used")

// ErrNotLoopback refuses to serve plain HTTP to a network.
var ErrNotLoopback = errors.New("without TLS the API is served on a loopback address only")

// Guarded serves the API and the pages of g. It refuses
//
//   - another Host than its own address, which is how DNS rebinding arrives,
//   - another Origin, and what a browser says was sent by another site, but for a request of the
//     API with a token whose pages may come from there, and what a browser asks before it,
//   - every request without a token, except /_health and the pages, which
//     hold no secret.
func (a *API) Guarded(g Guard) (http.Handler, error) {
	k, err := g.keeper(g.Clients != nil)
	if err != nil {
		return nil, err
	}
	pages, strangers := pageHandler(g.Pages), rate.NewLimiter(strangersPerSecond, strangersPerSecond)
	return a.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, known := k.caller(r)
		if !known {
			a.soon(w)
		}
		switch {
		case k.foretold(w, r):
		case k.refusesStranger(w, r, c):
		case isPage(r.URL.Path):
			pages.ServeHTTP(w, r)
		case known:
			r = r.WithContext(task.WithDoor(r.Context(), task.DoorHTTP))
			if c != nil {
				ctx, done := c.Context(r.Context())
				defer done()
				r = r.WithContext(ctx)
			}
			if hasPlace(w, r, callerOf(r), a.refuse) { // else it is told so
				a.admitted.ServeHTTP(w, r)
			}
		case r.URL.Path == "/_health", r.URL.Path == docsPath: // a browser that is led there has no token
			if !strangers.Allow() { // they take nothing of what the others may ask
				w.Header().Set("Connection", "close")
				w.Header().Set("Retry-After", "1")
				answer.Write(w, r, answer.Simple(http.StatusTooManyRequests, answer.CodeTooManyRequests, "too many requests without a token"))
				return
			}
			a.route(w, r)
		default:
			refuseToken(w, r)
		}
	})), nil
}

// Only guards another handler in the same way: every request needs the token of the person, or one
// for which others has a handler (Clients are nobody here), and its body has to come within a time.
func (g Guard) Only(h http.Handler, others func(r *http.Request, secret string) http.Handler, bodyWithin time.Duration) (http.Handler, error) {
	k, err := g.keeper(others != nil)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			body := door.NewTimedBody(w, r.Body, bodyWithin)
			defer body.Done()
			r.Body = body
		}
		v := door.Of(r.Context())
		if v != nil {
			v.Asked()
		}
		if k.refusesStranger(w, r, nil) {
			return
		}
		serve, name := h, ""
		if c, known := k.caller(r); !known || c != nil {
			serve = nil
			if secret := bearerOf(r); secret != "" && others != nil {
				serve, name = others(r, secret), fmt.Sprintf("%x", sha256.Sum256([]byte(secret)))
			}
		}
		switch {
		case serve == nil:
			refuseToken(w, r)
		case !hasPlace(w, r, name, tooMany): // it is told so
		case v != nil && v.Full() != nil:
			tooMany(w, r, answer.CodeTooManyConnections, *v.Full(), door.MoreRoomAfter)
		default:
			serve.ServeHTTP(w, r)
		}
	}), nil
}

// strangersPerSecond is how often all those without a token may ask for what needs none.
const strangersPerSecond = 20

// keeper is a guard that stands.
type keeper struct {
	Guard
	hosts []string
	want  [sha256.Size]byte
}

// keeper has the guard stand; programs says that there may be some with a token.
func (g Guard) keeper(programs bool) (*keeper, error) {
	switch {
	case g.Addr == nil, g.Names == nil && !g.Addr.IP.IsLoopback():
		return nil, ErrNotLoopback
	case g.Names != nil && (g.Token != "" || g.Pages != nil || !programs):
		return nil, errors.New("on a network each program has a token of its own")
	case g.Token == "" && !programs:
		return nil, errors.New("the API on loopback needs a token")
	}
	return &keeper{g, ownHosts(g.Addr), sha256.Sum256([]byte(g.Token))}, nil
}

// refusesStranger answers a request that was not meant for this server.
func (k *keeper) refusesStranger(w http.ResponseWriter, r *http.Request, c *access.Client) bool {
	reason := k.foreign(r, c)
	if origin, is := originOf(r); is && reason == "" && c.From(origin) {
		shareWith(w, origin)
	}
	if reason != "" {
		refused(r, reason)
		w.Header().Set("Connection", "close") // a stranger keeps none
		answer.Write(w, r, answer.Simple(http.StatusForbidden, answer.CodeForbidden, reason))
	}
	return reason != ""
}

func refuseToken(w http.ResponseWriter, r *http.Request) {
	refused(r, "no token that is valid")
	w.Header().Set("Connection", "close")
	answer.Write(w, r, answer.Simple(http.StatusUnauthorized, answer.CodeUnauthorized, "a bearer token is needed"))
}

// refused logs why a request was not let in.
func refused(r *http.Request, why string) {
	if v := door.Of(r.Context()); v != nil {
		v.Refused(why)
	}
}

// hasPlace has the connection of a request be one of its caller, "" being the person, or answers
// that this one has too many.
func hasPlace(w http.ResponseWriter, r *http.Request, name string, refuse refusal) bool {
	v := door.Of(r.Context())
	if v == nil {
		return true
	}
	why := v.Known(name)
	if why != nil {
		w.Header().Set("Connection", "close")
		refuse(w, r, answer.CodeTooManyConnections, *why, door.MoreRoomAfter)
	}
	return why == nil
}

// ownHosts are the values of Host that a client of addr sends.
func ownHosts(addr *net.TCPAddr) []string {
	hosts := []string{strings.ToLower(addr.String())}
	if _, port, err := net.SplitHostPort(addr.String()); err == nil {
		hosts = append(hosts, "localhost:"+port)
	}
	return hosts
}

// isOwn tells whether the header Host names this server.
func (k *keeper) isOwn(host string) bool {
	if k.Names == nil {
		return slices.Contains(k.hosts, host)
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return k.Names(host) == nil
}

// foreign says why a request was not meant for this server, or "". c is who asks.
func (k *keeper) foreign(r *http.Request, c *access.Client) string {
	host, scheme := strings.ToLower(r.Host), "http://"
	if !k.isOwn(host) {
		return "the Host header names another server"
	}
	if k.Names != nil {
		scheme = "https://"
	}
	if origin, is := originOf(r); is && !isPage(r.URL.Path) && c.From(origin) {
		return ""
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 ||
		len(origins) == 1 && strings.ToLower(origins[0]) != scheme+host {
		return "the request comes from another origin"
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return ""
	default:
		return "the request comes from another site"
	}
}

// caller is who asks, by the token: nil is the person. It compares in constant time, whatever
// the length.
func (k *keeper) caller(r *http.Request) (c *access.Client, known bool) {
	token := bearerOf(r)
	if token == "" {
		return nil, false
	}
	got := sha256.Sum256([]byte(token))
	if k.Token != "" && subtle.ConstantTimeCompare(got[:], k.want[:]) == 1 {
		return nil, true
	}
	if k.Clients == nil {
		return nil, false
	}
	return k.Clients.Client(token)
}

// bearerOf is the token of a request, "" where there is none.
func bearerOf(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// docsPath is the reference, which is the same for everybody; metricsPath are the metrics.
const docsPath, metricsPath = "/docs", "/metrics"

// isPage tells the front end's files from the API.
func isPage(p string) bool {
	return p != "/v1" && !strings.HasPrefix(p, "/v1/") && !strings.HasPrefix(p, "/_") && p != "/openapi.yaml" && p != docsPath && p != metricsPath
}

// pageHandler serves files, never a list of a directory, and never a 304. What is no file is no
// operation either.
func pageHandler(pages fs.FS) http.Handler {
	files := http.FileServerFS(pages)
	return WithPageHeaders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := cmp.Or(strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/"), "index.html")
		if pages == nil {
			answer.Write(w, r, answer.NoOperation(r))
			return
		}
		if info, err := fs.Stat(pages, name); err != nil || info.IsDir() {
			answer.Write(w, r, answer.NoOperation(r))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			answer.Write(w, r, answer.NewError(http.StatusMethodNotAllowed, &answer.NoOperation(r).Problem, r.Method))
			return
		}
		r.Header.Del("If-Modified-Since")
		r.Header.Del("If-None-Match")
		files.ServeHTTP(w, r)
	}))
}

// contentSecurityPolicy lets a page load its own files and talk to its own
// server; nothing inline runs, nothing leaves. Svelte sets single style
// attributes, which is all that style-src-attr allows.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; frame-src 'self' blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// WithPageHeaders adds what a browser needs to know about the pages, in the
// window as on loopback.
func WithPageHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=()")
		next.ServeHTTP(w, r)
	})
}
