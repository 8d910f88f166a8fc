package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"piwork/app/api"
)

// AgentEvents implements api.Service. A stream that breaks is not opened again: what
// came meanwhile would be missing. The error is an [*UnreachableError] then.
func (c *Client) AgentEvents(ctx context.Context, id string, fn func(json.RawMessage) error) error {
	res, err := c.do(ctx, http.MethodGet, taskPath(id, "agent"), nil, nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	over := errors.New("the task is over")
	var stopped error
	err = readNamed(res.Body, func(name string, data []byte) error {
		switch name {
		case api.AgentEvent:
			stopped = fn(append(json.RawMessage(nil), data...))
			return stopped
		case api.AgentOver:
			return over
		}
		return nil
	})
	switch {
	case errors.Is(err, over):
		return nil
	case stopped != nil:
		return stopped
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &UnreachableError{Err: err}
}
