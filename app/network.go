package app

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/vm"
)

// What tasks may reach is decided by rules of the one store there is: their topic
// is topicNetwork and a pattern, or topicPreset and the code of a preset. Answers
// to questions of the network become such rules, as those of the guards do.

// Topics of rules about the network.
const (
	topicNetwork = "network/"
	topicPreset  = topicNetwork + "preset/"
)

// aboutNetwork reports whether rules of a topic are about what tasks may reach.
func aboutNetwork(topic string) bool {
	return strings.HasPrefix(topic, topicNetwork) || strings.HasPrefix(topic, topicPages) || strings.HasPrefix(topic, topicSearch)
}

// NetworkTopic is the topic of the rule that a request asks for.
func NetworkTopic(r NetworkRuleRequest) string {
	if r.Preset != "" {
		return topicPreset + r.Preset
	}
	return topicNetwork + r.Host
}

// NetworkRules lists what tasks may reach; see Service.
func (c *Controller) NetworkRules(context.Context) (NetworkRules, error) {
	out := NetworkRules{Rules: []approval.Rule{}}
	for _, r := range c.rules.All() {
		if aboutNetwork(r.Topic) {
			out.Rules = append(out.Rules, r)
		}
	}
	out.Presets = c.presets()
	return out, nil
}

// AddNetworkRule allows or denies a name; see Service.
func (c *Controller) AddNetworkRule(ctx context.Context, r NetworkRuleRequest) (approval.Rule, error) {
	switch {
	case r.Answer != vmhost.AnswerAllow && r.Answer != vmhost.AnswerDeny:
		return approval.Rule{}, problem.BadRequest("answer", "%q is not a choice", r.Answer)
	case (r.Host == "") == (r.Preset == ""):
		return approval.Rule{}, problem.BadRequest("host", "a rule is about a name or a preset")
	case r.Host != "":
		p, err := policy.ParsePattern(r.Host)
		if err != nil {
			return approval.Rule{}, problem.BadRequest("host", "%w", err)
		}
		if r.Answer == vmhost.AnswerAllow && p.Wide() {
			return approval.Rule{}, problem.BadRequest("host", "%w", policy.ErrWide)
		}
		r.Host = p.String()
	default:
		if _, ok := policy.FindPreset(r.Preset); !ok {
			return approval.Rule{}, problem.BadRequest("preset", "%q is unknown", r.Preset)
		}
	}
	if r.Task != "" && c.liveTask(r.Task) == nil {
		if _, err := c.store.Get(r.Task); err != nil {
			return approval.Rule{}, registry.Problem(r.Task, err)
		}
		return approval.Rule{}, problem.BadRequest("task", "it does not run")
	}
	_, done, err := c.registry.Use(ctx)
	if err != nil {
		return approval.Rule{}, err
	}
	defer done()
	rule := approval.Rule{Task: r.Task, Topic: NetworkTopic(r), Answer: r.Answer}
	err = c.audit.Append(audit.Record{Event: audit.EventDecision, Task: r.Task, Topic: rule.Topic,
		Answer: r.Answer, Scope: rule.Scope(), By: byPerson})
	if err != nil {
		return approval.Rule{}, auditProblem(err)
	}
	rule, err = c.rules.Add(rule)
	if err != nil {
		return approval.Rule{}, problem.From(err)
	}
	c.applyRules(func(*liveTask, *guard.Guard) {})
	return rule, nil
}

