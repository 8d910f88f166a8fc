package models

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
)

// Bounds of logins.
const (
	maxLogins   = 16               // that are remembered, with those that are over
	beginWithin = 30 * time.Second // for the provider to say how
)

// errGivenUp is a login that was ended by the person.
var errGivenUp = errors.New("the login was given up")

// logins are those that were begun, oldest first.
type logins struct {
	mu     sync.Mutex
	list   []*loginRun
	closed bool
}

// loginRun is one login, from its begin until it is forgotten.
type loginRun struct {
	id    string
	login *keys.Login
	end   context.CancelCauseFunc
	over  chan struct{} // closed when its state is the last one

	mu    sync.Mutex
	state LoginState
}

func (r *loginRun) get() LoginState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// settle sets the last state; only the first one counts.
func (r *loginRun) settle(s LoginState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.State == LoginWaiting {
		r.state = s
		close(r.over)
	}
}

// note says what is done before the last state.
func (r *loginRun) note(step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.State == LoginWaiting {
		r.state.Step = step
	}
}

// loginProblem turns what became of a login into what a person sees.
func loginProblem(provider string, err error) *problem.Problem {
	p := problem.New(problem.CodeLoginFailed).With("provider", provider).Because(err)
	var login *keys.LoginError
	var refused *keys.OAuthError
	var unreachable *url.Error
	switch {
	case errors.As(err, &login):
		p.Cause = login.Reason
	case errors.As(err, &refused):
		p.Cause = "refused"
	case errors.Is(err, errGivenUp), errors.Is(err, context.Canceled): // also of a request that was under way
		p.Cause = "cancelled"
	case errors.As(err, &unreachable), errors.Is(err, context.DeadlineExceeded):
		p.Cause = "unreachable"
	default:
		return problem.From(err) // it was made, and could not be kept
	}
	return p
}

// BeginLogin begins to sign in to a provider. The person opens the address; then
// the login is done by itself, or with the code that the page shows. One that was
// begun for the same provider ends.
func (m *Access) BeginLogin(ctx context.Context, id string, how LoginRequest) (Login, error) {
	if !keys.ValidID(id) {
		return Login{}, problem.From(&keys.InvalidError{Provider: id, What: "provider"})
	}
	if err := m.storeIsOpen(ctx); err != nil {
		return Login{}, err // not after the person has signed in
	}
	if err := m.decide(ctx, "key/"+id, "written", "login"); err != nil {
		return Login{}, err
	}
	for _, old := range m.logins.of(id) {
		old.end(errGivenUp)
		old.login.Close() // there may be one port only for the browser to come back to
	}
	ask, cancel := context.WithTimeout(ctx, beginWithin)
	defer cancel()
	l, err := m.source.Begin(ask, id, keys.How{Device: how.Device, Domain: how.Domain})
	if err != nil && ctx.Err() != nil {
		return Login{}, problem.From(context.Cause(ctx))
	}
	if err != nil {
		return Login{}, loginProblem(id, err)
	}
	run, err := uuid.NewV7()
	if err != nil {
		l.Close()
		return Login{}, problem.From(err)
	}
	life, end := context.WithCancelCause(m.life)
	r := &loginRun{id: run.String(), login: l, end: end, over: make(chan struct{}), state: LoginState{State: LoginWaiting}}
	ended, ok := m.logins.add(r, &m.work)
	if !ok {
		end(nil)
		l.Close()
		return Login{}, problem.New(problem.CodeShuttingDown)
	}
	for _, old := range ended {
		old.end(errGivenUp)
	}
	go func() {
		defer m.work.Done()
		defer end(nil)
		defer l.Close()
		_, err := m.source.Await(life, l)
		m.loginOver(life, r, err)
	}()
	out := Login{ID: r.id, URL: l.URL, UserCode: l.UserCode, Needs: "nothing", Expires: l.Expires.UTC(), Terms: terms(id)}
	if l.Flow == keys.FlowCode {
		out.Needs = "code"
	}
	return out, nil
}

