package consent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"

	"github.com/google/uuid"

	"piwork/app/agent"
	"piwork/app/audit"
	"piwork/app/audit/execution"
	ruled "piwork/app/policy"
	"piwork/app/task"
	"piwork/app/webtool"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
)

// Codes of the questions of tools that go to the web in the place of a task. Their
// parameters are program, host, port, pattern (what a decision for longer than once
// is about: pages or a host), reason, and address or query.
const (
	askFetch  = "web-fetch"
	askSearch = "web-search"

	reasonAsked    = "asked"    // the task named the address
	reasonRedirect = "redirect" // another host sent it there
)

// webTools are the tools of one task: reading pages and searching, from the host,
// while its own network is off. Whatever is fetched is asked about, with all of its
// address, unless a rule decides: the address is what leaves. A rule about a host, which
// a person wrote, covers all of it; one that an answer made covers pages below the one
// that was asked about, and neither queries nor long addresses.
type webTools struct {
	g      *Gate
	search WebSearch
}

// HasWeb reports whether a task has tools for the web. A chore says what it needs,
// and asks nothing.
func HasWeb(t task.Task) bool { return t.Network == task.NetworkOff && t.Chore == "" }

// WebTools returns what serves the task's tools, nil where it has none.
func (g *Gate) WebTools(t task.Task) http.Handler {
	if !HasWeb(t) {
		return nil
	}
	w := &webTools{g: g, search: g.c.o.Search.Get()}
	if w.search.Kind != SearchSearXNG {
		return webtool.NewTools(w.fetch, nil)
	}
	return webtool.NewTools(w.fetch, w.find)
}

// OfferedWeb are the tools for the web that the agent of a task is told of.
func (g *Gate) OfferedWeb(t task.Task) []string {
	switch {
	case !HasWeb(t):
		return nil
	case g.c.o.Search.Get().Kind == SearchSearXNG:
		return agent.WebTools
	}
	return []string{agentkit.ToolFetch}
}

// fetch reads a page.
func (w *webTools) fetch(ctx context.Context, u *url.URL) (webtool.Page, error) {
	var mu sync.Mutex
	granted := map[policy.Pattern]bool{}
	f, done, err := w.fetcher(nil, func(ctx context.Context, u *url.URL) error {
		mu.Lock()
		defer mu.Unlock()
		t, err := targetOf(u)
		if err != nil || granted[t.Pattern()] && len(u.String()) <= maxQuiet {
			return err // a host that was allowed may send elsewhere on itself
		}
		reason := reasonAsked
		if len(granted) > 0 {
			reason = reasonRedirect
		}
		about := pages(u, t)
		err = w.consent(ctx, t, w.g.pageRule(u, t), topicPages+about, vmhost.Text{Code: askFetch, Params: map[string]any{
			"address": u.String(), "pattern": about, "reason": reason}})
		if err != nil {
			return err
		}
		granted[t.Pattern()] = true
		return nil
	})
	if err != nil {
		return webtool.Page{}, err
	}
	defer done()
	return f.Fetch(ctx, u.String())
}

// find searches with what the person chose.
func (w *webTools) find(ctx context.Context, query string) (webtool.Results, error) {
	base, err := url.Parse(w.search.URL)
	if err != nil {
		return webtool.Results{}, fmt.Errorf("search the web: %w", err)
	}
	own, err := targetOf(base)
	if err != nil {
		return webtool.Results{}, err
	}
	about := own.Pattern().String()
	rule, _ := w.g.RuleAbout(topicSearch + about)
	if rule.Task == "" && rule.Answer == vmhost.AnswerAllow && w.g.asksAnew(own) {
		rule.Answer = ""
	}
	err = w.consent(ctx, own, rule.Answer, topicSearch+about, vmhost.Text{Code: askSearch, Params: map[string]any{
		"query": query, "pattern": about, "reason": reasonAsked}})
	if err != nil {
		return webtool.Results{}, err
	}
	var named []policy.Rule
	if own.Name == "" { // the person named the address itself
		named = []policy.Rule{{Allow: true, Pattern: own.Pattern()}}
	}
	f, done, err := w.fetcher(named, func(_ context.Context, u *url.URL) error {
		if t, err := targetOf(u); err != nil || t != own {
			return errors.New("the search sends elsewhere")
		}
		return nil
	})
	if err != nil {
		return webtool.Results{}, err
	}
	defer done()
	return f.Search(ctx, w.search.URL, query)
}

