package provider

import (
	"net/http"
	"strings"

	"piwork/app/gateway/keys"
)

// oauthBeta is what Anthropic wants beside a login's token.
const oauthBeta = "oauth-2025-04-20"

// version is Anthropic's, for requests of the gateway's own.
const version = "2023-06-01"

// Login reports whether a credential is a login's token of Anthropic's, which
// is sent, and used by pi, in another way than a key.
func Login(p Protocol, c keys.Credential) bool {
	return p == Anthropic && (c.Kind == keys.KindOAuth || strings.HasPrefix(c.Key.Reveal(), "sk-ant-oat"))
}

// Sign puts a credential into the header of a request, in the provider's way.
// h must hold no other: see [RequestHeader].
func Sign(p Protocol, h http.Header, c keys.Credential) {
	if c.Kind == keys.KindNone || c.Token().IsZero() {
		return
	}
	token := c.Token().Reveal()
	switch {
	case Login(p, c):
		h.Set("Authorization", "Bearer "+token)
		if all := h.Values("Anthropic-Beta"); !strings.Contains(strings.Join(all, ","), oauthBeta) {
			h.Set("Anthropic-Beta", strings.Join(append(all, oauthBeta), ","))
		}
	case p == Anthropic:
		h.Set("X-Api-Key", token)
	case p == Google:
		h.Set("X-Goog-Api-Key", token)
	default:
		h.Set("Authorization", "Bearer "+token)
	}
}

// requestHeaders are those of the guest's that go on to a provider: what a model
// needs, and what clients tell of themselves. Everything else stays behind:
// every way to sign in, to choose an account, to speak of hops.
var requestHeaders = map[string]bool{
	"Accept": true, "Accept-Language": true, "Content-Type": true, "User-Agent": true, "Idempotency-Key": true,
	"Anthropic-Version": true, "Anthropic-Beta": true, "Anthropic-Dangerous-Direct-Browser-Access": true, "X-App": true,
	"Openai-Beta": true, "Http-Referer": true, "X-Title": true, "X-Openrouter-Title": true, "X-Openrouter-Categories": true,
	"Session_id": true, "Session-Id": true, "X-Session-Id": true, "X-Client-Request-Id": true, "X-Session-Affinity": true,
	"X-Goog-Api-Client": true, "X-Server-Timeout": true,
}

// maxValues bounds the values of one header.
const maxValues = 8

// RequestHeader is what of a guest's header goes on to the provider.
func RequestHeader(in http.Header) http.Header {
	out := http.Header{}
	for k, v := range in {
		if requestHeaders[k] || strings.HasPrefix(k, "X-Stainless-") {
			out[k] = append([]string(nil), v[:min(len(v), maxValues)]...)
		}
	}
	if out.Get("User-Agent") == "" {
		out.Set("User-Agent", "piwork")
	}
	return out
}

// responseHeaders are those of a provider's answer that go on to the guest.
var responseHeaders = map[string]bool{
	"Content-Type": true, "Content-Language": true, "Date": true, "Cache-Control": true,
	"Request-Id": true, "X-Request-Id": true, "X-Should-Retry": true, "Retry-After": true, "Retry-After-Ms": true,
	"Openai-Processing-Ms": true, "Openai-Version": true, "Openai-Model": true, "X-Generation-Id": true,
}

// ResponseHeader is what of a provider's header goes on to the guest: no
// cookies, no addresses, nothing of the connection.
func ResponseHeader(in http.Header) http.Header {
	out := http.Header{}
	for k, v := range in {
		if responseHeaders[k] || strings.HasPrefix(k, "Anthropic-Ratelimit-") || strings.HasPrefix(k, "X-Ratelimit-") {
			out[k] = append([]string(nil), v[:min(len(v), maxValues)]...)
		}
	}
	return out
}

// ModelsRequest asks which models there are: the cheapest question that needs a
// key. With test it is one that needs a key with every provider.
func ModelsRequest(p Provider, test bool) (Operation, http.Header) {
	h := http.Header{"User-Agent": {"piwork"}, "Accept": {"application/json"}}
	op := Operation{Provider: p.ID, Protocol: p.Protocol, Method: http.MethodGet, Path: "/models"}
	switch {
	case p.Protocol == Anthropic:
		op.Path = "/v1/models"
		h.Set("Anthropic-Version", version)
	case p.Protocol == Pi:
		op.Path = "/config"
	case test && p.ID == "openrouter":
		op.Path = "/key" // its list of models is for everybody
	case p.ID == copilotID:
		h.Set("X-Github-Api-Version", copilotVersion)
	}
	return op, h
}
