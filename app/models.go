package app

import (
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
	"piwork/app/settings"
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
	place   *keyPlace
	gateway *gateway.Gateway
	choice  settings.Value[modelChoices]
	log     *slog.Logger
	now     func() time.Time

	imported sync.Once

	mu    sync.Mutex
	lists map[string]offered
}

// modelChoices are what a person chose about models and keys.
type modelChoices struct {
	Model string `json:"model,omitempty"` // "<provider>/<model>"; "" has it chosen
	// What a person said of models of services of their own, by "<provider>/<model>".
	Models   map[string]ModelSaid `json:"models,omitempty"`
	KeyStore string               `json:"keyStore,omitempty"` // "file"; "" is the keychain
	Host     string               `json:"host,omitempty"`     // what services where one signs in know this computer by
}

// offered is what a provider offered when it was asked.
type offered struct {
	models []provider.Model
	at     time.Time
}

func openModels(o Options, s seams, choice settings.Value[modelChoices], now func() time.Time) (*models, error) {
	m := &models{choice: choice, log: o.Log, now: now, lists: map[string]offered{}}
	ring := s.keys
	if ring == nil {
		ring = keys.NewRing(filepath.Join(o.ConfigDir, keysIndex), keys.Profile(os.Getenv), nil)
	}
	m.place = openKeyPlace(o.ConfigDir, choice.Get().KeyStore, ring)
	m.source = &keys.Source{Store: m.place.to, Log: o.Log, Now: now, Endpoints: s.endpoints, After: s.after, Host: m.host}
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

func (m *models) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.lists, id)
}

// offered are the models, as "<provider>/<model>", that a provider offers, with what
// is known of them; none where it says nothing.
func (m *models) offered(ctx context.Context, id string) (out []provider.Model) {
	providers, err := m.gateway.Providers(ctx)
	if err != nil {
		return nil
	}
	for _, p := range providers {
		if p.ID != id || !provider.Asked(p.Provider) { // those pi knows
			continue
		}
		list, _ := m.offers(ctx, p) // it is logged; the model of the task is one without it, too
		for _, model := range list {
			model.ID = id + "/" + model.ID
			out = append(out, model)
		}
	}
	return out
}

// offers is what a provider offers: asked for now and then. Where it does not
// answer it is what it offered before, with the reason.
func (m *models) offers(ctx context.Context, p provider.PiProvider) ([]provider.Model, error) {
	m.mu.Lock()
	known, ok := m.lists[p.ID]
	m.mu.Unlock()
	if ok && m.now().Sub(known.at) < modelsStay {
		return known.models, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	list, err := m.gateway.Models(ctx, p.ID)
	if err != nil {
		m.log.Info("a provider does not list its models", "provider", p.ID, "error", err)
		if len(known.models) == 0 {
			for _, id := range p.Models {
				known.models = append(known.models, provider.Model{ID: id, Able: provider.Known(p.Provider, id, provider.Able{})})
			}
		}
		return known.models, err
	}
	m.mu.Lock()
	m.lists[p.ID] = offered{list, m.now()}
	m.mu.Unlock()
	return list, nil
}

// Models lists what can do an AI task; see Service.
func (c *Controller) Models(ctx context.Context) (Models, error) {
	out, _, err := c.listModels(ctx)
	return out, err
}

// listModels is Models, and why a provider did not say which it has.
func (c *Controller) listModels(ctx context.Context) (out Models, silent, err error) {
	m := c.models
	m.bringIn(ctx, c.o.DataDir)
	providers, err := m.gateway.Providers(ctx)
	if err != nil {
		return Models{}, nil, problem.From(err)
	}
	out = Models{List: []ModelInfo{}}
	lists, errs := make([][]provider.Model, len(providers)), make([]error, len(providers))
	var all sync.WaitGroup
	for i, p := range providers {
		all.Go(func() { lists[i], errs[i] = m.offers(ctx, p) })
	}
	all.Wait()
	words := c.config.Get().Models
	for i, p := range providers {
		for _, model := range lists[i] {
			info := ModelInfo{ID: p.ID + "/" + model.ID, Name: model.ID, Provider: p.ID, Local: p.Local, Own: !p.Builtin}
			able := model.Able
			if said, ok := words[info.ID]; ok && info.Own {
				info.Said, able = &said, said.able().Or(able)
			}
			info.Images, info.Thinks, info.Context = able.Images, able.Thinks, able.Context
			if price, ok := m.gateway.Price(p.Provider, model.ID); ok && !p.Local {
				info.InputPrice, info.OutputPrice = int64(price.Input*1e6), int64(price.Output*1e6)
			}
			out.List = append(out.List, info)
		}
	}
	chosen := c.config.Get().Model
	there := func() bool {
		if slices.ContainsFunc(out.List, func(i ModelInfo) bool { return i.ID == chosen }) {
			return true
		}
		// Who does not say what there is may have it.
		i := slices.IndexFunc(providers, func(p provider.PiProvider) bool { return p.ID == providerOf(chosen) })
		return i >= 0 && errs[i] != nil
	}
	if chosen != "" && there() {
		out.Default, out.Chosen = chosen, true
	} else {
		out.Default = bestModel(out.List)
	}
	return out, errors.Join(errs...), nil
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
	if err := c.config.Update(func(s *choices) error { s.Model = r.Model; return nil }); err != nil {
		return Models{}, problem.From(err)
	}
	return c.Models(ctx)
}

// modelFailed is the problem of a provider that does not answer, or says no.
func modelFailed(err error) *problem.Problem {
	var e *gateway.Error
	if errors.As(err, &e) {
		return problem.From(err)
	}
	return problem.New(problem.CodeModelFailed).Because(err)
}

// modelFor is the model of a task that is asked for: the named one, which may be one
// that its provider does not list, or the default.
func (c *Controller) modelFor(ctx context.Context, named string) (string, error) {
	if named == "" {
		m, silent, err := c.listModels(ctx)
		switch {
		case err != nil:
			return "", err
		case m.Default == "" && silent != nil: // there is a key, and nobody answers
			return "", modelFailed(silent)
		case m.Default == "":
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
		return problem.From(err)
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
