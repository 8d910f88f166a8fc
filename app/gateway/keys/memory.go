package keys

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// Memory keeps credentials until the program ends. The zero value is empty.
type Memory struct {
	mu  sync.Mutex
	all map[string]Credential
}

// Get implements [Store].
func (m *Memory) Get(_ context.Context, provider string) (Credential, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.all[provider]
	if !ok {
		return Credential{}, ErrNotFound
	}
	return c, nil
}

// Set implements [Store].
func (m *Memory) Set(_ context.Context, c Credential) error {
	if err := c.Check(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[string]Credential{}
	}
	m.all[c.Provider] = c
	return nil
}

// Delete implements [Store].
func (m *Memory) Delete(_ context.Context, provider string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.all[provider]; !ok {
		return ErrNotFound
	}
	delete(m.all, provider)
	return nil
}

// List implements [Store].
func (m *Memory) List(context.Context) ([]Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Info
	for _, c := range m.all {
		all = append(all, c.Info(WhereMemory))
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return all, nil
}

// Over is a store in front of another: it is asked first, and shown in place of
// it; what is set or deleted goes to the one behind it, which holds the person's
// own choices. It makes [Env] over [Ring] of PIWORK_AUTH_MODE=env.
type Over struct{ Front, Back Store }

// ByMode is the store that the environment asks for: its own keys in front of back
// when PIWORK_AUTH_MODE is "env", else back.
func ByMode(getenv func(string) string, back Store) Store {
	if getenv(VarMode) == "env" {
		return Over{Front: Env{Getenv: getenv}, Back: back}
	}
	return back
}

// Get implements [Store].
func (o Over) Get(ctx context.Context, provider string) (Credential, error) {
	c, err := o.Front.Get(ctx, provider)
	if errors.Is(err, ErrNotFound) {
		return o.Back.Get(ctx, provider)
	}
	return c, err
}

// Set implements [Store].
func (o Over) Set(ctx context.Context, c Credential) error { return o.Back.Set(ctx, c) }

// Delete implements [Store].
func (o Over) Delete(ctx context.Context, provider string) error {
	return o.Back.Delete(ctx, provider)
}

// List implements [Store].
func (o Over) List(ctx context.Context) ([]Info, error) {
	front, err := o.Front.List(ctx)
	if err != nil {
		return nil, err
	}
	back, err := o.Back.List(ctx)
	if errors.Is(err, ErrLocked) && len(front) > 0 {
		return front, nil // those can be used all the same
	}
	if err != nil {
		return nil, err
	}
	all := slices.Clone(front)
	for _, i := range back {
		if !slices.ContainsFunc(front, func(f Info) bool { return f.Provider == i.Provider }) {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return all, nil
}
