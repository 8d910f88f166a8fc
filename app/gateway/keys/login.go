package keys

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Flow is how a login comes back to this program.
type Flow string

// Flows.
const (
	FlowCode     Flow = ""         // the page shows a code, which the person pastes (RFC 7636 without a redirect)
	FlowLoopback Flow = "loopback" // the browser comes back to this computer (RFC 8252, 7.3)
	FlowDevice   Flow = "device"   // the provider is asked until the person has said yes there (RFC 8628)
)

// Why a login was not made, besides what [OAuthError] says.
const (
	LoginNone    = "none"    // the provider has none that is known here
	LoginWrong   = "wrong"   // what was pasted is not the code of this login
	LoginExpired = "expired" // the code was not used in time, or used before
	LoginDenied  = "denied"  // the person, or the provider, said no
	LoginTimeout = "timeout" // nobody came back in time
	LoginAnswer  = "answer"  // the provider's answer cannot be used
	LoginPort    = "port"    // another program has the port that the browser comes back to
	LoginDevice  = "device"  // the provider has no login by a device
	LoginDomain  = "domain"  // what was named is no place of the provider's
	LoginTaken   = "taken"   // the browser came first; never what became of a login
)

// LoginError is a login that was not made. It holds no secret.
type LoginError struct {
	Provider string
	Reason   string // LoginX
}

func (e *LoginError) Error() string { return fmt.Sprintf("login of %s: %s", e.Provider, e.Reason) }

// loginTime is how long a person has to sign in.
const loginTime = 10 * time.Minute

// Login is one that was begun: the person opens URL, and signs in there.
type Login struct {
	Provider string
	URL      string
	UserCode string    // that the page asks for or shows; "" for none
	Expires  time.Time // then it is over
	Flow     Flow

	e        Endpoint
	domain   string // of [How]
	redirect string
	verifier Secret
	state    Secret // none where the provider does not send it back
	device   device
	back     *callback // nil without [FlowLoopback]
}

// How says which way a login is made; the zero value is the provider's usual one.
type How struct {
	Device bool   // by a code that is typed in a browser on any device
	Domain string // a place of its own, as companies have of GitHub: "company.ghe.com"
}

// way finds what a login is made with.
func (s *Source) way(provider string, how How) (e Endpoint, domain string, err error) {
	e, ok := s.endpoint(provider)
	if !ok || !e.begins() {
		return e, "", &LoginError{provider, LoginNone}
	}
	if how.Domain != "" {
		if domain, ok = companyDomain(how.Domain); !ok || e.At == nil {
			return e, "", &LoginError{provider, LoginDomain}
		}
		e = e.At(domain)
	}
	switch {
	case !how.Device || e.Flow == FlowDevice:
	case e.Device == nil:
		return e, "", &LoginError{provider, LoginDevice}
	default:
		e = *e.Device
	}
	return e, domain, nil
}

// Begin makes a login. Who begins one closes it. A provider without logins, or none
// of that kind, is a [LoginError].
func (s *Source) Begin(ctx context.Context, provider string, how How) (*Login, error) {
	e, domain, err := s.way(provider, how)
	if err != nil {
		return nil, err
	}
	if e.FindURL != "" {
		if e.AuthorizeURL, err = s.findPage(ctx, provider, e); err != nil {
			return nil, err
		}
	}
	l := &Login{Provider: provider, Flow: e.Flow, Expires: s.now().Add(loginTime), e: e, domain: domain, redirect: e.RedirectURL, verifier: random(), state: random()}
	switch e.Flow {
	case FlowDevice:
		return l, s.beginDevice(ctx, l)
	case FlowLoopback:
		back, err := listen(ctx, l, s.Say)
		if err != nil {
			return nil, err
		}
		l.back, l.redirect = back, back.url
	default:
	}
	u, err := url.Parse(e.AuthorizeURL)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("login of %s: %w", provider, err)
	}
	sum := sha256.Sum256([]byte(l.verifier.Reveal()))
	q := u.Query()
	q.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
	q.Set("code_challenge_method", "S256")
	if e.Key {
		l.state = Secret{} // the address it comes back to is as hard to guess
		q.Set("callback_url", l.redirect)
	} else {
		q.Set("response_type", "code")
		q.Set("client_id", e.ClientID)
		q.Set("redirect_uri", l.redirect)
		q.Set("scope", e.Scopes)
		q.Set("state", l.state.Reveal())
	}
	if e.Flow == FlowCode {
		q.Set("code", "true") // the page shows the code
	}
	for k, v := range e.Params {
		q.Set(k, v)
	}
	if e.Registers {
		q.Set("nonce", random().Reveal())
		host, err := s.host()
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("login of %s: name this computer: %w", provider, err)
		}
		q.Set("ext_agent_host_id", host)
	}
	u.RawQuery = q.Encode()
	l.URL = u.String()
	return l, nil
}

