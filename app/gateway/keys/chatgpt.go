package keys

import (
	"errors"

	"github.com/google/uuid"
)

// chatGPT is "Sign in with ChatGPT" for OpenAI's own API, as pi makes it: the login
// registers a client of its own, whose tokens are good for answers (Responses).
func chatGPT() Endpoint {
	const api, direct = "https://api.openai.com/v1", "chatgpt.tokens.use.direct"
	return Endpoint{
		AuthorizeURL: "https://auth.openai.com/api/accounts/authorize",
		TokenURL:     "https://auth.openai.com/api/accounts/oauth/token",
		ClientID:     "dynamic_agent_client",
		RedirectURL:  "http://127.0.0.1:1455/auth/callback",
		Scopes:       "openid profile email offline_access resource.invoke " + direct,
		Scope:        direct,
		Params:       map[string]string{"resource": api, "agent_name_hint": "piwork"},
		Always:       map[string]string{"resource": api},
		Form:         true,
		Flow:         FlowLoopback,
		Registers:    true,
	}
}

// host is the name of this computer at providers that list who is signed in.
func (s *Source) host() (string, error) {
	if s.Host == nil {
		return "", errors.New("it has no name")
	}
	name, err := s.Host()
	if err != nil {
		return "", err
	}
	id, err := uuid.Parse(name)
	if err != nil {
		return "", err
	}
	return id.URN(), nil
}
