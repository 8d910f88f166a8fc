package keys

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// unanswered is a keychain that waits for a person.
type unanswered struct{ answer chan struct{} }

func (u unanswered) Get(string, string) (string, error) { <-u.answer; return "", errFlaky }
func (u unanswered) Set(string, string, string) error   { <-u.answer; return errFlaky }
func (u unanswered) Delete(string, string) error        { <-u.answer; return errFlaky }

// While a keychain waits for a person, keys are listed, and whoever asks for one waits no longer
// than they want to; a login that was made is not kept for ever.
func TestUnansweredKeychain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chain := unanswered{make(chan struct{})}
		defer close(chain.answer)
		r := NewRing(filepath.Join(t.TempDir(), "keys.json"), "", chain)
		c := credentials()[0]
		long, end := context.WithCancel(t.Context())
		defer end()
		go func() { _ = r.Set(long, c) }()
		synctest.Wait()
		if all, err := r.List(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("%+v %v", all, err)
		}
		for name, ask := range map[string]func(context.Context) error{
			"get":    func(ctx context.Context) error { _, err := r.Get(ctx, c.Provider); return err },
			"set":    func(ctx context.Context) error { return r.Set(ctx, c) },
			"delete": func(ctx context.Context) error { return r.Delete(ctx, c.Provider) },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			cancel()
		}
		waits, stop := context.WithTimeout(t.Context(), loginTime)
		defer stop()
		s, began := &Source{Store: r}, time.Now()
		if _, err := s.settle(waits, &Login{}, c); !errors.Is(err, context.Canceled) || time.Since(began) != loginTime+keepWithin {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
