package act

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of a fetch besides those of its order.
const (
	maxRedirects = 10
	maxHeader    = 64 << 10 // bytes
)

// errStalled is why a fetch ends of which nothing comes.
var errStalled = errors.New("nothing came for too long")

// fetch gets what is at an address, and says what came. The connections are those of a
// program of the task: each, after a redirect too, meets what the task may reach.
func (s *speaker) fetch(ctx context.Context, p wire.FetchParams) error {
	if err := p.Validate(); err != nil {
		return err
	}
	r, err := fetch(ctx, p)
	if err != nil {
		return s.failed(p.Into, err)
	}
	return s.say(wire.ActNews{Fetch: &r}, r.Data)
}

func fetch(ctx context.Context, p wire.FetchParams) (wire.FetchResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := time.Duration(p.StallMS) * time.Millisecond
	stall := time.AfterFunc(patience, func() { cancel(errStalled) })
	defer stall.Stop()
	res, err := get(ctx, p.URL, func() { stall.Reset(patience) })
	stall.Stop()
	if err != nil {
		return wire.FetchResult{}, unreachable(ctx, err)
	}
	defer res.Body.Close()
	r := wire.FetchResult{URL: res.Request.URL.String(), Status: res.StatusCode}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err == nil && len(kind) < 200 {
		r.Type = kind
	}
	body := &moving{r: &patient{res.Body, stall, patience}, left: p.Limit}
	h := sha256.New()
	from := io.TeeReader(body, h)
	switch {
	case p.Into == "":
		r.Data, err = io.ReadAll(from)
	case r.Status < http.StatusBadRequest: // what an error says does not take the place of a file
		r.Info, err = take(p, from)
	}
	if err != nil {
		if body.err != nil {
			err = unreachable(ctx, body.err)
		}
		return r, err
	}
	r.Size, r.SHA256 = p.Limit-body.left, hex.EncodeToString(h.Sum(nil))
	if r.Info != nil {
		r.Info.SHA256 = r.SHA256
	}
	return r, nil
}

// get asks for an address, without cookies or a referrer. A place whose network is a
// proxy says so in the environment, which is the agent's and not the task's. Before each
// redirect is followed, which may have a person asked, next is called.
func get(ctx context.Context, address string, next func()) (*http.Response, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader, ForceAttemptHTTP2: true}
	client := http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch last := via[len(via)-1].URL; {
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case last.Scheme == "https" && r.URL.Scheme != "https":
			return errors.New("a redirect from https to http")
		}
		r.Header.Del("Referer")
		next()
		return wire.CheckAddress(r.URL.String())
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "piwork")
	return client.Do(r)
}

// unreachable is the failure of a connection.
func unreachable(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
		err = cause
	}
	if _, is := errors.AsType[*refusal](err); is {
		return err
	}
	return &refusal{code: wire.ActUnreachable, err: err}
}

// patient reads what a server sends. What is done with it meanwhile, such as a question to a
// person about the folder that it goes to, is no stall of the server.
type patient struct {
	r     io.Reader
	stall *time.Timer
	most  time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	p.stall.Reset(p.most)
	defer p.stall.Stop()
	return p.r.Read(b)
}

// moving reads a body as far as it may go.
type moving struct {
	r    io.Reader
	left int64
	err  error // that of the body
}

func (m *moving) Read(b []byte) (int, error) {
	if m.left == 0 { // one more byte is one too many
		b = b[:min(len(b), 1)]
	} else if int64(len(b)) > m.left {
		b = b[:m.left]
	}
	n, err := m.r.Read(b)
	if n > 0 {
		if m.left -= int64(n); m.left < 0 {
			m.left, n, err = 0, 0, refuse(wire.ActTooLarge, "more than was asked for")
		}
	}
	if err != nil && err != io.EOF { //nolint:errorlint // io.Reader returns it as it is
		m.err = err
	}
	return n, err
}

// take writes what comes to the file of an order, which appears whole or not at all.
func take(p wire.FetchParams, from io.Reader) (*wire.FileInfo, error) {
	at, err := open(p.Roots, p.Into)
	if err != nil {
		return nil, err
	}
	defer at.root.Close()
	return at.replace("", from)
}
