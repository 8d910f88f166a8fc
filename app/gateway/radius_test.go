package gateway

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/gateway/gatewaytest"
	"piwork/app/gateway/keys"
	"piwork/app/task"
)

const radiusToken = "radius-access-canary-0123456789"

// radiusRig is a session with a login of Radius, and all of the network behind it.
type radiusRig struct {
	g    *Gateway
	s    *Session
	up   *gatewaytest.Server
	http *httptest.Server
	log  *lines

	mu     sync.Mutex
	hosts  []string // that were asked, with the path
	errors []*Error
}

// asked is what was asked of the network.
func (x *radiusRig) asked() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.hosts)
}

// told are the errors, with which the session is over: they are told after an answer.
func (x *radiusRig) told() []*Error {
	x.http.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.errors)
}

// newRadius makes one. first answers requests in place of the scripted Radius, where
// it says that it did.
func newRadius(t *testing.T, o SessionOptions, first func(w http.ResponseWriter, r *http.Request) bool, script ...gatewaytest.Turn) *radiusRig {
	t.Helper()
	x := &radiusRig{up: gatewaytest.New("", script...), log: &lines{}}
	t.Cleanup(x.up.Close)
	proxy := func(w http.ResponseWriter, r *http.Request) {
		x.mu.Lock()
		x.hosts = append(x.hosts, r.Method+" "+r.Header.Get("X-Test-Host")+r.URL.RequestURI())
		x.mu.Unlock()
		if first != nil && first(w, r) {
			return
		}
		again, err := http.NewRequestWithContext(r.Context(), r.Method, x.up.URL+r.URL.RequestURI(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		again.Header = r.Header.Clone()
		resp, err := http.DefaultTransport.RoundTrip(again)
		if err != nil {
			return
		}
		defer resp.Body.Close()
		for k, v := range resp.Header {
			w.Header()[k] = v
		}
		w.WriteHeader(resp.StatusCode)
		if _, err := io.Copy(w, resp.Body); err != nil {
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler) // what broke off there breaks off here
		}
	}
	x.g = newLogin(t, keys.Credential{Provider: "radius", Access: keys.NewSecret(radiusToken), Refresh: keys.NewSecret("radius-refresh-canary"), Expires: time.Now().Add(time.Hour)}, proxy)
	x.g.log = slog.New(slog.NewTextHandler(x.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.OnError = func(e *Error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.errors = append(x.errors, e)
	}
	x.s = x.g.Session(o)
	x.http = httptest.NewServer(x.s.Handler())
	t.Cleanup(x.http.Close)
	t.Cleanup(func() {
		for _, e := range x.told() {
			fmt.Fprintf(x.log, "%v %+v", e, *e)
		}
		for _, word := range []string{"canary", "https://x.example", "worthless"} {
			if strings.Contains(x.log.String(), word) {
				t.Errorf("%q is in the log:\n%s", word, x.log)
			}
		}
	})
	return x
}

func (x *radiusRig) post(t *testing.T, path, body string) (*http.Response, string) {
	t.Helper()
	return (&rig{http: x.http}).post(t, path, body, "Authorization", "Bearer worthless", "Accept", "text/event-stream", "X-Api-Key", "worthless")
}

// A question of the guest goes to Radius' own address and operation, with the token in
// the header. What it costs is what the answer says, or what the table does.
func TestRadiusAnswers(t *testing.T) {
	used := gatewaytest.Turn{Parts: []string{"Hel", "lo"}, Input: 100, Output: 10, CacheRead: 50, Cost: 0.125}
	silent := gatewaytest.Turn{Parts: []string{"Hello"}, Silent: true}
	cut := gatewaytest.Turn{Parts: []string{"Hello"}, Cut: true}
	tokens := func(n int64) int64 { return n / 4 }
	long := int64(len(piBody))
	for name, tt := range map[string]struct {
		turn gatewaytest.Turn
		body string
		want task.Usage
	}{
		"it says": {used, piBody, task.Usage{Requests: 1, Input: 100, Output: 10, CacheRead: 50, Cost: 125_000}},
		"unknown": {used, strings.Replace(piBody, "balanced", "brand-new", 1), task.Usage{Requests: 1, Input: 100, Output: 10, CacheRead: 50, Cost: 125_000}},
		"silent":  {silent, piBody, task.Usage{Requests: 1, Input: tokens(long), Output: 5, Cost: 3*tokens(long) + 15*5}},
		"cut off": {cut, piBody, task.Usage{Requests: 1, Input: tokens(long), Output: 3, Cost: 3*tokens(long) + 15*3}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRadius(t, SessionOptions{Budget: 1e6}, nil, tt.turn)
			resp, text := x.post(t, "/radius/v1/messages?debug=1", tt.body)
			if resp.StatusCode != 200 || !strings.Contains(text, "Hel") || resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
				t.Fatalf("status %d: %s", resp.StatusCode, text)
			}
			if got := strings.Join(x.asked(), ", "); got != "POST radius.pi.dev/v1/messages" {
				t.Errorf("asked %s", got)
			}
			q := x.up.Questions()[0]
			if q.Key() != radiusToken || string(q.Body) != tt.body || strings.Contains(fmt.Sprint(q.Header), "worthless") {
				t.Errorf("asked %+v", q)
			}
			if got := x.s.Usage(); got != tt.want {
				t.Errorf("counted %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A budget holds for a service that says what its answers cost: as long as it does.
func TestRadiusBudget(t *testing.T) {
	unknown := strings.Replace(piBody, "balanced", "brand-new", 1)
	x := newRadius(t, SessionOptions{Budget: 200_000}, nil, gatewaytest.Turn{Parts: []string{"a"}, Cost: 0.125})
	for i, want := range []int{200, 200, 402} {
		if resp, text := x.post(t, "/radius/v1/messages", unknown); resp.StatusCode != want {
			t.Errorf("%d: status %d: %s", i, resp.StatusCode, text)
		}
	}
	x = newRadius(t, SessionOptions{Budget: 200_000}, nil, gatewaytest.Turn{Parts: []string{"a"}, Silent: true})
	for i, want := range []int{200, 402} {
		if resp, text := x.post(t, "/radius/v1/messages", unknown); resp.StatusCode != want || want == 402 && !strings.Contains(text, `"code":"unpriced"`) {
			t.Errorf("silent, %d: status %d: %s", i, resp.StatusCode, text)
		}
	}
}

// A token that is refused is renewed once, at the place of logins.
func TestRadiusRenews(t *testing.T) {
	x := newRadius(t, SessionOptions{}, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/v1/oauth/token":
			io.WriteString(w, `{"access_token":"radius-access-canary-2","refresh_token":"radius-refresh-canary-2","expires_in":3600}`)
		case r.Header.Get("Authorization") != "Bearer radius-access-canary-2":
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"code":"invalid_token","message":"over"}}`)
		default:
			return false
		}
		return true
	})
	if resp, text := x.post(t, "/radius/v1/messages", piBody); resp.StatusCode != 200 {
		t.Errorf("status %d: %s", resp.StatusCode, text)
	}
	if got := strings.Join(x.asked(), ", "); got != "POST radius.pi.dev/v1/messages, POST radius.pi.dev/v1/oauth/token, POST radius.pi.dev/v1/messages" {
		t.Errorf("asked %s", got)
	}
}

// Its errors reach pi as they are, and the task by their meaning; a time that is named
// is waited for.
func TestRadiusErrors(t *testing.T) {
	for status, want := range map[int]Code{400: CodeBadRequest, 402: CodeNoCredit, 403: CodeDenied, 429: CodeLimited, 500: CodeOverloaded, 529: CodeOverloaded} {
		x := newRadius(t, SessionOptions{}, nil, gatewaytest.Turn{Status: status, Message: "canned words", RetryAfter: "2"})
		var held []time.Duration
		x.g.c.after = func(d time.Duration) <-chan time.Time {
			held = append(held, d)
			ch := make(chan time.Time, 1)
			ch <- time.Time{}
			return ch
		}
		resp, text := x.post(t, "/radius/v1/messages", piBody)
		if e := x.told(); resp.StatusCode != status || !strings.Contains(text, "canned words") || len(e) != 1 || e[0].Code != want {
			t.Errorf("%d: %d %s, %v", status, resp.StatusCode, text, e)
		}
		if waits := status == 429 || status == 529; waits != (len(held) == 1 && held[0] == 2*time.Second) || !waits && len(held) != 0 {
			t.Errorf("%d: held %v", status, held)
		}
		if u := x.s.Usage(); u.Requests != 0 {
			t.Errorf("%d: counted %+v", status, u)
		}
	}
}

// What a hostile guest asks of it.
func TestRadiusAttacksOfTheGuest(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		status     int
	}{
		"the token of a login":  {"/radius/v1/oauth/token", piBody, 403},
		"a bug report":          {"/radius/v1/bug-reports", piBody, 403},
		"a session for others":  {"/radius/v1/artifacts", piBody, 403},
		"its servers of tools":  {"/radius/mcp", piBody, 403},
		"another version":       {"/radius/v2/messages", piBody, 403},
		"twice the version":     {"/radius/v1/v1/messages", piBody, 403},
		"another protocol":      {"/radius/v1/chat/completions", piBody, 403},
		"another host":          {"/radius/v1/messages@evil.example", piBody, 403},
		"a tool of its own":     {"/radius/v1/messages", strings.Replace(piBody, `{"name":"read"`, `{"type":"web_search","name":"read"`, 1), 403},
		"an option nobody knew": {"/radius/v1/messages", strings.Replace(piBody, `"options":{`, `"options":{"search":true,`, 1), 403},
		"two models":            {"/radius/v1/messages", strings.Replace(piBody, `"context"`, `"model":"expensive","context"`, 1), 400},
		"another model":         {"/radius/v1/messages", strings.Replace(piBody, "balanced", "expensive", 1), 403},
		"no model":              {"/radius/v1/messages", strings.Replace(piBody, `"model"`, `"x"`, 1), 400},
	} {
		x := newRadius(t, SessionOptions{Models: []string{"radius/balanced"}}, nil)
		if resp, text := x.post(t, tt.path, tt.body); resp.StatusCode != tt.status || !strings.Contains(text, `"error"`) {
			t.Errorf("%s: status %d: %s", name, resp.StatusCode, text)
		}
		if asked := x.asked(); len(asked) != 0 {
			t.Errorf("%s: asked %v", name, asked)
		}
	}
}

// What a hostile Radius, or what stands in its place, answers.
func TestRadiusAttacksOfTheProvider(t *testing.T) {
	for name, tt := range map[string]struct {
		raw    func(w http.ResponseWriter, r *http.Request)
		status int
	}{
		"another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/v1/messages", 307)
		}, 400},
		"its own address": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/v1/messages", 308) }, 400},
		"the token in the text": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, c := range `data: {"type":"text_delta","delta":"` + r.Header.Get("Authorization") + `, radius-refresh-canary"}` + "\n\n" {
				fmt.Fprint(w, string(c))
				http.NewResponseController(w).Flush()
			}
		}, 200},
		"the token in an error": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(403)
			fmt.Fprintf(w, `{"error":{"code":"x","message":%q}}`, r.Header.Get("Authorization"))
		}, 403},
		"the token in a header": {func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Request-Id", radiusToken) }, 200},
		"a line without an end": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: ", strings.Repeat("x", 5<<20))
		}, 200},
		"a cost below nothing": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"type":"done","usage":{"input":-1e30,"output":1,"cost":{"total":-5}}}`, "\n\n")
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRadius(t, SessionOptions{}, func(w http.ResponseWriter, r *http.Request) bool { tt.raw(w, r); return true })
			resp, text := x.post(t, "/radius/v1/messages", piBody)
			if resp.StatusCode != tt.status || strings.Contains(fmt.Sprint(resp.Header, text), "canary") {
				t.Errorf("status %d: %.300s", resp.StatusCode, text)
			}
			if got := strings.Join(x.asked(), ", "); got != "POST radius.pi.dev/v1/messages" {
				t.Errorf("asked %s", got)
			}
			if u := x.s.Usage(); u.Cost < 0 || u.Input < 0 || u.Cost == 0 && tt.status == 200 {
				t.Errorf("counted %+v", u)
			}
		})
	}
}

// Its models are those that it says, wherever else it wants to be asked. Everybody may
// get that list, so that a login is tried by renewing it.
func TestRadiusModels(t *testing.T) {
	const good = `{"id":"balanced","name":"B","reasoning":true,"input":["text"],"cost":{},"contextWindow":1000,"maxTokens":1}`
	config, token := `{"baseUrl":"https://evil.example/v1","models":[`+good+`,`+strings.ReplaceAll(good, "balanced", "brand-new")+`]}`, 200
	x := newRadius(t, SessionOptions{}, func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/v1/config":
			if r.Header.Get("Authorization") != "Bearer "+radiusToken {
				t.Errorf("signed in as %q", r.Header.Get("Authorization"))
			}
			io.WriteString(w, config)
		case "/v1/oauth/token":
			w.WriteHeader(token)
			fmt.Fprintf(w, `{"access_token":%q,"expires_in":3600}`, radiusToken)
		default:
			return false
		}
		return true
	})
	models, err := x.g.Models(t.Context(), "radius")
	if err != nil || len(models) != 2 || models[0].ID != "balanced" || models[1].ID != "brand-new" {
		t.Fatalf("%+v, %v", models, err)
	}
	if m := models[0]; !*m.Images || m.Context != 1048576 {
		t.Errorf("pi goes by its own list: %+v", m)
	}
	if m := models[1]; *m.Images || !*m.Thinks || m.Context != 1000 {
		t.Errorf("%+v", m)
	}
	if resp, text := x.post(t, "/radius/v1/messages", piBody); resp.StatusCode != 200 {
		t.Errorf("status %d: %s", resp.StatusCode, text)
	}
	if err := x.g.Test(t.Context(), "radius"); err != nil {
		t.Error(err)
	}
	token = 400
	if err := x.g.Test(t.Context(), "radius"); asError(err, &Error{}).Code != CodeLoginEnded {
		t.Error(err)
	}
	for _, at := range x.asked() {
		if !strings.Contains(at, " radius.pi.dev/") {
			t.Errorf("asked %s", at)
		}
	}
	for _, config = range []string{`<html>`, `{}`, `{"models":[]}`, `{"baseUrl":7,"models":[]}`, `{"baseUrl":"x","models":{}}`, strings.Repeat(" ", maxList) + `{"baseUrl":"x","models":[]}`} {
		if _, err := x.g.Models(t.Context(), "radius"); asError(err, &Error{}).Code != CodeNotProvider {
			t.Errorf("%.40s: %v", config, err)
		}
	}
}
