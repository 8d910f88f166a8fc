package agent_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/app/gateway"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// loginToken is what signs in, and must be nowhere but in requests to the provider.
const (
	loginToken   = "login-canary-0123456789"
	copilotToken = "tid=canary;exp=1;proxy-ep=proxy.business.githubcopilot.com;st=dotcom"
)

// codexToken says that it is of the account "account-canary".
var codexToken = "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"account-canary"}}`)) + ".login-canary"

// copilotHeader is what Copilot wants of each question.
var copilotHeader = http.Header{
	"Authorization": {"Bearer " + copilotToken}, "User-Agent": {"GitHubCopilotChat/0.35.0"}, "Editor-Version": {"vscode/1.107.0"},
	"Editor-Plugin-Version": {"copilot-chat/0.35.0"}, "Copilot-Integration-Id": {"vscode-chat"},
	"X-Initiator": {"user"}, "Openai-Intent": {"conversation-edits"}, "X-Api-Key": nil,
}

// elsewhere stands for the whole network: whatever address is asked, the scripted
// model answers, at the path of it that it knows. It keeps what was asked.
type elsewhere struct {
	model *url.URL

	mu    sync.Mutex
	asked []*http.Request // as they would have left this computer
}

func (e *elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r.Clone(r.Context()))
	e.mu.Unlock()
	to := r.Clone(r.Context())
	to.URL.Scheme, to.URL.Host = e.model.Scheme, e.model.Host
	for _, known := range []string{"/chat/completions", "/responses", "/messages"} {
		if strings.HasSuffix(r.URL.Path, known) {
			to.URL.Path = "/v1" + known
		}
	}
	return http.DefaultTransport.RoundTrip(to)
}

// paths are the addresses that were asked.
func (e *elsewhere) paths() (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.asked {
		all = append(all, r.Method+" "+r.URL.String())
	}
	return all
}

// A login reaches its service with the headers that it wants, through the real
// gateway, from the real pi that knows nothing of it.
func TestRealLogins(t *testing.T) {
	for _, tt := range []struct {
		model  string // "<provider>/<model>"
		login  keys.Credential
		want   string
		header http.Header
	}{
		{"kimi-coding/kimi-for-coding", keys.Credential{Access: keys.NewSecret(loginToken)},
			"POST https://api.kimi.com/coding/v1/chat/completions",
			http.Header{"Authorization": {"Bearer " + loginToken}}},
		{"github-copilot/gemini-4-argon", keys.Credential{Access: keys.NewSecret(copilotToken)},
			"POST https://api.business.githubcopilot.com/chat/completions", copilotHeader},
		{"github-copilot/gpt-5.6-sol", keys.Credential{Access: keys.NewSecret(copilotToken)},
			"POST https://api.business.githubcopilot.com/responses", copilotHeader},
		{"github-copilot/claude-sonnet-5", keys.Credential{Access: keys.NewSecret(copilotToken)},
			"POST https://api.business.githubcopilot.com/v1/messages?beta=true", copilotHeader},
		{"github-copilot/gpt-5.6-sol", keys.Credential{Access: keys.NewSecret("tid=canary;exp=2"), Domain: "company.ghe.com"},
			"POST https://copilot-api.company.ghe.com/responses", http.Header{"Authorization": {"Bearer tid=canary;exp=2"}}},
		{"openai/gpt-5.6-sol", keys.Credential{Access: keys.NewSecret(loginToken), Client: "client-1"},
			"POST https://api.openai.com/v1/responses", http.Header{"Authorization": {"Bearer " + loginToken}, "Chatgpt-Account-Id": nil}},
		{"meta/muse-spark-1.3", keys.Credential{Access: keys.NewSecret(loginToken)},
			"POST https://api.meta.ai/v1/responses",
			http.Header{"Authorization": {"Bearer " + loginToken}}},
		{"radius/balanced", keys.Credential{Access: keys.NewSecret(loginToken)},
			"POST https://radius.pi.dev/v1/messages",
			http.Header{"Authorization": {"Bearer " + loginToken}, "Accept": {"text/event-stream"}, "X-Api-Key": nil}},
		{"radius/brand-new", keys.Credential{Access: keys.NewSecret(loginToken)}, // pi is told of it
			"POST https://radius.pi.dev/v1/messages",
			http.Header{"Authorization": {"Bearer " + loginToken}}},
		{"openai-codex/gpt-5.6-sol", keys.Credential{Access: keys.NewSecret(codexToken)},
			"POST https://chatgpt.com/backend-api/codex/responses",
			http.Header{"Authorization": {"Bearer " + codexToken}, "Chatgpt-Account-Id": {"account-canary"}, "Originator": {"pi"},
				"Openai-Beta": {"responses=experimental"}, "Content-Encoding": nil}},
	} {
		id, name, _ := strings.Cut(tt.model, "/")
		t.Run(strings.ReplaceAll(tt.model, "/", "-"), func(t *testing.T) {
			b := newBench(t)
			turn := says("Well.")
			turn.Cost = 0.01 // where the answer says it
			b.model = gatewaytest.New("", turn)
			t.Cleanup(b.model.Close)
			to, err := url.Parse(b.model.URL)
			b.do(err)
			out := &elsewhere{model: to}
			store := &keys.Memory{}
			tt.login.Provider, tt.login.Kind = id, keys.KindOAuth
			tt.login.Refresh, tt.login.Expires = keys.NewSecret("refresh-canary"), time.Now().Add(time.Hour)
			b.do(store.Set(b.ctx, tt.login))
			g, err := gateway.New(gateway.Config{Keys: &keys.Source{Store: store}, Transport: out})
			b.do(err)
			t.Cleanup(g.Close)
			var mu sync.Mutex
			var refused []error
			s := g.Session(gateway.SessionOptions{Budget: 1e6, Models: []string{tt.model}, OnError: func(e *gateway.Error) {
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, e)
			}})
			way := httptest.NewServer(s.Handler())
			t.Cleanup(way.Close)
			models, err := g.PiModels(b.ctx, strings.TrimPrefix(way.URL, "http://"), provider.Model{ID: tt.model})
			b.do(err)
			if strings.Contains(string(models), "canary") {
				t.Fatalf("pi is told %s", models)
			}
			i := slices.IndexFunc(b.launch.Files, func(f agent.File) bool { return f.Path == "pi/models.json" })
			b.launch.Files[i].Data = models
			b.launch.Argv = replaceAfter(replaceAfter(b.launch.Argv, "--provider", id), "--model", name)
			b.settings(`"retry":{"enabled":false}`)
			b.start()
			b.do(b.s.Prompt(b.ctx, "Say it."))
			o := b.settled()
			mu.Lock()
			defer mu.Unlock()
			if o.Failure != "" || len(refused) > 0 {
				t.Fatalf("ended as %+v, refused %v, asked %v", o, refused, out.paths())
			}
			if got := out.paths(); !slices.Equal(got, []string{tt.want}) {
				t.Fatalf("asked %v", got)
			}
			for k, v := range tt.header {
				if got := out.asked[0].Header[k]; !slices.Equal(got, v) {
					t.Errorf("%s is %q, want %q", k, got, v)
				}
			}
			if u := s.Usage(); u.Requests != 1 || u.Cost == 0 || u.Unknown {
				t.Errorf("counted %+v", u)
			}
		})
	}
}
