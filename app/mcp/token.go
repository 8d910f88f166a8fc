package mcp

import (
	"context"
	"crypto/sha256"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/time/rate"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/task"
)

// strangersPerSecond is how often it is asked whether a token that is not known is one.
const strangersPerSecond = 20

// TokenService is piwork as it answers a program that has a token; a client.Client is one.
type TokenService interface {
	Service
	OwnToken(ctx context.Context) (access.Token, error)
}

// tokenDoors are those of programs with a token, of which each has its own: what began by one is not
// there for another. What a token is not for, piwork refuses.
type tokenDoors struct {
	d  *Door // whose choices hold for them, but for folders and what is let
	as func(secret string) TokenService

	mu        sync.Mutex
	all       map[[sha256.Size]byte]*tokenDoor
	over      bool // what is opened from now on is over
	strangers *rate.Limiter
}

type tokenDoor struct {
	*Door
	service TokenService
	answers http.Handler
}

// handler answers a request with a token; nil where it is none that is valid.
func (t *tokenDoors) handler(r *http.Request, secret string) http.Handler {
	if t.as == nil {
		return nil
	}
	key := sha256.Sum256([]byte(secret))
	t.mu.Lock()
	if t.all == nil {
		t.all, t.strangers = map[[sha256.Size]byte]*tokenDoor{}, rate.NewLimiter(strangersPerSecond, strangersPerSecond)
	}
	known := t.all[key]
	t.mu.Unlock()
	if known == nil && !t.strangers.Allow() {
		return nil
	}
	service := t.as(secret)
	if known != nil {
		service = known.service
	}
	token, err := service.OwnToken(r.Context())
	switch {
	case err == nil && known != nil:
		return known.answers
	case err == nil:
		return t.open(key, service, token)
	case known == nil:
		return nil
	}
	if p := problem.From(err); p.Code == answer.CodeUnauthorized || p.Code == problem.CodeNotFound { // it was revoked, or its time is over
		t.mu.Lock()
		delete(t.all, key)
		t.mu.Unlock()
		known.Close()
		return nil
	}
	return known.answers // each call says what is wrong
}

// open makes the door of a token, unless another request did so meanwhile.
func (t *tokenDoors) open(key [sha256.Size]byte, service TokenService, token access.Token) http.Handler {
	d, err := Open(service, choices(t.d.o, token)) // without the lock: a drive may not answer
	if err != nil {                                // a folder that is gone
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer.Write(w, r, answer.FromService(err)) })
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if is := t.all[key]; is != nil {
		d.end()
		return is.answers
	}
	if t.over {
		d.end()
	}
	made := &tokenDoor{d, service, overHTTP(d)}
	t.all[key] = made
	return made.answers
}

// choices are those of the person's door as far as a token is for them: else each call would be
// refused for what its program did not ask for.
func choices(o Options, token access.Token) Options {
	may := func(s access.Scope) bool {
		return slices.Contains(token.Scopes, access.Manage) || slices.Contains(token.Scopes, s)
	}
	o.AI, o.Aside = may(access.AI), !may(access.Decide)
	if !may(access.Manage) || len(token.Folders) > 0 {
		o.Folders = token.Folders
	}
	if !may(access.Manage) {
		o.Machine.Cache = ""
	}
	if o.Aside {
		o.Machine.Runtime = ""
		if o.Network == task.NetworkOn {
			o.Network = ""
		}
	}
	return o
}

// end ends what the person's door and all of these began.
func (t *tokenDoors) end() {
	t.d.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for _, d := range t.all {
		d.end()
	}
}

// close closes all of them.
func (t *tokenDoors) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.all {
		d.Close()
	}
}
