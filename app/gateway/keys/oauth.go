package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// Bounds on renewing a login.
const (
	renewTimeout  = 30 * time.Second
	renewBefore   = 2 * time.Minute // the end of an access token
	maxTokenReply = 64 << 10
	maxLifetime   = 400 * 24 * time.Hour
)

// OAuthError is a provider's refusal of a login. It holds no secret.
type OAuthError struct {
	Provider string
	Status   int    // of HTTP
	Code     string // as in RFC 6749, 5.2; "" when the answer has none
}

func (e *OAuthError) Error() string {
	return fmt.Sprintf("login of %s: refused with status %d %s", e.Provider, e.Status, e.Code)
}

// Ended reports that the login is over, and a person has to make a new one.
func (e *OAuthError) Ended() bool { return e.Status == 400 || e.Status == 401 || e.Status == 403 }

// remember is how long the store is not asked again: a keychain is slow, and what
// another program of the person changed in it is seen a little later.
const remember = time.Minute

// Source gives the credential that holds now. It may be used from several
// goroutines. Keys are set and deleted through it, so that it forgets the one
// before at once.
type Source struct {
	Store     Store
	Endpoints map[string]Endpoint // nil: [Endpoints]
	Client    *http.Client        // to renew with; nil: gateway.New gives it its own way to the network
	Now       func() time.Time    // nil: time.Now
	Log       *slog.Logger        // nil is silent

	After func(time.Duration) <-chan time.Time // nil: time.After
	Say   Say                                  // what a browser is shown after a sign-in
	Host  func() (string, error)               // a UUID that this computer keeps, for providers that list who is signed in

	once    singleflight.Group
	turn    turn // of who changes what is stored; before mu
	mu      sync.Mutex
	unsaved map[string]Credential // the store did not take it, or only what renews it
	known   map[string]known
	changes int // of what is stored, by this program
}

type known struct {
	c  Credential
	at time.Time
}

// Get returns the credential of a provider, with an access token that does not
// end in the next two minutes where it can be renewed. Several callers at once
// make one request.
func (s *Source) Get(ctx context.Context, provider string) (Credential, error) {
	c, err := s.recent(ctx, provider)
	if err != nil || c.Kind != KindOAuth || c.Refresh.IsZero() {
		return c, err
	}
	if !c.Access.IsZero() && (c.Expires.IsZero() || s.now().Add(renewBefore).Before(c.Expires)) {
		return c, nil
	}
	return s.Renew(ctx, c)
}

// Peek returns the credential of a provider as it is kept: it asks nobody, and an
// access token may be over.
func (s *Source) Peek(ctx context.Context, provider string) (Credential, error) {
	return s.recent(ctx, provider)
}

// recent is what the store had within the last minute.
func (s *Source) recent(ctx context.Context, provider string) (Credential, error) {
	s.mu.Lock()
	k, ok := s.known[provider]
	changes := s.changes
	s.mu.Unlock()
	if ok && s.now().Sub(k.at) < remember {
		return k.c, nil
	}
	c, err := s.stored(ctx, provider)
	if err != nil {
		return c, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if changes == s.changes { // else it may be the one before
		if s.known == nil {
			s.known = map[string]known{}
		}
		s.known[provider] = known{c: c, at: s.now()}
	}
	return c, nil
}

// List tells what there is.
func (s *Source) List(ctx context.Context) ([]Info, error) { return s.Store.List(ctx) }

// Forget drops what is in memory, but for renewed logins that the store did not
// take: when the store became another one.
func (s *Source) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.known = nil
}

// forget drops what is in memory of a provider; with unsaved also a renewed login
// that the store did not take.
func (s *Source) forget(provider string, unsaved bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	delete(s.known, provider)
	if unsaved {
		delete(s.unsaved, provider)
	}
}

// stored is what the store has, or what it should have.
func (s *Source) stored(ctx context.Context, provider string) (Credential, error) {
	s.mu.Lock()
	c, ok := s.unsaved[provider]
	s.mu.Unlock()
	if ok {
		return c, nil
	}
	return s.Store.Get(ctx, provider)
}

// Renew replaces a login whose access token is over, or was refused. When the
// stored one is another already, that is it.
func (s *Source) Renew(ctx context.Context, old Credential) (Credential, error) {
	if old.Kind != KindOAuth || old.Refresh.IsZero() {
		return Credential{}, &OAuthError{Provider: old.Provider, Status: 401, Code: "no_refresh_token"}
	}
	ch := s.once.DoChan(old.Provider, func() (any, error) {
		// The caller may go; the new tokens must be kept all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		now, err := s.stored(ctx, old.Provider)
		if err != nil {
			return Credential{}, err
		}
		if now.Kind != KindOAuth || !now.Access.Equal(old.Access) {
			return now, nil
		}
		c, err := s.renewed(ctx, now)
		if err != nil {
			return Credential{}, err
		}
		return s.keep(ctx, now, c)
	})
	select {
	case <-ctx.Done():
		return Credential{}, ctx.Err()
	case r := <-ch:
		if r.Err != nil {
			return Credential{}, r.Err
		}
		c, _ := r.Val.(Credential)
		return c, nil
	}
}

