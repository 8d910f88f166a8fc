package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/mcpservers"
	"piwork/app/mcpservers/place"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/sessions"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/network"
	netpolicy "piwork/vmhost/network/policy"
	"piwork/vmhost/wire"
)

// rules writes the person's file.
func (w *world) rules(c *Controller, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(c.o.ConfigDir, policy.FileName), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Each kind of task, whoever asks for it, is refused before anything of it runs, and the
// record, the problem and the audit log name the rule.
func TestRulesBeforeTasks(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for name, x := range map[string]struct {
		rule string // {folder}
		r    tasks.StartRequest
		by   string // client
	}{
		"a program":         {`forbid (principal, action == Action::"run", resource == Program::"make");`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"/usr/bin/make"}}, ""},
		"a shell":           {`forbid (principal, action == Action::"run", resource == Program::"shell");`, tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}}, ""},
		"a chore":           {`forbid (principal, action == Action::"run", resource == Program::"pictures-to-pdf") when { resource.kind == "chore" };`, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf"}, ""},
		"an operation":      {`forbid (principal, action == Action::"run", resource) when { resource.kind == "tool" };`, tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos/1.jpg"}}}, ""},
		"the second folder": {`forbid (principal, action == Action::"write", resource in Path::"{folder}");`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}, ""},
		"inside a folder":   {`forbid (principal, action == Action::"read", resource in Path::"{folder}/secret");`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}, ""},
		"the place":         {`forbid (principal, action == Action::"startRuntime", resource == Runtime::"vm");`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}, ""},
		"a client":          {`forbid (principal in Client::"ci", action, resource);`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}, "ci@12345678"},
		"changes by kind":   {`forbid (principal, action == Action::"delete", resource) when { principal.kind == "exec" };`, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.open()
			wait := w.listen(c)
			first, second := w.pictures("1.jpg"), w.pictures("1.jpg")
			if x.r.Tool != nil {
				x.r.Tool.In = []string{"/folders/" + task.FolderName(filepath.Base(first), first, nil) + "/1.jpg"}
			}
			w.rules(c, "@id(\"no\") "+strings.ReplaceAll(x.rule, "{folder}", filepath.ToSlash(second)))
			x.r.Folders = []task.FolderRequest{{Path: first, Mode: task.ModeReadWrite}, {Path: second, Mode: task.ModeReadWrite}}
			ctx := t.Context()
			if x.by != "" {
				ctx = task.WithClient(ctx, x.by)
			}
			x.r.Detached, x.r.Accept = true, true
			made, err := c.StartTask(ctx, x.r)
			if err != nil {
				t.Fatal(err)
			}
			now := wait(made.ID, task.StateFailed)
			if now.Error == nil || now.Error.Code != problem.CodeRuleDenied || now.Error.Cause != "yours" || now.Error.Params["rule"] != "no" {
				t.Fatalf("%+v", now.Error)
			}
			if len(w.all()) != 0 {
				t.Error("a machine was made")
			}
			if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool {
				return r.Event == audit.EventDecision && r.Task == made.ID && r.Rule == "yours/no" && r.Answer == vmhost.AnswerDeny
			}) {
				t.Error("the audit log does not name the rule")
			}
			w.rules(c, "") // it is asked anew
			again, err := c.StartAgain(t.Context(), made.ID, tasks.AgainRequest{Detached: true})
			if x.r.StreamsRequest.Open {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if now := waitOver(t, c, again.ID); now.Error != nil && now.Error.Code == problem.CodeRuleDenied {
				t.Errorf("without the rule: %+v", now.Error)
			}
		})
	}
}

func waitOver(t *testing.T, c *Controller, id string) task.Task {
	t.Helper()
	if l := c.Live(id); l != nil {
		<-l.Done()
	}
	now, err := c.Task(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A rule with a condition on the place has a task work where it holds, and nowhere else.
func TestRulesChooseThePlace(t *testing.T) {
	const rule = `@id("only") forbid (principal, action == Action::"write", resource) unless { ["vm", "container"].contains(context.runtime) };`
	w := newPlaceWorld(t)
	w.noMachine()
	c := w.open()
	always := runtimes.Settings{Weaker: map[string]runtimes.Allowance{vmhost.KindSandbox: runtimes.AllowAlways}}
	if _, err := c.SetRuntimes(t.Context(), always); err != nil {
		t.Fatal(err)
	}
	w.rules(c, rule)
	dir := w.pictures("1.jpg")
	if now := w.run(c, tasks.StartRequest{Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}}, consent.AnswerRequest{}); now.State != task.StateFailed || len(w.made) != 0 {
		t.Errorf("%s %+v", now.State, now.Error)
	}
	named := w.run(c, tasks.StartRequest{Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}, MachineChoice: tasks.MachineChoice{Runtime: vmhost.KindSandbox}}, consent.AnswerRequest{})
	if named.Error == nil || named.Error.Code != problem.CodeRuleDenied || named.Error.Params["rule"] != "only" || named.Error.Params["action"] != "write" {
		t.Errorf("named: %+v", named.Error)
	}
	if now := w.run(c, tasks.StartRequest{Folders: []task.FolderRequest{{Path: dir}}}, consent.AnswerRequest{}); now.State != task.StateDone || now.Runtime != vmhost.KindSandbox {
		t.Errorf("read only: %s %s %+v", now.State, now.Runtime, now.Error)
	}
	// What a person allows always, a rule has asked about each time; a yes beforehand is none.
	w.rules(c, `@id("ask") @effect("ask") permit (principal, action == Action::"startRuntime", resource == Runtime::"sandbox");`)
	if now := w.run(c, tasks.StartRequest{Accept: true}, consent.AnswerRequest{Answer: vmhost.AnswerDeny}); now.Error == nil || now.Error.Code != problem.CodeDenied {
		t.Errorf("asked: %s %+v", now.State, now.Error)
	}
	x, err := c.ExplainRuntime(t.Context(), runtimes.Need{})
	if err != nil || !x.Ask {
		t.Errorf("%+v %v", x, err)
	}
	w.rules(c, `@id("never") forbid (principal, action == Action::"startRuntime", resource == Runtime::"sandbox");`)
	if x, err = c.ExplainRuntime(t.Context(), runtimes.Need{}); err != nil || x.Kind != "" || x.Verdicts[1].Reason != runtimes.ReasonRule || x.Verdicts[1].Rule != "yours/never" {
		t.Errorf("%+v %v", x, err)
	}
}