// fetcher makes one that connects by the rules about addresses and counts as the
// network of a machine does. Whom it may reach is decided before, by allow; what a
// rule denies, and what is no public address, is refused here all the same.
func (w *webTools) fetcher(named []policy.Rule, allow webtool.AllowFunc) (f *webtool.Fetcher, done func(), err error) {
	n, err := w.g.c.o.Network(network.Config{
		Task: w.g.id, Policy: vmhost.NetworkAllow, Rules: append(named, w.g.NetworkRules()...), Over: w.g.refuses, Log: w.g.log(),
		OnEvent: func(e network.Event) {
			w.g.task.Record(task.EventNotice, task.NoticeData{Code: "network-" + string(e.Kind),
				Params: map[string]any{"host": e.Host, "port": int(e.Port), "reason": e.Reason}})
		},
	})
	if err != nil {
		return nil, nil, err
	}
	over := w.g.c.beside.follow(n)
	f = webtool.NewFetcher(func(ctx context.Context, kind, address string) (net.Conn, error) {
		return n.Dial(ctx, kind, address)
	}, allow)
	return f, func() {
		f.Close()
		over()
		_ = n.Close() // it never fails
		x := execution.Execution{Task: w.g.id, Request: w.g.by.Request, Client: w.g.by.Client, Door: w.g.by.Door}
		if err := x.Traffic(w.g.c.o.Audit, audit.PurposeFetch, n.Traffic()); err != nil {
			w.g.log().Error("what was fetched for a task could not be recorded", "error", err)
		}
	}, nil
}

// consent returns nil when a rule or the person allows what is asked, else an error
// that wraps webtool.ErrDenied. decided is what a rule about the topic says, "" for none;
// rules about the host of t come before it.
func (w *webTools) consent(ctx context.Context, t policy.Target, decided, topic string, ask vmhost.Text) error {
	set := policy.Set{Policy: vmhost.NetworkRestricted, Rules: w.g.NetworkRules(), Over: w.g.over(ruled.AboutWeb)}
	v := set.Decide(t)
	private := t.Name == "" && policy.Kind(t.Addr) != policy.KindPublic
	switch {
	case v.Answer == policy.Refuse && !(ask.Code == askSearch && private && v.Reason != policy.ReasonRule):
		return fmt.Errorf("%s: %s: %w", t.Host(), v.Reason, webtool.ErrDenied)
	case decided == vmhost.AnswerDeny:
		return fmt.Errorf("%s: %s: %w", t.Host(), policy.ReasonRule, webtool.ErrDenied)
	case v.Answer == policy.Allow, decided == vmhost.AnswerAllow:
		return nil
	}
	ask.Params["program"], ask.Params["host"], ask.Params["port"] = "piwork", t.Host(), int(t.Port)
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	d, err := w.g.AskOne(ctx, vmhost.Question{ID: id.String(), Task: w.g.id, Kind: vmhost.AskNetwork, Text: ask, Items: []string{}}, topic)
	if err != nil {
		return fmt.Errorf("%w: %w", webtool.ErrDenied, err)
	}
	if d.Answer != vmhost.AnswerAllow {
		return webtool.ErrDenied
	}
	return nil
}

// targetOf is where an address of the web leads.
func targetOf(u *url.URL) (policy.Target, error) {
	t := policy.Target{Port: 443}
	if u.Scheme == "http" {
		t.Port = 80
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return t, fmt.Errorf("no port: %q", p)
		}
		t.Port = uint16(n)
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		t.Addr = a.Unmap()
		return t, nil
	}
	name, err := policy.Name(u.Hostname())
	t.Name = name
	return t, err
}
