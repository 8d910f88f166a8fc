package services

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/network/inspect"
	"piwork/vmhost/wire"
)

const secret = "ghp_0123456789abcdef"

type fixture struct {
	*Catalogue
	t     *testing.T
	dir   string
	store *keys.Memory
	log   *audit.Log
	now   time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir(), store: &keys.Memory{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f.log = audittest.Open(t)
	f.open(nil, nil)
	return f
}

func (f *fixture) open(roots *x509.CertPool, proxy func(*url.URL) (*url.URL, error)) {
	f.t.Helper()
	var err error
	f.Catalogue, err = Open(Options{
		ConfigDir: f.dir, Secrets: f.store, Audit: f.log, Roots: roots, Proxy: proxy, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return f.now },
		TaskDir: func(task string) string { return filepath.Join(f.dir, "tasks", task) },
		Exists: func(task string) error {
			if _, err := os.Stat(filepath.Join(f.dir, "tasks", task)); err != nil {
				return problem.New(problem.CodeNotFound)
			}
			return nil
		},
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// task makes the directory of one.
func (f *fixture) task(id string) string {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Join(f.dir, "tasks", id), 0o700); err != nil {
		f.t.Fatal(err)
	}
	return id
}

func (f *fixture) must(s Service, err error) Service {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// free lets a task reach everything.
func free([]string) error { return nil }

func code(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	return fmt.Sprint(err)
}

func hub() []Host {
	return []Host{
		{Host: "api.example.org", Put: &Put{Template: "Bearer {secret}"}, Rules: []string{"allow GET /**"}, Test: "/user"},
		{Host: "git.example.org:8443", Put: &Put{User: "me"}, Rules: []string{"allow * /**"}},
		{Host: "files.example.org", Rules: []string{"allow GET /**"}},
	}
}

func TestDefinitionsAreChecked(t *testing.T) {
	f := newFixture(t)
	one := func(change func(*Host)) []Host {
		h := hub()[0]
		h.Put = &Put{Template: "Bearer {secret}"}
		change(&h)
		return []Host{h}
	}
	for name, d := range map[string]Definition{
		"nothing":                {},
		"an unknown preset":      {Preset: "x"},
		"a preset and hosts":     {Preset: "github", Hosts: hub()},
		"nine hosts":             {Hosts: append(append(hub(), hub()...), append(hub(), hub()...)...)},
		"a host twice":           {Hosts: append(hub(), Host{Host: "API.example.org:443", Rules: []string{"allow GET /"}})},
		"an address":             {Hosts: one(func(h *Host) { h.Host = "192.0.2.1" })},
		"an address of IPv6":     {Hosts: one(func(h *Host) { h.Host = "[::1]" })},
		"a URL":                  {Hosts: one(func(h *Host) { h.Host = "https://example.org" })},
		"a path":                 {Hosts: one(func(h *Host) { h.Host = "example.org/a" })},
		"all names":              {Hosts: one(func(h *Host) { h.Host = "*.example.org" })},
		"plain text":             {Hosts: one(func(h *Host) { h.Host = "example.org:80" })},
		"no port":                {Hosts: one(func(h *Host) { h.Host = "example.org:0" })},
		"no rule":                {Hosts: one(func(h *Host) { h.Rules = nil })},
		"no rules at all":        {Hosts: one(func(h *Host) { h.Rules = []string{"anything"} })},
		"a rule about TRACE":     {Hosts: one(func(h *Host) { h.Rules = []string{"allow TRACE /"} })},
		"a test that is no path": {Hosts: one(func(h *Host) { h.Test = "https://evil.example/" })},
		"a test of up":           {Hosts: one(func(h *Host) { h.Test = "/../a" })},
		"no place":               {Hosts: one(func(h *Host) { h.Put = &Put{} })},
		"two places":             {Hosts: one(func(h *Host) { h.Put.User = "me" })},
		"no secret in it":        {Hosts: one(func(h *Host) { h.Put.Template = "Bearer" })},
		"two secrets in it":      {Hosts: one(func(h *Host) { h.Put.Template = "{secret}{secret}" })},
		"a line in it":           {Hosts: one(func(h *Host) { h.Put.Template = "{secret}\r\nX: y" })},
		"the host":               {Hosts: one(func(h *Host) { h.Put.Header = "Host" })},
		"the length":             {Hosts: one(func(h *Host) { h.Put.Header = "content-length" })},
		"a field that is none":   {Hosts: one(func(h *Host) { h.Put.Header = "A: b" })},
		"a user with a colon":    {Hosts: one(func(h *Host) { h.Put = &Put{User: "a:b"} })},
		"a user elsewhere":       {Hosts: one(func(h *Host) { h.Put = &Put{User: "a", Header: "X-Key"} })},
	} {
		if _, err := f.PutService(t.Context(), "hub", d); code(err) != problem.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Hub", "-a", "a b", "../a", strings.Repeat("a", 32)} {
		if _, err := f.PutService(t.Context(), name, Definition{Hosts: hub()}); code(err) != problem.CodeBadRequest {
			t.Errorf("%q: %v", name, err)
		}
	}
	if all, err := f.Services(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("kept: %v, %v", all, err)
	}
	for _, p := range Presets() {
		if s, err := f.PutService(t.Context(), p.Code, Definition{Preset: p.Code}); err != nil || s.Secret != SecretMissing {
			t.Errorf("%s: %+v, %v", p.Code, s, err)
		}
	}
}

func TestTheSecretIsForItsHostsAlone(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	if _, err := f.SetServiceSecret(t.Context(), "none", SecretRequest{secret}); code(err) != problem.CodeUnknownService {
		t.Errorf("an unknown one: %v", err)
	}
	if _, err := f.Lend(t.Context(), f.task("a"), []string{"hub"}, free, audit.Record{}); code(err) != problem.CodeServiceSecret {
		t.Errorf("without a secret: %v", err)
	}
	s := f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{" " + secret + "\n"}))
	if s.Secret != SecretSet || s.Ending != "cdef" {
		t.Errorf("%+v", s)
	}
	for _, file := range []string{"services.json"} {
		if data, err := os.ReadFile(filepath.Join(f.dir, file)); err != nil || strings.Contains(string(data), secret) {
			t.Errorf("%s has the secret, or %v", file, err)
		}
	}
	if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), secret) {
		t.Errorf("an answer has the secret: %s", text)
	}
	// Other rules change nothing; another host, or another place, does.
	h := hub()
	h[0].Rules = []string{"allow * /**"}
	if s := f.must(f.PutService(t.Context(), "hub", Definition{Hosts: h})); s.Secret != SecretSet {
		t.Errorf("with other rules it is %s", s.Secret)
	}
	for name, change := range map[string]func([]Host){
		"another host":   func(h []Host) { h[0].Host = "evil.example" },
		"another port":   func(h []Host) { h[0].Host += ":444" },
		"another field":  func(h []Host) { h[0].Put = &Put{Header: "X-Echo", Template: "{secret}"} },
		"one place more": func(h []Host) { h[2].Put = &Put{Template: "{secret}"} },
	} {
		f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
		f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
		h := hub()
		change(h)
		if s := f.must(f.PutService(t.Context(), "hub", Definition{Hosts: h})); s.Secret != SecretMissing {
			t.Errorf("%s: it is %s", name, s.Secret)
		}
		if _, err := f.Lend(t.Context(), "a", []string{"hub"}, free, audit.Record{}); code(err) != problem.CodeServiceSecret {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.TestService(t.Context(), "hub"); code(err) != problem.CodeServiceSecret {
			t.Errorf("%s, a test: %v", name, err)
		}
		if s := f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()})); s.Secret != SecretMissing {
			t.Errorf("%s and back: it is %s", name, s.Secret)
		}
	}
	// A stranger changes the file.
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	file := filepath.Join(f.dir, "services.json")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(data), "api.example.org", "evil.example", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.open(nil, nil)
	if _, err := f.Lend(t.Context(), "a", []string{"hub"}, free, audit.Record{}); code(err) != problem.CodeServiceSecret {
		t.Errorf("a file that was changed: %v", err)
	}
	if len(f.live) > 0 || len(f.loans) > 0 {
		t.Error("a loan that failed is left")
	}
}

