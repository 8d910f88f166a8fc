package consent

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/vmhost"
)

// starts are the requests of all that a task is started with.
func (w *Ruling) starts(k vmhost.Capabilities) []policy.Request {
	g := w.g
	t := g.last()
	run := g.request(policy.Run)
	run.RunKind = string(t.Kind)
	switch {
	case t.Chore != "":
		run.Program, run.RunKind = t.Chore, string(task.KindChore)
	case t.Kind == task.KindTool:
		run.Program, _ = t.Params["op"].(string)
	case t.Kind == task.KindAI:
		run.Program = agentOf(t)
	default:
		runs(&run, t.Argv)
	}
	out := []policy.Request{in(g.request(policy.StartRuntime), k), in(run, k)}
	if t.AI != nil {
		key := in(g.request(policy.UseKey), k)
		key.Key, _, _ = strings.Cut(t.AI.Model, "/")
		if key.Key != "" {
			out = append(out, key)
		}
	}
	for _, name := range t.Services { // each has a secret
		key := in(g.request(policy.UseKey), k)
		key.Key = policy.ServiceKey + name
		out = append(out, key)
	}
	for _, f := range t.Shared() {
		for _, r := range g.folderRequests(f) {
			out = append(out, in(r, k))
		}
	}
	return out
}

// folderRequests are what a folder is given to a task for: all of it, and so each path in it
// that a rule names.
func (w *Ruling) folderRequests(f task.Folder) (out []policy.Request) {
	g := w.g
	actions := []policy.Action{policy.Read}
	if f.Mode != task.ModeReadOnly {
		actions = append(actions, policy.Write, policy.Delete)
	}
	for _, a := range actions {
		r := g.request(a)
		r.Path = f.Path
		out = append(out, r)
		if a != policy.Read { // the guard of the folder looks at each change
			continue
		}
		for _, below := range g.c.written.Rules().Below(f.Path) {
			r.Path = below
			out = append(out, r)
		}
	}
	return out
}

// PlaceFor is what the rules say to a kind of place, for no task yet: as to one that needs that
// much, in the home directory.
func (c *Consent) PlaceFor(n runtimes.Need, k vmhost.Capabilities) policy.Decision {
	request := func(a policy.Action) policy.Request {
		r := policy.Request{Action: a}
		if r.Kind, r.Network = n.Work, cmp.Or(n.Network, task.NetworkOff); n.Work == task.KindAI {
			r.Agent = agentName
		}
		return in(r, k)
	}
	all := []policy.Request{request(policy.StartRuntime)}
	if n.Work != "" {
		run := request(policy.Run)
		run.Program, run.RunKind = string(n.Work), string(n.Work) // which one is not known
		switch n.Work {
		case task.KindAI:
			run.Program = agentName
		case task.KindExec:
			run.Program, run.RunKind = "shell", policy.Program
		}
		all = append(all, run)
	}
	var actions []policy.Action
	if n.Folders || n.Changes {
		actions = append(actions, policy.Read)
	}
	if n.Changes {
		actions = append(actions, policy.Write, policy.Delete)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = string(filepath.Separator)
	}
	for _, a := range actions {
		r := request(a)
		r.Path = home
		all = append(all, r)
	}
	d, _ := c.placed(all)
	return d
}

// placed is what the rules say to a place in which requests are made, the first one of which is for
// it; and the request that they refuse.
func (c *Consent) placed(all []policy.Request) (start policy.Decision, refused *policy.Request) {
	for i, r := range all {
		d := c.written.Decide(r)
		if d.Effect == policy.Deny {
			return d, &r
		}
		if i == 0 {
			start = d
		}
	}
	if all[0].Network != task.NetworkOff && all[0].Runtime != vmhost.KindVM { // nothing there keeps to rules about hosts
		if d, ok := c.written.Rules().Connects(); ok {
			return d, nil
		}
	}
	return start, nil
}

