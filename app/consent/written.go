package consent

import (
	"context"
	"errors"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/vmhost/share/guard"
)

// Written has the rules that are written, for those who read, try and write them.
type Written struct {
	*policy.Engine
	c         *Consent
	proposals proposals
}

// Policy is all rules, and the files that they are in.
type Policy struct {
	Files []policy.RuleFile    `json:"files"`
	Rules []policy.WrittenRule `json:"rules" doc:"in the order in which they are asked: managed, yours, default"`
	Text  string               `json:"text" doc:"of your file, as it is"`
}

// ExplainRequest asks what the rules say to something.
type ExplainRequest struct {
	policy.Request
	Text *string `json:"text,omitempty" maxLength:"262144" doc:"rules in the place of your file; without it the file"`
}

// Explanation is what the rules say, and why.
type Explanation struct {
	policy.Decision
	Matches []policy.RuleMatch `json:"matches" doc:"all rules that are about it"`
	Said    string             `json:"said,omitempty" words:"shown"`
}

// PolicyText is a text of rules.
type PolicyText struct {
	Text   string  `json:"text" maxLength:"262144"`
	Before *string `json:"before,omitempty" maxLength:"262144" doc:"the text that it replaces; when the file has another one, nothing is written"`
}

// PolicyCheck is what is wrong with a text, and what it says.
type PolicyCheck struct {
	Fault *policy.RuleFault    `json:"fault,omitempty"`
	Rules []policy.WrittenRule `json:"rules"`
}

// Policy lists all rules.
func (w *Written) Policy(context.Context) (Policy, error) {
	rules := w.Fresh()
	text, err := w.Text()
	if err != nil { // which the file's fault says
		text = ""
	}
	return Policy{Files: rules.Files(), Rules: rules.All(), Text: text}, nil
}

// ExplainPolicy says what the rules say to something.
func (w *Written) ExplainPolicy(_ context.Context, r ExplainRequest) (Explanation, error) {
	rules := w.Engine.Rules()
	if r.Text != nil {
		rules = w.With(*r.Text)
	}
	d, all, err := w.Explain(rules, r.Request)
	if err != nil {
		return Explanation{}, problem.BadRequest("request", "%w", err)
	}
	return Explanation{Decision: d, Matches: all}, nil
}

// CheckPolicy says what is wrong with a text of rules.
func (w *Written) CheckPolicy(_ context.Context, t PolicyText) (PolicyCheck, error) {
	rules, fault := policy.Check(t.Text)
	return PolicyCheck{Fault: fault, Rules: rules}, nil
}

// SetPolicy replaces the person's file.
func (w *Written) SetPolicy(ctx context.Context, t PolicyText) (Policy, error) {
	_, done, err := w.c.o.Registry.Use(ctx)
	if err != nil {
		return Policy{}, err
	}
	defer done()
	if fault := w.Refuses(t.Text); fault != nil {
		return Policy{}, problem.New(problem.CodePolicyFault).With("line", fault.Line).With("fault", fault.Code).Because(fault)
	}
	err = w.c.o.Audit.Append(Record(WhoOf(ctx), "", audit.Decision{Topic: "policy/file", Answer: "written", Folder: w.c.o.Audit.Digest(t.Text)}))
	if err != nil {
		return Policy{}, problem.NotRecorded(err)
	}
	if err := w.Write(t.Text, t.Before); err != nil {
		return Policy{}, unwritten(err)
	}
	return w.Policy(ctx)
}

// unwritten says why the person's file was not written.
func unwritten(err error) error {
	if errors.Is(err, policy.ErrChanged) {
		return problem.New(problem.CodePolicyChanged).Because(err)
	}
	if fault, is := errors.AsType[*policy.RuleFault](err); is {
		return problem.New(problem.CodePolicyFault).By("file").With("path", fault.Path).With("fault", fault.Code).Because(fault)
	}
	return problem.From(err)
}

// Follow has the tasks that live follow rules that change, and what was decided until some
// time end then, until ctx ends.
func (c *Consent) Follow(ctx context.Context) {
	apply := func() { c.applyRules(func(*Gate, *guard.Guard) {}) }
	c.expire(0)
	turn := 0
	c.written.Watch(ctx, func() {
		turn++
		c.expire(turn)
		if c.written.Rules().Timed() {
			c.reconsider()
		}
		gone, err := c.rules.Ended()
		if err != nil {
			c.o.Log.Error("decisions that have ended could not be removed", "error", err)
		}
		for _, r := range gone {
			c.ended(approval.Who{By: "default"}, r, "expired")
		}
	}, apply)
}

// ended has the tasks that live follow the end of what was decided, which the audit log has
// then.
func (c *Consent) ended(by approval.Who, rule approval.Rule, how string) {
	c.applyRules(func(gate *Gate, g *guard.Guard) {
		if rule.Task == "" || rule.Task == gate.id {
			g.Forget(rule.Topic, gate.folderID(rule.Folder))
		}
	})
	about := c.about(rule)
	about.Answer = how
	if err := c.o.Audit.Append(Record(by, rule.Task, about)); err != nil {
		c.o.Log.Error("the end of a decision could not be recorded", "error", err)
	}
}
