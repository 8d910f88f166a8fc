package client

import (
	"context"
	"net/http"
	"net/url"
	"piwork/app/runtimepack"

	"piwork/app/api"
	"piwork/app/runtimepack/updater"
)

// Update implements api.Service.
func (c *Client) Update(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, http.MethodGet, "/api/update", nil, nil)
}

// CheckUpdate implements api.Service.
func (c *Client) CheckUpdate(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, http.MethodPost, "/api/update/check", nil, nil)
}

// StartUpdate implements api.Service. The update goes on when ctx ends.
func (c *Client) StartUpdate(ctx context.Context, r updater.Request) (updater.State, error) {
	return call[updater.State](ctx, c, http.MethodPost, "/api/update/start", nil, r)
}

// PauseUpdate implements api.Service.
func (c *Client) PauseUpdate(ctx context.Context) (updater.State, error) {
	return call[updater.State](ctx, c, http.MethodPost, "/api/update/pause", nil, nil)
}

// SetUpdates implements api.Service.
func (c *Client) SetUpdates(ctx context.Context, s updater.Settings) (updater.State, error) {
	if s.URLs == nil {
		s.URLs = []string{}
	}
	return call[updater.State](ctx, c, http.MethodPost, "/api/settings/updates", nil, s)
}

// RollbackPack implements api.Service.
func (c *Client) RollbackPack(ctx context.Context) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, http.MethodPost, "/api/packs/rollback", nil, nil)
}

// RepairPack implements api.Service.
func (c *Client) RepairPack(ctx context.Context, file string) (runtimepack.Info, error) {
	return call[runtimepack.Info](ctx, c, http.MethodPost, "/api/packs/repair", nil, api.RepairRequest{File: file})
}

// RemovePack implements api.Service.
func (c *Client) RemovePack(ctx context.Context, version string) error {
	return c.remove(ctx, "/api/packs/"+url.PathEscape(version))
}

// BundlePack implements api.Service.
func (c *Client) BundlePack(ctx context.Context, r runtimepack.BundleRequest, progress func(done, total int64)) (runtimepack.BundleInfo, error) {
	defer c.packProgress(ctx, progress)()
	return call[runtimepack.BundleInfo](ctx, c, http.MethodPost, "/api/packs/bundle", nil, r)
}

// AddOns implements api.Service.
func (c *Client) AddOns(ctx context.Context) ([]runtimepack.AddOn, error) {
	return call[[]runtimepack.AddOn](ctx, c, http.MethodGet, "/api/addons", nil, nil)
}

// InstallAddOn implements api.Service. The installation goes on when ctx ends.
func (c *Client) InstallAddOn(ctx context.Context, name string) (updater.State, error) {
	return call[updater.State](ctx, c, http.MethodPost, addOnPath(name), nil, nil)
}

// RemoveAddOn implements api.Service.
func (c *Client) RemoveAddOn(ctx context.Context, name string) error {
	return c.remove(ctx, addOnPath(name))
}

func addOnPath(name string) string { return "/api/addons/" + url.PathEscape(name) }
