package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// A token of Copilot, and the address that it names.
func TestCopilotAPI(t *testing.T) {
	for token, want := range map[string]string{
		"tid=1;exp=2;proxy-ep=proxy.individual.githubcopilot.com;st=dotcom": "https://api.individual.githubcopilot.com",
		"tid=1;proxy-ep=proxy.business.githubcopilot.com:abc":               "",
		"proxy-ep=proxy.business.githubcopilot.com":                         "https://api.business.githubcopilot.com",
		"tid=1;exp=2":                                     "https://api.individual.githubcopilot.com",
		"tid=1;x-proxy-ep=proxy.evil.example":             "https://api.individual.githubcopilot.com",
		"proxy-ep=proxy.evil.example":                     "",
		"proxy-ep=":                                       "",
		"proxy-ep=proxy.githubcopilot.com":                "",
		"proxy-ep=evil.githubcopilot.com":                 "",
		"proxy-ep=proxy.githubcopilot.com.evil.example":   "",
		"proxy-ep=proxy.evil.example/.githubcopilot.com":  "",
		"proxy-ep=proxy.evil.example#.githubcopilot.com":  "",
		"proxy-ep=proxy.evil.example@x.githubcopilot.com": "",
		"proxy-ep=proxy.x.githubcopilot.com:8443":         "",
		"proxy-ep=proxy.x.githubcopilot.com/path":         "",
		"proxy-ep=proxy.x.githubcopilot.com\n":            "",
		"proxy-ep=proxy.evilgithubcopilot.com":            "",
		"proxy-ep=proxy.individual.githubcopilot.com;proxy-ep=proxy.business.githubcopilot.com": "",
		"proxy-ep=proxy.127.0.0.1":                                        "",
		"proxy-ep=proxy." + strings.Repeat("a.", 5) + "githubcopilot.com": "",
	} {
		if got, ok := CopilotAPI(token, ""); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", token, got, ok)
		}
	}
}

