package mcpservers

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"piwork/app/gateway/keys"
)

// callback waits for a browser at an address of this computer that nobody can guess (RFC 8252).
type callback struct {
	url  string
	came chan auth.AuthorizationResult // at most one
	srv  *http.Server
	over chan struct{}
}

// errDeclined is a person who did not sign in.
var errDeclined = errors.New("the sign-in was declined")

func listen(ctx context.Context) (*callback, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	path := "/mcp/" + rand.Text()
	b := &callback{url: "http://" + ln.Addr().String() + path, came: make(chan auth.AuthorizationResult, 1), over: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, b.serve)
	b.srv = &http.Server{Handler: mux, MaxHeaderBytes: maxHeader, ReadTimeout: dialWithin, WriteTimeout: dialWithin, IdleTimeout: dialWithin, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(b.over)
		_ = b.srv.Serve(ln) // it ends when it is closed
	}()
	return b, nil
}

// serve takes the first browser that comes back. The client of the protocol compares the state.
func (b *callback) serve(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || q.Get("state") == "" || q.Get("code") == "" && q.Get("error") == "" || len(q.Get("code")) > maxValue {
		keys.Page(w, http.StatusBadRequest, "This is not the end of a sign-in.")
		return
	}
	select {
	case b.came <- auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		keys.Page(w, http.StatusOK, "You can close this page and go back to piwork.")
	default:
		keys.Page(w, http.StatusConflict, "This sign-in is over already.")
	}
}

func (b *callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case r := <-b.came:
		if r.Code == "" {
			return nil, errDeclined
		}
		return &r, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (b *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = b.srv.Shutdown(ctx) // what is left is cut off
	_ = b.srv.Close()
	<-b.over
}
