package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/door"
	"piwork/app/api/toolroute"
	"piwork/app/problem"
	"piwork/app/task"
)

const (
	burst    = 5 * time.Millisecond // in which events go out together
	maxBurst = 32 << 10             // bytes, but for the last event
)

// Events calls f with the events that filter lets through, until ctx ends or f
// returns an error: for carriers other than GET /v1/events.
// idle, when not nil, is called when the subscription stands, so that nothing
// which follows is missed, and then once each Heartbeat.
func (a *API) Events(ctx context.Context, filter task.EventFilter, f func(task.Event) error, idle func() error) error {
	if idle == nil {
		idle = func() error { return nil }
	}
	return a.bursts(ctx, filter, func(e task.Event, _ <-chan task.Event) error { return f(e) }, idle)
}

// bursts is Events for an f that may take more from the subscription.
func (a *API) bursts(ctx context.Context, filter task.EventFilter, f func(task.Event, <-chan task.Event) error, idle func() error) error {
	events, cancel := a.service.Subscribe(filter)
	defer cancel()
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
			if err := f(e, events); err != nil {
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
	After       int64            `query:"after" minimum:"0" doc:"only events with a larger seq; without it everything that is still remembered"`
	LastEventID string           `header:"Last-Event-ID" doc:"as after, sent by a client that comes back; it wins"`
	Task        string           `query:"task" maxLength:"64" doc:"only events of this task, and reset"`
	Kind        []task.EventKind `query:"kind" maxItems:"64" doc:"only events of these kinds, and reset"`
	Wait        bool             `query:"wait" doc:"with task: its programs wait for this reader, who gets all of their output; without it a reader that is too slow for their output gets parts of it, whose numbers (part) have gaps"`
	Hold        bool             `query:"hold" doc:"with task: one that is not detached ends soon after this stream"`
}

// Resolve implements huma.Resolver: what would hold or hear nothing is refused.
func (in *eventsInput) Resolve(huma.Context) (errs []error) {
	if in.Task == "" && (in.Wait || in.Hold) {
		errs = append(errs, &huma.ErrorDetail{Message: "wait and hold are about a task", Location: "query.task"})
	}
	for _, kind := range in.Kind {
		if kind != EventWindow && !slices.ContainsFunc(answer.EventTypes, func(e answer.EventType) bool { return e.Kind == kind }) {
			errs = append(errs, &huma.ErrorDetail{Message: "is no kind of events", Location: "query.kind"})
		}
	}
	return errs
}

const eventsPath = "/v1/events"

var eventOperations = []operation{
	{"streamEvents", "GET " + eventsPath, "What happens, as it happens",
		"Server-sent events. The data of each message is an Event; its id is the event's seq (volatile events have none). Comments are heartbeats. " +
			"Who comes back with Last-Event-ID misses nothing; what is not remembered any more, or was counted by another process, is answered by an event of kind reset: " +
			"then everything has to be asked for again, and all that is remembered follows. A stream whose reader stops ends after a while, and costs no other anything.",
		do(Service.Subscribe, (*API).streamEvents).
			streaming("A stream without end; each data line is an Event", &huma.Schema{Ref: toolroute.SchemaPrefix + "Event"}).failing(problem.CodeNotFound)},
}

func (a *API) streamEvents(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	after, err := lastSeen(in.LastEventID, in.After)
	if err != nil {
		return nil, err
	}
	if err := ownEvents(ctx, a.service, in.Task, in.Wait || in.Hold); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		if in.Hold && in.Task != "" {
			defer a.holds.take(in.Task, door.Process(ctx))()
		}
		_, w := humago.Unwrap(hc)
		a.stream(ctx, w, task.EventFilter{After: after, Task: in.Task, Kinds: in.Kind, Wait: in.Wait, Plain: !access.ClientOf(ctx).May(access.Manage)})
	}}, nil
}

// lastSeen is the number in a Last-Event-ID, or another one where there is none.
func lastSeen(id string, without int64) (int64, error) {
	if id == "" {
		return without, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return 0, answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, "Last-Event-ID is no number of an event")
	}
	return n, nil
}

// stream writes server-sent events until the client or the service ends it. It is filtered where
// it begins: ?task=ID and ?kind=A,B leave nothing else to be sent. A reader that stops costs itself
// only: its stream ends, and only a task of which it asked for all output (?wait=true) waits for
// it, until then. Output is kept nowhere: a reader that lost a piece knows by the numbers of those
// that came (part). Whoever must miss nothing, however slowly it reads, starts its program with
// attached, and attaches to it.
func (a *API) stream(ctx context.Context, w http.ResponseWriter, filter task.EventFilter) {
	out := answer.NewEventWriter(w)
	words := answer.Language(ctx)
	var sent time.Time
	err := a.bursts(ctx, filter, func(e task.Event, more <-chan task.Event) error {
		// Many events at once are few writes: the first goes out at once, those that
		// follow it closely go together.
		if pause := burst - time.Since(sent); pause > 0 {
			rest := time.NewTimer(pause)
			select {
			case <-rest.C:
			case <-ctx.Done():
				rest.Stop()
				return context.Cause(ctx)
			}
		}
		for open := true; open; {
			if err := a.encoded.Append(&out.Buf, words, e); err != nil {
				return err
			}
			if out.Buf.Len() >= maxBurst {
				break
			}
			select {
			case e, open = <-more: // what is closed is seen by the next read
			default:
				open = false
			}
		}
		sent = time.Now()
		return out.Send()
	}, out.Beat)
	a.log.Debug("api: stream ended", "request", task.RequestID(ctx), "reason", err)
}