// renewed is a login with a new access token.
func (s *Source) renewed(ctx context.Context, c Credential) (Credential, error) {
	if e, _ := s.renews(c); e.Exchange != nil {
		return s.change(ctx, e.Exchange, c)
	}
	return s.fetch(ctx, c, map[string]string{"grant_type": "refresh_token", "refresh_token": c.Refresh.Reveal()})
}

func (s *Source) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// fetch asks the token endpoint and returns c with what it answered.
func (s *Source) fetch(ctx context.Context, c Credential, params map[string]string) (Credential, error) {
	e, ok := s.renews(c)
	if !ok || s.Client == nil {
		return Credential{}, &OAuthError{Provider: c.Provider, Status: 400, Code: "no_endpoint"}
	}
	switch {
	case e.Registers && c.Client == "":
		return Credential{}, &OAuthError{Provider: c.Provider, Status: 400, Code: "no_client"}
	case e.Registers:
		params["client_id"] = c.Client
	case e.ClientID != "":
		params["client_id"] = e.ClientID
	}
	maps.Copy(params, e.Always)
	var t struct {
		Access  string  `json:"access_token"`
		Refresh string  `json:"refresh_token"`
		Key     string  `json:"key"`
		Expires float64 `json:"expires_in"` // seconds
		Scope   string  `json:"scope"`
	}
	if err := s.post(ctx, c.Provider, e.TokenURL, e, params, &t); err != nil {
		return Credential{}, err
	}
	if e.Key {
		c = Credential{Provider: c.Provider, Kind: KindKey, Key: NewSecret(t.Key)}
		if c.Check() != nil {
			return Credential{}, &LoginError{c.Provider, LoginAnswer}
		}
		return c, nil
	}
	if t.Access == "" {
		return Credential{}, &LoginError{c.Provider, LoginAnswer}
	}
	if e.Scope != "" && !slices.Contains(strings.Fields(t.Scope), e.Scope) {
		return Credential{}, &OAuthError{Provider: c.Provider, Status: http.StatusForbidden, Code: "no_scope"}
	}
	c.Kind, c.Key, c.Access, c.Expires = KindOAuth, Secret{}, NewSecret(t.Access), time.Time{}
	if t.Refresh != "" {
		c.Refresh = NewSecret(t.Refresh) // else the old one stays (RFC 6749, 6)
	}
	if t.Expires > 0 && t.Expires < maxLifetime.Seconds() {
		c.Expires = s.now().Add(time.Duration(t.Expires * float64(time.Second)))
	}
	if c.Check() != nil || e.Account && c.Account() == "" {
		return Credential{}, &LoginError{c.Provider, LoginAnswer}
	}
	return c, nil
}

// post asks an endpoint of logins, and reads its answer into out; see send.
func (s *Source) post(ctx context.Context, provider, address string, e Endpoint, params map[string]string, out any) error {
	r, err := tokenRequest(ctx, address, e.Form, params)
	if err != nil {
		return fmt.Errorf("login of %s: the token address cannot be used", provider)
	}
	for k, v := range e.Header {
		r.Header.Set(k, v)
	}
	return s.send(provider, r, out)
}

// send asks something of a login, and reads the answer into out. No redirect is
// followed, and nothing that was sent or came is part of an error. A refusal is an
// [OAuthError], whatever its status: GitHub's have 200.
func (s *Source) send(provider string, r *http.Request, out any) error {
	if s.Client == nil {
		return &OAuthError{Provider: provider, Status: 400, Code: "no_endpoint"}
	}
	ctx, cancel := context.WithTimeout(r.Context(), renewTimeout)
	defer cancel()
	client := *s.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(r.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("login of %s: %w", provider, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenReply+1))
	if err != nil { // it broke off, which is no answer either
		return fmt.Errorf("login of %s: %w", provider, &url.Error{Op: r.Method, URL: r.URL.Host, Err: err})
	}
	var refused struct {
		Error any `json:"error"`
	}
	_ = json.Unmarshal(data[:min(len(data), maxTokenReply)], &refused) // it may be a page
	if resp.StatusCode != http.StatusOK {
		return &OAuthError{Provider: provider, Status: resp.StatusCode, Code: errorCode(refused.Error)}
	}
	if len(data) > maxTokenReply || json.Unmarshal(data, out) != nil {
		return &LoginError{provider, LoginAnswer}
	}
	if code := errorCode(refused.Error); code != "" {
		return &OAuthError{Provider: provider, Status: http.StatusBadRequest, Code: code}
	}
	return nil
}

func tokenRequest(ctx context.Context, address string, form bool, params map[string]string) (*http.Request, error) {
	var body []byte
	kind := "application/json"
	if form {
		v := url.Values{}
		for k, p := range params {
			v.Set(k, p)
		}
		body, kind = []byte(v.Encode()), "application/x-www-form-urlencoded"
	} else {
		var err error
		if body, err = json.Marshal(params); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", "application/json")
	return r, nil
}

// errorCode finds a code in what providers answer: a text, or an object with a
// code or a type. Anything but a short word is left out, it could be an echo.
func errorCode(v any) string {
	if m, ok := v.(map[string]any); ok {
		if v = m["code"]; v == nil {
			v = m["type"]
		}
	}
	code, _ := v.(string)
	if len(code) > 40 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}
