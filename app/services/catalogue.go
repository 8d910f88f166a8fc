package services

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"piwork/app/audit"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/settings"
)

const (
	fileName   = "services.json" // in the directory of settings
	testWithin = 20 * time.Second
	readWithin = time.Minute // a keychain may ask the person
)

// Options say what a Catalogue works with.
type Options struct {
	ConfigDir string
	Secrets   keys.Store
	Audit     *audit.Log
	Use       audit.Use
	TaskDir   func(task string) string // where what belongs to a task is
	Exists    func(task string) error  // a problem for a task that there is not
	Proxy     func(*url.URL) (*url.URL, error)
	Roots     *x509.CertPool // whom to believe about servers; nil: whom this computer believes
	Changed   func()
	Log       *slog.Logger
	Now       func() time.Time
}

// file is the content of services.json.
type file struct {
	V    int       `json:"v"`
	List []Service `json:"services"` // by name, as kept
}

// Catalogue has the services of a person. It is safe for concurrent use.
type Catalogue struct {
	o    Options
	file *settings.File[file]
	turn *semaphore.Weighted // of changes, which may wait for the keychain

	mu    sync.Mutex
	loans map[*Loan]struct{}
	live  map[string]*Requests // by task, while it has a loan
	ended map[string]int       // how often loans of a service were ended, by its name
}

// Open reads the services.
func Open(o Options) (*Catalogue, error) {
	f, err := settings.Open(filepath.Join(o.ConfigDir, fileName), file{V: 1}, o.Changed)
	return &Catalogue{o: o, file: f, turn: semaphore.NewWeighted(1), loans: map[*Loan]struct{}{}, live: map[string]*Requests{}, ended: map[string]int{}}, err
}

// secretID is what the keychain calls the secret of a service.
func secretID(name string) string { return "service." + name }

// Services lists them by name.
func (c *Catalogue) Services(ctx context.Context) ([]Service, error) {
	have, err := c.o.Secrets.List(ctx)
	if err != nil {
		return nil, problem.From(err)
	}
	out := []Service{}
	for _, s := range c.file.Get().List {
		out = append(out, shown(s, have))
	}
	return out, nil
}

// shown is a service with what may be said of its secret.
func shown(s Service, have []keys.Info) Service {
	s.Secret, s.Ending = SecretNone, ""
	if s.wants() {
		s.Secret = SecretMissing
		for _, i := range have {
			if i.Provider == secretID(s.Name) && i.Name == s.bound() {
				s.Secret, s.Ending = SecretSet, i.Last
			}
		}
	}
	return s
}

// FindService returns one.
func (c *Catalogue) FindService(ctx context.Context, name string) (Service, error) {
	s, err := c.find(name)
	if err != nil {
		return s, err
	}
	have, err := c.o.Secrets.List(ctx)
	if err != nil {
		return s, problem.From(err)
	}
	return shown(s, have), nil
}

func (c *Catalogue) find(name string) (Service, error) {
	list := c.file.Get().List
	i := slices.IndexFunc(list, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return Service{}, problem.New(problem.CodeUnknownService).With("service", name)
	}
	return list[i], nil
}

// ServicePresets lists services that many people use.
func (c *Catalogue) ServicePresets(context.Context) ([]Preset, error) { return Presets(), nil }

// PutService adds a service, or changes one. Loans of it end. Its secret stays, unless it
// would go to another host, or to another place there.
func (c *Catalogue) PutService(ctx context.Context, name string, d Definition) (Service, error) {
	s := Service{Name: name, Hosts: d.Hosts}
	if d.Preset != "" {
		p, ok := FindPreset(d.Preset)
		if !ok || len(d.Hosts) > 0 {
			return s, problem.BadRequest("preset", "%q is unknown, or there are hosts beside it", d.Preset)
		}
		s.Hosts = p.Hosts
	}
	if _, err := s.check(); err != nil {
		return s, err
	}
	ctx, leave, err := c.takeTurn(ctx)
	if err != nil {
		return s, err
	}
	defer leave()
	if err := c.decide(ctx, "service/"+name, "written"); err != nil {
		return s, err
	}
	if err := c.forgetOther(ctx, s); err != nil {
		return s, err
	}
	err = c.file.Update(func(f *file) error {
		f.List = slices.DeleteFunc(slices.Clone(f.List), func(o Service) bool { return o.Name == name })
		if len(f.List) >= maxServices {
			return problem.BadRequest("name", "there are %d services already", maxServices)
		}
		f.List = append(f.List, s)
		slices.SortFunc(f.List, func(a, b Service) int { return strings.Compare(a.Name, b.Name) })
		return nil
	})
	if err != nil {
		return s, problem.From(err)
	}
	c.revoke(name)
	return c.FindService(ctx, name)
}

// RemoveService removes a service and its secret. Loans of it end.
func (c *Catalogue) RemoveService(ctx context.Context, name string) error {
	if _, err := c.find(name); err != nil {
		return err
	}
	ctx, leave, err := c.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	c.revoke(name)
	// The secret goes first: one without a service would be there for nobody to see.
	if err := c.forget(ctx, name); err != nil {
		return err
	}
	err = c.file.Update(func(f *file) error {
		f.List = slices.DeleteFunc(slices.Clone(f.List), func(o Service) bool { return o.Name == name })
		return nil
	})
	if err != nil {
		return problem.From(err)
	}
	c.revoke(name)                                   // what was lent meanwhile
	return c.decide(ctx, "service/"+name, "removed") // last: what only takes a right away waits for no record
}

