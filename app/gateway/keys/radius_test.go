package keys

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	radiusPage  = `{"authorizationEndpoint":"https://login.example/authorize?client_id=evil#x"}`
	radiusToken = `{"access_token":"access-canary-1","refresh_token":"refresh-canary-1","expires_in":3600,"scope":"gateway offline_access"}`
)

// radiusServer answers as Radius does, at its paths, and keeps what it was asked.
type radiusServer struct {
	page, token, device string // "200 {…}"
	asked               []string
	forms               []url.Values
}

func (s *radiusServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	q, _ := url.ParseQuery(string(body))
	s.asked, s.forms = append(s.asked, r.Method+" "+r.URL.RequestURI()), append(s.forms, q)
	a := cmp.Or(map[string]string{"/v1/oauth": s.page, "/v1/oauth/token": s.token, "/v1/oauth/device": s.device}[r.URL.Path], "404 {}")
	(&scripted{answers: []string{a}}).ServeHTTP(w, r)
}

// newRadius is a source whose Radius is p.
func newRadius(t *testing.T, p *radiusServer) *Source {
	t.Helper()
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	here := func(s string) string { return strings.Replace(s, "https://radius.pi.dev", srv.URL, 1) }
	e := radius()
	e.FindURL, e.TokenURL, e.RedirectURL = here(e.FindURL), here(e.TokenURL), "http://127.0.0.1:0/oauth/callback"
	e.Device.DeviceURL = here(e.Device.DeviceURL)
	return &Source{Store: &Memory{}, Client: srv.Client(), Now: func() time.Time { return clock }, Endpoints: map[string]Endpoint{"radius": e},
		After: func(d time.Duration) <-chan time.Time {
			ch := make(chan time.Time, 1)
			if d < time.Minute { // between two questions
				ch <- clock
			}
			return ch
		}}
}

// The page is asked for, and told what pi tells it.
func TestRadiusLogin(t *testing.T) {
	p := &radiusServer{page: "200 " + radiusPage, token: "200 " + radiusToken}
	s := newRadius(t, p)
	l, u, done := begins(t, s, "radius")
	q := u.Query()
	back := q.Get("redirect_uri")
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "pi-gateway", "scope": "gateway offline_access", "code_challenge_method": "S256", "handoff": "url",
	} {
		if !q.Has(name) || len(q[name]) != 1 || q.Get(name) != want {
			t.Errorf("%s is %q", name, q[name])
		}
	}
	if u.Scheme+"://"+u.Host+u.Path != "https://login.example/authorize" || u.Fragment != "" || len(q) != 8 || !strings.HasSuffix(back, "/oauth/callback") {
		t.Fatalf("address %s", l.URL)
	}
	if got, _ := visit(t, "GET", back+"?code=stolen&state=x"); got != 400 {
		t.Errorf("a stranger's code: %d", got)
	}
	if got, text := visit(t, "GET", back+"?code=the-code&state="+q.Get("state")); got != 200 || !strings.Contains(text, PageSignedIn) {
		t.Errorf("%d %s", got, text)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.asked, ", "); got != "GET /v1/oauth, POST /v1/oauth/token" {
		t.Errorf("asked %s", got)
	}
	a := p.forms[1]
	if a.Get("grant_type") != "authorization_code" || a.Get("client_id") != "pi-gateway" || a.Get("code") != "the-code" || a.Get("redirect_uri") != back || a.Get("code_verifier") == "" || len(a) != 5 {
		t.Errorf("asked with %v", a)
	}
	c, err := s.Get(t.Context(), "radius")
	if err != nil || c.Access.Reveal() != "access-canary-1" || !c.Expires.Equal(clock.Add(time.Hour)) {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	p.token = `200 {"access_token":"access-canary-2","expires_in":3600}`
	if c, err = s.Renew(t.Context(), c); err != nil || c.Access.Reveal() != "access-canary-2" || c.Refresh.Reveal() != "refresh-canary-1" {
		t.Errorf("renewed: %v", err)
	}
	if a := p.forms[2]; a.Get("grant_type") != "refresh_token" || a.Get("refresh_token") != "refresh-canary-1" || a.Get("client_id") != "pi-gateway" || len(a) != 3 {
		t.Errorf("renewed with %v", a)
	}
}