// Place is what the rules say to the task's work in a kind of place. All that it is started
// with is asked about, so that nothing runs of what is refused. The best kind is asked about
// first.
func (w *Ruling) Place(k vmhost.Capabilities) policy.Decision {
	g := w.g
	g.Ruling.mu.Lock()
	if g.Ruling.kinds == nil {
		g.Ruling.kinds = map[string]vmhost.Capabilities{}
	}
	g.Ruling.kinds[k.Name] = k
	g.Ruling.mu.Unlock()
	d, refused := g.c.placed(g.starts(k))
	if refused != nil {
		g.Ruling.mu.Lock()
		if len(g.Ruling.refused) == 0 { // what would be no help elsewhere is not proposed
			g.Ruling.refused = append(g.Ruling.refused, *refused)
		}
		g.Ruling.mu.Unlock()
	}
	return d
}

// Nowhere is the problem of a task that has no place: where that is for a rule, the audit log
// has it, and the problem names what was refused.
func (w *Ruling) Nowhere(p *problem.Problem) error {
	g := w.g
	if p.Code != problem.CodeRuleDenied {
		return p
	}
	g.Ruling.mu.Lock()
	first := g.Ruling.refused
	g.Ruling.refused = nil
	g.Ruling.mu.Unlock()
	if len(first) == 0 {
		return p
	}
	d := g.rulesSay(first[0])
	if d.Effect != policy.Deny { // a rule about hosts, which no place keeps
		return p
	}
	return g.Denied(d, first[0])
}

// Isolation is how well the place of the task keeps it apart; "" while that is not chosen.
func (w *Ruling) Isolation() vmhost.Isolation {
	if k := w.place.Load(); k != nil {
		return k.Isolation
	}
	return ""
}

// Begin is where a task begins to work.
type Begin struct {
	Choice   runtimes.Choice
	Required bool // the task may work nowhere else

	Isolation vmhost.Isolation // where that is known better than as the rules were asked about the kind
}

// Begin asks what has to be asked before a task works in a place. rest lets others work
// while a person thinks.
func (w *Ruling) Begin(ctx context.Context, b Begin, rest func()) error {
	g := w.g
	g.Ruling.mu.Lock()
	k, ok := g.Ruling.kinds[b.Choice.Kind]
	g.Ruling.mu.Unlock()
	if !ok {
		k = vmhost.Capabilities{Name: b.Choice.Kind}
	}
	k.Isolation = cmp.Or(b.Isolation, k.Isolation)
	g.Ruling.place.Store(&k)
	switch {
	case b.Choice.Ask:
		rest()
		if err := g.askPlace(ctx, b); err != nil {
			return err
		}
	case b.Choice.Kind != vmhost.KindVM:
		if err := g.notePlace(b.Choice); err != nil {
			return err
		}
	}
	for i, r := range g.starts(k) {
		d := g.rulesSay(r)
		switch {
		case d.Effect == policy.Deny:
			return g.Denied(d, r)
		case d.Effect != policy.Ask || !d.Written() || i == 0: // the place was asked about
			continue
		}
		rest()
		if err := g.agree(ctx, d, r); err != nil {
			return err
		}
	}
	return nil
}

