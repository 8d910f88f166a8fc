// Package models is the way to what does AI tasks: keys, logins, providers and the models
// that these offer.
//
// [Access] owns where keys are kept (the keychain of this computer, or a file that is
// encrypted with a passphrase), the logins that are under way, what a person chose, and
// the gateway (app/gateway), through which tasks reach their models. No key leaves it
// but in a request to the provider that it is of.
package models

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

	"piwork/app/audit"
	"piwork/app/gateway"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/telemetry"
)

const (
	keysIndex   = "keys.json"     // in the directory of settings: which keys the keychain has
	askWithin   = 8 * time.Second // a provider for its models
	modelsStay  = 10 * time.Minute
	testWithin  = 30 * time.Second
	importTries = 15 * time.Second
)

// Access is the way to models: keys, providers, and what they offer. Its methods may be
// called from several goroutines at once.
type Access struct {
	source  *keys.Source
	place   *keyPlace
	gateway *gateway.Gateway
	choice  settings.Value[Choices]
	dataDir string
	audit   *audit.Log
	log     *slog.Logger
	now     func() time.Time
	changed func()
	logins  logins

	life context.Context // of logins
	end  context.CancelFunc
	work sync.WaitGroup // logins that are under way

	importing sync.Mutex
	imported  bool // the keys of files; guarded by importing

	mu    sync.Mutex
	lists map[string]offered
}

// Choices are what a person chose about models and keys.
type Choices struct {
	Model string `json:"model,omitempty"` // "<provider>/<model>"; "" has it chosen
	// What a person said of models of services of their own, by "<provider>/<model>".
	Models   map[string]Override `json:"models,omitempty"`
	KeyStore string              `json:"keyStore,omitempty"` // "file"; "" is the keychain
	Host     string              `json:"host,omitempty"`     // what services where one signs in know this computer by
}

// offered is what a provider offered when it was asked.
type offered struct {
	models []provider.Model
	at     time.Time
}

// Options say how models are reached.
type Options struct {
	ConfigDir string
	DataDir   string // where an earlier program may have left keys
	Choice    settings.Value[Choices]
	Keychain  keys.Store // nil is this computer's
	// Endpoints are where logins are made, and After is time.After for them; nil are
	// the real ones.
	Endpoints map[string]keys.Endpoint
	After     func(time.Duration) <-chan time.Time
	Say       keys.Say // what a browser is shown after a sign-in
	Changed   func()   // is called when keys come, go, or can be read; nil is nobody
	Telemetry *telemetry.Telemetry
	Audit     *audit.Log // of who changes keys, and where they are kept
	Log       *slog.Logger
	Now       func() time.Time
}

// Open makes the access to models. It asks nobody yet.
func Open(o Options) (*Access, error) {
	m := &Access{choice: o.Choice, changed: o.Changed, dataDir: o.DataDir, audit: o.Audit, log: o.Log, now: o.Now, lists: map[string]offered{}}
	if m.changed == nil {
		m.changed = func() {}
	}
	m.life, m.end = context.WithCancel(context.Background())
	ring := o.Keychain
	if ring == nil {
		ring = keys.NewRing(filepath.Join(o.ConfigDir, keysIndex), keys.Profile(os.Getenv), nil)
	}
	m.place = openKeyPlace(o.ConfigDir, o.Choice.Get().KeyStore, ring)
	m.source = &keys.Source{Store: keys.Apart{Store: keys.Apart{Store: m.place.to, Prefix: OtherSecrets}, Prefix: ServiceSecrets}, Log: o.Log, Now: o.Now, Endpoints: o.Endpoints, After: o.After, Host: m.host, Say: o.Say}
	g, err := gateway.New(gateway.Config{Keys: m.source, Telemetry: o.Telemetry, Log: o.Log})
	if err != nil {
		return nil, err
	}
	m.gateway = g
	return m, nil
}

// decide records who changes keys, before they are changed. mode is how.
func (m *Access) decide(ctx context.Context, topic, answer, mode string) error {
	return m.audit.Decide(ctx, "", audit.Decision{Topic: topic, Answer: answer, Mode: mode})
}

// Hurry ends the logins that are under way, and begins none any more.
func (m *Access) Hurry() { m.logins.close(); m.end() }

// Close waits for what Hurry ended and closes the gateway: no task asks a model any more.
func (m *Access) Close() {
	m.Hurry()
	m.work.Wait()
	m.gateway.Close()
}

// How the ids begin of what is kept beside keys of providers, in the same place: no provider is
// called like that.
const (
	OtherSecrets   = "mcp."
	ServiceSecrets = "service."
)

// Secrets is where keys are kept, for [OtherSecrets] and [ServiceSecrets].
func (m *Access) Secrets() keys.Store { return m.place.to }

// Gateway is what sends the requests of tasks to models.
func (m *Access) Gateway() *gateway.Gateway { return m.gateway }

