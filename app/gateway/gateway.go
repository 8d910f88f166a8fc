package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
	"piwork/app/telemetry"
)

// Config of [New].
type Config struct {
	Keys      *keys.Source      // who is signed in where
	Transport http.RoundTripper // the way to providers; it follows no redirect. nil: [NewTransport] without options
	Log       *slog.Logger      // nil is silent
	Telemetry *telemetry.Telemetry

	// Price of a model; nil: the table of package meter for providers at their own
	// address, nothing for those on this computer.
	Price func(p provider.Provider, model string) (meter.Price, bool)

	Stall    time.Duration // without a byte from a provider before it is given up; 0 is 5 minutes
	Hold     time.Duration // longest that an answer which names a time is held back; 0 is a minute, negative is never
	MaxBody  int64         // bytes of a request; 0 is 64 MiB
	MaxRoom  int64         // bytes of all requests of a task at once; 0 is twice MaxBody
	Parallel int           // requests of a task at once that cost something; 0 is 8. More wait.

	after func(time.Duration) <-chan time.Time // time.After, for tests
	now   func() time.Time                     // time.Now, for tests
}

// Gateway knows providers, keys and the way to them. It may be used from several
// goroutines.
type Gateway struct {
	c   Config
	log *slog.Logger
	way *fresh // is c.Transport
}

// New makes a gateway. It connects nowhere. A source of keys without a client gets
// one, before anybody else may use it.
func New(c Config) (*Gateway, error) {
	if c.Keys == nil {
		return nil, errors.New("gateway: no source of keys")
	}
	if c.Transport == nil {
		t, err := NewTransport(TransportOptions{})
		if err != nil {
			return nil, err
		}
		c.Transport = t
	}
	way := &fresh{way: c.Transport}
	c.Transport = way
	if c.Keys.Client == nil {
		c.Keys.Client = &http.Client{Transport: c.Transport}
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Stall <= 0 {
		c.Stall = 5 * time.Minute
	}
	c.Hold = cmp.Or(c.Hold, time.Minute)
	if c.MaxBody <= 0 {
		c.MaxBody = 64 << 20
	}
	if c.MaxRoom <= 0 {
		c.MaxRoom = 2 * c.MaxBody
	}
	if c.Parallel <= 0 {
		c.Parallel = 8
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.after == nil {
		c.after = time.After
	}
	return &Gateway{c: c, way: way, log: c.Log}, nil
}

// Close ends idle connections to providers.
func (g *Gateway) Close() {
	g.way.CloseIdleConnections()
}

// table is what the program knows of prices.
func (g *Gateway) table() meter.Table {
	t, err := meter.Prices()
	if err != nil { // it was compiled in, and the tests of package meter read it
		g.log.Error("gateway: the table of prices cannot be read", "error", err)
	}
	return t
}

// Price says what a model of a provider costs, and whether that is known.
func (g *Gateway) Price(p provider.Provider, model string) (meter.Price, bool) {
	if g.c.Price != nil {
		return g.c.Price(p, model)
	}
	if p.Local {
		return meter.Price{}, true
	}
	if provider.Own(p) {
		return g.table().Find(p.ID, model)
	}
	return meter.Price{}, false
}

// Providers lists what there are keys for, sorted by id, as pi is told of them.
// Entries that cannot be used are left out.
func (g *Gateway) Providers(ctx context.Context) ([]provider.PiProvider, error) {
	infos, err := g.c.Keys.List(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // which says nothing of the store
	}
	if err != nil {
		return nil, &Error{Code: CodeKeyStore, Err: err}
	}
	var all []provider.PiProvider
	for _, i := range infos {
		p, c, err := g.peek(ctx, i.Provider)
		if err != nil {
			g.log.Warn("provider left out", "provider", i.Provider, "error", err)
			continue
		}
		all = append(all, provider.PiProvider{Provider: p, Login: provider.Login(p.Protocol, c)})
	}
	return all, nil
}

// PiModels is the content of pi's models.json for what there are keys for, or for
// the providers of the models of only, whose ids are "<provider>/<model>". addr is
// the gateway's address in the guest.
func (g *Gateway) PiModels(ctx context.Context, addr string, only ...provider.Model) ([]byte, error) {
	all, err := g.Providers(ctx)
	if err != nil {
		return nil, err
	}
	var some []provider.PiProvider
	for _, p := range all {
		of := func(m provider.Model) bool { return strings.HasPrefix(m.ID, p.ID+"/") }
		if len(only) == 0 || slices.ContainsFunc(only, of) {
			some = append(some, p)
		}
	}
	return provider.PiModels(addr, some, only...)
}

// OtherModels describes the models of only for an AI program other than pi, see
// [provider.OtherModels].
func (g *Gateway) OtherModels(ctx context.Context, addr, prefix string, only ...provider.Model) ([]byte, error) {
	all, err := g.Providers(ctx)
	if err != nil {
		return nil, err
	}
	return provider.OtherModels(addr, prefix, all, only...)
}

// signed finds a provider and what signs in to it now.
func (g *Gateway) signed(ctx context.Context, id string) (provider.Provider, keys.Credential, error) {
	return g.find(ctx, id, g.c.Keys.Get)
}

// peek finds a provider, and what is kept to sign in to it.
func (g *Gateway) peek(ctx context.Context, id string) (provider.Provider, keys.Credential, error) {
	return g.find(ctx, id, g.c.Keys.Peek)
}

func (g *Gateway) find(ctx context.Context, id string, get func(context.Context, string) (keys.Credential, error)) (provider.Provider, keys.Credential, error) {
	fail := func(code Code, err error) (provider.Provider, keys.Credential, error) {
		return provider.Provider{}, keys.Credential{}, &Error{Code: code, Provider: id, Err: err}
	}
	c, err := get(ctx, id)
	if err != nil {
		return fail(keyCode(ctx, err), err)
	}
	p, err := provider.Of(c)
	if err != nil {
		return fail(CodeProvider, err)
	}
	return p, c, nil
}

// keyCode says what it means that there is no key.
func keyCode(ctx context.Context, err error) Code {
	if refused, ok := errors.AsType[*keys.OAuthError](err); ok {
		if refused.Ended() {
			return CodeLoginEnded
		}
		return CodeOverloaded
	}
	if _, ok := errors.AsType[*url.Error](err); ok || ctx.Err() != nil {
		return CodeUnreachable // the place where logins are renewed
	}
	if errors.Is(err, keys.ErrNotFound) {
		return CodeNoKey
	}
	if _, ok := errors.AsType[*keys.LoginError](err); ok {
		return CodeBadAnswer // of who renews it
	}
	return CodeKeyStore
}

// request makes the request to a provider. in is the guest's, or nil.
func (g *Gateway) request(ctx context.Context, p provider.Provider, c keys.Credential, op provider.Operation, header http.Header, query url.Values, body []byte) (*http.Request, error) {
	u, err := url.Parse(p.BaseURL + op.Path)
	if err != nil {
		return nil, err
	}
	pass := url.Values{}
	for _, name := range op.Query {
		if v := query.Get(name); v != "" {
			pass.Set(name, v)
		}
	}
	u.RawQuery = pass.Encode()
	r, err := http.NewRequestWithContext(ctx, op.Method, u.String(), reader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	r.Header.Set("Accept-Encoding", "identity")
	provider.Sign(p.Protocol, r.Header, c)
	provider.Introduce(p, r.Header, c)
	return r, nil
}

func allowed(list []string, v string) bool {
	if len(list) == 0 {
		return true
	}
	for _, l := range list {
		if l == v {
			return true
		}
	}
	return false
}
