package keys

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// codexAt is ChatGPT's login by a device, all of it at one server.
func codexAt(url string) Endpoint {
	e := codex()
	e.TokenURL, e.Device.DeviceURL, e.Device.CodeURL = url, url, url
	return e
}

const codexDevice = `200 {"device_auth_id":"device-canary","user_code":"ABCD-EFGH1","interval":"7"}`

// A code is typed in a browser on any device; what comes of it is as a browser's.
func TestCodexDevice(t *testing.T) {
	p := &scripted{answers: []string{codexDevice,
		`403 {"error":{"message":"wait","type":"invalid_request_error","code":"deviceauth_authorization_unknown"}}`, `404 <html>`,
		`400 {"error":{"message":"wait","type":"invalid_request_error","code":"deviceauth_authorization_pending"}}`, `429 {"error":{"code":"slow_down"}}`,
		`200 {"authorization_code":"the-code","code_verifier":"the-verifier"}`,
		codexAnswer(jwt(ownClaims)), codexAnswer(jwt(ownClaims + " "))}}
	s, waits := newDevice(t, p)
	s.Endpoints = map[string]Endpoint{"openai-codex": codexAt(s.Endpoints["xai"].TokenURL)}
	l, err := s.Begin(t.Context(), "openai-codex", How{Device: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.URL != "https://auth.openai.com/codex/device" || l.UserCode != "ABCD-EFGH1" || l.Flow != FlowDevice || !l.Expires.Equal(clock.Add(15*time.Minute)) {
		t.Errorf("%+v", l)
	}
	c, err := s.Await(t.Context(), l)
	if err != nil || c.Account() != "account-1" || c.Refresh.Reveal() != "refresh-canary-1" {
		t.Fatalf("%+v, %v", c.Info(""), err)
	}
	if got := fmt.Sprint(*waits); got != "[7s 7s 7s 7s 12s]" {
		t.Errorf("waited %s", got)
	}
	if j := p.asked[0].Get("json"); j != `{"client_id":"app_EMoamEEZ73f0CkXaXp7hrann"}` {
		t.Errorf("began with %s", j)
	}
	if j := p.asked[1].Get("json"); j != `{"device_auth_id":"device-canary","user_code":"ABCD-EFGH1"}` {
		t.Errorf("asked with %s", j)
	}
	if q := p.asked[6]; q.Get("grant_type") != "authorization_code" || q.Get("code") != "the-code" || q.Get("code_verifier") != "the-verifier" ||
		q.Get("redirect_uri") != "https://auth.openai.com/deviceauth/callback" || q.Get("client_id") == "" {
		t.Errorf("exchanged with %v", q)
	}
	if c, err = s.Renew(t.Context(), c); err != nil || c.Access.Reveal() != jwt(ownClaims+" ") {
		t.Errorf("renewed: %v", err)
	}
	var bad *LoginError
	if _, err := s.Finish(t.Context(), l, "the-code"); !errors.As(err, &bad) || bad.Reason != LoginWrong {
		t.Errorf("pasted: %v", err)
	}
}

// What OpenAI's answers must not be able to do.
func TestCodexDeviceRefuses(t *testing.T) {
	given := `200 {"authorization_code":"the-code","code_verifier":"the-verifier"}`
	for name, tt := range map[string]struct {
		answers []string
		reason  string // of a LoginError; "" is an OAuthError
	}{
		"not offered":      {[]string{"404 canary"}, ""},
		"no code to type":  {[]string{`200 {"device_auth_id":"device-canary"}`}, LoginAnswer},
		"a code of lines":  {[]string{strings.Replace(codexDevice, "ABCD", `A\u001b[2J`, 1)}, LoginAnswer},
		"no name":          {[]string{strings.Replace(codexDevice, "device-canary", "", 1)}, LoginAnswer},
		"an odd interval":  {[]string{strings.Replace(codexDevice, `"7"`, `{"a":"NaN"}`, 1), `400 {"error":"access_denied"}`}, LoginDenied},
		"declined":         {[]string{codexDevice, `400 {"error":"access_denied"}`}, LoginDenied},
		"another error":    {[]string{codexDevice, `400 {"error":{"code":"canary 1"}}`}, ""},
		"no code":          {[]string{codexDevice, `200 {"code_verifier":"the-verifier"}`}, LoginAnswer},
		"no verifier":      {[]string{codexDevice, `200 {"authorization_code":"the-code"}`}, LoginAnswer},
		"a code of blanks": {[]string{codexDevice, `200 {"authorization_code":"a b","code_verifier":"the-verifier"}`}, LoginAnswer},
		"an old code":      {[]string{codexDevice, given, `400 {"error":"invalid_grant"}`}, LoginExpired},
		"no account":       {[]string{codexDevice, given, codexAnswer(jwt(`{}`))}, LoginAnswer},
		"sent on":          {[]string{codexDevice, given, "302 "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newDevice(t, &scripted{answers: tt.answers})
			s.Endpoints = map[string]Endpoint{"openai-codex": codexAt(s.Endpoints["xai"].TokenURL)}
			l, err := s.Begin(t.Context(), "openai-codex", How{Device: true})
			if err == nil {
				defer l.Close()
				_, err = s.Await(t.Context(), l)
			}
			refusedLogin(t, s, err, tt.reason)
		})
	}
	// Who has none of that kind says so.
	for id, how := range map[string]How{"openrouter": {Device: true}, "anthropic": {Device: true}} {
		var bad *LoginError
		if _, err := (&Source{}).Begin(t.Context(), id, how); !errors.As(err, &bad) || bad.Reason != LoginDevice {
			t.Errorf("%s: %v", id, err)
		}
	}
}
