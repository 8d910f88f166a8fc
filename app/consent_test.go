package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
)

// An answer to a question with choices or input has to be one, reaches no further
// than once, and a yes beforehand answers none.
func TestOpenQuestions(t *testing.T) {
	choices := vmhost.Question{Kind: vmhost.AskCommand, Items: []string{}, Choices: []vmhost.Choice{{Label: "a"}, {Label: "b"}}, Text: vmhost.Text{Code: "agent-select"}}
	input := vmhost.Question{Kind: vmhost.AskCommand, Items: []string{}, Input: true, Text: vmhost.Text{Code: "agent-input"}}
	yesno := vmhost.Question{Kind: vmhost.AskCommand, Items: []string{}, Text: vmhost.Text{Code: "agent-confirm"}}
	for name, tt := range map[string]struct {
		q      vmhost.Question
		a      consent.AnswerRequest
		choice int // negative is none
		text   string
		bad    string // field
	}{
		"one of them":       {choices, consent.AnswerRequest{Answer: "allow", Choice: new(1)}, 1, "", ""},
		"for longer":        {choices, consent.AnswerRequest{Answer: "allow", Choice: new(0), Scope: "always"}, 0, "", ""},
		"with a text":       {choices, consent.AnswerRequest{Answer: "allow", Choice: new(0), Text: "x"}, 0, "", ""},
		"none":              {choices, consent.AnswerRequest{Answer: "deny", Choice: new(0)}, -1, "", ""},
		"no choice":         {choices, consent.AnswerRequest{Answer: "allow"}, 0, "", "choice"},
		"another":           {choices, consent.AnswerRequest{Answer: "allow", Choice: new(2)}, 0, "", "choice"},
		"less than the 1st": {choices, consent.AnswerRequest{Answer: "allow", Choice: new(-1)}, 0, "", "choice"},
		"text":              {input, consent.AnswerRequest{Answer: "allow", Text: "two\nlines"}, -1, "two\nlines", ""},
		"empty text":        {input, consent.AnswerRequest{Answer: "allow"}, -1, "", ""},
		"choice for text":   {input, consent.AnswerRequest{Answer: "allow", Choice: new(0)}, 0, "", "choice"},
		"no text":           {input, consent.AnswerRequest{Answer: "deny", Text: "x", Scope: "task"}, -1, "", ""},
		"yes with a text":   {yesno, consent.AnswerRequest{Answer: "allow", Text: "x", Choice: new(1), Scope: "once"}, -1, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newWorld(t).open()
			l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI, Accept: tt.q.Open()}) // a yes beforehand
			type outcome struct {
				d   vmhost.Decision
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				d, err := l.Gate().AskAgent(l.Context(), tt.q)
				done <- outcome{d, err}
			}()
			var open []vmhost.Question
			for len(open) == 0 {
				open, _ = c.Questions(t.Context(), l.ID())
			}
			if tt.bad != "" {
				_, err := c.Answer(t.Context(), l.ID(), open[0].ID, tt.a)
				if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeBadRequest || p.Params["field"] != tt.bad {
					t.Errorf("got %v", err)
				}
				if still, _ := c.Questions(t.Context(), l.ID()); len(still) != 1 {
					t.Error("the question is gone")
				}
				tt.a = consent.AnswerRequest{Answer: "deny"}
				tt.choice, tt.text = -1, ""
			}
			said, err := c.Answer(t.Context(), l.ID(), open[0].ID, tt.a)
			if err != nil {
				t.Fatal(err)
			}
			o := <-done
			for _, d := range []vmhost.Decision{said, o.d} {
				if o.err != nil || d.Answer != tt.a.Answer || d.Scope != vmhost.ScopeOnce || d.Text != tt.text || (d.Choice == nil) != (tt.choice < 0) || d.Choice != nil && *d.Choice != tt.choice {
					t.Errorf("got %+v %v", d, o.err)
				}
			}
			if rules := c.rules.All(); len(rules) != 0 {
				t.Errorf("it made rules: %+v", rules)
			}
		})
	}
}

// waitingTask is a task that runs and does nothing.
func waitingTask(t *testing.T, c *Controller, r tasks.StartRequest) *tasks.Live {
	t.Helper()
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	rec := task.Task{V: task.RecordVersion, ID: id, Kind: r.Kind, State: task.StateQueued, Created: c.now(), Folders: []task.Folder{}, Network: task.NetworkRestricted, Place: task.Place{Runtime: "vm"}, Policy: task.Policy{PolicyRequest: r.PolicyRequest}}
	if err := c.store.Create(rec); err != nil {
		t.Fatal(err)
	}
	l := tasks.NewLive(c.Runner, rec, r)
	gone, err := c.registry.Begin(id, l, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.registry.End(id, nil)
		gone()
		l.Cancel(tasks.ErrCancelled)
		l.Settle()
	})
	return l
}

