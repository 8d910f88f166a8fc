package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/webtool"
	"piwork/pack/guest/agentkit"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
)

// farConn is a connection to a server of the test that says it leads elsewhere.
type farConn struct {
	net.Conn
	to net.Addr
}

func (c farConn) RemoteAddr() net.Addr { return c.to }

// fakeWeb has one server behind every address, and names with their addresses; of
// several lists each look-up takes the next.
type fakeWeb struct {
	mu      sync.Mutex
	names   map[string][]string
	dialled []string
	asked   []string // "host/path?query" of requests
	server  *httptest.Server
}

func (w *fakeWeb) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	host = strings.TrimSuffix(host, ".")
	list := w.names[host]
	if len(list) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(list) > 1 {
		w.names[host] = list[1:]
	}
	return []netip.Addr{netip.MustParseAddr(list[0])}, nil
}

func (w *fakeWeb) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, address)
	w.mu.Unlock()
	c, err := new(net.Dialer).DialContext(ctx, kind, w.server.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return farConn{c, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}, nil
}

// network makes one whose internet is w.
func (w *fakeWeb) network(cfg network.Config) (*network.Network, error) {
	cfg.Resolver, cfg.Dial = w, w.dial
	cfg.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	cfg.Own = func() (own policy.Own) {
		own.Add(netip.MustParsePrefix("93.184.216.99/32"))
		own.Add(netip.MustParsePrefix("2a02:908:1:2::5/64"))
		return own
	}
	return network.New(cfg)
}

// surfing is a task without a network whose tools reach w. answer is what a person
// says to its questions; "" fails the test when they are asked.
func surfing(t *testing.T, w *fakeWeb, search consent.WebSearch, answer func(vmhost.Question) consent.AnswerRequest) (http.Handler, *Controller, func() []vmhost.Question) {
	t.Helper()
	c := newWorld(t).open()
	c.s.network = w.network
	if search.Kind != "" {
		if _, err := c.SetWebSearch(t.Context(), search); err != nil {
			t.Fatal(err)
		}
	}
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	rec := task.Task{V: task.RecordVersion, ID: id, Kind: task.KindAI, State: task.StateQueued, Created: c.now(), Folders: []task.Folder{}, Network: task.NetworkOff, Place: task.Place{Runtime: "vm"}, AI: &task.AI{Model: "a/b"}}
	if err := c.store.Create(rec); err != nil {
		t.Fatal(err)
	}
	l := tasks.NewLive(c.Runner, rec, tasks.StartRequest{Kind: task.KindAI})
	gone, err := c.registry.Begin(id, l, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.registry.End(id, nil)
		gone()
		l.Cancel(tasks.ErrCancelled)
		l.Settle()
	})
	var mu sync.Mutex
	var questions []vmhost.Question
	events, cancel := c.Subscribe(task.EventFilter{})
	t.Cleanup(cancel)
	go func() {
		for e := range events {
			q, ok := e.Data.(vmhost.Question)
			if !ok {
				continue
			}
			mu.Lock()
			questions = append(questions, q)
			mu.Unlock()
			if _, err := c.Answer(context.WithoutCancel(t.Context()), id, q.ID, answer(q)); err != nil {
				t.Error(err)
			}
		}
	}()
	return l.Gate().WebTools(rec), c, func() []vmhost.Question {
		mu.Lock()
		defer mu.Unlock()
		return append([]vmhost.Question{}, questions...)
	}
}

// post asks a tool as the guest does.
func post(t *testing.T, h http.Handler, path, body string) (int, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return rec.Code, rec.Body.String()
}

