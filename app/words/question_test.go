package words

import (
	"slices"
	"strings"
	"testing"

	"piwork/app/approval"
	"piwork/vmhost"
)

// asked has a question of every code, with the parameters of who asks it.
func asked() map[string]vmhost.Question {
	all := []string{vmhost.ScopeOnce, vmhost.ScopeTask, vmhost.ScopeFolder, vmhost.ScopeAlways}
	guard := func(code, topic string) vmhost.Question {
		return vmhost.Question{Kind: vmhost.AskOverwrite, Scopes: all, Items: []string{"a"}, Text: vmhost.Text{Code: code,
			Params: map[string]any{"topic": topic, "folder": "f", "name": "Trip", "count": 3, "done": 5, "next": 100, "bytes": 5e9}}}
	}
	undo := func(code string) vmhost.Question {
		return vmhost.Question{Kind: vmhost.AskUndoSpace, Scopes: []string{"once", "task", "always"}, Text: vmhost.Text{Code: code,
			Params: map[string]any{"topic": code, "bytes": 1e9, "more": 2e9}}}
	}
	web := func(code, quoted string) vmhost.Question {
		return vmhost.Question{Kind: vmhost.AskNetwork, Scopes: []string{"once", "task", "always"}, Text: vmhost.Text{Code: code,
			Params: map[string]any{"host": "example.org", "port": 443, "pattern": "https://example.org/docs/", quoted: "machine's", "reason": "redirect", "program": "piwork"}}}
	}
	program := func(code string, params map[string]any) vmhost.Question {
		return vmhost.Question{Kind: vmhost.AskCommand, Scopes: []string{"once"}, Text: vmhost.Text{Code: code, Params: params}}
	}
	return map[string]vmhost.Question{
		"delete-many": guard("guard-delete-many", "delete"), "change-many": guard("guard-change-many", "change"), "write-much": guard("guard-write-much", "write"),
		"fetch-much": guard("guard-fetch-much", "fetch"),
		"delete":     guard("guard-delete", "delete"), "change": guard("guard-change", "change"), "startup": guard("guard-rule", "startup"),
		"git": guard("guard-rule", "git"), "hidden": guard("guard-rule", "hidden"), "programs": guard("guard-rule", "programs"),
		"rule": guard("guard-rule", "of another version"), "space": undo("undo-space"), "memory": undo("undo-memory"),
		"unpack": {Kind: vmhost.AskUnpack, Scopes: []string{"once"}, Items: []string{"a.gz"}, Text: vmhost.Text{Code: "unpack-grows",
			Params: map[string]any{"count": 1, "bytes": 1e9, "times": 1025}}},
		"weaker": {Kind: vmhost.AskRuntime, Scopes: []string{"once", "always"}, Text: vmhost.Text{Code: "runtime-weaker",
			Params: map[string]any{"topic": "runtime/sandbox", "runtime": "sandbox"}}},
		"connect": {Kind: vmhost.AskNetwork, Scopes: []string{"once", "task", "always"}, Text: vmhost.Text{Code: "network-connect",
			Params: map[string]any{"host": "example.org", "port": 22, "pattern": "example.org:22", "reason": "new-address", "claimedProgram": "np"}}},
		"fetch": web("web-fetch", "address"), "search": web("web-search", "query"),
		"command": {Kind: vmhost.AskCommand, Scopes: []string{"once", "task"}, Text: vmhost.Text{Code: "agent-command",
			Params: map[string]any{"tool": "bash", "command": "machine's\nwords", "effects": []string{"delete", "unknown"}}}},
		"confirm": program("agent-confirm", map[string]any{"title": "machine's", "message": "machine's"}),
		"select":  program("agent-select", map[string]any{"title": "machine's"}),
		"input":   program("agent-input", map[string]any{"title": "machine's", "hint": "machine's"}),
		"editor":  program("agent-editor", map[string]any{"title": "machine's", "text": "machine's"}),
		"asks-folder": {Kind: vmhost.AskFolder, Input: true, Scopes: []string{"once"}, Text: vmhost.Text{Code: "agent-folder",
			Params: map[string]any{"reason": "machine's", "suggested": "machine's"}}},
		"new": {Kind: "new", Text: vmhost.Text{Code: "of-another-version"}},
	}
}

// Every question is whole in every language: what is asked, what it means, how careful
// to be, and an answer for each scope. No words of the machine are among piwork's own.
func TestEveryQuestionHasWords(t *testing.T) {
	each(t, func(t *testing.T, c *Catalogue) {
		titles := map[string]string{}
		for name, q := range asked() {
			c.Question(&q)
			said := strings.Join(append([]string{q.Title, q.Detail, q.Caution, q.More}, q.Notes...), "\n")
			if q.Title == "" || q.Detail == "" || q.Caution == "" || strings.Contains(said, "  ") || strings.Contains(said, "machine") || strings.Contains(said, "<no value>") {
				t.Errorf("%s: %q", name, said)
			}
			if name != "input" && name != "select" && name != "editor" && name != "confirm" { // they are an extension's
				if other := titles[q.Title]; other != "" {
					t.Errorf("%s and %s ask the same: %s", name, other, q.Title)
				}
				titles[q.Title] = name
			}
			labels := map[string]bool{}
			for _, a := range q.Answers {
				if a.Label == "" || labels[a.Label] {
					t.Errorf("%s: %+v", name, q.Answers)
				}
				labels[a.Label] = true
			}
			for _, scope := range q.Scopes {
				if !slices.ContainsFunc(q.Answers, func(a vmhost.AnswerOption) bool { return a.Answer == vmhost.AnswerAllow && a.Scope == scope }) {
					t.Errorf("%s: no yes for %s in %+v", name, scope, q.Answers)
				}
			}
			if first, last := q.Answers[0], q.Answers[len(q.Answers)-1]; first.Answer != vmhost.AnswerDeny || first.Rest || !last.Rest {
				t.Errorf("%s: %+v", name, q.Answers)
			}
		}
	})
}

