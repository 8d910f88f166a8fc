package place

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/gateway/keys"
	"piwork/app/mcpservers"
	"piwork/app/services"
	"piwork/app/setup"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/network"
)

// The network of a server's machine puts the secrets of its services in on the way, for their
// hosts alone, and the loan ends with the place.
func TestServiceOfAServer(t *testing.T) {
	dir := t.TempDir()
	key, err := audit.OpenKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	log, _, _, err := audit.Open(filepath.Join(dir, "audit"), audit.Options{Key: key, Days: func() int { return 0 }, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	all, err := services.Open(services.Options{ConfigDir: dir, Secrets: &keys.Memory{}, Audit: log, Log: slog.New(slog.DiscardHandler), Now: time.Now, TaskDir: func(string) string { t.Error("the place is of no task"); return dir }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.PutService(t.Context(), "hub", services.Definition{Hosts: []services.Host{{Host: "api.hub.example", Put: &services.Put{Template: "Bearer {secret}"}, Rules: []string{"allow GET /**"}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.SetServiceSecret(t.Context(), "hub", services.SecretRequest{Secret: "canary-0123456789"}); err != nil {
		t.Fatal(err)
	}
	var got network.Config
	enough := errors.New("enough")
	r := &running{name: "server", p: mcpservers.Program{Hosts: []string{"other.example"}, Services: []string{"hub"}}, o: &Options{
		Audit: log, Grace: context.Background, CloseWithin: time.Minute, Log: slog.New(slog.DiscardHandler),
		Kinds: tasks.Kinds{Services: all, Network: func(c network.Config) (*network.Network, error) { got = c; return nil, enough }},
	}}
	if _, err := r.makeNetwork(t.Context()); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if got.Inspect == nil || len(got.Inspect.Sites) != 1 || got.Inspect.Sites[0].Host != "api.hub.example" {
		t.Fatalf("%+v", got.Inspect)
	}
	var reached []string
	for _, rule := range got.Rules {
		reached = append(reached, rule.Pattern.String())
	}
	if !slices.Contains(reached, "other.example") || !slices.Contains(reached, "api.hub.example:443") || len(reached) != 2 {
		t.Errorf("it reaches %q", reached)
	}
	if _, lent := got.Inspect.Sites[0].Credential(); !lent {
		t.Error("nothing is put in")
	}
	if err := r.clear(); err != nil {
		t.Fatal(err)
	}
	if _, lent := got.Inspect.Sites[0].Credential(); lent {
		t.Error("the loan is longer than the place")
	}
}

// A place that is no machine has the network of its server, and none without hosts.
func TestOtherPlaceHasItsNetwork(t *testing.T) {
	enough := errors.New("enough")
	for _, hosts := range [][]string{nil, {"api.example"}} {
		r := &running{name: "server", p: mcpservers.Program{Hosts: hosts}, o: &Options{Log: slog.New(slog.DiscardHandler)}}
		r.o.Kinds.Services, _ = services.Open(services.Options{ConfigDir: t.TempDir(), Secrets: &keys.Memory{}, Log: r.o.Log, Now: time.Now})
		r.o.Kinds.Network = func(network.Config) (*network.Network, error) { return nil, enough }
		r.o.Kinds.Make = map[string]tasks.PlaceMaker{vmhost.KindSandbox: func(_ context.Context, c tasks.PlaceConfig) (vmhost.Runtime, error) {
			door, err := c.OpenDoor()
			if door != nil || errors.Is(err, enough) != (hosts != nil) {
				t.Errorf("%q: %v, %v", hosts, door, err)
			}
			return nil, err
		}}
		if _, err := r.other(t.Context(), setup.Machine{}, vmhost.KindSandbox, t.TempDir(), vmhost.ExecutionEnv{}, nil, nil); errors.Is(err, enough) != (hosts != nil) {
			t.Errorf("%q: %v", hosts, err)
		}
	}
}
