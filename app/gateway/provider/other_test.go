package provider

import (
	"encoding/json"
	"testing"
)

// TestOtherModelsNoKeyNoSubscription holds what another AI program is told of: the gateway's
// address, a worthless key, and nothing of what only pi can use.
func TestOtherModelsNoKeyNoSubscription(t *testing.T) {
	yes := true
	named := func(id string) PiProvider {
		p, ok := Named(id)
		if !ok {
			t.Fatal(id)
		}
		return PiProvider{Provider: p}
	}
	login := named("anthropic")
	login.Login = true
	own := PiProvider{Provider: Provider{ID: "own", Name: "Mine", Protocol: OpenAI}}
	for _, row := range []struct {
		name string
		p    PiProvider
		npm  string // "" is left out
		url  string
	}{
		{"a service of one's own", own, "@ai-sdk/openai-compatible", "http://127.0.0.1:8377/own/v1"},
		{"anthropic", named("anthropic"), "@ai-sdk/anthropic", "http://127.0.0.1:8377/anthropic/v1"},
		{"google", named("google"), "@ai-sdk/google", "http://127.0.0.1:8377/google/v1beta"},
		{"openai", named("openai"), "@ai-sdk/openai", "http://127.0.0.1:8377/openai/v1"},
		{"groq", named("groq"), "@ai-sdk/openai-compatible", "http://127.0.0.1:8377/groq/v1"},
		{"a login of anthropic", login, "", ""},
		{"chatgpt", named("openai-codex"), "", ""},
		{"copilot", named("github-copilot"), "", ""},
		{"radius", named("radius"), "", ""},
	} {
		data, err := OtherModels("127.0.0.1:8377", "x-", []PiProvider{row.p}, Model{ID: row.p.ID + "/m", Able: Able{Images: &yes, Context: 8000}}, Model{ID: "elsewhere/m"})
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		var got map[string]struct {
			NPM     string
			Options map[string]string
			Models  map[string]struct {
				Attachment bool
				Limit      struct{ Context, Output int64 }
			}
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if row.npm == "" {
			if len(got) != 0 {
				t.Errorf("%s: %s", row.name, data)
			}
			continue
		}
		e, ok := got["x-"+row.p.ID]
		if !ok || e.NPM != row.npm || e.Options["baseURL"] != row.url || e.Options["apiKey"] != dummyKey || len(e.Models) != 1 {
			t.Errorf("%s: %s", row.name, data)
		}
		if m := e.Models["m"]; !m.Attachment || m.Limit.Context != 8000 || m.Limit.Output != 2000 {
			t.Errorf("%s: %+v", row.name, m)
		}
	}
	if _, err := OtherModels("a", "x-", []PiProvider{own, own}, Model{ID: "own/m"}); err == nil {
		t.Error("a provider may be there twice")
	}
	if data, err := OtherModels("a", "x-", []PiProvider{own}); err != nil || string(data) != "{}" {
		t.Errorf("without models %s %v", data, err)
	}
}
