package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/gateway"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
)

const (
	keysIndex   = "keys.json"     // in the directory of settings: which keys the keychain has
	askWithin   = 8 * time.Second // a provider for its models
	modelsStay  = 10 * time.Minute
	testWithin  = 30 * time.Second
	importTries = 15 * time.Second
)

// models are what can do AI tasks: keys, the way to providers, and what they offer.
type models struct {
	source  *keys.Source
	gateway *gateway.Gateway
	log     *slog.Logger
	now     func() time.Time

	imported sync.Once

	mu    sync.Mutex
	lists map[string]offered
}

// offered is what a provider offered when it was asked.
type offered struct {
	ids []string
	at  time.Time
}

func openModels(o Options, s seams, now func() time.Time) (*models, error) {
	m := &models{log: o.Log, now: now, lists: map[string]offered{}}
	store := s.keys
	if store == nil {
		store = keys.ByMode(os.Getenv, keys.NewRing(filepath.Join(o.ConfigDir, keysIndex), keys.Profile(os.Getenv), nil))
	}
	m.source = &keys.Source{Store: store, Log: o.Log, Now: now}
	g, err := gateway.New(gateway.Config{Keys: m.source, Log: o.Log})
	if err != nil {
		return nil, err
	}
	m.gateway = g
	return m, nil
}

// bringIn takes over, once, the keys of files that the environment or an earlier
// program left.
func (m *models) bringIn(ctx context.Context, data string) {
	m.imported.Do(func() {
		home, err := os.UserHomeDir()
		if err != nil {
			home = ""
		}
		ctx, cancel := context.WithTimeout(ctx, importTries)
		defer cancel()
		for _, f := range keys.AuthFiles(os.Getenv, data, home) {
			done, err := keys.Import(ctx, f, m.source.Store, provider.Supported)
			switch {
			case errors.Is(err, fs.ErrNotExist) || keys.NoAuthFile(err):
			case err != nil:
				m.log.Warn("keys of a file were not taken over", "file", f.Path, "error", err)
			default:
				m.log.Info("keys of a file were taken over", "file", f.Path, "providers", done.Moved, "left", len(done.Left))
			}
		}
	})
}

// keyProblem turns an error of a store of keys into what a person sees.
func keyProblem(err error) error {
	var invalid *keys.InvalidError
	var address *provider.AddressError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		p := problem.New(problem.CodeKeyInvalid).With("provider", invalid.Provider).Because(err)
		if p.Cause = "key"; invalid.What == "provider" {
			p.Cause = "provider"
		}
		return p
	case errors.As(err, &address):
		p := problem.New(problem.CodeKeyInvalid).Because(err)
		p.Cause = "address"
		return p
	case errors.Is(err, keys.ErrNoKeychain), errors.Is(err, keys.ErrReadOnly), errors.Is(err, keys.ErrPassphrase), errors.Is(err, keys.ErrDamaged), errors.Is(err, keys.ErrTooLong):
		return problem.New(problem.CodeKeychain).Because(err)
	case errors.Is(err, keys.ErrNotFound):
		return problem.New(problem.CodeNotFound).With("what", "key").Because(err)
	}
	return problem.From(err)
}

