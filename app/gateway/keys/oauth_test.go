package keys

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// tokens is a token endpoint. Refresh tokens are good for one time.
type tokens struct {
	mu      sync.Mutex
	asked   []map[string]string
	refresh string
	n       int
	status  int
	body    string
	came    chan struct{} // somebody asks
	hold    chan struct{}
}

func (e *tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p map[string]string
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		json.NewDecoder(r.Body).Decode(&p)
	} else {
		b, _ := io.ReadAll(r.Body)
		q, _ := url.ParseQuery(string(b))
		p = map[string]string{}
		for k := range q {
			p[k] = q.Get(k)
		}
	}
	if e.came != nil {
		e.came <- struct{}{}
	}
	if e.hold != nil {
		<-e.hold
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, p)
	if e.status != 0 {
		w.WriteHeader(e.status)
		io.WriteString(w, e.body)
		return
	}
	if p["grant_type"] == "refresh_token" && p["refresh_token"] != e.refresh {
		w.WriteHeader(400)
		fmt.Fprintf(w, `{"error":"invalid_grant","error_description":"%s"}`, p["refresh_token"])
		return
	}
	e.n++
	e.refresh = fmt.Sprintf("refresh-canary-%d", e.n)
	fmt.Fprintf(w, `{"access_token":"access-canary-%d","refresh_token":%q,"expires_in":3600}`, e.n, e.refresh)
}

// clock is a time that stands still.
var clock = time.UnixMilli(1_800_000_000_000)

func newSource(t *testing.T, e *tokens, store Store) (*Source, *bytes.Buffer) {
	t.Helper()
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	var log bytes.Buffer
	return &Source{
		Store: store, Client: &http.Client{}, Now: func() time.Time { return clock }, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Endpoints: map[string]Endpoint{"anthropic": {AuthorizeURL: "https://login.example/authorize?x=1", TokenURL: srv.URL, ClientID: "client", RedirectURL: "https://login.example/code", Scopes: "a b"}},
	}, &log
}

func login(expires time.Time) Credential {
	return Credential{Provider: "anthropic", Kind: KindOAuth, Access: NewSecret("access-canary-0"), Refresh: NewSecret("refresh-canary-0"), Expires: expires}
}

// Many who need it at once make one request, and all get its answer.
func TestRenewOnce(t *testing.T) {
	e := &tokens{refresh: "refresh-canary-0"}
	s, _ := newSource(t, e, &Memory{})
	if err := s.Set(t.Context(), login(clock.Add(time.Minute))); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			c, err := s.Get(t.Context(), "anthropic")
			if err != nil || c.Access.Reveal() != "access-canary-1" || !c.Expires.Equal(clock.Add(time.Hour)) {
				t.Errorf("%v %v %v", c.Access.Reveal(), c.Expires, err)
			}
		})
	}
	wg.Wait()
	if len(e.asked) != 1 || e.asked[0]["client_id"] != "client" {
		t.Errorf("asked %d times: %v", len(e.asked), e.asked)
	}
	if c, err := s.Store.Get(t.Context(), "anthropic"); err != nil || c.Refresh.Reveal() != "refresh-canary-1" {
		t.Errorf("stored %v, %v", c.Refresh.Reveal(), err)
	}
	// One whose access was refused, but that was renewed since, makes no request.
	if c, err := s.Renew(t.Context(), login(clock)); err != nil || c.Access.Reveal() != "access-canary-1" || len(e.asked) != 1 {
		t.Errorf("%v, %v after %d requests", c.Access.Reveal(), err, len(e.asked))
	}
}

func TestRenewNotNeeded(t *testing.T) {
	e := &tokens{}
	s, _ := newSource(t, e, &Memory{})
	for _, c := range []Credential{
		login(clock.Add(time.Hour)), login(time.Time{}),
		{Provider: "anthropic", Kind: KindOAuth, Access: NewSecret("access-canary-0"), Expires: clock.Add(-time.Hour)}, // nothing to renew it with
		{Provider: "anthropic", Kind: KindKey, Key: NewSecret("key-canary-0")},
	} {
		if err := s.Set(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), "anthropic"); err != nil || !same(got, c) {
			t.Errorf("%v", err)
		}
	}
	if len(e.asked) != 0 {
		t.Errorf("asked %v", e.asked)
	}
}

