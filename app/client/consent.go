package client

import (
	"context"
	"net/http"
	"net/url"
	"piwork/app/consent"
	"piwork/app/models"
)

// BeginLogin implements api.Service.
func (c *Client) BeginLogin(ctx context.Context, provider string, r models.LoginRequest) (models.Login, error) {
	return call[models.Login](ctx, c, http.MethodPost, keyPath(provider)+"/login", nil, r)
}

func loginPath(id string) string { return "/api/logins/" + url.PathEscape(id) }

// LoginState implements api.Service.
func (c *Client) LoginState(ctx context.Context, id string) (models.LoginState, error) {
	return call[models.LoginState](ctx, c, http.MethodGet, loginPath(id), nil, nil)
}

// FinishLogin implements api.Service.
func (c *Client) FinishLogin(ctx context.Context, id string, code models.LoginCode) (models.LoginState, error) {
	return call[models.LoginState](ctx, c, http.MethodPost, loginPath(id), nil, code)
}

// CancelLogin implements api.Service.
func (c *Client) CancelLogin(ctx context.Context, id string) error {
	return c.remove(ctx, loginPath(id))
}

const keyStorePath = "/api/settings/keys"

// KeyStore implements api.Service.
func (c *Client) KeyStore(ctx context.Context) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, http.MethodGet, keyStorePath, nil, nil)
}

// SetKeyStore implements api.Service.
func (c *Client) SetKeyStore(ctx context.Context, r models.KeyStoreChoice) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, http.MethodPut, keyStorePath, nil, r)
}

// UnlockKeys implements api.Service.
func (c *Client) UnlockKeys(ctx context.Context, p models.Passphrase) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, http.MethodPost, keyStorePath+"/unlock", nil, p)
}

// ChangePassphrase implements api.Service.
func (c *Client) ChangePassphrase(ctx context.Context, p models.PassphraseChange) (models.KeyStore, error) {
	return call[models.KeyStore](ctx, c, http.MethodPost, keyStorePath+"/passphrase", nil, p)
}

// NetworkPresets implements api.Service.
func (c *Client) NetworkPresets(ctx context.Context) ([]consent.NetworkPreset, error) {
	return call[[]consent.NetworkPreset](ctx, c, http.MethodGet, "/api/network/presets", nil, nil)
}

// SetNetworkPreset implements api.Service.
func (c *Client) SetNetworkPreset(ctx context.Context, code string, r consent.PresetChoice) (consent.NetworkPreset, error) {
	return call[consent.NetworkPreset](ctx, c, http.MethodPut, "/api/network/presets/"+url.PathEscape(code), nil, r)
}

// WebSearch implements api.Service.
func (c *Client) WebSearch(ctx context.Context) (consent.WebSearch, error) {
	return call[consent.WebSearch](ctx, c, http.MethodGet, "/api/settings/search", nil, nil)
}

// SetWebSearch implements api.Service.
func (c *Client) SetWebSearch(ctx context.Context, s consent.WebSearch) (consent.WebSearch, error) {
	return call[consent.WebSearch](ctx, c, http.MethodPut, "/api/settings/search", nil, s)
}
