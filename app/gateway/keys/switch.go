package keys

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// Switch is a store that can be exchanged for another while it is in use. Its
// methods may be called from several goroutines.
type Switch struct{ now atomic.Pointer[Store] }

// NewSwitch makes one that leads to s.
func NewSwitch(s Store) *Switch {
	w := &Switch{}
	w.Use(s)
	return w
}

// Use has it lead to s.
func (w *Switch) Use(s Store) { w.now.Store(&s) }

// Get implements [Store].
func (w *Switch) Get(ctx context.Context, provider string) (Credential, error) {
	return (*w.now.Load()).Get(ctx, provider)
}

// Set implements [Store].
func (w *Switch) Set(ctx context.Context, c Credential) error { return (*w.now.Load()).Set(ctx, c) }

// Delete implements [Store].
func (w *Switch) Delete(ctx context.Context, provider string) error {
	return (*w.now.Load()).Delete(ctx, provider)
}

// List implements [Store].
func (w *Switch) List(ctx context.Context) ([]Info, error) { return (*w.now.Load()).List(ctx) }

// Copy writes all that one store has into another, and reads each back. What the
// other has of a provider is replaced. After an error from still has everything.
func Copy(ctx context.Context, from, to Store) ([]string, error) {
	infos, err := from.List(ctx)
	if err != nil {
		return nil, err
	}
	var done []string
	for _, i := range infos {
		c, err := from.Get(ctx, i.Provider)
		if errors.Is(err, ErrNotFound) {
			continue // a keychain that was emptied from outside
		}
		if err != nil {
			return done, fmt.Errorf("move the key of %s: %w", i.Provider, err)
		}
		if err := to.Set(ctx, c); err != nil {
			return done, fmt.Errorf("move the key of %s: %w", i.Provider, err)
		}
		back, err := to.Get(ctx, i.Provider)
		if err == nil && !same(back, c) {
			err = fmt.Errorf("the store gave back something else: %w", ErrEntry)
		}
		if err != nil {
			return done, fmt.Errorf("move the key of %s: %w", i.Provider, err)
		}
		done = append(done, i.Provider)
	}
	return done, nil
}
