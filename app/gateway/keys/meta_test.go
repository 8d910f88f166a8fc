package keys

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// metaAt is the endpoint of Meta's logins, at a server of this test.
func metaAt(url string) Endpoint {
	e := meta()
	e.DeviceURL, e.TokenURL, e.Exchange.URL = url, url, url
	return e
}

// A key is made of the login, and another one the next day.
func TestMetaLogin(t *testing.T) {
	p := &scripted{answers: []string{deviceAnswer, `400 {"error":"authorization_pending"}`, `200 {"access_token":"identity-canary-1"}`,
		`200 {"api_key":"key-canary-1"}`, `200 {"api_key":"key-canary-2"}`}}
	s, _ := newDevice(t, p)
	var header []http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = append(header, r.Header.Clone())
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	s.Endpoints = map[string]Endpoint{"meta": metaAt(srv.URL)}
	l, err := s.Begin(t.Context(), "meta", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if q := p.asked[0]; q.Get("client_id") != "1031625952748946" || q.Has("scope") {
		t.Errorf("began with %v", q)
	}
	c, err := s.Await(t.Context(), l)
	begun := s.now()
	if err != nil || c.Kind != KindOAuth || c.Access.Reveal() != "key-canary-1" || c.Refresh.Reveal() != "identity-canary-1" || !c.Expires.Equal(begun.Add(metaLife)) {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	if h := header[3]; h.Get("Authorization") != "Bearer identity-canary-1" || h.Get("X-Api-Version") != "1.0.0" || p.asked[3].Get("json") != "{}" {
		t.Errorf("a key was asked for with %v %v", h, p.asked[3])
	}
	s.Now = func() time.Time { return begun.Add(metaLife - renewBefore) }
	if c, err = s.Get(t.Context(), "meta"); err != nil || c.Access.Reveal() != "key-canary-2" || c.Refresh.Reveal() != "identity-canary-1" {
		t.Errorf("the next day: %+v, %v", c.Info(""), err)
	}
}

func TestMetaLoginRefuses(t *testing.T) {
	given := `200 {"access_token":"identity-canary-1"}`
	for name, tt := range map[string]struct {
		answers []string
		reason  string // of a LoginError; "" is an OAuthError
		ended   bool
	}{
		"denied":         {[]string{`400 {"error":"access_denied"}`}, LoginDenied, false},
		"expired":        {[]string{`400 {"error":"expired_token"}`}, LoginExpired, false},
		"no key yet":     {[]string{given, `200 {"action_url":"https://evil.example/canary"}`}, LoginAnswer, false},
		"a short key":    {[]string{given, `200 {"api_key":"abc"}`}, LoginAnswer, false},
		"a header":       {[]string{given, `200 {"api_key":"key-canary\r\nX: y"}`}, LoginAnswer, false},
		"no text":        {[]string{given, `200 {"api_key":{"canary":1}}`}, LoginAnswer, false},
		"sent elsewhere": {[]string{given, `302 `}, "", false},
		"signed out":     {[]string{given, `401 {"detail":"canary"}`}, "", true},
		"broken":         {[]string{given, `502 canary`}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			refusedDevice(t, "meta", metaAt, tt.answers, tt.reason, tt.ended)
		})
	}
}
