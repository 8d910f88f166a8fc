package provider

import (
	"encoding/base64"
	"net/http"
	"slices"

	"piwork/app/gateway/keys"
)

// codexID is OpenAI's subscriptions: a protocol of OpenAI's own at an address of
// ChatGPT's.
const codexID = "openai-codex"

// metaID is Meta's models, with a key or a subscription.
const metaID = "meta"

// openaiID is OpenAI's own models. What comes of "Sign in with ChatGPT" is good for
// answers there only, not for the list of models.
const openaiID = "openai"

// dummyCodex is the worthless key that pi takes for a login of ChatGPT's: it looks for
// the account in it.
var dummyCodex = func() string {
	part := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"none"}`) + "." + part(`{"https://api.openai.com/auth":{"chatgpt_account_id":"`+dummyKey+`"}}`) + ".worthless"
}()

// Own reports whether p is at its service's own address, where its prices hold.
func Own(p Provider) bool {
	return slices.ContainsFunc(Builtin(), func(own Provider) bool {
		return own.ID == p.ID && (own.BaseURL == p.BaseURL || p.ID == copilotID && keys.IsCopilotAPI(p.BaseURL))
	})
}

// Listed reports whether a provider says which models there are for a credential. Of
// the others pi knows it, and whether a login holds shows when it is renewed.
func Listed(p Provider, c keys.Credential) bool {
	return c.Kind != keys.KindOAuth || p.ID != codexID && p.ID != metaID && p.ID != openaiID
}

// Compresses reports whether pi compresses what it asks a provider.
func Compresses(p Provider) bool { return p.ID == codexID }

// Wishes puts into h what of a guest's header goes on to this provider only.
func Wishes(p Provider, guest, h http.Header) {
	if p.ID != copilotID {
		return
	}
	for k, values := range copilotWishes {
		if v := guest.Get(k); slices.Contains(values, v) {
			h.Set(k, v)
		}
	}
}

// Introduce puts into the header of a request what a provider wants to be told of who
// asks, besides what signs in ([Sign]).
func Introduce(p Provider, h http.Header, c keys.Credential) {
	switch p.ID {
	case copilotID:
		for k, v := range keys.CopilotHeader() {
			h.Set(k, v)
		}
	case codexID:
		h.Set("Originator", "pi")
		if a := c.Account(); a != "" {
			h.Set("Chatgpt-Account-Id", a)
		}
	}
}
