package keys

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const chatGPTScope = "openid chatgpt.tokens.use.direct"

func chatGPTAnswer(scope string) string {
	return `200 {"id_token":"x","access_token":"access-canary-1","refresh_token":"refresh-canary-1","expires_in":3600,"scope":"` + scope + `"}`
}

// newChatGPT is a source whose OpenAI is p.
func newChatGPT(t *testing.T, p *scripted) *Source {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	e := chatGPT()
	e.TokenURL, e.RedirectURL = srv.URL, "http://127.0.0.1:0/auth/callback"
	return &Source{Store: &Memory{}, Client: srv.Client(), Now: func() time.Time { return clock },
		After: func(time.Duration) <-chan time.Time { return nil }, Endpoints: map[string]Endpoint{"openai": e},
		Host: func() (string, error) { return "8C2D7C5E-26B0-4C8F-9F6B-1D2E3F405162", nil }}
}

// A login of OpenAI's own API registers a client, which the browser brings back and
// which tokens are asked for with from then on.
func TestChatGPTLogin(t *testing.T) {
	for name, pasted := range map[string]bool{"browser": false, "pasted": true} {
		t.Run(name, func(t *testing.T) {
			p := &scripted{answers: []string{chatGPTAnswer(chatGPTScope)}}
			s := newChatGPT(t, p)
			l, err := s.Begin(t.Context(), "openai", How{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			u, err := url.Parse(l.URL)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			for name, want := range map[string]string{
				"client_id": "dynamic_agent_client", "response_type": "code", "resource": "https://api.openai.com/v1", "code_challenge_method": "S256",
				"scope": "openid profile email offline_access resource.invoke chatgpt.tokens.use.direct", "redirect_uri": l.redirect,
				"ext_agent_host_id": "urn:uuid:8c2d7c5e-26b0-4c8f-9f6b-1d2e3f405162", "agent_name_hint": "piwork",
			} {
				if q.Get(name) != want {
					t.Errorf("%s is %q", name, q.Get(name))
				}
			}
			if u.Host != "auth.openai.com" || q.Get("nonce") == "" || q.Get("state") == "" || q.Get("nonce") == q.Get("state") {
				t.Errorf("address %s", l.URL)
			}
			back := l.redirect + "?code=the-code&state=" + q.Get("state")
			var wrong *LoginError
			for name, text := range map[string]string{"no client": back, "a code alone": "the-code", "a client of lines": back + "&client_id=a%0Ab"} {
				if _, err := s.Finish(t.Context(), l, text); !errors.As(err, &wrong) || wrong.Reason != LoginWrong {
					t.Errorf("%s: %v", name, err)
				}
			}
			if pasted {
				_, err = s.Finish(t.Context(), l, back+"&client_id=client-1")
			} else {
				done := make(chan error, 1)
				go func() {
					_, err := s.Await(t.Context(), l)
					done <- err
				}()
				if got, _ := visit(t, "GET", back); got != 400 {
					t.Errorf("no client: %d", got)
				}
				if got, _ := visit(t, "GET", back+"&client_id=client-1"); got != 200 {
					t.Errorf("came back: %d", got)
				}
				err = <-done
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := p.asked[0]; a.Get("grant_type") != "authorization_code" || a.Get("client_id") != "client-1" || a.Get("resource") != "https://api.openai.com/v1" || a.Get("code_verifier") == "" || len(p.asked) != 1 {
				t.Errorf("asked with %v", p.asked)
			}
			c, err := s.Get(t.Context(), "openai")
			if err != nil || c.Kind != KindOAuth || c.Client != "client-1" || !c.Expires.Equal(clock.Add(time.Hour)) {
				t.Fatalf("%+v, %v", c.Info(""), err)
			}
			if c, err = s.Renew(t.Context(), c); err != nil || c.Client != "client-1" {
				t.Errorf("renewed: %v", err)
			}
			if a := p.asked[1]; a.Get("grant_type") != "refresh_token" || a.Get("client_id") != "client-1" || a.Get("resource") == "" {
				t.Errorf("renewed with %v", a)
			}
		})
	}
}

func TestChatGPTLoginRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ answer, reason string }{
		"not good for answers": {chatGPTAnswer("openid"), ""},
		"no scope":             {strings.Replace(chatGPTAnswer("x"), `"scope"`, `"other"`, 1), ""},
		"half a scope":         {chatGPTAnswer("chatgpt.tokens.use.direct.not"), ""},
		"old code":             {`400 {"error":"invalid_grant"}`, LoginExpired},
		"no token":             {`200 {"scope":"` + chatGPTScope + `"}`, LoginAnswer},
		"no subscription":      {`403 {"error":{"code":"canary no"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatGPT(t, &scripted{answers: []string{tt.answer}})
			l, err := s.Begin(t.Context(), "openai", How{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			_, err = s.Finish(t.Context(), l, l.redirect+"?code=x&client_id=client-1&state="+url.QueryEscape(l.state.Reveal()))
			refusedLogin(t, s, err, tt.reason)
		})
	}
	s := newChatGPT(t, &scripted{answers: []string{chatGPTAnswer(chatGPTScope)}})
	s.Host = nil
	if l, err := s.Begin(t.Context(), "openai", How{}); err == nil {
		l.Close()
		t.Error("a computer without a name")
	}
	// A login without its client cannot be renewed, and has to be made anew.
	var ended *OAuthError
	if _, err := s.Renew(t.Context(), Credential{Provider: "openai", Kind: KindOAuth, Refresh: NewSecret("refresh-canary-1")}); err == nil || errors.As(err, &ended) && !ended.Ended() {
		t.Errorf("got %v", err)
	}
}
