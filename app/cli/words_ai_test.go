package cli

import (
	"testing"

	"piwork/app/task"
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
