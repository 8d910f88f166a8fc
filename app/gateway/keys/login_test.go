package keys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

// scripted is a provider whose endpoints answer one after the other; the last
// answer stays.
type scripted struct {
	answers []string // "200 {…}"
	asked   []url.Values
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	q, _ := url.ParseQuery(string(body))
	if strings.Contains(r.Header.Get("Content-Type"), "json") {
		q = url.Values{"json": {string(body)}}
	}
	s.asked = append(s.asked, q)
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	status, text, _ := strings.Cut(a, " ")
	if status == "302" {
		w.Header().Set("Location", "/elsewhere")
	}
	code := 0
	fmt.Sscan(status, &code)
	w.WriteHeader(code)
	io.WriteString(w, text)
}

const deviceAnswer = `200 {"device_code":"device-canary","user_code":"ABCD-EFGH","verification_uri":"https://login.example/device","verification_uri_complete":"https://login.example/device?code=ABCD-EFGH","expires_in":600,"interval":7}`

// newDevice is a source whose provider works with device codes. Its clock goes on
// with each wait, of which it keeps a list.
func newDevice(t *testing.T, p *scripted) (*Source, *[]time.Duration) {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	var waits []time.Duration
	now := clock
	return &Source{
		Store: &Memory{}, Client: srv.Client(), Now: func() time.Time { return now },
		After: func(d time.Duration) <-chan time.Time {
			ch := make(chan time.Time, 1)
			if d < 5*time.Minute { // the end of the login does not come
				waits, now = append(waits, d), now.Add(d)
				ch <- now
			}
			return ch
		},
		Endpoints: map[string]Endpoint{"xai": {DeviceFlow: DeviceFlow{DeviceURL: srv.URL}, TokenURL: srv.URL, ClientID: "client", Scopes: "a b", Form: true, Flow: FlowDevice}},
	}, &waits
}

func TestDeviceLogin(t *testing.T) {
	p := &scripted{answers: []string{deviceAnswer,
		`400 {"error":"authorization_pending"}`, `400 {"error":"slow_down"}`, `400 {"error":"authorization_pending"}`,
		`200 {"access_token":"access-canary-1","refresh_token":"refresh-canary-1","expires_in":3600}`}}
	s, waits := newDevice(t, p)
	l, err := s.Begin(t.Context(), "xai", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.URL != "https://login.example/device?code=ABCD-EFGH" || l.UserCode != "ABCD-EFGH" || !l.Expires.Equal(clock.Add(10*time.Minute)) {
		t.Errorf("%+v", l)
	}
	c, err := s.Await(t.Context(), l)
	if err != nil || c.Access.Reveal() != "access-canary-1" {
		t.Fatal(err)
	}
	if got := fmt.Sprint(*waits); got != "[7s 7s 12s 12s]" {
		t.Errorf("waited %s", got)
	}
	if q := p.asked[0]; q.Get("client_id") != "client" || q.Get("scope") != "a b" {
		t.Errorf("began with %v", q)
	}
	if q := p.asked[1]; q.Get("device_code") != "device-canary" || q.Get("grant_type") != deviceGrant {
		t.Errorf("asked with %v", q)
	}
	if stored, err := s.Store.Get(t.Context(), "xai"); err != nil || !same(stored, c) {
		t.Errorf("stored: %v", err)
	}
}

// What a provider must not be able to do with its answers.
func TestDeviceLoginRefuses(t *testing.T) {
	with := func(member, value string) string {
		return strings.Replace(deviceAnswer, member, value, 1)
	}
	for name, tt := range map[string]struct {
		answers []string
		reason  string // of a LoginError; "" is an OAuthError
	}{
		"no page of the web":   {[]string{strings.ReplaceAll(deviceAnswer, "https://", "file:///")}, LoginAnswer},
		"a page without TLS":   {[]string{strings.ReplaceAll(deviceAnswer, "https://", "http://")}, LoginAnswer},
		"a user in the page":   {[]string{strings.ReplaceAll(deviceAnswer, "https://", "https://good.example@")}, LoginAnswer},
		"a script":             {[]string{strings.ReplaceAll(deviceAnswer, "https://login.example", "javascript:alert(1)")}, LoginAnswer},
		"no code":              {[]string{with("device-canary", "")}, LoginAnswer},
		"a long user code":     {[]string{with(`"user_code":"ABCD-EFGH"`, `"user_code":"`+strings.Repeat("A", 65)+`"`)}, LoginAnswer},
		"escapes in user code": {[]string{with(`"user_code":"ABCD-EFGH"`, `"user_code":"A\u001b[2J"`)}, LoginAnswer},
		"no end":               {[]string{with(`"expires_in":600`, `"expires_in":0`)}, LoginAnswer},
		"not JSON":             {[]string{"200 <html>"}, LoginAnswer},
		"too much":             {[]string{"200 " + strings.Repeat(" ", maxTokenReply) + "{}"}, LoginAnswer},
		"elsewhere":            {[]string{"302 ", deviceAnswer}, ""},
		"refused":              {[]string{`400 {"error":"invalid_client"}`}, ""},
		"denied":               {[]string{deviceAnswer, `400 {"error":"access_denied"}`}, LoginDenied},
		"expired":              {[]string{deviceAnswer, `400 {"error":"expired_token"}`}, LoginExpired},
		"another error":        {[]string{deviceAnswer, `400 {"error":"invalid_grant"}`}, ""},
		"a broken server":      {[]string{deviceAnswer, `500 oops`}, ""},
		"no token":             {[]string{deviceAnswer, `200 {"access_token":""}`}, LoginAnswer},
		"a token of two lines": {[]string{deviceAnswer, `200 {"access_token":"access\ncanary"}`}, LoginAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newDevice(t, &scripted{answers: tt.answers})
			l, err := s.Begin(t.Context(), "xai", How{})
			if err == nil {
				defer l.Close()
				_, err = s.Await(t.Context(), l)
			}
			var login *LoginError
			var refused *OAuthError
			switch {
			case tt.reason != "" && (!errors.As(err, &login) || login.Reason != tt.reason):
				t.Errorf("got %v, want %s", err, tt.reason)
			case tt.reason == "" && !errors.As(err, &refused):
				t.Errorf("got %v", err)
			case strings.Contains(err.Error(), "canary"):
				t.Errorf("it tells: %v", err)
			}
			if all, _ := s.Store.List(t.Context()); len(all) != 0 {
				t.Errorf("kept %v", all)
			}
		})
	}
}

