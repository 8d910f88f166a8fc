package mcpservers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"piwork/app/gateway/keys"
)

// registered is as what the person registered piwork where one signs in; nil: piwork does that
// itself.
func (s *Servers) registered(ctx context.Context, v Server, hidden *secrets) (*oauthex.ClientCredentials, error) {
	if v.Client == "" {
		return nil, nil //nolint:nilnil // most have none
	}
	out := &oauthex.ClientCredentials{ClientID: v.Client}
	values, err := s.opened(ctx, clientOf(v.ID))
	switch {
	case errors.Is(err, keys.ErrNotFound):
	case err != nil:
		return nil, err
	default:
		out.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: values[secretField]}
		hidden.add(values[secretField])
	}
	return out, nil
}

// guardedSecret sends requests, and those with the secret of a registered client to hosts alone
// that the person agreed to, the server's own not being one by itself: it may say of itself that
// one signs in there, to get a secret that is for another service.
type guardedSecret struct {
	base   http.RoundTripper
	secret string
	agreed func(*url.URL) error
}

// RoundTrip implements http.RoundTripper.
func (g *guardedSecret) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.secret != "" && carries(r, g.secret) {
		if err := g.agreed(r.URL); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	return g.base.RoundTrip(r)
}

// carries reports whether a request has the secret of a client (RFC 6749, section 2.3.1).
func carries(r *http.Request, secret string) bool {
	if _, password, ok := r.BasicAuth(); ok {
		plain, err := url.QueryUnescape(password)
		return err != nil || plain == secret || password == secret
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return false
	}
	if r.GetBody == nil {
		return true
	}
	body, err := r.GetBody()
	if err != nil {
		return true
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxLine))
	form, ferr := url.ParseQuery(string(data))
	return err != nil || ferr != nil || form.Get("client_secret") == secret
}

// secretOf is that of a registered client, "" without one.
func secretOf(c *oauthex.ClientCredentials) string {
	if c == nil || c.ClientSecretAuth == nil {
		return ""
	}
	return c.ClientSecretAuth.ClientSecret
}
