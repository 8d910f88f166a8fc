package keys

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// What can be pasted of a login whose browser is on another computer, and what not:
// text is made of the address it comes back to and the state.
func TestPaste(t *testing.T) {
	for name, tt := range map[string]struct {
		text   func(back, state string) string
		reason string // "": it is taken
	}{
		"address":          {func(b, s string) string { return b + "?code=the-code&state=" + s }, ""},
		"with blanks":      {func(b, s string) string { return "\n " + b + "?state=" + s + "&code=the-code \n" }, ""},
		"as shown":         {func(b, s string) string { return strings.TrimPrefix(b, "http://") + "?code=the-code&state=" + s }, ""},
		"its end":          {func(_, s string) string { return "?code=the-code&state=" + s }, ""},
		"code":             {func(string, string) string { return "the-code" }, ""},
		"code and state":   {func(_, s string) string { return "the-code#" + s }, ""},
		"declined":         {func(b, s string) string { return b + "?error=access_denied&state=" + s }, LoginDenied},
		"no state":         {func(b, _ string) string { return b + "?code=the-code" }, LoginWrong},
		"another state":    {func(b, _ string) string { return b + "?code=the-code&state=x" }, LoginWrong},
		"two states":       {func(b, s string) string { return b + "?code=the-code&state=x&state=" + s }, LoginWrong},
		"end, no state":    {func(string, string) string { return "code=the-code" }, LoginWrong},
		"code, bad state":  {func(string, string) string { return "the-code#x" }, LoginWrong},
		"a no of others":   {func(b, _ string) string { return b + "?error=access_denied" }, LoginWrong},
		"no code":          {func(b, s string) string { return b + "?state=" + s }, LoginWrong},
		"nothing":          {func(string, string) string { return " \n" }, LoginWrong},
		"another path":     {func(b, s string) string { return b + "/x?code=the-code&state=" + s }, LoginWrong},
		"path above":       {func(b, s string) string { return b + "/../callback?code=the-code&state=" + s }, LoginWrong},
		"another host":     {func(_, s string) string { return "http://evil.example/auth/callback?code=the-code&state=" + s }, LoginWrong},
		"another port":     {func(_, s string) string { return "http://localhost:1/auth/callback?code=the-code&state=" + s }, LoginWrong},
		"another scheme":   {func(b, s string) string { return "https" + strings.TrimPrefix(b, "http") + "?code=the-code&state=" + s }, LoginWrong},
		"a user":           {func(b, s string) string { return strings.Replace(b, "//", "//me@", 1) + "?code=the-code&state=" + s }, LoginWrong},
		"where it began":   {func(string, string) string { return "https://auth.openai.com/oauth/authorize?code=the-code" }, LoginWrong},
		"bad encoding":     {func(b, s string) string { return b + "?code=%zz&state=" + s }, LoginWrong},
		"two lines":        {func(b, s string) string { return b + "?code=a%0Ab&state=" + s }, LoginWrong},
		"some words":       {func(string, string) string { return "it does not work" }, LoginWrong},
		"too long":         {func(string, string) string { return strings.Repeat("a", maxSecret+1) }, LoginWrong},
		"too long address": {func(b, s string) string { return b + "?state=" + s + "&code=" + strings.Repeat("a", maxPasted) }, LoginWrong},
	} {
		t.Run(name, func(t *testing.T) {
			p := &scripted{answers: []string{codexAnswer(jwt(ownClaims))}}
			s := newCodex(t, p)
			l, err := s.Begin(t.Context(), "openai-codex", How{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			c, err := s.Finish(t.Context(), l, tt.text(l.redirect, url.QueryEscape(l.state.Reveal())))
			if tt.reason == "" {
				if err != nil || len(p.asked) != 1 || p.asked[0].Get("code") != "the-code" || p.asked[0].Get("redirect_uri") != l.redirect || c.Account() != "account-1" {
					t.Errorf("%v, asked %v", err, p.asked)
				}
				return
			}
			if bad, is := errors.AsType[*LoginError](err); !is || bad.Reason != tt.reason || len(p.asked) != 0 {
				t.Errorf("%v, asked %v", err, p.asked)
			}
			if tt.reason == LoginWrong { // it is still open
				if _, err := s.Finish(t.Context(), l, "the-code"); err != nil {
					t.Errorf("afterwards: %v", err)
				}
			}
		})
	}
}

// A login is ended once: by the browser, or by what is pasted. One whose exchange was
// given up in the middle can be ended again.
func TestPasteAndBrowser(t *testing.T) {
	s := newCodex(t, &scripted{answers: []string{codexAnswer(jwt(ownClaims))}})
	l, err := s.Begin(t.Context(), "openai-codex", How{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	back := l.redirect + "?code=the-code&state=" + url.QueryEscape(l.state.Reveal())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Finish(ctx, l, back); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := s.Finish(t.Context(), l, back); err != nil {
		t.Errorf("pasted: %v", err)
	}
	if got, _ := visit(t, "GET", back); got != 409 {
		t.Errorf("the browser comes late: %d", got)
	}
	var bad *LoginError
	if _, err := s.Finish(t.Context(), l, back); !errors.As(err, &bad) || bad.Reason != LoginTaken {
		t.Errorf("pasted again: %v", err)
	}
}
