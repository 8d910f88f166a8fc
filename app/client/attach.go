package client

import (
	"context"
	"net/http"
	"net/url"

	"piwork/app/attach"
)

// AttachTask joins the program of a task. With wait the program waits for whoever reads.
func (c *Client) AttachTask(ctx context.Context, id string, wait bool) (attach.Conn, error) {
	u := c.base + "/api/tasks/" + url.PathEscape(id) + "/attach?" + query("wait", wait).Encode()
	conn, res, err := attach.Dial(ctx, u, c.http, nil) //nolint:bodyclose // the library takes it over, and reads what an error has
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case res != nil && res.StatusCode != http.StatusSwitchingProtocols:
		return nil, problemOf(res)
	}
	return nil, &UnreachableError{Err: err}
}