// Close ends what waits for the browser.
func (l *Login) Close() {
	if l.back != nil {
		l.back.close()
	}
}

// Await waits until the person has signed in, and stores the tokens. Where the
// person has to paste a code, and in every flow when nobody comes, it is a
// [LoginError] in the end.
func (s *Source) Await(ctx context.Context, l *Login) (Credential, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := &LoginError{l.Provider, LoginTimeout}
	over := s.after(l.Expires.Sub(s.now()))
	go func() {
		select {
		case <-over:
			cancel(late)
		case <-ctx.Done():
		}
	}()
	var c Credential
	var err error
	switch l.Flow {
	case FlowDevice:
		c, err = s.poll(ctx, l)
	case FlowLoopback:
		select {
		case r := <-l.back.came:
			if err = r.err; err == nil {
				c, err = s.exchange(ctx, l, r.grant)
			}
			r.told <- err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	default:
		<-ctx.Done()
		err = context.Cause(ctx)
	}
	if err != nil && errors.Is(context.Cause(ctx), late) {
		return Credential{}, late
	}
	return c, err
}

// Finish exchanges what the person pasted for tokens, and stores them. It takes
// the code, "code#state", or the whole address the browser ended at, for which a
// browser on another computer shows an error. What is none of this login's is a
// [LoginError] with [LoginWrong], and leaves it open; that the browser came in the
// meantime is one with [LoginTaken].
func (s *Source) Finish(ctx context.Context, l *Login, pasted string) (Credential, error) {
	g, err := l.read(pasted)
	if bad, ok := errors.AsType[*LoginError](err); ok && bad.Reason == LoginWrong {
		return Credential{}, err
	}
	if l.back != nil && !l.back.take() {
		return Credential{}, &LoginError{l.Provider, LoginTaken}
	}
	if err != nil {
		return Credential{}, err
	}
	c, err := s.exchange(ctx, l, g)
	if err != nil && ctx.Err() != nil && l.back != nil {
		l.back.leave()
	}
	return c, err
}

// grant is what a browser brings back.
type grant struct {
	code   string
	client string // that the login is of, with [Endpoint].Registers
}

// exchange makes tokens of a code, and stores them.
func (s *Source) exchange(ctx context.Context, l *Login, g grant) (Credential, error) {
	params := map[string]string{"code": g.code, "code_verifier": l.verifier.Reveal()}
	if l.e.Key {
		params["code_challenge_method"] = "S256"
	} else {
		params["grant_type"], params["redirect_uri"] = "authorization_code", l.redirect
		if l.Flow == FlowCode {
			params["state"] = l.state.Reveal()
		}
	}
	c, err := s.fetch(ctx, Credential{Provider: l.Provider, Kind: KindOAuth, Domain: l.domain, Client: g.client}, params)
	if refused, ok := errors.AsType[*OAuthError](err); ok && refused.Code == "invalid_grant" {
		return Credential{}, &LoginError{l.Provider, LoginExpired}
	}
	if err != nil {
		return Credential{}, err
	}
	return s.settle(ctx, l, c)
}

// settle stores what came of a login. Where that is only what tokens are made of,
// the first one is made.
func (s *Source) settle(ctx context.Context, l *Login, c Credential) (Credential, error) {
	if x := l.e.Exchange; x != nil {
		var err error
		c.Refresh = c.Access
		if c, err = s.change(ctx, x, c); err != nil {
			return Credential{}, err
		}
	}
	ctx, cancel := longer(ctx) // the code is used up, and the keychain may have to be unlocked first
	defer cancel()
	return c, s.Set(ctx, c)
}

// renews is what a login is renewed with.
func (s *Source) renews(c Credential) (Endpoint, bool) {
	e, ok := s.endpoint(c.Provider)
	if ok && c.Domain != "" {
		if e.At == nil {
			return e, false
		}
		e = e.At(c.Domain)
	}
	return e, ok
}

// endpoint is what logins of a provider are made with.
func (s *Source) endpoint(provider string) (Endpoint, bool) {
	all := s.Endpoints
	if all == nil {
		all = Endpoints()
	}
	e, ok := all[provider]
	return e, ok
}

// HasLogin reports whether a login of a provider can be begun.
func (s *Source) HasLogin(provider string) bool {
	e, ok := s.endpoint(provider)
	return ok && e.begins()
}

// maxPage bounds the address of a page that a provider names.
const maxPage = maxTokenReply / 16

// webPage reads the address of a page that a provider names, which is going to be
// opened in a browser: of the web, with TLS, and nobody in it.
func webPage(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && len(text) <= maxPage
}

func (s *Source) after(d time.Duration) <-chan time.Time {
	if s.After != nil {
		return s.After(d)
	}
	return time.After(d)
}

// random makes 256 bits, as text.
func random() Secret {
	var b [32]byte
	rand.Read(b[:]) // it never fails
	return NewSecret(base64.RawURLEncoding.EncodeToString(b[:]))
}
