package approval

import (
	"slices"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// What a machine says in a question is no other line of the terminal, and no other
// order of letters.
func TestTextsOfQuestionsAreClean(t *testing.T) {
	q := vmhost.Question{
		Kind: vmhost.AskCommand, Items: []string{"cv\u202etxt.exe", "a\nb"}, Choices: []vmhost.Choice{{Label: "yes\x1b[2J"}},
		Text: vmhost.Text{Params: map[string]any{"command": "ls\n\x1b[1Arm -r .\u2066", "effects": []string{"delete\n"}, "count": 3}},
	}
	got := Rated(q)
	if got.Items[0] != "cv\uFFFDtxt.exe" || got.Items[1] != "a\uFFFDb" || got.Choices[0].Label != "yes\uFFFD[2J" || got.Text.Params["command"] != "ls\nrm -r ." ||
		got.Text.Params["effects"].([]string)[0] != "delete\uFFFD" || got.Text.Params["count"] != 3 {
		t.Errorf("%+v", got)
	}
	if q.Choices[0].Label != "yes\x1b[2J" || q.Items[1] != "a\nb" || q.Text.Params["command"] == got.Text.Params["command"] {
		t.Error("the caller's question was changed")
	}
}

// A yes covers what was asked, and offers nothing that has no words.
func TestScopes(t *testing.T) {
	once, task, folder, always := vmhost.ScopeOnce, vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways
	ask := func(kind vmhost.QuestionKind, params map[string]any) vmhost.Question {
		return vmhost.Question{Kind: kind, Text: vmhost.Text{Params: params}}
	}
	for name, tt := range map[string]struct {
		q    vmhost.Question
		want []string
		no   string // how far a no reaches that does not say so
	}{
		"files of a folder":     {ask(vmhost.AskDelete, map[string]any{"folder": "f1"}), []string{once, task, folder, always}, task},
		"room for undo":         {ask(vmhost.AskUndoSpace, nil), []string{once, task, always}, task},
		"a host":                {ask(vmhost.AskNetwork, map[string]any{"host": "example.org"}), []string{once, task, always}, once},
		"a page":                {ask(vmhost.AskNetwork, map[string]any{"address": "https://example.org/?a"}), []string{once, task, always}, once},
		"a search":              {ask(vmhost.AskNetwork, map[string]any{"query": "x"}), []string{once, task}, once},
		"a server's tool":       {ask(vmhost.AskServer, map[string]any{"server": "x"}), []string{once, task, always}, once},
		"a command":             {ask(vmhost.AskCommand, map[string]any{"effects": []string{"unknown"}}), []string{once, task}, once},
		"a program's own words": {ask(vmhost.AskCommand, map[string]any{"title": "Sure?"}), []string{once}, once},
		"a text":                {vmhost.Question{Kind: vmhost.AskCommand, Input: true}, []string{once}, once},
	} {
		if got := Rated(tt.q).Scopes; !slices.Equal(got, tt.want) {
			t.Errorf("%s: a yes may be for %v, want %v", name, got, tt.want)
		}
		if yes, no := Usual(tt.q, vmhost.AnswerAllow), Usual(tt.q, vmhost.AnswerDeny); yes != once || no != tt.no {
			t.Errorf("%s: a yes is for %s and a no for %s", name, yes, no)
		}
	}
}

// The ladder: each effect where it takes place.
func TestRiskOf(t *testing.T) {
	domains := []vmhost.Domain{vmhost.DomainVM, vmhost.DomainContainer, vmhost.DomainHost, vmhost.DomainRemote, "", "elsewhere"}
	for _, tt := range []struct {
		effect Effect
		want   [6]Risk
	}{
		{EffectRead, [6]Risk{RiskNone, RiskNone, RiskNone, RiskLow, RiskHigh, RiskHigh}},
		{EffectWrite, [6]Risk{RiskNone, RiskNone, RiskNone, RiskHigh, RiskHigh, RiskHigh}},
		{EffectChange, [6]Risk{RiskNone, RiskLow, RiskLow, RiskHigh, RiskHigh, RiskHigh}},
		{EffectDelete, [6]Risk{RiskNone, RiskLow, RiskHigh, RiskHigh, RiskHigh, RiskHigh}},
		{EffectLeave, [6]Risk{RiskNone, RiskLow, RiskLow, RiskHigh, RiskHigh, RiskHigh}},
		{EffectLeave + 1, [6]Risk{RiskHigh, RiskHigh, RiskHigh, RiskHigh, RiskHigh, RiskHigh}},
	} {
		for i, d := range domains {
			if got := RiskOf(tt.effect, d); got != tt.want[i] {
				t.Errorf("effect %d in %q: %d, want %d", tt.effect, d, got, tt.want[i])
			}
		}
	}
}

func TestOf(t *testing.T) {
	ask := func(kind vmhost.QuestionKind, params map[string]any) vmhost.Question {
		return vmhost.Question{Kind: kind, Text: vmhost.Text{Params: params}}
	}
	command := func(effects ...string) vmhost.Question {
		return ask(vmhost.AskCommand, map[string]any{"effects": effects})
	}
	host := func(name string) vmhost.Question {
		return ask(vmhost.AskNetwork, map[string]any{"host": name})
	}
	for name, tt := range map[string]struct {
		q    vmhost.Question
		want Risk
	}{
		"delete":                     {ask(vmhost.AskDelete, nil), RiskHigh},
		"overwrite":                  {ask(vmhost.AskOverwrite, nil), RiskLow},
		"many are deleted":           {ask(vmhost.AskMassChange, map[string]any{"topic": guard.TopicDelete}), RiskHigh},
		"many are changed":           {ask(vmhost.AskMassChange, map[string]any{"topic": guard.TopicChange}), RiskLow},
		"changes are taken over":     {ask(vmhost.AskApply, nil), RiskLow},
		"no way back":                {ask(vmhost.AskUndoSpace, nil), RiskHigh},
		"the internet":               {host("example.org"), RiskHigh},
		"an address of the internet": {host("192.0.2.1"), RiskHigh},
		"another computer at home":   {host("192.168.1.5"), RiskHigh},
		"this computer":              {host("127.0.0.1"), RiskLow},
		"this computer, IPv6":        {host("::1"), RiskLow},
		"this computer by name":      {host("LocalHost."), RiskLow},
		"a name that looks like it":  {host("localhost.example"), RiskHigh},
		"no host":                    {ask(vmhost.AskNetwork, nil), RiskHigh},
		"a command in the machine":   {command("write"), RiskNone},
		"its processes":              {command("system", "write"), RiskNone},
		"changes":                    {command("change", "system"), RiskLow},
		"moves":                      {command("move"), RiskLow},
		"replaces":                   {command("overwrite"), RiskLow},
		"deletes":                    {command("change", "delete"), RiskHigh},
		"goes to the network":        {command("network"), RiskHigh},
		"installs":                   {command("install"), RiskHigh},
		"cannot be seen through":     {command("unknown", "system"), RiskHigh},
		"a new word":                 {command("teleport"), RiskHigh},
		"an extension asks":          {ask(vmhost.AskCommand, nil), RiskLow},
		"a weaker place":             {ask(vmhost.AskRuntime, map[string]any{"runtime": vmhost.KindContainer}), RiskHigh},
		"a server's tool":            {ask(vmhost.AskServer, nil), RiskHigh},
		"a new kind":                 {ask("new", nil), RiskHigh},
	} {
		if got := Of(tt.q); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
		if got, want := Rated(tt.q).Risk, [...]string{RiskNone: "none", RiskLow: "low", RiskHigh: "high"}[tt.want]; got != want {
			t.Errorf("%s is said to be %s, want %s", name, got, want)
		}
	}
}
