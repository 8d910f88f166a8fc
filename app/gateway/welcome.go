package gateway

import (
	"context"
	"io"
	"net/http"
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
	data, e := g.once(ctx, p, c, op, header, nil)
	if e != nil {
		return e
	}
	_, terms, err := provider.CopilotModels(p, data)
	if err != nil {
		return &Error{Code: CodeNotProvider, Provider: p.ID}
	}
	for _, model := range terms[:min(len(terms), maxTerms)] {
		if _, known := g.table.Models[p.ID+"/"+model]; !known {
			continue // pi could not use it
		}
		op, header := provider.CopilotTerms(model)
		if _, e := g.once(ctx, p, c, op, header, []byte(`{"state":"enabled"}`)); e != nil && e.Code != CodeBadRequest && e.Code != CodeDenied {
			return e // one model may be refused; of a provider that has enough no more is asked
		}
	}
	return nil
}

// once asks a provider something of the gateway's own, and reads the whole answer.
func (g *Gateway) once(ctx context.Context, p provider.Provider, c keys.Credential, op provider.Operation, header http.Header, body []byte) ([]byte, *Error) {
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
	if e.Code = check(resp); e.Code != "" {
		return nil, e
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, explain(ctx, e, err)
	}
	if resp.StatusCode >= 400 {
		e.Code = sort(resp.StatusCode, data)
		return nil, e
	}
	return data, nil
}