// bringIn takes over, once, the keys of files that the environment or an earlier
// program left. Into a locked store they come when it is open.
func (m *Access) bringIn(ctx context.Context) {
	m.importing.Lock()
	defer m.importing.Unlock()
	if m.imported || m.storeIsOpen(ctx) != nil {
		return
	}
	m.imported = true
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), importTries) // who asked may go
	defer cancel()
	for _, f := range keys.AuthFiles(os.Getenv, m.dataDir, home) {
		done, err := keys.Import(ctx, f, m.source.Store, provider.Supported)
		switch {
		case errors.Is(err, fs.ErrNotExist) || keys.NoAuthFile(err):
		case err != nil:
			m.log.Warn("keys of a file were not taken over", "file", f.Path, "error", err)
		default:
			m.log.Info("keys of a file were taken over", "file", f.Path, "providers", done.Moved, "left", len(done.Left))
		}
	}
}

func (m *Access) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.lists, id)
}

// listed are the models, as "<provider>/<model>", that a provider offers, with what
// is known of them; none where it says nothing.
func (m *Access) listed(ctx context.Context, id string) (out []provider.Model) {
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
func (m *Access) offers(ctx context.Context, p provider.PiProvider) ([]provider.Model, error) {
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

// Models lists the models that there is a key for, and which one is taken when
// none is named.
func (m *Access) Models(ctx context.Context) (Catalogue, error) {
	out, _, err := m.listModels(ctx)
	return out, err
}

// listModels is Models, and why a provider did not say which it has.
func (m *Access) listModels(ctx context.Context) (out Catalogue, silent, err error) {
	m.bringIn(ctx)
	providers, err := m.gateway.Providers(ctx)
	if err != nil {
		return Catalogue{}, nil, problem.From(err)
	}
	out = Catalogue{List: []Model{}}
	lists, errs := make([][]provider.Model, len(providers)), make([]error, len(providers))
	var all sync.WaitGroup
	for i, p := range providers {
		all.Go(func() { lists[i], errs[i] = m.offers(ctx, p) })
	}
	all.Wait()
	words := m.choice.Get().Models
	for i, p := range providers {
		for _, model := range lists[i] {
			info := Model{ID: p.ID + "/" + model.ID, Name: model.ID, Provider: p.ID, Local: p.Local, Own: !p.Builtin}
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
	chosen := m.choice.Get().Model
	there := func() bool {
		if slices.ContainsFunc(out.List, func(i Model) bool { return i.ID == chosen }) {
			return true
		}
		// Who does not say what there is may have it.
		i := slices.IndexFunc(providers, func(p provider.PiProvider) bool { return p.ID == ProviderOf(chosen) })
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
func bestModel(list []Model) string {
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

// ModelsChosen is what the person chose. It asks neither the keychain nor a provider.
func (m *Access) ModelsChosen(context.Context) (Chosen, error) {
	c := m.choice.Get()
	return Chosen{c.Model, cmp.Or(c.KeyStore, StoreKeychain)}, nil
}

// SetModel chooses the model that is taken when none is named; "" has it chosen.
func (m *Access) SetModel(ctx context.Context, r ChoiceRequest) (Catalogue, error) {
	now, err := m.Models(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	if r.Model != "" && !slices.ContainsFunc(now.List, func(i Model) bool { return i.ID == r.Model }) {
		return Catalogue{}, problem.New(problem.CodeUnknownModel).With("model", r.Model)
	}
	if err := m.choice.Update(func(s *Choices) error { s.Model = r.Model; return nil }); err != nil {
		return Catalogue{}, problem.From(err)
	}
	return m.Models(ctx)
}

// modelFailed is the problem of a provider that does not answer, or says no.
func modelFailed(err error) *problem.Problem {
	if _, is := errors.AsType[*gateway.Error](err); is {
		return problem.From(err)
	}
	return problem.New(problem.CodeModelFailed).Because(err)
}

// ModelFor is the model of a task that is asked for: the named one, which may be one
// that its provider does not list, or the default.
func (m *Access) ModelFor(ctx context.Context, named string) (string, error) {
	if named == "" {
		list, silent, err := m.listModels(ctx)
		switch {
		case err != nil:
			return "", err
		case list.Default == "" && silent != nil: // there is a key, and nobody answers
			return "", modelFailed(silent)
		case list.Default == "":
			return "", problem.New(problem.CodeNoModel)
		}
		return list.Default, nil
	}
	id, model, ok := strings.Cut(named, "/")
	if !ok || model == "" {
		return "", problem.New(problem.CodeUnknownModel).With("model", named)
	}
	return named, m.hasKey(ctx, id, named)
}

// hasKey says what is wrong when a model cannot be reached.
func (m *Access) hasKey(ctx context.Context, id, named string) error {
	m.bringIn(ctx)
	providers, err := m.gateway.Providers(ctx)
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

// Reachable says what is wrong when the model of a task that begins or goes on cannot be
// reached any more.
func (m *Access) Reachable(ctx context.Context, model string) error {
	return m.hasKey(ctx, ProviderOf(model), model)
}

// ProviderOf is the provider of a model, "<provider>/<model>".
func ProviderOf(model string) string {
	id, _, _ := strings.Cut(model, "/")
	return id
}
