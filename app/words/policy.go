package words

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"piwork/app/policy"
)

// PolicyRule says a written rule. Those of piwork itself have a sentence of their own.
func PolicyRule(c *Catalogue, r *policy.WrittenRule) {
	if r.Layer == policy.Default {
		if r.Said = c.text("policy-default."+r.ID, nil); r.Said != "" {
			return
		}
	}
	r.Said = policySentence(c, r.Effect, r.Sentence)
}

// policySentence says what a rule says.
func policySentence(c *Catalogue, e policy.Effect, s policy.Sentence) string {
	p := policyParts(c, s)
	except := make([]string, len(s.Except))
	for i, one := range s.Except {
		except[i] = strings.TrimSpace(c.text("policy-rule.except", policyParts(c, one)))
	}
	p["except"] = strings.Join(except, "; ")
	return c.text("policy-rule."+string(e), p)
}

func policyParts(c *Catalogue, s policy.Sentence) params {
	var actions, what, who, when []string
	for _, a := range s.Actions {
		actions = append(actions, c.Name("policy-action", a))
	}
	if len(actions) == 0 {
		actions = []string{c.text("policy-action.all", nil)}
	}
	for _, w := range s.What {
		what = append(what, policyRef(c, "policy-what", w))
	}
	for _, w := range s.Who {
		who = append(who, policyRef(c, "policy-who", w))
	}
	for _, w := range s.When {
		when = append(when, policyClause(c, w))
	}
	return params{"actions": strings.Join(actions, ", "), "what": strings.Join(what, ", "), "who": strings.Join(who, ", "), "when": strings.Join(when, ", ")}
}

// PolicyProposal says what a proposal would allow beyond today: the exception as it would be
// written.
func PolicyProposal(c *Catalogue, p *policy.Proposal) {
	if s, ok := p.Exception(); ok {
		p.Said = policySentence(c, p.Then, s)
	}
}

// policyRef says an entity of a rule.
func policyRef(c *Catalogue, table string, r policy.Ref) string {
	id := table + "." + strings.ToLower(r.Type)
	p := params{"id": oneLine(r.ID)}
	switch {
	case r.ID == "":
		return c.first(p, id+"-any", table+".any")
	case r.Within && c.Has(id+"-within"):
		return c.text(id+"-within", p)
	}
	return c.first(p, id, table+".any")
}

// PolicyException says an exception of a rule of the person, without the times that it has
// fields for.
func PolicyException(c *Catalogue, x *policy.RuleException) {
	what := oneLine(x.Cedar)
	if s, ok := x.Sentence(); ok {
		what = strings.TrimSpace(c.text("policy-rule.except", policyParts(c, s)))
	}
	x.Said = c.text("policy-exception.of", params{"rule": oneLine(x.Rule), "what": what})
}

// timeForm is how a rule says a time, in the zone of this computer.
const timeForm = "2006-01-02 15:04"

// policyClause says a condition of a rule. What has no words stands there as it is written.
func policyClause(c *Catalogue, w policy.Clause) string {
	if at, since, until := w.Bound(); since || until {
		id := "policy-when.since"
		if until {
			id = "policy-when.until"
		}
		return c.text(id, params{"time": at.Local().Format(timeForm)})
	}
	id := "policy-when." + w.Is
	if w.Name == "" {
		id = "policy-when.written"
	}
	if w.Not {
		id += "-not"
	}
	values := slices.Clone(w.Values)
	for i, v := range values {
		if w.Is == policy.Is || w.Is == policy.In || w.Is == policy.Only {
			v = cmp.Or(c.first(nil, "policy-value."+v), w.Values[i])
		}
		values[i] = oneLine(v)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(w.Name, "principal."), "resource.")
	return c.text(id, params{
		"name": c.first(params{"name": oneLine(w.Name)}, "policy-attribute."+name, "policy-attribute.any"), "values": strings.Join(values, ", "), "cedar": oneLine(w.Cedar),
	})
}

// PolicyFault says what is wrong with a file of rules, and what to do where it is in use.
func PolicyFault(c *Catalogue, f *policy.RuleFault, inUse bool) {
	line := ""
	if f.Line > 0 {
		line = strconv.Itoa(f.Line)
	}
	p := params{"path": oneLine(f.Path), "line": line, "layer": string(f.Layer)}
	f.Said = c.first(p, "policy-fault."+f.Code, "policy-fault.any")
	if inUse { // nothing depends on a text that is only looked at
		f.Said += " " + c.first(p, "policy-mend."+f.Code, "policy-mend.any")
	}
}

// PolicyDecision says what the rules said.
func PolicyDecision(c *Catalogue, d policy.Decision) string {
	p := params{"rule": oneLine(d.Rule)}
	why := "none"
	switch {
	case d.Fault != nil:
		why = "fault"
	case d.Rule != "":
		why = string(d.Layer)
	}
	p["why"] = c.text("policy-because."+why, p)
	return c.text("policy-decision."+string(d.Effect), p)
}
