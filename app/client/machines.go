package client

import (
	"context"
	"net/http"
	"piwork/app/machines"
)

// Machines implements api.Service.
func (c *Client) Machines(ctx context.Context) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, http.MethodGet, "/api/machines", nil, nil)
}

// SetMachines implements api.Service.
func (c *Client) SetMachines(ctx context.Context, s machines.Settings) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, http.MethodPost, "/api/settings/machines", nil, s)
}

// PrepareMachines implements api.Service.
func (c *Client) PrepareMachines(ctx context.Context) (machines.Machines, error) {
	return call[machines.Machines](ctx, c, http.MethodPost, "/api/machines/prepare", nil, nil)
}