// networkRules are the rules as they are about the network of this task. One that
// cannot be read, of another version of the program, allows nothing.
func (l *liveTask) networkRules() []policy.Rule {
	var out []policy.Rule
	for _, r := range l.c.rules.All() {
		rest, ok := strings.CutPrefix(r.Topic, topicNetwork)
		if !ok || r.Task != "" && r.Task != l.id {
			continue
		}
		hosts := []string{rest}
		if code, ok := strings.CutPrefix(r.Topic, topicPreset); ok {
			p, _ := policy.FindPreset(code)
			hosts = p.Hosts
		}
		allow, deny := hosts, []string(nil)
		if r.Answer != vmhost.AnswerAllow {
			allow, deny = nil, hosts
		}
		rules, err := policy.ParseRules(allow, deny)
		if err != nil {
			l.c.log.Warn("a rule about the network cannot be read", "topic", r.Topic, "error", err)
			continue
		}
		out = append(out, rules...)
	}
	return slices.Clip(out)
}

// newNetwork makes one that leaves by this computer's proxy.
func (c *Controller) newNetwork(config network.Config) (*network.Network, error) {
	config.Proxy = c.proxies.For
	if c.s.network != nil {
		return c.s.network(config)
	}
	return network.New(config)
}

// openNetwork makes the network of a box that has one.
func (b *box) openNetwork(spec *vm.Config) error {
	if policies[b.network] == vmhost.NetworkDeny {
		return nil
	}
	l := b.l
	if err := l.allowPresets(); err != nil {
		return err
	}
	l.noteLoosened()
	n, err := l.c.newNetwork(network.Config{
		Task: l.id, Policy: policies[b.network], Rules: l.networkRules(), Ask: l.askNetwork, Program: l.claimedProgram, Log: l.c.log,
		OnEvent: func(e network.Event) {
			if e.Kind != network.Allowed {
				l.record(task.EventNotice, task.NoticeData{Code: "network-" + string(e.Kind),
					Params: map[string]any{"host": e.Host, "port": int(e.Port), "reason": e.Reason}})
			}
		},
	})
	if err != nil {
		return err
	}
	b.net = n
	l.setNetwork(n)
	g := n.Guest()
	spec.NIC = &vm.NIC{Serve: n.Serve, MAC: g.MAC, Address: g.Address, Gateway: g.Gateway, DNS: g.DNS, MTU: g.MTU}
	spec.OnLink = b.linkEnded
	return nil
}

// claimant is a runtime whose machine says which program a connection of it is; see
// vm.VM.Program.
type claimant interface {
	Program(ctx context.Context, from, to netip.AddrPort) string
}

// claimedProgram is what the machine says which of its programs connects; "" when it
// says nothing. It is for the person's eyes, and for no rule.
func (l *liveTask) claimedProgram(ctx context.Context, from, to netip.AddrPort) string {
	rt := l.machineNow.Load()
	if rt == nil {
		return ""
	}
	if m, ok := (*rt).(claimant); ok {
		return m.Program(ctx, from, to)
	}
	return ""
}

// linkEnded says that the way to models or to the network is not there any more.
func (b *box) linkEnded(link string, err error) {
	b.l.c.log.Warn("a link of a machine is not served", "task", b.l.id, "link", link, "error", err)
	b.l.record(task.EventNotice, task.NoticeData{Code: "link-ended", Params: map[string]any{"link": link}})
}

// setNetwork has rules that change hold in n.
func (l *liveTask) setNetwork(n *network.Network) { l.network.Store(n) }

// askNetwork puts a question of the network to the person.
func (l *liveTask) askNetwork(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
	pattern, _ := q.Text.Params["pattern"].(string)
	return l.askOne(ctx, q, topicNetwork+pattern)
}

// askOne puts a question that is about one thing, and does not grow. An answer for
// longer than once becomes a rule about the topic.
func (l *liveTask) askOne(ctx context.Context, q vmhost.Question, topic string) (vmhost.Decision, error) {
	id := q.ID
	params := map[string]any{"topic": topic}
	for k, v := range q.Text.Params {
		params[k] = v
	}
	q.Text.Params, q.Task = params, l.id
	a, err := l.ask(ctx, q, nil)
	if err != nil {
		return vmhost.Decision{ID: id, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "default", Time: l.c.now().UTC()}, err
	}
	d := a.Decision
	d.ID = id
	return d, nil
}
