package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

const rulesName = "rules.json"

// Who decided, as records say it.
const (
	byPerson     = "person"     // asked at this moment
	byBeforehand = "beforehand" // when the task was started
)

// Questions lists what waits for a person, the riskiest first; see Service.
func (c *Controller) Questions(_ context.Context, id string) ([]vmhost.Question, error) {
	open := c.desk.Open(id)
	slices.SortStableFunc(open, func(a, b vmhost.Question) int { return int(approval.Of(b)) - int(approval.Of(a)) })
	return open, nil
}

// Answer decides a question; see Service.
func (c *Controller) Answer(_ context.Context, id, question string, r AnswerRequest) (vmhost.Decision, error) {
	switch {
	case r.Answer != vmhost.AnswerAllow && r.Answer != vmhost.AnswerDeny:
		return vmhost.Decision{}, problem.BadRequest("answer", "%q is not a choice", r.Answer)
	case !slices.Contains([]string{"", vmhost.ScopeOnce, vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways}, r.Scope):
		return vmhost.Decision{}, problem.BadRequest("scope", "%q is not a choice", r.Scope)
	case r.Rest && r.Answer != vmhost.AnswerDeny:
		return vmhost.Decision{}, problem.BadRequest("rest", "only everything can be refused")
	}
	a := approval.Answer{Answer: r.Answer, Scope: r.Scope, By: byPerson, Seen: r.Seen, Choice: r.Choice, Text: r.Text}
	if r.Unattended {
		if a.By = "default"; r.Answer == vmhost.AnswerAllow {
			return vmhost.Decision{}, problem.BadRequest("unattended", "nobody is there to allow it")
		}
	}
	q, err := c.desk.Answer(id, question, a)
	if a.Scope = cmp.Or(a.Scope, approval.Usual(q, a.Answer)); q.Open() {
		a.Scope = vmhost.ScopeOnce
	}
	switch {
	case errors.Is(err, approval.ErrNotOpen):
		if _, err := c.store.Get(id); err != nil {
			return vmhost.Decision{}, registry.Problem(id, err)
		}
		return vmhost.Decision{}, problem.New(problem.CodeQuestionOver).With("task", id).With("question", question)
	case err != nil:
		return vmhost.Decision{}, problem.From(err)
	}
	if l := c.liveTask(id); l != nil && r.Rest {
		if err := l.refuseRest(a.By); err != nil {
			return vmhost.Decision{}, err
		}
	}
	d := vmhost.Decision{ID: question, Answer: a.Answer, Scope: a.Scope, By: a.By, Time: c.now().UTC()}
	switch { // what the question has no use for was not taken
	case a.Answer != vmhost.AnswerAllow || !q.Open():
	case len(q.Choices) > 0:
		d.Choice = a.Choice
	default:
		d.Text = a.Text
	}
	return d, nil
}

// Rules lists what was decided for longer than once; see Service.
func (c *Controller) Rules(context.Context) ([]approval.Rule, error) { return c.rules.All(), nil }

// RemoveRule takes a rule back; see Service.
func (c *Controller) RemoveRule(ctx context.Context, id string) error {
	_, done, err := c.registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	rule, err := c.rules.Remove(id)
	if errors.Is(err, approval.ErrNoRule) {
		return problem.New(problem.CodeNotFound).With("rule", id).Because(err)
	}
	if err != nil {
		return problem.From(err)
	}
	c.applyRules(func(l *liveTask, g *guard.Guard) {
		if rule.Task == "" || rule.Task == l.id {
			g.Forget(rule.Topic, l.folderID(rule.Folder))
		}
	})
	err = c.audit.Append(audit.Record{Event: audit.EventDecision, Task: rule.Task, Topic: rule.Topic, Folder: rule.Folder,
		Answer: "revoked", Scope: rule.Scope(), By: byPerson})
	if err != nil {
		return auditProblem(err)
	}
	return nil
}

// applyRules has the tasks that run follow the rules as they are now, after first.
func (c *Controller) applyRules(first func(*liveTask, *guard.Guard)) {
	for _, l := range c.liveTasks() {
		if g := l.guard.Load(); g != nil {
			first(l, g)
			g.SetStanding(l.standing())
		}
		if n := l.network.Load(); n != nil {
			n.SetRules(l.networkRules())
		}
		l.noteLoosened()
	}
}

