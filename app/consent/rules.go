package consent

import (
	"cmp"
	"context"
	"net"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

// Rules that are written (package policy) are asked before anything else decides: before a
// task has a place, before each program and operation, each command of an AI, each change in
// its folders, each connection, and before a person is asked. They are asked again each time:
// a rule that is written while a task runs holds for what it does next.

// agentName is the AI program of AI tasks that say no other.
const agentName = "pi"

// agentOf is the AI program of a task.
func agentOf(t *task.Task) string {
	if t.AI == nil {
		return agentName
	}
	return cmp.Or(t.AI.Program, agentName)
}

// topicRule is what an answer is about that a written rule asked for; the rule follows.
const topicRule = "rule/"

// Bounds of what the timeline and the audit log have of the refusals of rules in one task.
const (
	maxNoted      = 200 // in all
	maxNotedAlike = 10  // by one rule, of one host's ports or of files: neither takes all the room
)

// refusal is what a rule refused, and of what is alike.
type refusal struct {
	rule   string
	action policy.Action
	host   string

	thing string // of these: a port or a path
}

// Ruling is what the rules that are written say to the task of a gate.
type Ruling struct {
	g *Gate

	place atomic.Pointer[vmhost.Capabilities] // where the task works, or begins to

	mu      sync.Mutex
	kinds   map[string]vmhost.Capabilities // that were asked about
	agreed  []agreement                    // once, to what rules ask for
	noted   map[refusal]bool
	tried   map[string]bool  // refusals that a proposal was tried for
	refused []policy.Request // the one that kept the task from its best place
}

// request is a request to the rules, by what the task is.
func (w *Ruling) request(a policy.Action) policy.Request {
	g := w.g
	t := g.last()
	r := policy.Request{Action: a}
	r.Task, r.Kind, r.Network, r.Runtime = g.id, t.Kind, t.Network, t.Runtime
	r.Client, _, _ = strings.Cut(t.Client, "@")
	r.Door = t.Door
	if t.Kind == task.KindAI {
		r.Agent = agentOf(t)
	}
	if k := g.Ruling.place.Load(); k != nil {
		r.Runtime, r.Isolation, r.Domain = k.Name, k.Isolation, k.Domain
	} else if t.Accel == string(qemu.AccelTCG) { // it worked in the slow mode
		r.Isolation = vmhost.IsolationEmulated
	}
	return r
}

// runs has a request be about the program that argv begins.
func runs(r *policy.Request, argv []string) {
	r.Program, r.RunKind = "shell", policy.Program
	if len(argv) == 0 {
		return
	}
	r.Program = path.Base(argv[0])
	if audit.Program(argv[0]) == "" {
		r.Own = argv[0]
	}
}

// rulesSay answers a request.
func (w *Ruling) rulesSay(r policy.Request) policy.Decision {
	g := w.g
	return g.c.written.Decide(r)
}

// Denied is the problem of what the rules refuse, which the audit log has then.
func (w *Ruling) Denied(d policy.Decision, r policy.Request) error {
	g := w.g
	if err := g.auditWritten("", d, r, vmhost.AnswerDeny); err != nil {
		return problem.NotRecorded(err)
	}
	g.propose(d, r)
	return RuleDenied(d, r)
}

// RuleDenied is the problem of what the rules refuse.
func RuleDenied(d policy.Decision, r policy.Request) *problem.Problem {
	p := problem.New(problem.CodeRuleDenied).With("action", string(r.Action)).With("what", r.Subject())
	return d.Explains(p)
}

// auditWritten records what a rule decided.
func (w *Ruling) auditWritten(question string, d policy.Decision, r policy.Request, answer string) error {
	g := w.g
	a := g.c.ruled(g.by, g.id, d.Name(), r, answer)
	a.Question = question
	return g.c.o.Audit.Append(a)
}

// noteDenied has the timeline and the audit log say that a rule refused, once for each rule
// and thing, within bounds. It does not wait for the disk.
func (w *Ruling) noteDenied(d policy.Decision, r policy.Request) {
	g := w.g
	if g.toPropose(d, r) {
		g.task.Do(func() { g.makeProposal(d, r) })
	}
	what, one := r.Subject(), refusal{d.Name(), r.Action, r.Host, r.Path}
	if r.Action == policy.Connect && r.Port > 0 {
		one.thing = strconv.Itoa(r.Port)
		what = net.JoinHostPort(r.Host, one.thing)
	}
	if !w.toNote(one) {
		return
	}
	g.task.Do(func() {
		if err := g.auditWritten("", d, r, vmhost.AnswerDeny); err != nil {
			g.log().Error("that a rule refused could not be recorded", "error", err)
		}
	})
	g.task.Record(task.EventNotice, task.NoticeData{Code: "rule-denied", Params: map[string]any{
		"rule": cmp.Or(d.Rule, d.Name()), "layer": string(d.Layer), "action": string(r.Action), "what": what}})
}

// toNote reports whether a refusal is to be noted, which it is once.
func (w *Ruling) toNote(one refusal) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.noted[one] || len(w.noted) >= maxNoted {
		return false
	}
	alike := 0
	for o := range w.noted {
		if o.thing = one.thing; o == one {
			alike++
		}
	}
	if alike >= maxNotedAlike {
		return false
	}
	if w.noted == nil {
		w.noted = map[refusal]bool{}
	}
	w.noted[one] = true
	return true
}