// Keys lists providers; see Service.
func (c *Controller) Keys(ctx context.Context) ([]KeyInfo, error) {
	c.models.bringIn(ctx, c.o.DataDir)
	list, err := c.models.source.List(ctx)
	if err != nil {
		return nil, keyProblem(err)
	}
	out := []KeyInfo{}
	for _, i := range list {
		out = append(out, keyInfo(i))
	}
	has := func(id string) bool {
		return slices.ContainsFunc(out, func(k KeyInfo) bool { return k.Provider == id })
	}
	for _, p := range provider.Builtin() {
		if !has(p.ID) {
			out = append(out, KeyInfo{Provider: p.ID, Name: p.Name, Protocol: string(p.Protocol)})
		}
	}
	look, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	for _, f := range gateway.Detect(look, gateway.Places()...) {
		if !has(f.ID) {
			out = append(out, KeyInfo{Provider: f.ID, Name: f.Name, Kind: string(keys.KindNone), BaseURL: f.BaseURL, Protocol: string(provider.OpenAI), Local: true})
		}
	}
	slices.SortStableFunc(out, func(a, b KeyInfo) int {
		if a.Has != b.Has {
			if a.Has {
				return -1
			}
			return 1
		}
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, nil
}

// keyInfo is what is shown of a credential that is kept.
func keyInfo(i keys.Info) KeyInfo {
	out := KeyInfo{
		Provider: i.Provider, Name: i.Name, Has: true, Kind: string(i.Kind), Place: i.Where, Ending: i.Last,
		BaseURL: i.BaseURL, Protocol: i.Protocol,
	}
	if i.Kind == keys.KindOAuth {
		out.Kind = "login"
	}
	if i.Expires != nil {
		out.Expires = *i.Expires
	}
	if p, err := provider.For(i); err == nil {
		out.Name, out.Protocol, out.Local = cmp.Or(out.Name, p.Name), string(p.Protocol), p.Local
	}
	out.Name = cmp.Or(out.Name, out.Provider)
	return out
}

// SetKey keeps a key; see Service. Of a provider that is found by its address, the
// models are asked for at once: without them it can do nothing.
func (c *Controller) SetKey(ctx context.Context, id string, r KeyRequest) (KeyInfo, error) {
	m := c.models
	cred := keys.Credential{
		Provider: id, Kind: keys.KindKey, Key: keys.NewSecret(strings.TrimSpace(r.Key)),
		Name: r.Name, BaseURL: r.BaseURL, Protocol: r.Protocol, Private: strings.HasPrefix(r.BaseURL, "http://"),
	}
	if strings.TrimSpace(r.Key) == "" {
		cred.Kind, cred.Key = keys.KindNone, keys.Secret{}
		if r.BaseURL == "" {
			p := problem.New(problem.CodeKeyInvalid).With("provider", id)
			p.Cause = "key"
			return KeyInfo{}, p
		}
	}
	if r.BaseURL != "" && r.Protocol == "" {
		cred.Protocol = string(provider.OpenAI)
	}
	if err := cred.Check(); err != nil {
		return KeyInfo{}, keyProblem(err)
	}
	p, err := provider.For(cred.Info(""))
	if err != nil {
		return KeyInfo{}, keyProblem(err)
	}
	if err := m.source.Set(ctx, cred); err != nil {
		return KeyInfo{}, keyProblem(err)
	}
	m.forget(id)
	if !p.Builtin {
		ask, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		if ids, err := m.gateway.Models(ask, id); err == nil && len(ids) > 0 {
			cred.Models = ids
			if err := m.source.Set(ctx, cred); err != nil {
				return KeyInfo{}, keyProblem(err)
			}
		}
	}
	info := cred.Info("")
	if list, err := m.source.List(ctx); err == nil {
		for _, i := range list {
			if i.Provider == id {
				info = i
			}
		}
	}
	return keyInfo(info), nil
}

// RemoveKey forgets a key; see Service.
func (c *Controller) RemoveKey(ctx context.Context, id string) error {
	c.models.forget(id)
	if err := c.models.source.Delete(ctx, id); err != nil {
		var p *problem.Problem
		if err := keyProblem(err); errors.As(err, &p) {
			return p.With("provider", id)
		}
		return err
	}
	return nil
}

// TestKey asks a provider; see Service.
func (c *Controller) TestKey(ctx context.Context, id string) (KeyTest, error) {
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	err := c.models.gateway.Test(ctx, id)
	var refused *gateway.Error
	switch {
	case errors.As(err, &refused):
		return KeyTest{Reason: string(refused.Code), Detail: refused.Error()}, nil
	case err != nil:
		return KeyTest{}, keyProblem(err)
	}
	ids, err := c.models.gateway.Models(ctx, id)
	if err != nil {
		c.log.Info("a provider that takes the key does not list its models", "provider", id, "error", err)
	}
	return KeyTest{OK: true, Models: len(ids)}, nil
}

func (m *models) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.lists, id)
}