// folderID is the id of a folder of the task, "" for none.
func (l *liveTask) folderID(path string) string {
	for _, f := range l.last.Load().Shared() {
		if f.Path == path {
			return f.ID
		}
	}
	return ""
}

// standing are the rules as they are about this task.
func (l *liveTask) standing() []guard.Standing {
	var out []guard.Standing
	for _, r := range l.c.rules.All() {
		s := guard.Standing{Topic: r.Topic, Allow: r.Answer == vmhost.AnswerAllow}
		if r.Folder != "" {
			if s.Folder = l.folderID(r.Folder); s.Folder == "" {
				continue
			}
		}
		if r.Task == "" || r.Task == l.id {
			out = append(out, s)
		}
	}
	return out
}

// guardFor makes the guard of the task's folders: what it may change without a
// person being asked.
func (l *liveTask) guardFor() *guard.Guard {
	g := guard.New(l.policy(), guard.Options{Task: l.id, Ask: l.ask, Used: l.byRule})
	g.SetStanding(l.standing())
	l.guard.Store(g)
	return g
}

func (l *liveTask) policy() guard.Policy {
	switch l.req.Kind {
	case task.KindChore:
		return guard.ForPlan(l.granted)
	case task.KindAI:
		return guard.ForAgents
	default:
		return guard.ForCommands
	}
}

// grants are the changes that a plan says, by the folders of its task.
func grants(plan chore.Plan, folders []task.Folder) []guard.Grant {
	at := func(guest string) (id, rel string, ok bool) {
		for _, f := range folders {
			if rel, ok = strings.CutPrefix(path.Clean(guest), wire.FoldersDir+"/"+f.Name+"/"); ok {
				return f.ID, rel, true
			}
		}
		return "", "", false
	}
	var out []guard.Grant
	for _, op := range plan.Operations {
		id, rel, ok := at(op.Out)
		switch op.Effect {
		case chore.EffectCreate, chore.EffectChange:
			if ok {
				out = append(out, guard.Grant{Folder: id, Path: rel, Effect: guard.Create})
			}
			if ok && op.Effect == chore.EffectChange {
				out = append(out, guard.Grant{Folder: id, Path: rel, Effect: guard.Change})
			}
		case chore.EffectMove, chore.EffectDelete:
			for _, in := range op.In {
				from, old, inside := at(in.Path)
				switch {
				case !inside:
				case op.Effect == chore.EffectDelete:
					out = append(out, guard.Grant{Folder: from, Path: old, Effect: guard.Delete})
				case ok && from == id:
					out = append(out, guard.Grant{Folder: id, Path: old, To: rel, Effect: guard.Move})
				case ok: // copied there, and removed here
					out = append(out, guard.Grant{Folder: from, Path: old, Effect: guard.Delete},
						guard.Grant{Folder: id, Path: rel, Effect: guard.Create})
				}
			}
		}
	}
	return out
}

// ask asks a person for the guard, or says yes where they said so beforehand: for what
// the command does here, never for what leaves this computer. The task waits meanwhile,
// and after a while its machine stands still.
func (l *liveTask) ask(ctx context.Context, q vmhost.Question, more <-chan vmhost.Question) (guard.Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	defer unhook()
	if ctx.Err() != nil {
		return guard.Answer{}, context.Cause(ctx)
	}
	if l.refusals.all(l.questions.Load()) {
		l.refusals.once.Do(func() { l.record(task.EventNotice, task.NoticeData{Code: "questions-refused"}) })
		return guard.Answer{Decision: vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "rule", Time: l.c.now().UTC()}}, nil
	}
	q = approval.Rated(q)
	q.ID = fmt.Sprintf("q%d", l.questions.Add(1))
	var last vmhost.Decision
	by := approval.Asker{
		Show: func(q vmhost.Question) { l.record(task.EventQuestion, q) },
		Decide: func(q vmhost.Question, a approval.Answer) (err error) {
			last, err = l.decideQuestion(q, a)
			return err
		},
	}
	if l.req.Accept && l.req.Kind != task.KindChore && q.Kind != vmhost.AskNetwork && !q.Open() { // a chore's yes is to its plan
		a := approval.Answer{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, By: byBeforehand}
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
			l.tell(task.EventQuestion, q)
			return
		}
		first = false
		l.record(task.EventQuestion, q)
		over = l.thinking()
	}
	a, err := l.c.desk.Ask(ctx, q, more, by)
	if err != nil {
		if l.ctx.Err() == nil { // nobody answered in time, and the task goes on
			l.record(task.EventDecision, vmhost.Decision{ID: q.ID, Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce, By: "default", Time: l.c.now().UTC()})
		}
		return guard.Answer{}, err
	}
	return guard.Answer{Decision: last, Seen: a.Seen}, nil
}

