package consent

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// RulesName is the file of rules, in the directory of settings.
const RulesName = "rules.json"

// Who decided, as records say it.
const (
	ByPerson     = audit.ByPerson
	ByProgram    = audit.ByProgram
	ByBeforehand = "beforehand" // when the task was started
)

// Questions lists what waits for a person, the riskiest first.
func (c *Consent) Questions(_ context.Context, id string) ([]vmhost.Question, error) {
	open := c.inbox.Open(id)
	slices.SortStableFunc(open, func(a, b vmhost.Question) int { return int(approval.Of(b)) - int(approval.Of(a)) })
	return open, nil
}

// WhoOf is who decides in a request.
func WhoOf(ctx context.Context) approval.Who {
	return approval.Who{By: audit.By(ctx), Client: task.ClientOf(ctx), Door: task.DoorOf(ctx), Request: task.RequestID(ctx)}
}

// Record is of a decision about a task ("" for all), as the audit log has it.
func Record(w approval.Who, id string, d audit.Decision) audit.Record {
	d.By, d.Topic = w.By, plainTopic(d.Topic)
	return audit.Record{Event: audit.EventDecision, Task: id, Client: w.Client, Door: w.Door, Request: w.Request, Decision: d}
}

// ruled is the record of what a rule decided about a request of w, and about what: hosts, operations,
// servers, programs of the system and whose key it is in plain words, paths as digests.
func (c *Consent) ruled(w approval.Who, id, rule string, r policy.Request, answer string) audit.Record {
	w.By = "rule"
	out := Record(w, id, audit.Decision{Topic: "policy/" + string(r.Action), Answer: answer, Scope: vmhost.ScopeOnce, Rule: rule})
	c.describe(&out, r)
	return out
}

// describe has a record say what a request is about.
func (c *Consent) describe(out *audit.Record, r policy.Request) {
	out.Mode, out.Folder = r.About, cmp.Or(c.o.Audit.Digest(r.Path), out.Folder)
	out.Host, out.Port, out.Service = r.Host, r.Port, r.Key
	if r.Action == policy.StartRuntime {
		out.Runtime = r.Runtime
	}
	if out.Program = r.Program; r.Own != "" {
		out.Program, out.In = "", c.o.Audit.Digests([]string{r.Own})
	}
}

// plainTopic is a topic without what stands behind the host of an address: pages are called
// after anything.
func plainTopic(topic string) string {
	page, ok := strings.CutPrefix(topic, topicPages)
	if !ok {
		return topic
	}
	u, err := url.Parse(page)
	if err != nil {
		return topicPages
	}
	return topicPages + u.Host
}

// about is what a rule is about, as the audit log has it.
func (c *Consent) about(r approval.Rule) audit.Decision {
	return audit.Decision{Topic: r.Topic, Folder: c.o.Audit.Digest(r.Folder), Answer: r.Answer, Scope: r.Scope()}
}

// Answer decides a question.
func (c *Consent) Answer(ctx context.Context, id, question string, r AnswerRequest) (vmhost.Decision, error) {
	switch {
	case r.Answer != vmhost.AnswerAllow && r.Answer != vmhost.AnswerDeny:
		return vmhost.Decision{}, problem.BadRequest("answer", "%q is not a choice", r.Answer)
	case !slices.Contains([]string{"", vmhost.ScopeOnce, vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways}, r.Scope):
		return vmhost.Decision{}, problem.BadRequest("scope", "%q is not a choice", r.Scope)
	case r.Rest && r.Answer != vmhost.AnswerDeny:
		return vmhost.Decision{}, problem.BadRequest("rest", "only everything can be refused")
	}
	a := approval.Answer{Answer: r.Answer, Scope: r.Scope, Who: WhoOf(ctx), Seen: r.Seen, Choice: r.Choice, Text: r.Text}
	a.May = func(q vmhost.Question) error {
		if g := c.gateOf(id); g != nil && g.Isolation() != "" { // Begin knows the place before it asks about it
			if err := task.MaySteer(ctx, g.Isolation()); err != nil {
				return err
			}
		}
		if r.May == nil {
			return nil
		}
		return r.May(q)
	}
	if r.Unattended {
		if a.By = "default"; r.Answer == vmhost.AnswerAllow {
			return vmhost.Decision{}, problem.BadRequest("unattended", "nobody is there to allow it")
		}
	}
	q, err := c.inbox.Answer(id, question, a)
	if a.Scope = cmp.Or(a.Scope, approval.Usual(q, a.Answer)); q.Open() {
		a.Scope = vmhost.ScopeOnce
	}
	switch {
	case errors.Is(err, approval.ErrNotOpen):
		if _, err := c.o.Store.Get(id); err != nil {
			return vmhost.Decision{}, registry.Problem(id, err)
		}
		return vmhost.Decision{}, problem.New(problem.CodeQuestionOver).With("task", id).With("question", question)
	case err != nil:
		return vmhost.Decision{}, problem.From(err)
	}
	if g := c.gateOf(id); g != nil && r.Rest {
		if err := g.RefuseRest(a.Who); err != nil {
			return vmhost.Decision{}, err
		}
	}
	d := vmhost.Decision{ID: question, Answer: a.Answer, Scope: a.Scope, By: a.By, Client: a.Client, Time: c.o.Now().UTC()}
	switch { // what the question has no use for was not taken
	case a.Answer != vmhost.AnswerAllow || !q.Open():
	case len(q.Choices) > 0:
		d.Choice = a.Choice
	default:
		d.Text = a.Text
	}
	return d, nil
}

