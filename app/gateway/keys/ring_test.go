package keys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"
)

// A list that cannot be read is put aside, with all that it had, before it is made anew.
func TestDamagedListIsPutAside(t *testing.T) {
	keyring.MockInit()
	path := filepath.Join(t.TempDir(), "keys.json")
	const damaged = `{"v":1,"keys":[{"provider":"mine","kind":"none"},`
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewRing(path, "", nil).Set(t.Context(), credentials()[1]); err != nil {
		t.Fatal(err)
	}
	aside, err := filepath.Glob(path + ".damaged-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("%q, %v", aside, err)
	}
	if data, err := os.ReadFile(aside[0]); err != nil || string(data) != damaged {
		t.Errorf("%q, %v", data, err)
	}
}

// A list of a newer program, and one that cannot be read at the moment, are left as they are, and
// so is the keychain.
func TestListIsNotWrittenOver(t *testing.T) {
	keyring.MockInit()
	for name, content := range map[string]string{"newer": `{"v":2,"keys":[{"provider":"lan","kind":"none","new":true}]}`, "newer, of another shape": `{"v":2,"keys":{}}`, "unreadable": ""} {
		path := filepath.Join(t.TempDir(), "keys.json")
		r, c := NewRing(path, name, nil), credentials()[1]
		if err := r.Set(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		err := os.WriteFile(path, []byte(content), 0o600)
		if content == "" { // a directory cannot be read as a file
			err = errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}
		if err != nil {
			t.Fatal(err)
		}
		other := c
		other.Key = NewSecret("sk-another-0123456789")
		if err := r.Set(t.Context(), other); err == nil {
			t.Errorf("%s: a key is kept that no list names", name)
		}
		if err := r.Delete(t.Context(), c.Provider); err == nil {
			t.Errorf("%s: deleted", name)
		}
		if got, err := r.Get(t.Context(), c.Provider); err != nil || got.Key.Reveal() != c.Key.Reveal() {
			t.Errorf("%s: the keychain has another key: %v", name, err)
		}
		if data, err := os.ReadFile(path); content != "" && (err != nil || string(data) != content) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

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
