package app

import (
	"context"
	"slices"
	"testing"

	"piwork/app/problem"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// A task has the services that were named for it while it works: its network judges requests to
// their hosts, its machine believes the authority of that network, and nothing is left of the
// loan when it ends.
func TestATaskWithAService(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	ctx := t.Context()
	hosts := []services.Host{{Host: "api.example.org", Put: &services.Put{Template: "Bearer {secret}"}, Rules: []string{"allow GET /repos/**"}}}
	if _, err := c.PutService(ctx, "hub", services.Definition{Hosts: hosts}); err != nil {
		t.Fatal(err)
	}
	r := execRequestOf("git", "fetch")
	r.Services = []string{"hub"}
	wait := w.listen(c)
	// Without its secret it ends before anything runs.
	failed := wait(w.start(c, r).ID, task.StateFailed)
	if failed.Error == nil || failed.Error.Code != problem.CodeServiceSecret {
		t.Errorf("without a secret: %+v", failed.Error)
	}
	if _, err := c.SetServiceSecret(ctx, "hub", services.SecretRequest{Secret: "ghp_0123456789abcdef"}); err != nil {
		t.Fatal(err)
	}
	made := make(chan network.Config, 1)
	c.s.network = func(given network.Config) (*network.Network, error) {
		made <- given
		return network.New(given)
	}
	nic := make(chan *vm.NIC, 1)
	working, end := make(chan struct{}), make(chan struct{})
	c.s.machine = func(s vm.Config) (vmhost.Runtime, error) {
		nic <- s.NIC
		rt, err := w.machine(s)
		if err == nil {
			w.all()[len(w.all())-1].Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
				close(working)
				<-end
				return wire.ExecResult{}, nil
			}
		}
		return rt, err
	}
	id := w.start(c, r).ID
	config := <-made
	<-working
	if card := <-nic; card == nil || len(card.Authority) == 0 {
		t.Error("the machine is told of no authority")
	}
	if config.Inspect == nil || len(config.Inspect.Sites) != 1 || config.Inspect.Sites[0].Host != "api.example.org" {
		t.Fatalf("the network judges %+v", config.Inspect)
	}
	set := policy.Set{Policy: config.Policy, Rules: config.Rules}
	if v := set.Decide(policy.Target{Name: "api.example.org", Port: 443}); v.Answer != policy.Allow || config.Policy != vmhost.NetworkRestricted {
		t.Errorf("its host: %v", v)
	}
	if v := set.Decide(policy.Target{Name: "example.org", Port: 443}); v.Answer != policy.Ask {
		t.Errorf("another host: %v", v)
	}
	site := config.Inspect.Sites[0]
	if put, ok := site.Credential(); !ok || put.Value != "Bearer ghp_0123456789abcdef" {
		t.Error("the secret is not put in")
	}
	config.Inspect.OnRequest(inspect.Request{Service: "hub", Host: "api.example.org", Method: "GET", Path: "/repos/a", Status: 200, Allowed: true})
	close(end)
	done := wait(id, task.StateDone)
	if !slices.Equal(done.Services, []string{"hub"}) || done.Network != task.NetworkRestricted {
		t.Errorf("the record has %v, %s", done.Services, done.Network)
	}
	if _, ok := site.Credential(); ok {
		t.Error("the secret is lent after the end")
	}
	if all, err := c.TaskRequests(ctx, id); err != nil || len(all.List) != 1 || all.List[0].Path != "/repos/a" {
		t.Errorf("requests: %+v, %v", all, err)
	}
	keys, err := c.Keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Provider == "service.hub" {
			t.Error("the secret is a key of a model")
		}
	}
}
