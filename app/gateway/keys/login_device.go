package keys

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
)

// Bounds of the device flow (RFC 8628).
const (
	pollLeast  = time.Second
	pollUsual  = 5 * time.Second
	pollMost   = time.Minute
	deviceMost = 30 * time.Minute // of a code's life
	maxShown   = 64               // characters of a code that a person types
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// device is what the provider is asked with.
type device struct {
	code     Secret
	interval time.Duration
}

// beginDevice asks for the code that the person types, and where.
func (s *Source) beginDevice(ctx context.Context, l *Login) error {
	if l.e.CodeURL != "" {
		return s.beginCodex(ctx, l)
	}
	var a struct {
		Device   string  `json:"device_code"`
		User     string  `json:"user_code"`
		URI      string  `json:"verification_uri"`
		Complete string  `json:"verification_uri_complete"`
		Expires  float64 `json:"expires_in"`
		Interval float64 `json:"interval"`
	}
	params := map[string]string{"client_id": l.e.ClientID}
	if l.e.Scopes != "" {
		params["scope"] = l.e.Scopes
	}
	if err := s.post(ctx, l.Provider, l.e.DeviceURL, l.e, params, &a); err != nil {
		return err
	}
	bad := &LoginError{l.Provider, LoginAnswer}
	l.URL = a.URI
	if a.Complete != "" {
		l.URL = a.Complete
	}
	u, ok := webPage(l.URL)
	switch {
	case !ok:
		return bad
	case a.Device == "" || len(a.Device) > maxSecret || !typable(a.User):
		return bad
	case !(a.Expires > 0): // NaN is none, either
		return bad
	}
	l.URL, l.UserCode = u.String(), a.User
	life := deviceMost
	if a.Expires < deviceMost.Seconds() {
		life = time.Duration(a.Expires * float64(time.Second))
	}
	l.Expires = s.now().Add(life)
	l.device = device{NewSecret(a.Device), pollUsual}
	l.device.every(a.Interval)
	return nil
}

// every sets how many seconds a provider wants between questions; what cannot be is
// the usual.
func (d *device) every(seconds float64) {
	if seconds > 0 && seconds < pollMost.Seconds() {
		d.interval = max(pollLeast, time.Duration(seconds*float64(time.Second)))
	}
}

// typable reports whether a person can type a code.
func typable(code string) bool {
	return code != "" && len(code) <= maxShown && !strings.ContainsFunc(code, func(r rune) bool { return r < ' ' || r > '~' })
}

// ask asks once what the person said. What they agreed to is made a login by finish.
func (s *Source) ask(ctx context.Context, l *Login) (finish func() (Credential, error), err error) {
	if l.e.CodeURL != "" {
		return s.codexCode(ctx, l)
	}
	c, err := s.fetch(ctx, Credential{Provider: l.Provider, Kind: KindOAuth, Domain: l.domain}, map[string]string{
		"grant_type": deviceGrant, "device_code": l.device.code.Reveal(),
	})
	return func() (Credential, error) { return s.settle(ctx, l, c) }, err
}

// poll asks until the person has said yes or no.
func (s *Source) poll(ctx context.Context, l *Login) (Credential, error) {
	wait := l.device.interval
	for {
		select {
		case <-ctx.Done():
			return Credential{}, context.Cause(ctx)
		case <-s.after(wait):
		}
		finish, err := s.ask(ctx, l)
		var refused *OAuthError
		var unreachable *url.Error
		switch {
		case err == nil:
			return finish()
		case ctx.Err() != nil:
			return Credential{}, context.Cause(ctx)
		case errors.As(err, &unreachable): // RFC 8628, 3.5: not so often
			wait = min(2*wait, pollMost)
			continue
		case !errors.As(err, &refused):
			return Credential{}, err
		}
		switch refused.Code {
		case "authorization_pending", codexPending:
		case "slow_down":
			wait = min(wait+pollUsual, pollMost)
		case "access_denied", "authorization_denied":
			return Credential{}, &LoginError{l.Provider, LoginDenied}
		case "expired_token":
			return Credential{}, &LoginError{l.Provider, LoginExpired}
		default:
			return Credential{}, err
		}
	}
}
