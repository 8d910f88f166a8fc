package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"piwork/app/tasks"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

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
	events, cancel := a.service.Subscribe(after)
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

var eventOperations = []operation{
	{"streamEvents", "GET /api/events", "What happens, as it happens",
		"Server-sent events. The data of each message is an Event; its id is the event's seq (volatile events have none). Comments are heartbeats.",
		do(Service.Subscribe, (*API).streamEvents).
			answering("text/event-stream", "A stream without end; each data line is an Event", &huma.Schema{Ref: schemaPrefix + "Event"})},
}

func (a *API) streamEvents(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
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
}

// stream writes server-sent events until the client or the service ends it.
func (a *API) stream(ctx context.Context, w http.ResponseWriter, after int64, only string) {
	out := newEventWriter(w)
	words := language(ctx)
	err := a.Events(ctx, after, func(e task.Event) error {
		if only != "" && e.Task != only && e.Kind != task.EventReset {
			return nil
		}
		return out.event(InWords(words, e))
	}, out.beat)
	a.log.Debug("api: stream ended", "request", tasks.RequestID(ctx), "reason", err)
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	buf  bytes.Buffer
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	return &eventWriter{w: w, ctrl: http.NewResponseController(w)}
}

// event writes an event of a task.
func (o *eventWriter) event(e task.Event) error {
	o.buf.Reset()
	if e.Seq > 0 {
		fmt.Fprintf(&o.buf, "id: %d\n", e.Seq)
	}
	return o.data(e)
}

// named writes something else, under a name of its own.
func (o *eventWriter) named(name string, v any) error {
	o.buf.Reset()
	fmt.Fprintf(&o.buf, "event: %s\n", name)
	return o.data(v)
}

// line writes what is one line already, under a name of its own.
func (o *eventWriter) line(name string, data []byte) error {
	o.buf.Reset()
	fmt.Fprintf(&o.buf, "event: %s\ndata: %s\n\n", name, data)
	return o.send()
}

func (o *eventWriter) data(v any) error {
	o.buf.WriteString("data: ")
	if err := writeJSON(&o.buf, v); err != nil { // one line, with its end
		return err
	}
	o.buf.WriteByte('\n')
	return o.send()
}

// beat writes a comment: headers go out, and a dead line is noticed.
func (o *eventWriter) beat() error {
	o.buf.Reset()
	o.buf.WriteString(":\n\n")
	return o.send()
}

func (o *eventWriter) send() error {
	// Neither is there on every carrier; without them the body just flows.
	_ = o.ctrl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := o.w.Write(o.buf.Bytes()); err != nil {
		return err
	}
	_ = o.ctrl.Flush()
	return nil
}
