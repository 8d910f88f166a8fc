package provider

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"piwork/app/gateway/keys"
)

// Protocol is a family of APIs.
type Protocol string

// Protocols.
const (
	Anthropic Protocol = "anthropic"   // Messages
	OpenAI    Protocol = "openai"      // Chat Completions and Responses, and what is compatible
	Google    Protocol = "google"      // Generative Language
	Pi        Protocol = "pi-messages" // pi's own, of Radius
)

// Provider is a service.
type Provider struct {
	ID       string
	Name     string
	Protocol Protocol
	BaseURL  string   // without a slash at the end; with the version, but for Anthropic
	Builtin  bool     // pi knows its models
	Models   []string // of one that pi does not know
	Local    bool     // on this computer or its private network: without a price
	Private  bool     // http to a private address was chosen
	Reports  bool     // answers say what they cost
}

// Reserved is no provider's id: in the guest, the tools of the host have that place
// beside them.
const Reserved = "piwork"

// Builtin lists the providers that pi and the gateway know, sorted by id.
func Builtin() []Provider {
	p := func(id, name string, proto Protocol, base string) Provider {
		return Provider{ID: id, Name: name, Protocol: proto, BaseURL: base, Builtin: true}
	}
	all := []Provider{
		p("anthropic", "Anthropic", Anthropic, "https://api.anthropic.com"),
		p("cerebras", "Cerebras", OpenAI, "https://api.cerebras.ai/v1"),
		p("deepseek", "DeepSeek", OpenAI, "https://api.deepseek.com"),
		p("github-copilot", "GitHub Copilot", OpenAI, copilotBase),
		p("google", "Google Gemini", Google, "https://generativelanguage.googleapis.com/v1beta"),
		p("groq", "Groq", OpenAI, "https://api.groq.com/openai/v1"),
		p("huggingface", "Hugging Face", OpenAI, "https://router.huggingface.co/v1"),
		p("kimi-coding", "Kimi Code", OpenAI, "https://api.kimi.com/coding/v1"),
		p("meta", "Meta", OpenAI, "https://api.meta.ai/v1"),
		p("moonshotai", "Moonshot AI", OpenAI, "https://api.moonshot.ai/v1"),
		p("nvidia", "NVIDIA NIM", OpenAI, "https://integrate.api.nvidia.com/v1"),
		p("openai", "OpenAI", OpenAI, "https://api.openai.com/v1"),
		p("openai-codex", "ChatGPT (Codex)", OpenAI, "https://chatgpt.com/backend-api"),
		p("openrouter", "OpenRouter", OpenAI, "https://openrouter.ai/api/v1"),
		p(radiusID, "Radius", Pi, "https://radius.pi.dev/v1"),
		p("together", "Together AI", OpenAI, "https://api.together.ai/v1"),
		p("xai", "xAI", OpenAI, "https://api.x.ai/v1"),
	}
	for i := range all {
		all[i].Reports = all[i].ID == "openrouter" || all[i].ID == radiusID
	}
	return all
}

// logins are the providers whose logins are used as they are, with a token that
// ends. What comes of OpenRouter's is a key.
var logins = map[string]bool{"anthropic": true, "github-copilot": true, "kimi-coding": true, "meta": true, "openai": true, "openai-codex": true, radiusID: true, "xai": true}

// loginOnly are those that have no keys.
var loginOnly = map[string]bool{"github-copilot": true, "openai-codex": true}

// Named is the builtin provider of a name, if there is one.
func Named(id string) (Provider, bool) {
	i := slices.IndexFunc(Builtin(), func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return Builtin()[i], true
}

// Supported reports whether an imported credential can be used.
func Supported(id string, kind keys.Kind) bool {
	_, ok := Named(id)
	return ok && (kind == keys.KindKey && !loginOnly[id] || kind == keys.KindOAuth && logins[id])
}

// For is the provider that what is shown of a credential is for: a
// builtin one, possibly at another address, or a custom one. Errors are of
// [AddressError].
func For(i keys.Info) (Provider, error) {
	p, ok := Named(i.Provider)
	if !ok {
		p = Provider{ID: i.Provider, Name: i.Name, Protocol: Protocol(i.Protocol), Models: i.Models}
		p.Name = cmp.Or(p.Name, p.ID)
		p.Protocol = cmp.Or(p.Protocol, OpenAI)
	}
	if i.BaseURL != "" {
		p.BaseURL = i.BaseURL
		p.Reports = false // it is another service
	}
	p.Private = i.Private
	return p.Check()
}

// AddressError is a base address that is refused.
type AddressError struct {
	Provider string
	Reason   string // AddressX
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("address of provider %q: %s", e.Provider, e.Reason)
}

// Why addresses are refused.
const (
	AddressNone     = "none"     // there is none
	AddressBad      = "bad"      // it cannot be read, or has a part that does not belong there
	AddressScheme   = "scheme"   // neither https nor http
	AddressPlain    = "plain"    // http to another computer: a key would be readable on the way
	AddressProtocol = "protocol" // of no known protocol
	AddressID       = "id"       // the name of the provider
)

// Check makes the address normal and refuses one that a key must not be sent to:
// http is for this computer, and for literal private addresses by choice.
func (p Provider) Check() (Provider, error) {
	bad := func(r string) (Provider, error) { return Provider{}, &AddressError{Provider: p.ID, Reason: r} }
	if !keys.ValidID(p.ID) || p.ID == Reserved {
		return bad(AddressID)
	}
	switch p.Protocol {
	case Anthropic, OpenAI, Google, Pi:
	default:
		return bad(AddressProtocol)
	}
	if p.BaseURL == "" {
		return bad(AddressNone)
	}
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" ||
		strings.ContainsAny(u.EscapedPath(), "%\\") || strings.Contains(u.Path, "//") || strings.Contains(u.Path, "/.") {
		return bad(AddressBad)
	}
	loop, private := place(u.Hostname())
	p.Local = loop || private
	switch u.Scheme {
	case "https":
	case "http":
		if !loop && (!private || !p.Private) {
			return bad(AddressPlain)
		}
	default:
		return bad(AddressScheme)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.Host = strings.ToLower(u.Host)
	p.BaseURL = u.String()
	return p, nil
}

// place says whether a host is this computer, or an address of a private
// network. A name is not looked up: what it points to can change.
func place(host string) (loop, private bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true, false
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return false, false
	}
	a = a.Unmap()
	return a.IsLoopback(), a.IsPrivate()
}