// readOnce is a store that takes nothing any more.
type readOnce struct {
	Memory
	broken atomic.Bool
}

func (r *readOnce) Set(ctx context.Context, c Credential) error {
	if r.broken.Load() {
		return errFlaky
	}
	return r.Memory.Set(ctx, c)
}

// Tokens that the store did not take are not lost: the old ones are worth
// nothing.
func TestRenewIsNotLost(t *testing.T) {
	e, store := &tokens{refresh: "refresh-canary-0"}, &readOnce{}
	s, log := newSource(t, e, store)
	if err := s.Set(t.Context(), login(clock)); err != nil {
		t.Fatal(err)
	}
	store.broken.Store(true)
	for i := range 3 {
		c, err := s.Get(t.Context(), "anthropic")
		if err != nil || c.Access.Reveal() != "access-canary-1" {
			t.Errorf("time %d: %v, %v", i, c.Access.Reveal(), err)
		}
	}
	store.broken.Store(false)
	c, err := s.Renew(t.Context(), Credential{Provider: "anthropic", Kind: KindOAuth, Access: NewSecret("access-canary-1"), Refresh: NewSecret("refresh-canary-1")})
	if err != nil || c.Access.Reveal() != "access-canary-2" {
		t.Errorf("the next one: %v, %v", c.Access.Reveal(), err)
	}
	if c, err := store.Get(t.Context(), "anthropic"); err != nil || c.Access.Reveal() != "access-canary-2" {
		t.Errorf("stored %v, %v", c.Access.Reveal(), err)
	}
	if text := log.String(); !strings.Contains(text, "only in memory") || strings.Contains(text, "canary") {
		t.Errorf("log: %s", text)
	}
}

