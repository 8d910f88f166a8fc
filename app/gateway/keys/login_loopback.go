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
)

// callback waits for a browser at an address of this computer that only it was
// told (RFC 8252): a port that was free, and a path that cannot be guessed, which
// stands for the state that some providers do not send back.
type callback struct {
	url  string
	came chan redirect // at most one
	srv  *http.Server
	over chan struct{} // closed when the server has ended

	mu    sync.Mutex
	taken bool
}

// redirect is a browser that came back.
type redirect struct {
	code string
	err  error
	told chan error // gets what became of it, so that the page can say it
}

func listen(ctx context.Context, provider string) (*callback, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("wait for the browser: %w", err)
	}
	path := "/login/" + random().Reveal()
	c := &callback{url: "http://" + ln.Addr().String() + path, came: make(chan redirect, 1), over: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, provider) })
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

func (c *callback) close() {
	_ = c.srv.Close()
	<-c.over
}

// serve takes the first browser that brings a code, or a no.
func (c *callback) serve(w http.ResponseWriter, r *http.Request, provider string) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	came := redirect{code: q.Get("code"), told: make(chan error, 1)}
	switch {
	case err != nil || came.code == "" && q.Get("error") == "" || len(came.code) > maxSecret:
		page(w, http.StatusBadRequest, "This is not the end of a sign-in.")
		return
	case q.Get("error") != "":
		came.code, came.err = "", &LoginError{provider, LoginDenied}
	}
	c.mu.Lock()
	again := c.taken
	c.taken = true
	c.mu.Unlock()
	if again {
		page(w, http.StatusConflict, "This sign-in is over already.")
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
		page(w, http.StatusOK, "You are signed in. You can close this page and go back to piwork.")
	case errors.As(err, &denied) && denied.Reason == LoginDenied:
		page(w, http.StatusForbidden, "You were not signed in, because that was declined. You can close this page.")
	default:
		page(w, http.StatusBadGateway, "You were not signed in. piwork says why. You can close this page.")
	}
}

// page writes a page without anything that could run or be loaded.
func page(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address has a code in it
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>piwork</title><p>"+text+"</p></html>\n")
}
