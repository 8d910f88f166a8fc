package mcpservers

import (
	"context"
	"errors"
	"testing"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
)

// lockedStore is a place of secrets that cannot be used now, such as a keychain that is
// locked. What it holds is known.
type lockedStore struct{ keys.Store }

func (lockedStore) Get(context.Context, string) (keys.Credential, error) {
	return keys.Credential{}, keys.ErrNoKeychain
}
func (lockedStore) Delete(context.Context, string) error { return keys.ErrNoKeychain }

// What was kept of a server and is gone is said of it: the server itself is still there.
func TestAServerWhoseSecretIsGone(t *testing.T) {
	w := newWorld(t, nil)
	v, err := w.AddMCPServer(t.Context(), Addition{Name: "secret", Command: "node", Env: map[string]string{"TOKEN": "hunter2-hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.secrets.Delete(t.Context(), secretsOf(v.ID)); err != nil {
		t.Fatal(err)
	}
	_, err = w.CheckMCPServer(t.Context(), "secret")
	if p := problem.From(err); p.Code != problem.CodeMCPServer || p.Cause != "values" {
		t.Errorf("%v: %+v", err, p)
	}
	v.SignedIn = true
	if _, err := w.signedIn(t.Context(), v, nil, newSecrets(nil)); !errors.Is(err, ErrSignIn) {
		t.Errorf("a sign-in that is gone: %v", err)
	}
}

// A server for which nothing is kept is removed where the place of secrets is locked; one with a
// secret stays with it.
func TestRemovingAServerNeedsNoKeychainWithoutASecret(t *testing.T) {
	w := newWorld(t, nil)
	for _, a := range []Addition{
		{Name: "plain", Command: "node"}, {Name: "far", URL: "https://far.example/mcp"}, {Name: "secret", Command: "node", Env: map[string]string{"TOKEN": "hunter2-hunter2"}},
	} {
		if _, err := w.AddMCPServer(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	w.o.Secrets = lockedStore{w.secrets}
	for _, name := range []string{"plain", "far"} {
		if err := w.RemoveMCPServer(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.RemoveMCPServer(t.Context(), "secret"); err == nil {
		t.Error("a secret is left without its server")
	}
	if v, err := w.find("secret"); err != nil || len(v.Env) == 0 {
		t.Errorf("%+v %v", v, err)
	}
}