// host is a name of this computer for services that list who is signed in where. It is
// made when it is first needed, says nothing of the computer, and stays.
func (m *Access) host() (string, error) {
	if name := m.choice.Get().Host; name != "" {
		return name, nil
	}
	name, err := uuid.NewRandom()
	if err != nil {
		return "", err
	}
	return name.String(), m.choice.Update(func(c *Choices) error { c.Host = name.String(); return nil })
}

// of are the logins of a provider that are remembered.
func (l *logins) of(provider string) (all []*loginRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.list {
		if r.login.Provider == provider {
			all = append(all, r)
		}
	}
	return all
}

// add remembers a login as work that is under way, and returns those that it ends; false
// when the program ends.
func (l *logins) add(r *loginRun, work *sync.WaitGroup) (ends []*loginRun, ok bool) {
	ends = l.of(r.login.Provider) // one more may have begun at the same time
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	work.Add(1)
	l.list = append(l.list, r)
	if n := len(l.list) - maxLogins; n > 0 {
		ends = append(ends, l.list[:n]...)
		l.list = slices.Delete(l.list, 0, n)
	}
	return ends, true
}

func (l *logins) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

func (l *logins) find(id string) (*loginRun, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.list {
		if r.id == id {
			return r, nil
		}
	}
	return nil, problem.New(problem.CodeNotFound).With("what", "login")
}

// terms reports whether an account agrees to terms of models by signing in.
func terms(id string) bool { return provider.LoginAgrees(id) }

// loginOver notes how a login ended.
func (m *Access) loginOver(ctx context.Context, r *loginRun, err error) {
	provider := r.login.Provider
	if err == nil {
		if terms(provider) {
			r.note(StepTerms) // the models that it is about are of use only afterwards
		}
		if err := m.gateway.Welcome(ctx, provider); err != nil {
			m.log.Info("a provider did not take what follows a login", "provider", provider, "error", err)
		}
		m.forget(provider)
		m.changed()
		m.log.Info("signed in to a provider", "provider", provider)
		r.settle(LoginState{State: LoginDone})
		return
	}
	m.log.Info("a login of a provider was not made", "provider", provider, "error", err)
	r.settle(LoginState{State: LoginFailed, Problem: loginProblem(provider, err)})
}

// LoginState says how a login stands. It is forgotten a while after its end.
func (m *Access) LoginState(_ context.Context, id string) (LoginState, error) {
	r, err := m.logins.find(id)
	if err != nil {
		return LoginState{}, err
	}
	return r.get(), nil
}

// FinishLogin gives a login the code. A code that is not of this login leaves it open.
func (m *Access) FinishLogin(ctx context.Context, id string, code LoginCode) (LoginState, error) {
	r, err := m.logins.find(id)
	if err != nil {
		return LoginState{}, err
	}
	if s := r.get(); s.State != LoginWaiting {
		return s, nil
	}
	_, err = m.source.Finish(ctx, r.login, code.Code)
	var bad *keys.LoginError
	switch {
	case errors.As(err, &bad) && bad.Reason == keys.LoginWrong:
		return LoginState{}, loginProblem(r.login.Provider, err) // it is still open
	case err != nil && ctx.Err() != nil:
		return LoginState{}, problem.From(context.Cause(ctx)) // likewise
	case bad != nil && bad.Reason == keys.LoginTaken: // the browser came at the same time
		select {
		case <-r.over:
			return r.get(), nil
		case <-ctx.Done():
			return LoginState{}, context.Cause(ctx)
		}
	}
	m.loginOver(ctx, r, err)
	r.end(errGivenUp) // nobody has to wait for the browser any more
	return r.get(), nil
}

// CancelLogin ends a login.
func (m *Access) CancelLogin(ctx context.Context, id string) error {
	r, err := m.logins.find(id)
	if err != nil {
		return err
	}
	r.end(errGivenUp)
	select {
	case <-r.over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
