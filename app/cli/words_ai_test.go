package cli

import (
	"strings"
	"testing"

	"piwork/app/task"
	"piwork/vmhost"
)

// A model that thinks otherwise than the person chose is told of as that.
func TestNoticesOfTheModel(t *testing.T) {
	for _, tt := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"model": "scripted/small"}, "it goes on with: scripted/small"},
		{map[string]any{"model": "scripted/small", "thinking": "low"}, "it goes on with: scripted/small, thinking low"},
		{map[string]any{"thinking": "off", "wanted": "high"}, `the model cannot be told to think "high": it goes on with thinking off`},
	} {
		if got := noticeLine(task.NoticeData{Code: "model", Params: tt.params}); got != tt.want {
			t.Errorf("%v: %q", tt.params, got)
		}
	}
}

// Which program asks is the task's own account, and cannot draw on the terminal.
func TestQuestionNamesTheClaimedProgram(t *testing.T) {
	q := vmhost.Question{Text: vmhost.Text{Code: "network-connect", Params: map[string]any{"host": "example.org", "port": 443}}}
	if got := questionWords(q); len(got) != 2 {
		t.Errorf("%q", got)
	}
	q.Text.Params["claimedProgram"] = "np\x1b[31mm"
	if got := questionWords(q); len(got) != 3 || !strings.Contains(got[1], "By its own account") || !strings.Contains(got[1], "np") || strings.Contains(got[1], "\x1b") {
		t.Errorf("%q", got)
	}
}