// lockedStore is a place of secrets that cannot be used now, such as a keychain that is
// locked. What it holds is known.
type lockedStore struct{ keys.Store }

func (lockedStore) Delete(context.Context, string) error { return keys.ErrNoKeychain }

// A service without a secret is removed where the place of secrets is locked; one with a secret
// stays with it.
func TestRemovingAServiceNeedsNoKeychainWithoutASecret(t *testing.T) {
	f := newFixture(t)
	f.o.Secrets = lockedStore{f.store}
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	if err := f.RemoveService(t.Context(), "hub"); err != nil {
		t.Errorf("without a secret: %v", err)
	}
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	if err := f.RemoveService(t.Context(), "hub"); err == nil {
		t.Error("a secret is left without its service")
	}
	if s, err := f.FindService(t.Context(), "hub"); err != nil || s.Secret != SecretSet {
		t.Errorf("%+v %v", s, err)
	}
}

// Who waits while the keychain waits for a person waits no longer than they want to.
func TestAChangeWaitsNoLongerThanItsRequest(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	_, leave, err := f.takeTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	why := problem.New(problem.CodeShuttingDown)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for name, change := range map[string]func() error{
		"put":    func() error { _, err := f.PutService(ctx, "hub", Definition{Hosts: hub()}); return err },
		"remove": func() error { return f.RemoveService(ctx, "hub") },
		"set":    func() error { _, err := f.SetServiceSecret(ctx, "hub", SecretRequest{secret}); return err },
		"forget": func() error { return f.ForgetServiceSecret(ctx, "hub") },
	} {
		if err := change(); code(err) != why.Code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRemovingAServiceRemovesItsSecret(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	if err := f.RemoveService(t.Context(), "hub"); err != nil {
		t.Fatal(err)
	}
	if err := f.RemoveService(t.Context(), "hub"); code(err) != problem.CodeUnknownService {
		t.Errorf("again: %v", err)
	}
	if left, _ := f.store.List(t.Context()); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestALoanEnds(t *testing.T) {
	for name, end := range map[string]func(*fixture, *Loan) error{
		"with its task":    func(_ *fixture, l *Loan) error { return l.Close() },
		"with its service": func(f *fixture, _ *Loan) error { return f.RemoveService(f.t.Context(), "hub") },
		"with its secret":  func(f *fixture, _ *Loan) error { return f.ForgetServiceSecret(f.t.Context(), "hub") },
		"with another secret": func(f *fixture, _ *Loan) error {
			_, err := f.SetServiceSecret(f.t.Context(), "hub", SecretRequest{"another-secret"})
			return err
		},
		"with other rules": func(f *fixture, _ *Loan) error {
			_, err := f.PutService(f.t.Context(), "hub", Definition{Hosts: hub()})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
			f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
			var hosts []string
			l, err := f.Lend(t.Context(), f.task("a"), []string{"hub"}, func(h []string) error { hosts = h; return nil }, audit.Record{})
			if err != nil {
				t.Fatal(err)
			}
			c := l.Inspect()
			want := map[string]string{"api.example.org": "Bearer " + secret, "git.example.org": "Basic bWU6Z2hwXzAxMjM0NTY3ODlhYmNkZWY=", "files.example.org": ""}
			if got := strings.Join(hosts, " "); got != "api.example.org:443 git.example.org:8443 files.example.org:443" {
				t.Errorf("hosts: %s", got)
			}
			for _, s := range c.Sites {
				if put, ok := s.Credential(); !ok || put.Value != want[s.Host] || (put.Header != "") != (put.Value != "") || (put.Scrub != nil) != (put.Value != "") {
					t.Errorf("%s: %q, %v", s.Host, put.Value, ok)
				}
			}
			if err := end(f, l); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.Sites {
				if put, ok := s.Credential(); ok {
					t.Errorf("%s still has %q", s.Host, put.Header)
				}
				select {
				case <-s.Done:
				default:
					t.Errorf("requests to %s go on", s.Host)
				}
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestCredentialsAreAskedForWhileALoanEnds holds that there is a secret or none, and no race.
func TestCredentialsAreAskedForWhileALoanEnds(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	l, err := f.Lend(t.Context(), f.task("a"), []string{"hub"}, free, audit.Record{})
	if err != nil {
		t.Fatal(err)
	}
	s := l.Inspect().Sites[0]
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for {
				put, ok := s.Credential()
				if !ok {
					return
				}
				if put.Value != "Bearer "+secret {
					t.Errorf("it got %q", put.Value)
				}
			}
		})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	work.Wait()
}

func TestServicesOfATask(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.PutService(t.Context(), "same", Definition{Hosts: hub()[2:]}))
	f.must(f.PutService(t.Context(), "other", Definition{Hosts: []Host{{Host: "other.example.org", Rules: []string{"allow GET /"}}}}))
	for name, c := range map[string]struct {
		kind    task.Kind
		network task.Network // that it has by itself
		asked   task.Network
		names   []string
		want    task.Network
		code    string
	}{
		"none":              {task.KindExec, task.NetworkOff, task.NetworkOff, nil, task.NetworkOff, ""},
		"a program":         {task.KindExec, task.NetworkOff, "", []string{"hub"}, task.NetworkRestricted, ""},
		"an AI":             {task.KindAI, task.NetworkRestricted, "", []string{"hub", "other"}, task.NetworkRestricted, ""},
		"everything":        {task.KindExec, task.NetworkOn, task.NetworkOn, []string{"hub"}, task.NetworkOn, ""},
		"without a network": {task.KindExec, task.NetworkOff, task.NetworkOff, []string{"hub"}, task.NetworkOff, problem.CodeBadRequest},
		"a chore":           {task.KindChore, task.NetworkOff, "", []string{"hub"}, task.NetworkOff, problem.CodeBadRequest},
		"an unknown one":    {task.KindExec, task.NetworkOff, "", []string{"nobody"}, task.NetworkRestricted, problem.CodeUnknownService},
		"twice":             {task.KindExec, task.NetworkOff, "", []string{"hub", "hub"}, task.NetworkRestricted, problem.CodeBadRequest},
		"of one host":       {task.KindExec, task.NetworkOff, "", []string{"hub", "same"}, task.NetworkRestricted, problem.CodeBadRequest},
	} {
		got, err := f.NetworkFor(task.Task{Kind: c.kind, Network: c.network}, c.asked, c.names)
		if got != c.want || (c.code != "" || err != nil) && code(err) != c.code {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if n := Needed(task.Task{Network: task.NetworkOn, Policy: task.Policy{PolicyRequest: task.PolicyRequest{Services: []string{"hub"}}}}); n != task.NetworkRestricted {
		t.Errorf("its place needs %q", n)
	}
	var nobody *Catalogue
	if l, err := nobody.Lend(t.Context(), "a", nil, free, audit.Record{}); l != nil || err != nil || l.Inspect() != nil || l.Close() != nil {
		t.Error("without services there is a loan")
	}
}

// What services are lent for has another digest when it is another, and a loan of before is told
// from one of now.
func TestTermsChange(t *testing.T) {
	f := newFixture(t)
	put := func(name string, hosts []Host) {
		t.Helper()
		f.must(f.PutService(t.Context(), name, Definition{Hosts: hosts}))
	}
	terms := func(names ...string) Terms {
		t.Helper()
		got, err := f.TermsOf(names)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	put("hub", hub())
	put("docs", []Host{{Host: "docs.example.org", Rules: []string{"allow GET /**"}}})
	before := terms("hub", "docs")
	if got := strings.Join(before.Hosts, " "); got != "api.example.org git.example.org:8443 files.example.org docs.example.org" || before.Digest == terms("hub").Digest {
		t.Errorf("%+v", before)
	}
	tested := hub()
	tested[0].Test = "/me"
	put("hub", tested)
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{Secret: secret}))
	if now := terms("hub", "docs"); now.Digest != before.Digest || now.Ended != before.Ended+2 {
		t.Errorf("%+v, before %+v", now, before)
	}
	for name, change := range map[string]func(*Host){
		"a host":  func(h *Host) { h.Host = "api.example.net" },
		"a rule":  func(h *Host) { h.Rules = []string{"allow * /**"} },
		"a place": func(h *Host) { h.Put = &Put{Header: "X-Key", Template: "{secret}"} },
	} {
		other := hub()
		change(&other[0])
		put("hub", other)
		if terms("hub", "docs").Digest == before.Digest {
			t.Errorf("%s is another, and the digest is the same", name)
		}
	}
	put("hub", hub())
	if terms("hub", "docs").Digest != before.Digest {
		t.Error("the same has another digest")
	}
	if _, err := f.TermsOf([]string{"none"}); code(err) != problem.CodeUnknownService {
		t.Error(err)
	}
}

// What services of a task may have together, its machine takes.
func TestServicesOfATaskAreBoundedTogether(t *testing.T) {
	f := newFixture(t)
	var names []string
	put := func(name string, length, hosts int) {
		t.Helper()
		var all []Host
		for i := range hosts {
			rest := fmt.Sprintf("-%s-%d.org", name, i)
			all = append(all, Host{Host: strings.Repeat("a", length-len(rest)) + rest, Rules: []string{"allow GET /"}})
		}
		f.must(f.PutService(t.Context(), name, Definition{Hosts: all}))
	}
	for i := range 8 {
		names = append(names, fmt.Sprintf("s%d", i))
		put(names[i], inspect.MaxNames/inspect.MaxSites, maxHosts)
	}
	put("more", 20, 1)
	if err := f.CheckServices(names); err != nil {
		t.Fatal(err)
	}
	l, err := f.Lend(t.Context(), f.task("a"), names, free, audit.Record{})
	if err != nil {
		t.Fatal(err)
	}
	i, err := inspect.New(*l.Inspect(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if n := len(i.Certificate()); n > wire.MaxCertificate {
		t.Errorf("the machine does not take a certificate of %d bytes", n)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := f.CheckServices(append(names, "more")); code(err) != problem.CodeBadRequest {
		t.Errorf("one host more: %v", err)
	}
	put("s0", inspect.MaxNames/inspect.MaxSites+1, maxHosts)
	if err := f.CheckServices(names); code(err) != problem.CodeBadRequest {
		t.Errorf("longer names: %v", err)
	}
}

func TestRequestsAreCountedAndKept(t *testing.T) {
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	id := f.task("a")
	lend := func() *Loan { return f.lend(id) }
	l := lend()
	tell := l.Inspect().OnRequest
	request := f.request
	for range 3 {
		tell(request("/a", true))
	}
	tell(request("/b", false))
	seen, err := f.TaskRequests(t.Context(), id)
	if err != nil || len(seen.List) != 2 || seen.List[0].Path != "/a" || seen.List[0].Count != 3 || seen.List[0].Received != 30 || seen.List[1].Reason != "no-rule" || seen.List[1].Allowed {
		t.Errorf("while it runs: %+v, %v", seen, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	page, err := f.log.Records(t.Context(), audit.Filter{Task: id, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range page.Records {
		text, _ := json.Marshal(r)
		if r.Event != audit.EventRequest {
			continue
		}
		found++
		if r.Service != "hub" || r.Host != "api.example.org" || r.Method != "GET" || r.Path == "" || strings.Contains(string(text), "/a") || r.Request != "req" || r.Answer == "" || r.Times == 0 {
			t.Errorf("the audit log has %s", text)
		}
	}
	if found != 2 {
		t.Errorf("the audit log has %d", found)
	}
	// It goes on in the next place of the task, and after it.
	l = lend()
	l.Inspect().OnRequest(request("/a", true))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	f.open(nil, nil)
	if seen, err = f.TaskRequests(t.Context(), id); err != nil || seen.List[0].Count != 4 {
		t.Errorf("afterwards: %+v, %v", seen, err)
	}
	if _, err := f.TaskRequests(t.Context(), "b"); code(err) != problem.CodeNotFound {
		t.Errorf("of no task: %v", err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "tasks", id, requestsName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.TaskRequests(t.Context(), id); code(err) != problem.CodeRecordDamaged {
		t.Errorf("what was counted is damaged: %v", err)
	}
}

func TestATestAsksTheService(t *testing.T) {
	var got []*http.Request
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r)
		if r.Header.Get("Authorization") != "Bearer "+secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	// A proxy that leads every host to the server.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		connect(t, c, server.Listener.Addr().String())
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	f.open(roots, func(*url.URL) (*url.URL, error) { return at, nil })
	h := hub()[:1]
	h[0].Host = "example.com" // of the certificate
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: h}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	all, err := f.TestService(t.Context(), "hub")
	if err != nil || len(all) != 1 || !all[0].OK || all[0].Status != http.StatusFound || len(got) != 1 || got[0].RequestURI != "/user" || got[0].Host != "example.com" {
		t.Errorf("%+v, %v; the server got %v", all, err, got)
	}
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{"wrong-secret"}))
	if all, err = f.TestService(t.Context(), "hub"); err != nil || all[0].OK || all[0].Status != http.StatusUnauthorized {
		t.Errorf("a wrong secret: %+v, %v", all, err)
	}
	f.open(x509.NewCertPool(), f.o.Proxy)
	if all, err = f.TestService(t.Context(), "hub"); err != nil || all[0].OK || all[0].Status != 0 || all[0].Detail == "" || len(got) != 2 {
		t.Errorf("a server that nobody knows: %+v, %v", all, err)
	}
}
