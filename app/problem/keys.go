package problem

import (
	"errors"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// keyCodes maps what the places of keys say.
var keyCodes = []struct {
	err         error
	code, cause string
}{
	{keys.ErrLocked, CodeKeysLocked, ""},
	{keys.ErrPassphrase, CodePassphrase, "wrong"},
	{keys.ErrShort, CodePassphrase, "short"},
	{keys.ErrNoKeychain, CodeKeychain, causeNoKeychain},
	{keys.ErrReadOnly, CodeKeychain, "read-only"},
	{keys.ErrDamaged, CodeKeychain, "damaged"},
	{keys.ErrTooLong, CodeKeychain, causeTooLong},
}

// Causes of CodeKeychain that a file with a passphrase does not have.
const (
	causeNoKeychain = "missing"
	causeTooLong    = "too-long"
)

// fromKeys knows the typed errors of app/gateway/keys and app/gateway/provider.
func fromKeys(err error) *Problem {
	var invalid *keys.InvalidError
	var login *keys.LoginError
	var oauth *keys.OAuthError
	var address *provider.AddressError
	var refused *provider.RefusedError
	switch {
	case errors.As(err, &invalid):
		p := New(CodeKeyInvalid).With("provider", invalid.Provider)
		if p.Cause = "key"; invalid.What == "provider" {
			p.Cause = "provider"
		}
		return p
	case errors.As(err, &address):
		p := New(CodeKeyInvalid)
		p.Cause = "address"
		return p
	case errors.As(err, &login):
		p := New(CodeLoginFailed).With("provider", login.Provider)
		p.Cause = login.Reason
		return p
	case errors.As(err, &oauth):
		p := New(CodeLoginFailed).With("provider", oauth.Provider)
		p.Cause = "refused"
		return p
	case errors.As(err, &refused):
		p := New(CodeModelFailed)
		p.Cause = "refused"
		return p
	case errors.Is(err, keys.ErrNotFound):
		return New(CodeNotFound).With("what", "key")
	}
	for _, k := range keyCodes {
		if errors.Is(err, k.err) {
			p := New(k.code)
			p.Cause = k.cause
			if k.cause == causeNoKeychain || k.cause == causeTooLong {
				p.Fix = append(Fixes(FixKeyFile), p.Fix...)
			}
			return p
		}
	}
	return nil
}

// unanswered is what the gateway says of a provider that did not answer. Its package
// keeps records, which know this one: it says itself what it is about.
type unanswered interface {
	error
	Unanswered() (cause string, params map[string]any)
}

// fromGateway knows the typed error of app/gateway. A file of keys that is locked is
// what a person can do something about, whoever could not be asked because of it.
func fromGateway(err error) *Problem {
	var u unanswered
	if !errors.As(err, &u) || errors.Is(err, keys.ErrLocked) {
		return nil
	}
	p := New(CodeModelFailed)
	cause, params := u.Unanswered()
	p.Cause = cause
	for name, value := range params {
		p = p.With(name, value)
	}
	return p
}