// A machine in the slow mode is emulated: for the list of kinds and for rules, whoever chose the
// mode, and also where that changed since the rules were asked.
func TestSlowModeIsEmulated(t *testing.T) {
	const rule = `@id("apart") forbid (principal, action == Action::"startRuntime", resource) unless { context.isolation == "hardware" };`
	slow := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: tasks.MachineChoice{Accel: tasks.AccelSlow}}
	fast := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	w := newWorld(t)
	c := w.open()
	w.rules(c, rule)
	run := func(r tasks.StartRequest, rule string) {
		t.Helper()
		before := len(w.all())
		now := waitOver(t, c, w.start(c, r).ID)
		switch {
		case rule == "" && now.State != task.StateDone:
			t.Errorf("%s %+v", now.State, now.Error)
		case rule != "" && (now.Error == nil || now.Error.Code != problem.CodeRuleDenied || now.Error.Params["rule"] != rule || len(w.all()) != before):
			t.Errorf("%s %+v, %d machines", now.State, now.Error, len(w.all())-before)
		}
	}
	isolation := func(want vmhost.Isolation) {
		t.Helper()
		all, err := c.Runtimes(t.Context())
		if err != nil || all[0].Kind != vmhost.KindVM || all[0].Isolation != want || all[0].Allowance != runtimes.AllowAlways {
			t.Errorf("%+v %v", all, err)
		}
	}
	isolation(vmhost.IsolationHardware)
	run(fast, "")
	run(slow, "apart")
	x, err := c.ExplainRuntime(t.Context(), runtimes.Need{Named: vmhost.KindVM, Slow: true})
	if err != nil || x.Kind != "" || x.Verdicts[0].Rule != "yours/apart" {
		t.Errorf("%+v %v", x, err)
	}
	if _, err := c.SetSlowMode(t.Context(), health.SlowMode{On: true}); err != nil {
		t.Fatal(err)
	}
	isolation(vmhost.IsolationEmulated)
	run(fast, "apart")

	// The mode was switched on between the rules and the proof.
	l := waitingTask(t, c, fast)
	if l.Gate().Place(vmhost.Capabilities{Name: vmhost.KindVM, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM}).Effect == policy.Deny {
		t.Error("hardware is refused")
	}
	if err := l.Gate().Begin(t.Context(), consent.Begin{Choice: runtimes.Choice{Kind: vmhost.KindVM}, Isolation: vmhost.IsolationEmulated}, func() {}); codeOf(err) != problem.CodeRuleDenied {
		t.Errorf("what was found out later counts not: %v", err)
	}
	w.rules(c, "")
	run(fast, "")
}

// A written rule that asks is answered by nobody beforehand, and by no older decision; a yes is
// for the task at most.
func TestRuleAsksAtTheStart(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	w.rules(c, `@id("first") @effect("ask") permit (principal, action == Action::"run", resource);`)
	for _, answer := range []string{vmhost.AnswerAllow, vmhost.AnswerDeny} {
		made := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Accept: true, Detached: true})
		q := openQuestionOf(t, c, made.ID)
		if q.Kind != vmhost.AskRule || q.Rule != "yours/first" || slices.Contains(q.Scopes, vmhost.ScopeAlways) || len(w.all()) != 0 && answer == vmhost.AnswerAllow {
			t.Fatalf("%+v", q)
		}
		if _, err := c.Answer(t.Context(), made.ID, q.ID, consent.AnswerRequest{Answer: answer}); err != nil {
			t.Fatal(err)
		}
		now := waitOver(t, c, made.ID)
		if ok := now.State == task.StateDone; ok != (answer == vmhost.AnswerAllow) {
			t.Errorf("%s: %s %+v", answer, now.State, now.Error)
		}
		if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool {
			return r.Task == made.ID && r.Rule == "yours/first" && r.Answer == answer && r.By == consent.ByPerson && r.Program == "true" && r.Mode == string(policy.Run)
		}) {
			t.Error("the audit log does not say which rule asked, and about what")
		}
	}
}

// A rule that asks about a machine, or about a place that was chosen, is asked as what it is: nothing
// says that there is no machine.
func TestRuleAsksAboutThePlace(t *testing.T) {
	w := newPlaceWorld(t)
	c := w.open()
	w.rules(c, `@id("where") @effect("ask") permit (principal, action == Action::"startRuntime", resource);`)
	for _, kind := range []string{vmhost.KindVM, vmhost.KindSandbox} {
		r := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true}
		if kind != vmhost.KindVM {
			r.Runtime = kind
		}
		made := w.start(c, r)
		q := openQuestionOf(t, c, made.ID)
		if q.Kind != vmhost.AskRule || q.Text.Code != "rule-asks" || q.Text.Params["what"] != kind || q.Rule != "yours/where" {
			t.Errorf("%s: it asks %+v", kind, q)
		}
		if _, err := c.Answer(t.Context(), made.ID, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow}); err != nil {
			t.Fatal(err)
		}
		if now := waitOver(t, c, made.ID); now.State != task.StateDone || now.Runtime != kind {
			t.Errorf("%s: %s in %s, %+v", kind, now.State, now.Runtime, now.Error)
		}
	}
}

