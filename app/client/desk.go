package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"piwork/app"
	"piwork/app/api"
)

// Storage implements app.Service.
func (c *Client) Storage(ctx context.Context) (app.Storage, error) {
	return call[app.Storage](ctx, c, http.MethodGet, "/api/storage", nil, nil)
}

// CleanStorage implements app.Service.
func (c *Client) CleanStorage(ctx context.Context, r app.CleanRequest) (app.Cleaned, error) {
	return call[app.Cleaned](ctx, c, http.MethodPost, "/api/storage/clean", nil, r)
}

// MoveStorage implements app.Service.
func (c *Client) MoveStorage(ctx context.Context, r app.MoveRequest) (app.StorageMove, error) {
	return call[app.StorageMove](ctx, c, http.MethodPost, "/api/storage/move", nil, r)
}

// StorageMove implements app.Service.
func (c *Client) StorageMove(ctx context.Context) (app.StorageMove, error) {
	return call[app.StorageMove](ctx, c, http.MethodGet, "/api/storage/move", nil, nil)
}

// CancelMove implements app.Service.
func (c *Client) CancelMove(ctx context.Context) (app.StorageMove, error) {
	return call[app.StorageMove](ctx, c, http.MethodDelete, "/api/storage/move", nil, nil)
}

// Logs implements app.Service.
func (c *Client) Logs(ctx context.Context) (app.Logs, error) {
	return call[app.Logs](ctx, c, http.MethodGet, "/api/logs", nil, nil)
}

// Log implements app.Service.
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
	data, err := io.ReadAll(io.LimitReader(res.Body, 2*app.MaxTail))
	if err != nil {
		return nil, &UnreachableError{Err: err}
	}
	return data, nil
}

// Diagnostics implements app.Service.
func (c *Client) Diagnostics(ctx context.Context) (app.Diagnostics, error) {
	return call[app.Diagnostics](ctx, c, http.MethodGet, "/api/diagnostics", nil, nil)
}

// WriteDiagnostics implements app.Service.
func (c *Client) WriteDiagnostics(ctx context.Context, r app.DiagnosticsRequest) (app.DiagnosticsFile, error) {
	return call[app.DiagnosticsFile](ctx, c, http.MethodPost, "/api/diagnostics", nil, r)
}

// Licences implements app.Service.
func (c *Client) Licences(ctx context.Context) (app.Licences, error) {
	return call[app.Licences](ctx, c, http.MethodGet, "/api/licences", nil, nil)
}

// WindowSettings implements app.Service.
func (c *Client) WindowSettings(ctx context.Context) (app.WindowSettings, error) {
	return call[app.WindowSettings](ctx, c, http.MethodGet, "/api/settings/window", nil, nil)
}

// SetWindowSettings implements app.Service.
func (c *Client) SetWindowSettings(ctx context.Context, s app.WindowSettings) (app.WindowSettings, error) {
	return call[app.WindowSettings](ctx, c, http.MethodPut, "/api/settings/window", nil, s)
}

// ClaimNotice implements app.Service.
func (c *Client) ClaimNotice(ctx context.Context, r app.NoticeClaim) (app.NoticeClaimed, error) {
	return call[app.NoticeClaimed](ctx, c, http.MethodPost, "/api/notices", nil, r)
}

// HealthPage asks how everything stands.
func (c *Client) HealthPage(ctx context.Context) (api.HealthPage, error) {
	return call[api.HealthPage](ctx, c, http.MethodGet, "/api/health", nil, nil)
}
