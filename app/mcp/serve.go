package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/api"
)

const (
	maxMessage  = 32 << 20         // of one message: a file of 16 MiB in base64, and what is around it
	sessionIdle = 30 * time.Minute // until a client over HTTP counts as gone
)

// Run speaks with one client over two streams, a message a line, until the input ends or ctx
// does, and then closes the door.
func (d *Door) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer d.Close()
	defer context.AfterFunc(ctx, d.end)() // calls end first: the connection waits for them
	err := d.Server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: keptOpen{out}, MaxLineLength: maxMessage})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// keptOpen is a stream that belongs to somebody else.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Serve speaks with clients over HTTP ("streamable HTTP") on ln, a loopback address, until ctx
// ends, and then closes the door. Every request has to have the token.
func (d *Door) Serve(ctx context.Context, ln net.Listener, token string) error {
	defer d.Close()
	defer context.AfterFunc(ctx, d.end)()
	bound, _ := ln.Addr().(*net.TCPAddr)
	s := d.Server()
	answers := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxMessage})
	h, err := api.Guard{Token: token, Addr: bound}.Only(d.requests.named(answers))
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	return api.Serve(ctx, ln, h)
}

// requestName is the header by which a call finds the HTTP request that it came with: the SDK
// does not end a call when its client goes away.
const requestName = "X-Piwork-Call"

// requests are those over HTTP that are not answered yet.
type requests struct {
	mu  sync.Mutex
	all map[string]context.Context // of each, by its name
}

// named gives each request a name.
func (a *requests) named(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := rand.Text()
		a.mu.Lock()
		if a.all == nil {
			a.all = map[string]context.Context{}
		}
		a.all[name] = r.Context()
		a.mu.Unlock()
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			delete(a.all, name)
		}()
		r.Header.Set(requestName, name)
		h.ServeHTTP(w, r)
	})
}

// attached is a context that also ends with the HTTP request that a call came with, until it
// is released.
func (a *requests) attached(ctx context.Context, req *sdk.CallToolRequest) (_ context.Context, release func()) {
	out, cancel := context.WithCancel(ctx)
	if req.Extra == nil {
		return out, cancel
	}
	a.mu.Lock()
	request := a.all[req.Extra.Header.Get(requestName)]
	a.mu.Unlock()
	if request == nil {
		return out, cancel
	}
	stop := context.AfterFunc(request, cancel)
	return out, func() { stop(); cancel() }
}

// negotiated has an "initialize", which revisions since [roundsSince] do not have any more, ask
// for the last one that has it: what is kept of it says what was asked for, not what was agreed.
func negotiated(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if p, ok := req.GetParams().(*sdk.InitializeParams); ok && method == "initialize" && p.ProtocolVersion >= roundsSince {
			p.ProtocolVersion = "2025-11-25"
		}
		return next(ctx, method, req)
	}
}
