package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/task"
)

// The budget holds from the request after the one that used it up; the refusal has
// the protocol's shape and words after which pi does not try again.
func TestBudget(t *testing.T) {
	x := newRig(t, SessionOptions{Budget: 1000, Used: task.Usage{Cost: 850, Requests: 3}}, nil, gatewaytest.Turn{Parts: []string{"x"}, Input: 100, Output: 10})
	if resp, _ := x.post(t, "/anthropic/v1/messages", anthropicBody(true)); resp.StatusCode != 200 {
		t.Fatalf("status %d below the budget", resp.StatusCode)
	}
	<-x.counted // when the answer has ended, a moment after the client saw that
	resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true))
	var e struct {
		Type  string
		Error struct{ Type, Message, Code string }
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || resp.StatusCode != 402 || e.Type != "error" || e.Error.Code != "budget" || !strings.Contains(e.Error.Message, "out of budget") {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	if resp, body := x.post(t, "/custom/v1/chat/completions", openaiBody("")); resp.StatusCode != 402 || !strings.HasPrefix(body, `{"error":{"code":"budget"`) {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	if resp, _ := x.post(t, "/anthropic/v1/messages/count_tokens", anthropicBody(false)); resp.StatusCode != 200 {
		t.Errorf("what costs nothing has status %d", resp.StatusCode)
	}
	if n := len(x.up.Questions()); n != 2 {
		t.Errorf("asked %d times", n)
	}
	x.s.SetBudget(2000)
	if resp, _ := x.post(t, "/anthropic/v1/messages", anthropicBody(true)); resp.StatusCode != 200 {
		t.Errorf("status %d after the budget was raised", resp.StatusCode)
	}
	if resp, body := x.post(t, "/anthropic/v1/messages", `{"model":"unpriced"}`); resp.StatusCode != 402 || !strings.Contains(body, `"code":"unpriced"`) {
		t.Errorf("a model without a price: %d %s", resp.StatusCode, body)
	}
}

// pi's patterns (package 1.5.2), shortened to what could meet our words.
var (
	piRetries = regexp.MustCompile(`(?i)overloaded|rate.?limit|too many requests|\b(?:429|500|502|503|504|520|524)\b|service.?(?:is.?)?(?:temporarily.?)?unavailable|server.?error|internal.?error|network.?error|connection.?error|connection.?refused|upstream.?request.?failed|upstream.?connect|timed? out|timeout|terminated|try your request again`)
	piNever   = regexp.MustCompile(`(?i)insufficient_quota|out of budget|quota exceeded|billing`)
)

// pi tries again after what may pass, and never after what lasts. It looks at
// "<status> <body>".
func TestWordsForPi(t *testing.T) {
	again := map[Code]bool{CodeBusy: true, CodeUnreachable: true, CodeProxy: true, CodeStalled: true, CodeBadAnswer: true, CodeNotProvider: true, CodeOverloaded: true}
	for _, c := range []Code{CodeRefused, CodeProvider, CodeModel, CodeHosted, CodeBadRequest, CodeTooLarge, CodeBusy, CodeBudget, CodeUnpriced, CodeNoKey, CodeKeyStore,
		CodeLoginEnded, CodeOverloaded, CodeUnreachable, CodeProxy, CodeUntrusted, CodeStalled, CodeRedirect, CodeBadAnswer, CodeNotProvider} {
		for _, p := range []provider.Protocol{provider.Anthropic, provider.OpenAI, provider.Google} {
			status, message := (&Error{Code: c, Provider: "anthropic"}).answer()
			text := fmt.Sprintf("%d %s", status, provider.ErrorBody(p, status, string(c), message))
			if got := piRetries.MatchString(text) && !piNever.MatchString(text); got != again[c] {
				t.Errorf("%s: pi tries again: %v, want %v: %s", c, got, again[c], text)
			}
		}
	}
}

// As many requests at once as may be, the others wait.
func TestParallel(t *testing.T) {
	step := make(chan struct{})
	x := newRig(t, SessionOptions{}, func(c *Config) { c.Parallel = 2 }, gatewaytest.Turn{Parts: []string{"x"}, Step: step})
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { x.post(t, "/anthropic/v1/messages", anthropicBody(true)) })
	}
	for i := range 5 {
		for len(x.up.Questions()) < min(i+2, 5) {
			time.Sleep(time.Millisecond)
		}
		if n := len(x.up.Questions()); n > i+2 {
			t.Errorf("%d asked after %d answers", n, i)
		}
		step <- struct{}{}
	}
	wg.Wait()
	if n := len(x.up.Questions()); n != 5 {
		t.Errorf("asked %d times", n)
	}
}

