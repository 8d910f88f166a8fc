package consent

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"piwork/app/approval"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
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
	p := cmp.Or(u.EscapedPath(), "/")
	return site(u, t) + p[:strings.LastIndexByte(p, '/')+1]
}

// site is how the addresses of all pages of a host begin. The port that is meant without one
// is left out.
func site(u *url.URL, t policy.Target) string {
	host := t.Host()
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		host = "[" + host + "]"
	}
	if usual := map[string]uint16{"http": 80, "https": 443}; t.Port != usual[u.Scheme] {
		host += ":" + strconv.Itoa(int(t.Port))
	}
	return u.Scheme + "://" + host
}

// folder is where a host may find a page, however its path is spelled: "/docs/" for
// /%64ocs//x/../a.
func folder(u *url.URL) string {
	p := cmp.Or(u.Path, "/")
	return strings.TrimSuffix(path.Clean("/"+p[:strings.LastIndexByte(p, '/')+1]), "/") + "/"
}

// refuses reports whether a no to pages below an address is about a page.
func refuses(below string, u *url.URL, t policy.Target) bool {
	if strings.HasPrefix(pages(u, t), below) {
		return true
	}
	b, err := url.Parse(below)
	if err != nil {
		return false
	}
	of, err := targetOf(b) // rules of before may name the usual port
	return err == nil && strings.HasPrefix(site(u, t)+folder(u), site(b, of)+folder(b))
}

// quiet reports whether an address says nothing but which page it is, in the one way in
// which that is said.
func quiet(u *url.URL) bool {
	p := u.Path + "/"
	return u.RawQuery == "" && !u.ForceQuery && spelledPlainly(u) && len(u.String()) <= maxQuiet &&
		!strings.Contains(p, "/../") && !strings.Contains(p, "/./") && !strings.Contains(u.Path, "//")
}

// spelledPlainly reports whether nothing in a path is escaped that could stand there as it is:
// %64ocs for docs. Some signs may be written in either way.
func spelledPlainly(u *url.URL) bool {
	var as strings.Builder // as package url writes it
	for i, raw := 0, u.RawPath; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '%' && i+2 < len(raw):
			as.WriteString(strings.ToUpper(raw[i : i+3]))
			i += 2
		case c >= utf8.RuneSelf || strings.IndexByte("!'()*[]", c) >= 0:
			fmt.Fprintf(&as, "%%%02X", c)
		default:
			as.WriteByte(c)
		}
	}
	return u.RawPath == "" || as.String() == (&url.URL{Path: u.Path}).EscapedPath()
}

// pageRule is what was decided for longer than once about a page. A yes covers no query
// and no long address, a no covers them, and wins.
func (g *Gate) pageRule(u *url.URL, t policy.Target) (answer string) {
	own := g.asksAnew(t)
	at := pages(u, t)
	for _, r := range g.c.rules.All() {
		below, ok := strings.CutPrefix(r.Topic, topicPages)
		if !ok || r.Task != "" && r.Task != g.id {
			continue
		}
		switch {
		case r.Answer != vmhost.AnswerAllow:
			if refuses(below, u, t) {
				return vmhost.AnswerDeny
			}
		case strings.HasPrefix(at, below) && quiet(u) && !(own && r.Task == ""):
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
