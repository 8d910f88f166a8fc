package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/api"
	"piwork/app/jsonlines"
)

const (
	maxMessage  = 32 << 20         // of one message: a file of 16 MiB in base64, and what is around it
	sessionIdle = 30 * time.Minute // until a client over HTTP counts as gone

	messageWithin = time.Minute // in which a message over HTTP has to come
)

// Run speaks with one client over two streams, a message a line, until the input ends, ctx does
// or the client reads nothing any more, and then closes the door.
func (d *Door) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer d.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	writing, unread := context.WithCancel(context.WithoutCancel(ctx))
	defer unread()
	over := func() { // calls end first: the connection waits for them, and for what they write
		d.end()
		time.AfterFunc(jsonlines.LastWritten, unread)
	}
	defer context.AfterFunc(ctx, over)()
	toSDK, lines := io.Pipe()
	defer toSDK.Close()
	w := jsonlines.NewWriter(writing, cancel, out)
	go func() { // ends with the input, as far as that can be ended
		err := passOn(in, lines, w)
		over()
		_ = lines.CloseWithError(err)
	}()
	err := d.Server().Run(ctx, &sdk.IOTransport{Reader: toSDK, Writer: w, MaxLineLength: maxMessage})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return w.Err()
	}
	return err
}

// passOn passes on the messages that are some, and answers the others itself: the SDK would end
// the connection over them. Batches are none since revision 2025-06-18.
func passOn(in io.Reader, to io.Writer, w io.Writer) error {
	refuse := func(id json.RawMessage, code int, why string) error {
		if id == nil {
			id = json.RawMessage("null")
		}
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": why}})
		if err != nil {
			return err
		}
		_, err = w.Write(append(answer, '\n'))
		return err
	}
	return jsonlines.Each(in, maxMessage, func(line []byte, whole bool) error {
		if !whole {
			return refuse(jsonlines.IDOf(line), jsonrpc.CodeInvalidRequest, fmt.Sprintf("The message has more than %d bytes.", maxMessage))
		}
		if !json.Valid(line) {
			return refuse(nil, jsonrpc.CodeParseError, "The message is not JSON.")
		}
		if _, err := jsonrpc.DecodeMessage(line); err != nil {
			return refuse(nil, jsonrpc.CodeInvalidRequest, "The message is none of JSON-RPC 2.0.")
		}
		_, err := to.Write(append(line, '\n'))
		return err
	})
}

// Serve speaks with clients over HTTP ("streamable HTTP") on ln until ctx ends, and then closes the
// door. g says who may come to this address: on loopback the person with its token, with TLS by the
// names of the certificate. Programs with a token of their own (package access) have each a door of
// their own to the piwork that as finds for them; nil finds none.
func (d *Door) Serve(ctx context.Context, ln net.Listener, g api.Guard, as func(secret string) TokenService) error {
	others := &tokenDoors{d: d, as: as}
	defer others.close()
	defer d.Close()
	defer context.AfterFunc(ctx, others.end)()
	g.Addr, _ = ln.Addr().(*net.TCPAddr)
	h, err := g.Only(overHTTP(d), others.handler, messageWithin)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	return api.Serve(ctx, ln, h)
}

// overHTTP answers clients of a door.
func overHTTP(d *Door) http.Handler {
	s := d.Server()
	return d.requests.named(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true, // the guard knows the names of the address
	}))
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
// is released. Where the client has left already, it is over.
func (a *requests) attached(ctx context.Context, req *sdk.CallToolRequest) (_ context.Context, release func()) {
	out, cancel := context.WithCancel(ctx)
	if req.Extra == nil {
		return out, cancel
	}
	name := req.Extra.Header.Get(requestName)
	if name == "" { // it did not come over HTTP
		return out, cancel
	}
	a.mu.Lock()
	request, waits := a.all[name]
	a.mu.Unlock()
	if !waits {
		cancel()
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
