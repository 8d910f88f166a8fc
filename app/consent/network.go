package consent

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/share/guard"
)

// What tasks may reach is decided by rules of the one store there is: their topic
// is topicNetwork and a pattern, or TopicPreset and the code of a preset. Answers
// to questions of the network become such rules, as those of the guards do.

// Topics of rules about the network.
const (
	topicNetwork = "network/"
	TopicPreset  = topicNetwork + "preset/"
)

// TopicCommand is the topic of rules about commands of an agent; what a command
// does follows.
const TopicCommand = "command"

// aboutNetwork reports whether rules of a topic are about what tasks may reach.
func aboutNetwork(topic string) bool {
	return strings.HasPrefix(topic, topicNetwork) || strings.HasPrefix(topic, topicPages) || strings.HasPrefix(topic, topicSearch)
}

// NetworkTopic is the topic of the rule that a request asks for.
func NetworkTopic(r NetworkRuleRequest) string {
	if r.Preset != "" {
		return TopicPreset + r.Preset
	}
	return topicNetwork + r.Host
}

// NetworkRules lists what tasks may reach.
func (c *Consent) NetworkRules(context.Context) (NetworkRules, error) {
	out := NetworkRules{Rules: []approval.Rule{}}
	for _, r := range c.rules.All() {
		if aboutNetwork(r.Topic) {
			out.Rules = append(out.Rules, r)
		}
	}
	out.Presets = c.presets()
	return out, nil
}

// AddNetworkRule allows or denies a name.
func (c *Consent) AddNetworkRule(ctx context.Context, r NetworkRuleRequest) (approval.Rule, error) {
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
	if l := c.o.Registry.Live(r.Task); r.Task != "" && (l == nil || l.Ending()) {
		if _, err := c.o.Store.Get(r.Task); err != nil {
			return approval.Rule{}, registry.Problem(r.Task, err)
		}
		return approval.Rule{}, problem.BadRequest("task", "it does not run")
	}
	_, done, err := c.o.Registry.Use(ctx)
	if err != nil {
		return approval.Rule{}, err
	}
	defer done()
	rule := approval.Rule{Task: r.Task, Topic: NetworkTopic(r), Answer: r.Answer, Client: WhoOf(ctx).Client}
	err = c.o.Audit.Append(Record(WhoOf(ctx), r.Task, c.about(rule)))
	if err != nil {
		return approval.Rule{}, problem.NotRecorded(err)
	}
	rule, err = c.rules.Add(rule)
	if err != nil {
		return approval.Rule{}, problem.From(err)
	}
	c.applyRules(func(*Gate, *guard.Guard) {})
	return rule, nil
}

// NetworkRules are the rules as they are about the network of this task. One that
// cannot be read, of another version of the program, allows nothing.
func (g *Gate) NetworkRules() []policy.Rule {
	var out []policy.Rule
	for _, r := range g.c.rules.All() {
		rest, ok := strings.CutPrefix(r.Topic, topicNetwork)
		if !ok || r.Task != "" && r.Task != g.id {
			continue
		}
		hosts := []string{rest}
		if code, ok := strings.CutPrefix(r.Topic, TopicPreset); ok {
			p, _ := policy.FindPreset(code)
			hosts = p.Hosts
		}
		allow, deny := hosts, []string(nil)
		if r.Answer != vmhost.AnswerAllow {
			allow, deny = nil, hosts
		}
		rules, err := policy.ParseRules(allow, deny)
		if err != nil {
			g.log().Warn("a rule about the network cannot be read", "topic", r.Topic, "error", err)
			continue
		}
		for i := range rules {
			rules[i].Task = r.Task != "" && !r.Beforehand
		}
		out = append(out, rules...)
	}
	return slices.Clip(out)
}

// claimant is a runtime whose machine says which program a connection of it is; see
// vm.VM.Program.
type claimant interface {
	Program(ctx context.Context, from, to netip.AddrPort) string
}

// Program is what the machine says which of its programs connects; "" when it
// says nothing. It is for the person's eyes, and for no rule.
func (g *Gate) Program(ctx context.Context, from, to netip.AddrPort) string {
	if m, ok := g.task.Machine().(claimant); ok {
		return m.Program(ctx, from, to)
	}
	return ""
}

// SetNetwork has the rules of now hold in n, and those that change; nil is none.
func (g *Gate) SetNetwork(n *network.Network) {
	g.network.Store(n)
	g.follow(func(*guard.Guard) {})
}

// AskNetwork puts a question of the network to the person.
func (g *Gate) AskNetwork(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
	pattern, _ := q.Text.Params["pattern"].(string)
	return g.AskOne(ctx, q, topicNetwork+pattern)
}

// AskOne puts a question that is about one thing, and does not grow. An answer for
// longer than once becomes a rule about the topic.
func (g *Gate) AskOne(ctx context.Context, q vmhost.Question, topic string) (vmhost.Decision, error) {
	id := q.ID
	params := map[string]any{"topic": topic}
	for k, v := range q.Text.Params {
		params[k] = v
	}
	q.Text.Params, q.Task = params, g.id
	a, err := g.Ask(ctx, q, nil)
	if err != nil {
		return vmhost.Decision{ID: id, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "default", Time: g.c.o.Now().UTC()}, err
	}
	d := a.Decision
	d.ID = id
	return d, nil
}
