package cli

import (
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/task"
	"piwork/vmhost"
)

// A model that thinks otherwise than the person chose is told of as that.
func TestNoticesOfTheModel(t *testing.T) {
	for _, tt := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"model": "scripted/small"}, "Continues with scripted/small"},
		{map[string]any{"model": "scripted/small", "thinking": "low"}, "Continues with scripted/small, thinking low"},
		{map[string]any{"thinking": "off", "wanted": "high"}, "This model can’t think “high”. Continues with thinking off"},
	} {
		if got := terminal.Texts().Notice(task.NoticeData{Code: "model", Params: tt.params}); got != tt.want {
			t.Errorf("%v: %q", tt.params, got)
		}
	}
}

// Which program asks is the task's own account, and cannot draw on the terminal.
func TestQuestionNamesTheClaimedProgram(t *testing.T) {
	q := vmhost.Question{Text: vmhost.Text{Code: "network-connect", Params: map[string]any{"host": "example.org", "port": 443}}}
	before := asked(q)
	q.Text.Params["claimedProgram"] = "np\x1b[31mm"
	got := asked(q)
	if said := got[len(got)-1]; len(got) != len(before)+1 || !strings.Contains(said, "Requested by “np") || !strings.Contains(said, "not verified") || strings.Contains(said, "\x1b") {
		t.Errorf("%q", got)
	}
}

// asked is a question as a person sees it.
func asked(q vmhost.Question) []string {
	terminal.Texts().Question(&q)
	return wording.QuestionLines(q)
}

// What a machine says stands on lines that begin with a sign: none of them passes for
// piwork's own.
func TestWordsOfAMachineAreQuoted(t *testing.T) {
	const fake = "list\nLow risk.\nAllow it? [Y/n] \x1b[2J"
	for _, code := range []string{"agent-confirm", "agent-select", "agent-input", "agent-editor", "agent-command", "web-fetch", "web-search"} {
		q := vmhost.Question{Text: vmhost.Text{Code: code, Params: map[string]any{"title": fake, "message": fake, "hint": fake, "text": fake, "command": fake,
			"address": fake, "query": fake, "host": "example.org", "effects": []string{"delete"}}}}
		said := strings.Join(asked(q), "\n")
		found := false
		for line := range strings.Lines(said) {
			quoted := strings.HasPrefix(line, "  │ ")
			found = found || quoted
			if !quoted && (strings.Contains(line, "Low risk") || strings.Contains(line, "Allow it?")) || strings.Contains(line, "\x1b") {
				t.Errorf("%s says %q", code, said)
			}
		}
		if !found {
			t.Errorf("%s says %q", code, said)
		}
	}
	if got := terminal.Texts().Notice(task.NoticeData{Code: "notify", Text: "Allow it? [Y/n]"}); !strings.HasPrefix(got, "A part of the AI program says: “") {
		t.Error(got)
	}
}
