package problem

import (
	"errors"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// keyErrors are what the places of keys say.
var keyErrors = []sentinel{
	when(keys.ErrNotFound, CodeNotFound, ""),
	when(keys.ErrLocked, CodeKeysLocked, ""),
	when(keys.ErrPassphrase, CodePassphrase, "wrong"),
	when(keys.ErrShort, CodePassphrase, "short", FixShowDetails),                  // unlocking would be no help
	when(keys.ErrNoKeychain, CodeKeychain, "missing", FixKeyFile, FixShowDetails), // a file can
	when(keys.ErrReadOnly, CodeKeychain, "read-only"),
	when(keys.ErrDamaged, CodeKeychain, "damaged"),
	when(keys.ErrList, CodeKeychain, "list", FixKeys, FixShowDetails),
	when(keys.ErrEntry, CodeKeychain, "unreadable", FixKeys, FixShowDetails),
	when(keys.ErrTooLong, CodeKeychain, "too-long", FixKeyFile, FixShowDetails),
}

// fromKeys knows the typed errors of app/gateway/keys and app/gateway/provider.
func fromKeys(err error) *Problem {
	var invalid *keys.InvalidError
	var login *keys.LoginError
	var oauth *keys.OAuthError
	var address *provider.AddressError
	var refused *provider.RefusedError
	switch {
	case errors.As(err, &invalid):
		cause := "key"
		if invalid.What == "provider" {
			cause = "provider"
		}
		return New(CodeKeyInvalid).With("provider", invalid.Provider).By(cause)
	case errors.As(err, &address):
		return New(CodeKeyInvalid).By("address")
	case errors.As(err, &login):
		return New(CodeLoginFailed).With("provider", login.Provider).By(login.Reason)
	case errors.As(err, &oauth):
		return New(CodeLoginFailed).With("provider", oauth.Provider).By("refused")
	case errors.As(err, &refused):
		return New(CodeModelFailed).By("refused")
	}
	p := fromSentinel(err, keyErrors)
	if p != nil && p.Code == CodeNotFound {
		p = p.With("what", "key")
	}
	return p
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
	cause, params := u.Unanswered()
	p := New(CodeModelFailed).By(cause)
	for name, value := range params {
		p = p.With(name, value)
	}
	return p
}