// Written is what the rules say to a question before a person is asked, and to which
// request. A question that is about none is asked; with a faulty file nothing is.
func (w *Ruling) Written(q vmhost.Question) (policy.Decision, policy.Request) {
	g := w.g
	list := g.requests(q)
	if len(list) == 0 {
		if f := g.c.written.Rules().Fault(); f != nil {
			return policy.Decision{Effect: policy.Deny, Fault: f}, policy.Request{}
		}
		return policy.Decision{Effect: policy.Ask, Rule: q.Rule}, policy.Request{}
	}
	var worst policy.Decision
	var about policy.Request
	for i, r := range list {
		d := g.rulesSay(r)
		if i == 0 || d.Effect.Stricter(worst.Effect) || d.Effect == worst.Effect && d.Written() && !worst.Written() {
			worst, about = d, r
		}
	}
	return worst, about
}

// requests are what a question is about, for the rules. A program's question in its own
// words is about nothing that they know, and neither is one for a text or more room.
func (w *Ruling) requests(q vmhost.Question) []policy.Request {
	g := w.g
	risk := approval.Of(q).String()
	topic, _ := q.Text.Params["topic"].(string)
	if strings.HasPrefix(topic, topicRule) { // a rule has it asked, of files that the question does not name all
		return nil
	}
	switch q.Kind {
	case vmhost.AskDelete, vmhost.AskOverwrite, vmhost.AskMassChange, vmhost.AskApply:
		action := policy.Write
		if q.Kind == vmhost.AskDelete || topic == guard.TopicDelete {
			action = policy.Delete
		}
		r := g.request(action)
		r.Risk, r.About = risk, policy.AboutMany
		switch topic {
		case guard.TopicDelete, guard.TopicChange, "":
		case guard.TopicWrite:
			r.About = "bytes"
		case guard.TopicFetch:
			r.Action, r.About = policy.Read, "bytes"
		default:
			r.About = topic
		}
		r.Files, r.Size = number(q.Text.Params["count"]), number(q.Text.Params["bytes"])
		id, _ := q.Text.Params["folder"].(string)
		var out []policy.Request
		for _, f := range g.last().Shared() {
			if id == "" || f.ID == id {
				r.Path = f.Path
				out = append(out, r)
			}
		}
		return out
	case vmhost.AskNetwork:
		r := g.request(policy.Connect)
		r.Host, _ = q.Text.Params["host"].(string)
		r.Port, r.Risk = int(number(q.Text.Params["port"])), risk
		if q.Text.Code == askFetch || q.Text.Code == askSearch {
			r.About = policy.AboutWeb
		}
		return []policy.Request{r}
	case vmhost.AskServer:
		server, _ := q.Text.Params["server"].(string)
		tool, _ := q.Text.Params["tool"].(string)
		r := g.request(policy.Run)
		r.Program, r.RunKind, r.Risk = server+"/"+tool, policy.Server, risk
		return []policy.Request{r}
	case vmhost.AskCommand:
		effects, ok := q.Text.Params["effects"].([]string)
		if !ok || q.Open() {
			return nil
		}
		r := g.request(policy.Run)
		r.Program, r.RunKind, r.Effects, r.Risk = "bash", policy.Command, effects, risk
		return []policy.Request{r}
	}
	return nil
}

