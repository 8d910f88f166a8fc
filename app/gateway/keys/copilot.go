package keys

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
)

// CopilotHeader is what GitHub Copilot wants to be told of a client, as pi tells it.
func CopilotHeader() map[string]string {
	return map[string]string{
		"User-Agent":             "GitHubCopilotChat/0.35.0",
		"Editor-Version":         "vscode/1.107.0",
		"Editor-Plugin-Version":  "copilot-chat/0.35.0",
		"Copilot-Integration-Id": "vscode-chat",
	}
}

// copilot is GitHub's login, of which tokens of Copilot are made. They end within
// the hour. domain is a company's own GitHub, "" the one of everybody.
func copilot(domain string) Endpoint {
	at := cmp.Or(domain, "github.com")
	return Endpoint{
		DeviceFlow: DeviceFlow{DeviceURL: "https://" + at + "/login/device/code"},
		TokenURL:   "https://" + at + "/login/oauth/access_token",
		ClientID:   "Iv1.b507a08c87ecfe98",
		Scopes:     "read:user",
		Form:       true,
		Flow:       FlowDevice,
		Header:     map[string]string{"User-Agent": CopilotHeader()["User-Agent"]},
		Exchange: &Exchange{
			Method: http.MethodGet, URL: "https://api." + at + "/copilot_internal/v2/token",
			Header: CopilotHeader(), Read: readCopilot(domain),
		},
		At: copilot,
	}
}

var company = lazyregexp.New(`^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.ghe\.com$`)

// companyDomain reads the domain of a company's own GitHub, or its address. It is one
// of GitHub's names and nothing else: no other computer is asked, none of this network,
// and none without TLS.
func companyDomain(text string) (domain string, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if rest, is := strings.CutPrefix(text, "https://"); is {
		text = strings.TrimSuffix(rest, "/")
	}
	return text, company().MatchString(text)
}

// copilotEarly is how long before its end a token is not used any more, as in pi.
const copilotEarly = 5 * time.Minute

func readCopilot(domain string) func([]byte, time.Time) (string, time.Time, bool) {
	return func(data []byte, _ time.Time) (token string, ends time.Time, ok bool) {
		var a struct {
			Token   string  `json:"token"`
			Expires float64 `json:"expires_at"` // seconds since 1970
		}
		if json.Unmarshal(data, &a) != nil || !(a.Expires > 0 && a.Expires < 1<<40) {
			return "", time.Time{}, false
		}
		_, ok = CopilotAPI(a.Token, domain)
		return a.Token, time.Unix(int64(a.Expires), 0).Add(-copilotEarly), ok
	}
}

var copilotHost = lazyregexp.New(`^proxy\.((?:[a-z0-9-]+\.){1,4}githubcopilot\.com)$`)

var copilotLabels = lazyregexp.New(`^(?:[a-z0-9-]+\.){1,4}$`)

// CopilotAPI is the base address that a token of Copilot is for: the token names it
// (proxy-ep), or it is the usual one of domain, a company's own GitHub, or of
// everybody. One that names a place that is not Copilot's, nor the company's, is not
// ok: the token would be sent there.
func CopilotAPI(token, domain string) (base string, ok bool) {
	base = "https://api.individual.githubcopilot.com"
	if domain != "" {
		base = "https://copilot-api." + domain
	}
	named := 0
	for part := range strings.SplitSeq(token, ";") {
		host, is := strings.CutPrefix(part, "proxy-ep=")
		if !is {
			continue
		}
		if named++; named > 1 {
			return "", false
		}
		if labels, is := strings.CutSuffix(host, domain); domain != "" && is && copilotLabels().MatchString(labels) {
			if rest, is := strings.CutPrefix(host, "proxy."); is {
				host = "api." + rest
			}
			base = "https://" + host
			continue
		}
		m := copilotHost().FindStringSubmatch(host)
		if m == nil {
			return "", false
		}
		base = "https://api." + m[1]
	}
	return base, true
}

var companyAPI = lazyregexp.New(`^https://(?:[a-z0-9-]+\.){2,5}ghe\.com$`)

// IsCopilotAPI reports whether a base address is one that a token of Copilot may name.
func IsCopilotAPI(base string) bool {
	rest, is := strings.CutPrefix(base, "https://api.")
	_, ok := CopilotAPI("proxy-ep=proxy."+rest, "")
	return is && ok || companyAPI().MatchString(base)
}
