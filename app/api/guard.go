package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
)

// NewToken makes a bearer token of 256 random bits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Guard says who may use the API on loopback, where every program and every
// web page of this computer can knock.
type Guard struct {
	Token string       // bearer token; never empty
	Addr  *net.TCPAddr // where it is served: a loopback address
	Pages fs.FS        // the built front end; nil: none
}

// ErrNotLoopback refuses to serve HTTP to a network.
var ErrNotLoopback = errors.New("the API is served on a loopback address only")

// Guarded serves the API and the pages of g. It refuses
//
//   - another Host than its own address, which is how DNS rebinding arrives,
//   - another Origin, and what a browser says was sent by another site,
//   - every request without the token, except /_health and the pages, which
//     hold no secret.
func (a *API) Guarded(g Guard) (http.Handler, error) {
	k, err := g.keeper()
	if err != nil {
		return nil, err
	}
	pages := pageHandler(g.Pages)
	return a.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !k.hasToken(r) {
			a.soon(w)
		}
		switch {
		case k.refusesStranger(w, r):
		case isPage(r.URL.Path):
			pages.ServeHTTP(w, r)
		case k.hasToken(r):
			a.admitted.ServeHTTP(w, r)
		case r.URL.Path == "/_health":
			a.route(w, r)
		default:
			refuseToken(w, r)
		}
	})), nil
}

// Only guards another handler in the same way: every request needs the token.
func (g Guard) Only(h http.Handler) (http.Handler, error) {
	k, err := g.keeper()
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case k.refusesStranger(w, r):
		case k.hasToken(r):
			h.ServeHTTP(w, r)
		default:
			refuseToken(w, r)
		}
	}), nil
}

// keeper is a guard that stands.
type keeper struct {
	hosts []string
	want  [sha256.Size]byte
}

func (g Guard) keeper() (*keeper, error) {
	if g.Addr == nil || !g.Addr.IP.IsLoopback() {
		return nil, ErrNotLoopback
	}
	if g.Token == "" {
		return nil, errors.New("the API on loopback needs a token")
	}
	return &keeper{ownHosts(g.Addr), sha256.Sum256([]byte(g.Token))}, nil
}

// refusesStranger answers a request that was not meant for this server.
func (k *keeper) refusesStranger(w http.ResponseWriter, r *http.Request) bool {
	reason := foreign(r, k.hosts)
	if reason != "" {
		w.Header().Set("Connection", "close") // a stranger keeps none
		writeError(w, r, simple(http.StatusForbidden, CodeForbidden, reason))
	}
	return reason != ""
}

func refuseToken(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	w.Header().Set("WWW-Authenticate", "Bearer")
	writeError(w, r, simple(http.StatusUnauthorized, CodeUnauthorized, "a bearer token is needed"))
}

// ownHosts are the values of Host that a client of addr sends.
func ownHosts(addr *net.TCPAddr) []string {
	hosts := []string{strings.ToLower(addr.String())}
	if _, port, err := net.SplitHostPort(addr.String()); err == nil {
		hosts = append(hosts, "localhost:"+port)
	}
	return hosts
}

// foreign says why a request was not meant for this server, or "".
func foreign(r *http.Request, hosts []string) string {
	host := strings.ToLower(r.Host)
	if !slices.Contains(hosts, host) {
		return "the Host header names another server"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 ||
		len(origins) == 1 && strings.ToLower(origins[0]) != "http://"+host {
		return "the request comes from another origin"
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return ""
	default:
		return "the request comes from another site"
	}
}

// hasToken compares in constant time, whatever the length.
func (k *keeper) hasToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(got[:], k.want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// isPage tells the front end's files from the API.
func isPage(p string) bool {
	return p != "/v1" && !strings.HasPrefix(p, "/v1/") && !strings.HasPrefix(p, "/_") && p != "/openapi.yaml"
}

// pageHandler serves files, never a list of a directory, and never a 304.
func pageHandler(pages fs.FS) http.Handler {
	if pages == nil {
		return WithPageHeaders(http.NotFoundHandler())
	}
	files := http.FileServerFS(pages)
	return WithPageHeaders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name != "" {
			if info, err := fs.Stat(pages, name); err != nil || info.IsDir() {
				http.NotFound(w, r)
				return
			}
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
