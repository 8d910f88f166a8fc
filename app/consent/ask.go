package consent

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// Ask puts a question of the task (files, commands, folders, the network) to a person,
// or says yes where they said so beforehand: for what the command does here, never for
// what leaves this computer. The task waits meanwhile, and after a while its machine is
// paused.
func (g *Gate) Ask(ctx context.Context, q vmhost.Question, more <-chan vmhost.Question) (guard.Answer, error) {
	return g.askAbout(ctx, q, more, policy.Request{})
}

// askAbout is Ask, of a question that a rule has asked about a request.
func (g *Gate) askAbout(ctx context.Context, q vmhost.Question, more <-chan vmhost.Question, ruled policy.Request) (guard.Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(g.task.Context(), func() { cancel(context.Cause(g.task.Context())) })
	defer unhook()
	if ctx.Err() != nil {
		return guard.Answer{}, context.Cause(ctx)
	}
	if g.refusals.all(g.questions.Load()) {
		g.refusals.once.Do(func() { g.task.Record(task.EventNotice, task.NoticeData{Code: "questions-refused"}) })
		return guard.Answer{Decision: vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "rule", Time: g.c.o.Now().UTC()}}, nil
	}
	// A task that goes on has another Gate, which counts anew: a late answer is to find nothing there.
	q.ID = fmt.Sprintf("q%d-%s", g.questions.Add(1), strings.ToLower(rand.Text()[:8]))
	say, about := g.Written(q)
	if say.Effect != policy.Ask {
		d, err := g.byWritten(q, say, about)
		return guard.Answer{Decision: d}, err
	}
	if topic, _ := q.Text.Params["topic"].(string); strings.HasPrefix(topic, topicRule) {
		q.Rule, _, _ = strings.Cut(strings.TrimPrefix(topic, topicRule), "#")
	} else if q.Rule == "" && say.Rule != "" || say.Written() {
		q.Rule = say.Name()
	}
	if ruled.Action == "" && approval.Written(q) {
		ruled = about
	}
	q = approval.Rated(q)
	var last vmhost.Decision
	by := approval.Asker{
		Show: func(q vmhost.Question) { g.task.Record(task.EventQuestion, q) },
		Decide: func(q vmhost.Question, a approval.Answer) (err error) {
			last, err = g.decide(q, a, ruled)
			return err
		},
	}
	if g.accept && !approval.Written(q) && g.kind != task.KindChore && q.Kind != vmhost.AskNetwork && q.Kind != vmhost.AskServer && !q.Open() { // a chore's yes is to its plan
		a := approval.Answer{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Who: g.by}
		if slices.Contains(q.Scopes, vmhost.ScopeTask) {
			a.Scope = vmhost.ScopeTask
		}
		by.Show(q)
		err := by.Decide(q, a)
		return guard.Answer{Decision: last}, err
	}
	over := func() {}
	defer func() { over() }()
	first := true
	by.Show = func(q vmhost.Question) {
		if !first { // it has grown: for those who look at this moment
			g.task.Tell(task.EventQuestion, q)
			return
		}
		first = false
		g.task.Record(task.EventQuestion, q)
		over = g.thinking()
	}
	a, err := g.c.inbox.Ask(ctx, q, more, by)
	if err != nil {
		if g.task.Context().Err() == nil { // nobody answered in time, and the task goes on
			g.task.Record(task.EventDecision, vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "default", Time: g.c.o.Now().UTC()})
		}
		return guard.Answer{}, err
	}
	return guard.Answer{Decision: last, Seen: a.Seen}, nil
}

// fits says what is wrong with an answer: a yes reaches no further than the question
// offers. One to a question with choices or input reaches no further than once, and a
// no to it is nothing else.
func fits(q vmhost.Question, a *approval.Answer) error {
	if !q.Open() && a.Answer == vmhost.AnswerAllow && !slices.Contains(q.Scopes, a.Scope) {
		return problem.BadRequest("scope", "a yes to this question is for %s", strings.Join(q.Scopes, ", "))
	}
	if !q.Open() || a.Answer != vmhost.AnswerAllow {
		if a.Choice, a.Text = nil, ""; q.Open() {
			a.Scope = vmhost.ScopeOnce
		}
		return nil
	}
	a.Scope = vmhost.ScopeOnce
	switch {
	case q.Kind == vmhost.AskFolder && a.Text == "":
		return problem.BadRequest("text", "the question asks for the path of a folder")
	case q.Input && a.Choice != nil:
		return problem.BadRequest("choice", "the question asks for a text")
	case q.Input:
		return nil
	case a.Choice == nil:
		return problem.BadRequest("choice", "is missing")
	case *a.Choice < 0 || *a.Choice >= len(q.Choices):
		return problem.BadRequest("choice", "%d is not one of %d", *a.Choice, len(q.Choices))
	}
	a.Text = ""
	return nil
}

