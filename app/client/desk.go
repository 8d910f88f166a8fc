package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"piwork/app/api"
	"piwork/app/upkeep"
)

// Storage implements api.Service.
func (c *Client) Storage(ctx context.Context) (upkeep.Storage, error) {
	return call[upkeep.Storage](ctx, c, http.MethodGet, "/api/storage", nil, nil)
}

// CleanStorage implements api.Service.
func (c *Client) CleanStorage(ctx context.Context, r upkeep.CleanRequest) (upkeep.Cleaned, error) {
	return call[upkeep.Cleaned](ctx, c, http.MethodPost, "/api/storage/clean", nil, r)
}

// MoveStorage implements api.Service.
func (c *Client) MoveStorage(ctx context.Context, r upkeep.MoveRequest) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, http.MethodPost, "/api/storage/move", nil, r)
}

// StorageMove implements api.Service.
func (c *Client) StorageMove(ctx context.Context) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, http.MethodGet, "/api/storage/move", nil, nil)
}

// CancelMove implements api.Service.
func (c *Client) CancelMove(ctx context.Context) (upkeep.StorageMove, error) {
	return call[upkeep.StorageMove](ctx, c, http.MethodDelete, "/api/storage/move", nil, nil)
}

// Logs implements api.Service.
func (c *Client) Logs(ctx context.Context) (upkeep.Logs, error) {
	return call[upkeep.Logs](ctx, c, http.MethodGet, "/api/logs", nil, nil)
}

// Log implements api.Service.
func (c *Client) Log(ctx context.Context, name string, tail int64) ([]byte, error) {
	query := url.Values{}
	if tail > 0 {
		query.Set("tail", strconv.FormatInt(tail, 10))
	}
	res, err := c.do(ctx, http.MethodGet, "/api/logs/"+url.PathEscape(name), query, nil, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, 2*upkeep.MaxTail))
	if err != nil {
		return nil, &UnreachableError{Err: err}
	}
	return data, nil
}

// Diagnostics implements api.Service.
func (c *Client) Diagnostics(ctx context.Context) (upkeep.Diagnostics, error) {
	return call[upkeep.Diagnostics](ctx, c, http.MethodGet, "/api/diagnostics", nil, nil)
}

// WriteDiagnostics implements api.Service.
func (c *Client) WriteDiagnostics(ctx context.Context, r upkeep.DiagnosticsRequest) (upkeep.DiagnosticsFile, error) {
	return call[upkeep.DiagnosticsFile](ctx, c, http.MethodPost, "/api/diagnostics", nil, r)
}

// Licences implements api.Service.
func (c *Client) Licences(ctx context.Context) (upkeep.Licences, error) {
	return call[upkeep.Licences](ctx, c, http.MethodGet, "/api/licences", nil, nil)
}

// WindowSettings implements api.Service.
func (c *Client) WindowSettings(ctx context.Context) (upkeep.WindowSettings, error) {
	return call[upkeep.WindowSettings](ctx, c, http.MethodGet, "/api/settings/window", nil, nil)
}

// SetWindowSettings implements api.Service.
func (c *Client) SetWindowSettings(ctx context.Context, s upkeep.WindowSettings) (upkeep.WindowSettings, error) {
	return call[upkeep.WindowSettings](ctx, c, http.MethodPut, "/api/settings/window", nil, s)
}

// ClaimNotice implements api.Service.
func (c *Client) ClaimNotice(ctx context.Context, r upkeep.NoticeClaim) (upkeep.NoticeClaimed, error) {
	return call[upkeep.NoticeClaimed](ctx, c, http.MethodPost, "/api/notices", nil, r)
}

// HealthPage asks how everything stands.
func (c *Client) HealthPage(ctx context.Context) (api.HealthPage, error) {
	return call[api.HealthPage](ctx, c, http.MethodGet, "/api/health", nil, nil)
}
