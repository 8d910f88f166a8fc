package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/attach"
	"piwork/app/task"
)

// attachRequest is a request to be attached to a program.
type attachRequest struct {
	TaskRef
	Wait bool `query:"wait" doc:"the program waits for this client to read; else one that is too slow is disconnected"`
}

// attachTask switches the connection to a WebSocket.
func (a *API) attachTask(ctx context.Context, in *attachRequest) (*huma.StreamResponse, error) {
	c, err := a.service.AttachTask(ctx, in.ID, in.Wait)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		err := attach.Serve(ctx, w, r, c, in.Wait)
		a.log.Debug("api: no longer attached", "request", task.RequestID(ctx), "task", in.ID, "reason", err)
	}}, nil
}
