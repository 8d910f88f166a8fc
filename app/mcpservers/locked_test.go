package mcpservers

import (
	"context"
	"testing"

	"piwork/app/gateway/keys"
)

// lockedStore is a place of secrets that cannot be used now, such as a keychain that is
// locked. What it holds is known.
type lockedStore struct{ keys.Store }

func (lockedStore) Get(context.Context, string) (keys.Credential, error) {
	return keys.Credential{}, keys.ErrNoKeychain
}
func (lockedStore) Delete(context.Context, string) error { return keys.ErrNoKeychain }

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
