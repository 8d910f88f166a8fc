package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Keys that pi is given. They are worth nothing: the gateway puts the real ones
// in. The second makes pi speak to Anthropic as a login has to.
const (
	dummyKey   = "piwork-worthless"
	dummyLogin = "sk-ant-oat01-piwork-worthless"
)

// minContext is the smallest context that pi is told of, in tokens. It keeps 16384
// free for the answer, and would summarise without end in one not much larger; in a
// small one it does so when the service says that it is full.
const minContext = 32 << 10

// PiProvider is a provider that pi is told about.
type PiProvider struct {
	Provider
	Login bool // it is signed in to with a login of Anthropic's
}

// GuestURL is the base address of a provider as a client in the guest needs it.
// gateway is the address there, "127.0.0.1:8377".
func GuestURL(gateway string, p Provider) string {
	base := "http://" + gateway + "/" + p.ID
	switch p.Protocol {
	case OpenAI, Pi:
		return base + "/v1"
	case Google:
		return base + "/v1beta"
	}
	return base
}

// PiModels is the content of pi's models.json (as documented in the package's
// docs/models.md): providers that pi knows get another address and a worthless
// key, custom ones are described with their models, and those of named, whose ids are
// "<provider>/<model>", as far as pi does not know them ([Described]). Of a model that
// is described pi believes that it neither thinks nor looks at pictures unless it says
// so; pictures stay behind then.
func PiModels(gateway string, all []PiProvider, named ...Model) ([]byte, error) {
	type model struct {
		ID      string   `json:"id"`
		Input   []string `json:"input,omitempty"`
		Context int64    `json:"contextWindow,omitempty"`
		thinking
	}
	type entry struct {
		Name    string         `json:"name,omitempty"`
		BaseURL string         `json:"baseUrl"`
		APIKey  string         `json:"apiKey"`
		API     string         `json:"api,omitempty"`
		Compat  map[string]any `json:"compat,omitempty"`
		Models  []model        `json:"models,omitempty"`
	}
	out := map[string]entry{}
	for _, p := range all {
		if _, twice := out[p.ID]; twice {
			return nil, fmt.Errorf("models of pi: provider %q is there twice", p.ID)
		}
		e := entry{BaseURL: GuestURL(gateway, p.Provider), APIKey: dummyKey}
		switch {
		case p.Login:
			e.APIKey = dummyLogin
		case p.ID == codexID && p.Builtin:
			e.APIKey = dummyCodex
		}
		if !p.Builtin {
			e.Name = p.Name
		}
		if Asked(p.Provider) {
			switch p.Protocol {
			case Anthropic:
				e.API = "anthropic-messages"
			case Google:
				e.API = "google-generative-ai"
			case Pi:
				e.API = string(Pi)
			default:
				e.API = "openai-completions"
				// What every compatible server understands.
				e.Compat = map[string]any{"supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": false, "maxTokensField": "max_tokens"}
			}
			ids := slices.Clone(p.Models)
			able := map[string]Able{}
			for _, n := range named {
				id, ok := strings.CutPrefix(n.ID, p.ID+"/")
				if !ok || id == "" {
					continue
				}
				able[id] = able[id].Or(n.Able)
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			ids = slices.DeleteFunc(ids, func(id string) bool { return !Described(p.Provider, id) })
			if len(ids) == 0 && !p.Builtin {
				continue // pi refuses a custom provider without models, and with it the whole file
			}
			for _, id := range ids {
				a := able[id]
				m := model{ID: id, thinking: howThinks(p.Protocol, id, a.Thinks)}
				if a.Images != nil && *a.Images {
					m.Input = []string{"text", "image"}
				}
				if a.Context >= minContext {
					m.Context = a.Context
				}
				e.Models = append(e.Models, m)
			}
		}
		out[p.ID] = e
	}
	return json.MarshalIndent(map[string]any{"providers": out}, "", "  ")
}
