package mcpservers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
)

// ending is a world where one signed in to a server whose tokens are over at once.
func ending(t *testing.T) (*world, *signs) {
	t.Helper()
	w, _ := newRemote(t, nil)
	f := newFar(t)
	s := newSigns(t, f)
	s.lifetime = 1 // the client takes such a one for ended
	l, err := w.signsIn(t, f, s)
	if err != nil {
		t.Fatal(err)
	}
	if browse(t, l.Address); settled(t, w, "far").State != LoginDone {
		t.Fatal("the sign-in failed")
	}
	return w, s
}

// Only a service that says no has the person sign in again.
func TestRenewalsThatFail(t *testing.T) {
	answers := func(status int) func(*world, *signs) {
		return func(_ *world, s *signs) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.fails = status
		}
	}
	for name, tt := range map[string]struct {
		change      func(*world, *signs)
		code, cause string
	}{
		"not any more":          {answers(http.StatusBadRequest), problem.CodeMCPServer, "sign-in"},
		"not this program":      {answers(http.StatusUnauthorized), problem.CodeMCPServer, "sign-in"},
		"not this person":       {answers(http.StatusForbidden), problem.CodeMCPServer, "sign-in"},
		"not, said politely":    {answers(http.StatusOK), problem.CodeMCPServer, "sign-in"},
		"it has too much to do": {answers(http.StatusTooManyRequests), problem.CodeMCPServer, ""},
		"it is broken":          {answers(http.StatusServiceUnavailable), problem.CodeMCPServer, ""},
		"it is out of reach":    {func(_ *world, s *signs) { s.Close() }, problem.CodeMCPServer, ""},
		"tokens without end":    {func(_ *world, s *signs) { s.pad = strings.Repeat("x", 16<<10) }, problem.CodeMCPServer, ""},
		"the keychain is locked": {func(w *world, _ *signs) {
			w.o.Secrets = &fickleStore{Store: w.secrets, reads: 1} // before it is asked for the first time, and not when it is renewed
		}, problem.CodeKeychain, "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := ending(t)
			tt.change(w, s)
			_, err := w.CheckMCPServer(t.Context(), "far")
			if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != tt.code || p.Cause != tt.cause || strings.Contains(p.Details, "refresh-token") {
				t.Errorf("%v: %+v", err, p)
			}
		})
	}
}

// A sign-in that was renewed and cannot be kept is not lost: what it was made of is never used again.
func TestRenewedSignInThatCannotBeKept(t *testing.T) {
	w, _ := ending(t)
	store := &fickleStore{Store: w.secrets, full: true}
	w.o.Secrets = store
	for range 3 {
		if _, err := w.CheckMCPServer(t.Context(), "far"); err != nil {
			t.Fatal(err)
		}
	}
	store.full = false
	if _, err := w.CheckMCPServer(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	w.open(t) // as the next program does: it is kept
	if _, err := w.CheckMCPServer(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	// Nothing of it stays after the person signed out.
	w.o.Secrets = &fickleStore{Store: w.secrets, full: true}
	if _, err := w.CheckMCPServer(t.Context(), "far"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.LogoutMCPServer(t.Context(), "far"); err != nil || len(w.unsaved.all) > 0 {
		t.Errorf("%v, %d are left", err, len(w.unsaved.all))
	}
}

// fickleStore is a place of secrets that is locked after it was read some times, or keeps nothing more.
type fickleStore struct {
	keys.Store
	reads int // until it is locked; 0 is never
	read  int
	full  bool
}

func (s *fickleStore) Get(ctx context.Context, id string) (keys.Credential, error) {
	if s.read++; s.reads > 0 && s.read > s.reads {
		return keys.Credential{}, keys.ErrNoKeychain
	}
	return s.Store.Get(ctx, id)
}

func (s *fickleStore) Set(ctx context.Context, c keys.Credential) error {
	if s.full {
		return keys.ErrNoKeychain
	}
	return s.Store.Set(ctx, c)
}

// Who renews the sign-in to one server, which may take long, holds up no other, and nobody for
// longer than they want to wait.
func TestSignInsAreApart(t *testing.T) {
	w := newWorld(t, nil)
	all := map[string]Server{}
	for _, name := range []string{"slow", "other"} {
		v, err := w.AddMCPServer(t.Context(), Addition{Name: name, URL: "https://" + name + ".example/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = v
	}
	unlock, err := w.lockLogin(t.Context(), all["slow"])
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	long, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := w.LogoutMCPServer(long, "other"); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := w.RemoveMCPServer(ctx, "slow"); err == nil {
		t.Error("it was removed")
	}
}
