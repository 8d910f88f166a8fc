package consent

import (
	"context"
	"slices"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// presets are the groups of hosts, none of which is allowed before a person did.
func (c *Consent) presets() []NetworkPreset {
	rules := c.rules.All()
	out := []NetworkPreset{}
	for _, p := range policy.Presets() {
		n := NetworkPreset{Code: p.Code, Hosts: p.Hosts}
		for _, r := range rules {
			if r.Topic == TopicPreset+p.Code && r.Scope() == vmhost.ScopeAlways {
				n.On = r.Answer == vmhost.AnswerAllow
			}
		}
		out = append(out, n)
	}
	return out
}

// NetworkPresets lists them.
func (c *Consent) NetworkPresets(context.Context) ([]NetworkPreset, error) {
	return c.presets(), nil
}

// SetNetworkPreset allows one everywhere, or takes that back. What was
// denied, or allowed in one task, is another rule and stays.
func (c *Consent) SetNetworkPreset(ctx context.Context, code string, choice PresetChoice) (NetworkPreset, error) {
	if _, ok := policy.FindPreset(code); !ok {
		return NetworkPreset{}, problem.New(problem.CodeNotFound).With("what", "preset").With("name", code)
	}
	if choice.On {
		if _, err := c.AddNetworkRule(ctx, NetworkRuleRequest{Preset: code, Answer: vmhost.AnswerAllow}); err != nil {
			return NetworkPreset{}, err
		}
	} else {
		for _, r := range c.rules.All() {
			if r.Topic == TopicPreset+code && r.Scope() == vmhost.ScopeAlways && r.Answer == vmhost.AnswerAllow {
				if err := c.RemoveRule(ctx, r.ID); err != nil {
					return NetworkPreset{}, err
				}
			}
		}
	}
	for _, p := range c.presets() {
		if p.Code == code {
			return p, nil
		}
	}
	return NetworkPreset{}, problem.New(problem.CodeNotFound).With("name", code)
}

// PresetRules allow the groups of hosts that a task with a network was asked for with,
// while it runs.
func PresetRules(t task.Task) []approval.Rule {
	var out []approval.Rule
	if t.Network == task.NetworkOff {
		return nil
	}
	for _, code := range t.Presets {
		out = append(out, approval.Rule{Task: t.ID, Topic: TopicPreset + code, Answer: vmhost.AnswerAllow, Beforehand: true})
	}
	return out
}

// AllowPresets makes these rules, once in each of the task's lives: what is taken
// back while it runs stays so.
func (g *Gate) AllowPresets() error {
	g.presets.Do(func() {
		for _, r := range PresetRules(*g.last()) {
			r.Client = g.by.Client
			err := g.c.o.Audit.Append(Record(g.by, g.id, g.c.about(r)))
			if err != nil {
				g.presetErr = problem.NotRecorded(err)
				return
			}
			if _, err := g.c.rules.Add(r); err != nil {
				g.presetErr = problem.From(err)
				return
			}
		}
	})
	return g.presetErr
}

// AllowHosts makes rules that allow patterns of hosts to the task, in the name of who asked for
// it. Those that there are stay.
func (g *Gate) AllowHosts(patterns []string) error {
	for _, p := range patterns {
		r := approval.Rule{Task: g.id, Topic: topicNetwork + p, Answer: vmhost.AnswerAllow, Beforehand: true, Client: g.by.Client}
		if slices.ContainsFunc(g.c.rules.All(), func(o approval.Rule) bool { return o.Task == r.Task && o.Topic == r.Topic }) {
			continue
		}
		if err := g.c.o.Audit.Append(Record(g.by, g.id, g.c.about(r))); err != nil {
			return problem.NotRecorded(err)
		}
		if _, err := g.c.rules.Add(r); err != nil {
			return problem.From(err)
		}
	}
	return nil
}

// CheckPresets says which of them is none.
func CheckPresets(codes []string) error {
	for _, code := range codes {
		if _, ok := policy.FindPreset(code); !ok {
			return problem.BadRequest("presets", "%q is unknown", code)
		}
	}
	return nil
}
