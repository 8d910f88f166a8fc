package mcpservers

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"piwork/app/gateway/keys"
)

// callback waits for a browser at an address of this computer (RFC 8252). Who comes has to bring
// what the browser was sent away with, which nobody can guess.
type callback struct {
	say   keys.Say
	url   string
	came  chan auth.AuthorizationResult // at most one
	srv   *http.Server
	over  chan struct{}
	state atomic.Pointer[string]
}

// errDeclined is a person who did not sign in.
var errDeclined = errors.New("the sign-in was declined")

// listen waits at an address that nobody can guess, or at that of which every service was told
// where a person registered piwork: but for the port (RFC 8252, section 7.3).
func listen(ctx context.Context, registered bool, say keys.Say) (*callback, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	path := "/mcp"
	if !registered {
		path += "/" + rand.Text()
	}
	b := &callback{say: say, url: "http://" + ln.Addr().String() + path, came: make(chan auth.AuthorizationResult, 1), over: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, b.serve)
	b.srv = &http.Server{Handler: mux, MaxHeaderBytes: maxHeader, ReadTimeout: dialWithin, WriteTimeout: dialWithin, IdleTimeout: dialWithin, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(b.over)
		_ = b.srv.Serve(ln) // it ends when it is closed
	}()
	return b, nil
}

// expect says with what the browser is sent away.
func (b *callback) expect(state string) { b.state.Store(&state) }

// serve takes the first browser that comes back.
func (b *callback) serve(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	sent := b.state.Load()
	if err != nil || sent == nil || *sent == "" || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(*sent)) != 1 || q.Get("code") == "" && q.Get("error") == "" || !findable(q.Get("code")) {
		b.say.Page(w, r, http.StatusBadRequest, keys.PageStrange)
		return
	}
	select {
	case b.came <- auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		b.say.Page(w, r, http.StatusOK, keys.PageBack)
	default:
		b.say.Page(w, r, http.StatusConflict, keys.PageOver)
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
