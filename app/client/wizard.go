package client

import (
	"context"
	"net/http"
	"net/url"
	"piwork/app/tasks"

	"piwork/app/health"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/setup/wizard"
)

// Wizard implements api.Service.
func (c *Client) Wizard(ctx context.Context) (wizard.Wizard, error) {
	return call[wizard.Wizard](ctx, c, http.MethodGet, "/api/wizard", nil, nil)
}

// WizardAct implements api.Service.
func (c *Client) WizardAct(ctx context.Context, step wizard.ID, r wizard.ActRequest) (wizard.Wizard, error) {
	return call[wizard.Wizard](ctx, c, http.MethodPost, "/api/wizard/"+url.PathEscape(string(step)), nil, r)
}

// Mend implements api.Service.
func (c *Client) Mend(ctx context.Context, r health.MendRequest) (health.Mended, error) {
	return call[health.Mended](ctx, c, http.MethodPost, "/api/status/mend", nil, r)
}

// Samples implements api.Service.
func (c *Client) Samples(ctx context.Context, r samples.FolderRequest) (samples.Made, error) {
	return call[samples.Made](ctx, c, http.MethodPost, "/api/samples", nil, r)
}

// Dropped implements api.Service.
func (c *Client) Dropped(ctx context.Context, r tasks.DroppedRequest) ([]tasks.DroppedFolder, error) {
	return call[[]tasks.DroppedFolder](ctx, c, http.MethodPost, "/api/dropped", nil, r)
}

// FolderChoices implements api.Service.
func (c *Client) FolderChoices(ctx context.Context) ([]saved.FolderChoice, error) {
	return call[[]saved.FolderChoice](ctx, c, http.MethodGet, "/api/folders", nil, nil)
}

// SavedChores implements api.Service.
func (c *Client) SavedChores(ctx context.Context) ([]saved.SavedChore, error) {
	return call[[]saved.SavedChore](ctx, c, http.MethodGet, "/api/saved", nil, nil)
}

// SaveChore implements api.Service.
func (c *Client) SaveChore(ctx context.Context, r saved.SaveChoreRequest) (saved.SavedChore, error) {
	return call[saved.SavedChore](ctx, c, http.MethodPost, "/api/saved", nil, r)
}

// RemoveSavedChore implements api.Service.
func (c *Client) RemoveSavedChore(ctx context.Context, id string) error {
	return c.remove(ctx, "/api/saved/"+url.PathEscape(id))
}
