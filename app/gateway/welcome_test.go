package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"piwork/app/gateway/keys"
)

// anywhere sends every request to one server of this computer, whatever its address.
type anywhere struct{ to *url.URL }

func (a anywhere) RoundTrip(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	to.Header.Set("X-Test-Host", r.URL.Host)
	to.URL.Scheme, to.URL.Host = a.to.Scheme, a.to.Host
	return http.DefaultTransport.RoundTrip(to)
}

// newLogin is a gateway with one login, and f as all of the network.
func newLogin(t *testing.T, c keys.Credential, f http.HandlerFunc) *Gateway {
	t.Helper()
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	to, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	store := &keys.Memory{}
	c.Kind = keys.KindOAuth
	if err := store.Set(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	g, err := New(Config{Keys: &keys.Source{Store: store}, Transport: anywhere{to}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// After a login, the account agrees to the terms of models that are known here and
// that nobody decided about, at the address that the token names.
func TestWelcome(t *testing.T) {
	const models = `{"data":[
		{"id":"claude-sonnet-5","model_picker_enabled":true,"policy":{"state":"unconfigured"}},
		{"id":"claude-opus-5","model_picker_enabled":true,"policy":{"state":"disabled"}},
		{"id":"gpt-5.6-sol","model_picker_enabled":true,"policy":{"state":"unconfigured"}},
		{"id":"unknown-1","model_picker_enabled":true,"policy":{"state":"unconfigured"}}]}`
	for name, tt := range map[string]struct {
		list   int
		terms  int
		want   []string
		failed Code
	}{
		"taken":     {200, 200, []string{"GET /models", "POST /models/claude-sonnet-5/policy", "POST /models/gpt-5.6-sol/policy"}, ""},
		"one no":    {200, 400, []string{"GET /models", "POST /models/claude-sonnet-5/policy", "POST /models/gpt-5.6-sol/policy"}, ""},
		"enough":    {200, 429, []string{"GET /models", "POST /models/claude-sonnet-5/policy"}, CodeLimited},
		"elsewhere": {302, 200, []string{"GET /models"}, CodeRedirect},
		"refused":   {401, 200, []string{"GET /models"}, CodeKeyRefused},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			g := newLogin(t, keys.Credential{Provider: "github-copilot", Access: keys.NewSecret("tid=canary;proxy-ep=proxy.business.githubcopilot.com")}, func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.Method+" "+r.URL.Path)
				if r.Header.Get("X-Test-Host") != "api.business.githubcopilot.com" || r.Header.Get("Authorization") != "Bearer tid=canary;proxy-ep=proxy.business.githubcopilot.com" || r.Header.Get("Copilot-Integration-Id") == "" {
					t.Errorf("header %v", r.Header)
				}
				if r.Method == http.MethodGet {
					if r.Header.Get("X-Github-Api-Version") == "" {
						t.Error("no version")
					}
					w.Header().Set("Location", "https://evil.example/")
					w.WriteHeader(tt.list)
					io.WriteString(w, models)
					return
				}
				body, _ := io.ReadAll(r.Body)
				if string(body) != `{"state":"enabled"}` || r.Header.Get("Openai-Intent") != "chat-policy" {
					t.Errorf("%s %v", body, r.Header)
				}
				w.WriteHeader(tt.terms)
			})
			err := g.Welcome(t.Context(), "github-copilot")
			var got Code
			if err != nil {
				got = asError(err, &Error{}).Code
			}
			if got != tt.failed || !slices.Equal(asked, tt.want) {
				t.Errorf("asked %v, %v", asked, err)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("it tells: %v", err)
			}
		})
	}
	// Others want nothing.
	g := newLogin(t, keys.Credential{Provider: "kimi-coding", Access: keys.NewSecret(canary)}, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	if err := g.Welcome(t.Context(), "kimi-coding"); err != nil {
		t.Error(err)
	}
}

// A token that names a foreign place is sent nowhere.
func TestForeignToken(t *testing.T) {
	g := newLogin(t, keys.Credential{Provider: "github-copilot", Access: keys.NewSecret("tid=canary;proxy-ep=proxy.evil.example")}, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	w := httptest.NewRecorder()
	g.Session(SessionOptions{}).Handler().ServeHTTP(w, httptest.NewRequest("POST", "/github-copilot/v1/chat/completions", strings.NewReader(`{"model":"gpt-5.6-sol"}`)))
	if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "canary") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if err := g.Test(t.Context(), "github-copilot"); asError(err, &Error{}).Code != CodeProvider {
		t.Error(err)
	}
}
