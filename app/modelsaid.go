package app

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
func (s ModelSaid) able() provider.Able {
	return provider.Able{Images: s.Images, Thinks: s.Thinks, Context: s.Context}
}

// said is what the person said of a model, "<provider>/<model>".
func (c *Controller) said(id string) provider.Able { return c.config.Get().Models[id].able() }

// offered are the models, as "<provider>/<model>", that pi is to be told of for a
// task with the model named: that one, and what else its service offers, with what is
// known of each.
func (c *Controller) offered(ctx context.Context, named string) []provider.Model {
	out := append(c.models.offered(ctx, providerOf(named)), provider.Model{ID: named})
	for i, m := range out {
		out[i].Able = c.said(m.ID).Or(m.Able)
	}
	return out
}

// SayOfModel keeps what a person knows of a model; see Service.
func (c *Controller) SayOfModel(ctx context.Context, r ModelWord) (Models, error) {
	id, model, ok := strings.Cut(r.Model, "/")
	if !ok || model == "" {
		return Models{}, problem.New(problem.CodeUnknownModel).With("model", r.Model)
	}
	if err := c.hasKey(ctx, id, r.Model); err != nil {
		return Models{}, err
	}
	_, builtin := provider.Named(id)
	switch {
	case builtin:
		return Models{}, problem.BadRequest("model", "what models of %s can do is known", id)
	case r.Context < 0 || r.Context > maxContext:
		return Models{}, problem.BadRequest("context", "%d is no number of tokens", r.Context)
	}
	err := c.config.Update(func(s *choices) error {
		s.Models = maps.Clone(s.Models)
		if r.ModelSaid == (ModelSaid{}) {
			delete(s.Models, r.Model)
			return nil
		}
		if s.Models == nil {
			s.Models = map[string]ModelSaid{}
		}
		s.Models[r.Model] = r.ModelSaid
		return nil
	})
	if err != nil {
		return Models{}, problem.From(err)
	}
	return c.Models(ctx)
}

// forgetSaid forgets what was said of the models of a service that is gone.
func (c *Controller) forgetSaid(id string) error {
	of := func(model string, _ ModelSaid) bool { return providerOf(model) == id }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(c.config.Get().Models)), func(m string) bool { return of(m, ModelSaid{}) }) {
		return nil
	}
	return c.config.Update(func(s *choices) error {
		s.Models = maps.Clone(s.Models)
		maps.DeleteFunc(s.Models, of)
		return nil
	})
}