// Rules lists what was decided for longer than once.
func (c *Consent) Rules(context.Context) ([]approval.Rule, error) {
	all := c.rules.All()
	for i := range all {
		all[i].Narrows = narrows(all[i])
	}
	return all, nil
}

// Rule is one of them.
func (c *Consent) Rule(_ context.Context, id string) (approval.Rule, error) {
	all := c.rules.All()
	i := slices.IndexFunc(all, func(o approval.Rule) bool { return o.ID == id })
	if i < 0 {
		return approval.Rule{}, problem.New(problem.CodeNotFound).With("rule", id)
	}
	all[i].Narrows = narrows(all[i])
	return all[i], nil
}

// RemoveRule takes a rule back. What only takes a right away waits for no record; a refusal that is
// taken back does.
func (c *Consent) RemoveRule(ctx context.Context, id string) error {
	_, done, err := c.o.Registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	rule, err := c.Rule(ctx, id)
	if err != nil {
		return err
	}
	revoked := c.about(rule)
	revoked.Answer = "revoked"
	record := Record(WhoOf(ctx), rule.Task, revoked)
	if rule.Answer == vmhost.AnswerDeny {
		if err := c.o.Audit.Append(record); err != nil {
			return problem.NotRecorded(err)
		}
	}
	_, err = c.rules.Remove(id)
	if errors.Is(err, approval.ErrNoRule) {
		return problem.New(problem.CodeNotFound).With("rule", id).Because(err)
	}
	if err != nil {
		return problem.From(err)
	}
	c.applyRules(func(gate *Gate, g *guard.Guard) {
		if rule.Task == "" || rule.Task == gate.id {
			g.Forget(rule.Topic, gate.folderID(rule.Folder))
		}
	})
	if rule.Answer == vmhost.AnswerDeny {
		return nil
	}
	if err := c.o.Audit.Append(record); err != nil {
		return problem.NotRecorded(err)
	}
	return nil
}

// gateOf is the gate of a task that lives, nil for another one.
func (c *Consent) gateOf(id string) *Gate {
	if l, ok := c.o.Registry.Live(id).(Gated); ok {
		return l.Gate()
	}
	return nil
}

// applyRules has the tasks that live follow the rules as they are now, after first.
func (c *Consent) applyRules(first func(*Gate, *guard.Guard)) {
	for _, l := range c.o.Registry.All() {
		gated, ok := l.(Gated)
		if !ok {
			continue
		}
		gate := gated.Gate()
		gate.follow(func(g *guard.Guard) { first(gate, g) })
		gate.NoteLoosened()
	}
	c.beside.reconsider()
}

// follow gives the rules as they are now to the guard of the task's folders, after first, and to
// its network. Who reads them later gives them later.
func (g *Gate) follow(first func(*guard.Guard)) {
	g.following.Lock()
	defer g.following.Unlock()
	if files := g.guard.Load(); files != nil {
		first(files)
		files.SetStanding(g.Standing())
	}
	if n := g.network.Load(); n != nil {
		n.SetRules(g.NetworkRules())
	}
}

// folderID is the id of a folder of the task, "" for none.
func (g *Gate) folderID(path string) string {
	for _, f := range g.last().Shared() {
		if f.Path == path {
			return f.ID
		}
	}
	return ""
}

// Standing are the rules as they are about this task.
func (g *Gate) Standing() []guard.Standing {
	var out []guard.Standing
	for _, r := range g.c.rules.All() {
		s := guard.Standing{Topic: r.Topic, Allow: r.Answer == vmhost.AnswerAllow}
		if r.Folder != "" {
			if s.Folder = g.folderID(r.Folder); s.Folder == "" {
				continue
			}
		}
		if r.Task == "" || r.Task == g.id {
			out = append(out, s)
		}
	}
	return out
}