func newFakeWeb(t *testing.T, h func(w http.ResponseWriter, r *http.Request)) *fakeWeb {
	t.Helper()
	w := &fakeWeb{names: map[string][]string{
		"example.org": {"93.184.216.34"}, "other.example.org": {"93.184.216.35"}, "lan.example.org": {"192.168.1.1"},
		"host.example.org": {"93.184.216.99"}, "meta.example.org": {"169.254.169.254"}, "six.example.org": {"::ffff:10.0.0.1"},
		"turns.example.org": {"93.184.216.34", "127.0.0.1"}, "search.example.org": {"93.184.216.36"}, "ads.example.net": {"93.184.216.37"},
		"router.example.org": {"2a02:908:1:2::1"},
	}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, r.Host+r.URL.RequestURI())
		w.mu.Unlock()
		h(rw, r)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// Whom the tools are for: a task without a network that a person talks to; the
// search, where there is one. The agent in the guest knows where the host has them.
func TestWebOffered(t *testing.T) {
	_, c, _ := surfing(t, newFakeWeb(t, func(http.ResponseWriter, *http.Request) {}), consent.WebSearch{}, nil)
	for _, tt := range []struct {
		network task.Network
		chore   string
		search  bool
		want    []string
	}{
		{network: task.NetworkOff, want: []string{"web_fetch"}},
		{network: task.NetworkOff, search: true, want: []string{"web_fetch", "web_search"}},
		{network: task.NetworkRestricted, search: true},
		{network: task.NetworkOn, search: true},
		{network: task.NetworkOff, chore: "summarise-notes", search: true},
	} {
		search := consent.WebSearch{Kind: consent.SearchNone}
		if tt.search {
			search = consent.WebSearch{Kind: consent.SearchSearXNG, URL: "https://search.example.org"}
		}
		if _, err := c.SetWebSearch(t.Context(), search); err != nil {
			t.Fatal(err)
		}
		rec := task.Task{Network: tt.network, Chore: tt.chore}
		l := tasks.NewLive(c.Runner, rec, tasks.StartRequest{Kind: task.KindAI})
		if got := l.Gate().OfferedWeb(rec); !slices.Equal(got, tt.want) || (l.Gate().WebTools(rec) != nil) != (tt.want != nil) {
			t.Errorf("%+v: %q, served %v", tt, got, l.Gate().WebTools(rec) != nil)
		}
		l.Cancel(tasks.ErrCancelled)
	}
	for _, f := range agentkit.Files() {
		if f.Name == agentkit.Web && (!bytes.Contains(f.Data, []byte(`"`+webtool.PathFetch+`"`)) || !bytes.Contains(f.Data, []byte(`"`+webtool.PathSearch+`"`))) {
			t.Error("the agent asks elsewhere than where the host has the tools")
		}
	}
}

// What a task without a network gets is asked about, with all that leaves.
func TestWebFetch(t *testing.T) {
	w := newFakeWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(rw, r, "http://other.example.org/end", http.StatusFound)
			return
		}
		if r.URL.Path == "/long" {
			http.Redirect(rw, r, "/"+strings.Repeat("p", 512)+"/", http.StatusFound)
			return
		}
		if r.URL.Path == "/here" {
			http.Redirect(rw, r, "/end", http.StatusFound)
			return
		}
		io.WriteString(rw, "<title>T</title><p>Hello.")
	})
	scope := vmhost.ScopeOnce
	h, c, questions := surfing(t, w, consent.WebSearch{}, func(vmhost.Question) consent.AnswerRequest {
		return consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: scope}
	})
	fetch := func(address string) webtool.Page {
		t.Helper()
		status, text := post(t, h, webtool.PathFetch, fmt.Sprintf(`{"url":%q}`, address))
		var p webtool.Page
		if err := json.Unmarshal([]byte(text), &p); err != nil || status != 200 || !strings.Contains(p.Text, "Hello.") {
			t.Fatalf("%s: %d %s", address, status, text)
		}
		return p
	}
	fetch("http://example.org/here?secret=1#part")
	q := questions()
	if len(q) != 1 || q[0].Kind != vmhost.AskNetwork || q[0].Text.Code != "web-fetch" || q[0].Text.Params["address"] != "http://example.org/here?secret=1" ||
		q[0].Text.Params["host"] != "example.org" || q[0].Text.Params["reason"] != "asked" || q[0].Text.Params["topic"] != "web/http://example.org/" {
		t.Fatalf("asked %+v", q)
	}
	fetch("http://example.org/") // once was once
	if p := fetch("http://example.org/away"); p.URL != "http://other.example.org/end" {
		t.Errorf("came from %s", p.URL)
	}
	q = questions()
	if len(q) != 4 || q[3].Text.Params["reason"] != "redirect" || q[3].Text.Params["address"] != "http://other.example.org/end" {
		t.Errorf("asked %+v", q)
	}
	fetch("http://example.org/long") // a long address is asked about, also on the same host
	if q = questions(); len(q) != 6 || q[5].Text.Params["reason"] != "redirect" {
		t.Errorf("asked %+v", q)
	}
	scope = vmhost.ScopeTask
	fetch("http://example.org/docs/")
	fetch("http://example.org/docs/again")
	if n := len(questions()); n != 7 {
		t.Errorf("%d questions", n)
	}
	rules, err := c.NetworkRules(t.Context())
	if err != nil || len(rules.Rules) != 1 || rules.Rules[0].Topic != "web/http://example.org/docs/" || rules.Rules[0].Task == "" {
		t.Errorf("%+v %v", rules.Rules, err)
	}
	// What it does not cover: a query, room for contents of files, other pages, another host.
	for i, address := range []string{"http://example.org/docs/?contents=of-the-folder", "http://example.org/docs/?", "http://example.org/docs/" + strings.Repeat("p", 512),
		"http://example.org/", "http://example.org/docs/../mail", "http://other.example.org/docs/", "http://example.org:8080/docs/"} {
		fetch(address)
		if n := len(questions()); n != 8+i {
			t.Errorf("%s: %d questions", address, n)
		}
	}
	// A no to pages is one to everything below them.
	if _, err := c.rules.Add(approval.Rule{Topic: "web/http://example.org/docs/", Answer: vmhost.AnswerDeny}); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"http://example.org/docs/", "http://example.org/docs/x?y"} {
		if status, text := post(t, h, webtool.PathFetch, fmt.Sprintf(`{"url":%q}`, address)); status != 403 || len(questions()) != 14 {
			t.Errorf("%s: %d %s, %d questions", address, status, text, len(questions()))
		}
	}
	for _, a := range w.dialled {
		if a != "93.184.216.34:80" && a != "93.184.216.35:80" && a != "93.184.216.34:8080" {
			t.Errorf("connected to %s", a)
		}
	}
}

