package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
	"piwork/app/task"
)

// canary is a key that must be nowhere but in requests to its provider.
const canary = "sk-canary-0123456789abcdefghijklmnop"

// rig is a gateway with a session, in front of a scripted provider.
type rig struct {
	up     *gatewaytest.Server
	g      *Gateway
	s      *Session
	http   *httptest.Server
	log    *lines
	errors []*Error
	used   []Used
	sums   []task.Usage
	waits  []time.Time
	held   []time.Duration

	counted chan task.Usage
}

// lines keeps a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// prices make every model of the providers "anthropic" and "custom" cost.
func prices(p provider.Provider, model string) (meter.Price, bool) {
	return meter.Price{Input: 1, Output: 10}, model != "unpriced"
}

// newRig starts it all. Providers "anthropic" and "custom" are the scripted one.
func newRig(t *testing.T, o SessionOptions, change func(*Config), script ...gatewaytest.Turn) *rig {
	t.Helper()
	x := &rig{up: gatewaytest.New(canary, script...), log: &lines{}, counted: make(chan task.Usage, 100)}
	t.Cleanup(x.up.Close)
	store := &keys.Memory{}
	for _, c := range []keys.Credential{
		{Provider: "anthropic", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: x.up.URL},
		{Provider: "openrouter", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: x.up.URL + "/v1"},
		{Provider: "custom", Kind: keys.KindKey, Key: keys.NewSecret(canary), BaseURL: x.up.URL + "/v1", Protocol: "openai", Models: []string{gatewaytest.OpenAIModel}},
	} {
		if err := store.Set(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{
		Keys: &keys.Source{Store: store}, Price: prices,
		Log: slog.New(slog.NewTextHandler(x.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		now: func() time.Time { return time.Time{} },
		after: func(d time.Duration) <-chan time.Time {
			x.held = append(x.held, d)
			ch := make(chan time.Time, 1)
			ch <- time.Time{}
			return ch
		},
	}
	if change != nil {
		change(&c)
	}
	var err error
	if x.g, err = New(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.g.Close)
	o.OnError = func(e *Error) { x.errors = append(x.errors, e) }
	o.OnUsage = func(sum task.Usage, one Used) {
		x.sums, x.used = append(x.sums, sum), append(x.used, one)
		x.counted <- sum
	}
	o.OnWait = func(_ string, until time.Time) { x.waits = append(x.waits, until) }
	x.s = x.g.Session(o)
	x.http = httptest.NewUnstartedServer(nil)
	x.http.Config = x.s.server(context.WithoutCancel(t.Context()))
	x.http.Start()
	t.Cleanup(x.http.Close)
	t.Cleanup(func() {
		for _, word := range []string{canary, "secret words", "worthless", "access_token"} {
			if strings.Contains(x.log.String(), word) {
				t.Errorf("%q is in the log:\n%s", word, x.log.String())
			}
		}
	})
	return x
}

// post asks, as pi would.
func (x *rig) post(t *testing.T, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, x.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Logf("answer broke off: %v", err)
		b = append(b, " [broken off]"...)
	}
	return resp, string(b)
}

func anthropicBody(stream bool) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":10,"stream":%v,"messages":[{"role":"user","content":"secret words of the person"}]}`, gatewaytest.AnthropicModel, stream)
}

func openaiBody(more string) string {
	return fmt.Sprintf(`{"model":%q,"stream":true,"messages":[]%s}`, gatewaytest.OpenAIModel, more)
}

// An answer passes unchanged, the key goes to the provider, and it is counted.
func TestAnswers(t *testing.T) {
	turn := gatewaytest.Turn{Parts: []string{"Hello, ", "wörld"}, Tools: []gatewaytest.Tool{{Name: "read", Input: map[string]any{"path": "a.txt"}}},
		Input: 100, Output: 7, CacheRead: 3, CacheWrite: 2}
	want := task.Usage{Requests: 1, Input: 100, Output: 7, CacheRead: 3, CacheWrite: 2, Cost: 105 + 70}
	for _, tt := range []struct{ name, path, up, body string }{
		{"anthropic stream", "/anthropic/v1/messages?beta=true", "/v1/messages?beta=true", anthropicBody(true)},
		{"anthropic whole", "/anthropic/v1/messages", "/v1/messages", anthropicBody(false)},
		{"anthropic's at openrouter", "/openrouter/v1/v1/messages", "/v1/messages", anthropicBody(true)},
		{"openai stream", "/custom/v1/chat/completions", "/v1/chat/completions", openaiBody("")},
		{"responses stream", "/custom/v1/responses", "/v1/responses", openaiBody("")},
		{"responses whole", "/custom/v1/responses", "/v1/responses", `{"model":"m"}`},
		{"openai whole", "/custom/v1/chat/completions", "/v1/chat/completions", `{"model":"m"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil, turn)
			resp, got := x.post(t, tt.path, tt.body, "Anthropic-Version", "2023-06-01", "X-Api-Key", "worthless", "Authorization", "Bearer worthless")
			if resp.StatusCode != 200 {
				t.Fatalf("status %d: %s", resp.StatusCode, got)
			}
			q := x.up.Questions()
			if len(q) != 1 || q[0].Path != tt.up || q[0].Key() != canary || strings.Contains(fmt.Sprint(q[0].Header), "worthless") {
				t.Errorf("the provider was asked %+v", q)
			}
			// The same question without a gateway.
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, x.up.URL+tt.up, bytes.NewReader(q[0].Body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", canary)
			direct, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer direct.Body.Close()
			if b, err := io.ReadAll(direct.Body); err != nil || string(b) != got {
				t.Errorf("%v: through the gateway:\n%s\nwithout:\n%s", err, got, b)
			}
			if tr := x.s.Traffic(); len(tr) != 1 || tr[0].Host != "127.0.0.1" || tr[0].Out != int64(len(q[0].Body)) || tr[0].In != int64(len(got)) || tr[0].Times != 1 {
				t.Errorf("went: %+v; %d bytes asked, %d answered", tr, len(q[0].Body), len(got))
			}
			if u := x.s.Usage(); u != want || len(x.sums) != 1 || x.sums[0] != want {
				t.Errorf("counted %+v %+v, want %+v", u, x.sums, want)
			}
		})
	}
}

// What was used is asked for where it has to be, and nothing else is changed.
func TestUsageIsAskedFor(t *testing.T) {
	for more, want := range map[string]string{
		``: `{"stream_options":{"include_usage":true},"model":"scripted-1","stream":true,"messages":[]}`,
		`,"stream_options":{"include_usage":true}`:        `{"model":"scripted-1","stream":true,"messages":[],"stream_options":{"include_usage":true}}`,
		`,"stream_options":{"include_usage":false,"a":1}`: `{"model":"scripted-1","stream":true,"messages":[],"stream_options":{"a":1,"include_usage":true}}`,
		`,"stream_options": null , "z":"ü \u00fc"`:        `{"model":"scripted-1","stream":true,"messages":[],"stream_options": {"include_usage":true} , "z":"ü \u00fc"}`,
	} {
		x := newRig(t, SessionOptions{Hosted: true}, nil) // it may ask for what is not known here
		if resp, body := x.post(t, "/custom/v1/chat/completions", openaiBody(more)); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", more, resp.StatusCode, body)
			continue
		}
		if got := string(x.up.Questions()[0].Body); got != want {
			t.Errorf("%s:\n got %s\nwant %s", more, got, want)
		}
	}
}

// Each part comes before the next is there: the provider waits for the client.
func TestStreamsPartByPart(t *testing.T) {
	step := make(chan struct{})
	x := newRig(t, SessionOptions{}, nil, gatewaytest.Turn{Parts: []string{"one", "two", "three"}, Step: step})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, x.http.URL+"/anthropic/v1/messages", strings.NewReader(anthropicBody(true)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for _, word := range []string{"one", "two", "three"} {
		step <- struct{}{}
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				t.Fatalf("before %q: %v", word, err)
			}
			if strings.Contains(line, word) {
				break
			}
		}
	}
}

// Refusals of the provider pass as they are; what they mean is told. Nothing is
// sent twice, and an answer that names a time waits for it.
func TestProviderErrors(t *testing.T) {
	tests := []struct {
		turn gatewaytest.Turn
		code Code
		held time.Duration
		wait bool
	}{
		{turn: gatewaytest.Turn{Status: 401, Message: "invalid x-api-key"}, code: CodeKeyRefused},
		{turn: gatewaytest.Turn{Status: 400, Message: "Your credit balance is too low to access the API"}, code: CodeNoCredit},
		{turn: gatewaytest.Turn{Status: 403, Message: "no"}, code: CodeDenied},
		{turn: gatewaytest.Turn{Status: 429, Message: "slow down"}, code: CodeLimited},
		{turn: gatewaytest.Turn{Status: 429, Message: "slow down", RetryAfter: "7"}, code: CodeLimited, held: 7 * time.Second, wait: true},
		{turn: gatewaytest.Turn{Status: 429, Message: "come back tomorrow", RetryAfter: "86400"}, code: CodeLimited, wait: true},
		{turn: gatewaytest.Turn{Status: 429, Message: "nonsense", RetryAfter: "-1"}, code: CodeLimited},
		{turn: gatewaytest.Turn{Status: 529, Message: "overloaded", RetryAfter: "0.5"}, code: CodeOverloaded, held: time.Second / 2, wait: true},
		{turn: gatewaytest.Turn{Status: 503, Message: "overloaded", RetryAfter: "1"}, code: CodeOverloaded, held: time.Second, wait: true},
		{turn: gatewaytest.Turn{Status: 500, Message: "broken", RetryAfter: "1"}, code: CodeOverloaded},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.turn.Status, tt.turn.Message), func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil, tt.turn)
			resp, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true))
			if resp.StatusCode != tt.turn.Status || !strings.Contains(body, tt.turn.Message) {
				t.Errorf("status %d: %s", resp.StatusCode, body)
			}
			x.http.Close()
			if n := len(x.up.Questions()); n != 1 {
				t.Errorf("asked %d times", n)
			}
			if len(x.errors) != 1 || x.errors[0].Code != tt.code || x.errors[0].Status != tt.turn.Status {
				t.Errorf("told %v, want %s", x.errors, tt.code)
			}
			if tt.held != 0 && (len(x.held) != 1 || x.held[0] != tt.held || resp.Header.Get("Retry-After") != "") || tt.held == 0 && len(x.held) != 0 {
				t.Errorf("held back %v with %q, want %v", x.held, resp.Header.Get("Retry-After"), tt.held)
			}
			if (len(x.waits) == 1) != tt.wait {
				t.Errorf("told to wait %v", x.waits)
			}
			if u := x.s.Usage(); u != (task.Usage{}) {
				t.Errorf("counted %+v", u)
			}
		})
	}
}

// An answer that breaks off, stalls, or is left by the guest is not made whole,
// ends in time, and is counted.
func TestCutAnswers(t *testing.T) {
	stall := map[string]time.Duration{"stalled": 3 * time.Second} // the answer's parts have to come within it on a busy computer
	for name, turn := range map[string]gatewaytest.Turn{"cut": {Parts: []string{"a", "b", "c"}, Cut: true, Input: 40}, "stalled": {Parts: []string{"a", "b", "c"}, Stall: true, Input: 40}} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, func(c *Config) { c.Stall = stall[name] }, turn)
			_, body := x.post(t, "/anthropic/v1/messages", anthropicBody(true))
			if !strings.HasSuffix(body, "[broken off]") || !strings.Contains(body, `"text":"c"`) {
				t.Errorf("got %s", body)
			}
			x.http.Close()
			if u := x.s.Usage(); u.Requests != 1 || u.Input != 40 || u.Output != 5 || !x.used[0].Guessed {
				t.Errorf("counted %+v %+v", u, x.used)
			}
			if len(x.errors) != 1 || name == "stalled" && x.errors[0].Code != CodeStalled {
				t.Errorf("told %v", x.errors)
			}
		})
	}
	t.Run("left", func(t *testing.T) {
		x := newRig(t, SessionOptions{}, nil, gatewaytest.Turn{Parts: []string{"a"}, Stall: true, Silent: true})
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.http.URL+"/custom/v1/chat/completions", strings.NewReader(openaiBody("")))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewReader(resp.Body); ; {
			if line, err := in.ReadString('\n'); err != nil || strings.Contains(line, `"a"`) {
				break
			}
		}
		cancel()
		resp.Body.Close()
		x.http.Close() // returns when the request has ended, with it the provider's
		if u := x.s.Usage(); u.Requests != 1 || u.Input == 0 || u.Output == 0 {
			t.Errorf("leaving early is free: %+v", u)
		}
	})
}

// dial speaks HTTP by hand.
func (x *rig) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", x.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