func openQuestionOf(t *testing.T, c *Controller, id string) vmhost.Question {
	t.Helper()
	for range 30_000 {
		list, err := c.Questions(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list[0]
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing is asked")
	return vmhost.Question{}
}

// A faulty file refuses everything, says where, and no more when it is mended.
func TestFaultyRulesRefuse(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	w.rules(c, "permit (principal, action, resource);\npermit (principal,")
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true})
	now := waitOver(t, c, made.ID)
	if now.Error == nil || now.Error.Code != problem.CodeRuleDenied || now.Error.Cause != "fault" || now.Error.Params["line"] != float64(2) && now.Error.Params["line"] != 2 {
		t.Errorf("%+v", now.Error)
	}
	p, err := c.Policy(t.Context())
	if err != nil || p.Files[1].Fault == nil || p.Files[1].Fault.Line != 2 {
		t.Errorf("%+v %v", p.Files, err)
	}
	if _, err := c.SetPolicy(t.Context(), consent.PolicyText{Text: "permit"}); codeOf(err) != problem.CodePolicyFault {
		t.Error(err)
	}
	if p, err = c.SetPolicy(t.Context(), consent.PolicyText{Text: `@id("a") permit (principal, action, resource);`}); err != nil || p.Files[1].Fault != nil || p.Rules[0].ID != "a" {
		t.Errorf("%+v %v", p, err)
	}
	if now := waitOver(t, c, w.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true}).ID); now.State != task.StateDone {
		t.Errorf("%+v", now.Error)
	}
}

// Commands of an AI: each is asked about, those that nobody would be asked about, too.
func TestRulesAboutCommands(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	command := func(effects ...string) vmhost.Question {
		return vmhost.Question{ID: "c1", Kind: vmhost.AskCommand, Items: []string{}, Text: vmhost.Text{Code: "agent-command", Params: map[string]any{"command": "x", "effects": effects}}}
	}
	for name, x := range map[string]struct {
		rule, effect string
		accept       bool
		want         string // answer without a person; "" is asked
	}{
		"as usual":           {"", "delete", false, ""},
		"nothing risky":      {"", "write", false, "allow"},
		"beforehand":         {"", "delete", true, "allow"},
		"allowed":            {`permit (principal in Agent::"pi", action == Action::"run", resource) when { context.effects.contains("delete") };`, "delete", false, "allow"},
		"refused":            {`forbid (principal, action == Action::"run", resource) when { resource.kind == "command" && context.effects.contains("network") };`, "network", true, "deny"},
		"refused, no risk":   {`forbid (principal, action == Action::"run", resource) when { resource.kind == "command" };`, "write", false, "deny"},
		"asked, no risk":     {`@effect("ask") permit (principal, action == Action::"run", resource) when { resource.kind == "command" };`, "write", true, ""},
		"asked, not by risk": {`@effect("ask") permit (principal, action == Action::"run", resource) when { resource.kind == "command" };`, "delete", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w.rules(c, x.rule)
			l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI, Accept: x.accept})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan vmhost.Decision, 1)
			go func() {
				d, _ := l.Gate().AskAgent(ctx, command(x.effect))
				done <- d
			}()
			if x.want == "" {
				q := openQuestionOf(t, c, l.ID())
				if (x.rule != "") != (q.Rule == "yours/line-1") {
					t.Errorf("%+v", q)
				}
				return
			}
			if d := <-done; d.Answer != x.want {
				t.Errorf("%+v", d)
			}
		})
	}
	w.rules(c, `forbid (principal, action == Action::"run", resource) when { resource.kind == "command" };`)
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
	if d, said, err := l.Gate().Command("c2", nil); err != nil || !said || d.Answer != vmhost.AnswerDeny || d.Rule != "yours/line-1" {
		t.Errorf("a command that only reads: %+v %v %v", d, said, err)
	}
	if err := l.Gate().Acts(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/bash", "-c", "ls"}}}); codeOf(err) != problem.CodeRuleDenied {
		t.Errorf("where it is executed: %v", err)
	}
}

// Programs in sessions, and what other programs do in a task, are asked about.
func TestRulesInTasks(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Detached: true})
	if _, err := c.CreateSession(t.Context(), made.ID, sessions.Request{Argv: []string{"sleep", "300"}}); err != nil {
		t.Fatal(err)
	}
	w.rules(c, `@id("no") forbid (principal, action == Action::"run", resource == Program::"nc") when { resource.kind == "session" };`)
	s, err := c.CreateSession(t.Context(), made.ID, sessions.Request{Argv: []string{"nc", "-l"}})
	if err == nil {
		for range 10_000 { // it ends with what refused it
			if s, err = c.Session(t.Context(), s.ID); err != nil || s.State != sessions.StateRunning {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if s.State == sessions.StateRunning {
			t.Errorf("it runs: %+v", s)
		}
	}
	if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Task == made.ID && r.Rule == "yours/no" }) {
		t.Error("the audit log does not name the rule")
	}
	// A folder that comes later.
	dir := w.pictures("1.jpg")
	w.rules(c, `@id("here") forbid (principal, action == Action::"read", resource in Path::"`+filepath.ToSlash(dir)+`");`)
	if _, err := c.AddFolder(t.Context(), made.ID, task.FolderRequest{Path: dir}); codeOf(err) != problem.CodeRuleDenied {
		t.Errorf("a folder: %v", err)
	}
}