// What a hostile guest, or a hostile page, does not get; and nothing is connected to.
func TestWebFetchAttacks(t *testing.T) {
	target := ""
	w := newFakeWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/go" {
			rw.Header().Set("Location", target)
			rw.WriteHeader(http.StatusFound)
			return
		}
		io.WriteString(rw, "<p>inside")
	})
	h, c, questions := surfing(t, w, consent.WebSearch{}, func(q vmhost.Question) consent.AnswerRequest {
		if q.Text.Params["host"] == "no.example.org" {
			return consent.AnswerRequest{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeOnce}
		}
		return consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce} // a person who says yes to all
	})
	if _, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "denied.example.org", Answer: vmhost.AnswerDeny}); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		"http://127.0.0.1/", "http://[::1]/", "http://10.0.0.1/", "http://192.168.1.1:8080/", "http://169.254.169.254/latest/meta-data/",
		"http://[::ffff:127.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://0.0.0.0/", "http://[fe80::1%25eth0]/", "http://2130706433/", "http://0x7f.1/", "http://127.1/",
		"http://lan.example.org/", "http://meta.example.org/", "http://six.example.org/", "http://host.example.org/", "http://router.example.org/", "http://[2a02:908:1:2::1]/", "http://93.184.216.99/",
		"http://localhost/", "http://denied.example.org/", "http://no.example.org/",
		"http://user:pass@example.org/", "http://user@example.org/", "ftp://example.org/", "file:///etc/passwd", "//example.org/", "gopher://example.org:70/",
		"http://example.org:25/", "http://example.org:0/", "http://example.org:65536/", "http:///", "http://exa mple.org/", "http://exam\u0000ple.org/",
		"http://" + strings.Repeat("a", 5000) + ".org/", "javascript:alert(1)", "data:text/plain,x", "",
	} {
		for _, by := range []string{"asked", "sent"} {
			t.Run(by+" "+address[:min(len(address), 40)], func(t *testing.T) {
				w.mu.Lock()
				w.dialled, w.asked = nil, nil
				target = address
				w.mu.Unlock()
				first := address
				if by == "sent" {
					if address == "" {
						return // no redirect at all
					}
					first = "http://example.org/go"
				}
				body, _ := json.Marshal(map[string]string{"url": first})
				status, text := post(t, h, webtool.PathFetch, string(body))
				w.mu.Lock()
				defer w.mu.Unlock()
				relative := by == "sent" && address == "//example.org/"
				if relative {
					return // an address of the page's own scheme
				}
				if status == 200 || strings.Contains(text, "inside") {
					t.Errorf("got %d %s", status, text)
				}
				for _, a := range w.dialled {
					if a != "93.184.216.34:80" || by == "asked" {
						t.Errorf("connected to %s", a)
					}
				}
			})
		}
	}
	// A name that becomes another address between two requests: each is looked at.
	for i, want := range []int{200, 502} {
		if status, text := post(t, h, webtool.PathFetch, `{"url":"http://turns.example.org/"}`); status != want {
			t.Errorf("%d: %d %s", i, status, text)
		}
	}
	for _, q := range questions() {
		if h := fmt.Sprint(q.Text.Params["host"]); h == "127.0.0.1" || h == "denied.example.org" || strings.HasPrefix(h, "10.") || strings.HasPrefix(h, "169.") {
			t.Errorf("a person was asked about %s", h)
		}
	}
}

