package keys

import (
	"context"
	"slices"
	"strings"
)

// Apart is a store without what belongs to somebody else: ids that begin with Prefix are not
// there, and cannot be set.
type Apart struct {
	Store
	Prefix string
}

// Get implements [Store].
func (a Apart) Get(ctx context.Context, provider string) (Credential, error) {
	if strings.HasPrefix(provider, a.Prefix) {
		return Credential{}, ErrNotFound
	}
	return a.Store.Get(ctx, provider)
}

// Set implements [Store].
func (a Apart) Set(ctx context.Context, c Credential) error {
	if strings.HasPrefix(c.Provider, a.Prefix) {
		return &InvalidError{Provider: c.Provider, What: "provider"}
	}
	return a.Store.Set(ctx, c)
}

// Delete implements [Store].
func (a Apart) Delete(ctx context.Context, provider string) error {
	if strings.HasPrefix(provider, a.Prefix) {
		return ErrNotFound
	}
	return a.Store.Delete(ctx, provider)
}

// List implements [Store].
func (a Apart) List(ctx context.Context) ([]Info, error) {
	all, err := a.Store.List(ctx)
	return slices.DeleteFunc(all, func(i Info) bool { return strings.HasPrefix(i.Provider, a.Prefix) }), err
}
