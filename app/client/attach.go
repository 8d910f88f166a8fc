package client

import (
	"context"
	"net/http"
	"net/url"

	"piwork/app/attach"
	"piwork/app/sessions"
)

// AttachTask joins the program of a task. With wait the program waits for whoever reads.
func (c *Client) AttachTask(ctx context.Context, id string, wait bool) (attach.Conn, error) {
	return attachAt(ctx, c, "/v1/tasks/"+url.PathEscape(id)+"/attach", query("wait", wait))
}

// AttachSession joins a session.
func (c *Client) AttachSession(ctx context.Context, id string, r sessions.AttachRequest) (attach.Conn, error) {
	return attachAt(ctx, c, "/v1/sessions/"+url.PathEscape(id)+"/attach", query("write", r.Write, "take", r.Take, "from", r.From, "last", r.Last))
}

// attachAt joins what is at a path.
func attachAt(ctx context.Context, c *Client, path string, q url.Values) (attach.Conn, error) {
	u := c.base + path + "?" + q.Encode()
	header := http.Header{}
	c.language.ask(header)
	conn, res, err := attach.Dial(ctx, u, c.http, header) //nolint:bodyclose // the library takes it over, and reads what an error has
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
