package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
)

// Kind says what a credential is.
type Kind string

// Kinds of credentials.
const (
	KindKey   Kind = "key"   // an API key
	KindOAuth Kind = "oauth" // a login: an access token that ends, and what renews it
	KindNone  Kind = "none"  // a server that wants none: an address only
)

// Credential is what signs in to one provider. The zero value of each field is
// "none" or "the provider's own".
type Credential struct {
	Provider string // its id
	Kind     Kind
	Key      Secret    // of KindKey
	Access   Secret    // of KindOAuth
	Refresh  Secret    // of KindOAuth; none: it cannot be renewed
	Expires  time.Time // of Access; zero: unknown

	// Of a custom provider, and of a known one at another address.
	Name     string
	BaseURL  string
	Protocol string   // see package provider
	Models   []string // ids that it has
	Private  bool     // http to a private address was chosen

	// Of KindOAuth.
	Domain string // where it was made, with a place of its own ([How])
	Client string // that it was made for, where each login has one ([Endpoint].Registers)
}

// Token is what is sent: the key, or the access token.
func (c Credential) Token() Secret {
	if c.Kind == KindOAuth {
		return c.Access
	}
	return c.Key
}

// Info is what may be shown of a credential.
type Info struct {
	Provider string     `json:"provider"`
	Kind     Kind       `json:"kind"`
	Where    string     `json:"where"`             // Where* of the store
	Last     string     `json:"last,omitempty"`    // last four characters
	Expires  *time.Time `json:"expires,omitempty"` // of a login's access; it is renewed when it can be
	Renews   bool       `json:"renews,omitempty"`
	Name     string     `json:"name,omitempty"`
	BaseURL  string     `json:"baseUrl,omitempty"`
	Protocol string     `json:"protocol,omitempty"`
	Models   []string   `json:"models,omitempty"`
	Private  bool       `json:"private,omitempty"`
	Variable string     `json:"variable,omitempty"` // of the environment
	Domain   string     `json:"domain,omitempty"`   // of a login, see [Credential]
}

// Places of credentials.
const (
	WhereKeychain    = "keychain"
	WhereFile        = "file"
	WhereEnvironment = "environment"
	WhereMemory      = "memory"
	WhereList        = "list" // of a server that wants no key: there is nothing to hide
)

// Info is what may be shown of c.
func (c Credential) Info(where string) Info {
	i := Info{
		Provider: c.Provider, Kind: c.Kind, Where: where, Last: c.Token().Last(), Renews: !c.Refresh.IsZero(),
		Name: c.Name, BaseURL: c.BaseURL, Protocol: c.Protocol, Models: c.Models, Private: c.Private,
		Domain: c.Domain,
	}
	if !c.Expires.IsZero() {
		t := c.Expires.UTC()
		i.Expires = &t
	}
	return i
}

// Store keeps credentials. Its methods may be called from several goroutines and
// from several programs of one user.
type Store interface {
	// Get returns the credential of a provider, or [ErrNotFound].
	Get(ctx context.Context, provider string) (Credential, error)
	// Set keeps a credential in place of the provider's one. When it fails, the
	// one before is still there.
	Set(ctx context.Context, c Credential) error
	// Delete forgets one. That there is none is [ErrNotFound].
	Delete(ctx context.Context, provider string) error
	// List tells what there is, sorted by provider.
	List(ctx context.Context) ([]Info, error)
}

// Errors of stores.
var (
	ErrNotFound   = errors.New("no key is kept for this provider")
	ErrReadOnly   = errors.New("keys of the environment cannot be changed here")
	ErrNoKeychain = errors.New("the keychain of this computer cannot be used")
	ErrTooLong    = errors.New("too long for the keychain of this computer")
	ErrPassphrase = errors.New("the passphrase is wrong")
	ErrShort      = errors.New("the passphrase is too short")
	ErrLocked     = errors.New("the file of keys is locked: it needs its passphrase")
	ErrEntry      = errors.New("what is kept for this provider cannot be read")
	ErrDamaged    = errors.New("the file cannot be read")         // of all keys
	ErrList       = errors.New("the list of keys cannot be read") // which has none of them
)

// InvalidError says what is wrong with a credential. It holds no secret.
type InvalidError struct {
	Provider string
	What     string // "provider", "empty", "short", "long", "characters", "kind", "domain"
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("key of %q: not valid (%s)", e.Provider, e.What)
}

