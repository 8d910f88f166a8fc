package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"piwork/app/tasks"
	"strings"

	"piwork/app/task"
)

// Tasks implements api.Service.
func (c *Client) Tasks(ctx context.Context) ([]task.Task, error) {
	return c.FindTasks(ctx, task.Filter{})
}

// FindTasks implements api.Service.
func (c *Client) FindTasks(ctx context.Context, f task.Filter) ([]task.Task, error) {
	query := url.Values{}
	if f.Text != "" {
		query.Set("q", f.Text)
	}
	if len(f.States) > 0 {
		query.Set("state", joined(f.States))
	}
	if len(f.Kinds) > 0 {
		query.Set("kind", joined(f.Kinds))
	}
	return call[[]task.Task](ctx, c, http.MethodGet, "/api/tasks", query, nil)
}

// joined is a list as a query has it.
func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return strings.Join(out, ",")
}

// RenameTask implements api.Service.
func (c *Client) RenameTask(ctx context.Context, id string, r tasks.RenameRequest) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPatch, taskPath(id), nil, r)
}

// StartAgain implements api.Service, as StartTask.
func (c *Client) StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error) {
	t, err := call[task.Task](ctx, c, http.MethodPost, taskPath(id, "again"), nil, r)
	if err == nil && !r.Detached {
		go c.hold(ctx, t.ID)
	}
	return t, err
}

// AddFolder implements api.Service.
func (c *Client) AddFolder(ctx context.Context, id string, r task.FolderRequest) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodPost, taskPath(id, "folders"), nil, r)
}

// RemoveFolder implements api.Service.
func (c *Client) RemoveFolder(ctx context.Context, id, folder string) (task.Task, error) {
	return call[task.Task](ctx, c, http.MethodDelete, taskPath(id, "folders", folder), nil, nil)
}

// ExportTask implements api.Service. ctx must live until the end of the file.
func (c *Client) ExportTask(ctx context.Context, id string) (io.ReadCloser, error) {
	res, err := c.do(ctx, http.MethodGet, taskPath(id, "export"), nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// DeleteTask implements api.Service.
func (c *Client) DeleteTask(ctx context.Context, id string) error {
	return c.remove(ctx, taskPath(id))
}