// takeTurn waits until nobody else changes services, and nothing moves, until leave is called.
func (c *Catalogue) takeTurn(ctx context.Context) (during context.Context, leave func(), err error) {
	during, done, err := c.o.Use.Begin(ctx)
	if err != nil {
		return ctx, nil, err
	}
	if c.turn.Acquire(during, 1) != nil {
		defer done()
		return ctx, nil, problem.From(context.Cause(during))
	}
	return during, func() { c.turn.Release(1); done() }, nil
}

// forgetOther forgets the secret of a service when it is for other hosts or places than s has:
// it is not to come back with them.
func (c *Catalogue) forgetOther(ctx context.Context, s Service) error {
	have, err := c.o.Secrets.List(ctx)
	if err != nil {
		return problem.From(err)
	}
	if slices.ContainsFunc(have, func(i keys.Info) bool { return i.Provider == secretID(s.Name) && i.Name != s.bound() }) {
		return c.forget(ctx, s.Name)
	}
	return nil
}

// forget forgets the secret of a service. Where there is none, the place of secrets is left
// alone: it may be locked.
func (c *Catalogue) forget(ctx context.Context, name string) error {
	if have, err := c.o.Secrets.List(ctx); err == nil && !slices.ContainsFunc(have, func(i keys.Info) bool { return i.Provider == secretID(name) }) {
		return nil
	}
	if err := c.o.Secrets.Delete(ctx, secretID(name)); err != nil && !errors.Is(err, keys.ErrNotFound) {
		return problem.From(err)
	}
	return nil
}

// SetServiceSecret keeps the secret of a service. It is never shown again. Loans end: tasks
// that begin from now on have the new one.
func (c *Catalogue) SetServiceSecret(ctx context.Context, name string, r SecretRequest) (Service, error) {
	ctx, leave, err := c.takeTurn(ctx)
	if err != nil {
		return Service{}, err
	}
	defer leave()
	s, err := c.find(name)
	if err != nil {
		return s, err
	}
	secret := strings.TrimSpace(r.Secret)
	if !s.wants() || len(secret) > maxSecret {
		return s, problem.BadRequest("secret", "the service has no place for it, or it is longer than %d bytes", maxSecret)
	}
	if err := c.decide(ctx, "service-secret/"+name, "written"); err != nil {
		return s, err
	}
	kept := keys.Credential{Provider: secretID(name), Kind: keys.KindKey, Key: keys.NewSecret(secret), Name: s.bound()}
	if err := c.o.Secrets.Set(ctx, kept); err != nil {
		return s, problem.From(err)
	}
	c.revoke(name)
	c.changed()
	return c.FindService(ctx, name)
}

// ForgetServiceSecret forgets the secret of a service. Loans end.
func (c *Catalogue) ForgetServiceSecret(ctx context.Context, name string) error {
	ctx, leave, err := c.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := c.find(name); err != nil {
		return err
	}
	c.revoke(name)
	defer c.changed()
	// What only takes a right away waits for no record.
	return errors.Join(c.forget(ctx, name), c.decide(ctx, "service-secret/"+name, "removed"))
}

// decide records who changes what there is, before it is changed.
func (c *Catalogue) decide(ctx context.Context, topic, answer string) error {
	return c.o.Audit.Decide(ctx, "", audit.Decision{Topic: topic, Answer: answer})
}

func (c *Catalogue) changed() {
	if c.o.Changed != nil {
		c.o.Changed()
	}
}

// secretOf reads the secret of a service, if it is for its hosts.
func (c *Catalogue) secretOf(ctx context.Context, s Service) (keys.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	kept, err := c.o.Secrets.Get(ctx, secretID(s.Name))
	switch {
	case errors.Is(err, keys.ErrNotFound), err == nil && (kept.Name != s.bound() || len(kept.Key.Reveal()) > maxSecret):
		return keys.Secret{}, problem.New(problem.CodeServiceSecret).With("service", s.Name)
	case err != nil:
		return keys.Secret{}, problem.From(err)
	}
	return kept.Key, nil
}

// HostTest is what a host answered.
type HostTest struct {
	Host   string `json:"host"`
	Path   string `json:"path"`
	Status int    `json:"status,omitempty" doc:"of its answer; absent where it gave none"`
	OK     bool   `json:"ok" doc:"it takes the secret, or needs none"`
	Detail string `json:"detail,omitempty" doc:"why there is no answer"`
}

// TestService asks each host of a service that names a path for it, as tasks would.
func (c *Catalogue) TestService(ctx context.Context, name string) ([]HostTest, error) {
	s, err := c.find(name)
	if err != nil {
		return nil, err
	}
	sites, err := s.check()
	if err != nil {
		return nil, err
	}
	var secret keys.Secret
	if s.wants() {
		if secret, err = c.secretOf(ctx, s); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	out := []HostTest{}
	for i, h := range s.Hosts {
		if h.Test != "" {
			out = append(out, c.test(ctx, sites[i], h.Test, secret))
		}
	}
	return out, nil
}

func (c *Catalogue) test(ctx context.Context, to site, path string, secret keys.Secret) HostTest {
	out := HostTest{Host: to.Host, Path: path}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+to.address()+path, nil)
	if err != nil {
		out.Detail = err.Error()
		return out
	}
	if r.Host = to.address(); to.Port == 443 {
		r.Host = to.Host
	}
	r.Header.Set("User-Agent", "piwork")
	if to.put != nil {
		put := to.put.with(secret, nil)
		r.Header.Set(put.Header, put.Value)
	}
	tr := c.transport()
	defer tr.CloseIdleConnections()
	answer, err := tr.RoundTrip(r) // which follows no redirect
	if err != nil {
		out.Detail = err.Error()
		return out
	}
	answer.Body.Close()
	out.Status, out.OK = answer.StatusCode, answer.StatusCode < http.StatusBadRequest
	return out
}
