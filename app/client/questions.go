package client

import (
	"context"
	"net/http"
	"net/url"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/vmhost"
)

// Questions implements api.Service.
func (c *Client) Questions(ctx context.Context, task string) ([]vmhost.Question, error) {
	query := url.Values{}
	if task != "" {
		query.Set("task", task)
	}
	return call[[]vmhost.Question](ctx, c, http.MethodGet, "/api/questions", query, nil)
}

// Answer implements api.Service.
func (c *Client) Answer(ctx context.Context, task, question string, r consent.AnswerRequest) (vmhost.Decision, error) {
	return call[vmhost.Decision](ctx, c, http.MethodPost, taskPath(task, "questions", url.PathEscape(question)), nil, r)
}

// Rules implements api.Service.
func (c *Client) Rules(ctx context.Context) ([]approval.Rule, error) {
	return call[[]approval.Rule](ctx, c, http.MethodGet, "/api/rules", nil, nil)
}

// RemoveRule implements api.Service.
func (c *Client) RemoveRule(ctx context.Context, id string) error {
	return c.remove(ctx, "/api/rules/"+url.PathEscape(id))
}