// offers is what a provider offers: asked for now and then.
func (m *models) offers(ctx context.Context, p provider.PiProvider) []string {
	m.mu.Lock()
	known, ok := m.lists[p.ID]
	m.mu.Unlock()
	if ok && m.now().Sub(known.at) < modelsStay {
		return known.ids
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	ids, err := m.gateway.Models(ctx, p.ID)
	if err != nil {
		m.log.Info("a provider does not list its models", "provider", p.ID, "error", err)
		if ids = p.Models; len(ids) == 0 {
			ids = known.ids
		}
	}
	m.mu.Lock()
	m.lists[p.ID] = offered{ids, m.now()}
	m.mu.Unlock()
	return ids
}

// Models lists what can do an AI task; see Service.
func (c *Controller) Models(ctx context.Context) (Models, error) {
	m := c.models
	m.bringIn(ctx, c.o.DataDir)
	providers, err := m.gateway.Providers(ctx)
	if err != nil {
		return Models{}, keyProblem(err)
	}
	out := Models{List: []ModelInfo{}}
	lists := make([][]string, len(providers))
	var all sync.WaitGroup
	for i, p := range providers {
		all.Go(func() { lists[i] = m.offers(ctx, p) })
	}
	all.Wait()
	for i, p := range providers {
		for _, id := range lists[i] {
			info := ModelInfo{ID: p.ID + "/" + id, Name: id, Provider: p.ID, Local: p.Local}
			if price, ok := m.gateway.Price(p.Provider, id); ok && !p.Local {
				info.InputPrice, info.OutputPrice = int64(price.Input*1e6), int64(price.Output*1e6)
			}
			out.List = append(out.List, info)
		}
	}
	chosen := c.config.get().Model
	if chosen != "" && slices.ContainsFunc(out.List, func(i ModelInfo) bool { return i.ID == chosen }) {
		out.Default, out.Chosen = chosen, true
	} else {
		out.Default = bestModel(out.List)
	}
	return out, nil
}

// preferred are parts of names of models that do ordinary work well, best first,
// for who has not chosen. What a provider has none of is taken as it lists them.
var preferred = []string{"claude-sonnet", "gpt-5", "gemini-2.5-pro", "gemini", "claude", "gpt"}

// bestModel is the model for who has not chosen, "" where there is none.
func bestModel(list []ModelInfo) string {
	for _, part := range preferred {
		best := ""
		for _, m := range list {
			if strings.Contains(m.ID, part) && m.ID > best { // newer ones have larger numbers
				best = m.ID
			}
		}
		if best != "" {
			return best
		}
	}
	if len(list) > 0 {
		return list[0].ID
	}
	return ""
}

// SetModel chooses; see Service.
func (c *Controller) SetModel(ctx context.Context, r ModelChoice) (Models, error) {
	now, err := c.Models(ctx)
	if err != nil {
		return Models{}, err
	}
	if r.Model != "" && !slices.ContainsFunc(now.List, func(i ModelInfo) bool { return i.ID == r.Model }) {
		return Models{}, problem.New(problem.CodeUnknownModel).With("model", r.Model)
	}
	if err := c.config.set(func(s *settings) { s.Model = r.Model }); err != nil {
		return Models{}, problem.From(err)
	}
	return c.Models(ctx)
}

// modelFor is the model of a task that is asked for: the named one, which may be one
// that its provider does not list, or the default.
func (c *Controller) modelFor(ctx context.Context, named string) (string, error) {
	if named == "" {
		m, err := c.Models(ctx)
		if err != nil {
			return "", err
		}
		if m.Default == "" {
			return "", problem.New(problem.CodeNoModel)
		}
		return m.Default, nil
	}
	id, model, ok := strings.Cut(named, "/")
	if !ok || model == "" {
		return "", problem.New(problem.CodeUnknownModel).With("model", named)
	}
	return named, c.hasKey(ctx, id, named)
}

// hasKey says what is wrong when a model cannot be reached.
func (c *Controller) hasKey(ctx context.Context, id, named string) error {
	c.models.bringIn(ctx, c.o.DataDir)
	providers, err := c.models.gateway.Providers(ctx)
	if err != nil {
		return keyProblem(err)
	}
	if len(providers) == 0 {
		return problem.New(problem.CodeNoModel)
	}
	if !slices.ContainsFunc(providers, func(p provider.PiProvider) bool { return p.ID == id }) {
		return problem.New(problem.CodeUnknownModel).With("model", named)
	}
	return nil
}

// knownModel says what is wrong when the model of a task that begins or goes on
// cannot be reached any more.
func (l *liveTask) knownModel(model string) error {
	return l.c.hasKey(l.ctx, providerOf(model), model)
}
