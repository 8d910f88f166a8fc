package models

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
)

// What is signed in to only has no key that could be kept.
func TestKeyOfALogin(t *testing.T) {
	c := newWorld(t).open()
	for _, id := range []string{"github-copilot", "openai-codex"} {
		_, err := c.SetKey(t.Context(), id, KeyRequest{Key: "sk-0123456789"})
		wants(t, id, err, problem.CodeKeyInvalid, "login")
	}
	if _, err := c.SetKey(t.Context(), "kimi-coding", KeyRequest{Key: "sk-0123456789"}); err != nil {
		t.Error(err)
	}
	list, err := c.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		want := k.Provider == "github-copilot" || k.Provider == "openai-codex"
		if k.NoKey != want {
			t.Errorf("%s: takes no key: %v", k.Provider, k.NoKey)
		}
	}
}

// Who signs in to what has terms is told so before.
func TestLoginWithTerms(t *testing.T) {
	device := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"device_code":"d","user_code":"U-1","verification_uri":"https://login.example/device","expires_in":900,"interval":5}`))
	}))
	t.Cleanup(device.Close)
	c := newWorld(t).open()
	c.source.Client = device.Client()
	c.source.After = func(time.Duration) <-chan time.Time { return nil }
	for id, want := range map[string]bool{"github-copilot": true, "kimi-coding": false} {
		e := keys.Endpoints()[id]
		e.DeviceURL, e.TokenURL = device.URL, device.URL
		c.source.Endpoints = map[string]keys.Endpoint{id: e}
		l, err := c.BeginLogin(t.Context(), id, LoginRequest{})
		if err != nil || l.Terms != want || l.UserCode != "U-1" {
			t.Errorf("%s: %+v, %v", id, l, err)
		}
	}
}

// Which way a login is made is the person's choice, of those that there are; what
// services know this computer by stays.
func TestLoginWays(t *testing.T) {
	codex := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"device_auth_id":"d","user_code":"U-1","interval":"5"}`))
	}))
	t.Cleanup(codex.Close)
	w := newWorld(t)
	c := w.open()
	all := keys.Endpoints()
	e := all["openai-codex"]
	e.Device.DeviceURL = codex.URL
	gpt := all["openai"]
	gpt.RedirectURL = "http://127.0.0.1:0/auth/callback"
	all["openai-codex"], all["openai"] = e, gpt
	c.source.Endpoints, c.source.Client = all, codex.Client()
	c.source.After = func(time.Duration) <-chan time.Time { return nil }
	l, err := c.BeginLogin(t.Context(), "openai-codex", LoginRequest{Device: true})
	if err != nil || l.UserCode != "U-1" || l.Needs != "nothing" || !strings.HasPrefix(l.URL, "https://auth.openai.com/") {
		t.Errorf("%+v, %v", l, err)
	}
	for id, r := range map[string]LoginRequest{"openrouter": {Device: true}, "xai": {Domain: "company.ghe.com"}, "github-copilot": {Domain: "http://127.0.0.1/"}} {
		want := keys.LoginDomain
		if r.Device {
			want = keys.LoginDevice
		}
		_, err := c.BeginLogin(t.Context(), id, r)
		wants(t, id, err, problem.CodeLoginFailed, want)
	}
	host := func(c *Access) string {
		l, err := c.BeginLogin(t.Context(), "openai", LoginRequest{})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(l.URL)
		if err != nil {
			t.Fatal(err)
		}
		return u.Query().Get("ext_agent_host_id")
	}
	first := host(c)
	c.Close()
	c = w.open()
	c.source.Endpoints = all
	if again := host(c); again != first || !strings.HasPrefix(first, "urn:uuid:") {
		t.Errorf("%s, then %s", first, again)
	}
}

