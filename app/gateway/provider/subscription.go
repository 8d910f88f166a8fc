package provider

import (
	"net/http"
	"slices"

	"piwork/app/gateway/keys"
)

// Own reports whether p is at its service's own address, where its prices hold.
func Own(p Provider) bool {
	return slices.ContainsFunc(Builtin(), func(own Provider) bool {
		return own.ID == p.ID && (own.BaseURL == p.BaseURL || p.ID == copilotID && isCopilot(p.BaseURL))
	})
}

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
func Introduce(p Provider, h http.Header, _ keys.Credential) {
	if p.ID == copilotID {
		for k, v := range keys.CopilotHeader() {
			h.Set(k, v)
		}
	}
}