// What can be named as a company's GitHub, and which addresses tokens of it may name.
func TestCompanyDomain(t *testing.T) {
	for text, want := range map[string]string{
		"company.ghe.com": "company.ghe.com", " Company.GHE.com\n": "company.ghe.com", "https://company.ghe.com/": "company.ghe.com", "a.ghe.com": "a.ghe.com",
		"http://company.ghe.com": "", "company.ghe.com/path": "", "company.ghe.com:8443": "", "me@company.ghe.com": "", "company.ghe.com.evil.example": "",
		"evil.example": "", "evil.example#.ghe.com": "", "evil.example/.ghe.com": "", "a.b.ghe.com": "", ".ghe.com": "", "ghe.com": "", "-a.ghe.com": "", "a-.ghe.com": "",
		"127.0.0.1": "", "localhost": "", "169.254.169.254": "", "[::1]": "", "github.com": "", "": "", "xghe.com": "", "company.ghe.com\x00": "", "münchen.ghe.com": "",
	} {
		if got, ok := companyDomain(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
	for token, want := range map[string]string{
		"tid=1":                                         "https://copilot-api.company.ghe.com",
		"proxy-ep=copilot-proxy.company.ghe.com":        "https://copilot-proxy.company.ghe.com",
		"proxy-ep=proxy.company.ghe.com":                "https://api.company.ghe.com",
		"proxy-ep=proxy.enterprise.githubcopilot.com":   "https://api.enterprise.githubcopilot.com",
		"proxy-ep=copilot-proxy.other.ghe.com":          "",
		"proxy-ep=company.ghe.com":                      "",
		"proxy-ep=evilcompany.ghe.com":                  "",
		"proxy-ep=x.company.ghe.com.evil.example":       "",
		"proxy-ep=evil.example/x.company.ghe.com":       "",
		"proxy-ep=evil.example#x.company.ghe.com":       "",
		"proxy-ep=a@x.company.ghe.com":                  "",
		"proxy-ep=x.company.ghe.com;proxy-ep=evil.test": "",
	} {
		got, ok := CopilotAPI(token, "company.ghe.com")
		if got != want || ok != (want != "") || ok && !IsCopilotAPI(got) {
			t.Errorf("%q: %q, %v", token, got, ok)
		}
	}
	for _, base := range []string{"https://ghe.com", "https://company.ghe.com", "http://copilot-api.company.ghe.com", "https://copilot-api.company.ghe.com/x", "https://copilot-api.company.ghe.com.evil.example", "https://evil.example", "https://api.evil.example", ""} {
		if IsCopilotAPI(base) {
			t.Errorf("%q is Copilot's", base)
		}
	}
}

// anyHost sends every request to one server, and keeps where each was to go.
type anyHost struct {
	to    *url.URL
	asked []string
}

func (a *anyHost) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked = append(a.asked, r.URL.String())
	to := r.Clone(r.Context())
	to.URL.Scheme, to.URL.Host = a.to.Scheme, a.to.Host
	return http.DefaultTransport.RoundTrip(to)
}

// Copilot of a company is signed in to, and its tokens are made, at the company's own
// GitHub, also when the program was started again.
func TestCopilotOfACompany(t *testing.T) {
	const token = "tid=canary;exp=1"
	p := &scripted{answers: []string{deviceAnswer, `200 {"access_token":"` + githubToken + `"}`,
		copilotAnswer(token, clock.Add(30*time.Minute)), copilotAnswer(token+";st=2", clock.Add(60*time.Minute))}}
	s, _ := newDevice(t, p)
	to, err := url.Parse(s.Endpoints["xai"].TokenURL)
	if err != nil {
		t.Fatal(err)
	}
	net := &anyHost{to: to}
	s.Client, s.Endpoints = &http.Client{Transport: net}, nil
	l, err := s.Begin(t.Context(), "github-copilot", How{Domain: "https://Company.ghe.com"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := s.Await(t.Context(), l)
	if err != nil || c.Domain != "company.ghe.com" || c.Access.Reveal() != token {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	kept, err := decode(mustJSON(t, pack(c)), "github-copilot")
	if err != nil || !same(kept, c) || kept.Domain != "company.ghe.com" {
		t.Errorf("kept %+v, %v", kept.Info(""), err)
	}
	if c, err = s.Renew(t.Context(), kept); err != nil || c.Domain != "company.ghe.com" {
		t.Errorf("renewed %v", err)
	}
	want := []string{"https://company.ghe.com/login/device/code", "https://company.ghe.com/login/oauth/access_token",
		"https://api.company.ghe.com/copilot_internal/v2/token", "https://api.company.ghe.com/copilot_internal/v2/token"}
	if !slices.Equal(net.asked, want) {
		t.Errorf("asked %q", net.asked)
	}
	// Nothing else is asked, whatever is named, nor where a provider has one place only.
	for id, domain := range map[string]string{"github-copilot": "127.0.0.1", "xai": "company.ghe.com", "kimi-coding": "evil.example"} {
		var bad *LoginError
		if _, err := s.Begin(t.Context(), id, How{Domain: domain}); !errors.As(err, &bad) || bad.Reason != LoginDomain || len(net.asked) != len(want) {
			t.Errorf("%s at %s: %v", id, domain, err)
		}
	}
	// A keychain that was changed by somebody sends a login nowhere.
	kept.Domain = "evil.example"
	if _, err := decode(mustJSON(t, pack(kept)), "github-copilot"); !errors.Is(err, ErrEntry) {
		t.Errorf("got %v", err)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// copilotAt is the endpoint of GitHub's logins, at a server of this test.
func copilotAt(url string) Endpoint {
	e := copilot("")
	e.DeviceURL, e.TokenURL, e.Exchange.URL = url, url, url
	return e
}

const (
	githubToken  = "ghu_login-canary-1"
	copilotToken = "tid=canary;exp=1;proxy-ep=proxy.business.githubcopilot.com;st=dotcom"
)

func copilotAnswer(token string, ends time.Time) string {
	return fmt.Sprintf(`200 {"token":%q,"expires_at":%d,"refresh_in":1500,"endpoints":{"api":"https://evil.example"}}`, token, ends.Unix())
}

// GitHub says even no with 200; of what it gives in the end a token of Copilot is
// made, and anew when that one ends.
func TestCopilotLogin(t *testing.T) {
	p := &scripted{answers: []string{deviceAnswer,
		`200 {"error":"authorization_pending","error_description":"wait"}`, `200 {"error":"slow_down","interval":12}`,
		`200 {"access_token":"` + githubToken + `","token_type":"bearer","scope":"read:user"}`,
		copilotAnswer(copilotToken, clock.Add(30*time.Minute)), copilotAnswer("tid=canary-2;exp=1", clock.Add(60*time.Minute))}}
	s, waits := newDevice(t, p)
	var header []http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = append(header, r.Header.Clone())
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	s.Endpoints = map[string]Endpoint{"github-copilot": copilotAt(srv.URL)}
	l, err := s.Begin(t.Context(), "github-copilot", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := s.Await(t.Context(), l)
	if err != nil || c.Kind != KindOAuth || c.Access.Reveal() != copilotToken || c.Refresh.Reveal() != githubToken || !c.Expires.Equal(clock.Add(25*time.Minute)) {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	if got := fmt.Sprint(*waits); got != "[7s 7s 12s]" {
		t.Errorf("waited %s", got)
	}
	if q := p.asked[0]; q.Get("client_id") != "Iv1.b507a08c87ecfe98" || q.Get("scope") != "read:user" {
		t.Errorf("began with %v", q)
	}
	if h := header[4]; h.Get("Authorization") != "Bearer "+githubToken || h.Get("Editor-Version") == "" || h.Get("User-Agent") != "GitHubCopilotChat/0.35.0" {
		t.Errorf("exchanged with %v", h)
	}
	if header[0].Get("Authorization") != "" {
		t.Error("somebody signed in too early")
	}
	s.Now = func() time.Time { return clock.Add(24 * time.Minute) }
	if c, err = s.Get(t.Context(), "github-copilot"); err != nil || c.Access.Reveal() != "tid=canary-2;exp=1" || c.Refresh.Reveal() != githubToken {
		t.Errorf("renewed: %+v, %v", c.Info(""), err)
	}
	if h := header[len(header)-1]; len(header) != 6 || h.Get("Authorization") != "Bearer "+githubToken {
		t.Errorf("renewed with %d %v", len(header), h)
	}
	if stored, err := s.Store.Get(t.Context(), "github-copilot"); err != nil || !same(stored, c) {
		t.Errorf("stored: %v", err)
	}
}

// What GitHub's answers must not be able to do.
func TestCopilotLoginRefuses(t *testing.T) {
	given := `200 {"access_token":"` + githubToken + `"}`
	later := clock.Add(time.Hour)
	for name, tt := range map[string]struct {
		answers []string
		reason  string // of a LoginError; "" is an OAuthError
		ended   bool
	}{
		"denied":            {[]string{`200 {"error":"access_denied"}`}, LoginDenied, false},
		"expired":           {[]string{`200 {"error":"expired_token"}`}, LoginExpired, false},
		"nothing":           {[]string{`200 {}`}, LoginAnswer, false},
		"no subscription":   {[]string{given, `403 {"message":"no canary"}`}, "", true},
		"broken":            {[]string{given, `500 canary`}, "", false},
		"sent elsewhere":    {[]string{given, `302 `}, "", false},
		"another's host":    {[]string{given, copilotAnswer("tid=canary;proxy-ep=proxy.evil.example", later)}, LoginAnswer, false},
		"no token":          {[]string{given, copilotAnswer("", later)}, LoginAnswer, false},
		"a header":          {[]string{given, copilotAnswer("canary\r\nX: y", later)}, LoginAnswer, false},
		"no end":            {[]string{given, `200 {"token":"tid=canary-3"}`}, LoginAnswer, false},
		"an end of text":    {[]string{given, `200 {"token":"tid=canary-3","expires_at":"soon"}`}, LoginAnswer, false},
		"a list":            {[]string{given, `200 [1]`}, LoginAnswer, false},
		"too much":          {[]string{given, "200 " + strings.Repeat(" ", maxTokenReply) + "{}"}, LoginAnswer, false},
		"a very long token": {[]string{given, copilotAnswer(strings.Repeat("a", maxSecret+1), later)}, LoginAnswer, false},
	} {
		t.Run(name, func(t *testing.T) {
			refusedDevice(t, "github-copilot", copilotAt, tt.answers, tt.reason, tt.ended)
		})
	}
}

// A clock that is wrong makes no login unusable: its token is renewed when it is refused.
func TestCopilotClock(t *testing.T) {
	for name, ends := range map[string]time.Time{"over": clock.Add(-time.Hour), "in a long time": clock.Add(2 * maxLifetime)} {
		srv := httptest.NewServer(&scripted{answers: []string{copilotAnswer(copilotToken, ends)}})
		t.Cleanup(srv.Close)
		e := copilotAt(srv.URL)
		s := &Source{Store: &Memory{}, Client: srv.Client(), Now: func() time.Time { return clock }}
		c, err := s.change(t.Context(), e.Exchange, Credential{Provider: "github-copilot", Refresh: NewSecret(githubToken)})
		if err != nil || !c.Expires.IsZero() {
			t.Errorf("%s: %v, %v", name, c.Expires, err)
		}
	}
}

// refusedDevice signs in by a device whose service gives answers, of which none may
// make a login: the error has the reason, or is a refusal that is final or not, and
// tells nothing of what was said.
func refusedDevice(t *testing.T, id string, at func(string) Endpoint, answers []string, reason string, ended bool) {
	t.Helper()
	s, _ := newDevice(t, nil)
	srv := httptest.NewServer(&scripted{answers: append([]string{deviceAnswer}, answers...)})
	t.Cleanup(srv.Close)
	s.Endpoints = map[string]Endpoint{id: at(srv.URL)}
	l, err := s.Begin(t.Context(), id, How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = s.Await(t.Context(), l)
	if refused := refusedLogin(t, s, err, reason); refused != nil && refused.Ended() != ended {
		t.Errorf("got %v", err)
	}
}

// refusedLogin checks that a login was not made: with a reason of a [LoginError], or ""
// for a refusal, which is returned. The error tells nothing of what was said, and
// nothing is kept.
func refusedLogin(t *testing.T, s *Source, err error, reason string) *OAuthError {
	t.Helper()
	var login *LoginError
	var refused *OAuthError
	switch {
	case reason != "" && (!errors.As(err, &login) || login.Reason != reason):
		t.Errorf("got %v, want %s", err, reason)
	case reason == "" && !errors.As(err, &refused):
		t.Errorf("got %v", err)
	case strings.Contains(err.Error(), "canary"):
		t.Errorf("it tells: %v", err)
	}
	if all, _ := s.Store.List(t.Context()); len(all) != 0 {
		t.Errorf("kept %v", all)
	}
	return refused
}
