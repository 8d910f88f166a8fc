package keys

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"
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
// the hour.
func copilot() Endpoint {
	return Endpoint{
		DeviceURL: "https://github.com/login/device/code",
		TokenURL:  "https://github.com/login/oauth/access_token",
		ClientID:  "Iv1.b507a08c87ecfe98",
		Scopes:    "read:user",
		Form:      true,
		Flow:      FlowDevice,
		Header:    map[string]string{"User-Agent": CopilotHeader()["User-Agent"]},
		Exchange: &Exchange{
			Method: http.MethodGet, URL: "https://api.github.com/copilot_internal/v2/token",
			Header: CopilotHeader(), Read: readCopilot,
		},
	}
}

// copilotEarly is how long before its end a token is not used any more, as in pi.
const copilotEarly = 5 * time.Minute

func readCopilot(data []byte, _ time.Time) (token string, ends time.Time, ok bool) {
	var a struct {
		Token   string  `json:"token"`
		Expires float64 `json:"expires_at"` // seconds since 1970
	}
	if json.Unmarshal(data, &a) != nil || !(a.Expires > 0 && a.Expires < 1<<40) {
		return "", time.Time{}, false
	}
	_, ok = CopilotAPI(a.Token)
	return a.Token, time.Unix(int64(a.Expires), 0).Add(-copilotEarly), ok
}

var copilotHost = regexp.MustCompile(`^proxy\.((?:[a-z0-9-]+\.){1,4}githubcopilot\.com)$`)

// CopilotAPI is the base address that a token of Copilot is for: the token names it
// (proxy-ep). One that names a place that is not Copilot's is not ok: the token would
// be sent there.
func CopilotAPI(token string) (base string, ok bool) {
	base = "https://api.individual.githubcopilot.com"
	named := 0
	for part := range strings.SplitSeq(token, ";") {
		host, is := strings.CutPrefix(part, "proxy-ep=")
		if !is {
			continue
		}
		m := copilotHost.FindStringSubmatch(host)
		if named++; m == nil || named > 1 {
			return "", false
		}
		base = "https://api." + m[1]
	}
	return base, true
}
