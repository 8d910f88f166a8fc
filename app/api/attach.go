package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/attach"
	"piwork/app/problem"
	"piwork/app/task"
)

// attachRequest is a request to be attached to a program.
type attachRequest struct {
	TaskRef
	Wait bool `query:"wait" doc:"the program waits for this client to read; else one that is too slow is disconnected"`
}

// serveAttached switches the connection, or says why it cannot.
func serveAttached(w http.ResponseWriter, r *http.Request, c attach.Conn, wait bool) error {
	err := attach.Serve(r.Context(), w, r, c, wait)
	if no, is := errors.AsType[*attach.RefusedError](err); is {
		answer.Write(w, r, answer.Simple(no.Status, problem.CodeBadRequest, no.Error()))
	}
	return err
}

// attachTask switches the connection to a WebSocket.
func (a *API) attachTask(ctx context.Context, in *attachRequest) (*huma.StreamResponse, error) {
	c, err := a.service.AttachTask(ctx, in.ID, in.Wait)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		err := serveAttached(w, r.WithContext(ctx), c, in.Wait)
		a.log.Debug("api: no longer attached", "request", task.RequestID(ctx), "task", in.ID, "reason", err)
	}}, nil
}
