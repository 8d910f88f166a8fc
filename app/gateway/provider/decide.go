package provider

import (
	"net/http"
	"strings"

	"piwork/app/gateway/keys"
)

// Operation is one thing that may be asked of a provider.
type Operation struct {
	Provider string   // its id, from the path
	Protocol Protocol // of question and answer; signing in is the provider's
	Method   string
	Path     string // behind the provider's base address
	Model    string // of an operation whose path names it
	Meters   bool   // costs money
	Usage    bool   // streamed answers say what they used only when asked to (stream_options)
	Query    []string
}

// RefusedError is a request that is none of the list.
type RefusedError struct {
	Reason string // "path", "method", "provider"
}

func (e *RefusedError) Error() string { return "refused: " + e.Reason }

// route is one operation of a protocol, at the path the guest uses.
type route struct {
	method, path, up string
	meters, usage    bool
	query            []string
}

// routes are the lists. In the guest the version is always in the path.
var routes = map[Protocol][]route{
	Anthropic: {
		{method: http.MethodPost, path: "/v1/messages", up: "/v1/messages", meters: true, query: []string{"beta"}},
		{method: http.MethodPost, path: "/v1/messages/count_tokens", up: "/v1/messages/count_tokens", query: []string{"beta"}},
		{method: http.MethodGet, path: "/v1/models", up: "/v1/models", query: []string{"limit", "after_id", "before_id", "beta"}},
	},
	OpenAI: {
		{method: http.MethodPost, path: "/v1/chat/completions", up: "/chat/completions", meters: true, usage: true},
		{method: http.MethodPost, path: "/v1/responses", up: "/responses", meters: true},
		{method: http.MethodGet, path: "/v1/models", up: "/models"},
		{method: http.MethodGet, path: "/v1/models/user", up: "/models/user"}, // OpenRouter: those the key may use
	},
	Pi: {
		{method: http.MethodPost, path: "/v1/messages", up: "/messages", meters: true},
	},
	Google: {
		{method: http.MethodGet, path: "/v1beta/models", up: "/models", query: []string{"pageSize", "pageToken"}},
	},
}

// instead are those of single providers that have none of their protocol's. ChatGPT
// has one, and says which models there are only in pi.
var instead = map[string][]route{
	codexID: {{method: http.MethodPost, path: "/v1/codex/responses", up: "/codex/responses", meters: true}},
}

// more are operations of single providers, which speak another protocol, too. pi
// has one address for all models of a provider, so that the version is there
// twice (OpenRouter's Claude models are asked by Anthropic's protocol).
var more = map[string]map[string]Operation{
	"github-copilot": {
		"/v1/v1/messages": {Protocol: Anthropic, Method: http.MethodPost, Path: "/v1/messages", Meters: true, Query: []string{"beta"}},
	},
	"openrouter": {
		"/v1/v1/messages": {Protocol: Anthropic, Method: http.MethodPost, Path: "/messages", Meters: true, Query: []string{"beta"}},
	},
}

// googleVerbs are what may be done with a model of Google's.
var googleVerbs = map[string]bool{"generateContent": true, "streamGenerateContent": true, "countTokens": false}

// Split takes the provider's id off the path of a request from the guest. The
// path is as it came, still encoded. Whatever could mean another path to somebody
// further on is refused instead of cleaned: a percent sign, a backslash, an empty
// or dotted segment.
func Split(path string) (id, rest string, err error) {
	if len(path) > 512 || !strings.HasPrefix(path, "/") {
		return "", "", &RefusedError{Reason: "path"}
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/-._:@~", c) >= 0:
		default:
			return "", "", &RefusedError{Reason: "path"}
		}
	}
	for s := range strings.SplitSeq(path[1:], "/") {
		if s == "" || s == "." || s == ".." {
			return "", "", &RefusedError{Reason: "path"}
		}
	}
	id, rest, ok := strings.Cut(path[1:], "/")
	if !ok || !keys.ValidID(id) {
		return "", "", &RefusedError{Reason: "path"}
	}
	return id, "/" + rest, nil
}

// Decide says which operation of a provider a request asks for. rest is the path
// behind the provider's id, as [Split] gave it.
func Decide(p Provider, method, rest string) (Operation, error) {
	op := Operation{Provider: p.ID, Protocol: p.Protocol, Method: method}
	known := false
	list := routes[p.Protocol]
	if l, ok := instead[p.ID]; ok && p.Builtin {
		list = l
	}
	for _, r := range list {
		if r.path != rest {
			continue
		}
		known = true
		if r.method == method {
			op.Path, op.Meters, op.Usage, op.Query = r.up, r.meters, r.usage, r.query
			return op, nil
		}
	}
	if op, ok := more[p.ID][rest]; ok && p.Builtin {
		if op.Method != method {
			return Operation{}, &RefusedError{Reason: "method"}
		}
		op.Provider = p.ID
		return op, nil
	}
	if p.Protocol == Google {
		if name, ok := strings.CutPrefix(rest, "/v1beta/models/"); ok && !strings.Contains(name, "/") {
			model, verb, ok := strings.Cut(name, ":")
			if meters, is := googleVerbs[verb]; ok && is && model != "" {
				if method != http.MethodPost {
					return Operation{}, &RefusedError{Reason: "method"}
				}
				op.Path, op.Model, op.Meters, op.Query = "/models/"+name, model, meters, []string{"alt"}
				return op, nil
			}
		}
	}
	if known {
		return Operation{}, &RefusedError{Reason: "method"}
	}
	return Operation{}, &RefusedError{Reason: "path"}
}
