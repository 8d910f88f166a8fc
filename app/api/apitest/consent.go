package apitest

import (
	"cmp"
	"context"
	"piwork/app/consent"
	"piwork/app/models"
	"slices"
	"time"

	"piwork/app/problem"
)

// Beforehand is what a person allows beforehand.
type Beforehand struct {
	Login    models.Login        // what every login is; its id is made
	States   []models.LoginState // of every login, one after the other; the last stays
	Code     string              // that a login takes
	Store    models.KeyStore
	Pass     string // of the file
	Search   consent.WebSearch
	Finished []string // codes that were given
}

func (f *Fake) loginState() models.LoginState {
	b := &f.Beforehand
	if len(b.States) == 0 {
		return models.LoginState{State: models.LoginWaiting}
	}
	s := b.States[0]
	if len(b.States) > 1 {
		b.States = b.States[1:]
	}
	return s
}

// BeginLogin implements api.Service.
func (f *Fake) BeginLogin(_ context.Context, provider string, r models.LoginRequest) (models.Login, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.Beforehand.Login
	if r.Device {
		l.Needs, l.UserCode = "nothing", "ABCD-EFGH"
	}
	if r.Domain != "" && provider != "github-copilot" {
		return l, &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Cause: "domain", Params: map[string]any{"provider": provider}}
	}
	if l.URL == "" {
		return l, &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Cause: "none", Params: map[string]any{"provider": provider}}
	}
	l.ID, l.Expires = "login-"+provider, time.Now().Add(time.Minute).UTC()
	return l, f.refused("BeginLogin")
}

// LoginState implements api.Service.
func (f *Fake) LoginState(context.Context, string) (models.LoginState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loginState(), f.refused("LoginState")
}

// FinishLogin implements api.Service.
func (f *Fake) FinishLogin(_ context.Context, _ string, c models.LoginCode) (models.LoginState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Beforehand.Finished = append(f.Beforehand.Finished, c.Code)
	if c.Code != f.Beforehand.Code {
		return models.LoginState{}, &problem.Problem{Code: problem.CodeLoginFailed, Severity: problem.Failed, Cause: "wrong"}
	}
	return models.LoginState{State: models.LoginDone}, f.refused("FinishLogin")
}

// CancelLogin implements api.Service.
func (f *Fake) CancelLogin(context.Context, string) error { return f.refused("CancelLogin") }

// KeyStore implements api.Service.
func (f *Fake) KeyStore(context.Context) (models.KeyStore, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.Beforehand.Store
	s.Store = cmp.Or(s.Store, models.StoreKeychain)
	return s, f.refused("KeyStore")
}

// SetKeyStore implements api.Service.
func (f *Fake) SetKeyStore(ctx context.Context, r models.KeyStoreChoice) (models.KeyStore, error) {
	f.mu.Lock()
	f.Beforehand.Store.Store, f.Beforehand.Store.Locked, f.Beforehand.Pass = r.Store, false, r.Passphrase
	f.mu.Unlock()
	return f.KeyStore(ctx)
}

// UnlockKeys implements api.Service.
func (f *Fake) UnlockKeys(ctx context.Context, p models.Passphrase) (models.KeyStore, error) {
	if err := f.passphrase(p.Passphrase); err != nil {
		return models.KeyStore{}, err
	}
	f.mu.Lock()
	f.Beforehand.Store.Locked = false
	f.mu.Unlock()
	return f.KeyStore(ctx)
}

func (f *Fake) passphrase(given string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if given != f.Beforehand.Pass {
		return &problem.Problem{Code: problem.CodePassphrase, Severity: problem.Failed, Cause: "wrong"}
	}
	return nil
}

// ChangePassphrase implements api.Service.
func (f *Fake) ChangePassphrase(ctx context.Context, p models.PassphraseChange) (models.KeyStore, error) {
	if err := f.passphrase(p.Passphrase); err != nil {
		return models.KeyStore{}, err
	}
	f.mu.Lock()
	f.Beforehand.Pass = p.New
	f.mu.Unlock()
	return f.KeyStore(ctx)
}

// NetworkPresets implements api.Service.
func (f *Fake) NetworkPresets(context.Context) ([]consent.NetworkPreset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]consent.NetworkPreset{}, f.Agent.Rules.Presets...), f.refused("NetworkPresets")
}

// SetNetworkPreset implements api.Service.
func (f *Fake) SetNetworkPreset(_ context.Context, code string, r consent.PresetChoice) (consent.NetworkPreset, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.Agent.Rules.Presets, func(p consent.NetworkPreset) bool { return p.Code == code })
	if i < 0 {
		return consent.NetworkPreset{}, notFound(code)
	}
	f.Agent.Rules.Presets[i].On = r.On
	return f.Agent.Rules.Presets[i], f.refused("SetNetworkPreset")
}

// WebSearch implements api.Service.
func (f *Fake) WebSearch(context.Context) (consent.WebSearch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.Beforehand.Search
	s.Kind = cmp.Or(s.Kind, consent.SearchNone)
	return s, f.refused("WebSearch")
}

// SetWebSearch implements api.Service.
func (f *Fake) SetWebSearch(ctx context.Context, s consent.WebSearch) (consent.WebSearch, error) {
	f.mu.Lock()
	f.Beforehand.Search = s
	f.mu.Unlock()
	return f.WebSearch(ctx)
}