// maxClient bounds the name of a client.
const maxClient = 256

// Bounds on a secret. No provider's keys are shorter; shorter ones could not be
// taken out of answers without taking words out, too.
const (
	minSecret = 8
	maxSecret = 16 << 10
)

var providerID = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// ValidID reports whether an id can name a provider: it is part of a path in
// the guest, and of a name in the keychain.
func ValidID(id string) bool { return providerID().MatchString(id) && !strings.Contains(id, "..") }

// Check says whether a credential can be kept and sent. Errors are of
// [InvalidError].
func (c Credential) Check() error {
	bad := func(what string) error { return &InvalidError{Provider: c.Provider, What: what} }
	if !ValidID(c.Provider) {
		return bad("provider")
	}
	secrets := []Secret{c.Token()}
	switch c.Kind {
	case KindNone:
		return nil
	case KindKey:
	case KindOAuth:
		if !c.Refresh.IsZero() {
			secrets = append(secrets, c.Refresh)
		}
		if c.Access.IsZero() && !c.Refresh.IsZero() {
			secrets = secrets[1:] // the first access token is fetched
		}
		if d, ok := companyDomain(c.Domain); c.Domain != "" && (!ok || d != c.Domain) {
			return bad("domain")
		}
	default:
		return bad("kind")
	}
	for _, s := range secrets {
		switch v := s.Reveal(); {
		case v == "":
			return bad("empty")
		case len(v) < minSecret:
			return bad("short")
		case len(v) > maxSecret:
			return bad("long")
		case strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }):
			return bad("characters") // it would end or change a header
		}
	}
	return nil
}

// entry is how a store keeps a credential.
type entry struct {
	V        int      `json:"v"`
	Provider string   `json:"provider"`
	Kind     Kind     `json:"kind"`
	Key      string   `json:"key,omitempty"`
	Access   string   `json:"access,omitempty"`
	Refresh  string   `json:"refresh,omitempty"`
	Expires  int64    `json:"expires,omitempty"` // milliseconds since 1970
	Name     string   `json:"name,omitempty"`
	BaseURL  string   `json:"baseUrl,omitempty"`
	Protocol string   `json:"protocol,omitempty"`
	Models   []string `json:"models,omitempty"`
	Private  bool     `json:"private,omitempty"`
	Domain   string   `json:"domain,omitempty"`
	Client   string   `json:"client,omitempty"`
}

func pack(c Credential) entry {
	e := entry{
		V: 1, Provider: c.Provider, Kind: c.Kind, Key: c.Key.Reveal(), Access: c.Access.Reveal(), Refresh: c.Refresh.Reveal(),
		Name: c.Name, BaseURL: c.BaseURL, Protocol: c.Protocol, Models: c.Models, Private: c.Private,
		Domain: c.Domain, Client: c.Client,
	}
	if !c.Expires.IsZero() {
		e.Expires = c.Expires.UnixMilli()
	}
	return e
}

func (e entry) credential() (Credential, error) {
	c := Credential{
		Provider: e.Provider, Kind: e.Kind, Key: NewSecret(e.Key), Access: NewSecret(e.Access), Refresh: NewSecret(e.Refresh),
		Name: e.Name, BaseURL: e.BaseURL, Protocol: e.Protocol, Models: e.Models, Private: e.Private,
		Domain: e.Domain, Client: e.Client,
	}
	if e.Expires != 0 {
		c.Expires = time.UnixMilli(e.Expires)
	}
	if e.V != 1 || c.Check() != nil {
		return Credential{}, ErrEntry
	}
	return c, nil
}

// decode reads what [pack] made. Its errors hold nothing of it.
func decode(data []byte, provider string) (Credential, error) {
	var e entry
	if json.Unmarshal(data, &e) != nil || e.Provider != provider {
		return Credential{}, fmt.Errorf("key of %s: %w", provider, ErrEntry)
	}
	c, err := e.credential()
	if err != nil {
		return Credential{}, fmt.Errorf("key of %s: %w", provider, err)
	}
	return c, nil
}

// same reports whether a store gave back what was given to it.
func same(a, b Credential) bool {
	return a.Kind == b.Kind && a.Key.Equal(b.Key) && a.Access.Equal(b.Access) && a.Refresh.Equal(b.Refresh) &&
		a.Expires.UnixMilli() == b.Expires.UnixMilli() && a.BaseURL == b.BaseURL &&
		a.Domain == b.Domain && a.Client == b.Client
}
