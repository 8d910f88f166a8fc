package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
)

// writeTimeout ends a stream whose client does not read.
const writeTimeout = 30 * time.Second

// Events calls f with every event whose seq is larger than after (0 is all that
// the controller remembers) and with the volatile ones, until ctx ends or f
// returns an error. It is what GET /api/events streams, for other carriers.
// idle, when not nil, is called when the subscription stands, so that nothing
// which follows is missed, and then once each Heartbeat.
func (a *API) Events(ctx context.Context, after int64, f func(task.Event) error, idle func() error) error {
	events, cancel := a.opts.Service.Subscribe(after)
	defer cancel()
	if idle == nil {
		idle = func() error { return nil }
	}
	if err := idle(); err != nil {
		return err
	}
	beat := time.NewTicker(a.opts.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-events:
			if !open {
				return ErrStreamEnded
			}
			if err := f(e); err != nil {
				return err
			}
		case <-beat.C:
			if err := idle(); err != nil {
				return err
			}
		}
	}
}

// ErrStreamEnded is what Events returns when the service closed the
// subscription: its reader was too slow, or the controller ended. What is still
// remembered can be asked for again.
var ErrStreamEnded = errors.New("the stream of events ended: subscribe again")

type eventsInput struct {
	After       int64  `query:"after" minimum:"0" doc:"only events with a larger seq; without it everything that is still remembered"`
	LastEventID string `header:"Last-Event-ID" doc:"as after, sent by a client that comes back; it wins"`
	Task        string `query:"task" maxLength:"64" doc:"only events of this task"`
	Hold        bool   `query:"hold" doc:"a task that is not detached ends soon after this stream"`
}

func (a *API) registerEvents() {
	handle(a, huma.Operation{
		OperationID: "streamEvents", Method: http.MethodGet, Path: "/api/events", Tags: []string{"events"},
		Summary:     "What happens, as it happens",
		Description: "Server-sent events. The data of each message is an Event; its id is the event's seq (volatile events have none). Comments are heartbeats.",
		Responses: map[string]*huma.Response{"200": {
			Description: "A stream without end; each data line is an Event",
			Content: map[string]*huma.MediaType{"text/event-stream": {
				Schema: eventSchema{}.Schema(a.huma.OpenAPI().Components.Schemas),
			}},
		}},
	}, func(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
		after := in.After
		if in.LastEventID != "" {
			n, err := strconv.ParseInt(in.LastEventID, 10, 64)
			if err != nil || n < 0 {
				return nil, simple(http.StatusBadRequest, problem.CodeBadRequest, "Last-Event-ID is not a seq")
			}
			after = n
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			if in.Hold && in.Task != "" {
				defer a.holds.take(in.Task)()
			}
			_, w := humago.Unwrap(hc)
			a.stream(ctx, w, after, in.Task)
		}}, nil
	})
}

// stream writes server-sent events until the client or the service ends it.
func (a *API) stream(ctx context.Context, w http.ResponseWriter, after int64, only string) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	var buf bytes.Buffer
	send := func() error {
		// Neither is there on every carrier; without them the body just flows.
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := w.Write(buf.Bytes()); err != nil {
			return err
		}
		_ = out.Flush()
		return nil
	}
	err := a.Events(ctx, after, func(e task.Event) error {
		if only != "" && e.Task != only && e.Kind != task.EventReset {
			return nil
		}
		buf.Reset()
		if e.Seq > 0 {
			fmt.Fprintf(&buf, "id: %d\n", e.Seq)
		}
		buf.WriteString("data: ")
		if err := writeJSON(&buf, e); err != nil { // one line, with its end
			return err
		}
		buf.WriteByte('\n')
		return send()
	}, func() error { // a comment: headers go out, and a dead line is noticed
		buf.Reset()
		buf.WriteString(":\n\n")
		return send()
	})
	a.log.Debug("api: stream ended", "request", app.RequestID(ctx), "reason", err)
}