// What a rule of the person refuses to an AI is proposed once, bounded for each task; accepted
// it holds in tasks that run, refused it does not come again.
func TestProposals(t *testing.T) {
	tier.Unraced(t)
	w := newWorld(t)
	c := w.open()
	w.rules(c, `@id("no") forbid (principal, action == Action::"connect", resource in Host::"example");`+"\n"+`@id("files") forbid (principal, action == Action::"delete", resource);`)
	refuse := func(g *consent.Gate, host string) {
		t.Helper()
		q := vmhost.Question{ID: "n", Kind: vmhost.AskNetwork, Items: []string{}, Text: vmhost.Text{Code: "network", Params: map[string]any{"host": host, "port": 443}}}
		if d, said, err := g.Unasked(q, "network/"+host); err != nil || !said || d.Answer != vmhost.AnswerDeny {
			t.Errorf("%s: %+v %v %v", host, d, said, err)
		}
	}
	list := func() []policy.Proposal {
		t.Helper()
		all, err := c.Proposals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	of := func(host string) string {
		t.Helper()
		for _, p := range list() {
			if p.About.Host == host {
				return p.ID
			}
		}
		t.Fatalf("no proposal for %s", host)
		return ""
	}
	g := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI}).Gate()
	refuse(g, "a.example")
	refuse(g, "a.example")
	refuse(g, "b.example")
	refuse(g, "c.example")
	if all := list(); len(all) != 3 || all[0].Rule != "no" || all[0].Then != policy.Ask || all[0].About.Agent != "pi" {
		t.Fatalf("%+v", all)
	}
	if got, _ := g.Over()(netpolicy.Target{Name: "a.example", Port: 443}); got != netpolicy.Refuse {
		t.Error("it holds before anybody said yes")
	}
	if _, err := c.AcceptProposal(t.Context(), "none", consent.Acceptance{}); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	p, err := c.AcceptProposal(t.Context(), of("a.example"), consent.Acceptance{})
	if err != nil || len(p.Rules) < 2 || !strings.Contains(p.Rules[0].Cedar, "a.example") || p.Rules[1].ID != "files" {
		t.Fatalf("%+v %v", p, err)
	}
	if got, said := g.Over()(netpolicy.Target{Name: "a.example", Port: 443}); said {
		t.Errorf("accepted: %v", got)
	}
	if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Topic == "policy/proposal" && r.Rule == "yours/no" }) {
		t.Error("the audit log does not say who changed the rule")
	}
	if _, err := c.AcceptProposal(t.Context(), of("b.example"), consent.Acceptance{}); err != nil { // made anew for the rule as it is
		t.Error(err)
	}
	if err := c.DropProposal(t.Context(), of("c.example")); err != nil {
		t.Fatal(err)
	}
	refuse(waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI}).Gate(), "c.example")
	if all := list(); len(all) != 0 {
		t.Errorf("refused, it came again: %+v", all)
	}
	// A flood of one task, and what nobody proposes to: programs that are no AI.
	for i := range 200 {
		refuse(g, "h"+strconv.Itoa(i)+".example")
	}
	if n := len(list()); n != 10 {
		t.Errorf("%d proposals of one task", n)
	}
	refuse(waitingTask(t, c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).Gate(), "x.example")
	if n := len(list()); n != 10 {
		t.Errorf("%d proposals with one of a command", n)
	}
	// The rule is another one: nothing is written, and the proposal is gone.
	id := of("h0.example")
	w.rules(c, `@id("no") forbid (principal, action, resource);`)
	if _, err := c.AcceptProposal(t.Context(), id, consent.Acceptance{}); codeOf(err) != problem.CodePolicyChanged {
		t.Error(err)
	}
	if text, _ := c.Text(); text != `@id("no") forbid (principal, action, resource);` || len(list()) != 9 {
		t.Errorf("%q, %d proposals", text, len(list()))
	}
}

// An accepted proposal holds as long as the person said, stands among the grants, and is taken
// back: by nobody's hand but theirs where theirs changed it.
func TestExceptions(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	rules := `@id("no") forbid (principal, action == Action::"connect", resource in Host::"example");` + "\n// mine\n"
	w.rules(c, rules)
	g, other := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI}).Gate(), waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI}).Gate()
	says := func(g *consent.Gate, host string) bool {
		_, said := g.Over()(netpolicy.Target{Name: host, Port: 443})
		return said
	}
	for _, host := range []string{"a.example", "b.example"} {
		q := vmhost.Question{ID: "n", Kind: vmhost.AskNetwork, Items: []string{}, Text: vmhost.Text{Code: "network", Params: map[string]any{"host": host, "port": 443}}}
		if _, _, err := g.Unasked(q, "network/"+host); err != nil {
			t.Fatal(err)
		}
	}
	list, err := c.Proposals(t.Context())
	if err != nil || len(list) != 2 || list[0].Careful != policy.HoldTask {
		t.Fatalf("%+v %v", list, err)
	}
	all := func(want int) []policy.RuleException {
		t.Helper()
		all, err := c.Exceptions(t.Context())
		if err != nil || len(all) != want {
			t.Fatalf("%+v %v", all, err)
		}
		return all
	}
	all(0)
	if _, err := c.AcceptProposal(t.Context(), list[0].ID, consent.Acceptance{}); err != nil {
		t.Fatal(err)
	}
	if x := all(1)[0]; x.Task == "" || x.Until != nil || says(g, "a.example") || !says(other, "a.example") {
		t.Errorf("%+v, this task %v, another %v", x, says(g, "a.example"), says(other, "a.example"))
	}
	if _, err := c.AcceptProposal(t.Context(), list[1].ID, consent.Acceptance{Holds: policy.HoldDay}); err != nil {
		t.Fatal(err)
	}
	x := all(2)[1]
	if x.Task != "" || x.Until == nil || says(other, "b.example") {
		t.Errorf("%+v", x)
	}
	if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Topic == "policy/proposal" && r.Mode == "day" }) {
		t.Error("the audit log does not say for how long")
	}
	// A hand is quicker: nothing is written, and the person hears where.
	text, err := c.Text()
	if err != nil {
		t.Fatal(err)
	}
	mine := strings.Replace(text, "b.example", "c.example", 1)
	w.rules(c, mine)
	err = c.RemoveException(t.Context(), x.ID)
	if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeExceptionChanged || p.Params["path"] != filepath.Join(c.o.ConfigDir, policy.FileName) {
		t.Errorf("%+v", err)
	}
	edited := all(2)[1]
	if edited.ID == x.ID {
		t.Errorf("%+v", edited)
	}
	w.rules(c, strings.Replace(text, "context.now < datetime", "context.now  < datetime", 1))
	if err := c.RemoveException(t.Context(), all(2)[1].ID); codeOf(err) != problem.CodeExceptionChanged || !all(2)[1].Edited {
		t.Error(err)
	}
	w.rules(c, text)
	for _, x := range all(2) {
		if err := c.RemoveException(t.Context(), x.ID); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := c.Text(); err != nil || now != rules || !says(g, "a.example") || !says(other, "b.example") {
		t.Errorf("%q %v", now, err)
	}
	all(0)
	if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool {
		return r.Topic == "policy/exception" && r.Answer == "revoked" && r.Rule == "yours/no"
	}) {
		t.Error("the audit log does not say who took it back")
	}
}