func number(v any) int64 {
	switch v := v.(type) {
	case int:
		return int64(v)
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

// byWritten answers a question by a rule.
func (w *Ruling) byWritten(q vmhost.Question, d policy.Decision, r policy.Request) (vmhost.Decision, error) {
	g := w.g
	answer := vmhost.AnswerDeny
	if d.Effect == policy.Allow {
		answer = vmhost.AnswerAllow
	}
	out := vmhost.Decision{ID: q.ID, Answer: answer, Scope: vmhost.ScopeOnce, By: "rule", Rule: d.Name(), Time: g.c.o.Now().UTC()}
	if err := g.auditWritten(q.ID, d, r, answer); err != nil {
		out.Answer = vmhost.AnswerDeny
		return out, problem.NotRecorded(err)
	}
	if d.Written() || answer == vmhost.AnswerDeny {
		g.task.Record(task.EventDecision, out)
	}
	if answer == vmhost.AnswerDeny {
		g.propose(d, r)
	}
	return out, nil
}

// AskAgent puts a question of the agent to the person: where a rule, or they for longer,
// said what is to be, that answers.
func (w *Ruling) AskAgent(ctx context.Context, q vmhost.Question) (vmhost.Decision, error) {
	g := w.g
	if _, about := q.Text.Params["effects"]; q.Open() || !about { // a program asks in its own words: no rule knows what they mean
		return g.AskOne(ctx, q, "")
	}
	topic := TopicCommand
	if effects, ok := q.Text.Params["effects"].([]string); ok && len(effects) > 0 {
		topic += "/" + strings.Join(slices.Sorted(slices.Values(effects)), "+")
	}
	if d, said, err := g.Unasked(q, topic); said {
		return d, err
	}
	return g.AskOne(ctx, q, topic)
}

// Unasked answers a question without a person: by a written rule, or by what was decided for
// longer about its topic. said is false where neither does.
func (w *Ruling) Unasked(q vmhost.Question, topic string) (d vmhost.Decision, said bool, err error) {
	g := w.g
	say, about := g.Written(q)
	if say.Effect == policy.Deny {
		d, err = g.byWritten(q, say, about)
		return d, true, err
	}
	rule, ok := g.RuleAbout(topic)
	if ok && (rule.Answer != vmhost.AnswerAllow || rule.Task != "" || say.Effect == policy.Allow || !say.Written()) {
		d, err = g.Ruled(q.ID, rule)
		return d, true, err
	}
	if say.Effect == policy.Allow {
		d, err = g.byWritten(q, say, about)
		return d, true, err
	}
	return d, false, nil
}

// Command is AskAgent for a command that nobody is asked about: it runs, unless a written rule
// has another opinion. ok is false where the person has to be asked.
func (w *Ruling) Command(id string, effects []string) (d vmhost.Decision, ok bool, err error) {
	g := w.g
	r := g.request(policy.Run)
	r.Program, r.RunKind, r.Effects = "bash", policy.Command, effects
	r.Risk = approval.Of(vmhost.Question{Kind: vmhost.AskCommand, Text: vmhost.Text{Params: map[string]any{"effects": effects}}}).String()
	say := g.rulesSay(r)
	switch {
	case say.Effect == policy.Deny:
		d, err = g.byWritten(vmhost.Question{ID: id}, say, r)
		return d, true, err
	case say.Effect == policy.Ask && say.Written():
		return d, false, nil
	}
	return vmhost.Decision{ID: id, Answer: vmhost.AnswerAllow}, true, nil
}

type sessionKey struct{}

// InSession returns the context of what is typed in the place of a task.
func InSession(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, true)
}

// Acts is why the rules let something not be executed in the place of the task, nil where
// they do.
func (w *Ruling) Acts(ctx context.Context, a vmhost.Action) error {
	g := w.g
	r := g.request(policy.Run)
	if c := task.ClientOf(ctx); c != "" { // another program may act in the task
		r.Client, _, _ = strings.Cut(c, "@")
	}
	r.Door = cmp.Or(task.DoorOf(ctx), r.Door)
	session, _ := ctx.Value(sessionKey{}).(bool)
	switch {
	case a.Tool != nil:
		r.Program, r.RunKind = a.Tool.Op, string(task.KindTool)
	case a.Exec != nil:
		runs(&r, a.Exec.Argv)
		switch {
		case session:
			r.RunKind = policy.Session
		case g.kind == task.KindAI && r.Program == "bash":
			r.RunKind = policy.Command
		case g.kind == task.KindAI:
			r.Program, r.RunKind, r.Own = agentOf(g.last()), string(task.KindAI), ""
		}
	default:
		return g.reads(a, r.Client)
	}
	d := g.rulesSay(r)
	switch {
	case d.Effect == policy.Deny:
		return g.Denied(d, r)
	case d.Effect == policy.Ask && d.Written() && r.RunKind != policy.Command: // a command was asked about as such
		return g.agree(ctx, d, r)
	}
	return nil
}

// reads is why the rules let a file not be read by an action of its own; what changes one,
// the guard of its folder is asked about.
func (w *Ruling) reads(a vmhost.Action, client string) error {
	g := w.g
	if a.File == nil {
		return nil
	}
	p, ok := g.onHost(a.File.Path)
	if !ok {
		return nil
	}
	actions := []policy.Action{policy.Read}
	if client != "" && client != g.request(policy.Write).Client && a.File.Op != wire.FileRead && a.File.Op != wire.FileList && a.File.Op != wire.FileStat { // the guard knows the task's own
		actions = append(actions, policy.Write, policy.Delete)
	}
	for _, action := range actions {
		r := g.request(action)
		r.Path, r.Client = p, cmp.Or(client, r.Client)
		if d := g.rulesSay(r); d.Effect == policy.Deny {
			return g.Denied(d, r)
		}
	}
	return nil
}

// onHost is where a path in the place of the task is on this computer.
func (w *Ruling) onHost(guest string) (string, bool) {
	g := w.g
	guest = path.Clean(guest)
	for _, f := range g.last().Shared() {
		root := wire.FoldersDir + "/" + f.Name
		if guest == root {
			return f.Path, true
		}
		if rest, ok := strings.CutPrefix(guest, root+"/"); ok {
			return filepath.Join(f.Path, filepath.FromSlash(rest)), true
		}
	}
	return "", false
}

// MayHave is why the rules let the task not have a folder, nil where they do.
func (w *Ruling) MayHave(ctx context.Context, f task.Folder) error {
	g := w.g
	for _, r := range g.folderRequests(f) {
		d := g.rulesSay(r)
		switch {
		case d.Effect == policy.Deny:
			return g.Denied(d, r)
		case d.Effect == policy.Ask && d.Written():
			if err := g.agree(ctx, d, r); err != nil {
				return err
			}
		}
	}
	return nil
}
