package mcpservers

import (
	"context"
	"errors"

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
