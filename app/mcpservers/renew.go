package mcpservers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/vmhost/network/scrub"
)

// keep keeps a sign-in where keys are.
func (s *Servers) keep(ctx context.Context, v Server, l login) error {
	c, err := sealed(loginOf(v.ID), l)
	if err != nil {
		return err
	}
	if err := s.o.Secrets.Set(ctx, c); err != nil {
		return err
	}
	s.unsaved.forget(loginOf(v.ID))
	return nil
}

// unsaved are sign-ins that were renewed and could not be kept where keys are, by where they would
// be. What they were made of is worth nothing any more: a service takes its second use for a theft,
// and ends the sign-in. The zero value has none.
type unsaved struct {
	mu  sync.Mutex
	all map[string]login
}

func (u *unsaved) hold(id string, l login) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil {
		u.all = map[string]login{}
	}
	u.all[id] = l
}

func (u *unsaved) forget(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, id)
}

func (u *unsaved) get(id string) (login, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	l, ok := u.all[id]
	return l, ok
}

// ErrSignIn is a server that wants one to sign in.
var ErrSignIn = errors.New("the server wants you to sign in")

// kept is the sign-in to a server as it is kept, or as it should be.
func (s *Servers) kept(ctx context.Context, v Server) (login, error) {
	if l, ok := s.unsaved.get(loginOf(v.ID)); ok {
		return l, nil
	}
	c, err := s.o.Secrets.Get(ctx, loginOf(v.ID))
	if errors.Is(err, keys.ErrNotFound) {
		return login{}, ErrSignIn
	}
	if err != nil {
		return login{}, problem.From(err)
	}
	data, err := base64.RawURLEncoding.DecodeString(c.Key.Reveal())
	var l login
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil {
		return login{}, problem.From(keys.ErrEntry)
	}
	return l, nil
}

// signedIn is what a server is asked with where one signed in before. What of it is secret is
// added to hidden.
func (s *Servers) signedIn(ctx context.Context, v Server, c *http.Client, hidden *secrets) (auth.OAuthHandler, error) {
	if !v.SignedIn {
		return signed{}, nil
	}
	at := s.turns(v)
	l, err := s.kept(ctx, v)
	if err != nil {
		return nil, err
	}
	if l.fits() != nil {
		return nil, ErrSignIn
	}
	l.hide(hidden)
	return signed{&renewed{s: s, v: v, client: c, hidden: hidden, l: l, at: at}}, nil
}

// hide adds what is secret of a sign-in.
func (l login) hide(hidden *secrets) {
	hidden.turn(l.Access.AccessToken, l.Access.RefreshToken, l.Secret)
}

// fits returns an error for a sign-in that takes too much room: what is looked for in texts takes
// thousands of times its length, by what it is made of.
func (l login) fits() error {
	size := 0
	for _, one := range []string{l.Access.AccessToken, l.Access.RefreshToken, l.Secret} {
		if !findable(one) {
			return errLong
		}
		size += scrub.Size(one)
	}
	if _, err := sealed("x", l); err != nil || size > maxForms {
		return errLong
	}
	return nil
}

// findable reports whether something that a service gave out can be looked for in texts: it is no
// longer than such things are, and of their characters (RFC 6749, appendix A).
func findable(one string) bool {
	return len(one) <= maxValue && plain(one) && scrub.Size(one) <= maxForms
}

// signed asks a server with what one signed in with before. It signs in to nothing.
type signed struct{ source oauth2.TokenSource }

// TokenSource implements auth.OAuthHandler.
func (h signed) TokenSource(context.Context) (oauth2.TokenSource, error) { return h.source, nil }

// Authorize implements auth.OAuthHandler: the person signs in, and no task.
func (signed) Authorize(_ context.Context, _ *http.Request, r *http.Response) error {
	_ = r.Body.Close()
	return ErrSignIn
}

// renewed renews a sign-in, and keeps what was renewed. Conversations with one server renew one
// after another: a server may take a second use of what renews for a theft.
type renewed struct {
	s      *Servers
	v      Server
	client *http.Client
	hidden *secrets

	mu sync.Mutex
	l  login
	at int // turns when l was read
}

// Token implements oauth2.TokenSource.
func (r *renewed) Token() (*oauth2.Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.s.turns(r.v)
	if at == r.at && r.l.Access.Valid() {
		t := r.l.Access
		return &t, nil
	}
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), oauth2.HTTPClient, r.client), dialWithin)
	defer cancel()
	unlock, err := r.s.lockLogin(ctx, r.v)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := r.s.kept(ctx, r.v)
	if err != nil {
		return nil, err // ErrSignIn where the person signed out meanwhile
	}
	_, keep := r.s.unsaved.get(loginOf(r.v.ID))
	if !l.Access.Valid() {
		if l, err = r.renew(ctx, l); err != nil {
			return nil, err
		}
		keep = true
	}
	if keep {
		if err := r.s.keep(ctx, r.v, l); err != nil {
			r.s.unsaved.hold(loginOf(r.v.ID), l)
			r.s.o.Log.Warn("a renewed sign-in to an MCP server is only in memory", "server", r.v.Name, "error", err)
		}
	}
	l.hide(r.hidden)
	r.l, r.at = l, at
	t := l.Access
	return &t, nil
}

// renew has the service renew a sign-in. Only where that says no, the person has to sign in again: it
// may be out of reach, or broken, for now.
func (r *renewed) renew(ctx context.Context, l login) (login, error) {
	if l.Access.RefreshToken == "" {
		return login{}, ErrSignIn
	}
	cfg := &oauth2.Config{ClientID: l.Client, ClientSecret: l.Secret, Endpoint: oauth2.Endpoint{TokenURL: l.Token, AuthStyle: oauth2.AuthStyle(l.Style)}}
	t, err := cfg.TokenSource(ctx, &l.Access).Token()
	if said, is := errors.AsType[*oauth2.RetrieveError](err); is {
		switch said.Response.StatusCode {
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusOK: // OK with the code of an error
			return login{}, ErrSignIn
		}
		return login{}, fmt.Errorf("renew the sign-in: the service answers %d", said.Response.StatusCode) // not with its text, which may have tokens
	}
	if err != nil {
		l.hide(r.hidden) // whoever says why cleans the text of it
		return login{}, fmt.Errorf("renew the sign-in: %w", err)
	}
	l.Access = *t
	if err := l.fits(); err != nil {
		return login{}, fmt.Errorf("renew the sign-in: %w", err)
	}
	return l, nil
}
