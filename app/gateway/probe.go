package gateway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// Bounds on questions of the gateway's own.
const (
	testTimeout = 30 * time.Second
	maxList     = 8 << 20
)

// Test asks a provider something that costs nothing and needs the key. nil means
// that it took the key; whether the account has money left shows at the first
// real request. Errors are of [Error].
func (g *Gateway) Test(ctx context.Context, id string) error {
	p, c, err := g.signed(ctx, id)
	if err != nil {
		return err
	}
	_, err = g.list(ctx, p, c, true)
	return err
}

// Models lists a provider's models, sorted, with what is known of them. Errors are of
// [Error].
func (g *Gateway) Models(ctx context.Context, id string) ([]provider.Model, error) {
	p, c, err := g.signed(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := g.list(ctx, p, c, false)
	if err != nil {
		return nil, err
	}
	if p.Local && p.Protocol == provider.OpenAI {
		g.ask(ctx, p, c, list)
	}
	for i, m := range list {
		list[i].Able = provider.Known(p, m.ID, m.Able)
	}
	return list, nil
}

// list asks which models there are.
func (g *Gateway) list(ctx context.Context, p provider.Provider, c keys.Credential, test bool) ([]provider.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, testTimeout, errStalled)
	defer cancel()
	if !provider.Listed(p, c) || test && provider.Open(p) && c.Kind == keys.KindOAuth {
		if test {
			return nil, g.holds(ctx, c)
		}
		return g.known(p), nil
	}
	op, header := provider.ModelsRequest(p, test)
	data, err := g.answer(ctx, p, c, op, header, nil)
	if err != nil {
		return nil, err
	}
	if provider.HasTerms(p) {
		return g.usable(p, data)
	}
	read := provider.ParseModels
	if p.Protocol == provider.Pi {
		read = provider.ParseConfig
	}
	models, err := read(data)
	if err != nil && !(test && op.Path == "/key") {
		return nil, &Error{Code: CodeNotProvider, Provider: p.ID, Host: hostOf(p), Status: http.StatusOK}
	}
	return models, nil
}

// answer asks a provider something of the gateway's own and reads the answer, up to a
// bound. Errors are of [Error].
func (g *Gateway) answer(ctx context.Context, p provider.Provider, c keys.Credential, op provider.Operation, header http.Header, body []byte) ([]byte, error) {
	r, err := g.request(ctx, p, c, op, header, nil, body)
	if err != nil {
		return nil, &Error{Code: CodeProvider, Provider: p.ID}
	}
	e := &Error{Provider: p.ID, Host: r.URL.Host}
	resp, err := g.c.Transport.RoundTrip(r)
	if err != nil {
		return nil, explain(ctx, e, err)
	}
	defer resp.Body.Close()
	e.Status = resp.StatusCode
	if bad := check(resp); bad != "" {
		e.Code = bad
		return nil, e
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, explain(ctx, e, err)
	}
	if resp.StatusCode >= 400 {
		e.Code = sort(resp.StatusCode, data)
		if resp.StatusCode == http.StatusNotFound {
			e.Code = CodeNotProvider
		}
		return nil, e
	}
	return data, nil
}

func hostOf(p provider.Provider) string {
	u, err := url.Parse(p.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Place is where a server of models may run on this computer.
type Place struct {
	ID      string // for the provider
	Name    string
	BaseURL string // OpenAI-compatible
}

// Places are where servers of models listen when nobody told them otherwise.
func Places() []Place {
	return []Place{
		{"ollama", "Ollama", "http://127.0.0.1:11434/v1"},
		{"lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"},
		{"llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"},
	}
}

// Found is a server that answered.
type Found struct {
	Place
	Models []string
}

// Credential is what makes it a provider.
func (f Found) Credential() keys.Credential {
	return keys.Credential{Provider: f.ID, Kind: keys.KindNone, Name: f.Name, BaseURL: f.BaseURL, Protocol: string(provider.OpenAI), Models: f.Models}
}

// detectTimeout bounds the look at one place. A server on this computer that is
// there answers in a few milliseconds.
var detectTimeout = 2 * time.Second

// Detect looks for servers of models on this computer, in [Places] or others, all
// at once. Whatever answers with something else than a list of models is none. It
// sends no key, follows no redirect and uses no proxy.
func Detect(ctx context.Context, at ...Place) []Found {
	if len(at) == 0 {
		at = Places()
	}
	ctx, cancel := context.WithTimeout(ctx, detectTimeout)
	defer cancel()
	t := &http.Transport{MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true, DisableCompression: true}
	ch := make(chan *Found, len(at))
	for _, p := range at {
		go func() {
			f, err := look(ctx, t, p)
			if err != nil {
				f = nil
			}
			ch <- f
		}()
	}
	var all []Found
	for range at {
		if f := <-ch; f != nil {
			all = append(all, *f)
		}
	}
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func look(ctx context.Context, t http.RoundTripper, at Place) (*Found, error) {
	p, err := provider.Provider{ID: at.ID, Protocol: provider.OpenAI, BaseURL: at.BaseURL}.Check()
	if err != nil || !p.Local {
		return nil, fmt.Errorf("look for %s: not on this computer", at.ID)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.BaseURL+"/models", nil)
	if err != nil {
		return nil, err
	}
	resp, err := t.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("look for %s: status %d: %w", at.ID, resp.StatusCode, err)
	}
	list, err := provider.ParseModels(data)
	if err != nil {
		return nil, err
	}
	return &Found{Place: at, Models: provider.IDs(list)}, nil
}
