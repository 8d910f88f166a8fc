package models

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"piwork/app/gateway"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
)

// Keys lists the providers of models: those with a key, and those that could have
// one.
func (m *Access) Keys(ctx context.Context) ([]KeyInfo, error) {
	m.bringIn(ctx)
	list, err := m.source.List(ctx)
	if err != nil {
		return nil, problem.From(err)
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
	for i := range out {
		out[i].CanLogin = m.source.HasLogin(out[i].Provider) && out[i].BaseURL == ""
		out[i].NoKey = out[i].CanLogin && !provider.Supported(out[i].Provider, keys.KindKey)
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
	if i.Domain != "" {
		out.Name += " (" + i.Domain + ")"
	}
	return out
}

// SetKey keeps a key in the keychain of this computer. It is never shown again.
// Of a provider that is found by its address, the
// models are asked for at once: without them it can do nothing.
func (m *Access) SetKey(ctx context.Context, id string, r KeyRequest) (KeyInfo, error) {
	cred := keys.Credential{
		Provider: id, Kind: keys.KindKey, Key: keys.NewSecret(strings.TrimSpace(r.Key)),
		Name: r.Name, BaseURL: r.BaseURL, Protocol: r.Protocol, Private: strings.HasPrefix(r.BaseURL, "http://"),
	}
	if strings.TrimSpace(r.Key) == "" {
		cred.Kind, cred.Key = keys.KindNone, keys.Secret{}
		if r.BaseURL == "" {
			p := problem.New(problem.CodeKeyInvalid).With("provider", id).By("key")
			return KeyInfo{}, p
		}
	}
	if r.BaseURL != "" && r.Protocol == "" {
		cred.Protocol = string(provider.OpenAI)
	}
	if err := cred.Check(); err != nil {
		return KeyInfo{}, problem.From(err)
	}
	p, err := provider.For(cred.Info(""))
	if err != nil {
		return KeyInfo{}, problem.From(err)
	}
	if p.Builtin && r.BaseURL == "" && !provider.Supported(id, cred.Kind) {
		bad := problem.New(problem.CodeKeyInvalid).With("provider", id).By("login")
		return KeyInfo{}, bad
	}
	if err := m.decide(ctx, "key/"+id, "written", ""); err != nil {
		return KeyInfo{}, err
	}
	if err := m.source.Set(ctx, cred); err != nil {
		return KeyInfo{}, problem.From(err)
	}
	m.forget(id)
	defer m.changed()
	if !p.Builtin {
		ask, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		if list, err := m.gateway.Models(ask, id); err == nil && len(list) > 0 {
			with := cred
			with.Models = provider.IDs(list)
			if _, err := m.source.Replace(ctx, cred, with); err != nil && !errors.Is(err, keys.ErrNotFound) {
				return KeyInfo{}, problem.From(err)
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

// RemoveKey forgets a key.
func (m *Access) RemoveKey(ctx context.Context, id string) error {
	m.forget(id)
	if err := m.source.Delete(ctx, id); err != nil {
		return problem.From(err).With("provider", id)
	}
	defer m.changed()
	if err := m.forgetSaid(id); err != nil {
		return problem.From(err)
	}
	return m.decide(ctx, "key/"+id, "removed", "") // last: what only takes a right away waits for no record
}

// TestKey asks the provider whether it takes the key.
func (m *Access) TestKey(ctx context.Context, id string) (KeyTest, error) {
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	err := m.gateway.Test(ctx, id)
	var refused *gateway.Error
	switch {
	case errors.Is(err, keys.ErrLocked): // nothing was tested
		return KeyTest{}, problem.From(err)
	case errors.As(err, &refused):
		return KeyTest{Reason: string(refused.Code), Detail: refused.Error()}, nil
	case err != nil:
		return KeyTest{}, problem.From(err)
	}
	list, err := m.gateway.Models(ctx, id)
	if err != nil {
		m.log.Info("a provider that takes the key does not list its models", "provider", id, "error", err)
	}
	return KeyTest{OK: true, Models: len(list)}, nil
}