func TestQuestions(t *testing.T) {
	all := asked()
	for _, tt := range []struct{ question, want string }{
		{"delete-many", "The task has deleted 5 of your files in “Trip” and wants to delete more.|The task is waiting; nothing is lost. You can undo its changes later.|and 2 more files|Keep my files/Only 100 more/Allow deleting in this task/Allow deleting in this folder, in every task/Always allow deleting/Refuse everything else in this task"},
		{"unpack", "The task wants to unpack an archive with files that become up to 1,025 times as large, 1 GB in total.|Such files are often made to fill a disk. Without your permission they are skipped.||Skip/Unpack/Refuse everything else in this task"},
		{"connect", "The task wants to connect to example.org.|The task is waiting. Anything it sends leaves this computer and can’t be undone; it can include contents of your folders.|The task gave no name, only this address.|Port 22|Requested by “np” (not verified)|A longer answer covers example.org:22.||Don’t allow/Allow this time/Allow in this task/Always allow/Never allow/Refuse everything else in this task"},
		{"command", "The task wants to run a command.|The task is waiting. The command runs in the closed workroom. You can undo what it changes in your folders, but not what it sends elsewhere.|The command can delete files, have unknown effects.|A longer answer covers every command that can do the same.||Don’t allow/Allow/Allow similar commands in this task/Refuse everything else in this task"},
	} {
		q := all[tt.question]
		For("en").Question(&q)
		parts := append([]string{q.Title, q.Detail}, q.Notes...)
		var labels []string
		for _, a := range q.Answers {
			labels = append(labels, a.Label)
		}
		if got := strings.Join(append(parts, q.More, strings.Join(labels, "/")), "|"); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.question, got, tt.want)
		}
	}
	q := all["command"]
	if For("en").Question(&q); !slices.Equal(q.Quotes, []string{"machine's\nwords"}) {
		t.Errorf("%q", q.Quotes)
	}
}

// Where texts alone are shown, files are listed up to a bound, and the rest is counted once, in the
// person's language.
func TestQuestionLines(t *testing.T) {
	for _, tt := range []struct {
		language     string
		items, count int
		listed       int
		more         string
	}{
		{"en", 2, 2, 2, ""}, {"en", 2, 5, 2, "and 3 more files"}, {"en", ShownItems, ShownItems, ShownItems, ""}, {"en", ShownItems + 1, 0, ShownItems, "and 1 more file"},
		{"de", ShownItems + 2, 0, ShownItems, "und 2 weitere Dateien"}, {"de", ShownItems + 2, 100, ShownItems, "und 80 weitere Dateien"},
	} {
		c := For(tt.language)
		q := vmhost.Question{Kind: vmhost.AskDelete, Items: slices.Repeat([]string{"a\nb"}, tt.items), Text: vmhost.Text{Code: "guard-delete", Params: map[string]any{"count": tt.count}}}
		c.Question(&q)
		listed, more := 0, ""
		for _, line := range QuestionLines(c, q) {
			switch {
			case line == `- a\nb`:
				listed++
			case line != q.Detail && line != q.Caution:
				more += line
			}
		}
		if listed != tt.listed || more != tt.more {
			t.Errorf("%+v: %d %q", tt, listed, more)
		}
	}
}

func TestRules(t *testing.T) {
	for _, tt := range []struct {
		rule     approval.Rule
		en, de   string
		terminal string
	}{
		{approval.Rule{Topic: "delete", Answer: "allow"}, "Tasks can delete your files, everywhere", "Aufgaben dürfen überall Ihre Dateien löschen", ""},
		{approval.Rule{Topic: "startup", Answer: "deny", Folder: "/home/me/Trip"},
			"Tasks can’t change files that programs on this computer run or read automatically, in “/home/me/Trip”",
			"Aufgaben dürfen in „/home/me/Trip“ Folgendes nicht: Dateien ändern, die Programme auf diesem Computer automatisch ausführen oder lesen", ""},
		{approval.Rule{Topic: "command/delete+unknown", Answer: "allow", Task: "0195aaaa-1111-7"}, "Tasks can run commands that delete files, have unknown effects, while one task runs",
			"Aufgaben dürfen während einer Aufgabe Befehle ausführen, die Dateien löschen, Unbekanntes tun",
			"Tasks can run commands that delete files, have unknown effects, in task 0195aaaa-1111 while it runs"},
		{approval.Rule{Topic: "network/preset/npm", Answer: "allow"}, "Tasks can connect to the group “JavaScript packages”, everywhere",
			"Aufgaben dürfen überall Verbindungen mit der Gruppe „Pakete für JavaScript“ aufbauen", "Tasks can connect to the group “preset:npm”, everywhere"},
		{approval.Rule{Topic: "web/https://example.org/a/", Answer: "allow"}, "Tasks can read pages below https://example.org/a/ whose address has no question mark, everywhere",
			"Aufgaben dürfen überall Seiten unter https://example.org/a/ lesen, deren Adresse kein Fragezeichen hat", ""},
		{approval.Rule{Topic: "of another version", Answer: "allow"}, "Tasks can do something this version doesn’t know, everywhere", "Aufgaben dürfen überall etwas tun, das diese Version nicht kennt", ""},
	} {
		for c, want := range map[*Catalogue]string{For("en"): tt.en, For("de"): tt.de, For("en").WithPaths(): tt.terminal} {
			if c.Rule(&tt.rule); want != "" && tt.rule.Said != want {
				t.Errorf("%q, want %q", tt.rule.Said, want)
			}
		}
	}
}
