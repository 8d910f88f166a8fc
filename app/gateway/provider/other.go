package provider

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Context and answer that AI programs other than pi are told of where nobody knows better, in
// tokens. Of an answer they ask for as much as they are told of, and services refuse more than they
// can give.
const (
	otherContext = 128 << 10
	otherAnswer  = 8 << 10
)

// Plain reports whether an AI program other than pi can use a provider: it needs no more than an
// address and a key. Subscriptions want requests that are made as their own programs make them.
func Plain(p PiProvider) bool {
	return !p.Login && p.Protocol != Pi && p.ID != codexID && p.ID != copilotID
}

// library is the part of the AI SDK (https://ai-sdk.dev) that speaks a provider's protocol.
func library(p Provider) string {
	switch {
	case p.Protocol == Anthropic:
		return "@ai-sdk/anthropic"
	case p.Protocol == Google:
		return "@ai-sdk/google"
	case p.ID == openaiID && p.Builtin:
		return "@ai-sdk/openai"
	}
	return "@ai-sdk/openai-compatible"
}

// OtherModels describes providers and the models of named, whose ids are "<provider>/<model>", as
// opencode's settings have them (https://opencode.ai/config.json, provider). Each is called by
// prefix and its id, has the gateway's address and a worthless key. A provider that is not [Plain],
// or of which no model is named, is left out.
func OtherModels(gateway, prefix string, all []PiProvider, named ...Model) ([]byte, error) {
	type limit struct {
		Context int64 `json:"context"`
		Output  int64 `json:"output"`
	}
	type modalities struct {
		Input  []string `json:"input"`
		Output []string `json:"output"`
	}
	type model struct {
		Name       string      `json:"name"`
		ToolCall   bool        `json:"tool_call"`
		Attachment bool        `json:"attachment"`
		Modalities *modalities `json:"modalities,omitempty"`
		Limit      limit       `json:"limit"`
	}
	type entry struct {
		Name    string            `json:"name"`
		NPM     string            `json:"npm"`
		Options map[string]string `json:"options"`
		Models  map[string]model  `json:"models"`
	}
	out := map[string]entry{}
	for _, p := range all {
		if !Plain(p) {
			continue
		}
		url := GuestURL(gateway, p.Provider)
		if p.Protocol == Anthropic {
			url += "/v1" // its library wants the version there, pi's does not
		}
		e := entry{Name: p.Name, NPM: library(p.Provider), Options: map[string]string{"baseURL": url, "apiKey": dummyKey}, Models: map[string]model{}}
		for _, n := range named {
			id, ok := strings.CutPrefix(n.ID, p.ID+"/")
			if !ok || id == "" {
				continue
			}
			a := n.Able.Or(catalogue()[n.ID])
			m := model{Name: id, ToolCall: true, Limit: limit{Context: otherContext, Output: otherAnswer}}
			if a.Context > 0 {
				m.Limit = limit{Context: a.Context, Output: min(otherAnswer, a.Context/4)}
			}
			if a.Images != nil && *a.Images {
				m.Attachment, m.Modalities = true, &modalities{Input: []string{"text", "image"}, Output: []string{"text"}}
			}
			e.Models[id] = m
		}
		if len(e.Models) == 0 {
			continue
		}
		if _, twice := out[prefix+p.ID]; twice {
			return nil, fmt.Errorf("provider %q is there twice", p.ID)
		}
		out[prefix+p.ID] = e
	}
	return json.MarshalIndent(out, "", "  ")
}