// What pi is told, and what a session may not use.
func TestAllowed(t *testing.T) {
	router := newRig(t, SessionOptions{Models: []string{"openrouter/m", "anthropic/m"}}, nil)
	for path, status := range map[string]int{"/openrouter/v1/v1/messages": 403, "/anthropic/v1/messages": 200} {
		if resp, body := router.post(t, path, `{"model":"m","fallbacks":[{"model":"other"}],"messages":[]}`); resp.StatusCode != status {
			t.Errorf("another model to fall back to, %s: %d %s", path, resp.StatusCode, body)
		}
	}
	x := newRig(t, SessionOptions{Providers: []string{"custom"}, Models: []string{"custom/" + gatewaytest.OpenAIModel}}, nil)
	for _, tt := range []struct {
		path, body string
		status     int
		code       Code
	}{
		{"/custom/v1/chat/completions", openaiBody(""), 200, ""},
		{"/custom/v1/chat/completions", `{"model":"other"}`, 403, CodeModel},
		{"/custom/v1/chat/completions", `{"model":"scripted-1","model":"other"}`, 400, CodeBadRequest},
		{"/custom/v1/chat/completions", `{"model":"scripted-1","models":["other"]}`, 403, CodeModel},
		{"/anthropic/v1/messages", anthropicBody(true), 404, CodeProvider},
		{"/openai/v1/responses", openaiBody(""), 404, CodeProvider},
	} {
		resp, body := x.post(t, tt.path, tt.body)
		if resp.StatusCode != tt.status || tt.code != "" && !strings.Contains(body, fmt.Sprintf(`"code":%q`, tt.code)) {
			t.Errorf("%s %s: %d %s", tt.path, tt.body, resp.StatusCode, body)
		}
	}
	models, err := x.g.PiModels(t.Context(), "127.0.0.1:8377")
	if err != nil || strings.Contains(string(models), canary) {
		t.Fatalf("%v %s", err, models)
	}
	var m struct {
		Providers map[string]struct {
			BaseURL, APIKey, API string
			Models               []struct{ ID string }
		}
	}
	if err := json.Unmarshal(models, &m); err != nil {
		t.Fatal(err)
	}
	if a := m.Providers["anthropic"]; a.BaseURL != "http://127.0.0.1:8377/anthropic" || a.APIKey == "" || a.Models != nil {
		t.Errorf("anthropic: %+v", a)
	}
	if c := m.Providers["custom"]; c.BaseURL != "http://127.0.0.1:8377/custom/v1" || c.API != "openai-completions" || len(c.Models) != 1 {
		t.Errorf("custom: %+v", c)
	}
}

// A provider that does not answer: what is told to the guest, and to the person.
func TestNoAnswer(t *testing.T) {
	secure := gatewaytest.NewTLS(canary)
	defer secure.Close()
	for name, tt := range map[string]struct {
		base   string
		raw    func(http.ResponseWriter, *http.Request)
		status int
		code   Code
	}{
		"nobody":      {gatewaytest.Refusing, nil, 502, CodeUnreachable},
		"not trusted": {secure.URL, nil, 400, CodeUntrusted},
		"stalled":     {"", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504, CodeStalled},
		"broken off":  {"", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, CodeUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, func(c *Config) { c.Stall = 3 * time.Second }, gatewaytest.Turn{Raw: tt.raw})
			if tt.base != "" {
				if err := x.g.c.Keys.Set(t.Context(), keys.Credential{Provider: "anthropic", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: tt.base}); err != nil {
					t.Fatal(err)
				}
			}
			resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true))
			if resp.StatusCode != tt.status || !strings.Contains(body, fmt.Sprintf(`"code":%q`, tt.code)) {
				t.Errorf("status %d: %s", resp.StatusCode, body)
			}
			x.http.Close()
			if len(x.errors) != 1 || x.errors[0].Code != tt.code {
				t.Errorf("told %v", x.errors)
			}
			// A provider that was asked, and given up, may have worked on it.
			if u := x.s.Usage(); (u.Requests != 0) != (tt.code == CodeStalled) {
				t.Errorf("counted %+v", u)
			}
		})
	}
}

