package models

import (
	"context"
	"slices"
)

// Plain reports whether AI programs other than pi can use the models of a provider that there is
// a key for.
func (m *Access) Plain(ctx context.Context, provider string) (bool, error) {
	ids, err := m.gateway.Plain(ctx)
	return slices.Contains(ids, provider), err
}
