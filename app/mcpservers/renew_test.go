package mcpservers

import (
	"context"
	"testing"
	"time"
)

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