// askPlace asks whether the task may work in a place that keeps it less apart than a
// machine would, since it can have none, or is not to have one; for a place that was chosen, or
// a machine, only what the rule is about that asks.
func (w *Ruling) askPlace(ctx context.Context, b Begin) error {
	g := w.g
	r := g.request(policy.StartRuntime)
	d := g.rulesSay(r)
	if why := b.Choice.Taken().Reason; why != runtimes.ReasonAsk {
		if d.Effect != policy.Ask || !d.Written() { // the rules are others by now; what they say comes next
			return nil
		}
		return g.agree(ctx, d, r)
	}
	taken := b.Choice.Taken()
	topic, place := runtimeTopic(taken), b.Choice.Kind
	if e := taken.Engine; e != nil {
		place += map[bool]string{true: rootless, false: ":root"}[e.Rootless]
	}
	rule, ok := g.RuleAbout(topic)
	if !ok { // what is said to the kind with every right is said to it with fewer
		rule, ok = g.RuleAbout(TopicRuntime + taken.Kind)
	}
	if !ok || d.Written() && rule.Task == "" {
		a, err := g.Ask(ctx, vmhost.Question{
			Task: g.id, Kind: vmhost.AskRuntime, Items: []string{}, Rule: d.Name(),
			Text: vmhost.Text{Code: "runtime-weaker", Params: map[string]any{"topic": topic, "runtime": b.Choice.Kind, "place": place, "required": b.Required}},
		}, nil)
		if err != nil {
			return err
		}
		rule.Answer = a.Answer
	} else if err := g.auditRule("", rule); err != nil {
		return problem.NotRecorded(err)
	}
	if rule.Answer != vmhost.AnswerAllow {
		return problem.New(problem.CodeDenied).By("runtime")
	}
	return nil
}

// agreement is what a person said yes to once: that rule, for that action on that subject.
type agreement struct {
	topic   string
	action  policy.Action
	subject string
}

// covers reports whether the yes is to what a rule asks of a request: a folder has what is in it.
func (a agreement) covers(b agreement) bool {
	if a.topic != b.topic || a.action != b.action {
		return false
	}
	return a.subject == b.subject || ofFiles(a.action) && strings.HasPrefix(b.subject, a.subject+"/")
}

func ofFiles(a policy.Action) bool {
	return a == policy.Read || a == policy.Write || a == policy.Delete
}

// agreementTo is a yes to what a rule asks of a request. Operations of a chore are the chore.
func (w *Ruling) agreementTo(d policy.Decision, r policy.Request) agreement {
	subject := r.Subject()
	if chore := w.g.last().Chore; chore != "" && r.Action == policy.Run && r.RunKind == string(task.KindTool) {
		subject = chore
	}
	if ofFiles(r.Action) {
		subject = policy.PathID(r.Path) // as rules spell it
	}
	return agreement{d.Topic(), r.Action, subject}
}

// agree asks a person what a written rule has asked. A yes is to this action on this subject while
// the task runs, or for the task, to all that the rule asks, until it is taken back.
func (w *Ruling) agree(ctx context.Context, d policy.Decision, r policy.Request) error {
	g := w.g
	if g.agreedTo(d, r) {
		return nil
	}
	name, topic := d.Name(), topicRule+d.Topic()
	once := false
	rule, ok := g.RuleAbout(topic)
	if !ok || rule.Task == "" {
		a, err := g.askAbout(ctx, vmhost.Question{
			Task: g.id, Kind: vmhost.AskRule, Items: []string{}, Rule: name,
			Text: vmhost.Text{Code: "rule-asks", Params: map[string]any{"topic": topic, "rule": d.Rule, "layer": string(d.Layer), "action": string(r.Action), "what": r.Subject()}},
		}, nil, r)
		if err != nil {
			return err
		}
		rule.Answer, once = a.Answer, a.Scope == vmhost.ScopeOnce
	}
	if rule.Answer != vmhost.AnswerAllow {
		return problem.New(problem.CodeDenied).By("rule").With("rule", d.Rule)
	}
	if once {
		g.Ruling.mu.Lock()
		defer g.Ruling.mu.Unlock()
		g.Ruling.agreed = append(g.Ruling.agreed, g.agreementTo(d, r))
	}
	return nil
}

// agreedTo reports whether a person said yes to what a rule asks of a request.
func (w *Ruling) agreedTo(d policy.Decision, r policy.Request) bool {
	g := w.g
	if rule, ok := g.RuleAbout(topicRule + d.Topic()); ok && rule.Task != "" && rule.Answer == vmhost.AnswerAllow {
		return true
	}
	wanted := g.agreementTo(d, r)
	g.Ruling.mu.Lock()
	defer g.Ruling.mu.Unlock()
	return slices.ContainsFunc(g.Ruling.agreed, func(a agreement) bool { return a.covers(wanted) })
}