// rest brings the task from running to waiting, or back.
func (l *liveTask) rest(waits bool) {
	from, to := task.StateRunning, task.StateWaiting
	if !waits {
		from, to = to, from
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != from || l.ctx.Err() != nil {
		return
	}
	if err := l.moveLocked(to); err != nil {
		l.c.log.Error("the state of a task could not be written", "task", l.id, "state", to, "error", err)
		return
	}
	if waits {
		l.step("accept")
	} else {
		l.step("run")
	}
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

// decideQuestion records an answer: the audit log first, because what cannot be
// recorded must not be done; then the rule that it makes.
func (l *liveTask) decideQuestion(q vmhost.Question, a approval.Answer) (vmhost.Decision, error) {
	if err := fits(q, &a); err != nil {
		return vmhost.Decision{}, err
	}
	if q.Kind == vmhost.AskFolder && a.Answer == vmhost.AnswerAllow { // who answers hears why it cannot be
		if _, err := l.c.folder(l.req, task.FolderRequest{Path: a.Text}, l.last.Load().Folders); err != nil {
			return vmhost.Decision{}, err
		}
	}
	d := vmhost.Decision{ID: q.ID, Answer: a.Answer, Scope: a.Scope, By: a.By, Time: l.c.now().UTC(), Choice: a.Choice, Text: a.Text}
	topic, _ := q.Text.Params["topic"].(string)
	id, _ := q.Text.Params["folder"].(string)
	claimed, _ := q.Text.Params["claimedProgram"].(string)
	rule := approval.Rule{Topic: topic, Answer: a.Answer}
	folder := ""
	if a.Scope == vmhost.ScopeFolder && id == "" {
		return d, problem.BadRequest("scope", "the question is about no folder")
	}
	for _, f := range l.last.Load().Folders {
		if f.ID == id {
			folder = f.Path
		}
	}
	err := l.c.audit.Append(audit.Record{Event: audit.EventDecision, Task: l.id, Question: q.ID, Topic: topic, Folder: folder,
		ClaimedProgram: claimed, Answer: d.Answer, Scope: d.Scope, By: d.By})
	if err != nil {
		return d, auditProblem(err)
	}
	switch a.Scope {
	case vmhost.ScopeTask:
		rule.Task = l.id
	case vmhost.ScopeFolder:
		rule.Folder = folder
	}
	if a.Scope != vmhost.ScopeOnce {
		if _, err := l.c.rules.Add(rule); err != nil {
			return d, err
		}
		if rule.Task == "" {
			l.c.applyRules(func(*liveTask, *guard.Guard) {})
		}
	}
	l.record(task.EventDecision, d)
	if d.Answer == vmhost.AnswerDeny {
		l.refusals.denied()
	}
	return d, nil
}

// byRule records that a rule decided, the first time in the task. It does not
// wait for the disk.
func (l *liveTask) byRule(s guard.Standing) {
	var rule approval.Rule
	for _, r := range l.c.rules.All() {
		if r.Topic == s.Topic && (r.Task == "" || r.Task == l.id) && l.folderID(r.Folder) == s.Folder {
			rule = r
		}
	}
	if rule.ID == "" || rule.Task != "" {
		return // it was recorded as the answer of this task
	}
	d := vmhost.Decision{ID: rule.ID, Answer: rule.Answer, Scope: rule.Scope(), By: "rule", Time: l.c.now().UTC()}
	l.notes.add(func() {
		err := l.c.audit.Append(audit.Record{Event: audit.EventDecision, Task: l.id, Question: d.ID, Topic: rule.Topic, Folder: rule.Folder,
			Answer: d.Answer, Scope: d.Scope, By: d.By})
		if err != nil {
			l.c.log.Error("that a rule decided could not be recorded", "task", l.id, "error", err)
		}
	})
	l.record(task.EventDecision, d)
}
