package keys

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// codex is the login of OpenAI's subscriptions (ChatGPT), as Codex and pi make it. The
// client takes one address to come back to.
func codex() Endpoint {
	return Endpoint{
		AuthorizeURL: "https://auth.openai.com/oauth/authorize",
		TokenURL:     "https://auth.openai.com/oauth/token",
		ClientID:     "app_EMoamEEZ73f0CkXaXp7hrann",
		RedirectURL:  "http://localhost:1455/auth/callback",
		Scopes:       "openid profile email offline_access",
		Params:       map[string]string{"id_token_add_organizations": "true", "codex_cli_simplified_flow": "true", "originator": "pi"},
		Form:         true,
		Flow:         FlowLoopback,
		Account:      true,
		Device: &Endpoint{
			DeviceFlow: DeviceFlow{
				DeviceURL: "https://auth.openai.com/api/accounts/deviceauth/usercode",
				CodeURL:   "https://auth.openai.com/api/accounts/deviceauth/token",
				PageURL:   "https://auth.openai.com/codex/device",
			},
			RedirectURL: "https://auth.openai.com/deviceauth/callback",
			ClientID:    "app_EMoamEEZ73f0CkXaXp7hrann",
			Flow:        FlowDevice,
		},
	}
}

// maxAccount bounds the name of an account.
const maxAccount = 128

// Account is the account of ChatGPT that an access token says it is of, "" for none.
// The token is a JWT; its signature is for its readers at OpenAI to check, the name
// only goes back to them beside it.
func (c Credential) Account() string {
	parts := strings.Split(c.Access.Reveal(), ".")
	if len(parts) != 3 {
		return ""
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Auth struct {
			Account string `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
	}
	if json.Unmarshal(data, &claims) != nil {
		return ""
	}
	id := claims.Auth.Account
	if len(id) > maxAccount || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "" // it would end or change a header
	}
	return id
}