// The one who asked goes; the tokens are kept all the same.
func TestRenewOutlivesItsCaller(t *testing.T) {
	e := &tokens{refresh: "refresh-canary-0", hold: make(chan struct{})}
	s, _ := newSource(t, e, &Memory{})
	if err := s.Set(t.Context(), login(clock)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(ctx, "anthropic"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(e.hold)
	if c, err := s.Get(t.Context(), "anthropic"); err != nil || c.Access.Reveal() != "access-canary-1" || len(e.asked) != 1 {
		t.Errorf("%v, %v after %d requests", c.Access.Reveal(), err, len(e.asked))
	}
}

// What a person does while a login is renewed stays done.
func TestRenewUndoesNothing(t *testing.T) {
	key := Credential{Provider: "anthropic", Kind: KindKey, Key: NewSecret("key-canary-0123456789")}
	for name, meanwhile := range map[string]func(*Source) error{
		"removed":  func(s *Source) error { return s.Delete(t.Context(), "anthropic") },
		"replaced": func(s *Source) error { return s.Set(t.Context(), key) },
	} {
		e := &tokens{refresh: "refresh-canary-0", hold: make(chan struct{}), came: make(chan struct{}, 1)}
		s, _ := newSource(t, e, &Memory{})
		if err := s.Set(t.Context(), login(clock)); err != nil {
			t.Fatal(err)
		}
		done := make(chan Credential, 1)
		go func() {
			c, _ := s.Get(t.Context(), "anthropic")
			done <- c
		}()
		<-e.came
		if err := meanwhile(s); err != nil {
			t.Fatal(err)
		}
		close(e.hold)
		got := <-done
		c, err := s.Peek(t.Context(), "anthropic")
		if name == "removed" && (!errors.Is(err, ErrNotFound) || !got.Access.IsZero()) || name == "replaced" && (!same(c, key) || !same(got, key)) {
			t.Errorf("%s: got %+v, kept %+v %v", name, got, c, err)
		}
	}
}

func TestRenewRefused(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		code   string
		ended  bool
	}{
		{400, `{"error":"invalid_grant","error_description":"refresh-canary-0"}`, "invalid_grant", true},
		{401, `{"error":{"type":"authentication_error","message":"refresh-canary-0"}}`, "authentication_error", true},
		{400, `{"error":"refresh-canary-0"}`, "", true},
		{503, "busy", "", false},
		{307, "", "", false},
	} {
		s, log := newSource(t, &tokens{status: tt.status, body: tt.body}, &Memory{})
		if err := s.Set(t.Context(), login(clock)); err != nil {
			t.Fatal(err)
		}
		_, err := s.Get(t.Context(), "anthropic")
		if e, is := errors.AsType[*OAuthError](err); !is || e.Status != tt.status || e.Code != tt.code || e.Ended() != tt.ended || strings.Contains(err.Error()+log.String(), "canary") {
			t.Errorf("%d %s: %v", tt.status, tt.body, err)
		}
		if c, err := s.Store.Get(t.Context(), "anthropic"); err != nil || c.Refresh.Reveal() != "refresh-canary-0" {
			t.Errorf("the login is gone: %v", err)
		}
	}
	for _, body := range []string{"", "[]", `{"access_token":""}`, `{"access_token":"bad\ntoken-canary"}`, `{"access_token":5}`} {
		s, _ := newSource(t, &tokens{status: 200, body: body}, &Memory{})
		if err := s.Set(t.Context(), login(clock)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), "anthropic"); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// A login from its beginning: what the browser is sent to, and what is pasted.
func TestLogin(t *testing.T) {
	for name, pasted := range map[string]func(state string) string{
		"code":            func(string) string { return " the-code\n" },
		"code and state":  func(s string) string { return "the-code#" + s },
		"whole address":   func(s string) string { return "https://login.example/code?code=the-code&state=" + url.QueryEscape(s) },
		"query":           func(s string) string { return "code=the-code&state=" + url.QueryEscape(s) },
		"!another state":  func(string) string { return "the-code#other" },
		"!nothing":        func(string) string { return " " },
		"!address, empty": func(string) string { return "https://login.example/code" },
	} {
		t.Run(name, func(t *testing.T) {
			e := &tokens{}
			s, _ := newSource(t, e, &Memory{})
			l, err := s.Begin(t.Context(), "anthropic", How{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			u, err := url.Parse(l.URL)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			if q.Get("x") != "1" || q.Get("client_id") != "client" || q.Get("code_challenge_method") != "S256" || q.Get("scope") != "a b" || len(q.Get("state")) < 40 {
				t.Errorf("address %s", l.URL)
			}
			c, err := s.Finish(t.Context(), l, pasted(q.Get("state")))
			if strings.HasPrefix(name, "!") {
				if err == nil || len(e.asked) != 0 {
					t.Errorf("taken: %v", err)
				}
				return
			}
			if err != nil || c.Access.Reveal() != "access-canary-1" || len(e.asked) != 1 {
				t.Fatalf("%v", err)
			}
			p := e.asked[0]
			sum := sha256.Sum256([]byte(p["code_verifier"]))
			if p["grant_type"] != "authorization_code" || p["code"] != "the-code" || p["redirect_uri"] != "https://login.example/code" ||
				base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || p["code_verifier"] == q.Get("state") {
				t.Errorf("asked %v", p)
			}
			if stored, err := s.Store.Get(t.Context(), "anthropic"); err != nil || !same(stored, c) {
				t.Errorf("stored: %v", err)
			}
		})
	}
	s, _ := newSource(t, &tokens{}, &Memory{})
	if _, err := s.Begin(t.Context(), "openai", How{}); err == nil {
		t.Error("a login of a provider that has none")
	}
}

// Forms of RFC 6749 work, too.
func TestRenewByForm(t *testing.T) {
	e := &tokens{refresh: "refresh-canary-0"}
	s, _ := newSource(t, e, &Memory{})
	p := s.Endpoints["anthropic"]
	p.Form = true
	s.Endpoints["anthropic"] = p
	if err := s.Set(t.Context(), login(clock)); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Get(t.Context(), "anthropic"); err != nil || c.Access.Reveal() != "access-canary-1" {
		t.Errorf("%v", err)
	}
}
