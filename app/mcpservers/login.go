package mcpservers

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/sync/semaphore"

	"piwork/app/problem"
)

// LoginRequest begins a sign-in.
type LoginRequest struct {
	Confirm []string `json:"confirm,omitempty" maxItems:"8" doc:"hosts besides the server's own that the person agrees to, such as that where one signs in"`
}

// States of a sign-in.
const (
	LoginNone    = "none"    // there is none, and none is needed as far as is known
	LoginWaiting = "waiting" // for the person, at Address
	LoginDone    = "done"
	LoginFailed  = "failed"
)

// Login is how a sign-in to a server stands.
type Login struct {
	State   string           `json:"state" enum:"none,waiting,done,failed"`
	Address string           `json:"address,omitempty" doc:"what the person opens in a browser on this computer"`
	Problem *problem.Problem `json:"problem,omitempty"`
}

// signIn is a sign-in that is under way, or the last one.
type signIn struct {
	end   context.CancelFunc
	over  chan struct{} // closed when nothing of it is left
	known chan struct{} // closed when the address is known, or it is over

	mu   sync.Mutex
	now  Login
	once sync.Once
}

func (l *signIn) set(now Login) {
	l.mu.Lock()
	l.now = now
	l.mu.Unlock()
	l.once.Do(func() { close(l.known) })
}

// stop ends a sign-in, and returns when it does nothing more. That of none is none.
func (l *signIn) stop() {
	if l != nil {
		l.end()
		<-l.over
	}
}

// begun reports whether a sign-in waits for the person, or is on the way to that.
func (l *signIn) begun() bool {
	if l == nil {
		return false
	}
	now := l.state().State
	return now == "" || now == LoginWaiting
}