// Which tasks may do more than usual.
func TestLoosened(t *testing.T) {
	ai := task.Task{ID: "t", Kind: task.KindAI, Network: task.NetworkRestricted, Folders: []task.Folder{{Path: "/a", Mode: task.ModeReadWrite}}}
	allow := func(task, folder, topic string) approval.Rule {
		return approval.Rule{Task: task, Folder: folder, Topic: topic, Answer: vmhost.AnswerAllow}
	}
	for name, tt := range map[string]struct {
		change func(*task.Task)
		accept bool
		rules  []approval.Rule
		want   string
	}{
		"as usual":                      {nil, false, nil, ""},
		"a whole network":               {func(t *task.Task) { t.Network = task.NetworkOn }, false, []approval.Rule{allow("", "", "network/preset/npm")}, "network-on"},
		"nobody is asked":               {nil, true, nil, "no-asking"},
		"a chore's plan is a yes":       {func(t *task.Task) { t.Kind = task.KindChore }, true, nil, ""},
		"a preset everywhere":           {nil, false, []approval.Rule{allow("", "", "network/preset/npm")}, "preset"},
		"a preset here":                 {nil, false, []approval.Rule{allow("t", "", "network/preset/npm")}, "preset"},
		"a preset elsewhere":            {nil, false, []approval.Rule{allow("u", "", "network/preset/npm")}, ""},
		"a preset, and only pages":      {func(t *task.Task) { t.Network = task.NetworkOff }, false, []approval.Rule{allow("", "", "network/preset/npm")}, "preset"},
		"a host, and only pages":        {func(t *task.Task) { t.Network = task.NetworkOff }, false, []approval.Rule{allow("", "", "network/a.example")}, "allowed-always"},
		"pages everywhere":              {func(t *task.Task) { t.Network = task.NetworkOff }, false, []approval.Rule{allow("", "", "web/https://a.example/")}, "allowed-always"},
		"pages, and a network":          {nil, false, []approval.Rule{allow("", "", "web/https://a.example/")}, ""},
		"a host, and no network":        {func(t *task.Task) { t.Network, t.Kind = task.NetworkOff, task.KindExec }, false, []approval.Rule{allow("", "", "network/preset/npm"), allow("", "", "web/https://a.example/")}, ""},
		"a preset denied":               {nil, false, []approval.Rule{{Topic: "network/preset/npm", Answer: vmhost.AnswerDeny}}, ""},
		"a host everywhere":             {nil, false, []approval.Rule{allow("", "", "network/a.example")}, "allowed-always"},
		"a host here":                   {nil, false, []approval.Rule{allow("t", "", "network/a.example")}, ""},
		"commands":                      {nil, false, []approval.Rule{allow("", "", "command/delete")}, "allowed-always"},
		"commands, and it is no AI":     {func(t *task.Task) { t.Kind = task.KindExec }, false, []approval.Rule{allow("", "", "command/delete")}, ""},
		"files of its folder":           {nil, false, []approval.Rule{allow("", "/a", "delete")}, "allowed-always"},
		"files of another folder":       {nil, false, []approval.Rule{allow("", "/b", "delete")}, ""},
		"files of a folder it may read": {func(t *task.Task) { t.Folders[0].Mode = task.ModeReadOnly }, false, []approval.Rule{allow("", "", "delete")}, ""},
		"all of it":                     {nil, true, []approval.Rule{allow("", "", "delete"), allow("t", "", "network/preset/npm"), allow("", "", "network/preset/go")}, "no-asking preset allowed-always"},
	} {
		given := ai
		given.Folders = slices.Clone(ai.Folders)
		if tt.change != nil {
			tt.change(&given)
		}
		if got := strings.Join(consent.Loosened(given, tt.accept, tt.rules), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestPresets(t *testing.T) {
	c := newWorld(t).open()
	all, err := c.NetworkPresets(t.Context())
	if err != nil || len(all) == 0 || slices.ContainsFunc(all, func(p consent.NetworkPreset) bool { return p.On || p.Default || len(p.Hosts) == 0 }) {
		t.Fatalf("%+v %v", all, err)
	}
	l := waitingTask(t, c, tasks.StartRequest{Kind: task.KindAI, PolicyRequest: task.PolicyRequest{Presets: []string{"npm"}}})
	if err := l.Gate().AllowPresets(); err != nil {
		t.Fatal(err)
	}
	if got := l.Gate().NetworkRules(); len(got) == 0 {
		t.Error("its preset has no rules")
	}
	if all, _ := c.NetworkPresets(t.Context()); slices.ContainsFunc(all, func(p consent.NetworkPreset) bool { return p.On }) {
		t.Error("one task's preset is allowed everywhere")
	}
	l.Gate().NoteLoosened()
	l.Settle()
	if rec, err := c.store.Get(l.ID()); err != nil || !slices.Equal(rec.Loosened, []string{"preset"}) {
		t.Errorf("%v %v", rec.Loosened, err)
	}
	for _, r := range c.rules.All() { // taken back while it runs
		if err := c.RemoveRule(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Gate().AllowPresets(); err != nil || len(l.Gate().NetworkRules()) != 0 {
		t.Errorf("it is back: %v", err)
	}
	l.Settle()
	if rec, err := c.store.Get(l.ID()); err != nil || len(rec.Loosened) != 0 {
		t.Errorf("%v %v", rec.Loosened, err)
	}
	if p, err := c.SetNetworkPreset(t.Context(), "wikipedia", consent.PresetChoice{On: true}); err != nil || !p.On {
		t.Errorf("%+v %v", p, err)
	}
	if len(l.Gate().NetworkRules()) == 0 {
		t.Error("a preset that is on everywhere has no rules here")
	}
	if p, err := c.SetNetworkPreset(t.Context(), "wikipedia", consent.PresetChoice{}); err != nil || p.On || len(c.rules.All()) != 0 {
		t.Errorf("%+v %v %v", p, err, c.rules.All())
	}
	_, err = c.SetNetworkPreset(t.Context(), "everything", consent.PresetChoice{On: true})
	wants(t, "unknown", err, problem.CodeNotFound, "")
	wants(t, "unknown, for a task", consent.CheckPresets([]string{"everything"}), problem.CodeBadRequest, "")
}