// A provider that is not reached is asked less and less often, and not for ever.
func TestDeviceLoginEnds(t *testing.T) {
	s, waits := newDevice(t, &scripted{answers: []string{deviceAnswer}})
	l, err := s.Begin(t.Context(), "xai", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var n atomic.Int32
	over := make(chan time.Time)
	next := s.After
	s.After = func(d time.Duration) <-chan time.Time {
		if d > 5*time.Minute {
			return over
		}
		return next(d)
	}
	s.Client = &http.Client{Transport: unreached(func() {
		if n.Add(1) == 6 {
			close(over)
		}
	})}
	var login *LoginError
	if _, err := s.Await(t.Context(), l); !errors.As(err, &login) || login.Reason != LoginTimeout {
		t.Errorf("got %v", err)
	}
	if got := fmt.Sprint((*waits)[:6]); got != "[7s 14s 28s 56s 1m0s 1m0s]" {
		t.Errorf("waited %s", got)
	}
	// One that is given up says so.
	gone := errors.New("given up")
	ctx, cancel := context.WithCancelCause(t.Context())
	s.Client = &http.Client{Transport: unreached(func() { cancel(gone) })}
	s.After = next
	l.Expires = s.now().Add(time.Hour) // its clock may have gone on by much
	if _, err := s.Await(ctx, l); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// An answer that breaks off is none: the provider is asked again.
func TestDeviceLoginGoesOn(t *testing.T) {
	s, waits := newDevice(t, &scripted{answers: []string{deviceAnswer, `200 {"access_token":"access-canary-1","refresh_token":"refresh-canary-1","expires_in":3600}`}})
	l, err := s.Begin(t.Context(), "xai", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	whole := s.Client.Transport
	s.Client = &http.Client{Transport: cut(func(r *http.Request) (*http.Response, error) {
		if len(*waits) == 1 {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF)))}, nil
		}
		return whole.RoundTrip(r)
	})}
	if _, err := s.Await(t.Context(), l); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(*waits); got != "[7s 14s]" {
		t.Errorf("waited %s", got)
	}
}

type cut func(*http.Request) (*http.Response, error)

func (c cut) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

type unreached func()

func (b unreached) RoundTrip(r *http.Request) (*http.Response, error) {
	b()
	return nil, &url.Error{Op: "Post", URL: "x", Err: errors.New("no route")}
}

// newLoopback is a source whose provider sends the browser back to this computer.
func newLoopback(t *testing.T, p *scripted) *Source {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return &Source{Store: &Memory{}, Client: srv.Client(), After: func(time.Duration) <-chan time.Time { return nil },
		Endpoints: map[string]Endpoint{"openrouter": {AuthorizeURL: "https://login.example/auth", TokenURL: srv.URL, Flow: FlowLoopback, Key: true}}}
}

// visit is the browser that comes back.
func visit(t *testing.T, method, address string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if h := resp.Header; resp.StatusCode < 404 && (h.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(h.Get("Content-Security-Policy"), "'none'")) {
		t.Errorf("header %v", h)
	}
	return resp.StatusCode, string(text)
}