func (l *signIn) state() Login {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// login is what is kept of a sign-in.
type login struct {
	Client string       `json:"client"`
	Secret string       `json:"secret,omitempty"`
	Token  string       `json:"token"` // where it is renewed
	Revoke string       `json:"revoke,omitempty"`
	Style  int          `json:"style"`
	Access oauth2.Token `json:"access"`
}

func loginOf(id string) string { return secretsOf(id) + ".login" }

// LoginMCPServer begins a sign-in to a remote server, and returns when the person can go on with
// it, or it is over. A host that nobody agreed to is a problem, which names it.
func (s *Servers) LoginMCPServer(ctx context.Context, name string, r LoginRequest) (Login, error) {
	v, err := s.find(name)
	if err != nil {
		return Login{}, err
	}
	if v.URL == "" {
		return Login{}, problem.BadRequest("name", "%q runs on this computer", name)
	}
	hosts := slices.Clone(v.Hosts)
	for _, h := range r.Confirm {
		if u, err := url.Parse("https://" + h); err != nil || u.Host != h || u.User != nil {
			return Login{}, problem.BadRequest("confirm", "%q is no host", h)
		}
		if !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	if len(hosts) > maxHosts {
		return Login{}, problem.BadRequest("confirm", "there are too many")
	}
	life, end := context.WithTimeoutCause(s.life, loginWithin, errors.New("nobody signed in"))
	l := &signIn{end: end, over: make(chan struct{}), known: make(chan struct{})}
	s.mu.Lock()
	if s.life.Err() != nil {
		s.mu.Unlock()
		end()
		return Login{}, problem.New(problem.CodeShuttingDown)
	}
	before := s.logins[v.ID]
	s.logins[v.ID] = l
	s.work.Go(func() {
		defer close(l.over)
		defer end()
		before.stop()
		l.set(s.signIn(life, v, hosts, l))
	})
	s.mu.Unlock()
	select {
	case <-l.known:
	case <-ctx.Done():
		end()
		return Login{}, problem.From(context.Cause(ctx))
	}
	now := l.state()
	if now.Problem != nil {
		return Login{}, now.Problem
	}
	return now, nil
}

// MCPServerLogin says how the sign-in to a server stands.
func (s *Servers) MCPServerLogin(_ context.Context, name string) (Login, error) {
	v, err := s.find(name)
	if err != nil {
		return Login{}, err
	}
	s.mu.Lock()
	l := s.logins[v.ID]
	s.mu.Unlock()
	switch {
	case l != nil:
		return l.state(), nil
	case v.SignedIn:
		return Login{State: LoginDone}, nil
	}
	return Login{State: LoginNone}, nil
}

// endLogin ends a sign-in that is under way. None is kept or renewed until release is called.
func (s *Servers) endLogin(ctx context.Context, v Server) (release func(), err error) {
	s.underWay(v).stop()
	unlock, err := s.lockLogin(ctx, v)
	if err != nil {
		return nil, err
	}
	return func() {
		s.turn(v) // what runs does not go on with what was there before
		unlock()
	}, nil
}

// lockLogin waits until nobody else changes what is kept of a sign-in: whoever renews one waits
// for the service.
func (s *Servers) lockLogin(ctx context.Context, v Server) (unlock func(), err error) {
	s.mu.Lock()
	held := s.signing[v.ID]
	if held == nil {
		held = semaphore.NewWeighted(1)
		s.signing[v.ID] = held
	}
	s.mu.Unlock()
	if held.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	return func() { held.Release(1) }, nil
}

// underWay takes the sign-in that was begun last, whether it is over or not; nil without one.
func (s *Servers) underWay(v Server) *signIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.logins[v.ID]
	delete(s.logins, v.ID)
	return l
}

// turn notes that the person signed in or out.
func (s *Servers) turn(v Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turned[v.ID]++
}

// turns is how often they did.
func (s *Servers) turns(v Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turned[v.ID]
}

// Logout is what became of a sign-in that was to end.
type Logout struct {
	State   string `json:"state" enum:"none,done" doc:"done: one that was under way is broken off, and the one before it still holds"`
	Revoked bool   `json:"revoked,omitempty" doc:"the service was told, and takes no more what it had given out"`
}

// LogoutMCPServer breaks off a sign-in that is under way. Without one it forgets the last, and
// tells the service.
func (s *Servers) LogoutMCPServer(ctx context.Context, name string) (Logout, error) {
	v, err := s.find(name)
	if err != nil {
		return Logout{}, err
	}
	if l := s.underWay(v); l.begun() {
		l.stop()
		if v, err = s.find(name); err != nil || !v.SignedIn {
			return Logout{State: LoginNone}, err
		}
		return Logout{State: LoginDone}, nil
	}
	revoked, err := s.forget(ctx, v)
	return Logout{State: LoginNone, Revoked: revoked}, err
}

// forget forgets a sign-in. The service is told last: what it says is of no account here.
func (s *Servers) forget(ctx context.Context, v Server) (revoked bool, err error) {
	release, err := s.endLogin(ctx, v)
	if err != nil {
		return false, problem.From(err)
	}
	tell := s.revoke(ctx, v)
	if err = s.drop(ctx, loginOf(v.ID)); err == nil {
		err = s.note(v, func(v *Server) { v.SignedIn, v.Hosts = false, nil })
	}
	release()
	if err != nil {
		return false, problem.From(err)
	}
	return tell(), nil
}

// note changes what the list says of a server.
func (s *Servers) note(v Server, change func(*Server)) error {
	err := s.file.Update(func(d *document) error {
		next := slices.Clone(d.Servers)
		i := slices.IndexFunc(next, func(o Server) bool { return o.ID == v.ID })
		if i < 0 {
			return unknown(v.Name)
		}
		change(&next[i])
		d.Servers = next
		return nil
	})
	if err != nil {
		return problem.From(err)
	}
	return nil
}

// signIn signs in to a server, by greeting it.
func (s *Servers) signIn(ctx context.Context, v Server, hosts []string, l *signIn) Login {
	failed := func(err error) Login { return Login{State: LoginFailed, Problem: failedOf(v, err)} }
	headers, err := s.env(ctx, v)
	if err != nil {
		return failed(err)
	}
	hidden := hiddenOf(v, headers)
	c, g, done, err := s.client(v, hosts, Program{Server: v.Name}, headers)
	if err != nil {
		return failed(err)
	}
	registered, err := s.registered(ctx, v, hidden)
	if err != nil {
		done()
		return failed(err)
	}
	back, err := listen(ctx, registered != nil, s.o.Say)
	if err != nil {
		done()
		return failed(err)
	}
	defer back.close()
	secret := secretOf(registered)
	said := &guardedCode{announced: &announced{base: &guardedSecret{c.Transport, secret, g.agreed}}}
	c.Transport = said
	var kept login
	cfg := &auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: registered, RedirectURL: back.url, Client: c, RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			u, err := url.Parse(a.URL)
			if err == nil && len(a.URL) > maxValue {
				err = errLong // no browser opens it
			}
			switch {
			case err != nil:
			case secret != "": // before anybody signs in there
				err = g.agreed(u)
			default:
				err = g.allows(u)
			}
			if err == nil {
				err = said.leads(u)
			}
			if err != nil {
				return nil, err
			}
			back.expect(u.Query().Get("state"))
			l.set(Login{State: LoginWaiting, Address: a.URL})
			came, err := back.wait(ctx)
			if err == nil {
				hidden.add(came.Code)
			}
			return came, err
		},
		NewTokenSource: func(ctx context.Context, cfg *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			kept = login{cfg.ClientID, cfg.ClientSecret, cfg.Endpoint.TokenURL, said.revokes(cfg.Endpoint.TokenURL), int(cfg.Endpoint.AuthStyle), *token}
			if err := kept.fits(); err != nil {
				return nil, err
			}
			kept.hide(hidden)
			return oauth2.StaticTokenSource(token), nil
		},
	}
	if registered == nil {
		cfg.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "piwork", RedirectURIs: []string{back.url}, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}}
	}
	h, err := auth.NewAuthorizationCodeHandler(cfg)
	if err != nil {
		done()
		return failed(err)
	}
	out, err := s.talk(ctx, ctx, v, c, h, hidden, done)
	if err != nil {
		return failed(g.why(err))
	}
	out.end()
	if kept.Client == "" { // it wants none
		return Login{State: LoginDone}
	}
	unlock, err := s.lockLogin(ctx, v)
	if err != nil {
		return failed(err)
	}
	defer unlock()
	defer s.turn(v)
	if err := s.keep(ctx, v, kept); err != nil {
		return failed(err)
	}
	if err := s.note(v, func(v *Server) { v.SignedIn, v.Hosts = true, hosts }); err != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellWithin)
		defer cancel()
		_ = s.o.Secrets.Delete(last, loginOf(v.ID)) // nothing names it
		return failed(err)
	}
	return Login{State: LoginDone}
}
