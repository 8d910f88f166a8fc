package gateway

import (
	"context"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// Bounds on what is done after a login was made.
const (
	welcomeTime = 20 * time.Second
	maxTerms    = 64 // models whose terms are agreed to
)

// Welcome does what a provider wants once after a login was made, as pi does: with
// GitHub Copilot, the account agrees to the terms of the models that are known here
// and that nobody decided about. The login holds without it, so that errors, of
// [Error], are only to be noted.
func (g *Gateway) Welcome(ctx context.Context, id string) error {
	p, c, err := g.peek(ctx, id)
	if err != nil {
		return err
	}
	if c.Kind != keys.KindOAuth || !provider.HasTerms(p) {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, welcomeTime, errStalled)
	defer cancel()
	op, header := provider.ModelsRequest(p, false)
	data, err := g.answer(ctx, p, c, op, header, nil)
	if err != nil {
		return err
	}
	_, terms, err := provider.CopilotModels(p, data)
	if err != nil {
		return &Error{Code: CodeNotProvider, Provider: p.ID}
	}
	table := g.table()
	for _, model := range terms[:min(len(terms), maxTerms)] {
		if _, known := table.Models[p.ID+"/"+model]; !known {
			continue // pi could not use it
		}
		op, header := provider.CopilotTerms(model)
		_, err := g.answer(ctx, p, c, op, header, []byte(`{"state":"enabled"}`))
		if e := asError(err, nil); e != nil && e.Code != CodeBadRequest && e.Code != CodeDenied {
			return e // one model may be refused; of a provider that has enough no more is asked
		}
	}
	return nil
}
