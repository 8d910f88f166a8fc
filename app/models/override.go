package models

import (
	"context"
	"maps"
	"slices"
	"strings"

	"piwork/app/gateway/provider"
	"piwork/app/problem"
)

// maxContext bounds the context that a person can say a model has, in tokens.
const maxContext = 100_000_000

// able is what a person said.
func (s Override) able() provider.Able {
	return provider.Able{Images: s.Images, Thinks: s.Thinks, Context: s.Context}
}

// said is what the person said of a model, "<provider>/<model>".
func (m *Access) said(id string) provider.Able { return m.choice.Get().Models[id].able() }

// Offered are the models, as "<provider>/<model>", that pi is to be told of for a
// task with the model named: that one, and what else its service offers, with what is
// known of each.
func (m *Access) Offered(ctx context.Context, named string) []provider.Model {
	out := append(m.listed(ctx, ProviderOf(named)), provider.Model{ID: named})
	for i, one := range out {
		out[i].Able = m.said(one.ID).Or(one.Able)
	}
	return out
}

// OverrideModel keeps what a person knows of a model of a service of their own. It goes
// before what is known otherwise; what is absent is as it is known. It holds for
// tasks that begin or go on.
func (m *Access) OverrideModel(ctx context.Context, r OverrideRequest) (Catalogue, error) {
	id, model, ok := strings.Cut(r.Model, "/")
	if !ok || model == "" {
		return Catalogue{}, problem.New(problem.CodeUnknownModel).With("model", r.Model)
	}
	if err := m.hasKey(ctx, id, r.Model); err != nil {
		return Catalogue{}, err
	}
	_, builtin := provider.Named(id)
	switch {
	case builtin:
		return Catalogue{}, problem.BadRequest("model", "what models of %s can do is known", id)
	case r.Context < 0 || r.Context > maxContext:
		return Catalogue{}, problem.BadRequest("context", "%d is no number of tokens", r.Context)
	}
	err := m.choice.Update(func(s *Choices) error {
		s.Models = maps.Clone(s.Models)
		if r.Override == (Override{}) {
			delete(s.Models, r.Model)
			return nil
		}
		if s.Models == nil {
			s.Models = map[string]Override{}
		}
		s.Models[r.Model] = r.Override
		return nil
	})
	if err != nil {
		return Catalogue{}, problem.From(err)
	}
	return m.Models(ctx)
}

// forgetSaid forgets what was said of the models of a service that is gone.
func (m *Access) forgetSaid(id string) error {
	of := func(model string, _ Override) bool { return ProviderOf(model) == id }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(m.choice.Get().Models)), func(m string) bool { return of(m, Override{}) }) {
		return nil
	}
	return m.choice.Update(func(s *Choices) error {
		s.Models = maps.Clone(s.Models)
		maps.DeleteFunc(s.Models, of)
		return nil
	})
}
