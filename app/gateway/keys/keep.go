package keys

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// keepWithin is how long a store may take that nobody waits for any more: a person may have to
// unlock the keychain first.
const keepWithin = 30 * time.Second

// longer is a context that ends keepWithin after ctx does. What was fetched for what is worth
// nothing any more has to be kept, also by who has stopped waiting for it.
func longer(ctx context.Context) (context.Context, context.CancelFunc) {
	kept, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(keepWithin):
			cancel()
		case <-kept.Done():
		}
	})
	return kept, func() {
		stop()
		cancel()
	}
}

// turn is a lock that is waited for as long as a context lasts. Its zero value is ready.
type turn struct {
	once sync.Once
	sem  *semaphore.Weighted
}

func (t *turn) take(ctx context.Context) error {
	t.once.Do(func() { t.sem = semaphore.NewWeighted(1) })
	if t.sem.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (t *turn) leave() { t.sem.Release(1) }

// Set keeps a credential.
func (s *Source) Set(ctx context.Context, c Credential) error {
	if err := s.turn.take(ctx); err != nil {
		return err
	}
	defer s.turn.leave()
	return s.set(ctx, c)
}

// Replace keeps c in the place of old, where old is still what is kept, and returns what is kept
// then: it undoes nothing that a person did meanwhile.
func (s *Source) Replace(ctx context.Context, old, c Credential) (Credential, error) {
	if err := s.turn.take(ctx); err != nil {
		return Credential{}, err
	}
	defer s.turn.leave()
	now, err := s.stored(ctx, old.Provider)
	if err != nil || !same(now, old) {
		return now, err
	}
	return c, s.set(ctx, c)
}

// set is Set in its turn.
func (s *Source) set(ctx context.Context, c Credential) error {
	err := s.Store.Set(ctx, c)
	if errors.Is(err, ErrTooLong) && c.Kind == KindOAuth && !c.Refresh.IsZero() {
		// Windows keeps 2.5 KB. The access token is the longer one, and ends: without it
		// another is fetched when the program is started again.
		less := c
		less.Access, less.Expires = Secret{}, time.Time{}
		s.hold(c) // before anybody finds the store without it
		if err = s.Store.Set(ctx, less); err == nil {
			s.forget(c.Provider, false)
			return nil
		}
	}
	if err == nil || errors.Is(err, ErrTooLong) {
		s.forget(c.Provider, true)
	}
	return err
}

// Delete forgets a credential.
func (s *Source) Delete(ctx context.Context, provider string) error {
	if err := s.turn.take(ctx); err != nil {
		return err
	}
	defer s.turn.leave()
	err := s.Store.Delete(ctx, provider)
	if err == nil || errors.Is(err, ErrNotFound) {
		s.forget(provider, true)
	}
	return err
}

// keep stores new tokens in the place of those that they were made of. These are worth nothing
// any more, so that a store that fails does not end the login: the new ones are held until it
// works again.
func (s *Source) keep(ctx context.Context, old, c Credential) (Credential, error) {
	now, err := s.Replace(ctx, old, c)
	if err == nil || errors.Is(err, ErrNotFound) {
		return now, err
	}
	s.forget(c.Provider, false)
	s.hold(c)
	if s.Log != nil {
		s.Log.Error("a renewed login is only in memory", "provider", c.Provider, "error", err)
	}
	return c, nil
}

// hold keeps a login in memory that the store did not take, or not whole.
func (s *Source) hold(c Credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsaved == nil {
		s.unsaved = map[string]Credential{}
	}
	s.unsaved[c.Provider] = c
}
