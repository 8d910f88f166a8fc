package gateway

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
)

// known are the models of a provider that pi, and so the table of prices, knows,
// sorted: of one that does not list its own.
func (g *Gateway) known(p provider.Provider) (all []provider.Model) {
	for name := range g.table().Models {
		if id, ok := strings.CutPrefix(name, p.ID+"/"); ok {
			all = append(all, provider.Model{ID: id})
		}
	}
	slices.SortFunc(all, func(a, b provider.Model) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// holds asks whether a login holds, where nothing else can be asked that costs
// nothing: by renewing it. Errors are of [Error].
func (g *Gateway) holds(ctx context.Context, c keys.Credential) error {
	if _, err := g.c.Keys.Renew(ctx, c); err != nil {
		return &Error{Code: keyCode(ctx, err), Provider: c.Provider, Err: err}
	}
	return nil
}

// usable are those of Copilot's models that the account may use and that pi knows,
// sorted. Errors are of [Error].
func (g *Gateway) usable(p provider.Provider, data []byte) ([]provider.Model, error) {
	offered, _, err := provider.CopilotModels(p, data)
	if err != nil {
		return nil, &Error{Code: CodeNotProvider, Provider: p.ID, Host: hostOf(p), Status: http.StatusOK}
	}
	return slices.DeleteFunc(g.known(p), func(m provider.Model) bool { return !slices.Contains(offered, m.ID) }), nil
}
