package app

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// claiming is a runtime whose machine says which program connects.
type claiming struct {
	vmhost.Runtime
	name string
}

func (c claiming) Program(context.Context, netip.AddrPort, netip.AddrPort) string { return c.name }

// What a machine says which program connects is read by the person and written to
// the audit log; the rule that the answer makes knows nothing of it.
func TestClaimedProgram(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	made, told := make(chan network.Config, 1), make(chan string, 1)
	from, to := netip.MustParseAddrPort("198.18.0.2:40000"), netip.MustParseAddrPort("198.19.0.1:443")
	c.s.network = func(given network.Config) (*network.Network, error) {
		told <- given.Program(t.Context(), from, to) // its machine is not there yet
		made <- given
		return network.New(given)
	}
	working, end := make(chan struct{}), make(chan struct{})
	c.s.machine = func(s vm.Config) (vmhost.Runtime, error) {
		rt, err := w.machine(s)
		if err == nil {
			w.all()[len(w.all())-1].Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
				close(working)
				<-end
				return wire.ExecResult{}, nil
			}
		}
		return claiming{rt, "npm"}, err
	}
	wait := w.listen(c)
	r := execRequestOf("npm", "install")
	r.Network = task.NetworkRestricted
	id := w.start(c, r).ID
	config := <-made
	if got := <-told; got != "" {
		t.Errorf("without a machine: %q", got)
	}
	<-working
	defer wait(id, task.StateDone)
	defer close(end)
	claimed := config.Program(t.Context(), from, to)
	if claimed != "npm" {
		t.Fatalf("%q", claimed)
	}

	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	answered := make(chan vmhost.Decision, 1)
	go func() {
		d, err := config.Ask(t.Context(), vmhost.Question{ID: "x", Kind: vmhost.AskNetwork, Items: []string{"example.org"}, Text: vmhost.Text{
			Code: network.CodeConnect, Params: map[string]any{"host": "example.org", "port": 443, "pattern": "example.org", "claimedProgram": claimed}}})
		if err != nil {
			t.Error(err)
		}
		answered <- d
	}()
	for e := range events {
		q, ok := e.Data.(vmhost.Question)
		if !ok {
			continue
		}
		if q.Text.Params["claimedProgram"] != "npm" || q.Text.Params["topic"] != "network/example.org" {
			t.Errorf("%+v", q)
		}
		if _, err := c.Answer(t.Context(), id, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeAlways}); err != nil {
			t.Error(err)
		}
		break
	}
	if d := <-answered; d.Answer != vmhost.AnswerAllow {
		t.Errorf("%+v", d)
	}
	var decisions []audit.Record
	for _, r := range w.audit(c) {
		if r.Event == audit.EventDecision && r.By == "person" {
			decisions = append(decisions, r)
		}
	}
	if len(decisions) != 1 || decisions[0].ClaimedProgram != "npm" || decisions[0].Topic != "network/example.org" {
		t.Errorf("%+v", decisions)
	}
	rules, err := c.Rules(t.Context())
	if err != nil || len(rules) == 0 {
		t.Fatal(rules, err)
	}
	for _, r := range rules {
		if strings.Contains(r.Topic+r.Folder+r.Task, "npm") && !strings.HasPrefix(r.Topic, consent.TopicPreset) {
			t.Errorf("%+v", r)
		}
	}
}

// Machines, and pages that are read for them, leave by the proxy that models leave by.
func TestNetworkLeavesByTheProxyOfThisComputer(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"} {
		t.Setenv(name, "")
		t.Setenv(strings.ToLower(name), "")
	}
	t.Setenv("HTTPS_PROXY", "http://p.example:3128")
	w := newWorld(t)
	c := w.open()
	var configs []network.Config
	c.s.network = func(given network.Config) (*network.Network, error) {
		configs = append(configs, given)
		return network.New(given)
	}
	r := execRequestOf("true")
	r.Network = task.NetworkRestricted
	wait := w.listen(c)
	wait(w.start(c, r).ID, task.StateDone)
	n, err := c.newNetwork(network.Config{}) // as the tools for the web have one made
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if len(configs) != 2 {
		t.Fatalf("%d networks", len(configs))
	}
	for _, config := range configs {
		via, err := config.Proxy(&url.URL{Scheme: "https", Host: "example.org:443"})
		if err != nil || via == nil || via.Host != "p.example:3128" {
			t.Errorf("%v %v", via, err)
		}
	}
}

// A rule that is taken back while a network is made does not hold in it.
func TestRuleTakenBackWhileANetworkIsMade(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	rule, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "gone.example", Answer: vmhost.AnswerAllow})
	if err != nil {
		t.Fatal(err)
	}
	var made *network.Network
	c.s.network = func(given network.Config) (n *network.Network, err error) {
		if err := c.RemoveRule(t.Context(), rule.ID); err != nil {
			t.Error(err)
		}
		made, err = network.New(given)
		return made, err
	}
	r := execRequestOf("true")
	r.Network = task.NetworkRestricted
	wait := w.listen(c)
	wait(w.start(c, r).ID, task.StateDone)
	for _, r := range made.Rules() {
		if r.Pattern.String() == "gone.example" {
			t.Errorf("%+v", r)
		}
	}
}
