package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"piwork/app/gateway/keys"
)

// Copilot serves models of several makers, each by its own protocol, at an address
// that its token names.
const (
	copilotID   = "github-copilot"
	copilotBase = "https://api.individual.githubcopilot.com"

	copilotVersion = "2026-06-01" // of its list of models
)

// Of is the provider that a credential is for; see [For]. A token of Copilot names
// the address that it is for.
func Of(c keys.Credential) (Provider, error) {
	p, err := For(c.Info(""))
	if err != nil || p.ID != copilotID || c.BaseURL != "" {
		return p, err
	}
	base, ok := keys.CopilotAPI(c.Token().Reveal(), c.Domain)
	if !ok {
		return Provider{}, &AddressError{Provider: p.ID, Reason: AddressBad}
	}
	p.BaseURL = base
	return p.Check()
}

// copilotWishes are what a client says of a question to Copilot, and the values that
// go on: who asked (which is what it counts), what for, and that there are pictures.
var copilotWishes = map[string][]string{
	"X-Initiator":            {"user", "agent"},
	"Openai-Intent":          {"conversation-edits"},
	"Copilot-Vision-Request": {"true"},
}

// HasTerms reports whether a provider has models whose terms are to be agreed to
// first.
func HasTerms(p Provider) bool { return p.ID == copilotID && Own(p) }

// LoginAgrees reports whether a login of a provider comes with agreeing to the terms
// of its models ([HasTerms]): the person is told before.
func LoginAgrees(id string) bool { return id == copilotID }

// copilotModels bounds what is read of a list.
const copilotModels = 256

// CopilotModels reads Copilot's list of models: those that the account may use, and
// those that it may after their terms were agreed to (their policy). For the plan of
// one person none may be offered for choosing before that. Errors: it is no list.
func CopilotModels(p Provider, data []byte) (offered, terms []string, err error) {
	var l struct {
		Data *[]struct {
			ID     string `json:"id"`
			Picker bool   `json:"model_picker_enabled"`
			Policy struct {
				State string `json:"state"`
			} `json:"policy"`
			Capabilities struct {
				Supports struct {
					Tools *bool `json:"tool_calls"`
				} `json:"supports"`
			} `json:"capabilities"`
		} `json:"data"`
	}
	if json.Unmarshal(data, &l) != nil || l.Data == nil {
		return nil, nil, errors.New("not a list of models")
	}
	var enabled, picker, unset, unsetPicker []string
	for _, m := range (*l.Data)[:min(len(*l.Data), copilotModels)] {
		if !plainModel(m.ID) || m.Capabilities.Supports.Tools != nil && !*m.Capabilities.Supports.Tools {
			continue
		}
		if m.Picker && m.Policy.State != "disabled" {
			picker = append(picker, m.ID)
		}
		switch m.Policy.State {
		case "enabled":
			enabled = append(enabled, m.ID)
		case "unconfigured":
			unset = append(unset, m.ID)
			if m.Picker {
				unsetPicker = append(unsetPicker, m.ID)
			}
		}
	}
	if len(picker) == 0 && p.BaseURL == copilotBase {
		return enabled, unset, nil
	}
	return picker, unsetPicker, nil
}

// plainModel reports whether an id can be part of a path.
func plainModel(id string) bool {
	if id == "" || len(id) > 100 || strings.Contains(id, "..") {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// CopilotTerms asks Copilot to let the account use a model.
func CopilotTerms(model string) (Operation, http.Header) {
	return Operation{Provider: copilotID, Protocol: OpenAI, Method: http.MethodPost, Path: "/models/" + model + "/policy"},
		http.Header{"Content-Type": {"application/json"}, "Openai-Intent": {"chat-policy"}, "X-Interaction-Type": {"chat-policy"}}
}
