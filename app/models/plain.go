package models

import (
	"context"
	"slices"

	"piwork/app/gateway/provider"
	"piwork/app/problem"
)

// Providers are the ids of those that there are keys for, sorted; with plain only those whose
// models AI programs other than pi can use.
func (m *Access) Providers(ctx context.Context, plain bool) ([]string, error) {
	all, err := m.gateway.Providers(ctx)
	if err != nil {
		return nil, problem.From(err)
	}
	ids := []string{}
	for _, p := range all {
		if !plain || provider.Plain(p) {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// Plain reports whether AI programs other than pi can use the models of a provider.
func (m *Access) Plain(ctx context.Context, provider string) (bool, error) {
	ids, err := m.Providers(ctx, true)
	return slices.Contains(ids, provider), err
}