// A guest that floods is refused, and the person is not flooded.
func TestFlood(t *testing.T) {
	x := newRig(t, SessionOptions{}, func(c *Config) { c.MaxRoom = 1000 })
	for i := range 3 * maxTold {
		if resp, body := x.post(t, fmt.Sprintf("/p%d/v1/messages", i), "{}"); resp.StatusCode != 401 {
			t.Fatalf("status %d: %s", resp.StatusCode, body)
		}
	}
	if resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true)+strings.Repeat(" ", 2000)); resp.StatusCode != 503 || !strings.Contains(body, `"code":"busy"`) {
		t.Errorf("no room: %d %s", resp.StatusCode, body)
	}
	x.http.Close()
	if len(x.errors) != maxTold {
		t.Errorf("told %d times", len(x.errors))
	}
}

// asks is the status of a question for a model of anthropic.
func (x *rig) asks(t *testing.T, model string) int {
	t.Helper()
	resp, _ := x.post(t, "/anthropic/v1/messages", strings.Replace(anthropicBody(true), gatewaytest.AnthropicModel, model, 1))
	return resp.StatusCode
}

// A task that is given another model may use that one and its own, until it is taken back.
func TestAddModel(t *testing.T) {
	x := newRig(t, SessionOptions{Models: []string{"anthropic/own"}}, nil, gatewaytest.Turn{Parts: []string{"x"}})
	if x.asks(t, "other") != 403 {
		t.Error("a model of another task was taken")
	}
	for range 2 {
		x.s.AddModel("anthropic/other")
	}
	if own, other := x.asks(t, "own"), x.asks(t, "other"); own != 200 || other != 200 {
		t.Errorf("own %d, other %d", own, other)
	}
	for _, name := range []string{"other", "own"} { // the last one stays
		x.s.DropModel("anthropic/" + name)
	}
	if own, other := x.asks(t, "own"), x.asks(t, "other"); own != 200 || other != 403 {
		t.Errorf("afterwards own %d, other %d", own, other)
	}
}

// A model that another took the place of may be asked for a while, for what began with it, and
// where a turn goes on with it until that ends; then no more.
func TestReplaceModel(t *testing.T) {
	var now atomic.Int64
	x := newRig(t, SessionOptions{Models: []string{"anthropic/first"}}, func(c *Config) {
		c.now = func() time.Time { return time.Unix(now.Load(), 0) }
	}, gatewaytest.Turn{Parts: []string{"x"}})
	turn := make(chan struct{})
	replace := func(model string, until <-chan struct{}) func() {
		return func() { x.s.AddModel("anthropic/" + model); x.s.ReplaceModel("anthropic/"+model, until) }
	}
	for _, row := range []struct {
		at   time.Duration
		then func()
		may  string
	}{
		{0, replace("second", turn), "[200 200 403]"},
		{leaveWithin, func() {}, "[200 200 403]"}, // the turn goes on with the first
		{leaveWithin, replace("third", nil), "[200 200 200]"},
		{2*leaveWithin - time.Second, func() {}, "[200 200 200]"},
		{2 * leaveWithin, func() {}, "[200 403 200]"},
		{2 * leaveWithin, func() { close(turn) }, "[403 403 200]"},
		{2 * leaveWithin, replace("first", nil), "[200 403 200]"},
	} {
		now.Store(int64(row.at.Seconds()))
		row.then()
		if got := fmt.Sprint([]int{x.asks(t, "first"), x.asks(t, "second"), x.asks(t, "third")}); got != row.may {
			t.Errorf("after %s: %s, want %s", row.at, got, row.may)
		}
	}
}

// What costs nothing waits for no question, and for little else of its kind.
func TestCountingDoesNotWait(t *testing.T) {
	step := make(chan struct{})
	x := newRig(t, SessionOptions{}, func(c *Config) { c.Parallel = 1 }, gatewaytest.Turn{Raw: func(w http.ResponseWriter, _ *http.Request) {
		<-step
		w.WriteHeader(http.StatusOK)
	}})
	var wg sync.WaitGroup
	post := func(path string) { wg.Go(func() { x.post(t, path, anthropicBody(false)) }) }
	asked := func(n int) {
		t.Helper()
		for late := time.Now().Add(time.Minute); len(x.up.Questions()) < n && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
		}
		if got := len(x.up.Questions()); got != n {
			t.Errorf("asked %d times, not %d", got, n)
		}
	}
	post("/anthropic/v1/messages")
	asked(1)
	for range maxAside + 1 {
		post("/anthropic/v1/messages/count_tokens")
	}
	asked(1 + maxAside)
	step <- struct{}{}
	step <- struct{}{} // one of them counted
	asked(2 + maxAside)
	for range maxAside {
		step <- struct{}{}
	}
	wg.Wait()
}