// decide records an answer: the audit log first, because what cannot be
// recorded must not be done; then the rule that it makes. What a written rule has asked is recorded
// with the request that it asked about.
func (g *Gate) decide(q vmhost.Question, a approval.Answer, ruled policy.Request) (vmhost.Decision, error) {
	if err := fits(q, &a); err != nil {
		return vmhost.Decision{}, err
	}
	if q.Kind == vmhost.AskFolder && a.Answer == vmhost.AnswerAllow { // who answers hears why it cannot be
		if err := g.task.MayHave(a.Text); err != nil {
			return vmhost.Decision{}, err
		}
	}
	d := vmhost.Decision{ID: q.ID, Answer: a.Answer, Scope: a.Scope, By: a.By, Client: a.Client, Time: g.c.o.Now().UTC(), Choice: a.Choice, Text: a.Text}
	topic, _ := q.Text.Params["topic"].(string)
	id, _ := q.Text.Params["folder"].(string)
	claimed, _ := q.Text.Params["claimedProgram"].(string)
	rule := approval.Rule{Topic: topic, Answer: a.Answer, Client: a.Client}
	folder := ""
	if a.Scope == vmhost.ScopeFolder && id == "" {
		return d, problem.BadRequest("scope", "the question is about no folder")
	}
	for _, f := range g.last().Folders {
		if f.ID == id {
			folder = f.Path
		}
	}
	record := Record(a.Who, g.id, audit.Decision{
		Question: q.ID, Topic: topic, Rule: q.Rule, Folder: g.c.o.Audit.Digest(folder), ClaimedProgram: audit.Claimed(g.c.o.Audit.Key, claimed), Answer: d.Answer, Scope: d.Scope,
	})
	if ruled.Action != "" {
		ruled.About = cmp.Or(ruled.About, string(ruled.Action))
		g.c.describe(&record, ruled)
	}
	if err := g.c.o.Audit.Append(record); err != nil {
		return d, problem.NotRecorded(err)
	}
	switch a.Scope {
	case vmhost.ScopeTask:
		rule.Task = g.id
	case vmhost.ScopeFolder:
		rule.Folder = folder
	}
	if a.Scope != vmhost.ScopeOnce {
		if _, err := g.c.rules.Add(rule); err != nil {
			return d, err
		}
		if rule.Task == "" {
			g.c.applyRules(func(*Gate, *guard.Guard) {})
		}
	}
	g.task.Record(task.EventDecision, d)
	if d.Answer == vmhost.AnswerDeny {
		g.refusals.denied()
	}
	return d, nil
}

// Ruled answers a question of the task by a rule.
func (g *Gate) Ruled(id string, rule approval.Rule) (vmhost.Decision, error) {
	d := vmhost.Decision{ID: id, Answer: rule.Answer, Scope: rule.Scope(), By: "rule", Time: g.c.o.Now().UTC()}
	if err := g.auditRule(id, rule); err != nil {
		return d, problem.NotRecorded(err)
	}
	g.task.Record(task.EventDecision, d)
	return d, nil
}

// auditRule records in the audit log that a rule answered.
func (g *Gate) auditRule(id string, rule approval.Rule) error {
	about := g.c.about(rule)
	about.Question = id
	return g.c.o.Audit.Append(Record(approval.Who{By: "rule"}, g.id, about))
}

// byRule records that a rule decided, the first time in the task. It does not
// wait for the disk.
func (g *Gate) byRule(s guard.Standing) {
	var rule approval.Rule
	for _, r := range g.c.rules.All() {
		if r.Topic == s.Topic && (r.Task == "" || r.Task == g.id) && g.folderID(r.Folder) == s.Folder {
			rule = r
		}
	}
	if rule.ID == "" || rule.Task != "" {
		return // it was recorded as the answer of this task
	}
	g.task.Do(func() {
		if err := g.auditRule(rule.ID, rule); err != nil {
			g.log().Error("that a rule decided could not be recorded", "error", err)
		}
	})
	g.task.Record(task.EventDecision, vmhost.Decision{ID: rule.ID, Answer: rule.Answer, Scope: rule.Scope(), By: "rule", Time: g.c.o.Now().UTC()})
}
