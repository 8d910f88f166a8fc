package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"piwork/app/gateway/keys"
)

// A provider that does not say what it has offers what pi knows of it, and its login is
// tried by renewing it.
func TestUnlisted(t *testing.T) {
	const account = "a.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.b"
	for name, tt := range map[string]struct {
		status int
		answer string
		want   Code
	}{
		"holds":      {200, `{"access_token":"` + account + `","refresh_token":"refresh-canary-2","expires_in":3600}`, ""},
		"ended":      {400, `{"error":"invalid_grant"}`, CodeLoginEnded},
		"signed out": {401, `{"error":{"type":"invalid_request_error"}}`, CodeLoginEnded},
		"busy":       {503, ``, CodeOverloaded},
		"no answer":  {200, `<html>`, CodeBadAnswer},
		"no account": {200, `{"access_token":"access-canary","refresh_token":"refresh-canary-2"}`, CodeBadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			token := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.answer)
			}))
			t.Cleanup(token.Close)
			g := newLogin(t, keys.Credential{Provider: "openai-codex", Access: keys.NewSecret(account + "1"), Refresh: keys.NewSecret("refresh-canary-1"), Expires: time.Now().Add(time.Hour)},
				func(http.ResponseWriter, *http.Request) { t.Error("the models were asked for") })
			e := keys.Endpoints()["openai-codex"]
			e.TokenURL = token.URL
			g.c.Keys.Endpoints, g.c.Keys.Client = map[string]keys.Endpoint{"openai-codex": e}, token.Client()
			models, err := g.Models(t.Context(), "openai-codex")
			if err != nil || len(models) < 3 || models[0].ID >= models[1].ID || asked != 0 {
				t.Errorf("%d times, %v, %v", asked, models, err)
			}
			err = g.Test(t.Context(), "openai-codex")
			var got Code
			if err != nil {
				got = asError(err, &Error{}).Code
			}
			if got != tt.want || asked != 1 {
				t.Errorf("asked %d times, %v", asked, err)
			}
		})
	}
}

// A login of OpenAI's own API is good for answers only: the list of its models is not
// asked for. With a key it is.
func TestUnlistedLogin(t *testing.T) {
	asked := 0
	g := newLogin(t, keys.Credential{Provider: "openai", Access: keys.NewSecret("access-canary")}, func(w http.ResponseWriter, r *http.Request) {
		asked++
		io.WriteString(w, `{"data":[{"id":"gpt-x"}]}`)
	})
	if models, err := g.Models(t.Context(), "openai"); err != nil || len(models) < 3 || asked != 0 {
		t.Errorf("%d times, %v, %v", asked, models, err)
	}
	if err := g.c.Keys.Set(t.Context(), keys.Credential{Provider: "openai", Kind: keys.KindKey, Key: keys.NewSecret(canary)}); err != nil {
		t.Fatal(err)
	}
	if models, err := g.Models(t.Context(), "openai"); err != nil || len(models) != 1 || asked != 1 {
		t.Errorf("%d times, %v, %v", asked, models, err)
	}
}

// Of Copilot's models, those that the account may use and pi knows are offered.
func TestUsable(t *testing.T) {
	list := `{"data":[{"id":"gpt-5.6-sol","model_picker_enabled":true},{"id":"claude-sonnet-5","model_picker_enabled":true},
		{"id":"gpt-5.6-luna","model_picker_enabled":false},{"id":"unknown-1","model_picker_enabled":true}]}`
	g := newLogin(t, keys.Credential{Provider: "github-copilot", Access: keys.NewSecret("tid=canary")}, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, list) })
	got, err := g.Models(t.Context(), "github-copilot")
	if err != nil || len(got) != 2 || got[0].ID != "claude-sonnet-5" || got[1].ID != "gpt-5.6-sol" {
		t.Errorf("%v, %v", got, err)
	}
	list = `<html>`
	if err := g.Test(t.Context(), "github-copilot"); asError(err, &Error{}).Code != CodeNotProvider {
		t.Error(err)
	}
}
