package keys

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// jwt is a token of OpenAI's whose claims are given.
func jwt(claims string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".canary-signature"
}

const ownClaims = `{"https://api.openai.com/auth":{"chatgpt_account_id":"account-1"}}`

func TestAccount(t *testing.T) {
	for token, want := range map[string]string{
		jwt(ownClaims): "account-1",
		"a." + base64.StdEncoding.EncodeToString([]byte(ownClaims)) + ".b":        "account-1",
		jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a\r\nX: y"}}`): "",
		jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":7}}`):           "",
		jwt(`{"https://api.openai.com/auth":"account-1"}`):                        "",
		jwt(`{}`): "",
		jwt(``):   "",
		jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"` + strings.Repeat("a", maxAccount+1) + `"}}`): "",
		"sk-0123456789": "",
		"a.!!.b":        "",
		"a.b":           "",
		"":              "",
	} {
		if got := (Credential{Access: NewSecret(token)}).Account(); got != want {
			t.Errorf("%.80q: %q", token, got)
		}
	}
}

// newCodex is a source whose provider sends the browser back to an address that
// everybody knows, but for its port.
func newCodex(t *testing.T, p *scripted) *Source {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	e := codex()
	e.TokenURL, e.RedirectURL = srv.URL, "http://localhost:0/auth/callback"
	return &Source{Store: &Memory{}, Client: srv.Client(), Now: func() time.Time { return clock },
		After: func(time.Duration) <-chan time.Time { return nil }, Endpoints: map[string]Endpoint{"openai-codex": e}}
}

func codexAnswer(access string) string {
	return `200 {"id_token":"x","access_token":"` + access + `","refresh_token":"refresh-canary-1","expires_in":864000}`
}

func TestCodexLogin(t *testing.T) {
	p := &scripted{answers: []string{codexAnswer(jwt(ownClaims)), codexAnswer(jwt(ownClaims + " "))}}
	s := newCodex(t, p)
	l, u, done := begins(t, s, "openai-codex")
	q := u.Query()
	back := q.Get("redirect_uri")
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "app_EMoamEEZ73f0CkXaXp7hrann", "scope": "openid profile email offline_access",
		"code_challenge_method": "S256", "id_token_add_organizations": "true", "codex_cli_simplified_flow": "true", "originator": "pi", "code": "",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q", name, q.Get(name))
		}
	}
	if u.Host != "auth.openai.com" || !strings.HasPrefix(back, "http://localhost:") || !strings.HasSuffix(back, "/auth/callback") || len(q.Get("state")) < 40 {
		t.Fatalf("address %s", l.URL)
	}
	// Whoever else finds the address ends nothing and gives nothing.
	for name, query := range map[string]string{
		"no state": "?code=stolen", "another state": "?code=stolen&state=x", "a no without state": "?error=access_denied",
		"a no with another state": "?error=access_denied&state=x", "no code": "?state=" + q.Get("state"), "two states": "?code=stolen&state=x&state=" + q.Get("state"),
	} {
		if got, _ := visit(t, "GET", back+query); got != 400 {
			t.Errorf("%s: %d", name, got)
		}
	}
	if len(p.asked) != 0 {
		t.Fatal("a stranger's code was exchanged")
	}
	if got, text := visit(t, "GET", back+"?code=the-code&state="+q.Get("state")); got != 200 || !strings.Contains(text, PageSignedIn) {
		t.Errorf("%d %s", got, text)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a := p.asked[0]
	if a.Get("grant_type") != "authorization_code" || a.Get("code") != "the-code" || a.Get("redirect_uri") != back || a.Get("code_verifier") == "" || a.Has("state") {
		t.Errorf("asked with %v", a)
	}
	c, err := s.Get(t.Context(), "openai-codex")
	if err != nil || c.Account() != "account-1" || !c.Expires.Equal(clock.Add(240*time.Hour)) {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	if c, err = s.Renew(t.Context(), c); err != nil || c.Access.Reveal() != jwt(ownClaims+" ") {
		t.Errorf("renewed: %v", err)
	}
	if a := p.asked[1]; a.Get("grant_type") != "refresh_token" || a.Get("refresh_token") != "refresh-canary-1" || a.Get("client_id") == "" {
		t.Errorf("renewed with %v", a)
	}
}

func TestCodexLoginRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		query, answer string
		status        int
		reason        string
	}{
		"declined":     {"?error=access_denied", "", 403, LoginDenied},
		"old code":     {"?code=old", `400 {"error":"invalid_grant"}`, 502, LoginExpired},
		"no account":   {"?code=x", codexAnswer(jwt(`{}`)), 502, LoginAnswer},
		"no JWT":       {"?code=x", codexAnswer("sk-0123456789-canary"), 502, LoginAnswer},
		"two lines":    {"?code=x", codexAnswer(jwt(ownClaims) + `\nX: y`), 502, LoginAnswer},
		"no token":     {"?code=x", `200 {"refresh_token":"refresh-canary-1"}`, 502, LoginAnswer},
		"too much":     {"?code=x", "200 " + strings.Repeat(" ", maxTokenReply) + "{}", 502, LoginAnswer},
		"sent on":      {"?code=x", "302 ", 502, ""},
		"broken":       {"?code=x", "500 canary", 502, ""},
		"wrong client": {"?code=x", `401 {"error":{"type":"invalid_client","message":"canary"}}`, 502, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCodex(t, &scripted{answers: []string{tt.answer}})
			l, _, done := begins(t, s, "openai-codex")
			status, text := visit(t, "GET", l.redirect+tt.query+"&state="+l.state.Reveal())
			if status != tt.status || strings.Contains(text, "canary") {
				t.Errorf("%d %s", status, text)
			}
			refusedLogin(t, s, <-done, tt.reason)
		})
	}
}

// The one port that the provider knows is somebody else's.
func TestLoginPort(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	e := codex()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	e.RedirectURL = "http://localhost:" + port + "/auth/callback"
	s := &Source{Store: &Memory{}, Endpoints: map[string]Endpoint{"openai-codex": e}}
	var login *LoginError
	if _, err := s.Begin(t.Context(), "openai-codex", How{}); !errors.As(err, &login) || login.Reason != LoginPort {
		t.Errorf("got %v", err)
	}
}

// small is a keychain that takes short entries only, as that of Windows does.
type small struct {
	Memory
	most int
}

func (s *small) Set(ctx context.Context, c Credential) error {
	if len(c.Access.Reveal())+len(c.Refresh.Reveal())+len(c.Key.Reveal()) > s.most {
		return ErrTooLong
	}
	return s.Memory.Set(ctx, c)
}

// A login that is too long for the keychain is kept without what ends anyway.
func TestLongLogin(t *testing.T) {
	long := Credential{Provider: "openai-codex", Kind: KindOAuth, Access: NewSecret(strings.Repeat("a", 2000)), Refresh: NewSecret("refresh-canary-1"), Expires: clock.Add(time.Hour)}
	store := &small{most: 1000}
	s := &Source{Store: store, Now: func() time.Time { return clock }}
	if err := s.Set(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Get(t.Context(), "openai-codex"); err != nil || !same(c, long) {
		t.Errorf("while the program runs: %v", err)
	}
	if c, err := store.Get(t.Context(), "openai-codex"); err != nil || !c.Access.IsZero() || !c.Refresh.Equal(long.Refresh) || !c.Expires.IsZero() {
		t.Errorf("kept: %v", err)
	}
	// What is still too long is not kept at all, nor is a key.
	store.most = 10
	for _, c := range []Credential{long, {Provider: "openai", Kind: KindKey, Key: NewSecret(strings.Repeat("a", 2000))}} {
		if err := s.Set(t.Context(), c); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v", c.Provider, err)
		}
	}
	if err := s.Delete(t.Context(), "openai-codex"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "openai-codex"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
}
