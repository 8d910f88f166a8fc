package keys

import (
	"context"
	"fmt"
	"net/http"
)

// radius is the login of Radius, the service of pi's makers, as pi makes it. The
// service says where its page is; the client takes one address to come back to.
func radius() Endpoint {
	const at, client, scopes = "https://radius.pi.dev/v1/oauth", "pi-gateway", "gateway offline_access"
	return Endpoint{
		FindURL:     at,
		TokenURL:    at + "/token",
		ClientID:    client,
		RedirectURL: "http://127.0.0.1:1456/oauth/callback",
		Scopes:      scopes,
		Params:      map[string]string{"handoff": "url"},
		Form:        true,
		Flow:        FlowLoopback,
		Device: &Endpoint{
			DeviceFlow: DeviceFlow{DeviceURL: at + "/device"},
			ClientID:   client,
			Scopes:     scopes,
			Form:       true,
			Flow:       FlowDevice,
		},
	}
}

// findPage asks a provider where a person signs in. What its address asks for is this
// program's to say, and left out of it.
func (s *Source) findPage(ctx context.Context, provider string, e Endpoint) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.FindURL, nil)
	if err != nil {
		return "", fmt.Errorf("login of %s: the address of its page cannot be asked for", provider)
	}
	r.Header.Set("Accept", "application/json")
	var a struct {
		Page string `json:"authorizationEndpoint"`
	}
	if err := s.send(provider, r, &a); err != nil {
		return "", err
	}
	u, ok := webPage(a.Page)
	if !ok {
		return "", &LoginError{provider, LoginAnswer}
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	return u.String(), nil
}
