package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"piwork/app/gateway/keys"
)

func builtin(t *testing.T, id string) Provider {
	t.Helper()
	p, ok := Named(id)
	if !ok {
		t.Fatalf("no %s", id)
	}
	return p
}

// What may be asked of subscriptions.
func TestDecideSubscriptions(t *testing.T) {
	for _, tt := range []struct{ id, method, path, want string }{
		{"openai-codex", "POST", "/v1/codex/responses", "/codex/responses"},
		{"openai-codex", "GET", "/v1/codex/responses", ""}, // WebSocket
		{"openai-codex", "POST", "/v1/responses", ""},
		{"openai-codex", "POST", "/v1/chat/completions", ""},
		{"openai-codex", "GET", "/v1/models", ""},
		{"openai-codex", "GET", "/v1/accounts/check", ""},
		{"openai-codex", "POST", "/v1/codex/responses/compact", ""},
		{"openai", "POST", "/v1/codex/responses", ""},
		{"github-copilot", "POST", "/v1/chat/completions", "/chat/completions"},
		{"github-copilot", "POST", "/v1/responses", "/responses"},
		{"github-copilot", "POST", "/v1/v1/messages", "/v1/messages"},
		{"github-copilot", "POST", "/v1/models/gpt-5.6-sol/policy", ""},
		{"github-copilot", "GET", "/v1/copilot_internal/user", ""},
		{"kimi-coding", "POST", "/v1/chat/completions", "/chat/completions"},
	} {
		op, err := Decide(builtin(t, tt.id), tt.method, tt.path)
		if op.Path != tt.want || (err == nil) != (tt.want != "") || err == nil && (op.Provider != tt.id || !op.Meters) {
			t.Errorf("%s %s %s: %+v, %v", tt.id, tt.method, tt.path, op, err)
		}
	}
}

// The account goes beside the token, and is the token's, whatever the guest says.
func TestCodexHeader(t *testing.T) {
	p := builtin(t, "openai-codex")
	guest := http.Header{"Chatgpt-Account-Id": {"evil"}, "Originator": {"evil"}, "Openai-Beta": {"responses=experimental"}, "Session-Id": {"s"}}
	c := keys.Credential{Kind: keys.KindOAuth, Access: keys.NewSecret("a.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.b")}
	h := RequestHeader(guest)
	Wishes(p, guest, h)
	Introduce(p, h, c)
	if h.Get("Chatgpt-Account-Id") != "account-1" || h.Get("Originator") != "pi" || h.Get("Session-Id") != "s" || h.Get("Openai-Beta") == "" {
		t.Errorf("%v", h)
	}
	h = RequestHeader(guest)
	Introduce(p, h, keys.Credential{Kind: keys.KindOAuth, Access: keys.NewSecret("no-account")})
	if _, there := h["Chatgpt-Account-Id"]; there {
		t.Errorf("%v", h)
	}
}

// pi looks for the account in what it takes for a login of ChatGPT's.
func TestDummyCodex(t *testing.T) {
	data, err := PiModels("127.0.0.1:8377", []PiProvider{{Provider: builtin(t, "openai-codex")}, {Provider: builtin(t, "github-copilot")}})
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Providers map[string]struct{ BaseURL, APIKey string } `json:"providers"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	codex := v.Providers["openai-codex"]
	worthless := keys.Credential{Access: keys.NewSecret(codex.APIKey)}
	if codex.BaseURL != "http://127.0.0.1:8377/openai-codex/v1" || worthless.Account() != dummyKey || strings.Count(codex.APIKey, ".") != 2 {
		t.Errorf("%+v", codex)
	}
	if c := v.Providers["github-copilot"]; c.APIKey != dummyKey || c.BaseURL != "http://127.0.0.1:8377/github-copilot/v1" {
		t.Errorf("%+v", c)
	}
}