// aFarHost is what every name leads to, and an end of each connection that is made to it.
type aFarHost struct{ ends chan net.Conn }

// LookupNetIP implements network.Resolver.
func (aFarHost) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

func (f aFarHost) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	f.ends <- far
	return near, nil
}

// A connection ends with the exception that let it through, whoever wrote that. What has ended
// does not hold again when the clock is set back.
func TestConnectionsEndWithExceptions(t *testing.T) {
	const rule = `@id("no") forbid (principal, action == Action::"connect", resource in Host::"example")`
	for name, byHand := range map[string]bool{"as piwork writes it": false, "by hand": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.open()
			w.rules(c, rule+";")
			l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
			g := l.Gate()
			if byHand {
				w.rules(c, rule+` unless { context.now < datetime("`+c.now().UTC().Add(time.Hour).Format(time.RFC3339)+`") };`)
			} else {
				q := vmhost.Question{ID: "n", Kind: vmhost.AskNetwork, Items: []string{}, Text: vmhost.Text{Code: "network", Params: map[string]any{"host": "a.example", "port": 443}}}
				if _, _, err := g.Unasked(q, "network/a.example"); err != nil {
					t.Fatal(err)
				}
				list, err := c.Proposals(t.Context())
				if err != nil || len(list) != 1 {
					t.Fatal(list, err)
				}
				if _, err := c.AcceptProposal(t.Context(), list[0].ID, consent.Acceptance{Holds: policy.HoldHour}); err != nil {
					t.Fatal(err)
				}
			}
			far := aFarHost{make(chan net.Conn, 1)}
			n, err := network.New(network.Config{Task: l.ID(), Policy: vmhost.NetworkAllow, Over: g.Over(), Resolver: far, Dial: far.dial})
			if err != nil {
				t.Fatal(err)
			}
			g.SetNetwork(n)
			conn, err := n.Dial(t.Context(), "tcp", "a.example:443")
			if err != nil {
				t.Fatal(err)
			}
			end := <-far.ends
			go func() { _, _ = end.Write([]byte("x")) }()
			if _, err := conn.Read(make([]byte, 1)); err != nil {
				t.Fatalf("%v", err)
			}
			w.ahead.Store(int64(time.Hour + time.Second))
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the connection goes on: %v", err)
			}
			ended := func(r audit.Record) bool {
				return r.Topic == "policy/exception" && r.Answer == "expired" && r.Rule == "yours/no"
			}
			for began := time.Now(); !byHand && !slices.ContainsFunc(w.audit(c), ended); time.Sleep(10 * time.Millisecond) { // the connection may end a turn before that is seen
				if time.Since(began) > time.Minute {
					t.Fatal("the audit log does not say that it ended")
				}
			}
			w.ahead.Store(0)
			if d, said := g.Over()(netpolicy.Target{Name: "a.example", Port: 443}); !byHand && (!said || d != netpolicy.Refuse) {
				t.Errorf("it holds again: %v %v", d, said)
			}
			if all, err := c.Exceptions(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("%+v %v", all, err)
			}
			_ = conn.Close()
			_ = n.Close()
		})
	}
}

