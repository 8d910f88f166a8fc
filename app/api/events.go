package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/task"
)

// writeTimeout ends a stream whose client does not read.
const writeTimeout = 30 * time.Second

// bus carries the events of this package, which are all volatile.
type bus struct {
	mu   sync.Mutex
	subs map[chan task.Event]struct{}
}

func (b *bus) subscribe() (<-chan task.Event, func()) {
	c := make(chan task.Event, 64)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subs == nil {
		b.subs = map[chan task.Event]struct{}{}
	}
	b.subs[c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, c)
	}
}

// publish drops the event for who does not keep up: the next one says more.
func (b *bus) publish(e task.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.subs {
		select {
		case c <- e:
		default:
		}
	}
}

// Events calls f with every event whose seq is larger than after (0 is all that
// the controller remembers) and with the volatile ones, until ctx ends or f
// returns an error. It is what GET /api/events streams, for other carriers.
// idle, when not nil, is called after each Heartbeat without an event.
func (a *API) Events(ctx context.Context, after int64, f func(task.Event) error, idle func() error) error {
	own, cancelOwn := a.bus.subscribe()
	defer cancelOwn()
	events, cancel := a.opts.Service.Subscribe(after)
	defer func() { cancel() }()
	beat := time.NewTicker(a.opts.Heartbeat)
	defer beat.Stop()
	for {
		var e task.Event
		var open bool
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e = <-own:
		case e, open = <-events:
			if !open {
				// Too slow, or the controller ended. The service says so by
				// closing; what is still remembered can be asked for again.
				return errStreamEnded
			}
		case <-beat.C:
			if idle != nil {
				if err := idle(); err != nil {
					return err
				}
			}
			continue
		}
		beat.Reset(a.opts.Heartbeat)
		if err := f(e); err != nil {
			return err
		}
	}
}

var errStreamEnded = fmt.Errorf("the stream of events ended: subscribe again")

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
				return nil, simple(http.StatusBadRequest, CodeBadRequest, "Last-Event-ID is not a seq")
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
	comment := func(text string) error {
		buf.Reset()
		fmt.Fprintf(&buf, ": %s\n\n", text)
		return send()
	}
	if comment("piwork") != nil { // headers go out now, so that the client knows it is connected
		return
	}
	err := a.Events(ctx, after, func(e task.Event) error {
		if only != "" && e.Task != only {
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
	}, func() error { return comment("") })
	a.log.Debug("api: stream ended", "request", requestID(ctx), "reason", err)
}
