package services

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/network/scrub"
)

// Loan is what one task has of the services that were named for it. It is safe for concurrent
// use.
type Loan struct {
	c        *Catalogue
	requests *Requests
	by       audit.Record // for whom
	sites    []inspect.Site
	services map[string]lent // by name

	mu   sync.Mutex
	puts map[string]inspect.Credential // by address; empty when the loan is over
}

// lent is a service of a loan.
type lent struct {
	gone <-chan struct{} // closed when it changed since, or the loan is over
	end  func()          // closes it, once
}

// CheckServices returns a problem for services that a task cannot have.
func (c *Catalogue) CheckServices(names []string) error {
	var all []site
	bytes := 0
	for i, name := range names {
		s, err := c.find(name)
		if err != nil {
			return err
		}
		sites, err := s.check()
		if err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return problem.BadRequest("services", "%q is named twice", name).By("service-host")
		}
		for _, one := range sites {
			if slices.ContainsFunc(all, func(o site) bool { return o.Host == one.Host }) {
				return problem.BadRequest("services", "two services are about %s", one.Host).By("service-host")
			}
			bytes += len(one.Host)
		}
		if all = append(all, sites...); len(all) > inspect.MaxSites || bytes > inspect.MaxNames {
			return problem.BadRequest("services", "together they have more than %d hosts, or more than %d bytes of names", inspect.MaxSites, inspect.MaxNames).By("service-host")
		}
	}
	return nil
}

// Terms are what services would be lent for at one time.
type Terms struct {
	Hosts  []string // their addresses
	Digest string   // of the addresses, what is put in there, and the rules
	Ended  int      // how often their loans have ended since the program started: a new secret ends them, too
}

// TermsOf are those of services, a problem for services that nobody can have.
func (c *Catalogue) TermsOf(names []string) (t Terms, err error) {
	if err := c.CheckServices(names); err != nil {
		return t, err
	}
	var all []any
	for _, name := range names {
		s, err := c.find(name)
		if err != nil {
			return t, err
		}
		all = append(all, name)
		for _, h := range s.Hosts {
			h.Test = "" // which only tests ask for
			t.Hosts, all = append(t.Hosts, h.Host), append(all, h)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return t, err
	}
	sum := sha256.Sum256(text)
	t.Digest = hex.EncodeToString(sum[:8])
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		t.Ended += c.ended[name]
	}
	return t, nil
}

// Lend reads the secrets of services for the place of a task, and has allow let it reach their
// hosts. Without names there is no loan, which is one with nothing to give back. by says for
// whom, in the audit log, which alone has the requests of a place that is for no task ("").
func (c *Catalogue) Lend(ctx context.Context, task string, names []string, allow func(hosts []string) error, by audit.Record) (*Loan, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if err := c.CheckServices(names); err != nil {
		return nil, err
	}
	l := &Loan{c: c, by: by, puts: map[string]inspect.Credential{}, services: map[string]lent{}}
	for _, name := range names {
		gone := make(chan struct{})
		l.services[name] = lent{gone, sync.OnceFunc(func() { close(gone) })}
	}
	c.mu.Lock()
	c.loans[l] = struct{}{} // before anything is read: a change meanwhile ends it
	if c.live[task] == nil {
		dir := ""
		if task != "" {
			dir = c.o.TaskDir(task)
		}
		c.live[task] = openRequests(dir, c.o)
	}
	l.requests = c.live[task]
	l.requests.lent++
	c.mu.Unlock()
	for _, name := range names {
		if err := l.add(ctx, name); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	if err := allow(l.hosts()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// add adds a service.
func (l *Loan) add(ctx context.Context, name string) error {
	s, err := l.c.find(name)
	if err != nil {
		return err
	}
	sites, err := s.check()
	if err != nil {
		return err
	}
	var put func(*Put) inspect.Credential
	if s.wants() {
		secret, err := l.c.secretOf(ctx, s)
		if err != nil {
			return err
		}
		scrubber := scrub.New(secret.Reveal())
		put = func(p *Put) inspect.Credential { return p.with(secret, scrubber) }
	}
	for _, one := range sites {
		address := one.address()
		l.mu.Lock()
		if l.puts[address] = (inspect.Credential{}); one.put != nil {
			l.puts[address] = put(one.put)
		}
		l.mu.Unlock()
		one.Done = l.services[name].gone
		one.Credential = func() (inspect.Credential, bool) { return l.credential(name, address) }
		l.sites = append(l.sites, one.Site)
	}
	return nil
}

// credential is what is put into a request, while the loan holds.
func (l *Loan) credential(name, address string) (inspect.Credential, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.services[name].gone:
		return inspect.Credential{}, false
	default:
		c, ok := l.puts[address]
		return c, ok
	}
}

// Inspect is how the network of the task judges requests; nil without a loan.
func (l *Loan) Inspect() *inspect.Config {
	if l == nil {
		return nil
	}
	return &inspect.Config{Sites: l.sites, Roots: l.c.o.Roots, Now: l.c.o.Now, OnRequest: func(q inspect.Request) { l.requests.add(&l.by, q) }}
}

// hosts are patterns of hosts that the task may reach with it.
func (l *Loan) hosts() (out []string) {
	for _, s := range l.sites {
		out = append(out, site{Site: s}.address())
	}
	return out
}

// Close ends the loan, after the network that it was for, and writes down what was asked for.
func (l *Loan) Close() error {
	if l == nil {
		return nil
	}
	for _, s := range l.services {
		s.end()
	}
	l.mu.Lock()
	clear(l.puts)
	l.mu.Unlock()
	c := l.c
	c.mu.Lock()
	_, was := c.loans[l]
	delete(c.loans, l)
	if was {
		l.requests.lent--
	}
	last := l.requests.lent == 0
	if last {
		delete(c.live, l.requests.task)
	}
	c.mu.Unlock()
	if !was {
		return nil
	}
	if !last {
		return l.requests.write()
	}
	return l.requests.close()
}

// revoke ends what was lent of a service, and the requests with it that are under way.
func (c *Catalogue) revoke(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[name]++
	for l := range c.loans {
		if s, ok := l.services[name]; ok {
			s.end()
		}
	}
}

// transport reaches a server as this computer does.
func (c *Catalogue) transport() *http.Transport {
	t := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.o.Roots}, ForceAttemptHTTP2: true}
	if c.o.Proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return c.o.Proxy(r.URL) }
	}
	return t
}
