package keys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Bounds of the little server that a browser comes back to.
const (
	callbackHeader = 16 << 10
	callbackWait   = 10 * time.Second
	callbackPage   = time.Second // for the last page to be sent
)

// callback waits for a browser at an address of this computer (RFC 8252). With most
// providers only it was told: a port that was free, and a path that cannot be
// guessed, which stands for the state that some do not send back. Others take one
// address only, which everybody knows; there the state has to come back.
type callback struct {
	state Secret // none with an address that cannot be guessed
	say   Say
	url   string
	came  chan redirect // at most one
	srv   *http.Server
	over  chan struct{} // closed when the server has ended

	mu    sync.Mutex
	taken bool
}

// redirect is a browser that came back.
type redirect struct {
	grant
	err  error
	told chan error // gets what became of it, so that the page can say it
}

func listen(ctx context.Context, l *Login, say Say) (*callback, error) {
	at := url.URL{Scheme: "http", Host: "127.0.0.1:0", Path: "/login/" + random().Reveal()}
	c := &callback{say: say, came: make(chan redirect, 1), over: make(chan struct{})}
	if l.e.RedirectURL != "" {
		fixed, err := url.Parse(l.e.RedirectURL)
		if err != nil {
			return nil, fmt.Errorf("login of %s: the address to come back to cannot be used", l.Provider)
		}
		at, c.state = *fixed, l.state
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", at.Port()))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("login of %s: %w", l.Provider, context.Cause(ctx))
	case err != nil && l.e.RedirectURL != "":
		return nil, &LoginError{l.Provider, LoginPort}
	case err != nil:
		return nil, fmt.Errorf("login of %s: wait for the browser: %w", l.Provider, err)
	}
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("login of %s: wait for the browser: %w", l.Provider, err)
	}
	at.Host = net.JoinHostPort(at.Hostname(), port)
	c.url = at.String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+at.Path, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, l) })
	c.srv = &http.Server{
		Handler: mux, MaxHeaderBytes: callbackHeader,
		ReadTimeout: callbackWait, WriteTimeout: renewTimeout + callbackWait, IdleTimeout: callbackWait,
		ErrorLog: log.New(io.Discard, "", 0), // it would hold what strangers sent
	}
	go func() {
		defer close(c.over)
		_ = c.srv.Serve(ln) // it ends when it is closed
	}()
	return c, nil
}

// close ends the server. A browser that came sees its page first.
func (c *callback) close() {
	c.mu.Lock()
	taken := c.taken
	c.mu.Unlock()
	if taken {
		ctx, cancel := context.WithTimeout(context.Background(), callbackPage)
		defer cancel()
		_ = c.srv.Shutdown(ctx) // what is left is cut off
	}
	_ = c.srv.Close()
	<-c.over
}

// take reports whether who asks is the first to end the login.
func (c *callback) take() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.taken
	c.taken = true
	return first
}

// leave lets another end the login.
func (c *callback) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = false
}

// serve takes the first browser that brings a code, or a no.
func (c *callback) serve(w http.ResponseWriter, r *http.Request, l *Login) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	came := redirect{grant: grantOf(q), told: make(chan error, 1)}
	switch {
	case err != nil || q.Get("error") == "" && !came.good(l.e),
		!c.state.IsZero() && !NewSecret(q.Get("state")).Equal(c.state): // from somebody else
		c.say.Page(w, r, http.StatusBadRequest, PageStrange)
		return
	case q.Get("error") != "":
		came.grant, came.err = grant{}, &LoginError{l.Provider, LoginDenied}
	}
	if !c.take() {
		c.say.Page(w, r, http.StatusConflict, PageOver)
		return
	}
	c.came <- came
	select {
	case err = <-came.told:
	case <-r.Context().Done():
		err = r.Context().Err()
	}
	var denied *LoginError
	switch {
	case err == nil:
		c.say.Page(w, r, http.StatusOK, PageSignedIn)
	case errors.As(err, &denied) && denied.Reason == LoginDenied:
		c.say.Page(w, r, http.StatusForbidden, PageDeclined)
	default:
		c.say.Page(w, r, http.StatusBadGateway, PageFailed)
	}
}