func TestRadiusDevice(t *testing.T) {
	p := &radiusServer{token: "200 " + radiusToken, device: strings.Replace(deviceAnswer, `"verification_uri_complete":"https://login.example/device?code=ABCD-EFGH",`, "", 1)}
	s := newRadius(t, p)
	l, err := s.Begin(t.Context(), "radius", How{Device: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.URL != "https://login.example/device" || l.UserCode != "ABCD-EFGH" {
		t.Errorf("%s, %s", l.URL, l.UserCode)
	}
	c, err := s.Await(t.Context(), l)
	if err != nil || c.Refresh.Reveal() != "refresh-canary-1" {
		t.Fatal(err)
	}
	if got := strings.Join(p.asked, ", "); got != "POST /v1/oauth/device, POST /v1/oauth/token" {
		t.Errorf("asked %s", got)
	}
	if a := p.forms[0]; a.Get("client_id") != "pi-gateway" || a.Get("scope") != "gateway offline_access" || len(a) != 2 {
		t.Errorf("began with %v", a)
	}
	if a := p.forms[1]; a.Get("client_id") != "pi-gateway" || a.Get("grant_type") != deviceGrant || a.Get("device_code") != "device-canary" || len(a) != 3 {
		t.Errorf("asked with %v", a)
	}
}

// What Radius, or who stands in its place, must not be able to do.
func TestRadiusRefuses(t *testing.T) {
	at := func(page string) string { return `200 {"authorizationEndpoint":"` + page + `"}` }
	for name, tt := range map[string]struct {
		page, token string
		reason      string // "" is an OAuthError
	}{
		"no page":               {"200 {}", "", LoginAnswer},
		"a page of another":     {`200 {"authorizationEndpoint":7}`, "", LoginAnswer},
		"a page without TLS":    {at("http://login.example/"), "", LoginAnswer},
		"a file":                {at("file:///etc/passwd"), "", LoginAnswer},
		"a script":              {at("javascript:alert(1)"), "", LoginAnswer},
		"somebody in the page":  {at("https://radius.pi.dev@evil.example/"), "", LoginAnswer},
		"no host":               {at("https:///authorize"), "", LoginAnswer},
		"a port and no host":    {at("https://:443/authorize"), "", LoginAnswer},
		"two lines":             {at(`https://login.example/\r\nX: y`), "", LoginAnswer},
		"a long page":           {at("https://login.example/" + strings.Repeat("a", maxPage)), "", LoginAnswer},
		"too much of a page":    {"200 " + strings.Repeat(" ", maxTokenReply) + radiusPage, "", LoginAnswer},
		"a page in place of it": {"200 <html>", "", LoginAnswer},
		"the page is elsewhere": {"302 " + radiusPage, "", ""},
		"out of order":          {"500 canary", "", ""},
		"refused":               {`200 {"error":"access_denied"}`, "", ""},
		"an old code":           {"200 " + radiusPage, `400 {"error":"invalid_grant"}`, LoginExpired},
		"the token elsewhere":   {"200 " + radiusPage, "302 " + radiusToken, ""},
		"too much of a token":   {"200 " + radiusPage, "200 " + strings.Repeat(" ", maxTokenReply) + radiusToken, LoginAnswer},
		"no token":              {"200 " + radiusPage, `200 {"refresh_token":"refresh-canary-1"}`, LoginAnswer},
		"a token of two lines":  {"200 " + radiusPage, `200 {"access_token":"access-canary\nX: y"}`, LoginAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			p := &radiusServer{page: tt.page, token: tt.token}
			s := newRadius(t, p)
			l, err := s.Begin(t.Context(), "radius", How{})
			if err == nil {
				defer l.Close()
				_, err = s.Finish(t.Context(), l, l.redirect+"?code=the-code&state="+l.state.Reveal())
			}
			refusedLogin(t, s, err, tt.reason)
			for _, a := range p.asked {
				if strings.Contains(a, "elsewhere") {
					t.Error("a redirect was followed")
				}
			}
		})
	}
}

// A company's own GitHub is none of Radius'.
func TestRadiusDomain(t *testing.T) {
	s := newRadius(t, &radiusServer{})
	var login *LoginError
	if _, err := s.Begin(t.Context(), "radius", How{Domain: "company.ghe.com"}); !errors.As(err, &login) || login.Reason != LoginDomain {
		t.Errorf("got %v", err)
	}
}
