package consent

import (
	"cmp"
	"net/netip"
	"net/url"
	"piwork/app/approval"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
	"strings"
)

// Topics of rules about the web: topicPages and how the addresses of pages begin,
// topicSearch and the host that searches.
const (
	topicPages  = "web/"
	topicSearch = "search/"
)

// maxQuiet is the longest address in bytes that is asked for without a person seeing
// it: a longer one has room to carry contents of folders away.
const maxQuiet = 512

// pages is the part of a site that a decision about a page for longer than once is
// about: "https://example.org/docs/" for https://example.org/docs/a?b. It never has a
// query.
func pages(u *url.URL, t policy.Target) string {
	host := t.Host()
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	path := cmp.Or(u.EscapedPath(), "/")
	return u.Scheme + "://" + host + path[:strings.LastIndexByte(path, '/')+1]
}

// quiet reports whether an address says nothing but which page it is.
func quiet(u *url.URL) bool {
	return u.RawQuery == "" && !u.ForceQuery && len(u.String()) <= maxQuiet && !strings.Contains(u.Path+"/", "/../")
}

// pageRule is what was decided for longer than once about a page. A yes covers no query
// and no long address, a no covers them, and wins.
func (g *Gate) pageRule(u *url.URL, t policy.Target) (answer string) {
	own := g.asksAnew(t)
	at := pages(u, t)
	for _, r := range g.c.rules.All() {
		below, ok := strings.CutPrefix(r.Topic, topicPages)
		if !ok || r.Task != "" && r.Task != g.id || !strings.HasPrefix(at, below) {
			continue
		}
		switch {
		case r.Answer != vmhost.AnswerAllow:
			return vmhost.AnswerDeny
		case quiet(u) && !(own && r.Task == ""):
			answer = vmhost.AnswerAllow
		}
	}
	return answer
}

// RuleAbout is what was decided for longer than once about a topic, in this task
// before everywhere.
func (g *Gate) RuleAbout(topic string) (rule approval.Rule, ok bool) {
	for _, r := range g.c.rules.All() {
		if r.Topic == topic && r.Folder == "" && (r.Task == g.id || r.Task == "" && !ok) {
			rule, ok = r, true
		}
	}
	return rule, ok
}
