package provider

import "testing"

func TestLeavesPictures(t *testing.T) {
	yes, no := true, false
	own := Provider{ID: "local", Protocol: OpenAI}
	for _, tt := range []struct {
		name  string
		p     Provider
		model string
		told  Able
		want  bool
	}{
		{"pi is told that it looks", own, "m", Able{Images: &yes}, false},
		{"pi is told that it does not", own, "m", Able{Images: &no}, true},
		{"nobody knows", own, "m", Able{}, true},
		{"pi knows that it looks", builtin(t, "anthropic"), "claude-opus-4-5", Able{Images: &no}, false},
		{"pi knows that it does not", builtin(t, "radius"), "glm-5.3", Able{Images: &yes}, true},
		{"pi may know", builtin(t, "anthropic"), "claude-brand-new", Able{}, false},
		{"pi is told of it by Radius", builtin(t, "radius"), "brand-new", Able{Images: &yes}, false},
		{"pi is told nothing of it by Radius", builtin(t, "radius"), "brand-new", Able{}, true},
	} {
		if got := LeavesPictures(tt.p, tt.model, tt.told); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