// A connection to an MCP server ends with a rule that refuses it.
func TestConnectionsOfServersEndWithRules(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	far := aFarHost{make(chan net.Conn, 1)}
	c.s.network = func(given network.Config) (*network.Network, error) {
		given.Resolver, given.Dial = far, far.dial
		return network.New(given)
	}
	places := place.New(place.Options{Consent: c.Consent, Kinds: tasks.Kinds{Network: c.newNetwork}, Audit: c.audit, Log: c.log})
	out, err := places.Outlet(mcpservers.Program{Server: "notes"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := out.Dial(t.Context(), "tcp", "a.example:443")
	if err != nil {
		t.Fatal(err)
	}
	end := <-far.ends
	for _, rule := range []string{"b.example", "a.example"} {
		if _, err := c.SetPolicy(t.Context(), consent.PolicyText{Text: `forbid (principal, action == Action::"connect", resource in Host::"` + rule + `");`}); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = end.Write([]byte("x")) }() // until the connection ends
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	for err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection goes on")
	}
	_ = conn.Close()
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}

// Connections: rules over those of the network, whatever the network of a task is.
func TestRulesAboutHosts(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	w.rules(c, `
@id("deny") forbid (principal, action == Action::"connect", resource in Host::"bad.example");
@id("ask") @effect("ask") permit (principal, action == Action::"connect", resource in Host::"ask.example");
@id("allow") permit (principal, action == Action::"connect", resource in Host::"good.example");
@id("all") permit (principal, action == Action::"connect", resource) when { resource has ip };
`)
	for _, host := range []string{"bad.example", "ask.example"} { // that were allowed always
		if _, err := c.rules.Add(approval.Rule{Topic: "network/" + host, Answer: vmhost.AnswerAllow}); err != nil {
			t.Fatal(err)
		}
	}
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
	g := l.Gate()
	decide := func(p vmhost.NetworkPolicy, host string, port uint16) string {
		target := netpolicy.Target{Name: host, Port: port}
		if strings.ContainsAny(host, ":") || host[0] >= '0' && host[0] <= '9' {
			target = netpolicy.Target{Addr: netip.MustParseAddr(host), Port: port}
		}
		return netpolicy.Set{Policy: p, Rules: g.NetworkRules(), Over: g.Over()}.Decide(target).Answer.String()
	}
	for _, x := range []struct {
		network vmhost.NetworkPolicy
		host    string
		port    uint16
		want    string
	}{
		{vmhost.NetworkRestricted, "bad.example", 443, "refuse"}, {vmhost.NetworkAllow, "www.bad.example", 443, "refuse"},
		{vmhost.NetworkRestricted, "ask.example", 443, "ask"}, {vmhost.NetworkAllow, "ask.example", 443, "ask"},
		{vmhost.NetworkRestricted, "good.example", 443, "allow"}, {vmhost.NetworkDeny, "good.example", 443, "refuse"},
		{vmhost.NetworkRestricted, "other.example", 443, "ask"},
		{vmhost.NetworkAllow, "good.example", 25, "refuse"},                                                                // the house's own limits stay
		{vmhost.NetworkRestricted, "127.0.0.1", 80, "refuse"}, {vmhost.NetworkRestricted, "169.254.169.254", 80, "refuse"}, // whatever a rule permits
		{vmhost.NetworkRestricted, "1.1.1.1", 443, "allow"},
	} {
		if got := decide(x.network, x.host, x.port); got != x.want {
			t.Errorf("%s %s:%d: %s, want %s", x.network, x.host, x.port, got, x.want)
		}
	}
	if err := g.AllowHosts([]string{"ask.example"}); err != nil {
		t.Fatal(err)
	}
	if got := decide(vmhost.NetworkRestricted, "ask.example", 443); got != "ask" {
		t.Errorf("after a yes beforehand: %s", got)
	}
	if _, err := c.rules.Add(approval.Rule{Task: l.ID(), Topic: "network/ask.example", Answer: vmhost.AnswerAllow}); err != nil {
		t.Fatal(err)
	}
	if got := decide(vmhost.NetworkRestricted, "ask.example", 443); got != "allow" {
		t.Errorf("after a yes for the task: %s", got)
	}
}

// Changes in folders: through the guard, each of them.
func TestRulesAboutChanges(t *testing.T) {
	d := newDeleter(t)
	dir := d.pictures("1.jpg", "2.jpg")
	d.rules(d.c, `@id("keep") forbid (principal, action == Action::"delete", resource in Path::"`+filepath.ToSlash(dir)+`/00.jpg");`)
	made := d.delete(dir, 3, true)
	now := waitOver(t, d.c, made.ID)
	if now.ExitCode == nil || *now.ExitCode != 1 { // the one of the rule, although five may be deleted
		t.Errorf("%+v %v", now.Error, now.ExitCode)
	}
	if !slices.ContainsFunc(d.audit(d.c), func(r audit.Record) bool {
		return r.Task == made.ID && r.Rule == "yours/keep" && r.Answer == vmhost.AnswerDeny
	}) {
		t.Error("the audit log does not name the rule")
	}
	// A rule that asks about a few, and one that allows what would be asked about.
	d.rules(d.c, `@id("ask") @effect("ask") permit (principal, action == Action::"delete", resource) when { resource.name like "0*" };`)
	made = d.delete(dir, 1, true)
	q := d.question(made.ID)
	if q.Rule != "yours/ask" || slices.Contains(q.Scopes, vmhost.ScopeAlways) || slices.Contains(q.Scopes, vmhost.ScopeFolder) {
		t.Errorf("%+v", q)
	}
	d.say(made.ID, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny})
	if now := waitOver(t, d.c, made.ID); now.ExitCode == nil || *now.ExitCode != 1 {
		t.Errorf("%+v", now)
	}
	d.rules(d.c, `@id("many") permit (principal, action == Action::"delete", resource in Path::"`+filepath.ToSlash(dir)+`");`)
	if now := waitOver(t, d.c, d.delete(dir, 30, false).ID); now.ExitCode == nil || *now.ExitCode != 0 {
		t.Errorf("allowed: %+v", now)
	}
}

// What was decided ends when it is said to, also in tasks that run.
func TestDecisionsEnd(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	r, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "a.example", Answer: vmhost.AnswerAllow})
	if err != nil {
		t.Fatal(err)
	}
	past, soon := c.now().Add(-time.Second), c.now().Add(time.Hour)
	if _, err := c.SetRuleEnd(t.Context(), r.ID, consent.RuleEnd{Expires: &past}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	if _, err := c.SetRuleEnd(t.Context(), "none", consent.RuleEnd{Expires: &soon}); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	if r, err = c.SetRuleEnd(t.Context(), r.ID, consent.RuleEnd{Expires: &soon}); err != nil || r.Expires == nil {
		t.Fatal(r, err)
	}
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
	if len(l.Gate().NetworkRules()) != 1 {
		t.Error("it does not hold yet")
	}
	w.ahead.Store(int64(2 * time.Hour))
	if len(l.Gate().NetworkRules()) != 0 || len(c.rules.All()) != 0 {
		t.Error("it holds still")
	}
	if gone, err := c.rules.Ended(); err == nil && len(gone) == 0 { // unless the watch was first
		if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Topic == "network/a.example" && r.Answer == "expired" }) {
			t.Error("the audit log does not say so")
		}
	}
	if by, err := c.AddNetworkRule(task.WithClient(t.Context(), "nightly"), consent.NetworkRuleRequest{Host: "b.example", Answer: vmhost.AnswerAllow}); err != nil || by.Client != "nightly" || r.Client != "" {
		t.Errorf("a program decided as %q %v, a person as %q", by.Client, err, r.Client)
	}
}