// That an account agrees to terms after the person signed in takes a while, and is
// said meanwhile. That it could not makes the login no less done.
func TestLoginStep(t *testing.T) {
	asked, hold := make(chan string, 1), make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // the whole network
		select {
		case asked <- r.Host:
		default:
		}
		<-hold
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `{"device_code":"d","user_code":"U-1","verification_uri":"https://login.example/device","expires_in":900,"interval":5}`
		switch r.URL.Path {
		case "/token":
			answer = `{"access_token":"ghu_0123456789"}`
		case "/copilot":
			answer = `{"token":"tid=0123456789","expires_at":` + strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10) + `}`
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(github.Close)
	c := newWorld(t).open()
	e := keys.Endpoints()["github-copilot"]
	e.DeviceURL, e.TokenURL, e.Exchange.URL = github.URL, github.URL+"/token", github.URL+"/copilot"
	c.source.Endpoints, c.source.Client = map[string]keys.Endpoint{"github-copilot": e}, github.Client()
	c.source.After = func(d time.Duration) <-chan time.Time {
		ch := make(chan time.Time, 1)
		if d < time.Minute {
			ch <- time.Now()
		}
		return ch
	}
	l, err := c.BeginLogin(t.Context(), "github-copilot", LoginRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if host := <-asked; host != "api.individual.githubcopilot.com:443" {
		t.Errorf("asked %s", host)
	}
	if s, err := c.LoginState(t.Context(), l.ID); err != nil || s.State != LoginWaiting || s.Step != StepTerms {
		t.Errorf("meanwhile %+v, %v", s, err)
	}
	close(hold)
	r, err := c.logins.find(l.ID)
	if err != nil {
		t.Fatal(err)
	}
	<-r.over
	if s := r.get(); s.State != LoginDone || s.Step != "" || s.Problem != nil {
		t.Errorf("in the end %+v", s)
	}
}

// A login that has one port for the browser to come back to can be begun again, though
// the one before still waits there; one that is another program's is said.
func TestLoginPort(t *testing.T) {
	token := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(token.Close)
	c := newWorld(t).open()
	c.source.Client = token.Client()
	c.source.After = func(time.Duration) <-chan time.Time { return nil }
	at := func(port string) {
		c.source.Endpoints = map[string]keys.Endpoint{"openai-codex": {
			AuthorizeURL: "https://login.example/a", TokenURL: token.URL, ClientID: "c", Flow: keys.FlowLoopback, Account: true,
			RedirectURL: "http://localhost:" + port + "/auth/callback",
		}}
	}
	var first Login
	for tries := 0; first.ID == ""; tries++ {
		// A port that was free a moment ago; another program may have taken it since.
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		at(port)
		_, err = c.BeginLogin(t.Context(), "openai-codex", LoginRequest{})
		wants(t, "another's port", err, problem.CodeLoginFailed, keys.LoginPort)
		ln.Close()
		first, err = c.BeginLogin(t.Context(), "openai-codex", LoginRequest{})
		if p, is := errors.AsType[*problem.Problem](err); err != nil && (tries == 20 || !is || p.Cause != keys.LoginPort) {
			t.Fatal(err)
		}
	}
	again, err := c.BeginLogin(t.Context(), "openai-codex", LoginRequest{})
	if err != nil || again.Needs != "nothing" {
		t.Fatalf("%+v, %v", again, err)
	}
	r, err := c.logins.find(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	<-r.over
	if s, err := c.LoginState(t.Context(), first.ID); err != nil || s.State != LoginFailed || s.Problem.Cause != "cancelled" {
		t.Errorf("the first: %+v, %v", s, err)
	}
	if s, err := c.LoginState(t.Context(), again.ID); err != nil || s.State != LoginWaiting {
		t.Errorf("the second: %+v, %v", s, err)
	}
}

// What is pasted while the browser comes ends as the browser's end says.
func TestLoginPastedTwice(t *testing.T) {
	asked, hold := make(chan struct{}), make(chan struct{})
	token := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked) // a second time it would panic
		<-hold
		_, _ = w.Write([]byte(`{"key":"sk-key-canary-1"}`))
	}))
	t.Cleanup(token.Close)
	c := newWorld(t).open()
	c.source.Client = token.Client()
	c.source.After = func(time.Duration) <-chan time.Time { return nil }
	c.source.Endpoints = map[string]keys.Endpoint{"openrouter": {AuthorizeURL: "https://login.example/a", TokenURL: token.URL, Flow: keys.FlowLoopback, Key: true}}
	l, err := c.BeginLogin(t.Context(), "openrouter", LoginRequest{})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(l.URL)
	if err != nil {
		t.Fatal(err)
	}
	back := u.Query().Get("callback_url") + "?code=the-code"
	_, err = c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "http://localhost/?code=the-code"})
	wants(t, "another address", err, problem.CodeLoginFailed, keys.LoginWrong)
	came := make(chan int, 1)
	go func() {
		res, err := http.Get(back)
		if err != nil {
			came <- 0
			return
		}
		res.Body.Close()
		came <- res.StatusCode
	}()
	<-asked
	done := make(chan LoginState, 1)
	go func() {
		s, err := c.FinishLogin(t.Context(), l.ID, LoginCode{Code: back})
		if err != nil {
			t.Error(err)
		}
		done <- s
	}()
	select {
	case s := <-done:
		t.Errorf("%+v before the browser's end", s)
	case <-time.After(20 * time.Millisecond):
	}
	close(hold)
	if s := <-done; s.State != LoginDone {
		t.Errorf("%+v", s)
	}
	if got := <-came; got != http.StatusOK {
		t.Errorf("the browser: %d", got)
	}
}

// A login that was given up while the provider was asked is not one that is not reached.
func TestLoginProblems(t *testing.T) {
	for cause, err := range map[string]error{
		"cancelled":   &url.Error{Op: "Post", URL: "x", Err: context.Canceled},
		"unreachable": &url.Error{Op: "Post", URL: "x", Err: context.DeadlineExceeded},
	} {
		wants(t, cause, loginProblem("xai", fmt.Errorf("login of xai: %w", err)), problem.CodeLoginFailed, cause)
	}
}
