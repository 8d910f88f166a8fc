package acp

import (
	"encoding/json"
	"testing"
)

// Only prompts that are not answered are cancelled, those of their session, and each once. An
// answer has the id as the SDK writes it.
func TestOpenPrompts(t *testing.T) {
	var p prompts
	for id, session := range map[string]string{`1`: "a", `"x<y"`: "a", ` 2`: "b", `null`: "a"} {
		p.add(envelope{ID: json.RawMessage(id), Method: "session/prompt", Params: json.RawMessage(`{"sessionId":"` + session + `","prompt":[]}`)})
	}
	p.answered(envelope{ID: json.RawMessage(`"x\u003cy"`)})
	p.answered(envelope{})
	for _, want := range []int{1, 0} {
		if got := p.take("a"); len(got) != want || want > 0 && got[0] != "1" {
			t.Errorf("%q, want %d", got, want)
		}
	}
	p.answered(envelope{ID: json.RawMessage(`2`)})
	if len(p.open) != 0 {
		t.Errorf("%q is kept", p.open)
	}
}
