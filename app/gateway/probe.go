package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	maxListed   = 4096 // models
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

// Try is [Gateway.Test] for a credential that is not kept yet.
func (g *Gateway) Try(ctx context.Context, c keys.Credential) error {
	if err := c.Check(); err != nil {
		return err
	}
	p, err := provider.For(c.Info(""))
	if err != nil {
		return err
	}
	_, err = g.list(ctx, p, c, true)
	return err
}

// Models lists a provider's models, sorted. Errors are of [Error].
func (g *Gateway) Models(ctx context.Context, id string) ([]string, error) {
	p, c, err := g.signed(ctx, id)
	if err != nil {
		return nil, err
	}
	return g.list(ctx, p, c, false)
}

// list asks which models there are.
func (g *Gateway) list(ctx context.Context, p provider.Provider, c keys.Credential, test bool) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, testTimeout, errStalled)
	defer cancel()
	op, header := provider.ModelsRequest(p, test)
	r, err := g.request(ctx, p, c, op, header, nil, nil)
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
	names, err := modelNames(data)
	if err != nil && !(test && op.Path == "/key") {
		e.Code = CodeNotProvider
		return nil, e
	}
	return names, nil
}

// modelNames reads a list of models, of any protocol.
func modelNames(data []byte) ([]string, error) {
	var l struct {
		Data *[]struct {
			ID string `json:"id"`
		} `json:"data"`
		Models *[]struct {
			Name string `json:"name"`
		} `json:"models"` // Google's
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, errors.New("not a list of models")
	}
	if l.Data == nil && l.Models == nil {
		return nil, errors.New("not a list of models")
	}
	var names []string
	add := func(n string) {
		if n != "" && len(n) <= 200 && len(names) < maxListed && !strings.ContainsFunc(n, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			names = append(names, n)
		}
	}
	if l.Data != nil {
		for _, m := range *l.Data {
			add(m.ID)
		}
	} else {
		for _, m := range *l.Models {
			add(strings.TrimPrefix(m.Name, "models/"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
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
const detectTimeout = 2 * time.Second

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
	names, err := modelNames(data)
	if err != nil {
		return nil, err
	}
	return &Found{Place: at, Models: names}, nil
}