func TestWebSearchTool(t *testing.T) {
	w := newFakeWeb(t, func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("q") == "away":
			http.Redirect(rw, r, "http://example.org/", http.StatusFound)
		case r.URL.Query().Get("format") == "json":
			rw.Header().Set("Content-Type", "application/json")
			io.WriteString(rw, `{"results":[{"title":"Ä\u0007 title","url":"https://example.org/a","content":"what it says"},{"title":"bad","url":"javascript:alert(1)"}]}`)
		}
	})
	h, c, questions := surfing(t, w, consent.WebSearch{Kind: consent.SearchSearXNG, URL: "http://192.168.7.7:8888/search"}, func(q vmhost.Question) consent.AnswerRequest {
		return consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}
	})
	status, text := post(t, h, webtool.PathSearch, `{"query":"  two  words "}`)
	if status != 200 || text != `{"results":[{"title":"Ä title","url":"https://example.org/a","text":"what it says"}]}` {
		t.Errorf("%d %s", status, text)
	}
	if q := questions(); len(q) != 1 || q[0].Text.Code != "web-search" || q[0].Text.Params["query"] != "two words" || q[0].Text.Params["host"] != "192.168.7.7" {
		t.Errorf("asked %+v", q)
	}
	if status, text = post(t, h, webtool.PathSearch, `{"query":"away"}`); status != 502 || len(w.dialled) != 2 || w.dialled[1] != "192.168.7.7:8888" {
		t.Errorf("sent elsewhere: %d %s, connected to %v", status, text, w.dialled)
	}
	for _, bad := range []consent.WebSearch{{Kind: "google"}, {Kind: consent.SearchSearXNG}, {Kind: consent.SearchSearXNG, URL: "http://search.example.org/"}, {Kind: consent.SearchSearXNG, URL: "https://a:b@search.example.org/"}, {Kind: consent.SearchSearXNG, URL: "https://search.example.org/?x=1"}} {
		if _, err := c.SetWebSearch(t.Context(), bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if s, err := c.SetWebSearch(t.Context(), consent.WebSearch{Kind: consent.SearchNone, URL: "x"}); err != nil || s != (consent.WebSearch{Kind: consent.SearchNone}) {
		t.Errorf("%+v %v", s, err)
	}
}

func TestNoWebSearchTool(t *testing.T) {
	h, _, _ := surfing(t, newFakeWeb(t, nil), consent.WebSearch{}, nil)
	if status, text := post(t, h, webtool.PathSearch, `{"query":"x"}`); status != 400 || !strings.Contains(text, "no-search") {
		t.Errorf("%d %s", status, text)
	}
}