// begins begins a login whose browser comes back to this computer: what it is sent away
// with, and what becomes of the login.
func begins(t *testing.T, s *Source, id string) (l *Login, at *url.URL, done <-chan error) {
	t.Helper()
	l, err := s.Begin(t.Context(), id, How{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	if at, err = url.Parse(l.URL); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() {
		_, err := s.Await(t.Context(), l)
		over <- err
	}()
	return l, at, over
}

func TestLoopbackLogin(t *testing.T) {
	p := &scripted{answers: []string{`200 {"key":"sk-key-canary-1"}`}}
	s := newLoopback(t, p)
	l, u, done := begins(t, s, "openrouter")
	back := u.Query().Get("callback_url")
	if !strings.HasPrefix(back, "http://127.0.0.1:") || u.Query().Get("code_challenge") == "" || u.Query().Has("state") || u.Query().Has("code") {
		t.Fatalf("address %s", l.URL)
	}
	root := back[:strings.LastIndex(back, "/")]
	for _, tt := range []struct {
		method, address string
		status          int
	}{
		{"GET", root + "/another?code=stolen", 404},
		{"GET", root, 404},
		{"POST", back + "?code=stolen", 405},
		{"GET", back, 400},
		{"GET", back + "?code=", 400},
		{"GET", back + "?code=" + strings.Repeat("a", maxSecret+1), 400},
	} {
		if got, _ := visit(t, tt.method, tt.address); got != tt.status && got != 431 {
			t.Errorf("%s %.60s: status %d", tt.method, tt.address, got)
		}
	}
	if len(p.asked) != 0 {
		t.Fatal("a stranger's code was exchanged")
	}
	if got, text := visit(t, "GET", back+"?code=the-code"); got != 200 || !strings.Contains(text, PageSignedIn) {
		t.Errorf("%d %s", got, text)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got, _ := visit(t, "GET", back+"?code=again"); got != 409 {
		t.Errorf("a second browser: %d", got)
	}
	if j := p.asked[0].Get("json"); !strings.Contains(j, `"code":"the-code"`) || !strings.Contains(j, `"code_verifier"`) || len(p.asked) != 1 {
		t.Errorf("asked %v", p.asked)
	}
	if c, err := s.Store.Get(t.Context(), "openrouter"); err != nil || c.Kind != KindKey || c.Key.Reveal() != "sk-key-canary-1" {
		t.Errorf("stored %+v, %v", c, err)
	}
	l.Close()
	if _, err := http.Get(back); err == nil {
		t.Error("it still waits for browsers")
	}
}

func TestLoopbackLoginRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		query, answer string
		status        int
		reason        string
	}{
		"declined":  {"?error=access_denied&error_description=<script>", "", 403, LoginDenied},
		"old code":  {"?code=old", `400 {"error":"invalid_grant"}`, 502, LoginExpired},
		"no key":    {"?code=x", `200 {"key":""}`, 502, LoginAnswer},
		"short key": {"?code=x", `200 {"key":"abc"}`, 502, LoginAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLoopback(t, &scripted{answers: []string{tt.answer}})
			l, _, done := begins(t, s, "openrouter")
			status, text := visit(t, "GET", l.redirect+tt.query)
			if status != tt.status || strings.Contains(text, "<script>") {
				t.Errorf("%d %s", status, text)
			}
			refusedLogin(t, s, <-done, tt.reason)
		})
	}
}

// Nobody comes; and a code that is pasted because the browser is elsewhere.
func TestLoginWithoutABrowser(t *testing.T) {
	s := newLoopback(t, &scripted{answers: []string{`200 {"key":"sk-key-canary-1"}`}})
	l, err := s.Begin(t.Context(), "openrouter", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	over := make(chan time.Time)
	close(over)
	s.After = func(time.Duration) <-chan time.Time { return over }
	var login *LoginError
	if _, err := s.Await(t.Context(), l); !errors.As(err, &login) || login.Reason != LoginTimeout {
		t.Errorf("nobody came: %v", err)
	}
	if _, err := s.Finish(t.Context(), l, l.redirect+"?code=the-code"); err != nil {
		t.Errorf("pasted: %v", err)
	}
}

// forgetful is a store that gives back another key than was kept.
type forgetful struct{ *Memory }

func (f forgetful) Get(ctx context.Context, provider string) (Credential, error) {
	c, err := f.Memory.Get(ctx, provider)
	c.BaseURL += "x"
	return c, err
}

// A list of keys moves whole, or stays.
func TestCopy(t *testing.T) {
	from, to := &Memory{}, &Memory{}
	for _, c := range credentials() {
		if err := from.Set(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	moved, err := Copy(t.Context(), from, to)
	if err != nil || len(moved) != len(credentials()) {
		t.Fatalf("%v %v", moved, err)
	}
	for _, c := range credentials() {
		if got, err := to.Get(t.Context(), c.Provider); err != nil || !same(got, c) {
			t.Errorf("%s: %v", c.Provider, err)
		}
	}
	if _, err := Copy(t.Context(), from, NewFile("/nowhere")); !errors.Is(err, ErrLocked) {
		t.Errorf("to a locked file: %v", err)
	}
	if _, err := Copy(t.Context(), from, forgetful{to}); !errors.Is(err, ErrEntry) {
		t.Errorf("to one that keeps something else: %v", err)
	}
	w := NewSwitch(from)
	if err := w.Delete(t.Context(), "mine"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Get(t.Context(), "mine"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	w.Use(to)
	if _, err := w.Get(t.Context(), "mine"); err != nil {
		t.Error(err)
	}
}