// What was allowed is made to hold for less, at once also in tasks that run; nothing makes it
// hold for more.
func TestDecisionsNarrow(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI})
	add := func(r approval.Rule) string {
		t.Helper()
		r, err := c.rules.Add(r)
		if err != nil {
			t.Fatal(err)
		}
		return r.ID
	}
	const yes, no = vmhost.AnswerAllow, vmhost.AnswerDeny
	for name, x := range map[string]struct {
		was  approval.Rule
		to   consent.RuleScope
		want approval.Rule // "" is refused
	}{
		"a folder":               {approval.Rule{Topic: "hidden", Answer: yes}, consent.RuleScope{Folder: "/a/../b"}, approval.Rule{Topic: "hidden", Folder: "/b"}},
		"a task":                 {approval.Rule{Topic: "git", Answer: yes}, consent.RuleScope{Task: l.ID()}, approval.Rule{Topic: "git", Task: l.ID()}},
		"a host":                 {approval.Rule{Topic: "network/*.a.example", Answer: yes}, consent.RuleScope{Host: "X.a.example"}, approval.Rule{Topic: "network/x.a.example"}},
		"a port of the web":      {approval.Rule{Topic: "network/p.example", Answer: yes}, consent.RuleScope{Host: "p.example:443"}, approval.Rule{Topic: "network/p.example:443"}},
		"one of a group":         {approval.Rule{Topic: "network/preset/npm", Answer: yes}, consent.RuleScope{Host: "registry.npmjs.org"}, approval.Rule{Topic: "network/registry.npmjs.org"}},
		"a range":                {approval.Rule{Topic: "network/192.0.2.0/24", Answer: yes}, consent.RuleScope{Host: "192.0.2.7"}, approval.Rule{Topic: "network/192.0.2.7"}},
		"another host":           {approval.Rule{Topic: "network/*.b.example", Answer: yes}, consent.RuleScope{Host: "b.example"}, approval.Rule{}},
		"a host that ends alike": {approval.Rule{Topic: "network/*.b2.example", Answer: yes}, consent.RuleScope{Host: "xb2.example"}, approval.Rule{}},
		"the same host":          {approval.Rule{Topic: "network/c.example", Answer: yes}, consent.RuleScope{Host: "c.example"}, approval.Rule{}},
		"all below it":           {approval.Rule{Topic: "network/d.example", Answer: yes}, consent.RuleScope{Host: "*.d.example"}, approval.Rule{}},
		"another port":           {approval.Rule{Topic: "network/e.example", Answer: yes}, consent.RuleScope{Host: "e.example:25"}, approval.Rule{}},
		"all ports":              {approval.Rule{Topic: "network/f.example", Answer: yes}, consent.RuleScope{Host: "f.example:*"}, approval.Rule{}},
		"a wider range":          {approval.Rule{Topic: "network/198.51.100.0/24", Answer: yes}, consent.RuleScope{Host: "198.51.0.0/16"}, approval.Rule{}},
		"a range for a name":     {approval.Rule{Topic: "network/*.g.example", Answer: yes}, consent.RuleScope{Host: "0.0.0.0/0"}, approval.Rule{}},
		"one of no group":        {approval.Rule{Topic: "network/preset/python", Answer: yes}, consent.RuleScope{Host: "evil.example"}, approval.Rule{}},
		"a host of files":        {approval.Rule{Topic: "programs", Answer: yes}, consent.RuleScope{Host: "programs"}, approval.Rule{}},
		"a folder of a host":     {approval.Rule{Topic: "network/h.example", Answer: yes}, consent.RuleScope{Folder: "/a"}, approval.Rule{}},
		"a folder of commands":   {approval.Rule{Topic: "command", Answer: yes}, consent.RuleScope{Folder: "/a"}, approval.Rule{}},
		"another folder":         {approval.Rule{Topic: "startup", Folder: "/a", Answer: yes}, consent.RuleScope{Folder: "/"}, approval.Rule{}},
		"a relative folder":      {approval.Rule{Topic: "startup", Answer: yes}, consent.RuleScope{Folder: "a"}, approval.Rule{}},
		"another task":           {approval.Rule{Topic: "change", Task: "t2", Answer: yes}, consent.RuleScope{Task: l.ID()}, approval.Rule{}},
		"no task":                {approval.Rule{Topic: "change", Answer: yes}, consent.RuleScope{Task: "none"}, approval.Rule{}},
		"a no":                   {approval.Rule{Topic: "delete", Answer: no}, consent.RuleScope{Folder: "/a"}, approval.Rule{}},
		"two at once":            {approval.Rule{Topic: "delete", Answer: yes}, consent.RuleScope{Folder: "/a", Task: l.ID()}, approval.Rule{}},
		"nothing":                {approval.Rule{Topic: "delete", Answer: yes}, consent.RuleScope{}, approval.Rule{}},
	} {
		id := add(x.was)
		got, err := c.NarrowRule(t.Context(), id, x.to)
		if x.want.Topic == "" {
			if err == nil {
				t.Errorf("%s: %+v", name, got)
			}
		} else if err != nil || got.ID != id || got.Topic != x.want.Topic || got.Folder != x.want.Folder || got.Task != x.want.Task || got.Answer != yes {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if err := c.RemoveRule(t.Context(), id); err != nil {
			t.Error(name, err)
		}
	}
	if _, err := c.NarrowRule(t.Context(), "none", consent.RuleScope{Folder: "/a"}); codeOf(err) != problem.CodeNotFound {
		t.Error(err)
	}
	for _, topic := range []string{"hidden", "network/*.q.example", "network/preset/npm", "network/one.example", "command", "server/a/b/c"} {
		add(approval.Rule{Topic: topic, Answer: yes})
	}
	listed, err := c.Rules(t.Context())
	narrows := make([]string, len(listed))
	for i, r := range listed {
		narrows[i] = r.Narrows
	}
	if err != nil || !slices.Equal(narrows, []string{"folder", "host", "host", "", "", ""}) {
		t.Errorf("%q %v", narrows, err)
	}
	for _, r := range listed {
		if err := c.RemoveRule(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	// What is said about the folder already stays.
	wide := add(approval.Rule{Topic: "hidden", Answer: yes})
	add(approval.Rule{Topic: "hidden", Folder: "/a", Answer: no})
	if _, err := c.NarrowRule(t.Context(), wide, consent.RuleScope{Folder: "/a"}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	// Of several at the same moment one is done, and no other is silently in its place.
	for range 20 {
		id := add(approval.Rule{Topic: "startup", Answer: yes})
		scopes := []consent.RuleScope{{Folder: "/a"}, {Folder: "/b"}, {Folder: "/c"}, {Folder: "/d"}}
		got := make([]approval.Rule, len(scopes))
		errs := make([]error, len(scopes))
		var all sync.WaitGroup
		for i, to := range scopes {
			all.Go(func() { got[i], errs[i] = c.NarrowRule(t.Context(), id, to) })
		}
		all.Wait()
		now, err := c.Rule(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for i, err := range errs {
			switch code := codeOf(err); {
			case err == nil && (got[i].Task != now.Task || got[i].Folder != now.Folder):
				t.Errorf("%+v was answered, it is %+v", got[i], now)
			case err == nil:
				done++
			case code != problem.CodeChanged && code != problem.CodeBadRequest:
				t.Error(err)
			}
		}
		if done != 1 {
			t.Errorf("%d of them were done", done)
		}
		if err := c.RemoveRule(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	// A task that runs has no more than that at once, and the file neither.
	decide := func(host string) string {
		return netpolicy.Set{Policy: vmhost.NetworkRestricted, Rules: l.Gate().NetworkRules()}.Decide(netpolicy.Target{Name: host, Port: 443}).Answer.String()
	}
	id := add(approval.Rule{Topic: "network/*.z.example", Answer: yes})
	if _, err := c.NarrowRule(t.Context(), id, consent.RuleScope{Host: "y.z.example"}); err != nil || decide("y.z.example") != "allow" || decide("x.z.example") != "ask" {
		t.Errorf("%v %s %s", err, decide("y.z.example"), decide("x.z.example"))
	}
	if _, err := c.NarrowRule(t.Context(), id, consent.RuleScope{Task: l.ID()}); err != nil || decide("y.z.example") != "allow" {
		t.Error(err)
	}
	data, err := os.ReadFile(filepath.Join(c.o.ConfigDir, consent.RulesName))
	if err != nil || strings.Contains(string(data), "z.example") {
		t.Errorf("%s %v", data, err)
	}
	if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Topic == "network/y.z.example" && r.Mode == "narrowed" }) {
		t.Error("the audit log does not say so")
	}
}

// A program beside a task, an MCP server, has no way around the rules: where it works, what it
// reads, whom it reaches, and each call of it.
func TestRulesAboutServers(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	dir := w.pictures("1.jpg")
	w.rules(c, `
@id("run") forbid (principal, action == Action::"run", resource == Program::"evil");
@id("read") forbid (principal in Agent::"pi", action == Action::"read", resource in Path::"`+filepath.ToSlash(dir)+`");
@id("host") @effect("ask") permit (principal, action == Action::"connect", resource in Host::"a.example");
@id("call") forbid (principal, action == Action::"run", resource == Program::"notes/delete");
`)
	machine := vmhost.Capabilities{Name: vmhost.KindVM, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM}
	folder := []task.Folder{{ID: "f1", Path: dir, Mode: task.ModeReadOnly}}
	for name, x := range map[string]struct {
		a    *consent.Apart
		want string
	}{
		"a good one":          {c.Apart("notes", "t", "", approval.Who{}, task.NetworkOff, nil), "default/work-in-a-machine"},
		"itself":              {c.Apart("evil", "t", "", approval.Who{}, task.NetworkOff, nil), "yours/run"},
		"its folder":          {c.Apart("notes", "t", "", approval.Who{}, task.NetworkOff, folder), "yours/read"},
		"its folder, no task": {c.Apart("notes", "", "", approval.Who{}, task.NetworkOff, folder), "default/work-in-a-machine"},
	} {
		if d := x.a.Place(machine); d.Name() != x.want {
			t.Errorf("%s: %+v", name, d)
		}
	}
	a := c.Apart("notes", "t", "", approval.Who{}, task.NetworkRestricted, nil)
	for host, refused := range map[string]bool{"a.example": true, "b.a.example": true, "b.example": false} {
		if answer, ok := a.Over(netpolicy.Target{Name: host, Port: 443}); ok != refused || answer != netpolicy.Refuse {
			t.Errorf("%s: %v %v", host, answer, ok)
		}
	}
	g := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI}).Gate()
	for tool, want := range map[string]string{"delete": vmhost.AnswerDeny, "search": ""} {
		q := vmhost.Question{ID: "c", Kind: vmhost.AskServer, Items: []string{}, Text: vmhost.Text{Code: "server-call", Params: map[string]any{"server": "notes", "tool": tool}}}
		if d, said, err := g.Unasked(q, "server/notes/"+tool); err != nil || said != (want != "") || d.Answer != want {
			t.Errorf("%s: %+v %v %v", tool, d, said, err)
		}
	}
	// One that is reached at an address works nowhere, and is held to them, too.
	var came atomic.Int64
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Add(1) }))
	t.Cleanup(far.Close)
	for name, reached := range map[string]bool{"evil": false, "far": false, "near": true} {
		if name != "near" {
			w.rules(c, `
@id("run") forbid (principal, action == Action::"run", resource == Program::"evil");
@id("host") forbid (principal, action == Action::"connect", resource in Host::"127.0.0.1");
`)
		} else {
			w.rules(c, "")
		}
		if _, err := c.AddMCPServer(t.Context(), mcpservers.Addition{Name: name, URL: far.URL + "/mcp"}); err != nil {
			t.Fatal(err)
		}
		before := came.Load()
		_, err := c.CheckMCPServer(t.Context(), name)
		if p, is := errors.AsType[*problem.Problem](err); !is || (p.Code == problem.CodeRuleDenied) != (name == "evil") || (came.Load() > before) != reached {
			t.Errorf("%s: %+v, reached %d times", name, err, came.Load()-before)
		}
	}
}

// A person who is asked about a folder may cancel the task instead: then it takes no folders.
func TestATaskEndsWhileItsFolderIsAskedFor(t *testing.T) {
	w, _ := sessionWorld(t)
	c := w.open()
	made := w.start(c, tasks.StartRequest{Kind: task.KindExec, StreamsRequest: tasks.StreamsRequest{Open: true}, Detached: true})
	if _, err := c.CreateSession(t.Context(), made.ID, sessions.Request{Argv: []string{"sleep", "300"}}); err != nil {
		t.Fatal(err)
	}
	dir := w.pictures("1.jpg")
	w.rules(c, `@effect("ask") permit (principal, action == Action::"read", resource in Path::"`+filepath.ToSlash(dir)+`");`)
	added := make(chan error, 1)
	go func() {
		_, err := c.AddFolder(t.Context(), made.ID, task.FolderRequest{Path: dir})
		added <- err
	}()
	openQuestionOf(t, c, made.ID)
	if _, err := c.CancelTask(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	wants(t, "the folder", <-added, problem.CodeFoldersFixed, "over")
}
