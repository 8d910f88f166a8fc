package keys

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

// Login is one that was begun: the person opens URL, signs in, and pastes the
// code that the page shows (authorization code with PKCE, RFC 7636).
type Login struct {
	URL      string
	provider string
	redirect string
	verifier Secret
	state    Secret
}

// Begin makes a login. It connects nowhere.
func (s *Source) Begin(provider string) (*Login, error) {
	all := s.Endpoints
	if all == nil {
		all = Endpoints()
	}
	e, ok := all[provider]
	if !ok || e.AuthorizeURL == "" {
		return nil, fmt.Errorf("login of %s: there is none", provider)
	}
	u, err := url.Parse(e.AuthorizeURL)
	if err != nil {
		return nil, fmt.Errorf("login of %s: %w", provider, err)
	}
	l := &Login{provider: provider, redirect: e.RedirectURL, verifier: random(), state: random()}
	sum := sha256.Sum256([]byte(l.verifier.Reveal()))
	q := u.Query()
	q.Set("code", "true") // the page shows the code
	q.Set("response_type", "code")
	q.Set("client_id", e.ClientID)
	q.Set("redirect_uri", e.RedirectURL)
	q.Set("scope", e.Scopes)
	q.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
	q.Set("code_challenge_method", "S256")
	q.Set("state", l.state.Reveal())
	u.RawQuery = q.Encode()
	l.URL = u.String()
	return l, nil
}

// Finish exchanges what the person pasted for tokens, and stores them. It takes
// the code, "code#state", or the whole address the browser ended at.
func (s *Source) Finish(ctx context.Context, l *Login, pasted string) (Credential, error) {
	code, state := splitCode(pasted)
	if code == "" || len(code) > maxSecret || state != "" && !NewSecret(state).Equal(l.state) {
		return Credential{}, errLogin
	}
	c, err := s.fetch(ctx, Credential{Provider: l.provider, Kind: KindOAuth}, map[string]string{
		"grant_type": "authorization_code", "code": code, "state": l.state.Reveal(),
		"redirect_uri": l.redirect, "code_verifier": l.verifier.Reveal(),
	})
	if err != nil {
		return Credential{}, err
	}
	return c, s.Set(ctx, c)
}

// splitCode finds code and state in a pasted text.
func splitCode(text string) (code, state string) {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		return u.Query().Get("code"), u.Query().Get("state")
	}
	if code, state, ok := strings.Cut(text, "#"); ok {
		return code, state
	}
	if strings.Contains(text, "code=") {
		if q, err := url.ParseQuery(text); err == nil {
			return q.Get("code"), q.Get("state")
		}
	}
	return text, ""
}

// random makes 256 bits, as text.
func random() Secret {
	var b [32]byte
	rand.Read(b[:]) // it never fails
	return NewSecret(base64.RawURLEncoding.EncodeToString(b[:]))
}
