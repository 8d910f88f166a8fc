package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/tasks"
	"strconv"

	"piwork/app/approval"
	"piwork/app/task"
)

// Say implements api.Service. A task that goes on and is not detached is held as
// long as ctx lives.
func (c *Client) Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error) {
	t, err := call[task.Task](ctx, c, http.MethodPost, taskPath(id, "messages"), nil, r)
	if err == nil && !r.Detached {
		c.holdQueued(ctx, t)
	}
	return t, err
}

// holdQueued holds a task that goes on because of this call.
func (c *Client) holdQueued(ctx context.Context, t task.Task) {
	if t.State == task.StateQueued {
		go c.hold(ctx, t.ID)
	}
}

// TakeBack implements api.Service.
func (c *Client) TakeBack(ctx context.Context, id, message string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodDelete, taskPath(id, "messages", message), nil, nil)
}

// SetTaskModel implements api.Service.
func (c *Client) SetTaskModel(ctx context.Context, id string, r tasks.TaskModelRequest) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPut, taskPath(id, "model"), nil, r)
}

// CompactTask implements api.Service, as Say.
func (c *Client) CompactTask(ctx context.Context, id string, detached bool) (task.Task, error) {
	t, err := call[task.Task](ctx, c, http.MethodPost, taskPath(id, "compact"), url.Values{"detached": {strconv.FormatBool(detached)}}, nil)
	if err == nil && !detached {
		c.holdQueued(ctx, t)
	}
	return t, err
}

// ResumeTask implements api.Service, as Say.
func (c *Client) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	t, err := call[task.Task](ctx, c, http.MethodPost, taskPath(id, "resume"), nil, nil)
	if err == nil {
		c.holdQueued(ctx, t)
	}
	return t, err
}

// Interrupt implements api.Service.
func (c *Client) Interrupt(ctx context.Context, id string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPost, taskPath(id, "interrupt"), nil, nil)
}

// AgentLine implements api.Service.
func (c *Client) AgentLine(ctx context.Context, id string, n int64) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, http.MethodGet, taskPath(id, "agent", strconv.FormatInt(n, 10)), nil, nil)
}

// Models implements api.Service.
func (c *Client) Models(ctx context.Context) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, http.MethodGet, "/api/models", nil, nil)
}

// SetModel implements api.Service.
func (c *Client) SetModel(ctx context.Context, r models.ChoiceRequest) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, http.MethodPut, "/api/models/default", nil, r)
}

// OverrideModel implements api.Service.
func (c *Client) OverrideModel(ctx context.Context, r models.OverrideRequest) (models.Catalogue, error) {
	return call[models.Catalogue](ctx, c, http.MethodPut, "/api/models/said", nil, r)
}

// Keys implements api.Service.
func (c *Client) Keys(ctx context.Context) ([]models.KeyInfo, error) {
	return call[[]models.KeyInfo](ctx, c, http.MethodGet, "/api/keys", nil, nil)
}

func keyPath(provider string) string { return "/api/keys/" + url.PathEscape(provider) }

// SetKey implements api.Service.
func (c *Client) SetKey(ctx context.Context, provider string, r models.KeyRequest) (models.KeyInfo, error) {
	return call[models.KeyInfo](ctx, c, http.MethodPut, keyPath(provider), nil, r)
}

// RemoveKey implements api.Service.
func (c *Client) RemoveKey(ctx context.Context, provider string) error {
	return c.remove(ctx, keyPath(provider))
}

// TestKey implements api.Service.
func (c *Client) TestKey(ctx context.Context, provider string) (models.KeyTest, error) {
	return call[models.KeyTest](ctx, c, http.MethodPost, keyPath(provider)+"/test", nil, nil)
}

// NetworkRules implements api.Service.
func (c *Client) NetworkRules(ctx context.Context) (consent.NetworkRules, error) {
	return call[consent.NetworkRules](ctx, c, http.MethodGet, "/api/network/rules", nil, nil)
}

// AddNetworkRule implements api.Service.
func (c *Client) AddNetworkRule(ctx context.Context, r consent.NetworkRuleRequest) (approval.Rule, error) {
	return call[approval.Rule](ctx, c, http.MethodPost, "/api/network/rules", nil, r)
}
